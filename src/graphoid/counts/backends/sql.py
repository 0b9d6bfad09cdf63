"""Counting where SQL is spoken: many tables by one statement, codes made by the database."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NoReturn

import numpy as np

from graphoid.counts.remote.access import Fetched, Tabulator
from graphoid.counts.remote.access_cost import AccessCost
from graphoid.counts.remote.distinct_rows import DistinctRows, as_codes
from graphoid.counts.remote.number_sums import NumberSums
from graphoid.errors import DataChanged

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from graphoid.counts.remote.number_sums import LinearScore
    from graphoid.data.remote.sql import SqlRelation
    from graphoid.data.remote.table import RemoteTable

TABLES_AT_ONCE = 128
"""Tables of one statement: parsers and planners grow slow with more."""

SUMS_AT_ONCE = 500
"""Sums of one statement: PostgreSQL has at most 1,664 columns."""

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

    def number_sums(self, scores: Mapping[int, LinearScore]) -> tuple[NumberSums, AccessCost]:
        """Return the sums of scores of the columns of numbers: products by one statement, groups by one."""
        table, relation = self._table, self._relation
        states = [v for v in range(len(table.variables)) if v not in scores]
        inner = relation.score_rows(scores, table.codings, table.gaps, table.weighing)
        weighted, numbers = table.weighing is not None, list(scores)
        found = NumberSums.zero(len(scores), {v: table.variables[v].arity for v in states})
        pairs = [(a, b) for a in range(len(numbers)) for b in range(a + 1)]
        total, n_statements = 0, 0
        for start in range(0, len(pairs), SUMS_AT_ONCE):
            part = pairs[start : start + SUMS_AT_ONCE]
            wanted = [[numbers[a], numbers[b]] for a, b in part]
            sums = relation.sums(inner, [[], *wanted], (), weighted=weighted)[()]
            total, n_statements = sums[0][1][0], n_statements + 1
            for (a, b), product in zip(part, sums[0][1][1:], strict=True):
                found.products[a, b] = found.products[b, a] = product
        groups = relation.sums(inner, [[v] for v in numbers], states, weighted=weighted)
        found.sums[:] = groups[()][0][1]
        for v in states:
            for code, line in groups[v,]:
                if code < 0:
                    self._refuse_new_values(v)
                found.by_state[v][code] = line
        scans = n_statements + (1 if relation.sets else 1 + len(states))
        cost = AccessCost(n_statements + 1, table.n_rows * scans, 8 * table.n_rows * scans * len(scores))
        return replace(found, total=total), cost

    def _refuse_new_values(self, v: int) -> NoReturn:
        raise DataChanged(
            f"{self._table.variables[v].name!r} has values that were not there when its states were "
            f"determined: the data have changed. Read them again."
        )

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
                self._refuse_new_values(w[int(np.argmax((codes < 0).any(axis=0)))])
            of = [table.variables[v] for v in w]
            columns = [as_codes(codes[:, k], v.arity) for k, v in enumerate(of)]
            tables.append(DistinctRows.of_codes(w, of, columns, units, unit))
        scans = 1 if self._relation.sets else len(wanted)
        columns_read = len(needed) if self._relation.sets else sum(map(len, wanted)) / len(wanted)
        read = int(8 * table.n_rows * scans * columns_read)
        return Fetched(tables, AccessCost(1, table.n_rows * scans, read, n_bytes))
