"""Columns of simulated tables, as reading a file of them would give them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from graphoid.data.encoding.discretize import FEW
from graphoid.data.table import Codes, Table, code_columns
from graphoid.data.variables import Variable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from graphoid.data.variables import Kind


class Column(NamedTuple):
    """A variable with its codes, or its numbers."""

    variable: Variable
    codes: Codes | None
    numbers: NDArray[np.float64] | None


def numbers_column(name: str, numbers: NDArray[np.float64]) -> Column:
    """Return a continuous column."""
    return Column(Variable(name, ()), None, np.ascontiguousarray(numbers))


def states_column(name: str, codes: NDArray[np.integer], n_states: int, kind: Kind) -> Column:
    """Return a column of states; counts have those that occur or, where these are many, are numbers."""
    if kind == "nominal":
        letters = "abcdefghijklmnopqrstuvwxyz"
        states = tuple(letters[k] if n_states <= len(letters) else f"s{k}" for k in range(n_states))
        variable = Variable(name, states)
    elif kind == "ordered":
        variable = Variable(name, tuple(range(n_states)), kind="ordered")
    else:
        levels, codes = np.unique(codes, return_inverse=True)
        if len(levels) > FEW:
            return Column(Variable(name, (), kind="count"), None, levels[codes].astype(np.float64))
        variable = Variable(name, tuple(levels.tolist()), kind="count")
    return Column(variable, code_columns(codes[:, None], [variable])[0], None)


def table_of(columns: Sequence[Column], n_rows: int, how: str, name: str) -> Table:
    """Return the table of simulated columns."""
    values = {x: column.numbers for x, column in enumerate(columns) if column.numbers is not None}
    variables, codes = tuple(c.variable for c in columns), tuple(c.codes for c in columns)
    return Table(variables, codes, n_rows, values, notes=(f"simulated: {how}",), name=name)
