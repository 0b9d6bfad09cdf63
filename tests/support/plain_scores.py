"""Scores and searches once more, straight from their definitions: loops and `math.lgamma`.

No code of the package is used, and nothing is fast or clever. Rows are tuples of codes with a weight each; a
graph is a set of pairs (x, y) with x < y. What the package finds is held against this.
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    from graphoid.data.table import Table

Pair = tuple[int, int]
Edges = frozenset[Pair]


@dataclass(frozen=True, eq=False)  # compared by identity, so that what was computed of it can be kept
class Rows:
    """Codes row by row, their weights, and the number of states of each variable."""

    codes: list[tuple[int, ...]]
    weights: list[float]
    arities: list[int]

    @property
    def n(self) -> int:
        return len(self.arities)


class Prior(NamedTuple):
    """Settings of the Bayesian test."""

    independence: float = 0.5
    pseudo_count: float = 1.0
    occurring: bool = False


PRINTED = Prior()


def rows_of(table: Table) -> Rows:
    columns = [table.column(i).tolist() for i in range(len(table.variables))]
    weights = [1.0] * table.n_rows if table.weights is None else table.weights.values.tolist()
    return Rows(list(zip(*columns, strict=True)), weights, [v.arity for v in table.variables])


def blanket(edges: Edges, x: int) -> tuple[int, ...]:
    return tuple(sorted({v for edge in edges for v in edge if x in edge} - {x}))


def pairs(n: int) -> list[Pair]:
    return list(combinations(range(n), 2))


def _sliced(rows: Rows, x: int, given: tuple[int, ...]) -> dict[tuple[int, ...], dict[int, float]]:
    """How often each state of x occurs in every configuration of `given` that does."""
    found: dict[tuple[int, ...], dict[int, float]] = defaultdict(lambda: defaultdict(float))
    for code, weight in zip(rows.codes, rows.weights, strict=True):
        if weight:
            found[tuple(code[z] for z in given)][code[x]] += weight
    return found


# -- MPL: 004 Eq. 4, alpha = ess / (r q) ------------------------------------------------------------------


@cache
def mpl_local(rows: Rows, x: int, members: tuple[int, ...], ess: float = 1.0) -> float:
    r = rows.arities[x]
    q = math.prod(rows.arities[v] for v in members)
    total = 0.0
    for states in _sliced(rows, x, members).values():
        total += math.lgamma(ess / q) - math.lgamma(ess / q + sum(states.values()))
        for state in range(r):
            total += math.lgamma(ess / (r * q) + states.get(state, 0.0)) - math.lgamma(ess / (r * q))
    return total


def mpl(rows: Rows, edges: Edges, ess: float = 1.0) -> float:
    return math.fsum(mpl_local(rows, x, blanket(edges, x), ess) for x in range(rows.n))


# -- the Bayesian test: 004 App. C, collapsed -------------------------------------------------------------


@cache
def log_posterior(
    rows: Rows, x: int, y: int, given: tuple[int, ...], prior: Prior = PRINTED
) -> tuple[float, float]:
    """log P(x and y independent given the rest | D), and log of the opposite."""
    slices: dict[tuple[int, ...], dict[Pair, float]] = defaultdict(lambda: defaultdict(float))
    for code, weight in zip(rows.codes, rows.weights, strict=True):
        if weight:
            slices[tuple(code[z] for z in given)][code[x], code[y]] += weight
    k = len(slices) if prior.occurring else math.prod(rows.arities[z] for z in given)
    if not slices:
        return math.log(prior.independence), math.log(1 - prior.independence)
    q_over_p = math.expm1(-math.log(prior.independence) / k)  # p = P(CI)^(1/K), q = 1 - p
    ratios = [_log_h_over_g(cells, rows.arities[x], rows.arities[y], prior) for cells in slices.values()]
    # log(1 + (q / p) h / g); where exp would overflow, the 1 does not count
    total = math.fsum(
        math.log1p(q_over_p * math.exp(ratio)) if ratio < 600 else math.log(q_over_p) + ratio
        for ratio in ratios
    )
    total -= (k - len(slices)) / k * math.log(prior.independence)  # h = g = 1 where there are no rows
    return -total, math.log(-math.expm1(-total))


def _log_h_over_g(cells: dict[Pair, float], rx: int, ry: int, prior: Prior) -> float:
    of_x, of_y = [0.0] * rx, [0.0] * ry
    for (s, t), count in cells.items():
        of_x[s] += count
        of_y[t] += count
    joint = [cells.get((s, t), 0.0) for s in range(rx) for t in range(ry)]
    return _dirichlet(joint, prior) - _dirichlet(of_x, prior) - _dirichlet(of_y, prior)


def _dirichlet(counts: list[float], prior: Prior) -> float:
    """Log marginal likelihood of counts under equal pseudo-counts, without the multinomial coefficient."""
    a, whole = prior.pseudo_count, prior.pseudo_count * len(counts)
    rising = math.lgamma(whole) - math.lgamma(whole + sum(counts))
    return math.fsum([rising, *(math.lgamma(a + c) - math.lgamma(a) for c in counts)])


def assertion(rows: Rows, edges: Edges, x: int, y: int, prior: Prior = PRINTED) -> float:
    """Log probability of what the closure of x's blanket says of y (004 Eq. 8)."""
    members = blanket(edges, x)
    independent, dependent = log_posterior(rows, x, y, tuple(z for z in members if z != y), prior)
    return dependent if y in members else independent


