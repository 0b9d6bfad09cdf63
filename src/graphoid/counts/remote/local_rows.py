"""Counting rows that were gathered from a source, which is then left alone."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from graphoid.counts.native import DOFS, KINDS, kernels
from graphoid.counts.remote.access import Fetched, RowSource, Tabulator
from graphoid.counts.remote.access_cost import AccessCost
from graphoid.counts.remote.accumulate import Accumulator
from graphoid.counts.remote.distinct_rows import Batch, DistinctRows
from graphoid.counts.remote.spilled_rows import Gathering, PackedRows
from graphoid.errors import CountsTooLarge

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from graphoid.counts.engine import Kernel, Positions
    from graphoid.data.variables import Variable

PART_BYTES = 2**25
"""What the slices of a part may take while they are counted: 32 MB, and as much again while that grows."""

MOST_PARTS = 2**12

HELD_NUMBERS = 2**25
"""Cells or parts of rows, of 32 bits, that are held at a time where packed rows are counted: 128 MB."""

MOST_CELLS = 2.0**60
"""Cells of a table that a kernel numbers; those of sixty coins."""

PACKED_SLICE = 2**10
"""Cells of a slice up to which slices of packed rows are counted; beyond, few rows share one."""

GATHERED_ROWS = 2**20
"""Different rows of a large table that are merged in memory before they are put into parts."""


class LocalRows(Tabulator):
    """Rows that were gathered from a source, in memory or in a file, and counted in its place."""

    prefetch_cells = 2**16
    merges = True
    label = "rows gathered"

    def __init__(self, rows: DistinctRows | PackedRows, variables: Sequence[Variable], unit: float) -> None:
        self.rows = rows
        self._variables, self._unit = variables, unit

    def tables(self, wanted: Sequence[tuple[int, ...]], *, whole: bool) -> Fetched:  # noqa: ARG002 - it is here
        """Return the merged rows of each set of variables, in one pass."""
        needed = sorted(set().union(*wanted))
        counting = Accumulator(self._variables, needed, wanted, self._unit)
        for codes, units, n in self.rows.batches(needed):
            counting.add(codes, units, n)
        return Fetched(counting.tables(), self.cost_of(needed))

    def batches(self, variables: Sequence[int]) -> Iterator[Batch]:
        """Yield the codes of some variables, the units of the rows, and their number."""
        return self.rows.batches(variables)

    def judge(self, kernel: Kernel, question: Positions) -> tuple[float, ...] | None:
        """Return the numbers of a test whose table is too large to be held, from the rows as they are packed.

        None where there is no kernel for it: rows have weights, or a table has too many cells to number.
        """
        x, y = sorted(question[:2])
        order = (*sorted(question[2]), x, y)
        arities = [self._variables[v].arity for v in order]
        native, n_rows = kernels(), len(self.rows)
        if native is None or self._unit != 1.0 or math.prod(map(float, arities)) > MOST_CELLS:
            return None
        if arities[-2] * arities[-1] > PACKED_SLICE:
            return None
        tally = native.PackedTally(
            [v.arity for v in self.rows.of], [self.rows.variables.index(v) for v in order],
            KINDS[kernel.kind], DOFS[kernel.dof], *kernel[2:], n_rows, HELD_NUMBERS,
        )  # fmt: skip
        for _ in range(tally.n_parts()):
            for words, units in self.rows.blocks():
                tally.add(words, units)
            tally.close_part()
        return tally.end()

    def cost_of(self, variables: Iterable[int]) -> AccessCost:  # noqa: ARG002 - whole rows are read
        """Return what a pass costs: rows and bytes of a file, nothing in memory, and in no case a query."""
        if isinstance(self.rows, DistinctRows):
            return AccessCost()
        return AccessCost(0, len(self.rows), self.rows.nbytes)


def judge_in_parts(
    kernel: Kernel,
    question: Positions,
    source: RowSource,
    variables: Sequence[Variable],
    *,
    n_rows: int,
    unit: float,
) -> tuple[tuple[float, ...], DistinctRows | PackedRows]:
    """Return the numbers of a test whose table is too large to be held, and the rows of its variables.

    A test adds up slices of the conditioning set, and a row belongs to one of them. So rows are put into
    parts by their slice, and the slices of one part after the other are counted, judged and forgotten.
    There are ``n_rows`` at most.
    """
    x, y = sorted(question[:2])
    order = (*sorted(question[2]), x, y)
    of = [variables[v] for v in order]
    given = [v.arity for v in of[:-2]]
    rx, ry = of[-2].arity, of[-1].arity
    slices = min(float(n_rows), math.prod(map(float, given)))
    each = 48 + 8 * rx * ry  # its variables, slots to find it by, and its cells
    n_parts = min(MOST_PARTS, math.ceil(slices * each / PART_BYTES))
    gathering = Gathering(
        order, of, GATHERED_ROWS, n_rows=n_rows, unit=unit, leading=len(given), n_parts=n_parts
    )
    for codes, units, n in source.batches(order):
        gathering.add(codes, units, n)
    rows = gathering.rows()
    if rows is None:
        raise CountsTooLarge(
            f"a test given {len(given)} variables has a table too large for memory, and there is no room for "
            f"its rows on disk. Make room where temporary files are put (TMPDIR says where), or limit the "
            f"conditioning sets (max_given)."
        )
    native = kernels()
    assert native is not None  # noqa: S101 - without kernels no table is judged in parts
    tally = native.SliceTally(
        given, rx, ry, unit, KINDS[kernel.kind], DOFS[kernel.dof], *kernel[2:], float(n_rows)
    )
    for part in rows.parts(order):
        for codes, units, n in part:
            tally.add(codes, units, n)
        tally.close_part()
    return tally.end(), rows
