"""What a test is, and what the discrete tests share."""

from __future__ import annotations

from itertools import repeat
from typing import TYPE_CHECKING, Literal, Protocol, cast, runtime_checkable

import numpy as np

from graphoid.counts.contingency import LARGEST_TABLE, Counts, size_in_words
from graphoid.counts.engine import Columns, CountRequest, Kernel
from graphoid.counts.native import kernels
from graphoid.errors import CountsTooLarge
from graphoid.logic.verdict import Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from graphoid.data.table import Table
    from graphoid.logic.assertion import Assertion

DofConvention = Literal["slices", "adjusted", "full"]


@runtime_checkable
class DiscreteTest(Protocol):
    """A test of tables of counts: says which it needs and judges them; holds settings, never data."""

    def needs(self, a: Assertion) -> CountRequest:
        """Return the counts that judging ``a`` takes."""

    def judge(self, a: Assertion, counts: Counts) -> Verdict:
        """Judge ``a`` from its counts."""


@runtime_checkable
class KernelTest(DiscreteTest, Protocol):
    """A test that engines can judge next to the counts, from which they give back numbers."""

    @property
    def kernel(self) -> Kernel:
        """The same test for such engines."""

    def verdicts(self, columns: Columns, n_rows: float) -> list[Verdict]:
        """Return the verdicts for numbers that were computed from the counts."""

    def decisions(self, columns: Columns, n_rows: Iterable[float]) -> tuple[list[bool], list[bool]]:
        """Return who is independent and who is thin, for numbers and the rows behind each of them."""


class AnswersQuestions(Protocol):
    """A test joined to a table."""

    def ask(self, questions: Sequence[tuple[int, int, tuple[int, ...]]]) -> list[Verdict]:
        """Answer questions (x, y, given) by position, in order."""

    def rows_per_cell(self, variables: Sequence[int]) -> float:
        """Return how many rows there are for what a question about these variables has to fill."""


@runtime_checkable
class TableTest(Protocol):
    """A test of the values themselves, of whatever kinds; any other counts states."""

    def prepare(self, table: Table) -> AnswersQuestions:
        """Return what answers questions about a table."""


Test = DiscreteTest | TableTest


@runtime_checkable
class HasTest(Protocol):
    """A source that answers by a test."""

    @property
    def test(self) -> Test | None:
        """The test, or None where answers come from elsewhere."""


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


def make_verdicts(n: int, *columns: object) -> list[Verdict]:
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
