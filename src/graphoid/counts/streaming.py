"""Counting files larger than memory: all tables of a batch in one pass, through the kernels."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from graphoid.counts.merged import Merged, merger_of, places_of
from graphoid.counts.native import available_threads, kernels
from graphoid.counts.recode import Recoder
from graphoid.counts.trips import Fetched, Spent
from graphoid.data.stream import missing_in, weights_in
from graphoid.errors import CountsTooLarge
from graphoid.progress import Step, tell

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from graphoid.data.relation import RemoteTable
    from graphoid.data.variables import Variable

WRITTEN_CELLS = 2**16
"""Cells up to which a table is written out and added to; beyond, distinct rows are merged."""

MERGED_BYTES = 2**28
"""What merging may take: 256 MB."""

SURE_ROWS = 2**18
"""Rows after which the number of distinct rows of the whole file can be foretold from its growth."""


class StreamTabulator:
    """Counts a file by going through it from end to end, once for each batch."""

    ahead = 2**16
    merges = True

    def __init__(self, table: RemoteTable) -> None:
        self._table = table
        self._relation = table.relation
        self.label = f"reading {table.name}"
        self._recoders: dict[int, Recoder] = {}

    def transient(self, error: Exception) -> bool:  # noqa: ARG002 - a file that cannot be read stays so
        """Say no: what can go wrong with a file has a clear error already."""
        return False

    def tables(self, wanted: Sequence[tuple[int, ...]], *, whole: bool) -> Fetched:
        """Return the merged rows of each set of variables, in one pass."""
        table = self._table
        needed = sorted(set().union(*wanted)) if not whole else list(range(len(table.variables)))
        counting = Counting(
            table.variables, needed, wanted, 1.0 if table.weighing is None else table.weighing.unit
        )
        merging = Whole(table.variables, table.n_rows) if whole else None
        rows, progress = 0, table.progress
        for codes, units, n in self.batches(needed):
            counting.add(codes, units, n)
            if merging is not None:
                merging.add(codes, units, n)
            rows += n
            progress = tell(progress, Step("rows", rows, table.n_rows))
        read = self._relation.size_of({*(table.codings[v].position for v in needed), *table.gaps})
        tables = counting.tables()
        merged = merging.table(counting.unit) if merging is not None else None
        return Fetched(tables, Spent(1, rows, read, sum(t.nbytes for t in tables)), merged)

    def batches(
        self, variables: Sequence[int]
    ) -> Iterator[tuple[list[NDArray[Any]], NDArray[np.int64] | None, int]]:
        """Yield the codes of some variables, the units of the rows (None for ones), and their number."""
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
            codes = [self._recoder(v).codes(array) for v, array in zip(variables, cells, strict=False)]
            units = None if weighing is None else units_of(cells[-1], weighing.unit)
            yield codes, units, len(cells[0])

    def _recoder(self, v: int) -> Recoder:
        if v not in self._recoders:
            self._recoders[v] = Recoder(self._table.codings[v], self._table.variables[v])
        return self._recoders[v]


def units_of(cells: pa.Array, unit: float) -> NDArray[np.int64]:
    """Return row weights in units."""
    return np.rint(weights_in(cells) / unit).astype(np.int64)


class Counting:
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
        self._written = [i for i, n in enumerate(cells) if n <= WRITTEN_CELLS]
        self._cells = np.zeros(sum(cells[i] for i in self._written), dtype=np.int64)
        self._sizes = [cells[i] for i in self._written]
        self._mergers = {
            i: merger_of([variables[v].arity for v in w], MERGED_BYTES // (40 + 8 * len(w)))
            for i, w in enumerate(self._wanted)
            if i not in set(self._written)
        }

    def add(self, codes: list[NDArray[Any]], units: NDArray[np.int64] | None, n: int) -> None:
        """Count a batch of rows."""
        if not n:
            return
        if self._written:
            self._cells += self._counted(codes, units, n)
        for i, merger in self._mergers.items():
            if not merger.add([codes[k] for k in self._places[i]], units, n):
                names = ", ".join(repr(self._variables[v].name) for v in self._wanted[i][:6])
                raise CountsTooLarge(
                    f"the table of {len(self._wanted[i])} variables ({names}, ...) has more than "
                    f"{len(merger):,} "
                    f"different rows, too many to hold. Ask for fewer variables at a time."
                )

    def _counted(
        self, codes: list[NDArray[Any]], units: NDArray[np.int64] | None, n: int
    ) -> NDArray[np.int64]:
        native = kernels()
        places = [self._places[i] for i in self._written]
        if native is None:
            return np.concatenate(
                [_plain_cells([codes[k] for k in w], [self._arities[k] for k in w], units) for w in places]
            )
        data = native.Dataset(codes, self._arities, n, units, self.unit, "")
        return np.asarray(data.tables(places, available_threads()))

    def tables(self) -> list[Merged]:
        """Return what was counted."""
        out: list[Merged | None] = [None] * len(self._wanted)
        start = 0
        for i, size in zip(self._written, self._sizes, strict=True):
            out[i] = of_cells(self._wanted[i], self._variables, self._cells[start : start + size], self.unit)
            start += size
        for i, merger in self._mergers.items():
            keys, units = merger.rows()
            of = [self._variables[v] for v in self._wanted[i]]
            out[i] = Merged(self._wanted[i], of, keys, units, self.unit)
        return [table for table in out if table is not None]


def _plain_cells(
    codes: list[NDArray[Any]], arities: list[int], units: NDArray[np.int64] | None
) -> NDArray[np.int64]:
    """Count one table in NumPy."""
    place = np.zeros(len(codes[0]), dtype=np.int64)
    for column, arity in zip(codes, arities, strict=True):
        place = place * arity + column
    cells = np.zeros(math.prod(arities), dtype=np.int64)
    np.add.at(cells, place, 1 if units is None else units)
    return cells


def of_cells(
    wanted: tuple[int, ...], variables: Sequence[Variable], cells: NDArray[np.int64], unit: float
) -> Merged:
    """Return the distinct rows of a table that is written out, last variable fastest."""
    of = [variables[v] for v in wanted]
    arities = [v.arity for v in of]
    occurs = np.flatnonzero(cells)
    places = places_of(arities)
    keys = np.zeros((len(occurs), places[-1].word + 1 if places else 1), dtype=np.uint64)
    for column, place in zip(np.unravel_index(occurs, arities) if arities else (), places, strict=True):
        keys[:, place.word] |= column.astype(np.uint64) << np.uint64(place.shift)
    return Merged(wanted, of, keys, cells[occurs].copy(), unit)


class Whole:
    """The distinct rows of all variables, unless they turn out to be too many."""

    def __init__(self, variables: Sequence[Variable], n_rows: int) -> None:
        self._variables = variables
        arities = [v.arity for v in variables]
        each = 8 * (places_of(arities)[-1].word + 1) + 8 + 24 + len(arities)
        self._most = MERGED_BYTES // each
        self._merger: Any = merger_of(arities, self._most)
        self._n_rows, self._seen = n_rows, 0
        self._early: tuple[int, int] | None = None

    def add(self, codes: list[NDArray[Any]], units: NDArray[np.int64] | None, n: int) -> None:
        """Merge a batch of rows."""
        if self._merger is None:
            return
        self._seen += n
        if not self._merger.add(codes, units, n):
            self._merger = None
        elif self._early is None:
            self._early = (self._seen, len(self._merger))
        elif self._seen >= SURE_ROWS and self._foretold() > self._most:
            self._merger = None

    def _foretold(self) -> float:
        """Return how many distinct rows there will be: their number grows as a power of the rows seen."""
        rows, distinct = self._early or (1, 1)
        power = math.log(len(self._merger) / distinct) / math.log(self._seen / rows)
        return float(len(self._merger) * (self._n_rows / self._seen) ** power)

    def table(self, unit: float) -> Merged | None:
        """Return the distinct rows, or None if they are too many."""
        if self._merger is None:
            return None
        keys, units = self._merger.rows()
        return Merged(tuple(range(len(self._variables))), self._variables, keys, units, unit)
