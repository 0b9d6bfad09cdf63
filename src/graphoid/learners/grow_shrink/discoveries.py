r"""Control of false discoveries: of all edges found, how many may be there by chance.

The procedure of [Benjamini1995]_ over all pairs of variables: of m p-values in ascending order the first k
are discoveries, with k the largest for which :math:`p_{(k)} \le k q / m`. A pair without an edge counts as
one of the m, and not as a discovery.

The p-value of an edge is the largest of all questions that were asked about the pair. The search chooses what
is given by the same rows, and the answer that decided for an edge may be the luckiest of several; but
neighbors depend on each other whatever is given (Strong Union), so that each of the questions has to say so.
The largest p-value is valid if only one of them was, the first of which, with nothing given, was not chosen.
Where states are rare or slices thin, a regression with rare states merged is one of them.
"""

from __future__ import annotations

import math
from itertools import chain
from typing import TYPE_CHECKING

from graphoid.errors import SettingsError
from graphoid.independence.classical import ClassicalTest
from graphoid.independence.partial_association import CountedProducts, PartialAssociation
from graphoid.independence.tester import Tester
from graphoid.learners.grow_shrink.loop import Matrix, likeliest_between, pair_matrices
from graphoid.learners.questions import Executed, Questions
from graphoid.logic.source import SourceWrapper
from graphoid.logic.verdict import Fact, Verdict
from graphoid.structure.explain import FALSE_DISCOVERY
from graphoid.structure.learned import EXECUTED
from graphoid.structure.separation import members

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from graphoid.learners.questions import Ask
    from graphoid.logic.source import IndependenceSource
    from graphoid.structure.graph import Edge, UndirectedGraph

MOST_BETWEEN = 3
"""A pair that is no edge is mostly two steps apart, and has few variables in between."""


ROWS_PER_NUMBER = 3.5
"""Rows that a number in a regression takes."""


def control_discoveries(
    questions: Questions, graph: UndirectedGraph, rate: float, max_given: int | None = None
) -> UndirectedGraph:
    """Return the graph without the edges that may be there by chance; each is noted in the trace.

    First every edge is put to the test once more, all in one batch: given the rest of the smaller of its two
    blankets, since what the search inferred, or asked before it knew the neighbors, is no evidence; and given
    the variables likeliest to come between, each and together, since they may be missing from the blankets.
    """
    strength, _ = pair_matrices((v for v in questions.trace if not v.given), graph.n, log_p)
    again = Executed()
    for x, y in filter(questions.is_open, graph.edges):
        rest = likeliest_between(strength, x, y, smaller_blanket(graph, x, y))
        again.append((x, y, tuple(sorted(rest[:max_given]))))
        others = between(strength, x, y)[:max_given]
        again += [(x, y, given) for given in sorted({tuple(sorted(others)), *((w,) for w in others)} - {()})]
    questions.ask(again)
    merged = merge_states(questions.source, again)
    of_edges = (v for v in chain(questions.trace, merged) if graph.has_edge(v.x, v.y))
    weakest = {p: v for p, v in weakest_verdicts(of_edges).items() if questions.is_open(p)}
    if any(v.log_p is None and v.log_odds is not None for v in weakest.values()):
        raise SettingsError(
            "fdr needs p-values, and this test gives log odds; use ChiSquare, GTest or PartialCorrelation."
        )
    limit = largest_discovery([log_p(v) for v in weakest.values()], questions.n_open_pairs, rate)
    for pair, v in weakest.items():
        if log_p(v) > limit:
            graph = graph.without_edge(*pair)
            questions.note(retract(v))
    return graph


def merge_states(ci: IndependenceSource, questions: Sequence[Ask]) -> list[Verdict]:
    """Return answers whose null distribution is known however rare states and however many slices are.

    Where cells are expected to hold less than a row, or there are fewer than five rows for each cell, a
    chi-square statistic of many states is not distributed as it is taken to be. By regression on the given,
    with rare states merged, it is (:class:`~graphoid.independence.partial_association.PartialAssociation`).
    """
    while isinstance(ci, SourceWrapper):
        ci = ci.source
    if not isinstance(ci, Tester) or not isinstance(ci.test, ClassicalTest):
        return []
    partial, states = (
        PartialAssociation(CountedProducts(ci.engine), float(ci.test.alpha)),
        ci.engine.variables,
    )
    doubtful: list[Ask] = []
    for x, y, given in questions:
        if max(states[x].arity, states[y].arity) <= 2:
            continue
        if partial.rare(x, y):
            doubtful.append((x, y, ()))
        if partial.rare(x, y) or ci.rows_per_cell((x, y, *given)) < ci.test.thin.rows_per_cell:
            most = len(given)
            while most and partial.n_columns((x, y, *given[:most])) > partial.n_rows / ROWS_PER_NUMBER:
                most -= 1
            doubtful.append((x, y, given[:most]))
    return partial.ask(list(dict.fromkeys(doubtful)))


def smaller_blanket(graph: UndirectedGraph, x: int, y: int) -> tuple[int, ...]:
    """Return what else the end of an edge is joined to that has fewer neighbors; of equals the first."""
    of_x, of_y = (tuple(members(graph.adjacency[a] & ~(1 << b))) for a, b in ((x, y), (y, x)))
    return of_x if len(of_x) <= len(of_y) else of_y


def between(strength: Matrix, x: int, y: int) -> list[int]:
    """Return up to :data:`MOST_BETWEEN` variables that may be why x and y depend on each other.

    Such a variable depends on both of them more than they do on each other.
    """
    others = [w for w in range(len(strength)) if max(strength[x][w], strength[y][w]) < strength[x][y]]
    return likeliest_between(strength, x, y, [w for w in others if w not in (x, y)])[:MOST_BETWEEN]


def weakest_verdicts(trace: Iterable[Verdict]) -> dict[Edge, Verdict]:
    """Return the verdict of the largest p-value of every pair, in order of position; only tests count."""
    weakest: dict[Edge, Verdict] = {}
    for v in trace:
        pair = (min(v.x, v.y), max(v.x, v.y))
        if v.source in EXECUTED and (pair not in weakest or log_p(v) > log_p(weakest[pair])):
            weakest[pair] = v
    return dict(sorted(weakest.items()))


def log_p(v: Verdict) -> float:
    """Return the logarithm of the p-value; answers without one are certain."""
    return v.log_p if v.log_p is not None else math.inf if v.independent else -math.inf


def largest_discovery(log_ps: Sequence[float], n_hypotheses: int, rate: float) -> float:
    """Return the logarithm of the largest p-value that is a discovery, or -inf if none is.

    >>> import math
    >>> limit = largest_discovery([math.log(p) for p in (0.001, 0.008, 0.04)], n_hypotheses=15, rate=0.1)
    >>> round(math.exp(limit), 3)
    0.008
    """
    limit = -math.inf
    for k, log_p in enumerate(sorted(log_ps), start=1):
        if log_p <= math.log(k * rate / n_hypotheses):
            limit = log_p
    return limit


def retract(v: Verdict) -> Verdict:
    """Return the verdict that takes back a dependence that may be a false discovery."""
    because = (Fact.of(v.x, v.y, v.given, independent=v.independent),)
    return v._replace(independent=True, source=FALSE_DISCOVERY, because=because)
