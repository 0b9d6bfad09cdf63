"""Files that are read in one go from end to end, a batch of rows at a time: Parquet, Arrow and text."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet as pq

from graphoid.data.encoding.columns import refuse_nested
from graphoid.data.encoding.text import missing_text
from graphoid.data.formats.delimited import check_quotes, read_header
from graphoid.data.formats.files import WatchedText, clear_errors, file_digest, open_text
from graphoid.data.formats.parquet import occurrences, read_metadata
from graphoid.data.remote.census import MOST_VALUES, Census, ValueCounts, WeightSummary, to_ipc
from graphoid.errors import DataChanged, DataError, leave_out, sentence

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

ROWS = 1 << 17
"""Rows of a batch: their codes stay in the caches, and Python's part of the work does not show."""

COMPACTED = 1 << 16
"""Values collected before those that are alike are added up."""


class Stream(ABC):
    """Rows that can be gone through from end to end, batch by batch."""

    kind = "stream"
    text = False
    """Whether all cells are text that is yet to be interpreted."""
    delimiter = ""
    name: str
    names: Sequence[str]
    schema: pa.Schema

    @property
    @abstractmethod
    def identity(self) -> str:
        """What tells this relation from others."""

    @property
    @abstractmethod
    def snapshot(self) -> str:
        """What tells this state of it from earlier ones."""

    @abstractmethod
    def batches(self, positions: Sequence[int]) -> Iterator[list[pa.Array]]:
        """Yield batch after batch of rows: an Arrow array for each column, in the order asked for."""

    @abstractmethod
    def size_of(self, positions: Iterable[int]) -> int:
        """Return the bytes that some columns take where they are."""

    def census(self, columns: Sequence[int], weights: int | None, *, complete: bool) -> Census:
        """Return the different values of each column, by one pass over the file."""
        counters = [_ValueCounter(self.schema.field(i), text=self.text) for i in columns]
        n_rows = n_complete = 0
        gaps: set[int] = set()
        summary = None if weights is None else WeightSummary.of(np.zeros(0))
        for cells in self.batches([*columns, *([] if weights is None else [weights])]):
            n = len(cells[0])
            n_rows += n
            absent = [missing_in(array, text=self.text) for array in cells[: len(columns)]]
            gaps.update(i for i, mask in zip(columns, absent, strict=True) if mask is not None)
            whole = np.ones(n, dtype=bool)
            for mask in absent:
                if mask is not None:
                    whole &= ~mask
            n_complete += int(whole.sum())
            kept = pa.array(whole) if complete and not whole.all() else None
            for into, array in zip(counters, cells, strict=False):
                into.add(array if kept is None else array.filter(kept))
            if summary is not None:
                summary += WeightSummary.of(weights_in(cells[-1] if kept is None else cells[-1].filter(kept)))
        values = [into.values(self.delimiter) for into in counters]
        return Census(n_rows, n_complete, values, sorted(gaps), summary)


class ArrowStream(Stream):
    """An Arrow table as a relation: for sites whose columns are in memory."""

    def __init__(self, table: pa.Table, name: str) -> None:
        self._table, self.name = table, name
        self.names, self.schema = table.schema.names, table.schema

    @property
    def identity(self) -> str:
        """A digest of the rows."""
        digest = hashlib.blake2b(digest_size=16)
        for batch in self._table.combine_chunks().to_batches():
            for column in batch.columns:
                digest.update(repr(column.type).encode())
                digest.update(to_ipc(column))
        return f"arrow {digest.hexdigest()}"

    @property
    def snapshot(self) -> str:
        """Tables of Arrow never change."""
        return ""

    def batches(self, positions: Sequence[int]) -> Iterator[list[pa.Array]]:
        """Yield batch after batch of rows."""
        chosen = pa.table(
            [self._table.column(i) for i in positions], names=[str(k) for k in range(len(positions))]
        )
        for batch in chosen.to_batches(max_chunksize=ROWS):
            yield [plain(column) for column in batch.columns]

    def size_of(self, positions: Iterable[int]) -> int:
        """Return the bytes that some columns take in memory."""
        return int(sum(self._table.column(i).nbytes for i in positions))


