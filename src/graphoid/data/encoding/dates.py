"""Dates: text and points in time become days, and days become an ordered column of days, months or years."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from graphoid.data.encoding.discretize import FEW

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Literal

    from numpy.typing import NDArray

    from graphoid.data.encoding.encode import Encoded, Levels
    from graphoid.data.variables import Kind

    Unit = Literal["day", "month", "year"]

ISO = r"^\d{4}-\d{2}-\d{2}([ T]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?$"
"""2024-03-31, also with a time of day, which is passed over."""

WRITTEN = r"^\d{1,2}[./-]\d{1,2}[./-](\d{4}|\d{2})([ T]\d{1,2}:\d{2}(:\d{2})?)?$"
"""31.3.2024, 31/3/24, 3/31/2024."""

GROUPS = r"^(?P<a>\d{1,2})(?P<mark>[./-])(?P<b>\d{1,2})[./-](?P<year>\d{4}|\d{2})(?:$|[ T])"
"""Its parts."""

PIVOT = 69
"""Years of two digits from here on are of the last century, as in POSIX."""

MOST_MONTHS = 36
"""Dates that span at most three years are taken by month: beyond, months have too few rows each."""


def days_of(labels: pa.Array) -> NDArray[np.int64] | None:
    """Return labels as days since 1970 if all of them are dates and it is clear which, or None."""
    if not len(labels) or not pc.match_substring_regex(labels[:1], f"{ISO}|{WRITTEN}")[0].as_py():
        return None
    if pc.all(pc.match_substring_regex(labels, ISO), min_count=0).as_py():
        days = _to_days(pc.utf8_slice_codeunits(labels, 0, 10))
        within_a_day = days is not None and len(labels) > 1 and (days == days[0]).all()
        return None if within_a_day else days
    if not pc.all(pc.match_substring_regex(labels, WRITTEN)).as_py():
        return None
    parts = pc.extract_regex(labels, GROUPS)
    a, b, year = (pc.cast(pc.struct_field(parts, k), pa.int32()).to_numpy() for k in ("a", "b", "year"))
    year = np.where(year >= 100, year, year + np.where(year >= PIVOT, 1900, 2000))
    points = pc.all(pc.equal(pc.struct_field(parts, "mark"), ".")).as_py()
    if points or (a > 12).any() or np.array_equal(a, b):
        day, month = a, b
    elif (b > 12).any():
        day, month = b, a
    else:
        return None
    written = [f"{y:04}-{m:02}-{d:02}" for y, m, d in zip(year, month, day, strict=True)]
    return _to_days(pa.array(written, pa.string()))


def _to_days(labels: pa.Array) -> NDArray[np.int64] | None:
    try:
        return np.asarray(pc.cast(labels, pa.date32()).cast(pa.int32()).to_numpy(), dtype=np.int64)
    except pa.ArrowInvalid:  # there is no such day
        return None


def ambiguous_date(labels: Sequence[object]) -> str:
    """Return one of the labels if all are dates of which it cannot be told where the day is, or ""."""
    if not labels or not isinstance(labels[0], str):
        return ""
    texts = pa.array(labels, pa.string())
    return labels[0] if pc.all(pc.match_substring_regex(texts, WRITTEN)).as_py() else ""


def unit_of(days: NDArray[np.int64]) -> Unit:
    """Return how fine dates are taken: by day if they are few, else by month or year, by their span."""
    if len(days) <= FEW:
        return "day"
    months = np.unique(days.astype("datetime64[D]").astype("datetime64[M]")).astype(np.int64)
    return "month" if months[-1] - months[0] < MOST_MONTHS else "year"


def in_units(column: Encoded, name: str, wanted: Kind | None) -> Encoded:
    """Return dates as days, months or years; as numbers of days where they are to be numbers."""
    if not column.dates:
        return column
    return replace(column, dates=False) if wanted in {"continuous", "count"} else _by_unit(column, name)


def _by_unit(column: Encoded, name: str) -> Encoded:
    """Return a column of days with a state for every day, month or year that occurs, in their order."""
    days = np.asarray(column.levels)
    unit = unit_of(days)
    moments = days.astype("datetime64[D]")
    units = moments.astype(f"datetime64[{ {'day': 'D', 'month': 'M', 'year': 'Y'}[unit] }]")
    different, ranks = np.unique(units, return_inverse=True)
    levels: Levels = [str(moment) for moment in different]
    if unit == "year":
        levels = np.array([int(str(moment)) for moment in different])
    table = np.append(ranks, len(levels)).astype(np.min_scalar_type(len(levels)))
    note = f"{name!r} holds dates from {moments[0]} to {moments[-1]}, taken by {unit}." if len(days) else ""
    return replace(
        column,
        levels=levels,
        codes=np.take(table, column.codes),
        declared=unit != "year",
        ordered=True,
        dates=False,
        notes=(*column.notes, note) if note else column.notes,
    )
