"""Counting in plain NumPy: the specification of every other engine, always there, and slow."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from graphoid.counts.contingency import Counts, tabulate
from graphoid.counts.engine import CountRequest, refuse_if_too_large
from graphoid.limits import check_time

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from graphoid.data.table import Codes, Table


class ReferenceEngine:
    """Counts a table in memory, one request after the other."""

    def __init__(self, table: Table) -> None:
        weights = table.weights
        self.variables = table.variables
        self.n_rows = table.n_rows if weights is None else weights.total
        self._table = table
        self._unit = 1.0 if weights is None else weights.unit
        self._units = np.ones(table.n_rows, dtype=np.int64) if weights is None else weights.units

    def counts(self, requests: Sequence[CountRequest]) -> list[Counts]:
        """Return the counts for every request, in order."""
        refuse_if_too_large(requests, self, self._table.n_rows)
        return [self._count(request) for request in requests]

    def codes(self, variable: int) -> Codes:
        """Return the code of every row."""
        return self._table.column(variable)

    def row_weights(self) -> NDArray[np.float64] | None:
        """Return the weight of every row; None where all count alike."""
        return None if self._table.weights is None else self._table.weights.values

    def _count(self, request: CountRequest) -> Counts:
        check_time()
        table = self._table
        kept = np.ones(table.n_rows, dtype=bool)
        for variable, state in request.context:
            kept &= table.codes_of(variable) == state
        for variable in table.holes.intersection(request.variables):
            kept &= ~table.absent(variable)
        shape = tuple(table.variables[v].arity for v in request.variables)
        rows = np.empty((int(kept.sum()), len(shape)), dtype=np.uint16)
        for axis, v in enumerate(request.variables):
            rows[:, axis] = table.codes_of(v)[kept]
        # a table is written out or listed by the size of the whole data, not of the context
        units: NDArray[np.int64] = self._units[kept]
        return tabulate(request.variables, shape, rows, units, self._unit, table.n_rows)
