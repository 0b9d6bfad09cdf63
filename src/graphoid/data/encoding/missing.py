"""Missing values: the policy is chosen by name when reading, and nothing later has to think of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphoid.errors import DataError, leave_out, setting

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graphoid.data.encoding.encode import Encoded
    from graphoid.data.variables import State

SHOWN = 8
"""Columns named in a message; the rest are counted."""


def missing_error(
    names: Sequence[str], columns: Sequence[Encoded | None], n_rows: int, n_complete: int
) -> DataError:
    """Return the error for missing cells: where they are, how many, and what can be done."""
    found = _incomplete(names, columns)
    total = sum(column.n_missing for _, column in found)
    where = ", ".join(
        f"{name!r} {column.n_missing:,}" + (f" (written {written})" if written else "")
        for name, column in found[:SHOWN]
        for written in [", ".join(repr(spelling) for spelling in column.spelled if spelling)]
    )
    more = f" and {len(found) - SHOWN:,} more columns" if len(found) > SHOWN else ""
    drop, category = setting("missing", "drop"), setting("missing", "category")
    kept = f"{drop} leaves {n_complete:,} of {n_rows:,} rows" if n_complete else "every row has one"
    return DataError(
        f"{total:,} cell(s) are missing: {where}{more}. Choose a policy ({kept}; {category} makes "
        f"them a state of their own), or leave these columns out {leave_out(*(name for name, _ in found))}."
    )


def nothing_left_error(names: Sequence[str], columns: Sequence[Encoded | None]) -> DataError:
    """Return the error for dropping all rows, with the column that is most to blame."""
    found = _incomplete(names, columns)
    drop, category = setting("missing", "drop"), setting("missing", "category")
    nothing = f"every row has a missing cell, so {drop} leaves none."
    if not found:  # rows were dropped where the data are, and what is left does not say why
        return DataError(f"{nothing} Choose {category}.")
    name, column = max(found, key=lambda pair: pair[1].n_missing)
    return DataError(
        f"{nothing} Leave out {name!r} ({column.n_missing:,} missing) {leave_out(name)}, "
        f"or choose {category}."
    )


def no_value_error(name: str) -> DataError:
    """Return the error for a column without a single value."""
    return DataError(f"{name!r} is missing in every row. Leave it out {leave_out(name)}.")


def hole_note(columns: Sequence[Encoded | None], n_rows: int, n_complete: int) -> str:
    """Return the sentence on missing cells that stay in the table."""
    some = [column for column in columns if column is not None]
    total, cells = sum(column.n_missing for column in some), n_rows * len(some)
    return (
        f"{total:,} of {cells:,} cells ({total / cells:.1%}) are missing, in {n_rows - n_complete:,} of "
        f"{n_rows:,} rows; the other {1 - total / cells:.1%} are used, each question by the rows that are "
        f"complete for it."
    )


def _incomplete(names: Sequence[str], columns: Sequence[Encoded | None]) -> list[tuple[str, Encoded]]:
    pairs = zip(names, columns, strict=True)
    return [(name, column) for name, column in pairs if column is not None and column.n_missing]


def missing_label(states: Sequence[State]) -> str:
    """Return a label for the state of missing cells that no other state has."""
    labels = {str(state) for state in states}
    label = "missing"
    while label in labels:
        label = "missing value" if label == "missing" else label + "'"
    return label