# -- IB: 004 Eq. 7; BJP: 004 Eq. 11-14 --------------------------------------------------------------------


def ib_pair(rows: Rows, edges: Edges, x: int, y: int, prior: Prior = PRINTED) -> float:
    return assertion(rows, edges, x, y, prior) + assertion(rows, edges, y, x, prior)


def bjp_pair(rows: Rows, edges: Edges, x: int, y: int, prior: Prior = PRINTED) -> float:
    """The assertion of whichever comes first: fewer configurations of its blanket, then position."""
    first, second = sorted((x, y), key=lambda v: (math.prod(rows.arities[z] for z in blanket(edges, v)), v))
    return assertion(rows, edges, first, second, prior)


def ib(rows: Rows, edges: Edges, prior: Prior = PRINTED) -> float:
    return math.fsum(ib_pair(rows, edges, x, y, prior) for x, y in pairs(rows.n))


def bjp(rows: Rows, edges: Edges, prior: Prior = PRINTED) -> float:
    return math.fsum(bjp_pair(rows, edges, x, y, prior) for x, y in pairs(rows.n))


# -- searches ---------------------------------------------------------------------------------------------


def exhaustive(n: int, value: Callable[[Edges], float]) -> tuple[Edges, float]:
    """The best of all graphs, in the order of their numbers: graph i has pair j if bit j of i is set."""
    best, found = frozenset[Pair](), -math.inf
    every = pairs(n)
    for i in range(2 ** len(every)):
        edges = frozenset(pair for j, pair in enumerate(every) if i >> j & 1)
        reached = value(edges)
        if reached > found:
            best, found = edges, reached
    return best, found


def ibmap_hc(
    n: int, value: Callable[[Edges], float], pair_score: Callable[[Edges, int, int], float]
) -> tuple[Edges, list[tuple[int, int, bool, float]]]:
    """Flip the pair with the lowest score; stop when that does not improve the whole."""
    edges: Edges = frozenset()
    reached = value(edges)
    path = []
    while True:
        x, y = min(pairs(n), key=lambda pair: pair_score(edges, *pair))
        after = edges ^ {(x, y)}
        if value(after) <= reached:
            return edges, path
        edges, reached = after, value(after)
        path.append((x, y, (x, y) in edges, reached))


def best_climb(n: int, value: Callable[[Edges], float]) -> Edges:
    """Flip the edge that gains most while one gains anything."""
    edges: Edges = frozenset()
    while True:
        after = max((edges ^ {pair} for pair in pairs(n)), key=value)
        if value(after) <= value(edges) + 1e-9:
            return edges
        edges = after


def two_phase(n: int, local: Callable[[int, frozenset[int]], float]) -> Edges:
    """Blankets one by one, then a climb over the edges that only one end wants."""
    blankets = []
    for x in range(n):
        members: frozenset[int] = frozenset()
        while True:
            larger = [members | {y} for y in range(n) if y != x and y not in members]
            grown = max(larger, key=lambda b: local(x, b), default=members)
            if local(x, grown) <= local(x, members) + 1e-9:
                break
            members = grown
            while len(members) > 2:
                shrunk = max((members - {y} for y in sorted(members)), key=lambda b: local(x, b))
                if local(x, shrunk) <= local(x, members) + 1e-9:
                    break
                members = shrunk
        blankets.append(members)
    wanted = {(x, y): (y in blankets[x]) + (x in blankets[y]) for x, y in pairs(n)}
    edges = frozenset(pair for pair, ends in wanted.items() if ends == 2)
    disputed = [pair for pair, ends in wanted.items() if ends == 1]

    def value(edges: Edges) -> float:
        return math.fsum(local(x, frozenset(blanket(edges, x))) for x in range(n))

    while disputed:
        after = max((edges ^ {pair} for pair in disputed), key=value)
        if value(after) <= value(edges) + 1e-9:
            break
        edges = after
    return edges
