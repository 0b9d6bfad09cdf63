"""Where rows come from: folders and files of the data, and some rows of a table."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from graphoid.data.table import Table
from graphoid.errors import DataError

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray


def select_rows(table: Table, rows: slice | NDArray[np.intp], *, occurring: bool = False) -> Table:
    """Return some rows of a table of codes; with those states alone that occur in them, if ``occurring``."""
    variables = list(table.variables)
    columns = [table.column(i)[rows].copy() for i in range(len(variables))]
    if occurring:
        for i, codes in enumerate(columns):
            left, ranks = np.unique(codes, return_inverse=True)
            columns[i] = ranks.astype(np.uint8) if codes.dtype == np.uint8 else ranks.astype(np.uint16)
            variables[i] = replace(variables[i], states=tuple(variables[i].states[code] for code in left))
    return Table(tuple(variables), tuple(columns), len(columns[0]), name=table.name)


def file(directory: Path, *names: str) -> Path:
    """Return the first of some files that is there."""
    for name in names:
        if (directory / name).is_file():
            return directory / name
    raise DataError(f"{directory} has no file {' or '.join(names)}.")
