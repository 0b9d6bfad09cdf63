"""One column of any source, by its type, to levels and codes."""

from __future__ import annotations

import datetime as dt
import decimal
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from graphoid.data.encoding.dates import days_of
from graphoid.data.encoding.encode import (
    Encoded,
    Factor,
    Plain,
    encode_booleans,
    encode_factor,
    encode_floats,
    encode_integers,
    encode_ranked,
)
from graphoid.data.encoding.spelling import USUAL, Spelling, respell
from graphoid.data.encoding.text import encode_text, ranked_labels
from graphoid.errors import DataError, leave_out

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from graphoid.data.encoding.encode import Array

WRITTEN_OUT = ("Period", "Interval", "UUID")
"""Types, by name, whose values their text describes well; pandas, which has two of them, may be absent."""


@dataclass(frozen=True, eq=False, slots=True)
class Text:
    """A column of a text file: strings in Arrow dictionaries, not yet interpreted."""

    cells: pa.ChunkedArray
    decimal_comma: bool = False


@dataclass(frozen=True, eq=False, slots=True)
class Undeclared:
    """An Arrow dictionary that is only a way to store strings; its order means nothing."""

    cells: pa.ChunkedArray


if TYPE_CHECKING:
    RawColumn: TypeAlias = (
        Factor | Text | Undeclared | Plain | Array | pa.Array | pa.ChunkedArray | Sequence[object]
    )
    """A column as a source gives it."""


def encode(raw: RawColumn, name: str, spelling: Spelling = USUAL) -> Encoded:
    """Return a column of any source as levels and codes.

    Parameters
    ----------
    raw, name
        The column.
    spelling
        What stands for missing, and the decimal mark.

    Raises
    ------
    DataError
        If its values cannot be states: lists, structures, infinite numbers, objects of unknown types.
    """
    column = _encode(raw, name, spelling)
    return column if spelling.usual else respell(column, spelling)


def _encode(raw: RawColumn, name: str, spelling: Spelling) -> Encoded:
    if isinstance(raw, Factor):
        return encode_factor(raw, name)
    if isinstance(raw, Text):
        comma = raw.decimal_comma or spelling.decimal == ","
        return encode_text(raw.cells, name, decimal_comma=comma, na_values=spelling.na_values)
    if isinstance(raw, Undeclared):
        return _encode_dictionary(raw.cells, name, declared=False)
    if isinstance(raw, Plain):
        column = _encode_objects(raw.values, name)
        notes = (*column.notes, raw.note) if raw.note else column.notes
        return replace(column, label=raw.label, notes=notes, measure=raw.measure)
    if isinstance(raw, np.ndarray):
        return _encode_array(raw, name)
    if isinstance(raw, (pa.Array, pa.ChunkedArray)):
        return _encode_arrow(raw, name)
    return _encode_objects(raw, name)


def _encode_array(values: Array, name: str) -> Encoded:
    if values.ndim != 1:
        raise DataError(f"{name!r} is an array of shape {values.shape}; a column has one value a row.")
    missing = None
    if isinstance(values, np.ma.MaskedArray):
        missing = np.ma.getmaskarray(values)
        values = values.data
    if values.dtype.kind in "biuf":
        return _encode_numbers(values, name, missing)
    if values.dtype.kind == "c":
        raise DataError(
            f"{name!r} holds complex numbers. Complex data not supported: give real and imaginary parts as "
            f"columns of their own, or leave it out {leave_out(name)}."
        )
    return _encode_objects(
        np.ma.array(values, mask=missing).tolist() if missing is not None else values, name
    )


def refuse_nested(kind: pa.DataType, name: str) -> None:
    """Raise if a column holds lists, structures or such."""
    if isinstance(kind, pa.BaseExtensionType):
        kind = kind.storage_type
    if pa.types.is_run_end_encoded(kind):  # nested only in how it is stored
        kind = kind.value_type
    if pa.types.is_nested(kind) or pa.types.is_union(kind):
        raise DataError(
            f"{name!r} holds {kind} values; a variable has one plain value a row. "
            f"Take it apart into columns, or leave it out {leave_out(name)}."
        )


