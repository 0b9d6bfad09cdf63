"""What rows say of two variables in contexts: how much each tells about the other there, and elsewhere."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from graphoid.limits import check_time
from graphoid.structure.configurations import distinct, pack
from graphoid.structure.context_odds import SCALES, log_bayes_factors

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from graphoid.logic.assertion import Context
    from graphoid.structure.contexts import CanonicalModel
    from graphoid.structure.graph import Edge

MOST_VARIABLES = 64
"""Whose neighbors are the bits of a number."""


class Sums(NamedTuple):
    """What tables say together, a line for each context."""

    statistic: NDArray[np.float64]
    """G²."""
    dof: NDArray[np.float64]
    """Its degrees of freedom: states that do not occur in a table do not count."""
    n_rows: NDArray[np.float64]
    factors: NDArray[np.float64]
    """Log Bayes factors of dependence in all of the tables, for each scale."""

    @property
    def information(self) -> NDArray[np.float64]:
        r"""The mutual information a row, :math:`(G^2 - d) / 2N` and never below zero.

        The statistic G² is d on average where there is none, with d its degrees of freedom.
        """
        n_rows = np.where(self.n_rows > 0, self.n_rows, 1.0)
        return np.asarray(np.maximum(0.0, self.statistic - self.dof) / (2.0 * n_rows))


class Evidence(NamedTuple):
    """What is known of a pair in some contexts."""

    given: list[tuple[int, ...]]
    """The neighbors of one of the two in any graph of the context: of that which has fewer."""
    inside: Sums
    outside: Sums
    """In all other rows, given these neighbors and what makes the context."""
    one: NDArray[np.float64]
    """Log Bayes factors of dependence in one of the tables of the context, drawn as rows are."""


class ContextGraphs:
    """The assignments of a canonical model, and who is joined to whom in each."""

    def __init__(self, model: CanonicalModel) -> None:
        from graphoid.counts.native import kernels

        self.model = model
        n = len(model.names)
        self.adjacency = np.zeros((len(model.graphs), n, n), dtype=bool)
        for g, graph in enumerate(model.graphs):
            for x, y in graph.edges:
                self.adjacency[g, x, y] = self.adjacency[g, y, x] = True
        self._native, self._packed = kernels(), pack(model.assignments)
        if self._packed is None or n > MOST_VARIABLES or not (model.n_rows > 0).all():
            self._native = None
        else:
            self._neighbors = np.zeros((len(model.graphs), n), dtype=np.uint64)
            for v in range(n):
                self._neighbors |= self.adjacency[:, :, v].astype(np.uint64) << np.uint64(v)

    def has_edge(self, pair: Edge) -> NDArray[np.bool_]:
        """Return for which assignments the two are joined."""
        return np.asarray(self.adjacency[self.model.graph_of, pair[0], pair[1]])

    def evidence(self, pair: Edge, contexts: Sequence[Context]) -> Evidence:
        """Return what is known of a pair in some contexts."""
        if self._native is None or self._packed is None:
            return plain_evidence(self, pair, contexts)
        model, (codes, shifts) = self.model, self._packed
        ends = np.append(64, shifts[:-1]).tolist()
        field = [(1 << end) - (1 << shift) for end, shift in zip(ends, shifts, strict=True)]
        fields = np.array([sum(field[v] for v, _ in context) for context in contexts], dtype=np.uint64)
        states = [sum(state << shifts[v] for v, state in context) for context in contexts]
        neighbors_x, neighbors_y = (np.ascontiguousarray(self._neighbors[model.graph_of, v]) for v in pair)
        given, numbers = self._native.context_factors(
            codes,
            model.n_rows.astype(np.float64),
            shifts,
            [len(s) for s in model.states],
            *pair,
            neighbors_x,
            neighbors_y,
            fields,
            np.array(states, dtype=np.uint64),
            SCALES.astype(np.float64),
        )
        n, k = len(model.names), len(SCALES)
        inside, outside = (
            Sums(part[:, 0], part[:, 1], part[:, 2], part[:, 3:])
            for part in (numbers[:, : 3 + k], numbers[:, 3 + k : 2 * (3 + k)])
        )
        known = [tuple(v for v in range(n) if bits >> v & 1) for bits in given.tolist()]
        return Evidence(known, inside, outside, numbers[:, 2 * (3 + k) :])


def plain_evidence(rows: ContextGraphs, pair: Edge, contexts: Sequence[Context]) -> Evidence:
    """Return what is known of a pair in some contexts, one after the other: what the kernel is held to."""
    model, found = rows.model, []
    tables: dict[tuple[int, ...], tuple[NDArray[np.uint16], NDArray[np.number]]] = {}
    for context in contexts:
        check_time()
        given = _separating_set(rows, pair, context)
        fixed = tuple(sorted({*given, *(v for v, _ in context)}))
        if fixed not in tables:
            tables[fixed] = count(model, pair, fixed, np.ones(len(model.assignments), dtype=bool))
        configurations, counts = tables[fixed]
        inside = matching(configurations, tuple((fixed.index(v), state) for v, state in context))
        factors = log_bayes_factors(counts[inside])
        n_rows = counts[inside].sum(axis=(1, 2))
        one = np.logaddexp.reduce(factors + np.log(n_rows / n_rows.sum())[:, None], axis=0)
        found.append((given, sum_tables(counts[inside]), sum_tables(counts[~inside]), one))
    known, inside_sums, outside_sums, one = zip(*found, strict=True)
    return Evidence(list(known), _stack(inside_sums), _stack(outside_sums), np.array(one))


def _stack(sums: Sequence[Sums]) -> Sums:
    return Sums(*(np.array(numbers) for numbers in zip(*sums, strict=True)))


def matching(rows: NDArray[np.uint16], context: Context) -> NDArray[np.bool_]:
    """Return which rows have the states of a context, which names variables by column."""
    kept = np.ones(len(rows), dtype=bool)
    for column, state in context:
        kept &= rows[:, column] == state
    return kept


def count(
    model: CanonicalModel, pair: Edge, given: tuple[int, ...], kept: NDArray[np.bool_]
) -> tuple[NDArray[np.uint16], NDArray[np.number]]:
    """Return the configurations of what is given that occur in some rows, each with the counts of a pair."""
    assignments, n_rows = model.assignments[kept], model.n_rows[kept]
    configurations, slice_of = distinct(assignments[:, given])
    x, y = pair
    shape = len(configurations), len(model.states[x]), len(model.states[y])
    at = slice_of, assignments[:, x], assignments[:, y]
    cells = np.bincount(np.ravel_multi_index(at, shape), n_rows, math.prod(shape))
    return configurations, cells.astype(n_rows.dtype, copy=False).reshape(shape)


def _separating_set(rows: ContextGraphs, pair: Edge, context: Context) -> tuple[int, ...]:
    graphs = rows.model.graph_of[matching(rows.model.assignments, context)]
    fixed = {*pair, *(v for v, _ in context)}
    of_x, of_y = (
        tuple(z for z in np.flatnonzero(rows.adjacency[graphs, v].any(axis=0)).tolist() if z not in fixed)
        for v in pair
    )
    return min(of_x, of_y, key=len)


def sum_tables(tables: NDArray[np.number]) -> Sums:
    """Return what some tables say together."""
    row, column = tables.sum(axis=2), tables.sum(axis=1)
    n = row.sum(axis=1)
    expected = row[:, :, None] * column[:, None, :] / n[:, None, None]
    ratio = np.where(tables > 0, tables, 1) / np.where(tables > 0, expected, 1)
    statistic = 2.0 * (tables * np.log(ratio)).sum()
    dof = (np.count_nonzero(row, axis=1) - 1) * (np.count_nonzero(column, axis=1) - 1)
    return Sums(statistic, dof.sum(), n.sum(), log_bayes_factors(tables).sum(axis=0))
