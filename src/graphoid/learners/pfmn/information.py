r"""What a test is expected to tell about a population, and the search for the one that tells most.

Entropies and information gain are in nats; the search is lines 5-15 of Algorithm 2 of [Margaritis2009]_, for
every pair.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from graphoid.counts.native import available_threads, kernels
from graphoid.learners.pfmn.population import Graphs, Pair, Query, ends, pairs, separations

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray


TIE = 1e-12
"""Scores closer to each other than this are equal but for rounding; the first of them wins."""


def entropy(weights: NDArray[np.float64]) -> float:
    """Return the entropy of a distribution."""
    some = weights[weights > 0]
    return float(-(some * np.log(some)).sum()) + 0.0


def edge_entropy(probabilities: Mapping[Pair, float]) -> float:
    """Return the sum of the entropies of all pairs: at least the entropy of the structure."""
    p = np.array(list(probabilities.values()))
    return entropy(p) + entropy(1 - p)


def answer_classes(apart: NDArray[np.bool_]) -> NDArray[np.int32]:
    """Return for every graph the number of its class: graphs that give the same answers to all tests."""
    if not len(apart):
        return np.zeros(apart.shape[1], dtype=np.int32)
    found = np.unique(apart.T, axis=0, return_inverse=True)[1]
    return found.reshape(-1).astype(np.int32)


def conditional_entropy(weights: NDArray[np.float64], group: NDArray[np.int32]) -> float:
    r"""Return the entropy of the structure given the class it is in, :math:`H(X \mid Y_{1:t})`."""
    return max(0.0, entropy(weights) - entropy(np.bincount(group, weights).astype(np.float64)))


def information_gains(
    apart: NDArray[np.bool_], weights: NDArray[np.float64], group: NDArray[np.int32]
) -> NDArray[np.float64]:
    r"""Return the information gain of tests (Eq. 9 and 10).

    .. math:: IG(Y) = - \sum_x \Pr(x) \log \frac{\Pr(\{y^x, y_{1:t}^x\})}{\Pr(\{y_{1:t}^x\})}

    Parameters
    ----------
    apart
        For every test (a line) and graph, whether the graph separates its variables.
    weights
        :math:`\Pr(x)` of every graph.
    group
        Its class :math:`\{y_{1:t}^x\}` by the answers it gives to the tests so far.
    """
    n_groups = int(group.max(initial=0)) + 1
    member = np.zeros((len(weights), n_groups))
    member[np.arange(len(weights)), group] = weights
    yes = apart @ member
    no = ~apart @ member
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = [np.where(part > 0, part * np.log(part / (yes + no)), 0.0) for part in (yes, no)]
    return np.asarray(np.maximum(0.0, -(terms[0] + terms[1]).sum(axis=1)))


class Scored(NamedTuple):
    """A test and its score."""

    query: Query
    score: float


def climb(
    query: Query, score: Callable[[Sequence[Query]], Sequence[float]], n: int, max_flips: int
) -> Scored:
    """Climb over conditioning sets of a pair from the empty one, by 1, 2, ... K flips (``max_flips``).

    A larger number of flips is tried only while the empty set is a local maximum.
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
    scores: Callable[[Sequence[Query], NDArray[np.float64]], Sequence[float]],
    *,
    max_flips: int,
) -> list[Scored]:
    """Return for every pair the test that a climb ends in, by scores of tests and their information gains."""

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
