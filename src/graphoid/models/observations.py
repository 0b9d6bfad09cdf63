"""What people know of a row becomes codes: states by their labels, -1 where nothing was observed.

Where variables may be numbers as well, codes and numbers stand side by side, NaN where nothing was observed.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias, TypeGuard, cast

import numpy as np

from graphoid.data.table import Table
from graphoid.errors import DataError, SettingsError
from graphoid.logic.names import Names, quote

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from graphoid.data.variables import Variable

MOST_SHOWN = 8
"""States that a message lists."""

UNKNOWN = -1
"""The code of a variable that was not observed."""


class Evidence(NamedTuple):
    """Rows of codes, and whether they were one row or a list of them."""

    codes: NDArray[np.int64]
    many: bool


class MixedEvidence(NamedTuple):
    """Rows of codes and numbers, and whether they were one row or a list of them."""

    values: NDArray[np.float64]
    many: bool


def evidence_codes(given: object, variables: Sequence[Variable]) -> Evidence:
    """Return evidence as codes.

    Parameters
    ----------
    given
        None for no evidence. A dictionary from variables (by name or position) to states: one row, or many if
        values are lists or arrays. A table or a data frame, whose columns are variables by name. A 2-D array
        of codes, a column for every variable, -1 where it was not observed; one line of it is one row.
    variables
        Those of the model.

    Notes
    -----
    A state is given by its label; where no label is a number, its code will do; where states are bins, so
    will a number in one of them. None and NaN are not observed.
    """
    if isinstance(given, (np.ndarray, list, tuple)):
        codes = np.asarray(given)
        return Evidence(_of_array(np.atleast_2d(codes), variables), many=codes.ndim != 1)
    columns, n_rows, many = _columns_of(given, variables)
    codes = np.full((n_rows, len(variables)), UNKNOWN, dtype=np.int64)
    for v, column in columns.items():
        codes[:, v] = _codes(column, variables[v])
    return Evidence(codes, many)


def evidence_values(given: object, variables: Sequence[Variable]) -> MixedEvidence:
    """Return evidence as codes of states and as numbers, a column a variable.

    What :func:`evidence_codes` takes; numbers stand for themselves, also in a 2-D array, where NaN is not
    observed.
    """
    if isinstance(given, (np.ndarray, list, tuple)):
        return _mixed_array(np.asarray(given), variables)
    columns, n_rows, many = _columns_of(given, variables)
    values = np.full((n_rows, len(variables)), np.nan)
    for v, column in columns.items():
        if variables[v].continuous:
            values[:, v] = _numbers(column, variables[v])
        else:
            codes = _codes(column, variables[v])
            values[:, v] = np.where(codes < 0, np.nan, codes)
    return MixedEvidence(values, many)


def row_values(rows: object, variables: Sequence[Variable]) -> NDArray[np.float64]:
    """Return whole rows as codes and numbers: everything must be observed."""
    values = evidence_values(rows, variables).values
    _refuse_unknown(np.isnan(values), variables)
    return values


def row_codes(rows: object, variables: Sequence[Variable]) -> NDArray[np.int64]:
    """Return whole rows as codes: like :func:`evidence_codes`, and everything must be observed."""
    codes = evidence_codes(rows, variables).codes
    _refuse_unknown(codes < 0, variables)
    return codes


def _refuse_unknown(unknown: NDArray[np.bool_], variables: Sequence[Variable]) -> None:
    missing = [v.name for v, column in zip(variables, unknown.T, strict=True) if column.any()]
    if missing:
        what = "value" if any(v.continuous for v in variables) else "state"
        raise DataError(
            f"a whole row needs a {what} of every variable; {quote(missing)} "
            f"has none in some rows. Ask for probabilities given the rest: query()."
        )


class _Coded(NamedTuple):
    """A column of a table: codes of its own states."""

    codes: NDArray[np.integer]
    states: Sequence[object]


_Column: TypeAlias = "Sequence[object] | NDArray[np.generic] | _Coded"


class _Columns(NamedTuple):
    """What is given of variables, by position, and whether it is one row or a list of them."""

    columns: Mapping[int, _Column]
    n_rows: int
    many: bool


def _columns_of(given: object, variables: Sequence[Variable]) -> _Columns:
    if given is None:
        return _Columns({}, 1, many=False)
    if isinstance(given, Table):
        return _of_table(given, variables)
    if isinstance(given, Mapping):
        return _of_mapping(given, Names([v.name for v in variables]))
    return _of_frame(given, variables)


def _codes(column: _Column, variable: Variable) -> NDArray[np.int64]:
    """Return the codes of a column."""
    if not isinstance(column, _Coded):
        return _labels(column, variable)
    if column.states == variable.states:
        return column.codes.astype(np.int64)
    return np.where(column.codes < 0, UNKNOWN, _labels(column.states, variable)[column.codes])


def _numbers(column: _Column, variable: Variable) -> NDArray[np.float64]:
    """Return the numbers of a column, NaN where nothing was observed."""
    if isinstance(column, _Coded):
        return np.where(column.codes < 0, np.nan, _numbers(column.states, variable)[column.codes])
    if isinstance(column, np.ndarray) and column.dtype.kind in "iuf":
        found = column.astype(np.float64)
    else:
        found = np.array([np.nan if value is None else _number(value, variable) for value in column])
    wrong = np.flatnonzero(np.isinf(found))
    if wrong.size:
        raise DataError(
            f"{variable.name!r} is {found[wrong[0]]} in row {wrong[0]}; a finite number is needed."
        )
    return found


def _number(value: object, variable: Variable) -> float:
    if isinstance(value, (int, float, np.number)) and not isinstance(value, bool):
        return float(value)
    raise DataError(f"{value!r} ({_kind(value)}) is no value of {variable.name!r}, whose values are numbers.")


def _of_mapping(given: Mapping[int | str, object], names: Names) -> _Columns:
    columns: dict[int, object] = {}
    for key, value in given.items():
        v = names.position(key)
        if v in columns:
            raise SettingsError(f"{names.all[v]!r} is given twice, by name and by position.")
        columns[v] = value
    lengths = {names.all[v]: len(value) for v, value in columns.items() if _several(value)}
    if len(set(lengths.values())) > 1:
        listing = ", ".join(f"{name!r} {length:,}" for name, length in lengths.items())
        raise DataError(f"lists of evidence must be equally long; got {listing}.")
    n_rows = next(iter(lengths.values()), 1)
    every = {v: list(value) if _several(value) else [value] * n_rows for v, value in columns.items()}
    return _Columns(every, n_rows, many=bool(lengths))


def _several(value: object) -> TypeGuard[Sequence[object]]:
    return isinstance(value, (list, tuple)) or (not isinstance(value, str) and getattr(value, "ndim", 0) == 1)


def _of_frame(frame: object, variables: Sequence[Variable]) -> _Columns:
    import narwhals.stable.v2 as nw  # only where there is a data frame

    try:
        columns = nw.from_native(cast("pd.DataFrame", frame), eager_only=True)
    except TypeError:
        raise DataError(
            f"expected a dictionary, a table, a data frame or a 2-D array of codes, not "
            f"{type(frame).__name__}."
        ) from None
    found: dict[int, _Column] = {}
    for name, k in _columns(columns.columns, variables):
        blank = columns[name].is_null().to_list()
        values = columns[name].to_list()
        found[k] = [None if gone else value for value, gone in zip(values, blank, strict=True)]
    return _Columns(found, len(columns), many=True)


def _columns(names: Sequence[str], variables: Sequence[Variable]) -> list[tuple[str, int]]:
    """Return the columns that are variables of the model, each with the position it has there."""
    place = {v.name: k for k, v in enumerate(variables)}
    known = [(name, place[name]) for name in names if name in place]
    if not known:
        raise DataError(
            f"no column is a variable of the model: columns {quote(names)}, variables {quote(list(place))}."
        )
    return known


def _of_table(table: Table, variables: Sequence[Variable]) -> _Columns:
    found: dict[int, _Column] = {}
    for name, k in _columns(table.names, variables):
        i = table.position(name)
        theirs = table.variables[i]
        if theirs.continuous or (variables[k].continuous and i in table.values):
            found[k] = table.values[i] if i in table.holes else table.numbers(name)
        elif i in table.holes:
            codes = table.codes_of(i).astype(np.int64)
            found[k] = _Coded(np.where(table.absent(i), UNKNOWN, codes), theirs.states)
        else:
            found[k] = _Coded(table.column(name), theirs.states)
    return _Columns(found, table.n_rows, many=True)


def _mixed_array(rows: NDArray[np.generic], variables: Sequence[Variable]) -> MixedEvidence:
    table = np.atleast_2d(rows)
    if table.ndim != 2 or table.shape[1] != len(variables) or table.dtype.kind not in "iubf":
        raise DataError(
            f"rows as an array must be codes and numbers with {len(variables)} columns, one for each "
            f"variable; got shape {table.shape} of {table.dtype}."
        )
    values = table.astype(np.float64)
    for v, variable in enumerate(variables):
        column = values[:, v]
        if variable.continuous:
            _numbers(column, variable)
            continue
        column[column == UNKNOWN] = np.nan
        known = column[~np.isnan(column)]
        wrong = known[~np.isin(known, np.arange(variable.arity))]
        if wrong.size:
            raise DataError(
                f"code {wrong[0]:g} is none of {variable.name!r}, whose codes go from 0 to "
                f"{variable.arity - 1} (-1 or NaN: not observed)."
            )
    return MixedEvidence(values, many=rows.ndim != 1)


def _of_array(rows: NDArray[np.generic], variables: Sequence[Variable]) -> NDArray[np.int64]:
    if rows.ndim != 2 or rows.shape[1] != len(variables) or rows.dtype.kind not in "iub":
        raise DataError(
            f"rows as an array must be whole-number codes with {len(variables)} columns, one for each "
            f"variable; got shape {rows.shape} of {rows.dtype}."
        )
    codes = rows.astype(np.int64)
    for v, variable in enumerate(variables):
        wrong = np.flatnonzero((codes[:, v] < UNKNOWN) | (codes[:, v] >= variable.arity))
        if wrong.size:
            raise DataError(
                f"code {codes[wrong[0], v]} in row {wrong[0]} is none of {variable.name!r}, whose codes go "
                f"from 0 to {variable.arity - 1} (-1: not observed)."
            )
    return codes


def _labels(values: Sequence[object] | NDArray[np.generic], variable: Variable) -> NDArray[np.int64]:
    """Return the codes of states: by label, by code where no label is a number, or by a number in a bin."""
    code: dict[object, int] = {state: k for k, state in enumerate(variable.states)}
    if not any(isinstance(state, (int, float)) for state in variable.states) and not variable.cuts:
        code |= {k: k for k in range(variable.arity)}
    found: dict[object, int] = {}
    out = np.empty(len(values), dtype=np.int64)
    for row, value in enumerate(values):
        key = value if isinstance(value, Hashable) else repr(value)  # a list is no state of anything
        if key not in found:
            found[key] = _label(value, code.get(key), variable)
        out[row] = found[key]
    return out


def _label(value: object, code: int | None, variable: Variable) -> int:
    """Return the code of a state; ``code`` is the one it has by its label, if any."""
    if value is None or value != value:  # NaN is what does not equal itself
        return UNKNOWN
    if code is not None:
        return code
    if variable.cuts and isinstance(value, (int, float, np.number)):
        return int(np.searchsorted(variable.cuts, value, side="left"))
    plain = value.item() if isinstance(value, np.generic) else value
    raise DataError(
        f"{plain!r}{_unlike(plain, variable)} is not a state of {variable.name!r}; "
        f"its states are {_listing(variable)}."
    )


def _listing(variable: Variable) -> str:
    """Return the states for a message: text in quotation marks, anything else with its kind."""
    kinds = {_kind(state) for state in variable.states}
    kind = f"the {kinds.pop()}s " if len(kinds) == 1 and "text" not in kinds else ""
    rest = variable.arity - MOST_SHOWN
    more = f" and {rest:,} more" if rest > 0 else ""
    return kind + ", ".join(repr(state) for state in variable.states[:MOST_SHOWN]) + more


def _unlike(value: object, variable: Variable) -> str:
    """Return the kind of a value, in brackets, where no state is of that kind."""
    kind = _kind(value)
    return "" if kind in {_kind(state) for state in variable.states} else f" ({kind})"


def _kind(value: object) -> str:
    if isinstance(value, bool):
        return "truth value"
    if isinstance(value, (int, float)):
        return "number"
    return "text" if isinstance(value, str) else type(value).__name__
