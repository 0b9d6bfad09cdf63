"""What the text of a cell means: missing, a truth value, a number, or a label."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from graphoid.data.encoding.dates import days_of
from graphoid.data.encoding.encode import Encoded, encode_ranked, refuse_infinite

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from graphoid.data.encoding.encode import Levels

MISSING = (
    "", "?", "NA", "N/A", "n/a", "#N/A", "#NA", "<NA>", "NaN", "nan", "NAN", "-nan", "-NaN", "NaT",
    "null", "NULL", "Null", "#NULL!", "None",
)  # fmt: skip
"""Cells of a text file that are missing, after blanks around them are gone. What R, pandas, SQL, Python,
Excel, SPSS and Weka write; 'none' and '-' are answers in many a survey and are not among them."""

_MISSING = pa.array(MISSING)

NUMBER = r"^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$"
"""What looks like a number, in a column that also has text."""

GROUPED = r"^[+-]?\d{1,3}(\.\d{3})+,\d+$"
"""A number with a decimal comma whose points group thousands: 1.234,50."""

REMEMBERED = 64
"""Labels of columns with at most this many are interpreted once for all columns that have the same: a wide
table of answers on one scale is read ten times faster."""


@dataclass(frozen=True, eq=False, slots=True)
class Meaning:
    """What the labels of a column mean."""

    levels: Levels
    """The different values, in order."""
    ranks: NDArray[np.int64]
    """The level of every label; ``len(levels)`` where it is missing."""
    spelled: tuple[str, ...]
    """The labels of missing cells."""
    mixed: tuple[str, str] | None = None
    """A number and a text, if there are both."""
    dates: bool = False
    """Whether the levels are days."""


def encode_text(
    cells: pa.ChunkedArray,
    name: str,
    *,
    decimal_comma: bool = False,
    na_values: frozenset[str] = frozenset(),
) -> Encoded:
    """Return a column of a text file by the meaning of its labels.

    Every cell is first a label; then the labels, usually few, are interpreted: all integers, all numbers, all
    truth values, or text. One odd cell half-way down a file therefore never fails, and ``0.10`` is ``0.1``.
    With ``decimal_comma``, as in files separated by semicolons, ``1,5`` may be a number. What ``na_values``
    has is missing, too.
    """
    whole = cells.chunk(0) if cells.num_chunks == 1 else cells.combine_chunks()
    indices, labels = whole.indices.to_numpy(zero_copy_only=False), whole.dictionary
    if len(labels) <= REMEMBERED:
        meaning = interpret(tuple(labels.to_pylist()), decimal_comma=decimal_comma, na_values=na_values)
    else:
        meaning = interpret.__wrapped__(labels, decimal_comma=decimal_comma, na_values=na_values)
    notes: tuple[str, ...] = ()
    if meaning.mixed is not None:
        number, text = meaning.mixed
        notes = (f"{name!r} has numbers ({number}) and text ({text!r}); all are taken as text.",)
    numeric = isinstance(meaning.levels, np.ndarray)
    if numeric and np.isinf(meaning.levels).any():
        infinite = np.append(np.isinf(meaning.levels), False)  # nor is a missing cell
        refuse_infinite(infinite[meaning.ranks[indices]], name)
    column = encode_ranked(
        indices, meaning.ranks, meaning.levels, ordered=numeric, spelled=meaning.spelled, notes=notes
    )
    return replace(column, dates=True) if meaning.dates else column


@lru_cache(maxsize=1024)
def interpret(
    labels: Sequence[str] | pa.Array,
    *,
    decimal_comma: bool = False,
    na_values: frozenset[str] = frozenset(),
) -> Meaning:
    """Return what the different labels of a column mean."""
    trimmed = pc.utf8_trim_whitespace(pa.array(labels, pa.string()))
    known = pa.array([*MISSING, *sorted(na_values)]) if na_values else _MISSING
    absent = np.asarray(pc.is_in(trimmed, value_set=known))
    present = trimmed.filter(pa.array(~absent))
    spelled = tuple(sorted(set(trimmed.filter(pa.array(absent)).to_pylist())))
    levels: Levels
    mixed = days = None
    numbers = _numbers(present, decimal_comma=decimal_comma)
    if len(present) and numbers is not None:
        levels, slots = np.unique(numbers, return_inverse=True)
    elif (days := days_of(present)) is not None:
        levels, slots = np.unique(days, return_inverse=True)
    else:
        levels, slots = ranked_labels(present)
        if levels and {str(level).lower() for level in levels[:5]} <= {"true", "false"}:
            truth = [str(level).lower() == "true" for level in levels]  # True, true, FALSE, ...
            levels = sorted(set(truth))
            slots = np.array([levels.index(truth[slot]) for slot in slots], dtype=np.int64)
        else:
            number = pc.match_substring_regex(present, NUMBER)
            if pc.any(number).as_py() and not pc.all(number).as_py():
                mixed = present.filter(number)[0].as_py(), present.filter(pc.invert(number))[0].as_py()
    ranks = np.full(len(labels), len(levels), dtype=np.int64)
    ranks[~absent] = slots
    return Meaning(levels, ranks, spelled, mixed, days is not None)


def missing_text(cells: pa.Array) -> NDArray[np.bool_]:
    """Return which cells of a text file are missing."""
    return np.asarray(pc.is_in(pc.utf8_trim_whitespace(cells), value_set=_MISSING))


def ranked_labels(labels: pa.Array) -> tuple[list[str], NDArray[np.int64]]:
    """Return the different labels by code point, and the rank of each label among them."""
    if len(labels) <= REMEMBERED:  # few: Python, which sorts by code point, too, is done before Arrow begins
        values = labels.to_pylist()
        levels = sorted(set(values))
        places = {level: rank for rank, level in enumerate(levels)}
        return levels, np.array([places[value] for value in values], dtype=np.int64)
    encoded = labels.dictionary_encode()
    order = pc.sort_indices(encoded.dictionary).to_numpy()
    ranks = np.empty(len(order), dtype=np.int64)
    ranks[order] = np.arange(len(order))
    return encoded.dictionary.take(pa.array(order)).to_pylist(), ranks[encoded.indices.to_numpy()]


def _numbers(labels: pa.Array, *, decimal_comma: bool) -> NDArray[np.number] | None:
    """Return labels as numbers if all of them are: integers where all are whole."""
    if pc.any(pc.starts_with(labels, "0")).as_py() and pc.all(pc.utf8_is_digit(labels)).as_py():
        lengths = pc.min_max(pc.utf8_length(labels)).as_py()
        if lengths["min"] == lengths["max"] > 1:
            return None  # codes such as 00501 and 90210, whose leading zeros a number would lose
    if decimal_comma:
        if pc.any(pc.match_substring_regex(labels, GROUPED)).as_py():
            labels = pc.replace_substring(labels, ".", "")
        labels = pc.replace_substring(labels, ",", ".")
    try:
        if not pc.any(
            pc.match_substring(labels, "x", ignore_case=True)
        ).as_py():  # Arrow would read 0x1F as 31
            return np.asarray(pc.cast(labels, pa.int64()).to_numpy())
    except pa.ArrowInvalid:
        pass
    try:
        numbers = pc.cast(labels, pa.float64()).to_numpy() + 0.0
    except pa.ArrowInvalid:
        return None
    whole = np.abs(numbers) <= 2.0**53
    if whole.all() and np.array_equal(numbers, np.rint(numbers)):
        return np.asarray(numbers.astype(np.int64))
    if np.any(~whole & np.isfinite(numbers)) and len(np.unique(numbers)) < len(labels):
        return None  # numbers of too many digits to be told apart as numbers; as labels they can
    return np.asarray(numbers)
