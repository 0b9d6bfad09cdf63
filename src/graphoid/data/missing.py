"""Missing values: the policy is chosen by name when reading, and nothing later has to think of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from graphoid.errors import DataError, SettingsError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from graphoid.data.encode import Encoded

POLICIES = ("error", "drop", "category")

SHOWN = 8
"""Columns named in a message; the rest are counted."""


def check_setting(missing: Any) -> None:
    """Refuse what is no policy."""
    if missing not in POLICIES:
        raise SettingsError(f"missing is {missing!r}; expected 'error', 'drop' or 'category'.")


def complete_rows(columns: Sequence[Encoded], n_rows: int) -> NDArray[np.bool_]:
    """Return which rows have no missing cell."""
    complete = np.ones(n_rows, dtype=bool)
    for column in columns:
        if column.n_missing:
            complete &= ~column.missing()
    return complete


def missing_error(
    names: Sequence[str], columns: Sequence[Encoded], n_rows: int, n_complete: int
) -> DataError:
    """Return the error for missing cells: where they are, how many, and what can be done."""
    found = [(name, column) for name, column in zip(names, columns, strict=True) if column.n_missing]
    total = sum(column.n_missing for _, column in found)
    where = ", ".join(_described(name, column) for name, column in found[:SHOWN])
    more = f" and {len(found) - SHOWN:,} more columns" if len(found) > SHOWN else ""
    drop = f"missing='drop' leaves {n_complete:,} of {n_rows:,} rows" if n_complete else "every row has one"
    return DataError(
        f"{total:,} cell(s) are missing: {where}{more}. Choose a policy ({drop}; missing='category' makes "
        f"them a state of their own), or leave these columns out with columns=..."
    )


def _described(name: str, column: Encoded) -> str:
    written = [repr(spelling) for spelling in column.spelled if spelling]
    return f"{name!r} {column.n_missing:,}" + (f" (written {', '.join(written)})" if written else "")


def missing_label(states: Sequence[Any]) -> str:
    """Return a label for the state of missing cells that no other state has."""
    taken = {str(state) for state in states}
    label = "missing"
    while label in taken:
        label = "missing value" if label == "missing" else label + "'"
    return label
