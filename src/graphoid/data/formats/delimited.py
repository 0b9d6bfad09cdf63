"""CSV, TSV and their kin: parsed by Arrow as text, so that no guess at a type can fail half-way down."""

from __future__ import annotations

import contextlib
import csv
import gzip
import re
import sys
from typing import TYPE_CHECKING, NamedTuple

import pyarrow as pa
import pyarrow.csv

from graphoid.data.encoding.columns import Text
from graphoid.data.formats.files import SCANNED, WatchedText, check_encoding, open_text
from graphoid.data.source import Source, refuse_wide
from graphoid.errors import DataError, sentence
from graphoid.limits import memory_limit

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

COMMA_FIRST, TAB_FIRST = ",;\t|", "\t,;|"
"""Delimiters of ``.csv`` and of other files, tried in this order: the first that the header has."""

_NAMES = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "vertical bars"}

_QUOTED = re.compile(r'"[^"]*"')
"""A name in quotes, which may contain any delimiter."""

BLOCK = 4 << 20
"""Bytes that Arrow parses at a time; large enough for its threads, small beside the table."""

ROWS_PER_BLOCK = 1024
"""A block has about as many rows at least, so that very wide files do not fall apart into tiny pieces."""

LARGEST_BLOCK = 1 << 30
"""Arrow counts the bytes of a block in 32 bits."""

LONGEST_HEADER = 1 << 26
"""Characters of a first line: as many columns as can be read have fewer."""

MOST_BLANK = 1 << 16
"""Blank lines that may come before it."""

RAGGED_SHOWN = 5
"""Lines named in a message; the rest are counted."""


class Header(NamedTuple):
    """What the first line says about a file."""

    names: list[str]
    delimiter: str
    n_blank: int
    """Blank lines that come first."""
    line_length: int
    notes: tuple[str, ...]
    """What is unusual."""

    def arrow_options(
        self, cells: pa.DataType
    ) -> tuple[pyarrow.csv.ReadOptions, pyarrow.csv.ParseOptions, pyarrow.csv.ConvertOptions]:
        """Return how Arrow reads, parses and converts the file: strings, in columns "0", "1", ..."""
        names = [str(i) for i in range(len(self.names))]
        block = min(max(BLOCK, ROWS_PER_BLOCK * self.line_length), LARGEST_BLOCK)
        # The header is a row like any other to Arrow, because names that repeat would confuse it.
        reading = pyarrow.csv.ReadOptions(
            column_names=names, skip_rows=self.n_blank, skip_rows_after_names=1, block_size=block
        )
        parsing = pyarrow.csv.ParseOptions(delimiter=self.delimiter, newlines_in_values=True)
        converting = pyarrow.csv.ConvertOptions(
            column_types=dict.fromkeys(names, cells), strings_can_be_null=False
        )
        return reading, parsing, converting


def from_delimited(path: Path) -> Source:
    """Return a delimited text file as a source.

    The encoding is UTF-8, with or without a byte-order mark. The first line names the columns. The delimiter
    is a comma (``.csv``) or a tab (``.tsv``, ``.txt``) unless the header has none and has another usual one.
    Lines without any character are passed over.
    """
    header = read_header(path)
    reading, parsing, converting = header.arrow_options(pa.dictionary(pa.int32(), pa.string()))
    ragged: list[int] = []  # rows left out, for they have a wrong number of fields

    def skip_ragged(row: pyarrow.csv.InvalidRow) -> str:
        ragged.append(row.actual_columns)
        return "skip"

    parsing.invalid_row_handler = skip_ragged
    while True:
        ragged.clear()
        try:
            with open_text(path) as file, _quiet_rows():
                packed = isinstance(file.buffer, gzip.GzipFile)
                watched = WatchedText(file.buffer, path.name, memory_limit() if packed else None)
                table = pyarrow.csv.read_csv(watched, reading, parsing, converting)
            if packed:
                watched.check_memory()
            break
        except pa.ArrowInvalid as error:
            check_encoding(path)
            # A row longer than a block is the other reason to fail; it is gone once the block holds the file.
            if reading.block_size == LARGEST_BLOCK:
                raise DataError(f"{path.name} cannot be parsed: {sentence(error)}") from error
            reading.block_size = LARGEST_BLOCK
    columns, n_rows = table.columns, table.num_rows
    del table
    check_quotes(path, header, watched, n_rows + len(ragged))
    decimal_comma = header.delimiter == ";"
    return Source(
        header.names,
        n_rows,
        lambda positions: (Text(columns[i], decimal_comma) for i in positions),
        problems=(_ragged_error(path, header, len(ragged)),) if ragged else (),
        notes=header.notes,
    )


