"""Counting files larger than memory: all tables of a batch in one pass, through the kernels."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from graphoid.counts.backends.recode import Recoder, numbers_in
from graphoid.counts.remote.access import Fetched, Tabulator
from graphoid.counts.remote.access_cost import AccessCost
from graphoid.counts.remote.accumulate import MERGED_BYTES, Accumulator
from graphoid.counts.remote.distinct_rows import Batch, words_of
from graphoid.counts.remote.number_sums import NumberSums, add_scores
from graphoid.counts.remote.spilled_rows import Gathering
from graphoid.data.remote.stream import missing_in, weights_in
from graphoid.progress import Step, tell

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from graphoid.counts.remote.number_sums import LinearScore
    from graphoid.data.remote.table import RemoteTable
    from graphoid.data.variables import Variable


class StreamTabulator(Tabulator):
    """Counts a file by going through it from end to end, once for each batch."""

    prefetch_cells = 2**16
    merges = True

    def __init__(self, table: RemoteTable) -> None:
        self._table = table
        self._relation = table.relation
        self.label = f"reading {table.name}"
        self._recoders: dict[int, Recoder] = {}

    def tables(self, wanted: Sequence[tuple[int, ...]], *, whole: bool) -> Fetched:
        """Return the merged rows of each set of variables, in one pass."""
        table = self._table
        needed = sorted(set().union(*wanted)) if not whole else list(range(len(table.variables)))
        unit = 1.0 if table.weighing is None else table.weighing.unit
        counting = Accumulator(table.variables, needed, wanted, unit)
        gathering = gather_all(table.variables, table.n_rows, unit) if whole else None
        rows, progress = 0, table.progress
        for codes, units, n in self.batches(needed):
            counting.add(codes, units, n)
            if gathering is not None:
                gathering.add(codes, units, n)
            rows += n
            progress = tell(progress, Step("rows", rows, table.n_rows))
        tables = counting.tables()
        spent = self.cost_of(needed) + AccessCost(bytes_moved=sum(t.nbytes for t in tables))
        return Fetched(tables, spent, None if gathering is None else gathering.rows())

    def cost_of(self, variables: Iterable[int]) -> AccessCost:
        """Return what a pass over some variables costs."""
        table = self._table
        positions = {*(table.codings[v].position for v in variables), *table.gaps}
        return AccessCost(1, table.n_rows, self._relation.size_of(positions))

    def number_sums(self, scores: Mapping[int, LinearScore]) -> tuple[NumberSums, AccessCost]:
        """Return the sums of scores of the columns of numbers, in one pass."""
        every = range(len(self._table.variables))
        arities = {v: self._table.variables[v].arity for v in every if v not in scores}
        found = NumberSums.zero(len(scores), arities)
        for cells, units, n in self._cells(every):
            numbers = [
                score(numbers_in(cells[v], self._table.codings[v], score.name)) for v, score in scores.items()
            ]
            codes = {v: self._recoder(v).codes(cells[v]) for v in arities}
            found += add_scores(numbers, codes, arities, units, n)
        return found, self.cost_of(every)

    def batches(self, variables: Sequence[int]) -> Iterator[Batch]:
        """Yield the codes of some variables, the units of the rows (None for ones), and their number."""
        for cells, units, n in self._cells(variables):
            yield (
                [self._recoder(v).codes(array) for v, array in zip(variables, cells, strict=False)],
                units,
                n,
            )

    def _cells(
        self, variables: Sequence[int]
    ) -> Iterator[tuple[list[pa.Array], NDArray[np.int64] | None, int]]:
        """Yield the cells of some variables in rows that count, their units and their number."""
        table = self._table
        positions = [table.codings[v].position for v in variables]
        gaps = [p for p in table.gaps if p not in positions]
        weighing = table.weighing
        extra = [] if weighing is None else [weighing.position]
        text = self._relation.text
        watched = set(table.gaps)
        for cells in self._relation.batches([*positions, *gaps, *extra]):
            kept = None
            for position, array in zip([*positions, *gaps], cells, strict=False):
                if position in watched and (absent := missing_in(array, text=text)) is not None:
                    kept = ~absent if kept is None else kept & ~absent
            if kept is not None:
                mask = pa.array(kept)
                cells = [array.filter(mask) for array in cells]  # noqa: PLW2901 - the rows that are left
            yield cells, None if weighing is None else units_of(cells[-1], weighing.unit), len(cells[0])

    def _recoder(self, v: int) -> Recoder:
        if v not in self._recoders:
            self._recoders[v] = Recoder(self._table.codings[v], self._table.variables[v])
        return self._recoders[v]


def units_of(cells: pa.Array, unit: float) -> NDArray[np.int64]:
    """Return row weights in units."""
    return np.rint(weights_in(cells) / unit).astype(np.int64)


def gather_all(variables: Sequence[Variable], n_rows: int, unit: float) -> Gathering:
    """Return what gathers all rows of a stream."""
    # the words of a row, what it weighs, up to four slots to find it by, and its codes once it is unpacked
    each = 8 * words_of([v.arity for v in variables]) + 8 + 32 + len(variables)
    everything = tuple(range(len(variables)))
    return Gathering(everything, variables, MERGED_BYTES // each, n_rows=n_rows, unit=unit)
