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
    """Return some rows of a table of codes.

    Parameters
    ----------
    table
        The table.
    rows
        Which rows.
    occurring
        Whether only the states that occur in these rows remain, as if no others had ever been seen.
    """
    variables = list(table.variables)
    columns = [table.column(i)[rows].copy() for i in range(len(variables))]
    if occurring:
        for i, codes in enumerate(columns):
            left, ranks = np.unique(codes, return_inverse=True)
            columns[i] = ranks.astype(np.uint8) if codes.dtype == np.uint8 else ranks.astype(np.uint16)
            variables[i] = replace(variables[i], states=tuple(variables[i].states[code] for code in left))
    return Table(tuple(variables), tuple(columns), len(columns[0]), name=table.name)


def folder(data: Path | None, name: str, what: str) -> Path:
    """Return the folder of the data, or say in a sentence what is needed.

    Parameters
    ----------
    data
        The folder that holds it; None if none was given.
    name
        The folder looked for.
    what
        What should be in it.
    """
    if data is None:
        raise DataError(
            f"this experiment needs data: give the folder that holds {name}/ ({what}) with --data DIR or "
            f"in the environment variable GRAPHOID_DATA."
        )
    if not (data / name).is_dir():
        raise DataError(f"{data} has no folder {name}/; it should hold {what}.")
    return data / name


def file(directory: Path, *names: str) -> Path:
    """Return the first of some files that is there."""
    for name in names:
        if (directory / name).is_file():
            return directory / name
    raise DataError(f"{directory} has no file {' or '.join(names)}.")
