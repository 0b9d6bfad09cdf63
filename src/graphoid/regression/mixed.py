"""Engines for tables with columns that are numbers: counts of states, and rows and moments of all."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Protocol, runtime_checkable
from weakref import WeakKeyDictionary

import numpy as np

from graphoid.counts.native import NativeEngine, available_threads, engine_for, kernels
from graphoid.counts.reference import ReferenceEngine
from graphoid.data.remote.table import RemoteTable
from graphoid.data.table import Table, Weights
from graphoid.errors import DataError, setting
from graphoid.regression.embedding import CountedMoments, Effect, SecondMoments, embed, is_number

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from graphoid.counts.engine import Blanket, CountEngine, Logistic
    from graphoid.regression.coding import Matrix

MOST_GROUPS = 16
"""States of a nominal column beside numbers: of more, the most frequent ones and all others as one."""

_engines: WeakKeyDictionary[Table, MixedReference | MixedEngine] = WeakKeyDictionary()
_ordinal: WeakKeyDictionary[CountEngine, SecondMoments] = WeakKeyDictionary()


@runtime_checkable
class MomentEngine(Protocol):
    """An engine that has the second moments of variables of every kind."""

    def moments(self, *, ordered: bool, ranks: bool) -> SecondMoments:
        """Return the second moments of all variables as numbers."""


@runtime_checkable
class RowEngine(MomentEngine, Protocol):
    """An engine that has rows as numbers, and their second moments."""

    def effect(self, variable: int, *, ordered: bool, ranks: bool) -> Effect:
        """Return a variable as a predictor, a line a row: see :func:`embed`."""

    def states(self, variable: int) -> Matrix:
        """Return a line for every row: its weight at its state of a variable, else 0."""

    def row_weights(self) -> NDArray[np.float64] | None:
        """Return the weight of every row; None where all count alike."""


@runtime_checkable
class RegressionEngine(Protocol):
    """An engine that fits models of variables that are numbers by itself."""

    def gaussian_terms(self, model: Logistic, blankets: list[Blanket]) -> NDArray[np.float64]:
        """Return the evidence of every variable given its blanket, less that without it."""


def engine_of(table: Table) -> CountEngine:
    """Return the fastest engine there is for a table of any kinds of columns; the same when asked again."""
    numbers = next((v for v in table.variables if is_number(v)), None)
    if numbers is None:
        return engine_for(table)
    if isinstance(table, RemoteTable):
        if not numbers.continuous:
            return engine_for(table)
        raise DataError(
            f"{numbers.name!r} holds numbers that stay at their source, where only sums are taken: score by "
            f"GaussianEvidence, as gd.learn does, or read the table with {setting('where', 'memory')} or "
            f"{setting('discretize', 'auto')}."
        )
    engine = _engines.get(table)
    if engine is None:
        # on a table of its own: an engine that held its key would keep it forever
        merged = merge_rare_states(table)
        engine = _engines[table] = (MixedReference if kernels() is None else MixedEngine)(merged)
    return engine


def merge_rare_states(table: Table) -> Table:
    """Return the table with the rare states of columns that have very many taken as one.

    Models of rows have no tables of counts to fall back on, and the time of one goes with the cube of its
    effects. How the merged states are told apart within theirs is left out of every model alike.
    """
    variables, columns = list(table.variables), list(table.columns)
    for i, v in enumerate(table.variables):
        if v.arity > MOST_GROUPS and not v.ordered:
            codes = table.column(i)
            rows = np.bincount(codes, minlength=v.arity)
            frequent = np.sort(np.argsort(-rows, kind="stable")[: MOST_GROUPS - 1])
            groups = np.full(v.arity, MOST_GROUPS - 1, dtype=np.uint8)
            groups[frequent] = np.arange(MOST_GROUPS - 1)
            states = (*(v.states[k] for k in frequent.tolist()), "others")
            variables[i], columns[i] = replace(v, states=states), groups[codes]
    return replace(table, variables=tuple(variables), columns=tuple(columns))


def moments_of(engine: CountEngine) -> SecondMoments | None:
    """Return the second moments of all variables of an engine that has them; None for others."""
    return engine.moments(ordered=True, ranks=True) if isinstance(engine, MomentEngine) else None


def ordinal_moments(engine: CountEngine) -> SecondMoments | None:
    """Return the second moments of states in order by their scores; None unless all are, or two.

    Of some there have to be more than two. They are the same object when asked again.
    """
    ordered = all(v.ordered or v.arity == 2 for v in engine.variables)
    if not ordered or all(v.arity <= 2 for v in engine.variables):
        return None
    if engine not in _ordinal:
        _ordinal[engine] = CountedMoments(engine)
    return _ordinal[engine]


class _Rows:
    """The rows of a table as numbers, in an order of their own."""

    def __init__(self, table: Table) -> None:
        self._rows = table
        self.effect = cache(self._effect)
        self.moments = cache(self._moments)

    def _effect(self, variable: int, *, ordered: bool, ranks: bool) -> Effect:
        return embed(self._rows, variable, ordered=ordered, ranks=ranks)

    def _moments(self, *, ordered: bool, ranks: bool) -> SecondMoments:
        return SecondMoments(self._rows, ordered=ordered, ranks=ranks)

    def states(self, variable: int) -> Matrix:
        """Return a line for every row: its weight at its state of a variable, else 0."""
        codes, weights = self._rows.column(variable), self._rows.weights
        table = np.zeros((len(codes), self._rows.variables[variable].arity))
        table[np.arange(len(codes)), codes] = 1.0 if weights is None else weights.values
        return table


class MixedReference(_Rows, ReferenceEngine):
    """Counts a table, and has its rows as numbers."""

    def __init__(self, table: Table) -> None:
        _Rows.__init__(self, sort_rows(table))
        ReferenceEngine.__init__(self, self._rows)


class MixedEngine(_Rows, NativeEngine):
    """Counts a table and fits models of its rows with vectorised kernels.

    Parameters
    ----------
    table
        What to count.
    threads, simd
        As of :class:`NativeEngine`.
    """

    def __init__(self, table: Table, *, threads: int | None = None, simd: str | None = None) -> None:
        _Rows.__init__(self, sort_rows(table))
        NativeEngine.__init__(self, self._rows, threads=threads, simd=simd)

    def logistic_terms(self, model: Logistic, blankets: list[Blanket]) -> NDArray[np.float64]:
        """Return what the best logistic model of every variable given its blanket is worth."""
        self._scores = [
            np.ascontiguousarray(self.effect(i, ordered=model.ordered, ranks=model.ranks).columns[:, 0])
            if is_number(v)
            else None
            for i, v in enumerate(self.variables)
        ]
        return super().logistic_terms(model, blankets)

    def gaussian_terms(self, model: Logistic, blankets: list[Blanket]) -> NDArray[np.float64]:
        """Return the evidence of every variable given its blanket, less that without it."""
        moments = self.moments(ordered=model.ordered, ranks=model.ranks)
        return self._native.gaussian_terms(
            moments.main_covariance,
            moments.first,
            self.n_rows,
            blankets,
            linear_precision(model.scale),
            model.moment,
            available_threads(self.threads),
        )


def linear_precision(scale: float) -> float:
    """Return the precision of effects in units of what a linear model leaves, as of logistic ones.

    Columns have a variance of one half. The effect of one on the log-odds of another, w, is by that much its
    slope times the root of two where what is left has a variance of one.
    """
    return 2.0 / scale**2


def sort_rows(table: Table) -> Table:
    """Return the table with rows in an order that depends on what they are alone: sums are the same then.

    They are sorted by a hash of their cells; rows that have the same are almost surely alike.
    """
    hashes = np.zeros(table.n_rows, dtype=np.uint64)
    cells: list[NDArray[np.uint64]] = [
        (table.values[i] + 0.0).view(np.uint64) if column is None else column.astype(np.uint64)
        for i, column in enumerate(table.columns)
    ]
    if table.weights is not None:
        cells.append(table.weights.units.astype(np.uint64))
    with np.errstate(over="ignore"):  # all is meant modulo 2**64
        for column in cells:
            hashes = (hashes ^ column) * np.uint64(0x9E3779B97F4A7C15)
            hashes ^= hashes >> np.uint64(29)
    order = np.argsort(hashes, kind="stable")
    weights = table.weights
    return replace(
        table,
        columns=tuple(None if column is None else column[order] for column in table.columns),
        values={i: values[order] for i, values in table.values.items()},
        weights=None if weights is None else Weights(weights.units[order], weights.unit),
    )
