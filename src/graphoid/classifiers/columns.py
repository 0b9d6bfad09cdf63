"""Attributes of any kind become codes: levels as they are, numbers cut, missing as a value of its own."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from graphoid.classifiers.mdlp import mdlp_cuts
from graphoid.data.encoding.columns import encode
from graphoid.data.encoding.discretize import bin_labels, format_cuts
from graphoid.data.encoding.encode import Encoded, refuse_infinite
from graphoid.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from graphoid.data.variables import State

FEW = 10
"""Whole numbers with at most this many different values are taken for levels, not for quantities: scales,
codes, small counts. A longer scale gains more from being cut than it loses."""

MOST_VALUES = 2**16 - 1
"""Values that an attribute may have: codes are two bytes, and one stands for levels that were not seen."""


@dataclass(frozen=True, eq=False)
class Attribute(ABC):
    """What was learned about a column."""

    name: str
    """For messages and results."""
    has_missing: bool
    """Whether cells were missing: that is then one more value."""

    @cached_property
    def values(self) -> tuple[str, ...]:
        """The values as text, in the order of their codes."""
        return (*self._labels(), *(["missing"] if self.has_missing else []))

    @property
    def size(self) -> int:
        """How many values there are."""
        return len(self.values)

    @abstractmethod
    def codes(self, raw: object) -> NDArray[np.uint16]:
        """Return a code for every row; ``size`` for what was not seen."""

    @abstractmethod
    def _labels(self) -> Iterable[str]:
        """Return the values that are not missing, as text."""


@dataclass(frozen=True, eq=False)
class Levels(Attribute):
    """A column of levels."""

    levels: tuple[State, ...]

    def _labels(self) -> Iterable[str]:
        return map(str, self.levels)

    def codes(self, raw: object) -> NDArray[np.uint16]:
        """Return a code for every row; ``size`` for what was not seen."""
        column = encode_column(raw, self.name)
        levels = column.states()
        _refuse_other_kind(self.name, self.levels, levels)
        place = {level: code for code, level in enumerate(self.levels)}
        missing = len(self.levels)  # the size where none was missing in training: an unseen value
        codes = [place.get(level, self.size) for level in levels]
        return np.take(np.array([*codes, missing], dtype=np.uint16), column.codes)


@dataclass(frozen=True, eq=False)
class Intervals(Attribute):
    """A column of numbers, cut."""

    cuts: NDArray[np.float64]

    def _labels(self) -> Iterable[str]:
        return bin_labels(format_cuts(self.cuts), right_closed=True)

    def codes(self, raw: object) -> NDArray[np.uint16]:
        """Return a code for every row; ``size`` for what was not seen."""
        if isinstance(raw, np.ndarray) and raw.dtype.kind in "iuf" and not np.ma.isMaskedArray(raw):
            numbers = raw.astype(np.float64, copy=False)
            refuse_infinite(np.isinf(numbers), self.name)
        else:
            column = encode_column(raw, self.name)
            _refuse_other_kind(self.name, (0.0,), column.states())
            numbers = column.numbers()
        codes = np.searchsorted(self.cuts, numbers).astype(np.uint16)
        codes[np.isnan(numbers)] = len(self.cuts) + 1
        return codes


def learn_attribute(
    raw: object,
    name: str,
    rows: NDArray[np.intp],
    classes: NDArray[np.intp],
    n_classes: int,
    *,
    weights: NDArray[np.float64] | None,
    discretize: str | None,
) -> tuple[Attribute, NDArray[np.uint16]]:
    """Learn the values of a column, and return them with the codes of the rows that count.

    Parameters
    ----------
    raw
        The column, in a form that :func:`graphoid.data.encoding.columns.encode` knows.
    name
        For messages and results.
    rows
        Which rows count; levels of others are not seen.
    classes, n_classes, weights
        The class and the weight of each of these rows, to cut by.
    discretize
        "auto" cuts numbers that are not whole or have more than :data:`FEW` values, "mdlp" cuts all numbers,
        None cuts nothing.
    """
    column = encode_column(raw, name)
    codes = column.codes[rows]
    counts = np.bincount(codes, minlength=len(column.levels) + 1)
    present = np.flatnonzero(counts[:-1])
    has_missing = bool(counts[-1])
    if column.numeric and discretize is not None:
        whole = np.issubdtype(np.asarray(column.levels).dtype, np.integer)
        if discretize == "mdlp" or not whole or len(present) > FEW:
            known = codes < len(column.levels)
            cuts = mdlp_cuts(
                column.numbers()[rows][known],
                classes[known],
                n_classes,
                None if weights is None else weights[known],
            )
            intervals = Intervals(name, has_missing, cuts)
            return intervals, intervals.codes(column.numbers()[rows])
    levels = column.states()
    attribute = Levels(name, has_missing, tuple(levels[i] for i in present))
    if attribute.size > MOST_VALUES:
        raise DataError(
            f"{name!r} has {attribute.size:,} values; the most is {MOST_VALUES:,}. "
            f"Leave it out if it is an identifier."
        )
    ranks = np.zeros(len(levels) + 1, dtype=np.uint16)
    ranks[present] = np.arange(len(present))
    ranks[-1] = len(present)
    return attribute, np.take(ranks, codes)


def encode_column(raw: object, name: str) -> Encoded:
    """Return a column as levels and codes; objects of unknown types are told apart by their text."""
    try:
        return encode(raw, name)
    except DataError:
        if isinstance(raw, np.ndarray) and raw.dtype == object:
            return encode([None if value is None else str(value) for value in raw], name)
        raise


def _refuse_other_kind(name: str, learned: Sequence[State], now: Sequence[State]) -> None:
    """Raise if a column held numbers and holds text now, or the reverse: no level would be recognized."""
    if not learned or not now or isinstance(learned[0], str) == isinstance(now[0], str):
        return
    kinds = "text", "numbers"
    raise DataError(
        f"{name!r} held {kinds[not isinstance(learned[0], str)]} when it was learned from and holds "
        f"{kinds[not isinstance(now[0], str)]} now. Give it the same type."
    )