def _encode_arrow(cells: pa.Array | pa.ChunkedArray, name: str) -> Encoded:
    if isinstance(cells, pa.Array):
        cells = pa.chunked_array([cells])
    kind = cells.type
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return _encode_dictionary(cells.dictionary_encode(), name, declared=False)
    if isinstance(kind, pa.BaseExtensionType):
        return _encode_arrow(pa.chunked_array([c.storage for c in cells.chunks], kind.storage_type), name)
    if pa.types.is_run_end_encoded(kind):
        return _encode_arrow(pa.chunked_array([pc.run_end_decode(c) for c in cells.chunks]), name)
    if pa.types.is_dictionary(kind):
        return _encode_dictionary(cells, name, declared=True)
    if pa.types.is_null(kind):
        return Encoded([], np.zeros(len(cells), dtype=np.uint8), len(cells))
    if pa.types.is_integer(kind) or pa.types.is_boolean(kind) or pa.types.is_floating(kind):
        return _encode_arrow_numbers(cells, name)
    if pa.types.is_decimal(kind):
        return _encode_arrow_numbers(pc.cast(cells, pa.float64(), safe=False), name)
    if pa.types.is_duration(kind):
        ticks = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[kind.unit]  # a second, whatever they count
        seconds = pc.divide(pc.cast(pc.cast(cells, pa.int64()), pa.float64(), safe=False), float(ticks))
        return _encode_arrow_numbers(seconds, name)
    refuse_nested(kind, name)
    try:
        text = pa.large_string() if pa.types.is_large_binary(kind) else pa.string()
        strings = _times(cells) if pa.types.is_timestamp(kind) else pc.cast(cells, text)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):  # the latter: Arrow has no such cast
        raise DataError(
            f"{name!r} holds {kind} values, which cannot be read as text. "
            f"Convert it, or leave it out {leave_out(name)}."
        ) from None
    return _encode_dictionary(strings.dictionary_encode(), name, declared=False)


