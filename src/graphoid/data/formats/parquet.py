"""Parquet files: a few columns at a time, encoded and let go, so that memory holds codes and little else."""

from __future__ import annotations

import threading
from collections import Counter
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

from graphoid.data.encoding.columns import Undeclared
from graphoid.data.formats.frames import arrow_column
from graphoid.data.source import Source
from graphoid.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from graphoid.data.encoding.columns import RawColumn

CELLS = 1 << 20
"""Cells loaded at a time by each thread: eight megabytes of integers. A long column goes alone; of short ones
many go together, for the price of a call is paid once."""


def read_metadata(path: Path) -> tuple[pq.FileMetaData, pa.Schema]:
    """Return what a Parquet file says of itself, and its columns."""
    try:
        metadata = pq.read_metadata(path)
        return metadata, metadata.schema.to_arrow_schema()
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:  # the last: in a name
        said = " ".join(str(error).split()).rstrip(
            "."
        )  # some versions of Arrow end it by a period, others not
        raise DataError(f"{path.name} cannot be read as Parquet: {said}.") from error


def from_parquet(path: Path) -> Source:
    """Return a Parquet file as a source."""
    metadata, schema = read_metadata(path)
    names, own = schema.names, occurrences(schema.names)
    # Strings come as dictionaries straight from the file's own; that saves building every cell as text.
    stored = [f.name for f in schema if pa.types.is_string(f.type) or pa.types.is_large_string(f.type)]
    local = threading.local()

    def file() -> pq.ParquetFile:
        try:
            return local.file
        except AttributeError:  # a reader must not be shared between threads
            local.file = pq.ParquetFile(path, metadata=metadata, read_dictionary=stored, pre_buffer=False)
            return local.file

    def load(positions: Sequence[int]) -> Iterator[RawColumn]:
        try:
            table = file().read(columns=[names[i] for i in positions], use_threads=False)
            for column in table.columns:
                if pa.types.is_dictionary(column.type):
                    column.validate(full=True)  # a damaged page may point beyond it
        except (pa.ArrowException, OSError) as error:
            raise _damage_error(path, error) from error
        if table.num_rows != metadata.num_rows:
            raise _damage_error(path, f"{table.num_rows:,} rows instead of {metadata.num_rows:,}.")
        where = {one: k for k, one in enumerate(occurrences(table.schema.names))}
        columns = table.columns
        del table
        for i in positions:
            k = where[own[i]]
            cells, columns[k] = columns[k], None
            field = schema.field(i)
            if pa.types.is_dictionary(cells.type) and not pa.types.is_dictionary(field.type):
                yield Undeclared(cells)
            else:
                yield arrow_column(cells, field)

    return Source(names, metadata.num_rows, load, group=max(1, CELLS // max(1, metadata.num_rows)))


def occurrences(names: Sequence[str]) -> list[tuple[str, int]]:
    """Return every name with how often it came before: two columns may share one."""
    seen: Counter[str] = Counter()
    found = []
    for name in names:
        found.append((name, seen[name]))
        seen[name] += 1
    return found


def _damage_error(path: Path, what: object) -> DataError:
    said = " ".join(str(what).split()).rstrip(".")
    return DataError(f"{path.name} is damaged: {said}. Write or fetch it again.")
