"""Second moments of columns of every kind by sums alone, in memory or where the rows are."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, cast
from weakref import WeakKeyDictionary

import numpy as np

from graphoid.counts.native import engine_for
from graphoid.counts.remote.number_sums import GRID, LinearScore, add_scores
from graphoid.data.remote.table import RemoteTable
from graphoid.data.table import Weights
from graphoid.errors import DataError, setting
from graphoid.regression.coding import levels, standard_scores
from graphoid.regression.embedding import CountedMoments

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from graphoid.counts.contingency import Counts
    from graphoid.counts.engine import CountRequest
    from graphoid.counts.remote.engine import RemoteEngine
    from graphoid.counts.remote.number_sums import NumberSums
    from graphoid.data.table import Table
    from graphoid.data.variables import Variable
    from graphoid.regression.coding import Matrix
    from graphoid.regression.embedding import SecondMoments

MOST_KNOTS = 128
"""Different numbers up to which each has its own normal score; of more, as many have, and scores run straight
between them. Of normal numbers that changes nothing, of exponentials of such less than .002."""

_engines: WeakKeyDictionary[Table, SumEngine] = WeakKeyDictionary()


def linear_score(name: str, numbers: Matrix, rows: NDArray[np.int64]) -> LinearScore:
    """Return the normal scores of ascending numbers, from how many rows each has, by straight lines.

    They have mean 0 and variance one half, as those of states. Knots are as many steps of the score apart.
    """
    scores = standard_scores(numbers, Weights(rows))
    if len(numbers) > MOST_KNOTS:
        steps = np.linspace(scores[0], scores[-1], MOST_KNOTS)
        kept = np.unique([0, *np.searchsorted(scores, steps[1:-1]), len(scores) - 1])
        numbers, scores = numbers[kept], scores[kept]
    return LinearScore(name, numbers, np.rint(scores * 2.0**GRID))


class SumEngine:
    """Counts states, and has the second moments of all columns: by sums alone, wherever the rows are.

    Parameters
    ----------
    table
        In memory, or a table whose rows stay at their source.
    """

    def __init__(self, table: Table) -> None:
        self.variables: tuple[Variable, ...] = table.variables
        self._engine = engine_for(table)
        self._table = None if isinstance(table, RemoteTable) else table.take(range(len(table.variables)))
        self._scores = {i: _score_of(table, i) for i, v in enumerate(table.variables) if v.continuous}
        self._unit = _unit_of(table)
        self._moments: dict[bool, SecondMoments] = {}

    @property
    def n_rows(self) -> float:
        """Number of rows; their total weight, where rows have weights."""
        return self._sums.total * self._unit if self._scores else self._engine.n_rows

    def counts(self, requests: Sequence[CountRequest]) -> list[Counts]:
        """Return the counts for every request of variables with states, in order."""
        for v in {v for r in requests for v in (*r.variables, *(of for of, _ in r.context))}:
            if v in self._scores:
                raise DataError(
                    f"{self.variables[v].name!r} holds numbers without states, which cannot be counted: read "
                    f"it with {setting('discretize', 'auto')}."
                )
        return self._engine.counts(requests)

    @cached_property
    def _sums(self) -> NumberSums:
        if self._table is None:
            return cast("RemoteEngine", self._engine).number_sums(self._scores)
        table = self._table
        arities = {i: v.arity for i, v in enumerate(self.variables) if i not in self._scores}
        numbers = [score(table.numbers(v) + 0.0) for v, score in self._scores.items()]
        units = None if table.weights is None else table.weights.units
        return add_scores(numbers, {v: table.column(v) for v in arities}, arities, units, table.n_rows)

    def moments(self, *, ordered: bool = True, ranks: bool = True) -> SecondMoments:  # noqa: ARG002
        """Return the second moments of all variables; of numbers by their ranks."""
        if ordered not in self._moments:
            sums = self._sums if self._scores else None
            self._moments[ordered] = CountedMoments(self, sums, ordered=ordered)
        return self._moments[ordered]


def sum_engine(table: Table) -> SumEngine:
    """Return what adds up a table; the same when asked again."""
    if table not in _engines:
        _engines[table] = SumEngine(table)
    return _engines[table]


def _score_of(table: Table, v: int) -> LinearScore:
    name = table.variables[v].name
    if isinstance(table, RemoteTable):
        numbers = table.codings[v].levels
        assert numbers is not None  # noqa: S101 - it has no states
        return linear_score(name, numbers, np.array(table.margins[v], dtype=np.int64))
    found, _, rows = levels(table.numbers(v) + 0.0)
    return linear_score(name, found, rows.astype(np.int64))


def _unit_of(table: Table) -> float:
    weights = table.weighing if isinstance(table, RemoteTable) else table.weights
    return 1.0 if weights is None else weights.unit
