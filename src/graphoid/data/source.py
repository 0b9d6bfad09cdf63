"""What every source looks like from inside: names, rows, and columns that are loaded when asked for."""

from __future__ import annotations

import operator
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from graphoid.errors import (
    ON_COMMAND_LINE,
    DataError,
    GraphoidError,
    SettingsError,
    UnknownVariable,
    as_option,
)
from graphoid.logic.names import quote

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from graphoid.data.encoding.columns import RawColumn
    from graphoid.data.options import ReadOptions
    from graphoid.data.variables import Kind


MOST_COLUMNS = 100_000
"""Columns of a table: so many have five billion pairs, and take a gigabyte and ten seconds to be read."""


@dataclass(frozen=True, eq=False)
class Source:
    """Columns by position, loaded a group at a time so that a file is never in memory as a whole."""

    names: Sequence[str]
    """One a column, as the source spells them; may repeat."""
    n_rows: int
    """Number of rows."""
    load: Callable[[Sequence[int]], Iterable[RawColumn]]
    """From positions to one raw column each, in the order asked for. Called from several threads."""
    name: str = "table"
    """For reports."""
    group: int = 64
    """How many columns to load at a time."""
    problems: tuple[GraphoidError, ...] = ()
    """What would stop reading and was found while opening."""
    notes: tuple[str, ...] = ()
    """What opening changed."""
    kinds: Mapping[str, Kind] = field(default_factory=dict)
    """Kinds that the source itself remembers, by name."""


@dataclass(frozen=True)
class Chosen:
    """Which columns of a source are read, and under which names."""

    positions: tuple[int, ...]
    names: tuple[str, ...]
    weights: int | None = None
    problems: tuple[GraphoidError, ...] = ()
    notes: tuple[str, ...] = ()


def refuse_wide(what: str, n_columns: int, remedy: str) -> None:
    """Raise for a table of more columns than can be looked at."""
    if n_columns > MOST_COLUMNS:
        raise DataError(
            f"{what} has {n_columns:,} columns, and at most {MOST_COLUMNS:,} can be read. If its rows are "
            f"the variables, turn it round; otherwise {remedy}."
        )


def name_columns(names: Sequence[str]) -> tuple[str, ...]:
    """Return the names of columns, with one for those that have none: what pandas and R write for row names.

    >>> name_columns(["", "age"])
    ('column 1', 'age')
    """
    used, named = set(names), []
    for i, name in enumerate(names):
        fresh = name if name.strip() else f"column {i + 1}"
        while fresh != name and fresh in used:
            fresh += "'"
        used.add(fresh)
        named.append(fresh)
    return tuple(named)


def choose(names: Sequence[str], options: ReadOptions) -> Chosen:
    """Return which of the columns of a source, given by their names, are to be read."""
    spelled, names = names, name_columns(names)
    where = {name: i for i, name in enumerate(names)}
    times = Counter(names)
    columns = options.columns
    weight = _find(options.weights, names, where, times) if isinstance(options.weights, str) else None
    if columns is None:
        positions = list(range(len(names)))
    else:
        listed = [columns] if isinstance(columns, (str, int)) else _list(columns)
        absent = [column for column in listed if isinstance(column, str) and column not in where]
        if len(absent) > 1:
            raise UnknownVariable(f"no columns are named {quote(absent)}; there are {quote(names)}.")
        positions = [_find(column, names, where, times) for column in listed]
        twice = [names[i] for i, n in Counter(positions).items() if n > 1]
        if twice:
            raise SettingsError(f"columns names {quote(twice)} more than once.")
    positions = [i for i in positions if i != weight]
    named = as_option("--columns", "columns=...")
    refuse_wide("the table", len(positions), f"choose the columns that matter with {named}")
    if not positions:
        raise DataError("no columns are left to read. A table has at least one variable.")

    chosen = [names[i] for i in positions]
    notes = [
        f"Column {i + 1} has no name and is called {names[i]!r}." for i in positions if not spelled[i].strip()
    ]
    unknown = next((name for name in options.kinds if name not in where), None)
    if unknown is not None:
        raise UnknownVariable(
            f"{'--kind' if ON_COMMAND_LINE.get() else 'kinds'} has {unknown!r}, and no column is named so; "
            f"there are {quote(names)}."
        )
    problems: list[GraphoidError] = []
    repeated = [name for name, n in Counter(chosen).items() if n > 1]
    if repeated:
        position = "" if ON_COMMAND_LINE.get() else ", or choose by position with columns=[0, ...]"
        remedy = f"Rename the columns{position}."
        if all(_is_number(name) for name in chosen):
            remedy = "They are all numbers: is the first line data? Write a line of column names above it."
        problems.append(
            DataError(
                f"{len(repeated):,} column name(s) are used more than once: {quote(repeated)}. {remedy}"
            )
        )
    return Chosen(tuple(positions), tuple(chosen), weight, tuple(problems), tuple(notes))


def _is_number(name: str) -> bool:
    try:
        float(name)
    except ValueError:
        return False
    return True


def _list(columns: Iterable[str | int]) -> list[str | int]:
    try:
        return list(columns)
    except TypeError:
        raise SettingsError(
            f"columns must be a list of names or positions, or None; got {columns!r}."
        ) from None


def _find(column: str | int, names: Sequence[str], where: dict[str, int], times: Counter[str]) -> int:
    if isinstance(column, str):
        if column not in where:
            raise UnknownVariable(f"no column is named {column!r}; there are {quote(names)}.")
        if times[column] > 1:
            raise DataError(
                f"{times[column]} columns are named {column!r}. "
                + ("Rename them." if ON_COMMAND_LINE.get() else "Choose by position: columns=[0, ...].")
            )
        return where[column]
    try:
        index = operator.index(column)
    except TypeError:
        raise UnknownVariable(f"{column!r} is neither the name nor the position of a column.") from None
    if not 0 <= index < len(names):
        raise UnknownVariable(f"there is no column {index}: positions go from 0 to {len(names) - 1}.")
    return index
