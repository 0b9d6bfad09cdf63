"""The distinct rows of data: which complete assignments occur, and how often."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from graphoid.counts.contingency import Counts, tabulate
from graphoid.counts.engine import CountEngine, CountRequest
from graphoid.errors import DataError
from graphoid.structure.configurations import distinct

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Assignments:
    """Complete assignments that occur, in lexicographic order, and the rows that each stands for.

    Whatever can be counted in the data can be counted here; there are at most as many assignments as rows,
    and of few variables far fewer.

    Parameters
    ----------
    codes
        One assignment a row, one variable a column.
    units
        How often each occurs, in units of ``unit``; none is zero.
    arities
        Number of states of each variable.
    unit
        Weight of one unit: 1 where rows have no weights.
    """

    codes: NDArray[np.uint16]
    units: NDArray[np.int64]
    arities: tuple[int, ...]
    unit: float = 1.0

    @classmethod
    def of(cls, engine: CountEngine) -> Assignments:
        """Return the assignments that occur in the data of an engine: one count of all variables."""
        arities = tuple(variable.arity for variable in engine.variables)
        (counts,) = engine.counts([CountRequest(tuple(range(len(arities))))])
        codes, weighed = counts.occurring()
        if not len(codes) or not arities:
            raise DataError("the table is empty: there is no row to take for a context.")
        units = weighed if counts.unit == 1.0 else np.rint(weighed / counts.unit)
        return cls(codes, np.ascontiguousarray(units, dtype=np.int64), arities, counts.unit)

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def n_rows(self) -> NDArray[Any]:
        """How many rows each stands for: whole numbers, or their total weight where rows have weights."""
        return self.units if self.unit == 1.0 else self.units * self.unit

    def slices(self, given: Sequence[int]) -> tuple[NDArray[np.intp], int]:
        """Return which configuration of some variables each assignment has, and how many there are.

        Configurations that occur are numbered in lexicographic order.
        """
        found, slice_of = distinct(self.codes[:, list(given)])
        return slice_of, len(found)

    def counts(self, variables: tuple[int, ...], among: NDArray[Any]) -> Counts:
        """Return the counts of some variables among some of the assignments."""
        shape = tuple(self.arities[v] for v in variables)
        rows = self.codes[among][:, list(variables)]
        return tabulate(variables, shape, rows, self.units[among], self.unit, len(self))
