r"""How well the network predicts rows it has not seen, beside models that are simpler and one that is not.

All are measured in the same way, by what they leave unknown of each variable when its neighbors are known,

.. math:: -\frac1{N} \sum_{r} \sum_x \log_2 P(v_{rx} \mid v_{r, B(x)}),

the pseudo-likelihood in bits a row, of rows held out; less is better. B(x) is empty for independence, the
neighbors in the tree of [Chow1968]_, the blanket in the network, and all other variables for the saturated
model. The conditional probabilities are those of the other rows, with the states' overall shares as a prior
worth one row a state.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from graphoid.data.remote.table import RemoteTable
from graphoid.independence.g import GTest
from graphoid.independence.tester import Tester
from graphoid.structure.graph import UndirectedGraph

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from graphoid.data.table import Table

HELD_OUT = 5
"""One row in so many is held out."""

MOST_WORK = 4_000_000_000
"""Rows times pairs beyond which pairs are not gone through."""


class Baseline(NamedTuple):
    """A model and what it leaves unknown."""

    name: str
    bits: float
    """A row, held out."""
    n_edges: int | None
    """None where it has no graph to speak of."""


def comparable(table: Table) -> bool:
    """Return whether rows can be predicted: they are here, whole, with states, and some can be held out."""
    if isinstance(table, RemoteTable) or table.n_missing:
        return False
    return table.n_rows >= 2 * HELD_OUT and not any(v.continuous or not v.arity for v in table.variables)


def dependences(table: Table) -> NDArray[np.float64] | None:
    """Return the mutual information of every pair with nothing given, in bits; None where that takes long."""
    n = len(table.variables)
    if n < 2 or n * (n - 1) // 2 * table.n_rows > MOST_WORK or any(v.continuous for v in table.variables):
        return None
    pairs = [(x, y, ()) for x in range(n) for y in range(x + 1, n)]
    rows = table.n_rows if table.weights is None else table.weights.total
    bits = np.zeros((n, n))
    for v in Tester(GTest(), table).ask(pairs):
        bits[v.x, v.y] = bits[v.y, v.x] = max(0.0, (v.statistic or 0.0) / (2 * rows * np.log(2)))
    return bits


def tree(names: Sequence[str], bits: NDArray[np.float64]) -> UndirectedGraph:
    """Return the tree with the most mutual information along its edges.

    >>> tree(["a", "b", "c"], np.array([[0, 3, 2], [3, 0, 1], [2, 1, 0]])).edges
    ((0, 1), (0, 2))
    """
    from scipy.sparse.csgraph import minimum_spanning_tree

    found = minimum_spanning_tree(-np.triu(bits, 1)).tocoo()
    return UndirectedGraph(names, zip(found.row.tolist(), found.col.tolist(), strict=True))


def baselines(graph: UndirectedGraph, table: Table, bits: NDArray[np.float64] | None) -> list[Baseline]:
    """Return what independence, the tree, the network and the saturated model leave unknown.

    Parameters
    ----------
    graph, table
        The network, and the rows.
    bits
        Mutual information of every pair, or None: then there is no tree.
    """
    n = graph.n
    keys = _Keys(table)
    nothing: list[Sequence[int]] = [()] * n
    compared = [("independence: no edges", nothing, 0)]
    if bits is not None:
        spanning = tree(graph.names, bits)
        compared.append(
            ("tree of the strongest pairs", [spanning.blanket(v) for v in range(n)], spanning.n_edges)
        )
    compared.append(("this network", [graph.blanket(v) for v in range(n)], graph.n_edges))
    found = [
        Baseline(name, sum(keys.left_unknown(x, keys.of(blankets[x])) for x in range(n)), n_edges)
        for name, blankets, n_edges in compared
    ]
    saturated = sum(keys.left_unknown(x, keys.others(x)) for x in range(n))
    return [*found, Baseline("saturated: all given all others", saturated, None)]


class _Keys:
    """Rows by what they have in some variables.

    Every state of every variable has a random number of 64 bits; the key of a row is their sum over the
    variables in question. Two different rows share a key less than once in 2**64 pairs of them.
    """

    def __init__(self, table: Table) -> None:
        rng = np.random.default_rng(0)
        self._table = table
        self._weights = np.ones(table.n_rows) if table.weights is None else table.weights.values
        self._numbers = [rng.integers(0, 2**64, v.arity, dtype=np.uint64) for v in table.variables]
        self._held_out = np.arange(table.n_rows) % HELD_OUT == HELD_OUT - 1
        self._all = self.of(range(len(table.variables)))

    def of(self, variables: Sequence[int]) -> NDArray[np.uint64]:
        """Return the key of every row."""
        keys = np.zeros(self._table.n_rows, dtype=np.uint64)
        for v in variables:
            keys += self._numbers[v][self._table.column(v)]
        return keys

    def others(self, x: int) -> NDArray[np.uint64]:
        """Return the key of every row by all variables but one."""
        return self._all - self._numbers[x][self._table.column(x)]

    def left_unknown(self, x: int, keys: NDArray[np.uint64]) -> float:
        """Return the bits of a variable that its key leaves unknown, in the mean over the rows held out."""
        codes, weights = self._table.column(x), self._weights
        learned, held_out = ~self._held_out, self._held_out
        arity = self._table.variables[x].arity
        overall = np.bincount(codes[learned], weights[learned], arity) + 1.0 / arity
        overall /= overall.sum()
        _, group = np.unique(keys, return_inverse=True)
        group = group.reshape(-1)
        sizes = np.bincount(group[learned], weights[learned], group.max() + 1)
        cell = group * arity + codes
        cells = np.bincount(cell[learned], weights[learned], sizes.size * arity)
        at, prior = held_out, arity * overall[codes]
        p = (cells[cell[at]] + prior[at]) / (sizes[group[at]] + arity)
        return float(-(weights[at] * np.log2(p)).sum() / max(weights[at].sum(), 1e-300))
