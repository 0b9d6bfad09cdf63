"""What becomes of a column: states, bins, numbers, or a reason why it cannot be used."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, cast

import numpy as np

from graphoid.data.encoding.discretize import FEW, Bins, bins, most_states
from graphoid.data.encoding.missing import missing_label
from graphoid.data.variables import MAX_STATES, State, Variable
from graphoid.errors import DataError, GraphoidError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from graphoid.data.encoding.encode import Encoded
    from graphoid.data.options import ReadOptions
    from graphoid.data.table import Codes

Kind = Literal[
    "nominal", "ordered", "binned", "continuous", "constant", "identifier", "too many states", "unusable"
]

IDENTIFIER_ROWS = 30
"""With fewer rows all values of any column may differ by chance, and nothing is called an identifier."""

IDENTIFIER_SHARE = 0.9
"""Text of which at least this share of the values are different names rows and does not describe them."""

_IDENTIFIER_NAME = re.compile(
    r"(?:^|[^a-zA-Z])(?i:ids?|idx|index|row|rowid|rownum|key|uuid|guid)(?:$|[^a-zA-Z])"
    r"|[a-z](?:Id|ID|Key|Index)$"
)


@dataclass(frozen=True, eq=False, slots=True)
class ColumnPlan:
    """What reading does with a column."""

    kind: Kind
    """In one word or two, for reports."""
    action: str
    """A sentence on what reading does with it."""
    problem: GraphoidError | None = None
    """Why it cannot be used, or None."""
    bins: Bins | None = None
    """How it is cut, or None."""
    continuous: bool = False
    """Whether it stays a column of numbers."""


def plan(column: Encoded, name: str, options: ReadOptions, n_rows: int) -> ColumnPlan:
    """Return what reading does with a column of ``n_rows`` rows, or why it cannot be used."""
    n_levels, discretize = len(column.levels), options.discretize
    if not column.declared and (reason := _identifies_rows(column, name, n_rows)):
        return _refuse("identifier", f"{name!r} looks like an identifier: {reason}. {_LEAVE_OUT}")
    if column.numeric and discretize is not None and n_levels > most_states(discretize, n_rows):
        try:
            cut = bins(np.asarray(column.levels), column.counts()[:-1], discretize, n_rows, name)
        except DataError as error:
            return ColumnPlan("unusable", "refused", error)
        return ColumnPlan("binned", f"cut into {len(cut.labels):,} bins", bins=cut)
    fractions = column.numeric and np.asarray(column.levels).dtype.kind == "f"
    if fractions and discretize is None and n_levels > FEW:
        return _plan_continuous(column, name, options)
    n_states = n_levels + (column.n_missing > 0 and options.missing == "category")
    if n_states > MAX_STATES:
        remedy = "Discretize it (discretize='auto')" if column.numeric else "Merge rare values"
        return _refuse(
            "too many states",
            f"{name!r} has {n_states:,} states in {n_rows:,} rows; the most is {MAX_STATES:,}. "
            f"{remedy}, or leave it out with columns=...",
        )
    if n_states <= 1:
        return ColumnPlan("constant", "kept, with one state")
    return ColumnPlan("ordered" if column.ordered else "nominal", f"kept, with {n_states:,} states")


_LEAVE_OUT = "Leave it out with columns=..., or make it categorical in the source if its values are states."


def _refuse(kind: Kind, message: str) -> ColumnPlan:
    return ColumnPlan(kind, "refused", DataError(message))


def _plan_continuous(column: Encoded, name: str, options: ReadOptions) -> ColumnPlan:
    if column.n_missing and options.missing == "category":
        return _refuse(
            "unusable",
            f"{name!r} is continuous and has {column.n_missing:,} missing cell(s), which cannot become "
            f"a state of their own. Choose missing='drop', or discretize='auto'.",
        )
    if column.times is not None:
        return _refuse(
            "unusable", f"{name!r} is continuous, and only counts travel: read it with discretize='auto'."
        )
    return ColumnPlan("continuous", "kept as numbers", continuous=True)


def _identifies_rows(column: Encoded, name: str, n_rows: int) -> str:
    """Return why a column seems to name the rows, or ""."""
    n_present, n_levels = n_rows - column.n_missing, len(column.levels)
    if n_present < IDENTIFIER_ROWS:
        return ""
    if not column.numeric:
        if n_levels <= 2 or n_levels < IDENTIFIER_SHARE * n_present:
            return ""
        first = repr(column.levels[0])
        example = first if len(first) <= 40 else first[:36] + "...'"
        return f"{n_levels:,} different texts in {n_present:,} rows, such as {example}"
    levels = np.asarray(column.levels)
    if n_levels < n_present or levels.dtype.kind == "f":
        return ""
    if int(levels[-1]) - int(levels[0]) == n_levels - 1:
        return f"a different integer in every row, {levels[0]} to {levels[-1]} without a gap"
    return "a different integer in every row, and its name says so" if _IDENTIFIER_NAME.search(name) else ""


@dataclass(frozen=True, eq=False, slots=True)
class Column:
    """A variable with its codes and, where it has them, its numbers."""

    variable: Variable
    codes: Codes | None
    values: NDArray[np.float64] | None = None
    notes: tuple[str, ...] = ()


def finish(column: Encoded, planned: ColumnPlan, name: str, missing: str) -> Column:
    """Return the column of the table, as planned."""
    if planned.continuous:
        return Column(Variable(name, (), label=column.label), None, column.numbers(), column.notes)
    notes = list(column.notes)
    values = None
    cuts: tuple[float, ...] = ()
    states: tuple[State, ...]
    if planned.bins is None:
        states, codes = column.states(), column.codes
    else:
        notes.append(f"{name!r} ({len(column.levels):,} different numbers) was {planned.bins.note}.")
        states, cuts = planned.bins.labels, planned.bins.cuts
        codes = np.append(planned.bins.codes, len(states)).astype(np.uint16)[column.codes]
        values = column.numbers()
    ordered = column.ordered or planned.bins is not None
    if missing == "category" and column.n_missing:
        ordered = False  # missing is neither more nor less
        states = (*states, missing_label(states))
        notes.append(f"{column.n_missing:,} missing cell(s) of {name!r} are the state {states[-1]!r}.")
    narrow = codes.astype(np.uint8 if len(states) <= 256 else np.uint16, copy=False)
    variable = Variable(name, states, ordered, cuts, column.label)
    return Column(variable, cast("Codes", narrow), values, tuple(notes))
