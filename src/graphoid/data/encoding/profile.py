"""Reading without raising: every column encoded and planned, every problem collected. For read and check."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from graphoid.data.encoding.columns import encode
from graphoid.data.encoding.dates import in_units
from graphoid.data.encoding.encode import Encoded
from graphoid.data.encoding.likely_codes import doubts
from graphoid.data.encoding.missing import (
    SHOWN,
    hole_note,
    missing_error,
    no_value_errors,
    nothing_left_error,
)
from graphoid.data.encoding.plan import Column, ColumnPlan, finish, plan
from graphoid.data.encoding.spelling import USUAL, Spelling
from graphoid.data.options import HOLES
from graphoid.data.source import Chosen, Source, choose
from graphoid.data.table import Weights, refuse_no_weight
from graphoid.errors import DataError, GraphoidError, leave_out
from graphoid.limits import map_threads
from graphoid.logic.names import quote

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from graphoid.data.options import ReadOptions

THREADS = 2
"""Columns are encoded two at a time: one waits for memory while the other computes, and no more than two raw
columns are held at once. The result does not depend on it."""

SHORT = 1 << 14
"""Columns with at most this many rows are done before a second thread has begun; threads would only wait for
each other."""


@dataclass(frozen=True, eq=False)
class Profile:
    """Everything that reading finds out about a source."""

    names: tuple[str, ...]
    columns: tuple[Encoded | None, ...]
    """One a variable; None where the values cannot be states."""
    plans: tuple[ColumnPlan, ...]
    missing: str
    """The policy for missing cells."""
    n_rows: int
    """Rows that are used."""
    n_rows_read: int
    n_complete: int
    """Rows without a missing cell."""
    problems: tuple[GraphoidError, ...]
    """What stops reading, in the order in which it would."""
    notes: tuple[str, ...]
    """What reading changed, apart from single columns."""
    weights: Weights | None = None
    doubts: tuple[str, ...] = ()
    """What is doubtful about the values of columns, with the remedy; also among their notes."""

    def finish(self) -> tuple[list[Column], tuple[str, ...]]:
        """Return the columns of the table and what reading changed, or raise what stops it."""
        if self.problems:
            raise self._error()
        columns = [
            finish(column, planned, name, self.missing)
            for column, planned, name in zip(self.columns, self.plans, self.names, strict=True)
            if column is not None  # such a column has a problem, raised above
        ]
        notes = [*self.notes, *(note for column in columns for note in column.notes)]
        constant = [column.variable.name for column in columns if column.constant]
        if constant:
            notes.append(constant_note(constant))
        return columns, tuple(notes)

    @property
    def holes(self) -> frozenset[int]:
        """Positions of columns whose missing cells stay in the table."""
        if self.missing not in HOLES:
            return frozenset()
        return frozenset(i for i, c in enumerate(self.columns) if c is not None and c.n_missing)

    def _error(self) -> GraphoidError:
        """Return the first problem; where columns cannot be used, all of them and what else stops reading."""
        bad = [
            (name, planned.fault)
            for name, planned in zip(self.names, self.plans, strict=True)
            if planned.problem is not None
        ]
        of_columns = [planned.problem for planned in self.plans]
        if len(self.problems) == 1 or self.problems[0] not in of_columns:
            return self.problems[0]
        said = str(self.problems[0])
        if len(bad) > 1:
            faults = " ".join(fault for _, fault in bad[:SHOWN])
            how = leave_out(*(name for name, _ in bad))
            more = f" And {len(bad) - SHOWN:,} more." if len(bad) > SHOWN else ""
            said = f"{len(bad):,} columns cannot be used as they are. {faults}{more} Leave them out {how}."
        besides = [str(problem) for problem in self.problems if problem not in of_columns]
        return DataError(" Besides, ".join([said, *besides]))


def constant_note(names: Sequence[str]) -> str:
    """Return the sentence on columns that are the same in all rows."""
    return f"{len(names):,} column(s) are constant: {quote(names)}."


def profile_source(source: Source, options: ReadOptions) -> Profile:
    """Look at every column of a source and decide what becomes of it.

    Rows are dropped first, then states and bins are determined, so that neither depends on rows that are not
    used.
    """
    options = replace(options, kinds={**source.kinds, **options.kinds})
    chosen = choose(source.names, options)
    chosen = replace(
        chosen, problems=(*source.problems, *chosen.problems), notes=(*source.notes, *chosen.notes)
    )
    n_rows = source.n_rows
    if not n_rows and source.problems:  # no row is as the header
        raise source.problems[0]
    if not n_rows:
        raise DataError(f"{source.name} has {len(source.names):,} column(s) and no rows.")
    columns = encode_columns(source, chosen.positions, chosen.names, options.spelling)
    complete = np.ones(n_rows, dtype=bool)
    for column in columns:
        if isinstance(column, Encoded) and column.n_missing:
            complete &= ~column.missing()
    n_complete = int(np.count_nonzero(complete))
    kept = complete if options.missing == "drop" and 0 < n_complete < n_rows else None
    if kept is not None:
        columns = [column.keep(kept) if isinstance(column, Encoded) else column for column in columns]
    found = profile_columns(chosen, columns, options, n_rows, n_complete)
    if options.weights is None:
        return found
    try:
        return replace(found, weights=weigh(source, chosen.weights, options.weights, kept, options.spelling))
    except GraphoidError as error:
        return replace(found, problems=(*found.problems, error))


def _about_missing(
    names: Sequence[str], columns: Sequence[Encoded | None], policy: str, n_rows: int, n_complete: int
) -> tuple[list[GraphoidError], list[str]]:
    """Return what stops reading, and what is said, where rows are dropped or holes stay."""
    if n_complete == n_rows:
        return [], []
    if policy == "drop" and not n_complete:
        return [nothing_left_error(names, columns)], []
    if policy == "drop":
        return [], [f"{n_rows - n_complete:,} of {n_rows:,} rows had missing cells and were dropped."]
    if policy in HOLES:
        return [*no_value_errors(names, columns, n_rows)], [hole_note(columns, policy, n_rows, n_complete)]
    return [], []


def profile_columns(
    chosen: Chosen,
    columns: Sequence[Encoded | GraphoidError],
    options: ReadOptions,
    n_rows: int,
    n_complete: int,
) -> Profile:
    """Decide what becomes of columns from which rows with missing cells were dropped, if that is the policy.

    Parameters
    ----------
    chosen, columns
        The variables; an error stands for a column whose values cannot be states.
    options
        What to do with numbers and missing cells.
    n_rows, n_complete
        Rows of the source, and those without a missing cell.
    """
    names, problems, notes = chosen.names, list(chosen.problems), list(chosen.notes)
    columns, doubtful = _look_closer(columns, names, options)
    encoded = tuple(column if isinstance(column, Encoded) else None for column in columns)
    n_used = n_complete if options.missing == "drop" and n_complete else n_rows
    stops, said = _about_missing(names, encoded, options.missing, n_rows, n_complete)
    problems += stops
    notes += said
    plans = tuple(
        plan(column, name, options, n_used)
        if isinstance(column, Encoded)
        else ColumnPlan("unusable", "refused", column, str(column))
        for column, name in zip(columns, names, strict=True)
    )
    problems += [planned.problem for planned in plans if planned.problem is not None]
    if options.missing == "error" and any(column is not None and column.n_missing for column in encoded):
        holes = [column is not None and column.n_missing > 0 for column in encoded]
        numbers = any(planned.numbers and hole for planned, hole in zip(plans, holes, strict=True))
        problems.append(missing_error(names, encoded, n_rows, n_complete, numbers=numbers))
    return Profile(
        names,
        encoded,
        plans,
        options.missing,
        n_used,
        n_rows,
        n_complete,
        tuple(problems),
        tuple(notes),
        doubts=doubtful,
    )


def _look_closer(
    columns: Sequence[Encoded | GraphoidError], names: Sequence[str], options: ReadOptions
) -> tuple[list[Encoded | GraphoidError], tuple[str, ...]]:
    """Return columns with dates in their units and with notes on what is doubtful, and these notes."""
    seen: list[Encoded | GraphoidError] = []
    doubtful: list[str] = []
    for column, name in zip(columns, names, strict=True):
        if not isinstance(column, Encoded):
            seen.append(column)
            continue
        wanted = options.kinds.get(name)
        said = doubts(column, name) if wanted is None else []
        dated = in_units(column, name, wanted)
        seen.append(replace(dated, notes=(*dated.notes, *said)) if said else dated)
        doubtful += said
    return seen, tuple(doubtful)


def encode_columns(
    source: Source, positions: Sequence[int], names: Sequence[str], spelling: Spelling = USUAL
) -> list[Encoded | GraphoidError]:
    """Return every column as levels and codes, or the error that says why not."""
    if len(positions) > source.group:
        groups = [slice(i, i + source.group) for i in range(0, len(positions), source.group)]
        n_jobs = 1 if source.n_rows <= SHORT else THREADS
        parts = map_threads(
            lambda g: encode_columns(source, positions[g], names[g], spelling), groups, n_jobs
        )
        return list(chain.from_iterable(parts))
    columns: list[Encoded | GraphoidError] = []
    for name, raw in zip(names, source.load(positions), strict=True):
        try:
            columns.append(encode(raw, name, spelling))
        except GraphoidError as error:
            columns.append(error)
    return columns


def weigh(
    source: Source,
    position: int | None,
    weights: str | ArrayLike,
    rows: NDArray[np.bool_] | None = None,
    spelling: Spelling = USUAL,
) -> Weights:
    """Return the weights of the rows that are used.

    Parameters
    ----------
    source
        Where the column of weights is.
    position
        Of that column, or None.
    weights
        Its name; or one number a row of the source.
    rows
        Which rows are used, or None for all.
    spelling
        How that column writes numbers.
    """
    if position is not None:
        column = encode(next(iter(source.load([position]))), str(weights), spelling)
        if not column.numeric and column.n_missing < source.n_rows:
            raise DataError(f"weights are to come from {weights!r}, which does not hold numbers.")
        numbers = column.numbers()
    else:
        try:
            numbers = np.asarray(weights, dtype=np.float64)
        except (TypeError, ValueError):
            raise DataError("weights must be the name of a column or an array of one number a row.") from None
        if numbers.shape != (source.n_rows,):
            raise DataError(
                f"weights have the shape {numbers.shape}; expected one number for each of "
                f"{source.n_rows:,} rows."
            )
    if rows is not None:
        numbers = numbers[rows]
    absent = np.flatnonzero(np.isnan(numbers))
    if absent.size:
        whose = f"{weights!r}, the column of weights," if position is not None else "the array of weights"
        raise DataError(
            f"{whose} has {absent.size:,} missing number(s), first in row {absent[0]}. "
            f"Every row needs a weight."
        )
    refuse_no_weight(float(numbers.sum()))
    return Weights.of(numbers)
