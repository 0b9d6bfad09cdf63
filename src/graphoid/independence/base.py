"""What a test is, and what the discrete tests share."""

from __future__ import annotations

import math
import operator
from itertools import repeat
from typing import TYPE_CHECKING, Any, Literal, Protocol, cast

import numpy as np

from graphoid.counts.contingency import LARGEST_TABLE, size_in_words
from graphoid.counts.engine import CountRequest, Kernel
from graphoid.counts.native import kernels
from graphoid.errors import CountsTooLarge, SettingsError
from graphoid.logic.verdict import Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from graphoid.counts.contingency import Counts
    from graphoid.counts.engine import Columns
    from graphoid.independence.thin import ThinData
    from graphoid.logic.assertion import Assertion

DofConvention = Literal["slices", "adjusted", "full"]


class DiscreteTest(Protocol):
    """A test of tables of counts: says which it needs and judges them; holds settings, never data."""

    @property
    def kernel(self) -> Kernel:
        """The same test for engines that judge next to the counts."""
        ...

    def needs(self, a: Assertion) -> CountRequest:
        """Return the counts that judging ``a`` takes."""
        ...

    def judge(self, a: Assertion, counts: Counts) -> Verdict:
        """Judge ``a`` from its counts."""
        ...

    def verdicts(self, columns: Columns, n_rows: float) -> list[Verdict]:
        """Return the verdicts for numbers that were computed from the counts."""
        ...

    def decisions(self, columns: Columns, n_rows: Iterable[float]) -> tuple[list[bool], list[bool]]:
        """Return who is independent and who is thin, for numbers and the rows behind each of them."""
        ...


def check_probability(name: str, value: object) -> None:
    """Raise if a setting is no number strictly between 0 and 1."""
    if isinstance(value, (bool, str)) or not isinstance(value, (float, int, np.number)) or not 0 < value < 1:
        raise SettingsError(f"{name} is {value!r}; it must be a number between 0 and 1.")


def check_positive(name: str, value: object, *, or_zero: bool = False) -> None:
    """Raise if a setting is no finite number above 0; or 0, where that is allowed."""
    number = isinstance(value, (float, int, np.number)) and not isinstance(value, bool)
    if not number or not 0 <= value < math.inf or (value == 0 and not or_zero):  # type: ignore[operator]
        wanted = "a number of at least 0" if or_zero else "a positive number"
        raise SettingsError(f"{name} is {value!r}; it must be {wanted}.")


def check_whole(name: str, value: Any, least: int) -> None:
    """Raise if a setting is no whole number, or below the least that it may be."""
    try:
        good = operator.index(value) >= least
    except TypeError:
        good = False
    if not good:
        raise SettingsError(f"{name} is {value!r}; it must be a whole number of at least {least}.")


def needs(a: Assertion) -> CountRequest:
    """Return the request for the table of given, x and y: slices first, so that they are its first axis.

    In the order of positions, so that the same question asked in other words has the same answer to the bit.
    """
    return CountRequest((*sorted(a.given), *sorted((a.x, a.y))), a.context)


def slices_of(counts: Counts) -> NDArray[np.float64]:
    """Return the slices of a table that occur, as an array of shape (slices, |X|, |Y|)."""
    rx, ry = counts.shape[-2:]
    if not counts.sparse:
        slices: NDArray[np.float64] = counts.dense().reshape(-1, rx, ry).astype(np.float64)
        occurring: NDArray[np.float64] = slices[slices.sum(axis=(1, 2)) > 0]
        return occurring
    configurations, cells = counts.occurring()
    _, slice_of_row = np.unique(configurations[:, :-2], axis=0, return_inverse=True)
    n_slices = int(slice_of_row.max(initial=-1)) + 1
    if n_slices * rx * ry > LARGEST_TABLE // 4:  # NumPy needs several arrays of that size
        raise CountsTooLarge(
            f"{n_slices:,} slices of {rx:,} x {ry:,} states take {size_in_words(8.0 * n_slices * rx * ry)} "
            f"when they are written out; merge rare states, or condition on fewer variables."
        )
    slices = np.zeros((n_slices, rx, ry))
    slices[slice_of_row.reshape(-1), configurations[:, -2], configurations[:, -1]] = cells
    return slices


def decide(independent: list[bool], thin: list[bool], policy: ThinData) -> list[bool]:
    """Return the answers after the policy for thin data had its say."""
    if policy.answer == "test":
        return independent
    instead = policy.answer == "independent"
    return [instead if t else i for i, t in zip(independent, thin, strict=True)]


def judged(columns: Columns, n_rows: float, test: DiscreteTest, *, by_odds: bool) -> list[Verdict]:
    """Return the verdicts of a test on numbers that were computed from the counts.

    Parameters
    ----------
    columns
        The questions and the numbers.
    n_rows
        The rows behind all of them.
    test
        Who decides.
    by_odds
        Whether the test looks at odds; else it looks at a statistic and its p-value.
    """
    independent, thin = test.decisions(columns, repeat(n_rows))
    looked_at = (
        (None, None, None, None, columns.log_odds)
        if by_odds
        else (columns.statistic, columns.dof, columns.p_value, columns.log_p, None)
    )
    asked = columns.x, columns.y, columns.given
    return made(len(thin), *asked, independent, *looked_at, n_rows, thin, "test")


def made(n: int, *columns: Any) -> list[Verdict]:
    """Return n verdicts from the columns of their fields: a list each, or one value for all.

    Fields that are left out get their default. A learner makes millions of verdicts; this is the quickest way
    to make many tuples.
    """
    rest = Verdict._fields[len(columns) :]
    columns += tuple(Verdict._field_defaults[field] for field in rest)
    native = kernels()
    if native is not None:
        return cast("list[Verdict]", native.make_tuples(Verdict, columns, n))
    rows = zip(*(c if isinstance(c, list) else repeat(c, n) for c in columns), strict=True)
    return list(map(tuple.__new__, repeat(Verdict), rows))
