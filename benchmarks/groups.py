"""Whether groups are told apart where they differ, and only there; whether estimating them together helps.

Tables of 6 variables and 7 edges, binary, of five grades, three names, or numbers, in 2, 3 or 8 groups of 100
or 300 rows. Figures are shares of data sets, at a level of .05; bars allow for two standard errors.

- *nothing*: no group differs. Networks flagged by ``p_value``, by that of global strength, and the share of
  pairs that are called different (``p_adjusted``).
- *power*, of two groups: one edge has the opposite sign (flip), half its size (half), or all edges have .6 of
  theirs (weaker). Beside it the permutation test of ``network_comparison.py``: its largest difference beside
  ``p_value``, its global strength beside ours where strength changes. The bar is not to be below it.
- *shared*: the root mean square error of effects of binary columns and numbers, groups by themselves and
  estimated together; all groups alike, or one edge flipped in the last one.

    python benchmarks/groups.py [nothing | power | shared] [DATA SETS] [FIRST SEED] [KIND ...]
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

import graphoid as gd

sys.path.insert(0, str(Path(__file__).parent / "truth"))

from generators import random_edges, sample_field, term, thresholds

from measure import closing_line, word
from network_comparison import compare

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Matrix = NDArray[np.float64]
    Edge = tuple[int, int]

N, EDGES, WEIGHT = 6, 7, 0.4
KINDS = {"binary": 2, "grades": 5, "names": 3, "numbers": 0}
"""Columns, and how many states they have."""

PERMUTATIONS = 59
"""Of the comparison test: enough for a level of .05."""

CHANGES = ("nothing", "flip", "half", "weaker")
"""What is different in the last group."""

WEAKER, HALF = 0.6, 0.5
LEVEL = 0.05


class Groups(NamedTuple):
    """Rows of several groups, and what is true of them."""

    table: gd.Table
    codes: NDArray[np.generic]
    member: NDArray[np.int64]
    effects: Matrix
    """By group and pair: log odds of binary columns, Fisher's z of numbers."""


def groups(kind: str, n_groups: int, rows: int, what: str, seed: int) -> Groups:
    """Return rows in groups, of which the last one differs as said."""
    rng = np.random.default_rng([seed, list(KINDS).index(kind), n_groups, rows, CHANGES.index(what)])
    edges = random_edges(N, EDGES, rng)
    sizes = rng.choice([-1, 1], EDGES) * rng.uniform(0.7, 1.3, EDGES) * WEIGHT
    factor = np.ones(EDGES)
    factor[:1] = {"flip": -1.0, "half": HALF}.get(what, 1.0)
    factor *= WEAKER if what == "weaker" else 1.0
    each = [sizes] * (n_groups - 1) + [sizes * factor]
    if kind == "numbers":
        parts, effects = zip(
            *(numbers(edges, own, max(each, key=_size), rows, rng) for own in each), strict=True
        )
    else:
        states, order = KINDS[kind], "nominal" if kind == "names" else "ordered"
        constants = thresholds(N, states, rng)
        terms = [term(states, 1.0, order, rng) for _ in edges]
        fields = [{e: t * w for e, t, w in zip(edges, terms, own, strict=True)} for own in each]
        parts = tuple(sample_field(constants, field, rows, rng) for field in fields)
        effects = tuple(log_odds(field) for field in fields)
    codes, member = np.vstack(parts), np.repeat(np.arange(n_groups), rows)
    shown = np.array(list("abcde"))[codes] if kind == "names" else codes
    columns = {"group": member, **{f"v{i}": shown[:, i] for i in range(N)}}
    kinds = {
        "group": "nominal",
        **({"numbers": dict.fromkeys(list(columns)[1:], "continuous")}.get(kind, {})),
    }
    return Groups(gd.read(columns, kinds=kinds), codes, member, np.array(effects))


def _size(sizes: Matrix) -> float:
    return float(np.abs(sizes).sum())


def numbers(
    edges: list[Edge], sizes: Matrix, largest: Matrix, rows: int, rng: np.random.Generator
) -> tuple[Matrix, Matrix]:
    """Return normal rows with partial correlations as given, or as near as can be, and Fisher's z of them."""

    def precision(values: Matrix) -> Matrix:
        matrix = np.zeros((N, N))
        for (x, y), value in zip(edges, values, strict=True):
            matrix[x, y] = matrix[y, x] = -value
        return matrix

    # the same diagonal in all groups, so that edges which do not change have the same partial correlation
    least = min(
        np.linalg.eigvalsh(precision(signs * np.abs(largest)))[0]
        for signs in (np.sign(sizes), np.sign(largest))
    )
    matrix = precision(sizes) + np.eye(N) * max(1.0, 0.2 - least)
    found = rng.multivariate_normal(np.zeros(N), np.linalg.inv(matrix), size=rows)
    partial = -matrix / matrix[0, 0]
    return found, np.arctanh(partial[np.triu_indices(N, 1)])


