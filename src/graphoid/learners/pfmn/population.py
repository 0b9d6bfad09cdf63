r"""Populations of graphs: what they say about a test, resampling, and moves; compiled where that is possible.

A population is an array of masks, a line for each graph and a word for each variable, so there are at most 64
variables. :mod:`graphoid.learners.pfmn.reference` has every kernel in plain Python; both give the same for
the same keys.
"""

from __future__ import annotations

import math
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from graphoid.counts.native import available_threads, kernels
from graphoid.errors import SettingsError
from graphoid.learners.pfmn import reference
from graphoid.structure.separation import separated

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.random import Generator
    from numpy.typing import NDArray

    from graphoid.learners.pfmn.reference import Asked, Pair

Graphs = np.ndarray[Any, np.dtype[np.uint64]]
"""A line for each graph, a mask of neighbors for each variable."""

MOST_VARIABLES = 64
"""Bits of a mask."""

ENUMERABLE = 5
"""Most variables whose graphs are all listed: 1,024 of them; with six there are 32,768."""


class Ended(NamedTuple):
    """What a search ends with: graphs, how much each stands for, and the one to return."""

    graphs: Graphs
    weights: NDArray[np.float64]
    best: NDArray[np.uint64]


class Test(NamedTuple):
    """Two variables and the mask of what is given."""

    x: int
    y: int
    given: int

    @property
    def size(self) -> int:
        """How many variables are given."""
        return self.given.bit_count()


def pairs(n: int) -> list[Pair]:
    """Return all pairs of variables, in order."""
    return list(combinations(range(n), 2))


def log_prior(n: int, *, empty: bool = True) -> NDArray[np.float64]:
    r"""Return the log prior of a graph by its number of edges, uniform over these numbers (Eq. 5).

    .. math:: \Pr(x) \propto \binom{m}{h}^{-1}, \quad m = \binom{n}{2}

    for a graph of h edges; ``empty`` says whether the graph without edges is one of them.
    """
    m = n * (n - 1) // 2
    of = [-math.log(m + empty) - math.log(math.comb(m, h)) for h in range(m + 1)]
    if not empty:
        of[0] = -math.inf
    return np.array(of)


def sparse_log_prior(n: int) -> NDArray[np.float64]:
    r"""Return the log prior of a graph by its number of edges, with any density up to a half alike.

    .. math:: \Pr(x) \propto \int_0^{1/2} p^h (1 - p)^{m - h} \, dp
        \propto \binom{m}{h}^{-1} P(B > h), \quad B \sim \text{Binomial}(m + 1, 1/2)

    Integrated up to 1 it is Eq. 5, under which the complete graph, one alone of its number of edges, is as
    probable as all graphs of any other number together: where answers are vague it then wins.
    """
    m = n * (n - 1) // 2
    above, of = 0, [0.0] * (m + 1)
    for h in range(m, -1, -1):
        above += math.comb(m + 1, h + 1)
        of[h] = math.log(above) - math.log(math.comb(m, h)) - math.log(m + 1) - m * math.log(2)
    return np.array(of)


def broad_log_prior(n: int) -> NDArray[np.float64]:
    """Return the mean of Eq. 5 and the sparse prior: dense graphs have a share, and no more."""
    return np.asarray(np.logaddexp(log_prior(n), sparse_log_prior(n)) - math.log(2))


def sparsely_drawn(n: int, size: int, rng: Generator) -> Graphs:
    """Draw graphs from the sparse prior: a density up to a half, and edges with this probability."""
    check_size(n)
    everything = pairs(n)
    return joining(n, rng.random((size, len(everything))) < rng.uniform(0, 0.5, (size, 1)))


def joining(n: int, joined: NDArray[np.bool_]) -> Graphs:
    """Return graphs by which pairs each of them joins: a line for each graph."""
    masks = np.zeros((len(joined), n), dtype=np.uint64)
    for p, (x, y) in enumerate(pairs(n)):
        masks[:, x] |= joined[:, p].astype(np.uint64) << np.uint64(y)
        masks[:, y] |= joined[:, p].astype(np.uint64) << np.uint64(x)
    return masks


