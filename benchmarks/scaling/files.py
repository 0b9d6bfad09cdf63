"""Generated files, written some rows at a time so that their size is limited by the disk alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from queries import network

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from numpy.typing import NDArray

CHUNK = 500_000
"""Rows generated and written at a time."""

TREE_COLUMNS = 37
"""As many as the network has."""


def uniform(path: Path, rows: int, columns: int = 20) -> None:
    """Write independent columns of four values."""
    rng = np.random.default_rng(0)
    names = [f"c{k}" for k in range(columns)]
    with pq.ParquetWriter(path, pa.schema([(name, pa.int32()) for name in names])) as writer:
        for start in range(0, rows, CHUNK):
            n = min(CHUNK, rows - start)
            drawn = [pa.array(rng.integers(0, 4, n, dtype=np.int32)) for _ in names]
            writer.write_table(pa.table(drawn, names=names))


def of_network(path: Path, rows: int) -> None:
    """Write rows of the network, states as text. Those of alarm repeat."""
    bayesian = network()
    states = [[str(state) for state in v.states] for v in bayesian.variables]

    def chunks() -> Iterator[list[NDArray[Any]]]:
        for start in range(0, rows, CHUNK):
            table = bayesian.sample(min(CHUNK, rows - start), start)
            yield [table.column(i) for i in range(len(states))]

    _write(path, [v.name for v in bayesian.variables], states, chunks())


def of_tree(path: Path, rows: int, columns: int = TREE_COLUMNS) -> None:
    """Write rows that nearly all differ: four values a column, like an earlier one in four rows of ten."""
    rng = np.random.default_rng(7)

    def chunks() -> Iterator[list[NDArray[Any]]]:
        for start in range(0, rows, CHUNK):
            n = min(CHUNK, rows - start)
            drawn = [rng.integers(0, 4, n, dtype=np.uint8)]
            for k in range(1, columns):
                own = rng.integers(0, 4, n, dtype=np.uint8)
                # below 102 of 256: four in ten
                drawn.append(
                    np.where(rng.integers(0, 256, n, dtype=np.uint8) < 102, drawn[(k - 1) // 2], own)
                )
            yield drawn

    _write(path, [f"t{k}" for k in range(columns)], [list("abcd")] * columns, chunks())


KINDS: dict[str, Callable[[Path, int], None]] = {"network": of_network, "tree": of_tree}


def _write(
    path: Path, names: list[str], states: list[list[str]], chunks: Iterator[list[NDArray[Any]]]
) -> None:
    """Write chunks of codes as text."""
    schema = pa.schema([(name, pa.dictionary(pa.int32(), pa.string())) for name in names])
    partial = path.with_suffix(".partial")  # a file of the right name is whole
    # without the schema of Arrow what is read are strings, whose states have to be discovered
    with pq.ParquetWriter(partial, schema, store_schema=False) as writer:
        for codes in chunks:
            arrays = [
                pa.DictionaryArray.from_arrays(pa.array(column.astype(np.int32)), of)
                for column, of in zip(codes, states, strict=True)
            ]
            writer.write_table(pa.table(arrays, schema=schema))
    partial.rename(path)
