"""The blankets joint posterior: every pair judged once, from the end with the smaller blanket."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from graphoid.logic.names import name_rank
from graphoid.scores.base import Scorer
from graphoid.scores.closures import Closures, ClosureScore
from graphoid.structure.separation import members

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from graphoid.structure.graph import Edge, UndirectedGraph


@dataclass(frozen=True, kw_only=True)
class BJP(ClosureScore):
    r"""The blankets joint posterior score ([Schluter2018]_, Eq. 11-14).

    .. math:: \log \text{BJP}(G) = \sum_{i < k} \log P(c_{\psi_i \psi_k} \mid D)

    with :math:`\psi` the variables by the number of configurations of their blankets, ascending, and
    :math:`c_{xy}` the assertion about y in the closure of x's blanket (:mod:`graphoid.scores.closures`): what
    one end says of a pair, the other end need not say again, and the smaller blanket says it from more rows.

    Parameters
    ----------
    test
        Gives the probability of an independence.
    prior
        Over graphs: :class:`UniformPrior`, :class:`SparsePrior` or :class:`EdgePrior`.

    Notes
    -----
    Blankets with as many configurations are taken in the order of their variables' names. On finite data the
    value depends on it, but not on the order of the columns.
    """

    evidence_counts = 1.0

    def on(self, data: object) -> BJPScorer:
        """Return this score of the data."""
        return BJPScorer(self, data)


class BJPScorer(Scorer):
    """The BJP score of data."""

    def __init__(self, score: BJP, data: object) -> None:
        super().__init__(score, data)
        self.closures = Closures(score.test, self.engine)
        self._rank = np.array(name_rank(self.names), dtype=np.intp)
        self._sizes: dict[int, float] = {}

    @property
    def n_terms(self) -> int:
        """Number of closures held."""
        return len(self.closures)

    def pair_scores(self, graph: UndirectedGraph) -> NDArray[np.float64]:
        """Return for every pair its assertion's log probability; symmetric, the diagonal is 0."""
        return self._terms(*self._lines(graph.adjacency))

    def _configurations(self, mask: int) -> float:
        """Return the number of configurations of a blanket; exact up to 2**53, and never infinite."""
        size = self._sizes.get(mask)
        if size is None:
            product = math.prod(self.arities[v] for v in members(mask))
            size = self._sizes[mask] = float(min(product, 10**300))
        return size

    def _lines(self, adjacency: Sequence[int]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the closures of all blankets, one a line, and their numbers of configurations."""
        lines = self.closures.lines(enumerate(adjacency))
        return lines, np.array([self._configurations(mask) for mask in adjacency])

    def _terms(self, lines: NDArray[np.float64], sizes: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.where(_first(sizes[:, None], self._rank[:, None], sizes, self._rank), lines, lines.T)

    def _value(self, graph: UndirectedGraph) -> float:
        return float(self._terms(*self._lines(graph.adjacency)).sum() / 2)

    def _gains(self, graph: UndirectedGraph, edges: Sequence[Edge]) -> NDArray[np.float64]:
        adjacency = graph.adjacency
        lines, sizes = self._lines(adjacency)
        terms = self._terms(lines, sizes)
        xs, ys = np.array(edges).T
        after = [((x, adjacency[x] ^ 1 << y), (y, adjacency[y] ^ 1 << x)) for x, y in edges]
        self.closures.prepare(family for both in after for family in both)
        gains = np.zeros(len(edges))
        mine, my_size = [], []
        for end, at in enumerate((xs, ys)):
            line = np.array([self.closures[both[end]] for both in after])
            size = np.array([self._configurations(both[end][1]) for both in after])
            # against all others, whose blankets stay as they are
            speaks = _first(size[:, None], self._rank[at][:, None], sizes, self._rank)
            change = np.where(speaks, line, lines.T[at]) - terms[at]
            every = np.arange(len(edges))
            change[every, xs] = change[every, ys] = 0.0
            gains += change.sum(axis=1)
            mine.append(line)
            my_size.append(size)
        every = np.arange(len(edges))
        x_speaks = _first(my_size[0], self._rank[xs], my_size[1], self._rank[ys])
        between = np.where(x_speaks, mine[0][every, ys], mine[1][every, xs])
        gains += between - terms[xs, ys]
        return gains

    def _values(self, graphs: NDArray[np.int64]) -> NDArray[np.float64]:
        lines, sizes = [], []
        for x in range(self.n):
            masks, line = np.unique(graphs[:, x], return_inverse=True)
            lines.append((self.closures.lines((x, int(mask)) for mask in masks), line.reshape(-1)))
            sizes.append(np.array([self._configurations(int(mask)) for mask in masks])[line.reshape(-1)])
        total = np.zeros(len(graphs))
        for x in range(self.n):
            for y in range(x + 1, self.n):
                from_x, from_y = lines[x][0][lines[x][1], y], lines[y][0][lines[y][1], x]
                x_speaks = _first(sizes[x], self._rank[x], sizes[y], self._rank[y])
                total += np.where(x_speaks, from_x, from_y)
        return total


def _first(
    size: NDArray[np.float64],
    rank: NDArray[np.intp],
    other_size: NDArray[np.float64],
    other_rank: NDArray[np.intp],
) -> NDArray[np.bool_]:
    """Whether a blanket comes before another: fewer configurations, or as many and an earlier place."""
    first: NDArray[np.bool_] = (size < other_size) | ((size == other_size) & (rank < other_rank))
    return first
