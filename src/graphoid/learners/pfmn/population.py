r"""Populations of graphs: what they say about a test, their posterior, and resampling.

A population is an array of masks, a line for each graph and a word for each variable, so there are at most 64
variables. What is slow in NumPy is compiled where that is possible; without kernels plain Python gives the
same.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from graphoid.counts.native import available_threads, kernels
from graphoid.errors import SettingsError
from graphoid.limits import within_time
from graphoid.structure.separation import separated

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.random import Generator

    from graphoid.logic.verdict import Verdict

Graphs: TypeAlias = NDArray[np.uint64]
"""A line for each graph, a mask of neighbors for each variable."""

Pair: TypeAlias = tuple[int, int]

MOST_VARIABLES = 64
"""Bits of a mask."""

ENUMERABLE = 5
"""Most variables whose graphs are all listed: 1,024 of them; with six there are 32,768."""

EQUAL = 1e-9
"""Log posteriors nearer to each other than this are equal but for rounding, which differs by processor."""


class Query(NamedTuple):
    """A test that may be asked: two variables and the mask of what is given."""

    x: int
    y: int
    given: int

    @property
    def size(self) -> int:
        """How many variables are given."""
        return self.given.bit_count()


class Evidence(NamedTuple):
    """A test and what its answer says: log P(d | independent) - log P(d | dependent)."""

    x: int
    y: int
    given: int
    log_ratio: float

    @property
    def query(self) -> Query:
        """The test."""
        return Query(self.x, self.y, self.given)


class Outcome(NamedTuple):
    """What a search ends with: graphs, the weight of each, and the one to return."""

    graphs: Graphs
    weights: NDArray[np.float64]
    best: NDArray[np.uint64]
    proved: bool = False
    """Whether the answers leave no other graph, without any doubt."""
    inferred: Sequence[Verdict] = ()
    """What follows for pairs about which nothing was asked."""


def pairs(n: int) -> list[Pair]:
    """Return all pairs of variables, in order."""
    return list(combinations(range(n), 2))


def from_indicators(n: int, joined: NDArray[np.bool_]) -> Graphs:
    """Return graphs by which pairs each of them joins: a line for each graph, a column for each pair."""
    graphs = np.zeros((len(joined), n), dtype=np.uint64)
    for p, (x, y) in enumerate(pairs(n)):
        graphs[:, x] |= joined[:, p].astype(np.uint64) << np.uint64(y)
        graphs[:, y] |= joined[:, p].astype(np.uint64) << np.uint64(x)
    return graphs


def all_graphs(n: int) -> Graphs:
    """Return every graph on a few variables; bit p of its number in the list stands for the p-th pair."""
    if n > ENUMERABLE:
        raise SettingsError(f"all graphs can be listed for up to {ENUMERABLE} variables; there are {n}.")
    m = len(pairs(n))
    return from_indicators(n, (np.arange(2**m)[:, None] >> np.arange(m) & 1).astype(bool))


def n_edges(graphs: Graphs) -> NDArray[np.int64]:
    """Return how many edges each graph has."""
    bits = np.unpackbits(graphs.view(np.uint8), axis=1)
    return np.asarray(bits.sum(axis=1, dtype=np.int64) // 2)


def even_weights(graphs: Graphs) -> NDArray[np.float64]:
    """Return the same weight for every graph."""
    return np.full(len(graphs), 1 / len(graphs))


def edge_frequencies(graphs: Graphs, weights: NDArray[np.float64]) -> dict[Pair, float]:
    """Return for every pair the weight of the graphs that join it."""
    n = graphs.shape[1]
    joined = np.unpackbits(graphs.view(np.uint8), axis=1, bitorder="little").reshape(len(graphs), n, 64)
    share = np.minimum(1.0, np.einsum("g,gxy->xy", weights, joined))
    return {(x, y): float(share[x, y]) for x, y in pairs(n)}


def separations(graphs: Graphs, queries: Sequence[Query] | Sequence[Evidence]) -> NDArray[np.bool_]:
    """Return whether each graph separates the variables of each test: a line for each test."""
    native = kernels()
    if native is None:
        lists = graphs.tolist()
        return np.array(
            [[separated(graph, q.x, q.y, q.given) for graph in within_time(lists)] for q in queries],
            dtype=bool,
        ).reshape(len(queries), len(lists))
    found = native.population_separations(graphs, *columns(queries), available_threads())
    bits = found.view(np.uint8).reshape(len(queries), -(-len(graphs) // 64) * 8)
    return np.unpackbits(bits, axis=1, count=len(graphs), bitorder="little").astype(bool)


def log_posterior(
    graphs: Graphs, prior: NDArray[np.float64], evidence: Sequence[Evidence]
) -> NDArray[np.float64]:
    r"""Return :math:`\log \Pr(x) \prod_i \Pr(d_i \mid y_i^x)` of graphs but for a constant (Eq. 4)."""
    of = prior[n_edges(graphs)]
    if evidence:
        of = of + log_ratios(evidence) @ separations(graphs, evidence)
    return np.asarray(of)


def most_probable(
    graphs: Graphs, prior: NDArray[np.float64], evidence: Sequence[Evidence]
) -> NDArray[np.uint64]:
    """Return the graph of the highest posterior; of equals, as sums are rounded, the first."""
    of = log_posterior(graphs, prior, evidence)
    return np.asarray(graphs[np.flatnonzero(of >= of.max() - EQUAL)[0]])


def resample(graphs: Graphs, last: Evidence, rng: Generator) -> Graphs:
    """Weigh graphs by one more answer and resample them (Algorithm 3, lines 2-6)."""
    log_weights = separations(graphs, [last])[0] * last.log_ratio
    weights = np.exp(log_weights - log_weights.max())
    return np.asarray(graphs[residual_resampling(weights / weights.sum(), rng)])


def residual_resampling(weights: NDArray[np.float64], rng: Generator) -> NDArray[np.intp]:
    r"""Return the positions of the particles that stay, as many as there are ([Liu1998]_).

    Particle i stays :math:`\lfloor N w_i \rfloor` times for sure; the rest are drawn with the weights that
    remain.
    """
    n = len(weights)
    shares = n * weights
    whole = np.floor(shares + 1e-9).astype(np.intp)  # a share of 3 may be written as 2.9999999
    certain = np.repeat(np.arange(n), whole)
    rest = n - len(certain)
    if rest <= 0:
        return certain[:n]
    residual = np.clip(shares - whole, 0.0, None)
    return np.concatenate([certain, np.sort(rng.choice(n, size=rest, p=residual / residual.sum()))])


def merge_equal(
    graphs: Graphs, weights: NDArray[np.float64]
) -> tuple[Graphs, NDArray[np.float64], NDArray[np.intp]]:
    """Return the distinct graphs, the weights of equal ones added up, and where each comes first."""
    distinct, first, of = np.unique(graphs, axis=0, return_index=True, return_inverse=True)
    total: NDArray[np.float64] = np.zeros(len(distinct))
    np.add.at(total, of.reshape(-1), weights)
    return distinct, total, first


def check_size(n: int) -> None:
    """Raise if there are more variables than a mask has bits."""
    if n > MOST_VARIABLES:
        raise SettingsError(f"PFMN takes up to {MOST_VARIABLES} variables; there are {n}. GSIMN takes more.")


def columns(
    tests: Sequence[tuple[object, ...]],
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.uint64]]:
    """Return tests as kernels take them: x, y and what is given, the first three of each."""
    return *ends(tests), np.array([t[2] for t in tests], dtype=np.uint64)


def ends(of: Sequence[tuple[object, ...]]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return pairs as kernels take them: the first two of each."""
    return np.array([p[0] for p in of], dtype=np.int32), np.array([p[1] for p in of], dtype=np.int32)


def log_ratios(evidence: Sequence[Evidence]) -> NDArray[np.float64]:
    """Return the log ratios of answers."""
    return np.array([t.log_ratio for t in evidence], dtype=np.float64)
