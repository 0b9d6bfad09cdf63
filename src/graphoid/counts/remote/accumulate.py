"""Tables of counts that grow batch by batch, as rows stream past."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from graphoid.counts.native import available_threads, kernels
from graphoid.counts.remote.distinct_rows import DistinctRows, merger_of, places_of, words_of
from graphoid.errors import CountsTooLarge

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from graphoid.data.table import Codes
    from graphoid.data.variables import Variable

WRITTEN_CELLS = 2**16
"""Cells up to which a table is written out and added to."""

WIDE_CELLS = 2**20
"""Cells up to which it is so as well, as long as such tables have few cells together: adding to a cell takes
a tenth of the time of finding a row. Beyond, distinct rows are merged."""

WIDE_TOTAL = 2**23
"""Cells that such tables may have together: 64 MB."""

MERGED_BYTES = 2**28
"""What merging may take: 256 MB."""


class Accumulator:
    """Tables of counts that grow batch by batch.

    Parameters
    ----------
    variables
        All variables of the data.
    columns
        Which of them come with every batch, in this order.
    wanted
        The tables, as positions of variables.
    unit
        Weight of one unit.
    """

    def __init__(
        self,
        variables: Sequence[Variable],
        columns: Sequence[int],
        wanted: Sequence[tuple[int, ...]],
        unit: float,
    ) -> None:
        self.unit = unit
        self._variables = variables
        self._arities = [variables[v].arity for v in columns]
        self._wanted = [tuple(w) for w in wanted]
        at = {v: k for k, v in enumerate(columns)}
        self._places = [tuple([at[v] for v in w]) for w in self._wanted]
        cells = [math.prod([variables[v].arity for v in w]) for w in self._wanted]
        self._written = dense_tables(cells)
        self._cells = np.zeros(sum(cells[i] for i in self._written), dtype=np.int64)
        self._sizes = [cells[i] for i in self._written]
        self._mergers = {
            i: merger_of([variables[v].arity for v in w], MERGED_BYTES // (40 + 8 * len(w)))
            for i, w in enumerate(self._wanted)
            if i not in set(self._written)
        }

    def add(self, codes: list[Codes], units: NDArray[np.int64] | None, n: int) -> None:
        """Count a batch of rows."""
        if not n:
            return
        if self._written:
            self._count(codes, units, n)
        for i, merger in self._mergers.items():
            if not merger.add([codes[k] for k in self._places[i]], units, n):
                names = ", ".join(repr(self._variables[v].name) for v in self._wanted[i][:6])
                raise CountsTooLarge(
                    f"the table of {len(self._wanted[i])} variables ({names}, ...) has more than "
                    f"{len(merger):,} different rows, too many to hold. Ask for fewer variables at a time."
                )

    def _count(self, codes: list[Codes], units: NDArray[np.int64] | None, n: int) -> None:
        native = kernels()
        places = [self._places[i] for i in self._written]
        if native is None:
            start = 0
            for w, size in zip(places, self._sizes, strict=True):
                cells = self._cells[start : start + size]
                _add_plainly(cells, [codes[k] for k in w], [self._arities[k] for k in w], units)
                start += size
            return
        data = native.Dataset(codes, self._arities, n, units, self.unit, "")
        data.add_tables(places, available_threads(), self._cells)

    def tables(self) -> list[DistinctRows]:
        """Return what was counted."""
        out: list[DistinctRows | None] = [None] * len(self._wanted)
        start = 0
        for i, size in zip(self._written, self._sizes, strict=True):
            out[i] = of_cells(self._wanted[i], self._variables, self._cells[start : start + size], self.unit)
            start += size
        for i, merger in self._mergers.items():
            keys, units = merger.rows()
            of = [self._variables[v] for v in self._wanted[i]]
            out[i] = DistinctRows(self._wanted[i], of, keys, units, self.unit)
        return [table for table in out if table is not None]


def dense_tables(cells: Sequence[int]) -> list[int]:
    """Return which of some tables are written out.

    >>> dense_tables([2**16, 2**20, 2**21, 2**20])
    [0, 1, 3]
    """
    out, wide = [], 0
    for i, n in enumerate(cells):
        if n > WRITTEN_CELLS:
            if n > WIDE_CELLS or wide + n > WIDE_TOTAL:
                continue
            wide += n
        out.append(i)
    return out


def _add_plainly(
    cells: NDArray[np.int64], codes: list[Codes], arities: list[int], units: NDArray[np.int64] | None
) -> None:
    """Count one table in NumPy, on top of what was counted."""
    place = np.zeros(len(codes[0]), dtype=np.int64)
    for column, arity in zip(codes, arities, strict=True):
        place = place * arity + column
    np.add.at(cells, place, 1 if units is None else units)


def of_cells(
    wanted: tuple[int, ...], variables: Sequence[Variable], cells: NDArray[np.int64], unit: float
) -> DistinctRows:
    """Return the distinct rows of a table that is written out, last variable fastest."""
    of = [variables[v] for v in wanted]
    arities = [v.arity for v in of]
    occurs = np.flatnonzero(cells)
    places = places_of(arities)
    keys = np.zeros((len(occurs), words_of(arities)), dtype=np.uint64)
    for column, place in zip(np.unravel_index(occurs, arities) if arities else (), places, strict=True):
        keys[:, place.word] |= column.astype(np.uint64) << np.uint64(place.shift)
    return DistinctRows(wanted, of, keys, cells[occurs].copy(), unit)