class FileStream(Stream):
    """A Parquet, Arrow (``.arrow``, ``.feather``) or delimited file as a relation."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.name = path.name
        self._metadata: pq.FileMetaData | None = None
        self._sizes: dict[int, int] = {}
        with clear_errors(path):
            self._status = self._look()
            self._digest = file_digest(path)
            self._open()

    def _open(self) -> None:
        path = self.path
        suffix = (path.with_suffix("") if path.suffix.lower() == ".gz" else path).suffix.lower()
        self.text = suffix in (".csv", ".tsv", ".txt")
        if self.text:
            self._header = read_header(path)
            self._quotes_checked = False
            self.names, self.delimiter = self._header.names, self._header.delimiter
            self.schema = pa.schema([pa.field(str(i), pa.string()) for i in range(len(self.names))])
        elif suffix == ".parquet":
            self._metadata, self.schema = read_metadata(path)
            self.names = self.schema.names
        else:
            try:
                with pa.memory_map(str(path)) as file:
                    self.schema = pa.ipc.open_file(file).schema
            except (pa.ArrowException, OSError) as error:
                raise DataError(f"{self.name} cannot be read as Arrow: {sentence(error)}") from error
            self.names = self.schema.names

    @property
    def identity(self) -> str:
        """A file is told by what it holds, wherever it lies."""
        return "file"

    @property
    def snapshot(self) -> str:
        """A digest of the bytes of the file when it was opened."""
        return self._digest

    def _look(self) -> tuple[int, ...]:
        """Return what is different once a file was written to."""
        status = self.path.stat()
        return status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns

    def _check_unchanged(self) -> None:
        status = self._look()
        if status == self._status:
            return
        if file_digest(self.path) != self._digest:
            raise DataChanged(
                f"{self.name} has changed since it was read. Read it again, best from a copy "
                f"that nobody writes to."
            )
        self._status = status  # touched, and the same as before

    def size_of(self, positions: Iterable[int]) -> int:
        """Return the bytes that some columns take in the file; of Parquet, columns that were read before.

        What a damaged file says of a column is refused where the column is read; asked for by itself, it ends
        the process.
        """
        return sum(self._size_of(i) for i in positions)

    def _size_of(self, i: int) -> int:
        if i not in self._sizes:
            if self._metadata is None:
                size = self._status[1] // max(1, len(self.names))
            elif self._metadata.num_columns != len(self.names):
                size = 0  # nested columns, which reading refuses by their name
            else:
                every = map(self._metadata.row_group, range(self._metadata.num_row_groups))
                groups = [group for group in every if group.num_rows > 0]  # the others are not read
                size = sum(group.column(i).total_compressed_size for group in groups)
            self._sizes[i] = size
        return self._sizes[i]

    def batches(self, positions: Sequence[int]) -> Iterator[list[pa.Array]]:
        """Yield batch after batch of rows: an Arrow array for each column, in the order asked for."""
        with clear_errors(self.path):
            self._check_unchanged()
            try:
                for columns in self._batches(list(positions)):
                    yield [plain(column) for column in columns]
            except (pa.ArrowException, OSError) as error:
                raise DataError(f"{self.name} cannot be read to its end: {sentence(error)}") from error
            finally:
                self._check_unchanged()

    def _batches(self, positions: list[int]) -> Iterator[list[pa.Array]]:
        if self.text:
            reading, parsing, converting = self._header.arrow_options(pa.string())
            converting.include_columns = [str(i) for i in dict.fromkeys(positions)]
            n_rows = 0
            with open_text(self.path) as file:
                watched = WatchedText(file.buffer, self.name)
                for batch in pyarrow.csv.open_csv(watched, reading, parsing, converting):
                    n_rows += batch.num_rows
                    yield [batch.column(str(i)) for i in positions]
            if not self._quotes_checked:
                check_quotes(self.path, self._header, watched, n_rows)
                self._quotes_checked = True
        elif self._metadata is not None:
            stored = [f.name for f in self.schema if _is_text(f.type)]
            file = pq.ParquetFile(
                self.path, metadata=self._metadata, read_dictionary=stored, pre_buffer=False
            )
            named, own = list(dict.fromkeys(self.names[i] for i in positions)), occurrences(self.names)
            for batch in file.iter_batches(ROWS, columns=named, use_threads=False):
                where = {one: k for k, one in enumerate(occurrences(batch.schema.names))}
                columns = [batch.column(where[own[i]]) for i in positions]
                for column in columns:
                    if pa.types.is_dictionary(column.type):
                        column.validate(full=True)  # a damaged page may point beyond it
                yield columns
        else:
            with pa.memory_map(str(self.path)) as file:
                reader = pa.ipc.open_file(file)
                for b in range(reader.num_record_batches):
                    batch = reader.get_batch(b)
                    batch.select(positions).validate(full=True)  # a damaged one may point anywhere
                    for start in range(0, batch.num_rows, ROWS):
                        yield [batch.column(i).slice(start, ROWS) for i in positions]


def plain(cells: pa.Array) -> pa.Array:
    """Return cells in the form that Arrow computes with: neither under another name nor in runs."""
    kind = cells.type
    if isinstance(kind, pa.BaseExtensionType):
        return plain(cells.storage)
    if pa.types.is_run_end_encoded(kind):
        return plain(pc.run_end_decode(cells))
    if pa.types.is_string_view(kind):
        return cells.cast(pa.string())
    return cells


def missing_in(cells: pa.Array, *, text: bool) -> NDArray[np.bool_] | None:
    """Return which cells are missing, or None if none is."""
    if text:
        absent = missing_text(cells)
        return absent if absent.any() else None
    missing = None
    if cells.null_count:
        missing = cells.is_null().to_numpy(zero_copy_only=False)
    if pa.types.is_floating(cells.type):
        nan = np.isnan(cells.to_numpy(zero_copy_only=False))  # null comes as NaN too
        if nan.any():
            missing = nan
    return missing


def weights_in(cells: pa.Array) -> NDArray[np.float64]:
    """Return a column of weights as numbers, NaN where there is none."""
    if pa.types.is_string(cells.type) or pa.types.is_dictionary(cells.type):
        cells = pc.cast(cells, pa.string())
        cells = pc.if_else(pa.array(missing_text(cells)), None, pc.utf8_trim_whitespace(cells))
    try:
        numbers = pc.cast(cells, pa.float64(), safe=False)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):  # the latter: Arrow has no such cast
        raise DataError("the column of weights does not hold numbers.") from None
    return np.asarray(numbers.to_numpy(zero_copy_only=False), dtype=np.float64)


class _Part(NamedTuple):
    values: pa.Array
    times: NDArray[np.int64]


class _ValueCounter:
    """The different values of a column so far."""

    def __init__(self, field: pa.Field, *, text: bool) -> None:
        refuse_nested(field.type, field.name)
        self._field, self._text = field, text
        self._parts: list[_Part] = []
        self._size = 0
        self._dictionary: pa.Array | None = None  # declared states, while all batches declare the same
        self._declared_alike = True

    def add(self, cells: pa.Array) -> None:
        """Take in a batch."""
        if pa.types.is_dictionary(cells.type):
            if self._dictionary is None:
                self._dictionary = cells.dictionary
            self._declared_alike &= self._dictionary.equals(cells.dictionary)
            n = len(cells.dictionary)
            indices = cells.indices.fill_null(n) if cells.null_count else cells.indices
            times = np.bincount(indices.to_numpy(zero_copy_only=False), minlength=n + 1)
            seen = np.flatnonzero(times)
            # a null is what lies beyond the dictionary
            places = pa.array(np.where(seen < n, seen, 0), mask=seen == n)
            part = _Part(cells.dictionary.take(places), times[seen])
        else:
            counted = pc.value_counts(cells)
            part = _Part(counted.field(0), counted.field(1).to_numpy(zero_copy_only=False))
        self._parts.append(part)
        self._size += len(part.values)
        if self._size > COMPACTED:
            self._compact()

    def _compact(self) -> _Part:
        values = pa.chunked_array([part.values for part in self._parts])
        times = np.concatenate([part.times for part in self._parts])
        alike = values.combine_chunks().dictionary_encode(null_encoding="encode")
        added = np.zeros(len(alike.dictionary), dtype=np.int64)
        np.add.at(added, alike.indices.to_numpy(zero_copy_only=False), times)
        self._parts = [_Part(alike.dictionary, added)]
        self._size = len(added)
        if self._size > MOST_VALUES:
            raise DataError(
                f"{self._field.name!r} has more than {MOST_VALUES:,} different values, too many to "
                f"make states of while streaming. "
                f"Cut it into bins in the file, or leave it out {leave_out(self._field.name)}."
            )
        return self._parts[0]

    def values(self, delimiter: str) -> ValueCounts:
        """Return what was collected."""
        kind = self._field.type
        if not self._parts:
            return ValueCounts(pa.array([], kind), np.zeros(0, dtype=np.int64))
        found, times = self._compact()
        if self._text:
            return ValueCounts(found, times, "text;" if delimiter == ";" else "text")
        if pa.types.is_dictionary(kind) and not any(
            b"_PL_CATEGORICAL" in key for key in self._field.metadata or {}
        ):
            common = self._dictionary if self._declared_alike else None
            return ValueCounts(found, times, "declared", common, bool(kind.ordered))
        return ValueCounts(found, times, "undeclared" if _is_text(found.type) else "plain")


def _is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))
