"""Counting where SQL is spoken: many tables by one statement, codes made by the database."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from graphoid.counts.remote.access import Fetched, Tabulator
from graphoid.counts.remote.access_cost import AccessCost
from graphoid.counts.remote.distinct_rows import DistinctRows, as_codes
from graphoid.errors import DataChanged

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graphoid.data.remote.sql import SqlRelation
    from graphoid.data.remote.table import RemoteTable

TABLES_AT_ONCE = 128
"""Tables of one statement: parsers and planners grow slow with more."""

IN_PROCESS_CELLS = 2**14
"""Cells of tables to prefetch from a database in this process: what comes back costs little to move."""


class SqlTabulator(Tabulator):
    """Counts a relation that answers SQL."""

    prefetch_cells = 2**12
    """Small: every cell of a table travels."""

    def __init__(self, table: RemoteTable) -> None:
        self._table = table
        self._relation: SqlRelation = table.relation
        self.label = table.name

    def transient(self, error: Exception) -> bool:
        """Say whether trying again may help."""
        return self._relation.transient(error)

    def tables(self, wanted: Sequence[tuple[int, ...]], *, whole: bool) -> Fetched:  # noqa: ARG002 - rows would travel
        """Return the merged rows of each set of variables."""
        tables: list[DistinctRows] = []
        spent = AccessCost()
        for start in range(0, len(wanted), TABLES_AT_ONCE):
            part = self._some(wanted[start : start + TABLES_AT_ONCE])
            tables += part.tables
            spent += part.spent
        return Fetched(tables, spent)

    def _some(self, wanted: Sequence[tuple[int, ...]]) -> Fetched:
        table = self._table
        needed = sorted(set().union(*wanted))
        codings = {f"c{v}": table.codings[v] for v in needed}
        groups = [[f"c{v}" for v in w] for w in wanted]
        statement = self._relation.count_statement(codings, groups, table.gaps, table.weighing)
        unit = 1.0 if table.weighing is None else table.weighing.unit
        tables, n_bytes = [], 0
        for w, (codes, units) in zip(
            wanted, self._relation.count(statement, list(codings), groups), strict=True
        ):
            n_bytes += 8 * (codes.size + units.size)
            if (codes < 0).any():
                v = w[int(np.argmax((codes < 0).any(axis=0)))]
                raise DataChanged(
                    f"{table.variables[v].name!r} has values that were not there when its states were "
                    f"determined: the data have changed. Read them again."
                )
            of = [table.variables[v] for v in w]
            columns = [as_codes(codes[:, k], v.arity) for k, v in enumerate(of)]
            tables.append(DistinctRows.of_codes(w, of, columns, units, unit))
        scans = 1 if self._relation.sets else len(wanted)
        columns_read = len(needed) if self._relation.sets else sum(map(len, wanted)) / len(wanted)
        read = int(8 * table.n_rows * scans * columns_read)
        return Fetched(tables, AccessCost(1, table.n_rows * scans, read, n_bytes))
