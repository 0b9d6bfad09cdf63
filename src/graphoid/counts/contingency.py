"""A table of counts, written out or listed: one face for both."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from graphoid.errors import CountsTooLarge, UnknownVariable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

LARGEST_TABLE = 2**27
"""Cells that :meth:`Counts.dense` will write out: one gigabyte of 8-byte counts."""


def is_dense(cells: int, n_rows: int) -> bool:
    """Whether an engine writes out a table of so many cells, or lists those that occur.

    A table with many more cells than there are rows is nearly all zeros.
    """
    return cells <= max(65_536, 4 * n_rows)


def size_in_words(n_bytes: float) -> str:
    """Return a number of bytes for people: 12 bytes, 3.2 MiB, 64 TiB."""
    if n_bytes >= 2**80:
        return f"2**{math.log2(n_bytes):.0f} bytes"
    units = ("bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB")
    power = min(len(units) - 1, int(math.log2(n_bytes) // 10)) if n_bytes >= 1 else 0
    return f"{n_bytes:,.0f} bytes" if power == 0 else f"{n_bytes / 1024.0**power:,.1f} {units[power]}"


class Counts:
    """How often each configuration of some variables occurs.

    Either ``cells`` holds every configuration as an array with one axis a variable, or ``configurations``
    (one row each, in lexicographic order) lists those that occur and ``cells`` is flat beside it.

    Parameters
    ----------
    variables
        Positions, in the order of the axes.
    shape
        Number of states of each.
    cells
        Whole-number counts, in units of ``unit``.
    configurations
        None where the table is written out; else the array, or a function that makes it when first needed.
    unit
        Weight of one unit: 1 where rows have no weights.
    n_rows
        Rows of the data counted, which decides what is written out.
    """

    __slots__ = ("_configurations", "cells", "n_rows", "shape", "unit", "variables")

    def __init__(
        self,
        variables: tuple[int, ...],
        shape: tuple[int, ...],
        cells: NDArray[np.int64],
        configurations: NDArray[np.uint16] | Callable[[], NDArray[np.uint16]] | None = None,
        unit: float = 1.0,
        n_rows: int = 0,
    ) -> None:
        self.variables = variables
        self.shape = shape
        self.cells = cells
        self._configurations = configurations
        self.unit = unit
        self.n_rows = n_rows

    @property
    def configurations(self) -> NDArray[np.uint16] | None:
        """The configurations that occur, or None where the table is written out."""
        if callable(self._configurations):
            self._configurations = self._configurations()
        return self._configurations

    @property
    def sparse(self) -> bool:
        """Whether only configurations that occur are listed."""
        return self._configurations is not None

    @property
    def total(self) -> float:
        """Sum of all counts; a whole number where rows have no weights."""
        units = int(self.cells.sum())
        return units if self.unit == 1.0 else units * self.unit

    def weigh(self, units: NDArray[np.int64]) -> NDArray[Any]:
        """Return units as counts: whole numbers, or floating point where rows have weights."""
        return units if self.unit == 1.0 else units * self.unit

    def dense(self) -> NDArray[Any]:
        """Return the whole table, one axis a variable. Refused if it would take more than a gigabyte."""
        if not self.sparse:
            return self.weigh(self.cells)
        n_cells = math.prod(self.shape)
        if n_cells > LARGEST_TABLE:
            raise CountsTooLarge(
                f"the table of {len(self.shape)} variables would take {size_in_words(8 * n_cells)}; "
                f"ask for fewer variables, or use occurring()."
            )
        table = np.zeros(self.shape, dtype=np.int64)
        configurations, _ = self.occurring()
        table[tuple(configurations.T.astype(np.intp))] = self.cells
        return self.weigh(table)

    def occurring(self) -> tuple[NDArray[np.uint16], NDArray[Any]]:
        """Return the configurations that occur, one a row in lexicographic order, and their counts."""
        if self.configurations is not None:
            return self.configurations, self.weigh(self.cells)
        cells = self.cells.reshape(-1)
        occurs = np.flatnonzero(cells)
        configurations = np.empty((occurs.size, len(self.shape)), dtype=np.uint16)
        for axis, states in enumerate(np.unravel_index(occurs, self.shape) if self.shape else ()):
            configurations[:, axis] = states
        return configurations, self.weigh(cells[occurs])

    def marginal(self, variables: Sequence[int]) -> Counts:
        """Return the counts of some of the variables, axes in the order given."""
        unknown = [v for v in variables if v not in self.variables]
        if unknown:
            raise UnknownVariable(f"these counts have no variable {unknown[0]}; they have {self.variables}.")
        axes = [self.variables.index(v) for v in variables]
        shape = tuple(self.shape[a] for a in axes)
        if self.configurations is None:
            rest = tuple(a for a in range(len(self.shape)) if a not in axes)
            kept = sorted(axes)
            summed = self.cells.sum(axis=rest, dtype=np.int64)
            cells = np.ascontiguousarray(np.transpose(summed, [kept.index(a) for a in axes])).reshape(shape)
            return Counts(tuple(variables), shape, cells, unit=self.unit, n_rows=self.n_rows)
        return tabulate(
            tuple(variables), shape, self.configurations[:, axes], self.cells, self.unit, self.n_rows
        )

    def __repr__(self) -> str:
        kind = "listed" if self.sparse else "written out"
        return f"<Counts of variables {self.variables}, shape {self.shape}, total {self.total:,}, {kind}>"


def tabulate(
    variables: tuple[int, ...],
    shape: tuple[int, ...],
    rows: NDArray[Any],
    units: NDArray[np.int64],
    unit: float,
    n_rows: int,
) -> Counts:
    """Count rows of states, each worth so many units; the data have ``n_rows`` in all."""
    n_cells = math.prod(shape)
    if is_dense(n_cells, n_rows):
        cells = np.zeros(n_cells, dtype=np.int64)
        if shape:
            np.add.at(cells, np.ravel_multi_index(tuple(rows.T.astype(np.intp)), shape), units)
        else:
            cells[0] = units.sum()
        return Counts(variables, shape, cells.reshape(shape), unit=unit, n_rows=n_rows)
    configurations, inverse = np.unique(rows, axis=0, return_inverse=True)
    cells = np.zeros(len(configurations), dtype=np.int64)
    np.add.at(cells, inverse.reshape(-1), units)
    occurs = cells > 0  # rows of weight zero do not
    return Counts(variables, shape, cells[occurs], configurations[occurs].astype(np.uint16), unit, n_rows)
