"""What becomes of a column: states, bins, numbers, or a reason why it cannot be used."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from graphoid.data.encoding.discretize import Bins, bins, most_states
from graphoid.data.encoding.missing import missing_label
from graphoid.data.variables import MAX_STATES, State, Variable
from graphoid.errors import DataError, GraphoidError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from graphoid.data.encoding.encode import Encoded

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
    """What reading does with a column.

    Parameters
    ----------
    kind
        In one word or two, for reports.
    action
        A sentence on what reading does with it.
    problem
        Why it cannot be used, or None.
    bins
        How it is cut, or None.
    continuous
        Whether it stays a column of numbers.
    """

    kind: Kind
    action: str
    problem: GraphoidError | None = None
    bins: Bins | None = None
    continuous: bool = False


def plan(column: Encoded, name: str, *, discretize: Any, missing: str) -> ColumnPlan:
    """Return what reading does with a column, or why it cannot be used."""
    n_levels = len(column.levels)
    if not column.declared and (reason := _identifies_rows(column, name)):
        return _refused("identifier", f"{name!r} looks like an identifier: {reason}. {_LEAVE_OUT}")
    if column.numeric and discretize is not None and n_levels > most_states(discretize, column.n_rows):
        try:
            levels, counts = np.asarray(column.levels), column.counts()[:-1]
            cut = bins(levels, counts, discretize, column.n_rows, name)
        except DataError as error:
            return ColumnPlan("unusable", "refused", error)
        return ColumnPlan("binned", f"cut into {len(cut.labels):,} bins", bins=cut)
    if column.numeric and discretize is None and _continuous(column):
        if column.n_missing and missing == "category":
            return _refused(
                "unusable",
                f"{name!r} is continuous and has {column.n_missing:,} missing cell(s), which cannot become "
                f"a state of their own. Choose missing='drop', or discretize='auto'.",
            )
        return ColumnPlan("continuous", "kept as numbers", continuous=True)
    n_states = n_levels + (column.n_missing > 0 and missing == "category")
    if n_states > MAX_STATES:
        remedy = "Discretize it (discretize='auto')" if column.numeric else "Merge rare values"
        return _refused(
            "too many states",
            f"{name!r} has {n_states:,} states in {column.n_rows:,} rows; the most is {MAX_STATES:,}. "
            f"{remedy}, or leave it out with columns=...",
        )
    if n_states <= 1:
        return ColumnPlan("constant", "kept, with one state")
    return ColumnPlan("ordered" if column.ordered else "nominal", f"kept, with {n_states:,} states")


_LEAVE_OUT = "Leave it out with columns=..., or make it categorical in the source if its values are states."


def _refused(kind: Kind, message: str) -> ColumnPlan:
    return ColumnPlan(kind, "refused", DataError(message))


def _identifies_rows(column: Encoded, name: str) -> str:
    """Return why a column seems to name the rows, or ""."""
    n_present, n_levels = column.n_rows - column.n_missing, len(column.levels)
    if n_present < IDENTIFIER_ROWS:
        return ""
    if not column.numeric:
        text = n_levels > 2 and n_levels >= IDENTIFIER_SHARE * n_present
        return (
            f"{n_levels:,} different texts in {n_present:,} rows, such as {_short(column.levels[0])}"
            if text
            else ""
        )
    levels = np.asarray(column.levels)
    if n_levels < n_present or levels.dtype.kind == "f":
        return ""
    if int(levels[-1]) - int(levels[0]) == n_levels - 1:
        return f"a different integer in every row, {levels[0]} to {levels[-1]} without a gap"
    return "a different integer in every row, and its name says so" if _named_identifier(name) else ""


def _named_identifier(name: str) -> bool:
    return _IDENTIFIER_NAME.search(name) is not None


def _short(value: State) -> str:
    text = repr(value)
    return text if len(text) <= 40 else text[:36] + "...'"


def _continuous(column: Encoded) -> bool:
    levels = np.asarray(column.levels)
    return levels.dtype.kind == "f" and levels.size > most_states(None, column.n_rows)


@dataclass(frozen=True, eq=False, slots=True)
class Finished:
    """A variable with its codes and, where it has them, its numbers."""

    variable: Variable
    codes: NDArray[Any] | None
    values: NDArray[np.float64] | None = None
    notes: tuple[str, ...] = ()


def finish(column: Encoded, planned: ColumnPlan, name: str, *, missing: str) -> Finished:
    """Return the variable that was planned."""
    if planned.continuous:
        return Finished(Variable(name, (), label=column.label), None, column.numbers(), column.notes)
    notes = list(column.notes)
    values = None
    cuts: tuple[float, ...] = ()
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
    codes = codes.astype(np.uint8 if len(states) <= 256 else np.uint16, copy=False)
    return Finished(Variable(name, states, ordered, cuts, column.label), codes, values, tuple(notes))
