"""DuckDB as a relation: a table or view of a database file, or any relation."""

from __future__ import annotations

import contextlib
import hashlib
import re
from typing import TYPE_CHECKING, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from graphoid.data.formats.files import clear_errors, not_a_file
from graphoid.data.remote.sql import ONE_AT_A_TIME, SqlRelation
from graphoid.errors import DataError, as_option, missing_extra, sentence
from graphoid.logic.names import quote as quote_names

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import duckdb


VIEW = "graphoid_source"
"""What a relation is called in the queries on it."""


def open_database(path: Path, table: str | None) -> DuckDBRelation:
    """Return a table or view of a database file, which is opened for reading only."""
    try:
        import duckdb
    except ImportError:
        raise missing_extra("a .duckdb database", "duckdb") from None
    if not path.is_file():
        raise not_a_file(path)
    with _clear_errors(path.name):
        connection = duckdb.connect(str(path), read_only=True)
        found = _find_table(connection, path, table)
        name = f"{path.name}:{found.spelled}"
        return DuckDBRelation(connection.sql(found.query), connection, found.query, name=name, path=path)


@contextlib.contextmanager
def _clear_errors(name: str) -> Iterator[None]:
    """Raise what DuckDB says of a damaged file, or of a query, as one sentence."""
    import duckdb

    try:
        yield
    except (duckdb.Error, pa.ArrowException, UnicodeDecodeError) as error:
        raise DataError(f"{name} cannot be read by DuckDB: {sentence(error)}") from None


class _Found(NamedTuple):
    spelled: str
    query: str


def _find_table(connection: duckdb.DuckDBPyConnection, path: Path, table: str | None) -> _Found:
    """Return a table or view by its name, quoted or not, with or without its schema."""
    query = """
        SELECT table_schema, table_name FROM information_schema.tables
        WHERE table_catalog = current_database() ORDER BY table_schema <> 'main', 1, 2
    """
    names = connection.execute(query).fetchall()
    spelled = [name if schema == "main" else f"{schema}.{name}" for schema, name in names]
    if table is None:
        fitting = list(range(len(names)))
        if len(names) != 1:
            raise DataError(
                f"{path.name} has {len(names)} tables and views: {quote_names(spelled)}. Name one: "
                f"{as_option('--table NAME', 'table=...')}."
            )
    else:
        fitting = [i for i, name in enumerate(names) if table in _spellings(*name)]
        if not fitting:
            raise DataError(f"{path.name} has no table or view {table!r}; it has {quote_names(spelled)}.")
        if len(fitting) > 1 and names[fitting[0]][0] != "main":
            several = quote_names([spelled[i] for i in fitting])
            raise DataError(
                f"{path.name} has several tables and views {table!r}: {several}. Name its schema, too."
            )
    schema, name = names[fitting[0]]
    return _Found(spelled[fitting[0]], f"SELECT * FROM {quote(schema)}.{quote(name)}")  # noqa: S608 - quoted


def _spellings(schema: str, name: str) -> set[str]:
    """Return how a table may be called."""
    own = {name, quote(name)}
    return own | {f"{of}.{one}" for of in (schema, quote(schema)) for one in own}


def quote(name: str) -> str:
    """Return a name as an identifier of DuckDB's SQL."""
    import sqlglot.expressions as sql

    return str(sql.to_identifier(name, quoted=True).sql(dialect="duckdb"))


class DuckDBRelation(SqlRelation):
    """A relation of DuckDB: a table, a view, a file or a query."""

    kind = "duckdb"

    def __init__(
        self,
        relation: duckdb.DuckDBPyRelation,
        connection: duckdb.DuckDBPyConnection | None = None,
        query: str = "",
        *,
        name: str = "DuckDB relation",
        path: Path | None = None,
    ) -> None:
        try:
            import sqlglot
        except ImportError:
            raise missing_extra("counting in DuckDB", "duckdb") from None
        self._relation, self.connection, self._path = relation, connection, path
        self._query = query
        with _clear_errors(name), ONE_AT_A_TIME:
            first = to_arrow(relation.limit(1))
        self._declared = {
            i: first.column(i).combine_chunks().dictionary if first.num_rows else pa.array([], pa.string())
            for i, field in enumerate(first.schema)
            if pa.types.is_dictionary(field.type)
        }
        source = sqlglot.parse_one(f"SELECT * FROM {VIEW}", dialect="duckdb")  # noqa: S608 - a name of ours
        super().__init__(source, "duckdb", first.schema, name)

    def __reduce__(self) -> tuple[object, ...]:
        if self._path is None:
            return super().__reduce__()
        # for pickles: a database file is opened again
        return open_database, (self._path.absolute(), self.name.removeprefix(f"{self._path.name}:"))

    def declared_states(self, position: int) -> tuple[pa.Array, bool] | None:
        """Return the values of an ENUM, in the order of its declaration."""
        states = self._declared.get(position)
        if states is None:
            return None
        return pc.cast(states, pa.string()), bool(self.schema.field(position).type.ordered)

    @property
    def identity(self) -> str:
        """The query, without addresses; the same one over other data is told by its counts."""
        with ONE_AT_A_TIME:
            query = self._relation.sql_query()
        query = re.sub(r"0x[0-9a-f]+|arrow_object_\w+", "", query)
        return f"duckdb {hashlib.blake2b(query.encode(), digest_size=16).hexdigest()}"

    @property
    def snapshot(self) -> str | None:
        """The size and times of a database file, which nobody can write to while it is open for reading."""
        if self._path is None:
            return None
        with clear_errors(self._path):
            status = self._path.stat()
        return f"{status.st_size} {status.st_mtime_ns} {status.st_ctime_ns}"

    def fetch(self, statement: str) -> pa.Table:
        """Run a query on the relation, which it knows under a name of ours.

        A database that was opened here is asked through a connection of each query's own. A relation has one
        already, which may have others: they are asked one after the other.
        """
        if self.connection is None:
            with _clear_errors(self.name), ONE_AT_A_TIME:
                return to_arrow(self._relation.query(VIEW, statement))
        with _clear_errors(self.name), contextlib.closing(self.connection.cursor()) as own:
            return to_arrow(own.sql(self._query).query(VIEW, statement))


def to_arrow(relation: duckdb.DuckDBPyRelation) -> pa.Table:
    """Return the rows of a relation; what the method is called differs between versions of DuckDB."""
    fetch = getattr(relation, "to_arrow_table", None) or relation.fetch_arrow_table
    return fetch()
