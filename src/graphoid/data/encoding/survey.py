"""Reading without raising: every column encoded and planned, every problem collected. For read and check."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from graphoid.data.encoding.columns import encode
from graphoid.data.encoding.missing import complete_rows, missing_error, nothing_left_error
from graphoid.data.encoding.plan import ColumnPlan, plan
from graphoid.data.source import choose
from graphoid.data.table import Weights
from graphoid.errors import DataError, GraphoidError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from graphoid.data.encoding.encode import Encoded
    from graphoid.data.source import Source

THREADS = 2
"""Columns are encoded two at a time: one waits for memory while the other computes, and no more than two raw
columns are held at once. The result does not depend on it."""

SHORT = 1 << 14
"""Columns with at most this many rows are done before a second thread has begun; threads would only wait for
each other."""


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
    """Look at every column of a source and decide what becomes of it.

    Rows are dropped first, then states and bins are determined, so that neither depends on rows that are not
    used.
    """
    chosen = choose(source.names, columns, weights if isinstance(weights, str) else None)
    names, n_rows = chosen.names, source.n_rows
    if not n_rows:
        raise DataError(f"{source.name} has {len(source.names):,} column(s) and no rows.")
    problems: list[GraphoidError] = [*source.problems, *chosen.problems]
    notes = [*source.notes, *chosen.notes]

    results = encode_all(source, chosen.positions, names)
    encoded = [None if isinstance(result, GraphoidError) else result for result in results]
    complete = complete_rows(encoded, n_rows)
    n_complete = int(np.count_nonzero(complete))
    kept = None
    if missing == "drop" and not n_complete:
        problems.append(nothing_left_error(names, encoded))
    elif missing == "drop" and n_complete < n_rows:
        kept = complete
        encoded = [None if column is None else column.keep(kept) for column in encoded]
        notes.append(f"{n_rows - n_complete:,} of {n_rows:,} rows had missing cells and were dropped.")

    plans = []
    for name, column, result in zip(names, encoded, results, strict=True):
        if column is not None:
            plans.append(plan(column, name, discretize=discretize, missing=missing))
        elif isinstance(result, GraphoidError):
            plans.append(ColumnPlan("unusable", "refused", result))
    problems += [planned.problem for planned in plans if planned.problem is not None]
    if missing == "error" and n_complete < n_rows:
        problems.append(missing_error(names, encoded, n_rows, n_complete))
    row_weights = None
    try:
        row_weights = weigh(source, chosen.weights, weights, kept)
    except GraphoidError as error:
        problems.append(error)
    return Survey(
        names,
        tuple(encoded),
        tuple(plans),
        n_rows if kept is None else n_complete,
        n_rows,
        n_complete,
        row_weights,
        tuple(problems),
        tuple(notes),
    )


def encode_all(
    source: Source, positions: Sequence[int], names: Sequence[str]
) -> list[Encoded | GraphoidError]:
    """Return every column as levels and codes, or the error that says why not."""
    n, step = len(positions), source.group
    groups = [range(start, min(start + step, n)) for start in range(0, n, step)]

    def encode_group(group: range) -> list[Encoded | GraphoidError]:
        raws = source.load([positions[k] for k in group])
        return [_encoded(raw, names[k]) for k, raw in zip(group, raws, strict=True)]

    if len(groups) == 1 or source.n_rows <= SHORT:
        return [column for group in groups for column in encode_group(group)]
    with ThreadPoolExecutor(THREADS) as pool:
        return [column for group in pool.map(encode_group, groups) for column in group]


def _encoded(raw: Any, name: str) -> Encoded | GraphoidError:
    try:
        return encode(raw, name)
    except GraphoidError as error:
        return error


def weigh(
    source: Source, position: int | None, weights: Any, rows: NDArray[np.bool_] | None
) -> Weights | None:
    """Return the weights of the rows that are used.

    Parameters
    ----------
    source
        Where the column of weights is.
    position
        Of that column, or None.
    weights
        Its name; or one number a row of the source; or None.
    rows
        Which rows are used, or None for all.
    """
    if weights is None:
        return None
    if position is not None:
        column = encode(next(iter(source.load([position]))), weights)
        if not column.numeric and column.n_missing < column.n_rows:
            raise DataError(f"weights are to come from {weights!r}, which does not hold numbers.")
        numbers = column.numbers()
    else:
        try:
            numbers = np.asarray(weights, dtype=np.float64)
        except (TypeError, ValueError):
            raise DataError("weights must be the name of a column or an array of one number a row.") from None
        if numbers.shape != (source.n_rows,):
            raise DataError(
                f"weights have the shape {numbers.shape}; expected one number for each of "
                f"{source.n_rows:,} rows."
            )
    if rows is not None:
        numbers = numbers[rows]
    absent = np.flatnonzero(np.isnan(numbers))
    if absent.size:
        whose = f"{weights!r}, the column of weights," if position is not None else "the array of weights"
        raise DataError(
            f"{whose} has {absent.size:,} missing number(s), first in row {absent[0]}. "
            f"Every row needs a weight."
        )
    return Weights.of(numbers)
