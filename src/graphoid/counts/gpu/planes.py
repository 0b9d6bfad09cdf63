"""The codes of a table on a device, and planes of zeros and ones, one a state: what is multiplied there.

A plane has a one where a row has the state. The product of two planes is the number of rows that have both, a
sum of whole numbers that 32 bits hold, so counts are exact on any device and in any order. Where a cell is
missing, the row is in no plane of the column. Row weights are whole numbers as well: a product for each of
their digits, added up in 64 bits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import torch

from graphoid.limits import check_time

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

ALIGNED = 32
"""Sides of matrices of bytes are multiples of it, which products of them take; zeros fill what is left."""

STAGED = 2**25
"""Bytes put together at a time on their way to the device."""

DIGIT_BITS = 7
"""Of a row weight, in one product: what a signed byte holds."""

MOST_WEIGHTED_ROWS = (2**31 - 1) // (2**DIGIT_BITS - 1) // ALIGNED * ALIGNED
"""Rows of which the digits of weights add up to what 32 bits hold, whatever they are."""

NOWHERE = 255
"""Code of rows that fill up a block; columns of so many states or more are counted by the native engine."""


class Lines(NamedTuple):
    """Variables of a block, and the states of each that have a plane."""

    variables: NDArray[np.int64]
    states: tuple[int, ...]


def align(size: int) -> int:
    """Return the next size that products of bytes take."""
    return -(-size // ALIGNED) * ALIGNED


class DevicePlanes:
    """A table's codes, on the device as far as they fit, else sent there block by block.

    Parameters
    ----------
    columns
        Codes of one byte, an array a variable; one beyond its states is a missing cell.
    units
        Whole-number weights of the rows; None where they count alike.
    device
        Where to.
    memory
        Bytes that may be taken there.
    """

    def __init__(
        self,
        columns: Sequence[NDArray[np.uint8]],
        units: NDArray[np.int64] | None,
        device: torch.device,
        memory: int,
    ) -> None:
        self.n, self.n_rows, self.device, self.memory = len(columns), len(columns[0]), device, memory
        self._columns = columns
        self._digits = () if units is None else tuple(digits_of(units))
        self.weighted = bool(self._digits)
        self._kept: dict[tuple[bytes, tuple[int, ...]], torch.Tensor] = {}
        fits = self.n * align(self.n_rows) <= memory // 4
        self._codes = self._send(np.arange(self.n), 0, self.n_rows) if fits else None

    def counts(
        self, left: Lines, right: Lines, among: NDArray[np.integer[Any]] | None = None
    ) -> torch.Tensor:
        """Return how many rows have both states: (left state, variable, right state, variable).

        Parameters
        ----------
        left, right
            Whose states. Both sides may be longer than asked for, with zeros at the end.
        among
            For every row the place of the left variable for which it counts; None where it does for all.
        """
        total: torch.Tensor | None = None
        step = self.rows_at_once(left, right)
        for first in range(0, self.n_rows, step):
            check_time()
            last = min(self.n_rows, first + step)
            other = self._planes(right, first, last, keep=True)
            mine = self._planes(left, first, last)
            if among is not None:
                place = torch.arange(len(left.variables), device=self.device)[:, None]
                lines = mine.view(len(left.states), -1, mine.shape[1])[:, : len(place), : last - first]
                lines *= torch.from_numpy(among[first:last]).to(self.device) == place
            for part in self._weigh(mine, other, first, last):
                total = part if total is None else total.add_(part)
        if total is None:
            raise ValueError("a table without rows has nothing to count")
        return total.view(len(left.states), -1, len(right.states), total.shape[1] // len(right.states))

    def column(self, variable: int) -> NDArray[np.uint8]:
        """Return the codes of a variable, where they came from."""
        return self._columns[variable]

    def matrix(self, lines: Lines) -> torch.Tensor:
        """Return the planes of variables in all rows as lines of one matrix, state by state."""
        return self._planes(lines, 0, self.n_rows, keep=True)

    def rows_at_once(self, left: Lines, right: Lines) -> int:
        """Return of how many rows a product may be, so that planes and codes take a quarter of the memory."""
        sides = [(align(len(variables)), len(states)) for variables, states in (left, right)]
        each = sum(n * (states + 1) for n, states in sides) + 2 * sides[0][0] * sides[0][1]
        fit = max(ALIGNED, self.memory // 4 // each // ALIGNED * ALIGNED)
        return min(self.n_rows, fit, MOST_WEIGHTED_ROWS if self.weighted else fit)

    def _weigh(
        self, mine: torch.Tensor, other: torch.Tensor, first: int, last: int
    ) -> Iterator[torch.Tensor]:
        """Yield products that add up to the counts: one, or one for every digit of the weights."""
        if not self._digits:
            yield torch._int_mm(mine, other.t())
        for place, digits in enumerate(self._digits):
            part = torch.zeros(mine.shape[1], dtype=torch.int8, device=self.device)
            part[: last - first] = torch.from_numpy(digits[first:last]).to(self.device)
            counts = torch._int_mm(mine * part, other.t())
            yield counts.to(torch.int64).bitwise_left_shift_(DIGIT_BITS * place)

    def _planes(self, lines: Lines, first: int, last: int, *, keep: bool = False) -> torch.Tensor:
        """Return planes as lines of one matrix, state by state; those of one side of products are kept."""
        variables, states = lines
        key, whole = (variables.tobytes(), states), self._codes is not None and last - first == self.n_rows
        if keep and whole and key in self._kept:
            return self._kept[key]
        if self._codes is None:
            codes = self._send(variables, first, last)
        elif (np.diff(variables) == 1).all():
            codes = self._codes[
                int(variables[0]) : int(variables[-1]) + 1, first : first + align(last - first)
            ]
        else:
            some = torch.from_numpy(variables).to(self.device)
            codes = self._codes[:, first : first + align(last - first)][some]
        found = torch.zeros(
            (len(states), align(len(variables)), codes.shape[1]), dtype=torch.int8, device=self.device
        )
        for plane, state in zip(found, states, strict=True):
            torch.eq(codes, state, out=plane[: len(variables)].view(torch.bool))
        found = found.view(-1, codes.shape[1])
        if keep and whole:
            self._kept = {key: found}
        return found

    def _send(self, variables: NDArray[np.int64], first: int, last: int) -> torch.Tensor:
        """Return the codes of some variables in some rows on the device, a line a variable."""
        rows, fast = last - first, self.device.type == "cuda"
        out = torch.full((len(variables), align(rows)), NOWHERE, dtype=torch.uint8, device=self.device)
        step = max(1, STAGED // rows)
        staged = torch.empty(min(step, len(variables)) * rows, dtype=torch.uint8, pin_memory=fast)
        for start in range(0, len(variables), step):
            columns = [self._columns[v] for v in variables[start : start + step].tolist()]
            if rows < self.n_rows:
                columns = [column[first:last] for column in columns]
            some = staged[: len(columns) * rows]
            np.concatenate(columns, out=some.numpy())
            out[start : start + step, :rows].copy_(some.view(len(columns), rows))
        return out


def digits_of(units: NDArray[np.int64]) -> Iterator[NDArray[np.int8]]:
    """Yield whole numbers digit by digit, the smallest first; at least one."""
    rest = units
    while True:
        yield (rest & (2**DIGIT_BITS - 1)).astype(np.int8)
        rest = rest >> DIGIT_BITS
        if not rest.any():
            return