def _times(cells: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return points in time as text, no finer than they are: 2020-01-31, or 2020-01-31 12:00:00.

    How fine a library stores them (pandas and polars differ) then leaves no trace in the states.
    """
    for unit in ("s", "ms", "us"):
        try:
            cells = pc.cast(cells, pa.timestamp(unit, cells.type.tz))
        except pa.ArrowInvalid:
            continue
        break
    text = pc.cast(cells, pa.string())
    midnight = pc.ends_with(text, " 00:00:00")
    if pc.all(midnight, min_count=0).as_py():
        return pc.replace_substring(text, " 00:00:00", "")
    return text


def _encode_arrow_numbers(cells: pa.ChunkedArray, name: str) -> Encoded:
    missing = None
    if cells.null_count:
        missing = pc.is_null(cells).to_numpy()
        cells = pc.fill_null(cells, pa.scalar(0).cast(cells.type))
    values = cells.to_numpy() if cells.num_chunks != 1 else cells.chunk(0).to_numpy(zero_copy_only=False)
    return _encode_numbers(values, name, missing)


def _encode_numbers(values: Array, name: str, missing: NDArray[np.bool_] | None) -> Encoded:
    kind = values.dtype.kind
    if kind == "b":
        return encode_booleans(np.ascontiguousarray(values), missing)
    return encode_floats(values, name, missing) if kind == "f" else encode_integers(values, missing)


def _encode_dictionary(cells: pa.ChunkedArray, name: str, *, declared: bool) -> Encoded:
    """Encode an Arrow dictionary; one that declares states keeps their order and those that do not occur.

    Chunks that bring different dictionaries (row groups of a file) declare no common order: then the states
    are sorted, unless the type says that it is ordered.
    """
    if not len(cells):
        return Encoded([], np.zeros(0, dtype=np.uint8))
    kind = cells.type.value_type
    if pa.types.is_nested(kind):
        raise DataError(
            f"{name!r} has states of type {kind}; a state is a plain value. Leave it out {leave_out(name)}."
        )
    if not declared or pa.types.is_null(kind):
        if not (pa.types.is_string(kind) or pa.types.is_large_string(kind)):
            return _encode_arrow(cells.cast(kind), name)
    else:
        first = cells.chunk(0).dictionary
        if any(not chunk.dictionary.equals(first) for chunk in cells.chunks[1:]) and not cells.type.ordered:
            column = _encode_arrow(cells.cast(kind), name)
            return replace(column, declared=True)
    if cells.null_count == len(cells) and not declared:  # there may be no level to point to
        return Encoded([], np.zeros(len(cells), dtype=np.uint8), len(cells))
    filled = next((chunk.dictionary for chunk in cells.chunks if len(chunk.dictionary)), None)
    if filled is None:
        return Encoded([], np.zeros(len(cells), dtype=np.uint8), len(cells), declared=declared)
    missing = pc.is_null(cells).to_numpy() if cells.null_count else None
    if missing is not None:  # a chunk without a level to point to takes those of another
        cells = pa.chunked_array(
            [
                pa.DictionaryArray.from_arrays(
                    c.indices.fill_null(0), c.dictionary if len(c.dictionary) else filled
                )
                for c in cells.chunks
            ]
        )
    whole = cells.chunk(0) if cells.num_chunks == 1 else cells.combine_chunks()
    indices, labels = whole.indices.to_numpy(zero_copy_only=False), whole.dictionary
    if declared:
        return encode_factor(_factor(indices, labels, missing, ordered=cells.type.ordered), name)
    if missing is not None:
        indices = np.where(missing, len(labels), indices)
    days = days_of(labels)
    levels, ranks = ranked_labels(labels) if days is None else np.unique(days, return_inverse=True)
    column = encode_ranked(indices, np.append(ranks, len(levels)), levels)
    return column if days is None else replace(column, dates=True, ordered=True)


def _factor(
    indices: NDArray[np.integer], labels: pa.Array, missing: NDArray[np.bool_] | None, *, ordered: bool
) -> Factor:
    """Return declared states without the nulls and the repetitions that Arrow allows in a dictionary."""
    values = labels.to_pylist()
    different = {(type(value), value): value for value in values if not _absent(value)}
    places = {key: i for i, key in enumerate(different)}
    ranks = np.array([-1 if _absent(v) else places[type(v), v] for v in values])
    codes = ranks[indices]
    if missing is not None:
        codes[missing] = -1
    return Factor(codes, list(different.values()), ordered)


def _encode_objects(values: Iterable[object], name: str) -> Encoded:
    """Encode Python objects: of one type as that type, of several types as text."""
    try:
        array = pa.array(values, from_pandas=True)
    except (pa.ArrowException, UnicodeError, OverflowError, TypeError, ValueError):
        return _encode_mixed(values, name)
    return _encode_arrow(array, name)


def _encode_mixed(values: Iterable[object], name: str) -> Encoded:
    plain = (str, bool, int, float, decimal.Decimal, dt.date, dt.time, np.generic)
    cells: list[str | None] = []
    kinds: set[str] = set()
    try:
        objects = list(values)
    except TypeError:
        raise DataError(f"{name!r} is a {type(values).__name__}, not a column of values.") from None
    for value in objects:
        if _absent(value):
            cells.append(None)
            continue
        if not isinstance(value, plain) and type(value).__name__ not in WRITTEN_OUT:
            raise DataError(
                f"{name!r} holds a {type(value).__name__}; a variable has one plain value a row. "
                f"Turn it into text or numbers, or leave it out {leave_out(name)}."
            )
        kinds.add(type(value).__name__)
        cells.append(str(value).encode("utf-8", "backslashreplace").decode())
    exact = not any(isinstance(value, int) and abs(value) > 1 << 53 for value in objects)  # as floats
    if kinds <= {"bool", "int", "float"} and len(kinds) > 1 and exact:
        numbers = [float(value) if isinstance(value, (int, float)) else np.nan for value in objects]
        return encode_floats(np.array(numbers), name)
    column = _encode_arrow(pa.array(cells, pa.string()), name)
    if len(kinds) > 1:
        return replace(
            column, notes=(f"{name!r} mixes {' and '.join(sorted(kinds))} values; all are taken as text.",)
        )
    return column


def _absent(value: object) -> bool:
    """Say whether a Python object stands for a missing value; pandas has two of its own."""
    if value is None or type(value).__name__ in {"NAType", "NaTType"}:
        return True
    if isinstance(value, decimal.Decimal):
        return value.is_nan()
    return isinstance(value, (float, np.floating, np.datetime64)) and bool(value != value)  # NaN
