"""Rows that come later, added to a table: with its states, its bins and its kinds."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from graphoid.data.read import SCALED, open_source, read
from graphoid.data.remote.table import RemoteTable
from graphoid.data.table import Table, Weights
from graphoid.data.variables import MAX_STATES, Variable
from graphoid.errors import DataError, setting
from graphoid.logic.names import quote

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import ArrayLike, NDArray

    from graphoid.data.table import Codes
    from graphoid.data.variables import Kind, State


def append(table: Table, rows: object) -> Table:
    """Return a table with further rows, which come after those that it has.

    Parameters
    ----------
    table
        In memory.
    rows
        Anything that :func:`graphoid.read` takes, with a column for every variable, in any order; read by
        :func:`read_alike` unless they are a table.

    Notes
    -----
    Kinds stay, and bins stay as they were cut. A state that was not seen before joins the others: in its
    place where states are numbers, else after them, and a note says so; where they have an order that is not
    that of numbers it is refused, since its place is unknown.

    Examples
    --------
    >>> table = read({"age": [1, 2, 2], "smokes": ["no", "yes", "no"]})
    >>> append(table, {"smokes": ["never"], "age": [2]}).variables[1].states
    ('no', 'yes', 'never')
    """
    for part, what in ((table, "the table"), (rows, "what is to be added")):
        if isinstance(part, RemoteTable):
            raise DataError(
                f"{what} stays at its source and cannot be joined to other rows; add them there, and learn "
                f"again with start=."
            )
    if not isinstance(rows, Table):
        check_columns(table, open_source(rows).names)
        rows = read_alike(table, rows)
    later = _in_order(table, rows)
    merged = [_merge(table, later, i) for i in range(len(table.variables))]
    return replace(
        table,
        variables=tuple(column.variable for column in merged),
        columns=tuple(column.codes for column in merged),
        n_rows=table.n_rows + later.n_rows,
        values={i: column.values for i, column in enumerate(merged) if column.values is not None},
        weights=_join_weights(table.weights, later.weights),
        notes=(*table.notes, *(note for column in merged for note in column.notes)),
        holes=table.holes | later.holes,
        missing=later.missing if later.holes and not table.holes else table.missing,
    )


def check_columns(table: Table, names: Sequence[str]) -> None:
    """Raise unless there is a column for every variable of a table, and none beside."""
    absent = [name for name in table.names if name not in names]
    others = [name for name in names if name not in table.names]
    if absent and others:
        raise DataError(
            f"the new rows have no column {quote(absent)}, which the table has, but {quote(others)}; name "
            f"their columns as in the table."
        )
    if absent:
        raise DataError(f"the new rows have no column {quote(absent)}, which the table has; give them one.")
    if others:
        raise DataError(
            f"the new rows have a column {quote(others)}, which the table does not have; leave it out."
        )


def read_alike(
    table: Table,
    source: object,
    *,
    missing: str | None = None,
    na_values: Iterable[str | float] = (),
    decimal: str = ".",
    weights: str | ArrayLike | None = None,
) -> Table:
    """Return a source as a table with the columns of another one, of the same kinds.

    Missing cells are treated as there unless said; columns that the other one does not have are left out.
    """
    kinds: dict[str, Kind] = {v.name: "continuous" if v.cuts else v.kind for v in table.variables}
    return read(
        source,
        columns=list(table.names),
        kinds=kinds,
        missing=missing or (table.missing if table.holes else "error"),
        na_values=na_values,
        decimal=decimal,
        weights=weights,
        where="memory",
    )


def _in_order(table: Table, rows: Table) -> Table:
    """Return the columns of one table from another one; refused where they do not fit together."""
    check_columns(table, rows.names)
    if not rows.n_rows:
        raise DataError("there are no new rows; nothing can be added.")
    if (table.weights is None) != (rows.weights is None):
        have, lack = ("the first rows", "the new ones")[:: 1 if rows.weights is None else -1]
        raise DataError(f"{have} have weights and {lack} have none; read both with weights, or neither.")
    if any(SCALED in note for part in (table, rows) for note in part.notes):
        raise DataError(
            "sampling weights are scaled to the effective number of all rows and cannot be joined; read all "
            "rows together, and learn again with start=."
        )
    return rows.take([rows.position(name) for name in table.names])


def _join_weights(before: Weights | None, after: Weights | None) -> Weights | None:
    if before is None or after is None:
        return None
    return Weights.of(np.concatenate([before.values, after.values]))


class _Column(NamedTuple):
    variable: Variable
    codes: Codes | None
    values: NDArray[np.float64] | None
    notes: tuple[str, ...] = ()


def _merge(table: Table, later: Table, i: int) -> _Column:
    """Return a column with further rows."""
    variable = table.variables[i]
    values = None
    if i in table.values:
        values = np.concatenate([table.values[i], _numbers(later, i, variable)])
    if variable.continuous:
        return _Column(variable, None, values)
    holes = i in table.holes or i in later.holes
    if variable.cuts:
        return _merge_bins(table, later, i, values)
    labels = _labels(later, i, variable)
    wider, notes = _with_states(variable, labels)
    place = {state: code for code, state in enumerate(wider.states)}
    places = np.array([*(place[state] for state in variable.states), wider.arity])
    codes = np.array([*(place[label] for label in labels), wider.arity])[_label_codes(later, i)]
    return _Column(wider, _join(places[table.codes_of(i)], codes, wider, holes=holes), values, notes)


def _merge_bins(table: Table, later: Table, i: int, values: NDArray[np.float64] | None) -> _Column:
    """Return a column of bins with further rows; a missing cell has the code after the last bin.

    That is its own state, where it has one, or what stands for a hole.
    """
    variable = table.variables[i]
    numbers = _numbers(later, i, variable)
    lost = np.isnan(numbers)
    own = variable.arity > len(variable.cuts) + 1
    if lost.any() and not own and i not in later.holes:
        raise DataError(
            f"the new rows have missing cells in {variable.name!r}, where the table has none; read them with "
            f"{setting('missing', 'drop')} or {setting('missing', 'available')}."
        )
    codes = np.where(lost, len(variable.cuts) + 1, np.searchsorted(np.array(variable.cuts), numbers))
    holes = i in table.holes or i in later.holes
    return _Column(variable, _join(table.codes_of(i), codes, variable, holes=holes), values)


def _numbers(table: Table, i: int, variable: Variable) -> NDArray[np.float64]:
    """Return a column as numbers, NaN where cells are missing."""
    if i in table.values:
        return table.values[i]
    states = table.variables[i].states
    if not all(isinstance(state, (bool, int, float)) for state in states):
        shown = quote([str(s) for s in states if not isinstance(s, (bool, int, float))], 4)
        raise DataError(f"the new rows have {shown} in {variable.name!r}, which holds numbers; mend them.")
    return np.append(np.array(states, dtype=np.float64), np.nan)[table.codes_of(i)]


def _labels(later: Table, i: int, variable: Variable) -> list[State]:
    """Return the different labels of new rows, as a variable writes them."""
    own = later.variables[i]
    found: list[State] = list(own.states)
    if own.continuous:
        numbers = np.unique(later.values[i][~np.isnan(later.values[i])])
        found = [int(x) if x.is_integer() else x for x in numbers.tolist()]
    known, texts = set(variable.states), {str(state): state for state in variable.states}
    written = all(isinstance(state, str) for state in variable.states)  # numbers among text are text, too
    return [
        label if label in known else texts.get(str(label), str(label) if written else label)
        for label in found
    ]


def _label_codes(later: Table, i: int) -> NDArray[np.integer]:
    """Return which of the labels each row has; one past the last where a cell is missing."""
    if not later.variables[i].continuous:
        return later.codes_of(i)
    numbers = later.values[i]
    lost = np.isnan(numbers)
    levels = np.unique(numbers[~lost])
    return np.where(lost, len(levels), np.searchsorted(levels, numbers))


def _with_states(variable: Variable, labels: list[State]) -> tuple[Variable, tuple[str, ...]]:
    """Return a variable that has all the labels among its states, and what is to be said of new ones."""
    known = set(variable.states)
    unseen = sorted(set(labels) - known, key=lambda state: (isinstance(state, str), state))
    if not unseen:
        return variable, ()
    states: tuple[State, ...] = (*variable.states, *unseen)
    shown = quote([str(state) for state in unseen], 4)
    numbers = [state for state in states if isinstance(state, (bool, int, float))]
    if len(states) > MAX_STATES - 1:
        raise DataError(
            f"with the new rows {variable.name!r} has {len(states):,} states; the most is {MAX_STATES - 1:,}."
        )
    if len(numbers) == len(states):
        states = tuple(sorted(numbers))
    elif variable.ordered:
        raise DataError(
            f"the new rows have {shown} in {variable.name!r}, whose states have an order that does not say "
            f"where it belongs; read all rows together, and say the order of the states."
        )
    wider = Variable(variable.name, states, label=variable.label, kind=variable.kind)
    return wider, (f"{variable.name!r}: {shown} had not been seen before.",)


def _join(
    before: NDArray[np.integer], after: NDArray[np.integer], variable: Variable, *, holes: bool
) -> Codes:
    """Return codes one after the other, as narrow as they may be."""
    wide = variable.arity + holes > 256
    joined = np.concatenate([before, after])
    return joined.astype(np.uint16) if wide else joined.astype(np.uint8)
