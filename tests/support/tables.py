"""Tables made for tests, and the engines that count them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from graphoid.counts.native import NativeEngine, kernels
from graphoid.data.table import Table, Weights
from graphoid.data.variables import Variable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from graphoid.counts.contingency import Counts

NATIVE = kernels()
SIMD = tuple(NATIVE.simd_names()) if NATIVE is not None else ()
needs_kernels = pytest.mark.skipif(NATIVE is None, reason="the compiled kernels are missing or switched off")


def table_of(columns: Sequence[Any], arities: Sequence[int] | None = None, weights: Any = None) -> Table:
    """Return a table of columns of codes; arities are those seen unless given."""
    arrays = [np.asarray(column) for column in columns]
    if arities is None:
        arities = [int(a.max(initial=0)) + 1 for a in arrays]
    variables = tuple(Variable(f"v{i}", tuple(range(arity))) for i, arity in enumerate(arities))
    codes = tuple(
        np.ascontiguousarray(a, dtype=np.uint8 if arity <= 256 else np.uint16)
        for a, arity in zip(arrays, arities, strict=True)
    )
    return Table(variables, codes, len(arrays[0]), weights=None if weights is None else Weights.of(weights))


def table_of_numbers(columns: Sequence[Any], weights: Any = None) -> Table:
    """Return a table of continuous columns."""
    values = {i: np.array(column, dtype=np.float64) for i, column in enumerate(columns)}
    variables = tuple(Variable(f"v{i}", ()) for i in values)
    drawn = None if weights is None else Weights.of(weights)
    return Table(variables, (None,) * len(values), len(values[0]), values=values, weights=drawn)


def random_table(n_rows: int, arities: Sequence[int], seed: int = 0, weights: str | None = None) -> Table:
    """Return a table of random codes in which columns depend on their neighbours and some states are rare.

    ``weights`` is None, "whole" (some of them zero) or "fractional" (some of them zero).
    """
    rng = np.random.default_rng([seed, n_rows, *arities])
    columns: list[np.ndarray[Any, Any]] = []
    for i, arity in enumerate(arities):
        chances = rng.dirichlet(np.full(arity, 0.7)) if arity <= 64 else None
        column = rng.choice(arity, size=n_rows, p=chances)
        if i:  # a third of the rows follow the column before
            column = np.where(rng.random(n_rows) < 1 / 3, columns[-1] % arity, column)
        columns.append(column)
    drawn: Any = None
    if weights == "whole":
        drawn = rng.integers(0, 5, n_rows)
    elif weights == "fractional":
        drawn = rng.exponential(size=n_rows) * (rng.random(n_rows) < 0.8)
    return table_of(columns, arities, drawn)


def native_engines(table: Table) -> Iterator[NativeEngine]:
    """Yield an engine for every instruction set of this processor, with one thread and with two."""
    for simd in SIMD:
        for threads in (1, 2):
            yield NativeEngine(table, threads=threads, simd=simd)


def same_counts(found: Counts, expected: Counts) -> None:
    """Check that two tables of counts are the same in every respect, integers and all."""
    assert found.variables == expected.variables
    assert found.shape == expected.shape
    assert found.unit == expected.unit
    assert found.sparse == expected.sparse
    assert found.cells.dtype == expected.cells.dtype == np.int64
    np.testing.assert_array_equal(found.cells, expected.cells, strict=True)
    if expected.sparse:
        np.testing.assert_array_equal(found.configurations, expected.configurations, strict=True)
