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

FEW_DROPPED = 0.99
"""Share of complete rows from which on dropping the others is as good as anything, and simplest."""


def missing_error(
    names: Sequence[str],
    columns: Sequence[Encoded | None],
    n_rows: int,
    n_complete: int,
    *,
    numbers: bool = False,
) -> DataError:
    """Return the error for missing cells: where they are, how many, and what can be done.

    ``numbers`` says whether some are in columns of numbers.
    """
    found = _incomplete(names, columns)
    total = sum(column.n_missing for _, column in found)
    where = ", ".join(
        f"{name!r} {column.n_missing:,}" + (f" (written {written})" if written else "")
        for name, column in found[:SHOWN]
        for written in [", ".join(repr(spelling) for spelling in column.spelled if spelling)]
    )
    more = f" and {len(found) - SHOWN:,} more columns" if len(found) > SHOWN else ""
    cells = n_rows * sum(column is not None for column in columns)
    return DataError(
        f"{total:,} cell(s) are missing: {where}{more}. "
        f"{policies(n_rows, n_complete, 1 - total / cells, numbers=numbers)} "
        f"Or leave these columns out {leave_out(*(name for name, _ in found))}."
    )


def policies(n_rows: int, n_complete: int, share: float, *, numbers: bool = False) -> str:
    """Return what can be done about missing cells, and what each way keeps; the one to take comes first.

    Parameters
    ----------
    n_rows, n_complete
        Rows, and those of them without a missing cell.
    share
        Of cells that are not missing.
    numbers
        Whether some are numbers, for which the complete rows of each question do not do.
    """
    ways = {
        "available": f"uses {_percent(share)} of the cells: the rows complete for each question",
        "weighted": "does the same with inverse-probability weights",
        "impute": "is multiple imputation, for columns of any kind",
        "drop": f"leaves {n_complete:,} of {n_rows:,} rows" if n_complete else "leaves no row",
        "category": "makes missing a state of its own",
    }
    first = recommend_policy(n_rows, n_complete)
    if numbers:
        ways = {way: ways[way] for way in ("impute", "drop")}
        first = "impute" if first == "available" else first
    order = [first, *(way for way in ways if way != first)]
    said = "; ".join(f"{setting('missing', way)} {ways[way]}" for way in order)
    rest = f" Others need columns of states: {setting('discretize', 'auto')} makes bins." if numbers else ""
    return f"Choose a policy, the recommended one first: {said}.{rest}"


def recommend_policy(n_rows: int, n_complete: int) -> str:
    """Return the policy for missing cells that we recommend: "drop" where next to nothing is dropped.

    ``benchmarks/missing.py`` has what each way costs.
    """
    return "drop" if n_complete >= FEW_DROPPED * n_rows else "available"


def _percent(share: float) -> str:
    """Return a share as a percentage that is not 100 where something is missing."""
    return f"{share:.1%}" if share <= 0.9995 else "all but a few"


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


def no_value_errors(names: Sequence[str], columns: Sequence[Encoded | None], n_rows: int) -> list[DataError]:
    """Return the errors for columns without a single value."""
    return [
        DataError(f"{name!r} is missing in every row. Leave it out {leave_out(name)}.")
        for name, column in _incomplete(names, columns)
        if column.n_missing == n_rows
    ]


def hole_note(columns: Sequence[Encoded | None], policy: str, n_rows: int, n_complete: int) -> str:
    """Return the sentence on missing cells that stay in the table."""
    use = (
        "they are drawn from learned models, several times."
        if policy == "impute"
        else "each question is answered by the rows that are complete for it."
    )
    some = [column for column in columns if column is not None]
    total, cells = sum(column.n_missing for column in some), n_rows * len(some)
    return (
        f"{total:,} of {cells:,} cells ({total / cells:.1%}) are missing, in {n_rows - n_complete:,} of "
        f"{n_rows:,} rows; the other {1 - total / cells:.1%} are used: {use}"
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
