"""How a source writes cells: what stands for missing, and which mark begins the decimals."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from graphoid.data.encoding.text import interpret

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from graphoid.data.encoding.encode import Encoded


@dataclass(frozen=True)
class Spelling:
    """How a source writes cells.

    Parameters
    ----------
    na_values
        Texts that stand for missing, beside those that always do. A text that is a number stands for it
        however it is written: "-99" also for -99.0.
    decimal
        The decimal mark, "." or ",".
    """

    na_values: frozenset[str] = frozenset()
    decimal: str = "."

    @property
    def usual(self) -> bool:
        """Whether nothing was said about it."""
        return not self.na_values and self.decimal == "."

    @cached_property
    def na_numbers(self) -> NDArray[np.float64]:
        """Those values for missing that are numbers."""
        found = [number for text in sorted(self.na_values) if (number := _number(text)) is not None]
        return np.array(found, dtype=np.float64)


USUAL = Spelling()
"""How most sources write cells."""


def respell(column: Encoded, spelling: Spelling) -> Encoded:
    """Return a column with the levels that stand for missing as missing cells.

    Text of which only numbers are left then is a column of numbers, also in sources where text stays text.
    """
    absent = np.array([_stands_for_missing(level, spelling) for level in column.states()], dtype=bool)
    if absent.any():
        column = _without(column, absent)
    if column.declared or isinstance(column.levels, np.ndarray):
        return column
    labels = tuple(str(level) for level in column.levels)
    if not labels or any(isinstance(level, bool) for level in column.levels):
        return column
    meaning = interpret.__wrapped__(labels, decimal_comma=spelling.decimal == ",")
    if not isinstance(meaning.levels, np.ndarray):
        return column
    ranks = np.append(meaning.ranks, len(meaning.levels)).astype(np.min_scalar_type(len(meaning.levels)))
    return replace(
        column, levels=meaning.levels, codes=np.take(ranks, column.codes), ordered=True, notes=(),
        dates=meaning.dates,
    )  # fmt: skip


def _without(column: Encoded, absent: NDArray[np.bool_]) -> Encoded:
    """Return a column some levels of which are missing cells and no levels."""
    n_left = int(np.count_nonzero(~absent))
    ranks = np.full(len(absent) + 1, n_left, dtype=np.min_scalar_type(n_left))
    ranks[:-1][~absent] = np.arange(n_left)
    gone = column.counts()[:-1][absent].sum()
    spelled = [str(level) for level, missing in zip(column.states(), absent, strict=True) if missing]
    left = np.flatnonzero(~absent)
    levels = (
        column.levels[left]
        if isinstance(column.levels, np.ndarray)
        else [column.levels[i] for i in left.tolist()]
    )
    return replace(
        column,
        levels=levels,
        codes=np.take(ranks, column.codes),
        n_missing=column.n_missing + int(gone),
        spelled=tuple(sorted({*column.spelled, *spelled})),
    )


def _stands_for_missing(level: object, spelling: Spelling) -> bool:
    if isinstance(level, bool) or not isinstance(level, (int, float)):
        return str(level).strip() in spelling.na_values
    return bool(np.any(spelling.na_numbers == level))


def _number(text: str) -> float | None:
    try:
        return float(text.replace(",", "."))
    except ValueError:
        return None
