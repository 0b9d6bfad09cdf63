"""Data sets with a class: columns of any kind as an Arrow table, and folds with classes spread evenly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from graphoid.errors import DataError
from graphoid.experiments.uci_tables import csv_cells

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

TARGETS = {"horse-colic": "outcome", "o-ring": "thermal_distress"}
"""The class where no column is called that."""

IDENTIFIER = "id"
"""The column that names a row; it is left out."""


@dataclass(frozen=True, eq=False)
class Labeled:
    """Attributes and classes, row by row."""

    attributes: pa.Table
    classes: NDArray[np.str_]

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.classes)


def read_labeled(path: Path) -> Labeled:
    """Read a CSV file; rows without a class are left out, empty cells are missing."""
    name = path.name.removesuffix(".gz").removesuffix(".csv")
    target = TARGETS.get(name, "class")
    names, rows = csv_cells(path)
    if target not in names:
        raise DataError(f"{path.name} has no column {target!r}.")
    place = names.index(target)
    rows = [row for row in rows if row[place]]
    columns = {
        column: _parse([row[i] for row in rows])
        for i, column in enumerate(names)
        if column not in {target, IDENTIFIER}
    }
    return Labeled(pa.table(columns), np.array([row[place] for row in rows]))


def _parse(cells: Sequence[str]) -> pa.Array:
    """Return whole numbers, numbers or text, whichever all cells are."""
    present = [cell or None for cell in cells]
    for kind, number in ((pa.int64(), int), (pa.float64(), float)):
        try:
            return pa.array([None if cell is None else number(cell) for cell in present], kind)
        except ValueError:
            continue
    return pa.array(present, pa.string())


def stratify(classes: NDArray[np.str_], n_folds: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return the fold of every row, each class spread over the folds as evenly as can be.

    >>> np.bincount(stratify(np.array(list("aabbbb")), 2, np.random.default_rng(0))).tolist()
    [3, 3]
    """
    order = rng.permutation(len(classes))
    by_class = order[np.argsort(np.unique(classes, return_inverse=True)[1][order], kind="stable")]
    folds = np.empty(len(classes), dtype=np.int64)
    folds[by_class] = np.arange(len(classes)) % n_folds
    return folds
