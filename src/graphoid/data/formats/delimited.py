"""CSV, TSV and their kin: parsed by Arrow as text, so that no guess at a type can fail half-way down."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.csv

from graphoid.data.encoding.columns import Text
from graphoid.data.formats.files import check_encoding, lines_of, stream
from graphoid.data.source import Source
from graphoid.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

DELIMITERS = {".csv": ",;\t|", ".tsv": "\t,;|", ".txt": "\t,;|"}
"""Tried in this order: the first that the header has."""

_NAMES = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "vertical bars"}

BLOCK = 4 << 20
"""Bytes that Arrow parses at a time; large enough for its threads, small beside the table."""

ROWS_PER_BLOCK = 1024
"""A block has about as many rows at least, so that very wide files do not fall apart into tiny pieces."""

LARGEST_BLOCK = 1 << 30
"""Arrow counts the bytes of a block in 32 bits."""

RAGGED_SHOWN = 5
"""Lines named in a message; the rest are counted."""


def from_delimited(path: Path) -> Source:
    """Return a delimited text file as a source.

    The encoding is UTF-8, with or without a byte-order mark. The first line names the columns. The delimiter
    is a comma (``.csv``) or a tab (``.tsv``, ``.txt``) unless the header has none and has another usual one.
    Lines without any character are passed over.
    """
    header, delimiter, n_blank, size = header_of(path)
    notes = []
    if delimiter != DELIMITERS[_suffix(path)][0]:
        notes.append(f"Fields are separated by {_NAMES[delimiter]}, as in the header.")
    table, n_ragged = _parse(path, len(header), delimiter, n_blank, size)
    problems = (_ragged_error(path, len(header), delimiter, n_ragged),) if n_ragged else ()
    columns: list[Any] = table.columns
    n_rows = table.num_rows
    del table

    def load(positions: Sequence[int]) -> Iterator[Any]:
        for i in positions:
            yield Text(columns[i], decimal_comma=delimiter == ";")

    return Source(header, n_rows, load, problems=problems, notes=tuple(notes))


def _suffix(path: Path) -> str:
    return (path.with_suffix("") if path.suffix.lower() == ".gz" else path).suffix.lower()


def header_of(path: Path) -> tuple[list[str], str, int, int]:
    """Return the names of the columns, the delimiter, how many blank lines come first, a line's length."""
    n_blank = 0
    with lines_of(path) as lines:
        first = lines.readline()
        while first and not first.strip("\r\n"):
            first = lines.readline()
            n_blank += 1
        if not first:
            raise DataError(f"{path.name} is empty. Expected a line of column names and rows below it.")
        usual = DELIMITERS[_suffix(path)]
        delimiter = next((mark for mark in usual if mark in first), usual[0])
    with lines_of(path) as lines:
        try:
            header = next(record for record in csv.reader(lines, delimiter=delimiter) if record)
        except csv.Error as error:
            raise DataError(f"{path.name} has a first line that cannot be parsed: {error}.") from error
        if not any(line.strip("\r\n") for line in lines):
            raise DataError(f"{path.name} has a header ({len(header):,} columns) and no rows.")
    return [name.strip() for name in header], delimiter, n_blank, len(first)


def _parse(
    path: Path, n_columns: int, delimiter: str, n_blank: int, line_length: int
) -> tuple[pa.Table, int]:
    """Return all cells as strings, and how many rows were left out for having a wrong number of fields."""
    ragged: list[int] = []

    def note_ragged(row: Any) -> str:
        ragged.append(row.actual_columns)
        return "skip"

    cells = pa.dictionary(pa.int32(), pa.string())
    reading, parsing, converting = text_options(n_columns, delimiter, n_blank, line_length, cells)
    parsing.invalid_row_handler = note_ragged
    while True:
        ragged.clear()
        try:
            with stream(path) as file:
                return pyarrow.csv.read_csv(file, reading, parsing, converting), len(ragged)
        except pa.ArrowInvalid as error:
            check_encoding(path)
            # A row longer than a block is the other reason to fail; it is gone once the block holds the file.
            if reading.block_size == LARGEST_BLOCK:
                raise DataError(f"{path.name} cannot be parsed: {' '.join(str(error).split())}") from error
            reading.block_size = LARGEST_BLOCK


def text_options(
    n_columns: int, delimiter: str, n_blank: int, line_length: int, cells: Any = None
) -> tuple[Any, Any, Any]:
    """Return how Arrow reads, parses and converts a text file: strings, in columns "0", "1", ..."""
    names = [str(i) for i in range(n_columns)]
    block = min(max(BLOCK, ROWS_PER_BLOCK * line_length), LARGEST_BLOCK)
    # The header is a row like any other to Arrow, because names that repeat would confuse it.
    reading = pyarrow.csv.ReadOptions(
        column_names=names, skip_rows=n_blank, skip_rows_after_names=1, block_size=block
    )
    parsing = pyarrow.csv.ParseOptions(delimiter=delimiter, newlines_in_values=True)
    kind = pa.string() if cells is None else cells
    converting = pyarrow.csv.ConvertOptions(
        column_types=dict.fromkeys(names, kind), strings_can_be_null=False
    )
    return reading, parsing, converting


def _ragged_error(path: Path, n_columns: int, delimiter: str, n_ragged: int) -> DataError:
    """Return the error for rows with too few or too many fields, with the lines they end on."""
    found = []
    with lines_of(path) as lines:
        records = csv.reader(lines, delimiter=delimiter)
        try:
            for record in records:
                if record and len(record) != n_columns:
                    found.append(f"line {records.line_num:,} has {len(record):,}")
                    if len(found) == min(RAGGED_SHOWN, n_ragged):
                        break
        except csv.Error:
            pass  # the count alone, then
    where = ": " + ", ".join(found) if found else ""
    more = f" and {n_ragged - len(found):,} more" if n_ragged > len(found) > 0 else ""
    return DataError(
        f"{n_ragged:,} row(s) of {path.name} do not have {n_columns:,} fields as the header has{where}{more}."
        f" Mend the line(s); a value that contains the delimiter must be in quotes."
    )
