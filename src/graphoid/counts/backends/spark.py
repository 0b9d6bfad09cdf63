"""Counting in Spark: the kernels on every partition where the workers have them, group-bys where not."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from graphoid.counts.backends.recode import Recoder
from graphoid.counts.backends.sql import IN_PROCESS_CELLS, SqlTabulator
from graphoid.counts.backends.stream import units_of
from graphoid.counts.remote.access import Fetched
from graphoid.counts.remote.access_cost import AccessCost
from graphoid.counts.remote.accumulate import Accumulator
from graphoid.counts.remote.distinct_rows import DistinctRows, merger_of
from graphoid.data.remote.stream import missing_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from graphoid.data.remote.table import Coding, RemoteTable, Weighing
    from graphoid.data.variables import Variable


class SparkTabulator(SqlTabulator):
    """Counts a Spark data frame: partitions are tabulated where they are, and tables added up here."""

    prefetch_cells = IN_PROCESS_CELLS

    def __init__(self, table: RemoteTable) -> None:
        super().__init__(table)
        self._on_workers = True  # until a worker turns out to have no graphoid

    def transient(self, error: Exception) -> bool:
        """Say whether Spark lost a worker more often than it puts up with by itself."""
        said = str(error)
        return any(
            sign in said
            for sign in ("ExecutorLost", "FetchFailed", "Lost task", "worker", "Connection refused")
        )

    def tables(self, wanted: Sequence[tuple[int, ...]], *, whole: bool) -> Fetched:
        """Return the merged rows of each set of variables, by one job."""
        if self._on_workers:
            try:
                return self._by_partitions(wanted)
            except Exception as error:
                if "No module named 'graphoid" not in str(error):
                    raise
                self._on_workers = False
        return super().tables(wanted, whole=whole)

    def _by_partitions(self, wanted: Sequence[tuple[int, ...]]) -> Fetched:
        table = self._table
        needed = sorted(set().union(*wanted))
        positions = list(dict.fromkeys([*(table.codings[v].position for v in needed), *table.gaps]))
        if table.weighing is not None and table.weighing.position not in positions:
            positions.append(table.weighing.position)
        names = self._relation.names
        count = PartitionCount(
            [table.variables[v] for v in needed],
            [table.codings[v] for v in needed],
            [positions.index(table.codings[v].position) for v in needed],
            [positions.index(p) for p in table.gaps],
            None if table.weighing is None else positions.index(table.weighing.position),
            table.weighing,
            [tuple(needed.index(v) for v in w) for w in wanted],
        )
        frame = table.relation.frame.select([f"`{names[p].replace('`', '``')}`" for p in positions])
        found = frame.mapInArrow(count, "number int, keys binary, units binary").toArrow()
        parts: dict[int, list[tuple[bytes, bytes]]] = defaultdict(list)
        for number, keys, units in zip(*(column.to_pylist() for column in found.columns), strict=True):
            parts[number].append((keys, units))
        unit = 1.0 if table.weighing is None else table.weighing.unit
        tables = [_sum_parts(parts[k], w, table.variables, unit) for k, w in enumerate(wanted)]
        read = 8 * table.n_rows * len(positions)
        return Fetched(tables, AccessCost(1, table.n_rows, read, found.nbytes))


@dataclass(frozen=True)
class PartitionCount:
    """What a worker does with a partition: batches of Arrow in, a row for each table out."""

    variables: Sequence[Variable]
    codings: Sequence[Coding]
    places: Sequence[int]
    gaps: Sequence[int]
    weights: int | None
    weighing: Weighing | None
    wanted: Sequence[tuple[int, ...]]

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Count the rows of a partition."""
        recoders = [Recoder(c, v) for c, v in zip(self.codings, self.variables, strict=True)]
        unit = 1.0 if self.weighing is None else self.weighing.unit
        counting = Accumulator(self.variables, range(len(self.variables)), self.wanted, unit)
        for batch in batches:
            cells = batch.columns
            kept = np.ones(batch.num_rows, dtype=bool)
            for gap in self.gaps:
                absent = missing_in(cells[gap], text=False)
                if absent is not None:
                    kept &= ~absent
            if not kept.all():
                cells = [array.filter(pa.array(kept)) for array in cells]
            codes = [recoder.codes(cells[k]) for recoder, k in zip(recoders, self.places, strict=True)]
            units = None if self.weights is None else units_of(cells[self.weights], unit)
            counting.add(codes, units, int(kept.sum()))
        tables = counting.tables()
        yield pa.record_batch(
            {
                "number": pa.array(range(len(tables)), pa.int32()),
                "keys": pa.array([t.keys.astype("<u8").tobytes() for t in tables], pa.binary()),
                "units": pa.array([t.units.astype("<i8").tobytes() for t in tables], pa.binary()),
            }
        )


def _sum_parts(
    parts: Sequence[tuple[bytes, bytes]], wanted: tuple[int, ...], variables: Sequence[Variable], unit: float
) -> DistinctRows:
    """Return the sum of the tables of all partitions."""
    of = [variables[v] for v in wanted]
    merger = merger_of([v.arity for v in of])
    for keys, units in parts:
        weights = np.frombuffer(units, "<i8").astype(np.int64)
        part = DistinctRows(wanted, of, np.frombuffer(keys, "<u8").astype(np.uint64), weights, unit)
        merger.add(part.columns, part.units, len(part))
    keys_added, units_added = merger.rows()
    return DistinctRows(wanted, of, keys_added, units_added, unit)
