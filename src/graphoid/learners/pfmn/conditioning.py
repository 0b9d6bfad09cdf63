"""The search for a conditioning set: Algorithm 2 of [Margaritis2009]_, lines 5-15, for every pair."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from graphoid.counts.native import available_threads, kernels
from graphoid.learners.pfmn.information import information_gains
from graphoid.learners.pfmn.population import Query, ends, pairs, separations

if TYPE_CHECKING:
    from graphoid.learners.pfmn.population import Graphs

TIE = 1e-12
"""Scores closer to each other than this are equal but for rounding; the first of them wins."""

Scores: TypeAlias = Callable[[Sequence[Query], NDArray[np.float64]], Sequence[float]]
"""Gives the scores of tests by their information gains."""


class Scored(NamedTuple):
    """A test and its score."""

    query: Query
    score: float


def climb(
    query: Query, score: Callable[[Sequence[Query]], Sequence[float]], n: int, max_flips: int
) -> Scored:
    """Climb over conditioning sets of a pair from the empty one, by 1, 2, ... flips.

    Parameters
    ----------
    query
        The pair, given nothing.
    score
        Gives the scores of tests.
    n
        How many variables there are.
    max_flips
        K; a larger number of flips is tried only while the empty set is a local maximum.
    """
    best = Scored(query, score([query])[0])
    others = [v for v in range(n) if v not in (query.x, query.y)]
    for k in range(1, min(max_flips, len(others)) + 1):
        if best.query.given:
            break
        flips = [sum(1 << v for v in chosen) for chosen in combinations(others, k)]
        improved = True
        while improved:
            improved = False
            neighbors = [query._replace(given=best.query.given ^ flip) for flip in flips]
            for neighbor, value in zip(neighbors, score(neighbors), strict=True):
                if value > best.score + TIE:
                    best, improved = Scored(neighbor, value), True
    return best


def climb_pairs(
    graphs: Graphs,
    weights: NDArray[np.float64],
    group: NDArray[np.int32],
    scores: Scores,
    *,
    max_flips: int,
) -> list[Scored]:
    """Return for every pair the test that a climb over conditioning sets ends in, for any score."""

    def score(queries: Sequence[Query]) -> Sequence[float]:
        return scores(queries, information_gains(separations(graphs, queries), weights, group))

    n = graphs.shape[1]
    return [climb(Query(x, y, 0), score, n, max_flips) for x, y in pairs(n)]


def climb_pairs_by_size(
    graphs: Graphs,
    weights: NDArray[np.float64],
    group: NDArray[np.int32],
    price: NDArray[np.float64],
    *,
    max_flips: int,
) -> list[Scored]:
    """Return the same where the score is the information gain over a price by the number of variables given.

    Where no conditioning set of a pair can beat a test that was found already, the kernel does not look for
    it.
    """
    native = kernels()
    if native is None:

        def scores(queries: Sequence[Query], gains: NDArray[np.float64]) -> list[float]:
            return [g / price[q.size] for g, q in zip(gains.tolist(), queries, strict=True)]

        return climb_pairs(graphs, weights, group, scores, max_flips=max_flips)
    everything = pairs(graphs.shape[1])
    plain = separations(graphs, [Query(x, y, 0) for x, y in everything])
    floor = float(information_gains(plain, weights, group).max(initial=0.0)) / price[0]
    sets, best = native.population_climb(
        graphs, group, int(group.max(initial=0)) + 1, weights, *ends(everything), price, max_flips,
        floor, available_threads(),
    )  # fmt: skip
    return [
        Scored(Query(x, y, given), score)
        for (x, y), given, score in zip(everything, sets.tolist(), best.tolist(), strict=True)
    ]
