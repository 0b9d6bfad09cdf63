"""The different values of every column of a relation: asked for once, and kept in a cache."""

from __future__ import annotations

import datetime as dt
import json
import time
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from graphoid.data.encoding.columns import Text, Undeclared, encode
from graphoid.data.encoding.spelling import USUAL, Spelling
from graphoid.data.remote.cache import BlobCache
from graphoid.data.remote.relation import CensusRelation, SizedRelation
from graphoid.structure.learned import Discovery

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from graphoid.data.encoding.columns import RawColumn
    from graphoid.data.encoding.encode import Encoded
    from graphoid.data.source import Chosen

MOST_VALUES = 1_000_000
"""Different values of a column that are fetched to decide about its states: some 16 megabytes."""


@dataclass(frozen=True, eq=False)
class ValueCounts:
    """The different values of a column and how many rows have each."""

    values: pa.Array
    """The values; a null among them stands for missing cells."""
    counts: NDArray[np.int64]
    """Rows that have each."""
    form: str = "plain"
    """How to understand them: "plain" by their type; "undeclared" strings; "text" of a file to be
    interpreted, "text;" of one separated by semicolons; "declared" states; "cast" from their text to the
    type of the dictionary."""
    dictionary: pa.Array | None = None
    ordered: bool = False
    """The declared states, and whether their order means something; None if batches declared different
    ones."""

    @property
    def raw(self) -> RawColumn:
        """The values in a form that :func:`graphoid.data.encoding.columns.encode` knows."""
        if self.form == "plain":
            return self.values
        if self.form == "declared":
            if self.dictionary is not None:
                indices = pc.index_in(self.values, value_set=self.dictionary)
                return pa.DictionaryArray.from_arrays(indices, self.dictionary, ordered=self.ordered)
            # two dictionaries tell the encoder that there is no common one
            last = max(0, len(self.values) - 1)  # where no row is complete there is none
            parts = [self.values.slice(0, last), self.values.slice(last)]
            return pa.chunked_array([part.dictionary_encode() for part in parts])
        if self.form == "cast":
            return self.values if self.dictionary is None else _from_text(self.values, self.dictionary.type)
        cells = pa.chunked_array([self.values.dictionary_encode()])
        if self.form == "undeclared":
            return Undeclared(cells)
        return Text(cells, decimal_comma=self.form == "text;")

    def encode(self, name: str, spelling: Spelling = USUAL) -> Encoded:
        """Return the levels of the column: its different values encoded as a column of them would be."""
        column = encode(self.raw, name, spelling)
        n_missing = int(self.counts[column.missing()].sum())
        return replace(column, n_missing=n_missing, times=self.counts)


def _from_text(texts: pa.Array, kind: pa.DataType) -> pa.Array:
    """Return values of a kind by their text; of one that Arrow does not read from text, the text."""
    try:
        return texts.cast(kind)
    except pa.ArrowNotImplementedError:  # times of day, intervals
        pass
    except pa.ArrowInvalid:
        if pa.types.is_decimal(kind):  # whole numbers of more digits than it has
            return texts.cast(pa.float64())
        return texts
    if not pa.types.is_time(kind):
        return texts
    try:
        times = [None if text is None else dt.time.fromisoformat(text) for text in texts.to_pylist()]
        return pa.array(times, kind)
    except (ValueError, pa.ArrowException):  # as 24:00:00
        return texts


@dataclass(frozen=True)
class WeightSummary:
    """What has to be known of a column of row weights before rows can be weighed."""

    total: float
    whole: bool
    """Whether all are whole numbers."""
    n_bad: int
    """Rows whose weight is missing, negative or infinite."""

    @classmethod
    def of(cls, weights: NDArray[np.float64]) -> WeightSummary:
        """Return the summary of some rows."""
        good = weights[np.isfinite(weights) & (weights >= 0)]
        return cls(float(good.sum()), bool(np.array_equal(good, np.rint(good))), weights.size - good.size)

    def __add__(self, other: WeightSummary) -> WeightSummary:
        """Return the summary of the rows of both."""
        return WeightSummary(self.total + other.total, self.whole and other.whole, self.n_bad + other.n_bad)


@dataclass(frozen=True, eq=False)
class Census:
    """The answer to one query about all columns."""

    n_rows: int
    n_complete: int
    """Rows without a missing cell."""
    columns: Sequence[ValueCounts]
    gaps: Sequence[int] = ()
    """Positions in the relation of the columns, among those asked for, that have missing cells."""
    weights: WeightSummary | None = None


def take_census(
    relation: CensusRelation,
    chosen: Chosen,
    *,
    complete: bool,
    cache: str | os.PathLike[str] | None = None,
    version: str | None = None,
) -> tuple[Census, Discovery]:
    """Return the different values of columns, and what that took.

    They come from the cache if they cannot have changed, else they are asked for.
    """
    state = relation.snapshot if version is None else f"version {version}"
    stored = None if cache is None or state is None else BlobCache(cache, f"{relation.identity} {state}")
    name = f"census {chosen.positions} {chosen.weights} {complete}"
    if stored is not None and (body := stored.get(name)) is not None:
        return unpack(body), Discovery()
    started = time.perf_counter()
    census = relation.census(chosen.positions, chosen.weights, complete=complete)
    seconds = time.perf_counter() - started
    if stored is not None:
        stored.put([(name, 1, pack(census))])
    positions = [*chosen.positions, *([] if chosen.weights is None else [chosen.weights])]
    cells = census.n_rows * len(positions)
    size = relation.size_of(positions) if isinstance(relation, SizedRelation) else 8 * cells
    return census, Discovery(1, census.n_rows, size, seconds)


def pack(census: Census) -> bytes:
    """Return a census as bytes: its numbers, then every column in Arrow's stream format."""
    weights = None if census.weights is None else asdict(census.weights)
    numbers = {
        "n_rows": census.n_rows,
        "n_complete": census.n_complete,
        "gaps": list(census.gaps),
        "weights": weights,
    }
    parts = [json.dumps(numbers).encode()]
    for values in census.columns:
        dictionary = b"" if values.dictionary is None else to_ipc(values.dictionary)
        how = json.dumps([values.form, values.ordered]).encode()
        parts += [to_ipc(values.values), values.counts.astype("<i8").tobytes(), how, dictionary]
    return b"".join(len(part).to_bytes(8, "little") + part for part in parts)


def unpack(body: bytes) -> Census:
    """Return the census that :func:`pack` wrote."""
    parts, at = [], 0
    while at < len(body):
        size = int.from_bytes(body[at : at + 8], "little")
        parts.append(body[at + 8 : at + 8 + size])
        at += 8 + size
    numbers = json.loads(parts[0])
    columns = []
    for k in range(1, len(parts), 4):
        values, counts, how, dictionary = parts[k : k + 4]
        form, ordered = json.loads(how)
        states = _array(dictionary) if dictionary else None
        times = np.frombuffer(counts, "<i8").astype(np.int64)
        columns.append(ValueCounts(_array(values), times, form, states, ordered))
    weights = None if numbers["weights"] is None else WeightSummary(**numbers["weights"])
    return Census(numbers["n_rows"], numbers["n_complete"], columns, numbers["gaps"], weights)


def to_ipc(array: pa.Array) -> bytes:
    """Return an array in Arrow's stream format."""
    batch = pa.record_batch([array], names=["values"])
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema) as writer:
        writer.write_batch(batch)
    return bytes(sink.getvalue())


def _array(body: bytes) -> pa.Array:
    return pa.ipc.open_stream(body).read_next_batch().column(0)
