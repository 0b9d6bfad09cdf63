"""Rows of codes as single numbers, by which equal ones are found."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

Code = TypeVar("Code", bound=np.integer)

MOST = 2**62
"""Largest number of configurations that are told apart by position alone: they must fit into 64 bits."""

DIRECT = 4
"""Possible configurations a row up to which they are marked in a table: less work than sorting the rows."""


def row_numbers(rows: NDArray[np.integer]) -> tuple[NDArray[np.int64], int]:
    """Return a number for every row, the same for equal rows and in their order, and one that is above all.

    >>> numbers, span = row_numbers(np.array([[0, 1], [1, 0], [0, 1], [0, 0]]))
    >>> numbers.tolist(), span
    ([1, 2, 1, 0], 4)
    """
    number, span = np.zeros(len(rows), dtype=np.int64), 1
    arities = [largest + 1 for largest in rows.max(axis=0, initial=0).tolist()]  # codes may fill their type
    for column, arity in zip(rows.T, arities, strict=True):
        if span * arity > MOST:  # from here on by rank among the rows
            found, number = np.unique(number, return_inverse=True)
            span = len(found)
        number = number * arity + column
        span *= arity
    return number, span


def pack(rows: NDArray[np.integer]) -> tuple[NDArray[np.uint64], list[int]] | None:
    """Return every row as bits of a number, the first column in the highest, and where each column begins.

    None where the columns together have more than 64 bits.

    >>> codes, shifts = pack(np.array([[0, 1], [3, 0]]))
    >>> codes.tolist(), shifts
    ([1, 6], [1, 0])
    """
    bits = [max(1, int(largest).bit_length()) for largest in rows.max(axis=0, initial=0)]
    if sum(bits) > 64:
        return None
    shifts = [sum(bits[c + 1 :]) for c in range(len(bits))]
    codes = np.zeros(len(rows), dtype=np.uint64)
    for column, shift in zip(rows.T, shifts, strict=True):
        codes |= column.astype(np.uint64) << np.uint64(shift)
    return codes, shifts


def distinct(rows: NDArray[Code]) -> tuple[NDArray[Code], NDArray[np.intp]]:
    """Return the different rows in lexicographic order, and which of them each row is.

    As ``np.unique(rows, axis=0, return_inverse=True)``, but rows are compared as numbers and, where few are
    possible, not sorted.

    >>> different, of_row = distinct(np.array([[1, 0], [0, 1], [1, 0]]))
    >>> different.tolist(), of_row.tolist()
    ([[0, 1], [1, 0]], [1, 0, 1])
    """
    number, span = row_numbers(rows)
    if span > DIRECT * len(rows):
        _, first, of_row = np.unique(number, return_index=True, return_inverse=True)
        return rows[first], of_row
    place = np.full(span, -1, dtype=np.intp)
    place[number] = np.arange(len(rows))  # some row of that number
    found = np.flatnonzero(place >= 0)
    some = place[found]
    place[found] = np.arange(len(found))
    return rows[some], place[number]
