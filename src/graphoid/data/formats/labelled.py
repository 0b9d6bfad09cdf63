"""Files that declare their states: SPSS with value labels, ARFF with nominal attributes."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from graphoid.data.encoding.discretize import FEW
from graphoid.data.encoding.encode import Factor, Plain
from graphoid.data.formats.files import open_text
from graphoid.data.formats.sav import check_sav
from graphoid.data.source import Source
from graphoid.errors import DataError, missing_extra, sentence
from graphoid.limits import MEMORY, memory_limit

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path
    from typing import TextIO

    from graphoid.data.encoding.columns import RawColumn

    Cell = float | str
    """A value of an SPSS file, apart from dates, which have no labels."""


_WORD = r"(?>'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|[^\s,{}]*)"
_NOMINAL = re.compile(rf"@attribute\s++{_WORD}\s++(\{{.*)", re.IGNORECASE)
_VALUES = re.compile(rf"\{{\s*+{_WORD}\s*+(?:,\s*+{_WORD}\s*+)*+\}}")
"""A list of values, by a pattern that never goes back."""

LONGEST_LINE = 1 << 26
"""Characters of a line of ARFF: a row of 100,000 columns has a few million."""

ROW, PLACE, VALUE = 72, 8, 32
"""Bytes that the library takes for a row, for a place in it, and for a value that is none of a list."""


def from_arff(path: Path) -> Source:
    """Return an ARFF file as a source; nominal attributes keep the states and the order they declare."""
    try:
        import arff
    except ImportError:
        raise missing_extra("reading ARFF files", "arff") from None

    try:
        with open_text(path) as file:
            content = arff.load(_checked_lines(file, path), encode_nominal=True)
    except (UnicodeDecodeError, DataError):
        raise
    except arff.ArffException as error:  # whose own text fails where a name has a percent sign
        raise _refusal(path, (error.message or "").replace("%d", str(error.line))) from error
    except (ValueError, IndexError) as error:
        raise _refusal(path, str(error)) from error
    rows = content["data"]
    attributes = content["attributes"]

    def load(positions: Sequence[int]) -> Iterator[RawColumn]:
        for i in positions:
            cells = [row[i] for row in rows]
            states = attributes[i][1]
            if isinstance(states, list):
                codes = np.array([-1 if cell is None else cell for cell in cells], dtype=np.int64)
                yield Factor(codes, states)
            else:
                yield cells

    return Source([name for name, _ in attributes], len(rows), load)


def _refusal(path: Path, why: str) -> DataError:
    return DataError(f"{path.name} cannot be read as ARFF: {sentence(why)}")


def _checked_lines(file: TextIO, path: Path) -> Iterator[str]:
    """Yield the lines of an ARFF file; the library takes years over a list of values that is not closed.

    It keeps all rows as Python's lists, which a packed file may have more of than there is memory.
    """
    header, a_row, n_bytes, limit = True, ROW, 0, memory_limit()
    for number, line in enumerate(iter(partial(file.readline, LONGEST_LINE), ""), start=1):
        if len(line) == LONGEST_LINE:
            raise _refusal(path, f"line {number:,} has more than {LONGEST_LINE:,} characters.")
        header = header and line.strip().lower() != "@data"
        listed = _NOMINAL.match(line.strip()) if header else None
        if listed and not _VALUES.fullmatch(listed[1]):
            raise _refusal(
                path, f"the values in line {number:,} are not a list such as {{yes, no, 'do not know'}}."
            )
        if header and line.lstrip()[:10].lower() == "@attribute":
            a_row += PLACE if listed else PLACE + VALUE
        n_bytes += len(line) if header else len(line) + a_row
        if limit is not None and n_bytes > limit:
            raise DataError(
                f"{path.name} does not fit into memory: its first {number:,} lines take "
                f"{n_bytes / 2**30:,.1f} GiB. Write it as CSV or Parquet, or raise {MEMORY} (bytes)."
            )
        yield line


def from_spss(path: Path) -> Source:
    """Return an SPSS file as a source.

    Value labels become states, in the order of the values; values that the file calls missing are missing,
    and so is empty text. A variable with labels for some of its values only (the ends of a scale) gets the
    numbers as labels of the others, unless these are many: then it is a number, and the labels are not used.
    Measure levels are taken at their word.
    """
    try:
        import pyreadstat
    except ImportError:
        raise missing_extra("reading SPSS files", "survey") from None
    check_sav(path)
    try:
        # Which values are user-defined missing is told only when asked to keep them, hence the second look.
        cells, about = pyreadstat.read_sav(str(path), output_format="dict")
        _, declared = pyreadstat.read_sav(str(path), metadataonly=True, user_missing=True)
    except (
        pyreadstat.ReadstatError,
        pyreadstat.PyreadstatError,
        ArithmeticError,
        LookupError,
        ValueError,
        MemoryError,
    ) as error:
        if isinstance(error, IndexError):  # of lists with as many places as were promised
            why = "it promises fewer rows than it holds. Is it damaged?"
        else:
            why = sentence(str(error).strip() or "there is no memory for what it promises")
        raise DataError(f"{path.name} cannot be read as SPSS: {why}") from error
    names = list(about.column_names)
    if None in names:
        raise DataError(f"{path.name} cannot be read as SPSS: variable {names.index(None) + 1} has no name.")

    def load(positions: Sequence[int]) -> Iterator[RawColumn]:
        for i in positions:
            name = names[i]
            labels = _used_labels(
                about.variable_value_labels.get(name, {}), declared.missing_ranges.get(name, [])
            )
            yield _spss_column(
                list(cells[name]),
                labels,
                name,
                measure=about.variable_measure.get(name, "unknown").replace("unknown", ""),
                label=about.column_names_to_labels.get(name) or "",
            )

    n_rows = len(cells[names[0]]) if names else 0
    return Source(names, n_rows, load)


def _used_labels(labels: Mapping[Cell, str], ranges: Sequence[Mapping[str, Cell]]) -> dict[Cell, str]:
    """Return value labels but for those of user-defined missing values."""

    def is_missing(value: Cell) -> bool:
        return any(
            r["lo"] <= value <= r["hi"]  # type: ignore[operator]
            for r in ranges
            if isinstance(value, str) == isinstance(r["lo"], str)
        )

    return {value: text for value, text in sorted(labels.items()) if not is_missing(value)}


def _spss_column(
    cells: Sequence[Cell | None], labels: Mapping[Cell, str], name: str, *, measure: str, label: str
) -> Factor | Plain:
    values = [None if cell is None or cell == "" or cell != cell else cell for cell in cells]
    occurring = {value for value in values if value is not None}
    unlabelled = occurring - labels.keys()
    if not labels or (unlabelled and len(occurring) > FEW):
        note = (
            f"The value labels of {name!r} are not used: {len(unlabelled):,} values have none."
            if labels
            else ""
        )
        return Plain(values, label, note, measure)
    different = sorted(occurring | labels.keys())
    texts = [labels.get(value, _number(value)) for value in different]
    if len(set(texts)) < len(texts):  # two values with one label stay two states
        texts = [f"{text} ({_number(value)})" for text, value in zip(texts, different, strict=True)]
    places = {value: i for i, value in enumerate(different)}
    codes = np.array([-1 if value is None else places[value] for value in values], dtype=np.int64)
    return Factor(codes, texts, measure in {"ordinal", "scale"}, label, measure)


def _number(value: Cell) -> str:
    return f"{value:.0f}" if isinstance(value, float) and value.is_integer() else str(value)