def drawn(n: int, size: int, rng: Generator, *, empty: bool = True) -> Graphs:
    """Draw graphs from the prior (Algorithm 1, line 1)."""
    check_size(n)
    everything = pairs(n)
    masks = np.zeros((size, n), dtype=np.uint64)
    for graph in masks:
        h = rng.integers(0 if empty else 1, len(everything) + 1)
        for p in rng.permutation(len(everything))[:h]:
            x, y = everything[p]
            graph[x] |= np.uint64(1 << y)
            graph[y] |= np.uint64(1 << x)
    return masks


def all_graphs(n: int) -> Graphs:
    """Return every graph on a few variables; bit p of its number in the list stands for the p-th pair."""
    if n > ENUMERABLE:
        raise SettingsError(f"all graphs can be listed for up to {ENUMERABLE} variables; there are {n}.")
    everything = pairs(n)
    masks = np.zeros((2 ** len(everything), n), dtype=np.uint64)
    for number, graph in enumerate(masks):
        for p, (x, y) in enumerate(everything):
            if number >> p & 1:
                graph[x] |= np.uint64(1 << y)
                graph[y] |= np.uint64(1 << x)
    return masks


def n_edges(graphs: Graphs) -> NDArray[np.int64]:
    """Return how many edges each graph has."""
    bits = np.unpackbits(graphs.view(np.uint8), axis=1)
    return np.asarray(bits.sum(axis=1, dtype=np.int64) // 2)


def edge_frequencies(graphs: Graphs, weights: NDArray[np.float64]) -> dict[Pair, float]:
    """Return for every pair the weight of the graphs that join it."""
    n = graphs.shape[1]
    joined = np.unpackbits(graphs.view(np.uint8), axis=1, bitorder="little").reshape(len(graphs), n, 64)
    share = np.minimum(1.0, np.einsum("g,gxy->xy", weights, joined))
    return {(x, y): float(share[x, y]) for x, y in pairs(n)}


def separations(graphs: Graphs, tests: Sequence[Test]) -> NDArray[np.bool_]:
    """Return whether each graph separates the variables of each test: a line for each test."""
    native = kernels()
    if native is None:
        lists = graphs.tolist()
        return np.array(
            [[separated(graph, t.x, t.y, t.given) for graph in lists] for t in tests], dtype=bool
        ).reshape(len(tests), len(lists))
    found = native.population_separations(graphs, *_columns(tests), available_threads())
    bits = found.view(np.uint8).reshape(len(tests), -(-len(graphs) // 64) * 8)
    return np.unpackbits(bits, axis=1, count=len(graphs), bitorder="little").astype(bool)


def moved(
    graphs: Graphs,
    asked: Sequence[Asked],
    room: Sequence[Pair],
    prior: NDArray[np.float64],
    rng: Generator,
    *,
    alpha: float,
    steps: int,
    enough: int | None = None,
) -> Graphs:
    """Move every graph by Metropolis steps that flip pairs in ``room`` (:func:`reference.move`).

    All make the same number of steps: ``steps``, or as many as it takes until each has had ``enough``
    accepted.
    """
    keys = rng.integers(0, 2**64, size=len(graphs), dtype=np.uint64)

    def move(limit: int, enough: int) -> tuple[Graphs, NDArray[np.int64]]:
        after = graphs.copy()
        native = kernels()
        if native is None:
            lists, log_prior = after.tolist(), prior.tolist()
            made = [
                reference.move(
                    graph, asked, room, log_prior, alpha=alpha, steps=limit, enough=enough, key=key
                )
                for graph, key in zip(lists, keys.tolist(), strict=True)
            ]
            return np.array(lists, dtype=np.uint64).reshape(after.shape), np.array(made, dtype=np.int64)
        return after, native.population_move(
            after, *_columns(asked), _gains(asked), *_ends(room), prior, alpha, limit, enough, keys,
            available_threads(),
        )  # fmt: skip

    never = steps + 1
    if enough is not None:  # the same keys give the same steps: first see how many it takes
        steps = int(move(steps, enough)[1].max(initial=0))
    return move(steps, never)[0]


def walked(
    graphs: Graphs,
    asked: Sequence[Asked],
    room: Sequence[Pair],
    prior: NDArray[np.float64],
    rng: Generator,
    *,
    steps: int,
) -> Graphs:
    """Move every graph by steps that cut, join or turn pairs in ``room`` (:func:`reference.walk`)."""
    after = graphs.copy()
    keys = rng.integers(0, 2**64, size=len(graphs), dtype=np.uint64)
    native = kernels()
    if native is None:
        lists, log_prior = after.tolist(), prior.tolist()
        for graph, key in zip(lists, keys.tolist(), strict=True):
            reference.walk(graph, asked, room, log_prior, steps=steps, key=key)
        return np.array(lists, dtype=np.uint64).reshape(after.shape)
    native.population_walk(
        after, *_columns(asked), _gains(asked), *_ends(room), prior, steps, keys, available_threads()
    )
    return after


def repaired(
    graphs: Graphs, asked: Sequence[Asked], room: Sequence[Pair], rng: Generator, *, sure: float, rounds: int
) -> tuple[Graphs, NDArray[np.int64]]:
    """Change graphs until no sure answer contradicts them; return them and how many still do each."""
    after = graphs.copy()
    keys = rng.integers(0, 2**64, size=len(graphs), dtype=np.uint64)
    native = kernels()
    if native is None:
        lists = after.tolist()
        wrong = [
            reference.repair(graph, asked, room, sure=sure, rounds=rounds, key=key)
            for graph, key in zip(lists, keys.tolist(), strict=True)
        ]
        return np.array(lists, dtype=np.uint64).reshape(after.shape), np.array(wrong, dtype=np.int64)
    return after, native.population_repair(
        after, *_columns(asked), _gains(asked), *_ends(room), sure, rounds, keys, available_threads()
    )


def separators(graphs: Graphs, of: Sequence[Pair]) -> list[Test]:
    """Return for every graph and pair the smallest separators without their edge, one nearest to each end.

    Tests come in the order of the pairs and without repetition.
    """
    native = kernels()
    ends = [*of, *((y, x) for x, y in of)]
    if native is None:
        found = np.array(
            [reference.smallest_separator(graph, x, y) for graph in graphs.tolist() for x, y in ends],
            dtype=np.uint64,
        )
    else:
        found = native.population_separators(graphs, *_ends(ends), available_threads())
    pair = np.tile(np.arange(len(of)), 2 * len(graphs))
    order = np.lexsort((found, pair))
    found, pair = found[order], pair[order]
    first = np.ones(len(found), dtype=bool)
    first[1:] = (found[1:] != found[:-1]) | (pair[1:] != pair[:-1])
    return [
        Test(of[p][0], of[p][1], given)
        for p, given in zip(pair[first].tolist(), found[first].tolist(), strict=True)
    ]


def log_posterior(graphs: Graphs, prior: NDArray[np.float64], asked: Sequence[Asked]) -> NDArray[np.float64]:
    r"""Return :math:`\log \Pr(x) \prod_i \Pr(d_i \mid y_i^x)` of graphs but for a constant (Eq. 4)."""
    of = prior[n_edges(graphs)]
    if asked:
        of = of + np.array([t.gain for t in asked]) @ separations(graphs, [Test(*t[:3]) for t in asked])
    return np.asarray(of)


def reweighed(graphs: Graphs, last: Asked, rng: Generator) -> NDArray[np.intp]:
    """Return which graphs are taken after one more answer (Algorithm 3, lines 2-6)."""
    log_weights = separations(graphs, [Test(*last[:3])])[0] * last.gain
    weights = np.exp(log_weights - log_weights.max())
    return residual_resampling(weights / weights.sum(), rng)


def residual_resampling(weights: NDArray[np.float64], rng: Generator) -> NDArray[np.intp]:
    r"""Return which particles are taken, as many as there are ([Liu1998]_).

    Particle i is taken :math:`\lfloor N w_i \rfloor` times for sure; the rest are drawn with the weights that
    remain.
    """
    n = len(weights)
    shares = n * weights
    sure = np.floor(shares + 1e-9).astype(np.intp)  # a share of 3 may be written as 2.9999999
    rest = n - int(sure.sum())
    taken = np.repeat(np.arange(n), sure)
    if rest <= 0:
        return taken[:n]
    left = np.clip(shares - sure, 0.0, None)
    drawn_ones = rng.choice(n, size=rest, p=left / left.sum())
    return np.concatenate([taken, np.sort(drawn_ones)])


def classes(apart: NDArray[np.bool_]) -> NDArray[np.int32]:
    """Return for every graph the number of its class: graphs that give the same answers to all tests."""
    if not len(apart):
        return np.zeros(apart.shape[1], dtype=np.int32)
    found = np.unique(apart.T, axis=0, return_inverse=True)[1]
    return found.reshape(-1).astype(np.int32)


def merged(
    graphs: Graphs, weights: NDArray[np.float64]
) -> tuple[Graphs, NDArray[np.float64], NDArray[np.intp]]:
    """Return the different graphs, the weights of equal ones added up, and where each comes first."""
    different, first, of = np.unique(graphs, axis=0, return_index=True, return_inverse=True)
    added: NDArray[np.float64] = np.zeros(len(different))
    np.add.at(added, of.reshape(-1), weights)
    return different, added, first


def entropy(weights: NDArray[np.float64]) -> float:
    """Return the entropy of a distribution, in nats."""
    some = weights[weights > 0]
    return float(-(some * np.log(some)).sum()) + 0.0


def entropy_of_edges(probabilities: Mapping[Pair, float]) -> float:
    """Return the sum of the entropies of all pairs, in nats: at least the entropy of the structure."""
    p = np.array(list(probabilities.values()))
    return entropy(p) + entropy(1 - p)


def entropy_within(weights: NDArray[np.float64], group: NDArray[np.int32]) -> float:
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
        Its class :math:`\{y_{1:t}^x\}` by the answers it gives to the tests asked so far.
    """
    n_groups = int(group.max(initial=0)) + 1
    member = np.zeros((len(weights), n_groups))
    member[np.arange(len(weights)), group] = weights
    yes = apart @ member
    no = ~apart @ member
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = [np.where(part > 0, part * np.log(part / (yes + no)), 0.0) for part in (yes, no)]
    return np.asarray(np.maximum(0.0, -(terms[0] + terms[1]).sum(axis=1)))


def climbed(
    graphs: Graphs,
    weights: NDArray[np.float64],
    group: NDArray[np.int32],
    price: NDArray[np.float64],
    *,
    most_flips: int,
) -> list[tuple[Test, float]]:
    """Return for every pair the test that a climb over conditioning sets ends in, and its score.

    The score is the information gain over ``price``, which is by the number of variables given. Where no
    conditioning set of a pair can beat a test that was found already, the kernel does not look for it.
    """
    n = graphs.shape[1]
    everything = pairs(n)
    native = kernels()
    if native is None:
        found = []
        for x, y in everything:

            def scores(sets: Sequence[int], x: int = x, y: int = y) -> list[float]:
                apart = separations(graphs, [Test(x, y, given) for given in sets])
                gains = information_gains(apart, weights, group)
                return [g / price[s.bit_count()] for g, s in zip(gains.tolist(), sets, strict=True)]

            others = [v for v in range(n) if v not in (x, y)]
            given, score = reference.climb(scores, others, most_flips)
            found.append((Test(x, y, given), score))
        return found
    plain = separations(graphs, [Test(x, y, 0) for x, y in everything])
    floor = float(information_gains(plain, weights, group).max(initial=0.0)) / price[0]
    sets, best = native.population_climb(
        graphs, group, int(group.max(initial=0)) + 1, weights, *_ends(everything), price, most_flips,
        floor, available_threads(),
    )  # fmt: skip
    return [
        (Test(x, y, given), score)
        for (x, y), given, score in zip(everything, sets.tolist(), best.tolist(), strict=True)
    ]


def check_size(n: int) -> None:
    """Raise if there are more variables than a mask has bits."""
    if n > MOST_VARIABLES:
        raise SettingsError(f"PFMN takes up to {MOST_VARIABLES} variables; there are {n}. GSIMN takes more.")


def _columns(
    tests: Sequence[Test] | Sequence[Asked],
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.uint64]]:
    return (
        np.array([t.x for t in tests], dtype=np.int32),
        np.array([t.y for t in tests], dtype=np.int32),
        np.array([t.given for t in tests], dtype=np.uint64),
    )


def _gains(asked: Sequence[Asked]) -> NDArray[np.float64]:
    return np.array([t.gain for t in asked], dtype=np.float64)


def _ends(of: Sequence[Pair]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    return np.array([x for x, _ in of], dtype=np.int32), np.array([y for _, y in of], dtype=np.int32)
