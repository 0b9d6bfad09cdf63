"""Which sources stay where they are, and how each becomes a relation."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from graphoid.data.formats.files import not_a_file
from graphoid.errors import DataError, SettingsError, setting

if TYPE_CHECKING:
    from graphoid.data.remote.relation import CensusRelation

STREAMED = (".parquet", ".arrow", ".feather", ".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz", ".txt.gz")
"""Files that can be streamed."""

ONLY_STREAMED = (".arrow", ".feather")
DATABASES = (".duckdb", ".ddb")

MANY_CELLS = 500_000_000
"""A Parquet file with more cells is streamed unless told otherwise: half a gigabyte of codes."""


def relation_of(source: object, table: str | None, *, always: bool) -> CensusRelation | None:
    """Return a source as a relation if it stays where it is, or None if it is to be read into memory.

    Parameters
    ----------
    source
        What :func:`graphoid.read` was given.
    table
        The name of a table in a database.
    always
        Whether it stays where it is even if it could be read.
    """
    path = Path(source) if isinstance(source, (str, os.PathLike)) else None
    if path is not None and path.name.lower().endswith(DATABASES):
        from graphoid.data.remote.duckdb import open_database

        return open_database(path, table)
    if table is not None:
        whose = "this source is a table already" if path is None else f"{path.name} has one table only"
        raise SettingsError(f"table={table!r} is for a .duckdb database; {whose}.")
    if path is None:
        return _relation_of_object(source, always=always)
    name = path.name.lower()
    if always and not name.endswith(STREAMED):
        raise SettingsError(
            f"{path.name} cannot be streamed; expected one of {', '.join((*DATABASES, *STREAMED))}."
        )
    if not (always or name.endswith(ONLY_STREAMED) or (name.endswith(".parquet") and _is_large(path))):
        return None
    if not path.is_file():
        raise not_a_file(path)
    from graphoid.data.remote.stream import FileStream

    return FileStream(path)


def _relation_of_object(source: object, *, always: bool) -> CensusRelation | None:
    home = type(source).__module__.split(".")[0]
    if home == "ibis":
        from graphoid.data.remote.ibis import IbisRelation

        return IbisRelation(source)
    if home == "pyspark":
        from graphoid.data.remote.spark import SparkRelation

        return SparkRelation(source)
    if home in ("duckdb", "_duckdb") and always:
        from graphoid.data.remote.duckdb import DuckDBRelation

        return DuckDBRelation(source)
    if always:
        raise SettingsError(
            f"{setting('where', 'source')} is for files, databases, Ibis tables and Spark frames; a "
            f"{type(source).__name__} is in memory already."
        )
    return None


def _is_large(path: Path) -> bool:
    if not path.is_file():
        return False
    from graphoid.data.formats.parquet import read_metadata  # brings a library of its own

    try:
        metadata, _ = read_metadata(path)
    except DataError:
        return False  # said by whoever reads it
    return bool(metadata.num_rows * metadata.num_columns > MANY_CELLS)
