"""What becomes of a column: states, bins, numbers, or a reason why it cannot be used."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, cast

import numpy as np

from graphoid.data.encoding.dates import ambiguous_date
from graphoid.data.encoding.discretize import FEW, Bins, bins, most_states
from graphoid.data.encoding.kinds import Decided, kind_of, to_numbers
from graphoid.data.encoding.likely_codes import doubts, holds_numbers
from graphoid.data.encoding.missing import missing_label
from graphoid.data.options import HOLES
from graphoid.data.variables import MAX_STATES, Kind, State, Variable
from graphoid.errors import ON_PAGE, DataError, GraphoidError, as_option, leave_out, setting

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from graphoid.data.encoding.encode import Encoded
    from graphoid.data.options import ReadOptions, Transformer
    from graphoid.data.table import Codes

Outcome = Kind | Literal["binned", "constant", "identifier", "too many states", "unusable"]
"""What a column turns out to be, for reports: its kind, what is done to it, or why it cannot be used."""

IDENTIFIER_ROWS = 30
"""With fewer rows all values of any column may differ by chance, and nothing is called an identifier."""

NAMED_ROWS = 10
"""The same of a column whose name says that it is one."""

IDENTIFIER_SHARE = 0.9
"""Text of which at least this share of the values are different names rows and does not describe them."""

NAMED_SHARE = 0.5
"""The same of text and integers whose name says so: people who come twice are in the rows twice."""

_IDENTIFIER_NAME = re.compile(
    r"(?:^|[^a-zA-Z])(?i:ids?|idx|index|row|rowid|rownum|key|uuid|guid)(?:$|[^a-zA-Z])"
    r"|[a-z](?:Id|ID|Key|Index)$"
)


@dataclass(frozen=True, eq=False, slots=True)
class ColumnPlan:
    """What reading does with a column."""

    outcome: Outcome
    """In one word or two, for reports."""
    action: str
    """A sentence on what reading does with it."""
    problem: GraphoidError | None = None
    """Why it cannot be used and what to do about it, or None."""
    fault: str = ""
    """The same in a few words, without the remedy."""
    kind: Kind = "nominal"
    """Of the variable that it becomes."""
    why: str = ""
    """Why it is of that kind, or was before it was cut."""
    bins: Bins | None = None
    """How it is cut, or None."""
    because: str = ""
    """Why it is cut, where nobody asked for it."""
    numbers: bool = False
    """Whether it stays a column of numbers."""
    uncoded: bool = False
    """Whether declared states that are numbers are taken as numbers first."""


def plan(column: Encoded, name: str, options: ReadOptions, n_rows: int) -> ColumnPlan:
    """Return what reading does with a column of ``n_rows`` rows, or why it cannot be used."""
    wanted = options.kinds.get(name)
    if wanted is None and not column.declared and (refused := _refuse_values(column, name, n_rows)):
        return refused
    try:
        decided = kind_of(column, name, wanted)
        uncoded = decided.by_user and not decided.states
        column = to_numbers(column, name) if uncoded else column
        planned = _plan_numbers(column, name, decided, options, n_rows) if column.numeric else None
    except DataError as error:
        return ColumnPlan("unusable", "refused", error, str(error))
    return replace(planned or _plan_states(column, name, decided, options, n_rows), uncoded=uncoded)


def _refuse_values(column: Encoded, name: str, n_rows: int) -> ColumnPlan | None:
    """Return the plan for values that cannot be understood without a word of the user, or None."""
    if not column.numeric and (date := ambiguous_date(column.states())):
        fault = (
            f"{name!r} holds dates such as {date!r}, and whether the day or the month is first is not clear."
        )
        return _refuse("unusable", fault, f"Write them as 2024-03-31, or leave it out {leave_out(name)}.")
    reason = _identifies_rows(column, name, n_rows)
    if not reason:
        return None
    fault = f"{name!r} looks like an identifier: {reason}."
    if holds_numbers(column):
        fault = f"{name!r} has {len(column.levels):,} different texts, which are numbers but for a few."
        return _refuse("unusable", fault, " ".join(doubts(column, name)))
    return _refuse("identifier", fault, _remedies(name))


def _plan_numbers(
    column: Encoded, name: str, decided: Decided, options: ReadOptions, n_rows: int
) -> ColumnPlan | None:
    """Return the plan for numbers that are cut or stay numbers; None for those that are states."""
    n_levels, kind, how = len(column.levels), decided.kind, options.discretize
    if decided.states:
        return None
    if how is not None:
        return _cut(column, name, decided, how, n_rows) if n_levels > most_states(how, n_rows) else None
    if kind == "ordered" or (kind == "count" and n_levels <= FEW):
        return None
    absent = column.n_missing > 0 and options.missing == "category"
    if absent and decided.by_user:
        raise DataError(
            f"{name!r} is to be {kind} and has {column.n_missing:,} missing cell(s), which cannot become "
            f"a state of their own. Choose {setting('missing', 'drop')}, or {setting('discretize', 'auto')}."
        )
    if not absent:
        return ColumnPlan(kind, "kept as numbers", kind=kind, why=decided.why, numbers=True)
    if n_levels <= FEW:
        return None
    return _cut(column, name, decided, "auto", n_rows, "its missing cells have no number")


def _cut(
    column: Encoded,
    name: str,
    decided: Decided,
    how: str | Transformer,
    n_rows: int,
    because: str = "",
) -> ColumnPlan:
    cut = bins(np.asarray(column.levels), column.counts()[:-1], how, n_rows, name)
    action = f"cut into {len(cut.labels):,} bins"
    return ColumnPlan("binned", action, kind="ordered", why=decided.why, bins=cut, because=because)


def _plan_states(
    column: Encoded, name: str, decided: Decided, options: ReadOptions, n_rows: int
) -> ColumnPlan:
    n_states = len(column.levels) + (column.n_missing > 0 and options.missing == "category")
    if n_states + (column.n_missing > 0 and options.missing in HOLES) > MAX_STATES:
        remedy = "Leave its kind to graphoid" if column.numeric else "Merge rare values"
        return _refuse(
            "too many states",
            f"{name!r} has {n_states:,} states in {n_rows:,} rows; the most is {MAX_STATES:,}.",
            f"{remedy}, or leave it out {leave_out(name)}.",
        )
    kind: Kind = "ordered" if decided.kind == "continuous" else decided.kind
    if n_states <= 1:
        return ColumnPlan("constant", "kept, with one state", kind=kind, why=decided.why)
    return ColumnPlan(kind, f"kept, with {n_states:,} states", kind=kind, why=decided.why)


def _remedies(name: str) -> str:
    """Return what to do about a column that looks like an identifier."""
    kind = f"say with {as_option('--kind ' + shlex.quote(name + '=nominal'), 'kinds={...}')} what it is"
    return (
        f"Leave it out {leave_out(name)}, or make it categorical in the source if its values are states, "
        f"or {'give it another kind' if ON_PAGE.get() else kind}."
    )


def _refuse(outcome: Outcome, fault: str, remedy: str) -> ColumnPlan:
    return ColumnPlan(outcome, "refused", DataError(f"{fault} {remedy}"), fault)


def _identifies_rows(column: Encoded, name: str, n_rows: int) -> str:
    """Return why a column seems to name the rows, or ""."""
    n_present, n_levels = n_rows - column.n_missing, len(column.levels)
    named = bool(_IDENTIFIER_NAME.search(name))
    if n_present < (NAMED_ROWS if named else IDENTIFIER_ROWS) or n_levels <= 2:
        return ""
    if n_levels < (NAMED_SHARE if named else IDENTIFIER_SHARE) * n_present:
        return ""
    if not column.numeric:
        first = repr(column.levels[0])
        example = first if len(first) <= 40 else first[:36] + "...'"
        return f"{n_levels:,} different texts in {n_present:,} rows, such as {example}"
    levels = np.asarray(column.levels)
    if levels.dtype.kind == "f":
        return ""
    every = n_levels == n_present
    span = int(levels[-1]) - int(levels[0]) + 1
    if every and 3 * span <= 4 * n_levels:  # most of a range, none twice: rows, some left out
        gaps = "without a gap" if span == n_levels else f"with {span - n_levels:,} left out"
        return f"a different integer in every row, {levels[0]} to {levels[-1]} {gaps}"
    if not named:
        return ""
    many = "a different integer in every row" if every else f"{n_levels:,} integers in {n_present:,} rows"
    return f"{many}, and its name says so"


@dataclass(frozen=True, eq=False, slots=True)
class Column:
    """A variable with its codes and, where it has them, its numbers."""

    variable: Variable
    codes: Codes | None
    values: NDArray[np.float64] | None = None
    notes: tuple[str, ...] = ()

    @property
    def constant(self) -> bool:
        """Whether it is the same in all rows."""
        if self.codes is not None or self.values is None:
            return self.variable.arity == 1
        return bool((self.values == self.values[0]).all())


def finish(column: Encoded, planned: ColumnPlan, name: str, missing: str) -> Column:
    """Return the column of the table, as planned."""
    column = to_numbers(column, name) if planned.uncoded else column
    if planned.numbers:
        variable = Variable(name, (), label=column.label, kind=planned.kind)
        return Column(variable, None, column.numbers(), column.notes)
    notes = list(column.notes)
    values = None
    cuts: tuple[float, ...] = ()
    states: tuple[State, ...]
    if planned.bins is None:
        states, codes = column.states(), column.codes
    else:
        because = f", because {planned.because}" if planned.because else ""
        notes.append(f"{name!r} ({len(column.levels):,} different numbers) was {planned.bins.note}{because}.")
        states, cuts = planned.bins.labels, planned.bins.cuts
        codes = np.append(planned.bins.codes, len(states)).astype(np.uint16)[column.codes]
        values = column.numbers()
    kind = planned.kind
    if missing == "category" and column.n_missing:
        kind = "nominal"  # missing is neither more nor less
        states = (*states, missing_label(states))
        notes.append(f"{column.n_missing:,} missing cell(s) of {name!r} are the state {states[-1]!r}.")
    n_codes = len(states) + (
        column.n_missing > 0 and missing != "category"
    )  # holes have the code after the last
    narrow = codes.astype(np.uint8 if n_codes <= 256 else np.uint16, copy=False)
    variable = Variable(name, states, cuts=cuts, label=column.label, kind=kind if states else None)
    return Column(variable, cast("Codes", narrow), values, tuple(notes))
