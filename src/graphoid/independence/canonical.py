"""Tables in an order of their own: sums of numbers round, and that of the rows shall have no say."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, cast

import numpy as np

from graphoid.data.table import Weights

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from graphoid.data.table import Codes, Table


def canonical(table: Table) -> Table:
    """Return the rows that count, in an order that only they decide, and the states that occur in them."""
    units = None if table.weights is None else table.weights.units
    kept = np.arange(table.n_rows) if units is None else np.flatnonzero(units)
    digest = np.zeros(len(kept), dtype=np.uint64) if units is None else units[kept].astype(np.uint64)
    columns, variables = list(table.columns), list(table.variables)
    values: dict[int, NDArray[np.float64]] = {}
    for i, v in enumerate(table.variables):
        if v.continuous:
            values[i] = table.numbers(i)[kept] + 0.0  # one zero, not two
            bits = values[i].view(np.uint64)
        else:
            whole = table.column(i)
            occur = np.flatnonzero(np.bincount(whole[kept], minlength=v.arity))
            codes: NDArray[np.integer] = whole[kept]
            if 0 < len(occur) < v.arity:
                variables[i] = replace(v, states=tuple(v.states[k] for k in occur), cuts=())
                codes = np.searchsorted(occur, codes).astype(whole.dtype)
            columns[i], bits = cast("Codes", codes), codes.astype(np.uint64)
        digest = (digest ^ bits) * np.uint64(0x9E3779B97F4A7C15)  # the golden ratio, as hashes use it
        digest ^= digest >> np.uint64(29)
    order = np.argsort(digest, kind="stable")
    return replace(
        table,
        variables=tuple(variables),
        columns=tuple(None if c is None else cast("Codes", c[order]) for c in columns),
        n_rows=len(kept),
        values={i: numbers[order] for i, numbers in values.items()},
        weights=table.weights and Weights(table.weights.units[kept][order], table.weights.unit),
    )
