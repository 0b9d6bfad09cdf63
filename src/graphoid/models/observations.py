"""What people know of a row becomes codes: states by their labels, -1 where nothing was observed."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeGuard

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
    names = Names([v.name for v in variables])
    if given is None:
        return Evidence(np.full((1, len(variables)), UNKNOWN, dtype=np.int64), many=False)
    if isinstance(given, Table):
        return Evidence(_of_table(given, variables), many=True)
    if isinstance(given, Mapping):
        return _of_mapping(given, variables, names)
    if isinstance(given, (np.ndarray, list, tuple)):
        codes = np.asarray(given)
        return Evidence(_of_array(np.atleast_2d(codes), variables), many=codes.ndim != 1)
    return Evidence(_of_frame(given, variables), many=True)


def row_codes(rows: object, variables: Sequence[Variable]) -> NDArray[np.int64]:
    """Return whole rows as codes: like :func:`evidence_codes`, and everything must be observed."""
    codes = evidence_codes(rows, variables).codes
    missing = [v.name for v, column in zip(variables, codes.T, strict=True) if (column < 0).any()]
    if missing:
        raise DataError(
            f"a whole row needs a state of every variable; {quote(missing)} "
            f"has none in some rows. Ask for probabilities given the rest: query()."
        )
    return codes


def _of_mapping(given: Mapping[int | str, object], variables: Sequence[Variable], names: Names) -> Evidence:
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
    codes = np.full((n_rows, len(variables)), UNKNOWN, dtype=np.int64)
    for v, value in columns.items():
        codes[:, v] = _labels(list(value) if _several(value) else [value], variables[v])
    return Evidence(codes, many=bool(lengths))


def _several(value: object) -> TypeGuard[Sequence[object]]:
    return isinstance(value, (list, tuple)) or (not isinstance(value, str) and getattr(value, "ndim", 0) == 1)


def _of_frame(frame: pd.DataFrame, variables: Sequence[Variable]) -> NDArray[np.int64]:
    import narwhals.stable.v2 as nw  # only where there is a data frame

    try:
        columns = nw.from_native(frame, eager_only=True)
    except TypeError:
        raise DataError(
            f"expected a dictionary, a table, a data frame or a 2-D array of codes, not "
            f"{type(frame).__name__}."
        ) from None
    codes = np.full((len(columns), len(variables)), UNKNOWN, dtype=np.int64)
    for name, k in _columns(columns.columns, variables):
        column = columns[name]
        there = ~column.is_null().to_numpy()
        codes[there, k] = _labels(column.drop_nulls().to_list(), variables[k])
    return codes


def _columns(names: Sequence[str], variables: Sequence[Variable]) -> list[tuple[str, int]]:
    """Return the columns that are variables of the model, each with the position it has there."""
    place = {v.name: k for k, v in enumerate(variables)}
    known = [(name, place[name]) for name in names if name in place]
    if not known:
        raise DataError(
            f"no column is a variable of the model: columns {quote(names)}, variables {quote(list(place))}."
        )
    return known


def _of_table(table: Table, variables: Sequence[Variable]) -> NDArray[np.int64]:
    codes = np.full((table.n_rows, len(variables)), UNKNOWN, dtype=np.int64)
    for name, k in _columns(table.names, variables):
        theirs = table.variables[table.position(name)]
        if theirs.continuous:
            codes[:, k] = _labels(table.numbers(name), variables[k])
        elif theirs.states == variables[k].states:
            codes[:, k] = table.column(name)
        else:
            codes[:, k] = _labels(theirs.states, variables[k])[table.column(name)]
    return codes


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
