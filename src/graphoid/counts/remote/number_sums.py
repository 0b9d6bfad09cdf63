"""Columns of numbers where they are: sums of their scores and of products of these, in whole numbers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from graphoid.errors import DataChanged

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

GRID = 28
"""Scores are whole numbers of 2**-28, and below 8, so that a product of two is below 2**62."""

PART = 16
"""Bits of the lower part of a score when products are added up in floating point, without rounding."""

ROWS = 2**17
"""Rows multiplied at once: a product of parts is below 2**32, and 2**17 of them are below 2**53."""


@dataclass(frozen=True, eq=False)
class LinearScore:
    """A score of numbers that runs straight from one knot to the next.

    Parameters
    ----------
    name
        Of the variable.
    knots
        Some of its numbers, ascending, the least and the largest among them.
    scores
        Of the knots, in units of 2**-28.
    """

    name: str
    knots: NDArray[np.float64]
    scores: NDArray[np.float64]
    slopes: NDArray[np.float64] = field(init=False)
    """From each knot to the next; one knot alone has a slope of 0."""

    def __post_init__(self) -> None:
        with np.errstate(over="ignore"):
            slopes = np.diff(self.scores) / np.diff(self.knots)
        object.__setattr__(self, "slopes", np.where(np.isfinite(slopes), slopes, 0.0))

    def __call__(self, numbers: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return the scores of numbers."""
        if len(numbers) and not (self.knots[0] <= numbers.min() and numbers.max() <= self.knots[-1]):
            self.refuse()
        if len(self.knots) == 1:
            return np.full(len(numbers), np.int64(self.scores[0]))
        at = np.minimum(np.searchsorted(self.knots, numbers, side="right"), len(self.slopes)) - 1
        # as a database computes it: no term is left out, and halves go up
        along = (numbers - self.knots[at]) * self.slopes[at] + self.scores[at]
        return np.asarray(np.floor(along + 0.5), dtype=np.int64)

    def refuse(self) -> None:
        """Say that there are numbers which were not there before."""
        raise DataChanged(
            f"{self.name!r} has numbers that were not there when it was read: the data have changed. "
            f"Read them again."
        )


@dataclass(frozen=True, eq=False)
class NumberSums:
    """Sums over rows of the scores of columns of numbers, which are integers of any size."""

    total: int
    """Of the units of all rows."""
    sums: NDArray[np.object_]
    """Of the scores of each column."""
    products: NDArray[np.object_]
    """Of the scores of any two columns."""
    by_state: Mapping[int, NDArray[np.object_]]
    """For every variable with states: a line a state, the sum of the scores of each column."""

    @classmethod
    def zero(cls, n_numbers: int, arities: Mapping[int, int]) -> NumberSums:
        """Return the sums over no rows."""
        return cls(
            0,
            np.full(n_numbers, 0, dtype=object),
            np.full((n_numbers, n_numbers), 0, dtype=object),
            {v: np.full((r, n_numbers), 0, dtype=object) for v, r in arities.items()},
        )

    def __add__(self, other: NumberSums) -> NumberSums:
        """Return the sums over the rows of both."""
        return NumberSums(
            self.total + other.total,
            self.sums + other.sums,
            self.products + other.products,
            {v: sums + other.by_state[v] for v, sums in self.by_state.items()},
        )


def add_scores(
    scores: Sequence[NDArray[np.int64]],
    codes: Mapping[int, NDArray[np.integer]],
    arities: Mapping[int, int],
    units: NDArray[np.int64] | None,
    n_rows: int,
) -> NumberSums:
    """Return the sums over some rows: scores of columns of numbers, codes of variables with states."""
    found = NumberSums.zero(len(scores), arities)
    every = np.column_stack([np.ones(n_rows, dtype=np.int64), *scores])
    for first in range(0, n_rows, ROWS):
        rows = slice(first, first + ROWS)
        block, weights = every[rows], None if units is None else units[rows]
        whole = _products(block, block, weights)
        states = {
            v: _products(np.equal.outer(codes[v][rows], np.arange(r)).astype(np.int64), block[:, 1:], weights)
            for v, r in arities.items()
        }
        found += NumberSums(whole[0, 0], whole[0, 1:], whole[1:, 1:], states)
    return found


def _products(
    left: NDArray[np.int64], right: NDArray[np.int64], units: NDArray[np.int64] | None
) -> NDArray[np.object_]:
    """Return the sums of products of columns, exactly; of weighted rows by Python's integers, slowly."""
    if units is not None:
        weighted = left.astype(object) * units.astype(object)[:, None]
        return np.asarray(weighted.T @ right.astype(object))
    total: NDArray[np.object_] = np.full((left.shape[1], right.shape[1]), 0, dtype=object)
    for i, a in enumerate(_parts(left)):
        for j, b in enumerate(_parts(right)):
            total += (a.T @ b).astype(np.int64).astype(object) * (1 << PART * (i + j))
    return total


def _parts(columns: NDArray[np.int64]) -> Iterable[NDArray[np.float64]]:
    """Return the lower and the upper part of numbers."""
    return (columns & ((1 << PART) - 1)).astype(np.float64), (columns >> PART).astype(np.float64)
