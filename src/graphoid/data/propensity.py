r"""How likely the cells of a column are to be observed, by what the other columns say.

Where a cell is missing more often for some people than for others, rows that are complete for a question are
no fair sample. Each of them stands for more rows, the less likely it was to be complete: with :math:`R_i` the
event that column i is observed and :math:`W_i` the columns that tell most about it, a row counts

.. math:: \prod_{i} \frac{P(R_i)}{P(R_i \mid W_i)}

over the columns of the question with holes (the adaptive weights of [Liu2022]_, for rows that are complete).
A cell of :math:`W_i` that is missing itself is one more state there.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from graphoid.limits import check_time

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from graphoid.data.table import Table

MOST_COLUMNS = 2
"""Columns that a probability depends on: with more, most of their configurations have few rows."""

PRIOR_ROWS = 5.0
"""Rows with which the share of all rows counts in every configuration, so that no rare one has a huge
weight."""


def inverse_probabilities(table: Table) -> dict[int, NDArray[np.float64]]:
    """Return for every column with holes what each row counts, by position; 1 where nothing is known."""
    cut = table.discretized
    codes = [cut.codes_of(i).astype(np.int64) for i in range(len(table.variables))]
    found = {}
    for i in sorted(table.holes):
        check_time()
        seen = ~table.absent(i)
        groups = _tell_apart(seen, {j: column for j, column in enumerate(codes) if j != i})
        share = float(seen.mean())
        rows, observed = np.bincount(groups), np.bincount(groups, seen)
        found[i] = (share / ((observed + PRIOR_ROWS * share) / (rows + PRIOR_ROWS)))[groups]
    return found


def _tell_apart(seen: NDArray[np.bool_], columns: dict[int, NDArray[np.int64]]) -> NDArray[np.int64]:
    """Return a group for every row, by the few columns that tell most about what is seen, by BIC."""
    groups, chosen = np.zeros(len(seen), dtype=np.int64), set[int]()
    best = _bic(groups, seen)
    for _ in range(MOST_COLUMNS):
        finer = {j: groups * (int(c.max(initial=0)) + 1) + c for j, c in columns.items() if j not in chosen}
        worth = {j: _bic(split, seen) for j, split in finer.items()}
        j = max(worth, key=lambda k: (worth[k], -k), default=None)
        if j is None or not worth[j] > best:
            break
        best, groups = worth[j], np.unique(finer[j], return_inverse=True)[1].reshape(-1)
        chosen.add(j)
    return groups


def _bic(groups: NDArray[np.int64], seen: NDArray[np.bool_]) -> float:
    rows, observed = np.bincount(groups), np.bincount(groups, seen)
    rows, observed = rows[rows > 0], observed[rows > 0]
    some = np.stack([observed, rows - observed])
    share = np.log(np.where(some > 0, some / rows, 1.0))
    return float((some * share).sum()) - 0.5 * math.log(max(2, len(seen))) * len(rows)
