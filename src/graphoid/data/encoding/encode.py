"""Columns become levels and codes: the one form that every later step works on."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from graphoid.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from graphoid.data.variables import State

    Array = NDArray[Any]
    """Values of any type, which is looked at before they are used."""

    Levels = NDArray[np.number] | Sequence[State]
    """The different values of a column: an array for numbers, ascending; a list for anything else."""

WHOLE_LIMIT = 2.0**53
"""Up to here every whole number is a floating-point number, so that 3.0 may be called 3."""

DIRECT_SPAN = 1 << 16
"""Integers that span less are told apart by a table of this many flags; wider ones are sorted."""

CHUNK = 1 << 15
"""Rows counted at a time: their widened copy (256 KiB) stays in the second-level cache."""


@dataclass(frozen=True, eq=False, slots=True)
class Factor:
    """A column whose source declares its states: a categorical, a nominal attribute, value labels.

    ``codes`` are positions in ``labels``; a negative one is missing.
    """

    codes: NDArray[np.integer]
    labels: Sequence[object]
    ordered: bool = False
    label: str = ""
    measure: str = ""


@dataclass(frozen=True, eq=False, slots=True)
class Plain:
    """Python values whose source says more about them than the values do."""

    values: Sequence[object]
    label: str = ""
    note: str = ""
    measure: str = ""


@dataclass(frozen=True, eq=False, slots=True)
class Encoded:
    """A column as levels in order and one code a row; missing cells have the code ``len(levels)``."""

    levels: Levels
    """An array for numbers, ascending; a list for anything else. All of them occur unless ``declared``."""
    codes: NDArray[np.integer]
    """One unsigned integer a row, as narrow as the levels and the missing code allow."""
    n_missing: int = 0
    """How many cells are missing."""
    declared: bool = False
    """Whether the source itself says what the states are. Such a column is taken at its word."""
    ordered: bool = False
    """Whether the order of the levels means something."""
    label: str = ""
    """A longer description, from sources that have one."""
    spelled: tuple[str, ...] = ()
    """How missing cells were written, for text files."""
    notes: tuple[str, ...] = ()
    """What encoding changed."""
    measure: str = ""
    """The measure level that the source gives it, "nominal", "ordinal" or "scale", or ""."""
    times: NDArray[np.int64] | None = None
    """How many rows each code stands for, where the codes are those of the different values of a column
    that stays at its source; None where there is a code a row."""
    dates: bool = False
    """Whether the levels are days since 1970 that stand for dates."""

    @property
    def numeric(self) -> bool:
        """Whether the levels are numbers that may be cut into bins."""
        return isinstance(self.levels, np.ndarray) and not self.declared

    def counts(self) -> NDArray[np.int64]:
        """Return how many rows have each level; one more entry for missing cells."""
        n_codes = len(self.levels) + 1
        if self.times is None:
            return count(self.codes, n_codes)
        return np.bincount(self.codes, self.times, n_codes).astype(np.int64)

    def missing(self) -> NDArray[np.bool_]:
        """Return which rows are missing."""
        return np.asarray(self.codes == len(self.levels))

    def numbers(self) -> NDArray[np.float64]:
        """Return the column as numbers, NaN where missing."""
        levels: NDArray[np.float64] = np.append(np.asarray(self.levels, dtype=np.float64), np.nan)
        return np.take(levels, self.codes)

    def states(self) -> tuple[State, ...]:
        """Return the levels as plain Python values."""
        return tuple(self.levels.tolist() if isinstance(self.levels, np.ndarray) else self.levels)

    def keep(self, rows: NDArray[np.bool_]) -> Encoded:
        """Return the column without some rows; undeclared levels that no longer occur are gone, too."""
        codes = self.codes[rows]
        counts = count(codes, len(self.levels) + 1)
        n_missing = int(counts[-1])
        if self.declared:
            return replace(self, codes=codes, n_missing=n_missing)
        present = np.flatnonzero(counts[:-1])
        ranks = np.zeros(len(self.levels) + 1, dtype=np.min_scalar_type(present.size))
        ranks[present] = np.arange(present.size)
        ranks[-1] = present.size
        levels: Levels
        if isinstance(self.levels, np.ndarray):
            levels = self.levels[present]
        else:
            levels = [self.levels[i] for i in present.tolist()]
        return replace(self, levels=levels, codes=np.take(ranks, codes), n_missing=n_missing)


def count(codes: NDArray[np.integer], n_codes: int) -> NDArray[np.int64]:
    """Return how often each code occurs, without a wide copy of the whole column."""
    counts = np.zeros(n_codes, dtype=np.int64)
    step = max(CHUNK, 4 * n_codes)
    for start in range(0, len(codes), step):
        counts += np.bincount(codes[start : start + step], minlength=n_codes)
    return counts


def occurs(codes: NDArray[np.integer], n_codes: int) -> NDArray[np.bool_]:
    """Return which codes occur. Stops once all of them have been seen, mostly after a few thousand rows."""
    seen = np.zeros(n_codes, dtype=bool)
    step = max(CHUNK, 4 * n_codes)
    for start in range(0, len(codes), step):
        seen |= np.bincount(codes[start : start + step], minlength=n_codes) > 0
        if seen.all():
            break
    return seen


def encode_ranked(
    indices: NDArray[np.integer],
    ranks: NDArray[np.int64],
    levels: Levels,
    *,
    declared: bool = False,
    ordered: bool = False,
    label: str = "",
    spelled: tuple[str, ...] = (),
    notes: tuple[str, ...] = (),
) -> Encoded:
    """Return the column whose row ``i`` is level ``ranks[indices[i]]``; a rank of ``len(levels)`` is missing.

    Levels that no row has are left out, unless they are ``declared``.
    """
    n_levels = len(levels)
    codes = np.take(ranks.astype(np.min_scalar_type(n_levels)), indices)
    some_missing = bool(ranks.size) and int(ranks.max()) == n_levels
    n_missing = int(np.count_nonzero(codes == n_levels)) if some_missing else 0
    column = Encoded(levels, codes, n_missing, declared, ordered, label, spelled, notes)
    if declared or occurs(codes, n_levels + some_missing)[:n_levels].all():
        return column
    return column.keep(np.ones(len(codes), dtype=bool))


def encode_integers(values: Array, missing: NDArray[np.bool_] | None = None) -> Encoded:
    """Return integers as ascending levels.

    Few-valued columns, the usual case, are never sorted: their values are shifted to start at 0 and marked in
    a table of flags. What a missing cell holds does not matter.
    """
    missing = missing if missing is not None and missing.any() else None
    if missing is not None:
        present = values[~missing]
        if not present.size:
            return Encoded(np.empty(0, dtype=np.int64), np.zeros(len(values), dtype=np.uint8), len(values))
        low, high = int(present.min()), int(present.max())
        values = np.where(missing, np.asarray(low, dtype=values.dtype), values)
    else:
        low, high = (int(values.min()), int(values.max())) if values.size else (0, 0)
    span = high - low + 1
    if span <= DIRECT_SPAN:
        # Narrow first, shift second: unsigned arithmetic wraps round, so the difference is right even so.
        kind = np.min_scalar_type(span - 1)
        codes = values.astype(kind)
        codes -= np.asarray(low % (int(np.iinfo(kind).max) + 1), dtype=kind)
        shifts = np.flatnonzero(occurs(codes, span))
        levels = shifts + low if high < 1 << 63 else np.array([low + int(i) for i in shifts], dtype=np.uint64)
        if shifts.size < span:
            ranks = np.zeros(span, dtype=np.int64)
            ranks[shifts] = np.arange(shifts.size)
            codes = np.take(ranks.astype(np.min_scalar_type(shifts.size)), codes)
    else:
        levels, inverse = np.unique(values, return_inverse=True)
        levels = levels.astype(np.int64) if high < 1 << 63 else levels.astype(np.uint64)
        codes = inverse.astype(np.min_scalar_type(levels.size))
    if missing is None:
        return Encoded(levels, codes, ordered=True)
    n_missing = int(np.count_nonzero(missing))
    codes = codes.astype(np.min_scalar_type(levels.size), copy=False)
    codes[missing] = levels.size
    return Encoded(levels, codes, n_missing, ordered=True)


def encode_floats(values: Array, name: str, missing: NDArray[np.bool_] | None = None) -> Encoded:
    """Return floating-point numbers as ascending levels; NaN is missing, whole numbers are integers."""
    if values.dtype.itemsize > np.dtype(np.float64).itemsize:
        values = values.astype(np.float64)
    nan = np.isnan(values)
    missing = nan if missing is None else missing | nan
    refuse_infinite(np.isinf(values) & ~missing, name)
    filled = np.where(missing, np.asarray(0, dtype=values.dtype), values) if missing.any() else values
    largest = float(np.max(np.abs(filled), initial=0))
    if largest <= WHOLE_LIMIT and np.array_equal(filled, np.rint(filled)):
        return encode_integers(filled.astype(np.int64), missing)
    levels, inverse = np.unique(filled[~missing], return_inverse=True)
    codes = np.full(len(values), levels.size, dtype=np.min_scalar_type(levels.size))
    codes[~missing] = inverse
    if values.dtype != np.float64:
        # 0.1 in four bytes is 0.1 as a label, not 0.10000000149011612.
        levels = np.array([float(str(level)) for level in levels])
    n_missing = int(np.count_nonzero(missing))
    # Adding 0 turns -0.0, which equals 0.0 and would be shown otherwise, into 0.0.
    return Encoded(levels + 0.0, codes, n_missing, ordered=True)


def cuts_for(cuts: Sequence[float], kind: np.dtype[np.floating]) -> NDArray[np.float64]:
    """Return cut points that cut narrow numbers as they stand as the given ones cut their levels.

    The level of 0.1 in four bytes is 0.1, which may lie on the other side of a cut than the four bytes do.
    """
    narrow = np.array(cuts, dtype=kind)
    above = np.array([float(str(cut)) for cut in narrow]) > np.array(cuts)
    return np.where(above, np.nextafter(narrow, kind.type(-np.inf)), narrow).astype(np.float64)


def refuse_infinite(infinite: NDArray[np.bool_], name: str) -> None:
    """Raise if any row is infinite: no bin, mean or correlation can hold such a number."""
    if infinite.any():
        raise DataError(
            f"{name!r} has {np.count_nonzero(infinite):,} infinite value(s), first in row "
            f"{int(np.argmax(infinite))}. Replace them by numbers, or make them missing."
        )


def encode_booleans(values: NDArray[np.bool_], missing: NDArray[np.bool_] | None = None) -> Encoded:
    """Return truth values as the levels False, True, in this order."""
    column = encode_integers(values.view(np.uint8), missing)
    return replace(column, levels=[bool(level) for level in column.levels], ordered=False)


def encode_factor(factor: Factor, name: str) -> Encoded:
    """Return a column with declared states: their order is kept, and so are states that do not occur."""
    labels = [label_of(label) for label in factor.labels]
    if len({(type(label), label) for label in labels}) < len(labels):
        repeated = next(label for i, label in enumerate(labels) if label in labels[:i])
        raise DataError(
            f"{name!r} declares the state {repeated!r} twice. Give every state a label of its own."
        )
    outside = factor.codes < 0
    ranks = np.append(np.arange(len(labels)), len(labels))
    indices = np.where(outside, len(labels), factor.codes) if outside.any() else factor.codes
    column = encode_ranked(indices, ranks, labels, declared=True, ordered=factor.ordered, label=factor.label)
    return replace(column, measure=factor.measure) if factor.measure else column


def label_of(value: object) -> State:
    """Return a declared state as a label: numbers, truth values and text stay, all else is written out."""
    plain = value.item() if isinstance(value, np.generic) else value
    if isinstance(plain, float) and not np.isfinite(plain):
        return str(plain)  # "inf" is a good label and a bad number
    return plain if isinstance(plain, (bool, int, float, str)) else str(plain)
