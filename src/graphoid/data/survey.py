"""Reading without raising: every column encoded and planned, every problem collected. `read` and `check` share it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from graphoid.data import discretize as discretizing
from graphoid.data import missing as missing_values
from graphoid.data.columns import encode
from graphoid.data.encode import Encoded
from graphoid.data.plan import ColumnPlan, plan
from graphoid.data.source import choose
from graphoid.data.table import Weights
from graphoid.errors import DataError, GraphoidError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from graphoid.data.source import Source

THREADS = 2
"""Columns are encoded two at a time: one waits for memory while the other computes, and no more than two raw
columns are held at once. The result does not depend on it."""

SMALL = 1 << 16
"""Cells below which threads cost more than they save."""


@dataclass(frozen=True, eq=False)
class Survey:
    """Everything that reading finds out about a source.

    Parameters
    ----------
    names
        Of the variables.
    columns
        One a variable; None where the values cannot be states.
    plans
        What becomes of each.
    n_rows
        Rows that are used.
    n_rows_read
        Rows of the source.
    n_complete
        Rows without a missing cell.
    weights
        Row weights, or None.
    problems
        What stops reading, in the order in which it would.
    notes
        What reading changed, apart from single columns.
    """

    names: tuple[str, ...]
    columns: tuple[Encoded | None, ...]
    plans: tuple[ColumnPlan, ...]
    n_rows: int
    n_rows_read: int
    n_complete: int
    weights: Weights | None
    problems: tuple[GraphoidError, ...]
    notes: tuple[str, ...]


def survey(source: Source, *, columns: Any, discretize: Any, missing: str, weights: Any) -> Survey:
    """Look at every column of a source and decide what becomes of it."""
    by_name = isinstance(weights, str)
    chosen = choose(source.names, columns, weights if by_name else None)
    if not source.n_rows:
        raise DataError(f"{source.name} has {len(source.names):,} column(s) and no rows.")
    problems: list[GraphoidError] = [*source.problems, *chosen.problems]
    notes = [*source.notes, *chosen.notes]

    results = encode_all(source, chosen.positions, chosen.names)
    encoded = [None if isinstance(result, GraphoidError) else result for result in results]
    usable = [column for column in encoded if column is not None]
    complete = missing_values.complete_rows(usable, source.n_rows)
    n_complete = int(np.count_nonzero(complete))
    if missing == "drop" and n_complete < source.n_rows:
        if n_complete:
            encoded = [None if column is None else column.keep(complete) for column in encoded]
            notes.append(
                f"{source.n_rows - n_complete:,} of {source.n_rows:,} rows had missing cells and were dropped."
            )
        else:
            problems.append(
                DataError(
                    f"every row has a missing cell, so missing='drop' leaves none. {_remedy(chosen.names, encoded)}"
                )
            )
    dropped = missing == "drop" and 0 < n_complete < source.n_rows

    plans = []
    for name, column, result in zip(chosen.names, encoded, results, strict=True):
        if column is None:
            planned = ColumnPlan("unusable", "refused", result)  # type: ignore[arg-type]
        else:
            planned = plan(column, name, discretize=discretize, missing=missing)
        plans.append(planned)
    problems += [planned.problem for planned in plans if planned.problem is not None]
    if missing == "error" and n_complete < source.n_rows:
        found = [
            (name, column) for name, column in zip(chosen.names, encoded, strict=True) if column is not None
        ]
        problems.append(
            missing_values.missing_error(
                [n for n, _ in found], [c for _, c in found], source.n_rows, n_complete
            )
        )
    row_weights = None
    try:
        row_weights = _weights(source, chosen.weights, weights, complete if dropped else None)
    except GraphoidError as error:
        problems.append(error)
    return Survey(
        chosen.names,
        tuple(encoded),
        tuple(plans),
        n_complete if dropped else source.n_rows,
        source.n_rows,
        n_complete,
        row_weights,
        tuple(problems),
        tuple(notes),
    )


def _remedy(names: Sequence[str], columns: Sequence[Encoded | None]) -> str:
    worst = max(
        ((column.n_missing, name) for name, column in zip(names, columns, strict=True) if column is not None),
        key=lambda pair: pair[0],
    )
    return f"Leave out {worst[1]!r} ({worst[0]:,} missing) with columns=..., or choose missing='category'."


def encode_all(
    source: Source, positions: Sequence[int], names: Sequence[str]
) -> list[Encoded | GraphoidError]:
    """Return every column as levels and codes, or the error that says why not."""
    groups = [
        range(start, min(start + source.group, len(positions)))
        for start in range(0, len(positions), source.group)
    ]

    def encode_group(group: range) -> list[Encoded | GraphoidError]:
        raws = source.load([positions[k] for k in group])
        return [_encoded(raw, names[k]) for k, raw in zip(group, raws, strict=True)]

    if len(groups) == 1 or source.n_rows * len(positions) <= SMALL:
        return [column for group in groups for column in encode_group(group)]
    with ThreadPoolExecutor(THREADS) as pool:
        return [column for group in pool.map(encode_group, groups) for column in group]


def _encoded(raw: Any, name: str) -> Encoded | GraphoidError:
    try:
        return encode(raw, name)
    except GraphoidError as error:
        return error


def _weights(
    source: Source, position: int | None, weights: Any, rows: NDArray[np.bool_] | None
) -> Weights | None:
    if weights is None:
        return None
    if position is not None:
        column = encode(next(iter(source.load([position]))), weights)
        if not column.numeric and column.n_missing < column.n_rows:
            raise DataError(f"weights are to come from {weights!r}, which does not hold numbers.")
        numbers = column.numbers()
        what = f"{weights!r}, the column of weights,"
    else:
        try:
            numbers = np.asarray(weights, dtype=np.float64)
        except (TypeError, ValueError):
            raise DataError("weights must be the name of a column or an array of one number a row.") from None
        if numbers.shape != (source.n_rows,):
            raise DataError(
                f"weights have the shape {numbers.shape}; expected one number for each of {source.n_rows:,} rows."
            )
        what = "weights"
    if rows is not None:
        numbers = numbers[rows]
    absent = np.flatnonzero(np.isnan(numbers))
    if absent.size:
        raise DataError(
            f"{what} has {absent.size:,} missing number(s), first in row {absent[0]}. Every row needs a weight."
        )
    return Weights.of(numbers)