@contextlib.contextmanager
def _quiet_rows() -> Iterator[None]:
    """While inside, Arrow prints no traceback of a ragged row that is not UTF-8: the file is refused."""
    before = sys.unraisablehook

    def hook(raised: sys.UnraisableHookArgs) -> None:
        if not isinstance(raised.exc_value, UnicodeDecodeError):
            before(raised)

    sys.unraisablehook = hook
    try:
        yield
    finally:
        sys.unraisablehook = before


def read_header(path: Path) -> Header:
    """Return what the first line of a file says."""
    usual = COMMA_FIRST if path.name.lower().endswith((".csv", ".csv.gz")) else TAB_FIRST
    n_blank = 0
    with open_text(path) as lines:
        first = lines.readline(LONGEST_HEADER)
        while first and not first.strip("\r\n") and n_blank < MOST_BLANK:
            first = lines.readline(LONGEST_HEADER)
            n_blank += 1
        if len(first) == LONGEST_HEADER:
            raise DataError(f"{path.name} has a first line of more than {LONGEST_HEADER:,} characters.")
        if not first.strip("\r\n"):
            raise DataError(f"{path.name} is empty. Expected a line of column names and rows below it.")
        delimiter = next((mark for mark in usual if mark in _QUOTED.sub("", first)), usual[0])
        open_quote = (
            f"{path.name} has a quote in line {n_blank + 1:,} that is not closed. Close it, or leave it out."
        )
        lines.seek(0)
        try:
            names = next(record for record in csv.reader(lines, delimiter=delimiter) if record)
        except csv.Error as error:
            if _ends_in_quotes(first, delimiter):
                raise DataError(open_quote) from error
            raise DataError(f"{path.name} has a first line that cannot be parsed: {error}.") from error
        refuse_wide(path.name, len(names), "keep the columns that matter in a file of their own")
        if not any(text.strip("\r\n") for text in iter(lambda: lines.read(SCANNED), "")):
            if _ends_in_quotes(first, delimiter):
                raise DataError(open_quote)
            raise DataError(f"{path.name} has a header ({len(names):,} columns) and no rows.")
    usually = delimiter == usual[0]
    notes = () if usually else (f"Fields are separated by {_NAMES[delimiter]}, as in the header.",)
    return Header([name.strip() for name in names], delimiter, n_blank, len(first), notes)


def check_quotes(path: Path, header: Header, watched: WatchedText, n_rows: int) -> None:
    """Raise the error for a quote that is not closed, and so makes many lines one value.

    A value may have lines of its own in quotes. That is looked into only where a file has other than one
    line a row, or ends within quotes.

    Parameters
    ----------
    path, header
        The file.
    watched
        Its bytes, all of them read.
    n_rows
        Rows that were found in it.
    """
    n_lines = watched.line_ends + (len(watched.tail) > 0 and not watched.tail.endswith(b"\n"))
    last = watched.tail.rstrip(b"\r\n").rpartition(b"\n")[2].decode("utf-8", "replace")
    within = '"' in last and _ends_in_quotes(last, header.delimiter)
    if n_lines == header.n_blank + 1 + n_rows and not within:
        return
    latest = ""

    def remember(line: str) -> str:
        nonlocal latest
        latest = line
        return line

    with open_text(path) as lines:
        records = csv.reader(map(remember, lines), delimiter=header.delimiter, strict=True)
        while True:
            start = records.line_num + 1
            try:
                next(records)
            except StopIteration:
                return
            except csv.Error as error:
                if records.line_num == start and not _ends_in_quotes(latest, header.delimiter):
                    continue  # "a"b is an odd way to write ab
                raise DataError(
                    f"{path.name} has a quote in the row of line {start:,} that is not closed: what follows, "
                    f"to line {records.line_num:,}, would be one value. Close it, or leave it out."
                ) from error


def _ends_in_quotes(line: str, delimiter: str) -> bool:
    """Say whether a line that begins a row does not end it."""
    records = csv.reader([line, '"'], delimiter=delimiter)
    try:
        next(records)
    except csv.Error:  # longer than a field may be for csv
        return line.count('"') % 2 == 1
    return records.line_num > 1


def _ragged_error(path: Path, header: Header, n_ragged: int) -> DataError:
    """Return the error for rows with too few or too many fields, with the lines they end on."""
    found, n_columns = [], len(header.names)
    with open_text(path) as lines:
        records = csv.reader(lines, delimiter=header.delimiter)
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
