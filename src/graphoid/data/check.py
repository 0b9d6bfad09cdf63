"""A look at the data before anything is learned: every problem at once, and what reading would do."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import numpy as np

from graphoid.data.encoding.plan import ColumnPlan, Outcome, finish
from graphoid.data.encoding.profile import Profile, constant_note, profile_source
from graphoid.data.options import ReadOptions, Transformer
from graphoid.data.read import open_source
from graphoid.errors import GraphoidError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import ArrayLike, NDArray

    from graphoid.data.encoding.encode import Encoded
    from graphoid.data.variables import Kind, State

RARE = 5
"""A state with fewer rows is rare: the chi-square approximation asks for about five rows in a cell."""

NAMED = 5
"""Rare states named in a sentence; the rest are counted."""


@dataclass(frozen=True)
class ColumnReport:
    """What is known about a column."""

    name: str
    """Of the variable."""
    kind: Outcome
    """"nominal", "ordered", "continuous", "count", "binned", "constant", or why it is refused: "identifier",
    "too many states", "unusable"."""
    n_states: int
    """States it would have; different values where it is refused or continuous."""
    rarest: State | None
    rarest_rows: int | None
    """Its rarest state and how many rows have it; None where it has no states."""
    n_missing: int
    """Missing cells."""
    action: str
    """What reading would do with it."""
    problem: str | None
    """What stops reading, or None."""
    why: str = ""
    """Why it is of its kind."""


@dataclass(frozen=True)
class Report:
    """What :func:`check` found."""

    name: str
    """Of the source."""
    n_rows: int
    """Rows of the source that could be parsed."""
    n_rows_used: int
    """Rows that a table would have."""
    n_rows_complete: int
    """Rows without a missing cell."""
    columns: tuple[ColumnReport, ...]
    """One report a column."""
    problems: tuple[str, ...]
    """What stops :func:`graphoid.read`, in the order in which it would; empty if nothing does."""
    observations: tuple[str, ...]
    """What is worth knowing and stops nothing."""

    @property
    def ok(self) -> bool:
        """Whether the source can be read as it is."""
        return not self.problems

    def to_dict(self) -> dict[str, object]:
        """Return all of it as plain dictionaries and lists, for JSON."""
        return {"ok": self.ok, "n_columns": len(self.columns), **asdict(self)}


def check(
    source: object,
    *,
    columns: Iterable[str | int] | None = None,
    kinds: Mapping[str, Kind] | None = None,
    discretize: str | Transformer | None = None,
    missing: str = "error",
    weights: str | ArrayLike | None = None,
    na_values: Iterable[str | float] = (),
    decimal: str = ".",
) -> Report:
    """Say what :func:`graphoid.read` would do with a source, and everything that would stop it.

    Parameters are those of :func:`graphoid.read`. What stops reading is in the report and is not raised; only
    a setting that cannot be is.

    Examples
    --------
    >>> report = check({"answer": ["yes", "no", None], "again": [1, 1, 1]})
    >>> report.ok, report.columns[1].kind
    (False, 'constant')
    """
    options = ReadOptions(
        columns, discretize, missing, weights, kinds=kinds or {}, na_values=na_values, decimal=decimal
    )
    name = "table"
    try:
        opened = open_source(source, options)
        name = opened.name
        found = profile_source(opened, options)
    except GraphoidError as error:
        return Report(name, 0, 0, 0, (), (str(error),), ())
    return report(found, name)


def report(found: Profile, name: str) -> Report:
    """Return what is known of a source as a report."""
    columns = []
    observations = list(found.notes)
    for variable, column, planned in zip(found.names, found.columns, found.plans, strict=True):
        if column is None:
            problem = str(planned.problem)
            columns.append(ColumnReport(variable, planned.outcome, 0, None, None, 0, planned.action, problem))
            continue
        one, remarks = _column(variable, column, planned, found.missing)
        columns.append(one)
        observations += remarks
    constant = [column.name for column in columns if column.kind == "constant"]
    if constant:
        observations.append(constant_note(constant))
    return Report(
        name,
        found.n_rows_read,
        found.n_rows,
        found.n_complete,
        tuple(columns),
        tuple(str(problem) for problem in found.problems),
        tuple(observations),
    )


def _column(name: str, column: Encoded, planned: ColumnPlan, missing: str) -> tuple[ColumnReport, list[str]]:
    """Return the report on a column, and sentences on it."""
    if planned.problem is not None or planned.numbers:
        problem = None if planned.problem is None else str(planned.problem)
        values, absent, action = len(column.levels), column.n_missing, planned.action
        numbers = ColumnReport(
            name, planned.outcome, values, None, None, absent, action, problem, planned.why
        )
        return numbers, list(column.notes)
    done = finish(column, planned, name, missing)
    states = done.variable.states
    remarks = list(done.notes)
    rarest, rows = None, None
    if states and done.codes is not None:
        # Missing cells that have not become a state have the code after the last.
        counts = np.bincount(done.codes, minlength=len(states))[: len(states)]
        place = int(np.argmin(counts))
        rarest, rows = states[place], int(counts[place])
        remarks += _rare(name, states, counts)
    return ColumnReport(
        name, planned.outcome, len(states), rarest, rows, column.n_missing, planned.action, None, planned.why
    ), remarks


def _rare(name: str, states: tuple[State, ...], counts: NDArray[np.int64]) -> list[str]:
    few = np.flatnonzero(counts < RARE)
    if len(states) <= 1 or not few.size:
        return []
    n_rows = int(counts.sum())
    if n_rows < RARE * len(states):
        return [f"{name!r} has {len(states):,} states for {n_rows:,} rows, fewer than {RARE} rows a state."]
    named = ", ".join(f"{states[i]!r} {counts[i]}" for i in few[:NAMED])
    more = f" and {few.size - NAMED:,} more" if few.size > NAMED else ""
    return [f"{name!r} has {few.size:,} rare state(s), with fewer than {RARE} rows: {named}{more}."]