def log_odds(field: dict[Edge, Matrix]) -> Matrix:
    """Return the log odds ratios of all pairs of binary columns."""
    pairs = zip(*np.triu_indices(N, 1), strict=True)
    terms = [field.get((int(x), int(y)), np.zeros((2, 2))) for x, y in pairs]
    return np.array([t[1, 1] + t[0, 0] - t[0, 1] - t[1, 0] for t in terms])


def measure_nothing(kind: str, n_groups: int, rows: int, seeds: range) -> None:
    """Print how often something is found where nothing differs."""
    found = [
        gd.compare_groups(groups(kind, n_groups, rows, "nothing", seed).table, "group", random_state=seed)
        for seed in seeds
    ]
    network, strength = (
        np.mean([p <= LEVEL for p in ps])
        for ps in zip(*((f.p_value, f.strength_p_value) for f in found), strict=True)
    )
    pairs = np.mean([row.p_adjusted <= LEVEL for f in found for row in f.pairs])
    limit = LEVEL + 2 * np.sqrt(LEVEL * (1 - LEVEL) / len(seeds))
    name = f"nothing: {kind:7} {n_groups} groups of {rows}"
    holds = max(network, strength) <= limit and pairs <= LEVEL
    rates = f"network {network:.3f}  strength {strength:.3f}  pairs {pairs:.4f}"
    print(f"{name}  {rates}  {word(name, holds=holds)}", flush=True)


def measure_power(kind: str, rows: int, what: str, seeds: range) -> None:
    """Print how often two groups are told apart, and how often the comparison test does."""
    ours, theirs = [], []
    for seed in seeds:
        problem = groups(kind, 2, rows, what, seed)
        found = gd.compare_groups(problem.table, "group", random_state=seed)
        ours.append((found.p_value, found.strength_p_value))
        rng = np.random.default_rng(seed)
        codes = problem.codes.astype(np.float64)
        theirs.append(compare(codes, problem.member, n=PERMUTATIONS, rng=rng))
    own, other = (np.mean(np.array(ps) <= LEVEL, axis=0) for ps in (ours, theirs))
    name = f"power: {kind:7} 2 groups of {rows}, {what:6}"
    holds = own[0] >= other[0] and (what == "flip" or own[1] >= other[1])  # a flip leaves strength as it is
    shares = f"network {own[0]:.2f} ({other[0]:.2f})  strength {own[1]:.2f} ({other[1]:.2f})"
    print(f"{name}  {shares}  {word(name, holds=holds)}", flush=True)


def measure_shared(kind: str, n_groups: int, rows: int, what: str, seeds: range) -> None:
    """Print the error of effects of groups by themselves and together."""
    errors = []
    for seed in seeds:
        problem = groups(kind, n_groups, rows, what, seed)
        both = [
            gd.compare_groups(problem.table, "group", shared=shared, n=1, random_state=seed)
            for shared in (False, True)
        ]
        known = [
            np.array([[np.nan if e is None else e for e in row.effects] for row in f.pairs]).T for f in both
        ]
        errors.append([np.nanmean((effects - problem.effects) ** 2) for effects in known])
    alone, together = np.sqrt(np.mean(errors, axis=0))
    name = f"shared: {kind:7} {n_groups} groups of {rows}, {what:7}"
    print(
        f"{name}  alone {alone:.4f}  together {together:.4f}  {word(name, holds=together <= alone)}",
        flush=True,
    )


def main() -> int:
    """Print all cells; exit with 1 if a bar is missed."""
    given = sys.argv[1:]
    parts = [given.pop(0)] if given and given[0].isalpha() else ["nothing", "power", "shared"]
    count, start = (int(text) for text in [*given[:2], *("4", "0")[len(given[:2]) :]])
    kinds, seeds = given[2:] or list(KINDS), range(start, start + count)
    for kind in kinds:
        for rows in (100, 300):
            if "nothing" in parts:
                for n_groups in (2, 3, 8):
                    measure_nothing(kind, n_groups, rows, seeds)
            if "power" in parts and kind != "names":  # of which the comparison test has no network
                for what in ("flip", "half", "weaker"):
                    measure_power(kind, rows, what, seeds)
            if "shared" in parts and kind in ("binary", "numbers"):
                for n_groups in (2, 3, 8):
                    for what in ("nothing", "flip"):
                        measure_shared(kind, n_groups, rows, what, seeds)
    return closing_line()


if __name__ == "__main__":
    sys.exit(main())
