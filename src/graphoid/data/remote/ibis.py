"""An Ibis table as a relation: Ibis knows the backend, its dialect and its types; statements are ours."""

from __future__ import annotations

import contextlib
import hashlib
from decimal import Decimal
from typing import TYPE_CHECKING

import pyarrow as pa
import sqlglot

from graphoid.data.remote.sql import ONE_AT_A_TIME, SqlRelation

if TYPE_CHECKING:
    from collections.abc import Sequence

    import ibis

NO_SETS = ("pyspark", "mysql", "sqlite", "datafusion", "polars", "risingwave", "druid", "exasol", "impala")
"""Backends without GROUPING SETS, or with slow ones: there tables are joined by UNION ALL."""


class IbisRelation(SqlRelation):
    """A table expression of Ibis, bound to a backend."""

    kind = "ibis"

    def __init__(self, table: ibis.Table) -> None:
        import ibis

        self.table = table
        self.backend = table.get_backend()
        self.sets = self.backend.name not in NO_SETS
        dialect = getattr(self.backend, "dialect", self.backend.name)
        statement = str(ibis.to_sql(table, dialect=self.backend.name))
        is_stored = table.op().__class__.__name__ == "DatabaseTable"
        name = table.get_name() if is_stored else "Ibis table"
        source = sqlglot.parse_one(statement, dialect=dialect)
        super().__init__(source, dialect, table.schema().to_pyarrow(), f"{self.backend.name}:{name}")

    @property
    def identity(self) -> str:
        """The backend and the query, not the connection: credentials are none of our business."""
        text = self.source.sql(dialect=self.dialect)
        return f"ibis {self.backend.name} {hashlib.blake2b(text.encode(), digest_size=16).hexdigest()}"

    def fetch(self, statement: str) -> pa.Table:
        """Run a query, in a read-only transaction where the backend has them."""
        with ONE_AT_A_TIME:
            return self._fetch(statement)

    def _fetch(self, statement: str) -> pa.Table:
        hooks = getattr(self.backend, "_run_pre_execute_hooks", None)
        if hooks is not None:
            hooks(self.table)  # registers tables that live in memory
        if self.backend.name == "postgres":
            connection = self.backend.con
            with connection.transaction(), connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION READ ONLY")
                cursor.execute(statement)
                return _from_rows([c.name for c in cursor.description], cursor.fetchall())
        result = self.backend.raw_sql(statement)
        for arrow in ("to_arrow_table", "fetch_arrow_table", "toArrow", "to_arrow"):
            if (fetch := getattr(result, arrow, None)) is not None:
                return fetch()
        try:
            return _from_rows([column[0] for column in result.description], result.fetchall())
        finally:
            result.close()

    def transient(self, error: Exception) -> bool:
        """Say whether the connection was lost, and connect anew."""
        if type(error).__name__ not in LOST:
            return False
        with contextlib.suppress(Exception):  # the next attempt says what is wrong
            self.backend.reconnect()
        return True


LOST = (
    "AdminShutdown", "BrokenPipeError", "CannotConnectNow", "ConnectionError", "ConnectionFailure",
    "ConnectionResetError", "CrashShutdown", "DeadlineExceeded", "IOException", "InterfaceError",
    "IdleInTransactionSessionTimeout", "OperationalError", "QueryCanceled", "ServiceUnavailable",
    "TimeoutError", "TooManyRequests",
)  # fmt: skip
"""Errors of the libraries behind Ibis, by name, after which trying again may help."""


def _from_rows(names: Sequence[str], rows: Sequence[Sequence[object]]) -> pa.Table:
    columns = list(zip(*rows, strict=True)) if rows else [()] * len(names)
    # a driver may give sums as decimals
    arrays = [
        pa.array([int(v) if isinstance(v, Decimal) and v == v.to_integral_value() else v for v in column])
        for column in columns
    ]
    return pa.table(
        [a.cast(pa.string()) if pa.types.is_null(a.type) else a for a in arrays], names=list(names)
    )
