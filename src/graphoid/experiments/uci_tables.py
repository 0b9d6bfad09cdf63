"""UCI tables as [Bromberg2009]_ seems to have used them: which columns, which rows, which bins."""

from __future__ import annotations

import csv
import gzip
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from graphoid.data.encoding.discretize import bins, scott_bins
from graphoid.data.table import Codes, Table
from graphoid.data.variables import MAX_STATES, State, Variable
from graphoid.errors import DataError
from graphoid.experiments.tables import file

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


@dataclass(frozen=True, kw_only=True)
class Preparation:
    """What is done to a file before it is learned from.

    Rows with a missing cell are dropped; then numbers with more than k = int(1 + log2 N) different values are
    cut into k bins of equal width, N being the number of rows left.
    """

    drop: tuple[str, ...] = ()
    """Columns left out."""
    labels: tuple[str, ...] = ()
    """Columns whose values are names even where they are numbers: identifiers that were kept."""
    row_number: bool = False
    """Whether the number of the row in the file was one more column; it is cut into bins like any number."""


AS_IT_IS = Preparation()
PREPARATIONS = {
    "echocardiogram": Preparation(row_number=True),
    "ecoli": Preparation(labels=("id",)),
    "lenses": Preparation(drop=("id",)),
    "hayes-roth": Preparation(labels=("id",)),
    "flag": Preparation(drop=("id",)),
    "bridges": Preparation(drop=("id",)),
    "monks-1": Preparation(drop=("id",)),
    "haberman": Preparation(row_number=True),
    "imports-85": Preparation(drop=("normalized_losses",)),
}
"""With these the numbers of variables and rows are those that Table 1 prints. Other files are as they are."""


def read_uci(folder: Path, name: str) -> Table:
    """Read a data set of the folder by its name, prepared as Table 1 has it."""
    return prepare(file(folder, f"{name}.csv", f"{name}.csv.gz"), PREPARATIONS.get(name, AS_IT_IS))


def prepare(path: Path, preparation: Preparation = AS_IT_IS) -> Table:
    """Read a CSV file with a header line and empty cells where a value is missing.

    Notes
    -----
    Not :func:`graphoid.read`, which refuses identifiers and reads ``00202`` as a label: both are wanted here.
    """
    names, rows = csv_cells(path)
    unknown = [name for name in (*preparation.drop, *preparation.labels) if name not in names]
    if unknown:
        raise DataError(f"{path.name} has no column {unknown[0]!r}.")
    kept = [i for i, name in enumerate(names) if name not in preparation.drop]
    numbered = [([row[i] for i in kept], str(number)) for number, row in enumerate(rows)]
    complete = [
        (*row, number) if preparation.row_number else tuple(row) for row, number in numbered if all(row)
    ]
    if not complete:
        raise DataError(f"{path.name} has no row without a missing cell.")
    titles = [names[i] for i in kept] + (["row"] if preparation.row_number else [])
    done = [
        _encode(title, column, is_label=title in preparation.labels)
        for title, column in zip(titles, zip(*complete, strict=True), strict=True)
    ]
    variables, columns = zip(*done, strict=True)
    name = path.name.removesuffix(".gz").removesuffix(".csv")
    return Table(variables, columns, len(complete), name=name)


def csv_cells(path: Path) -> tuple[list[str], list[list[str]]]:
    """Return the names and the rows of a CSV file as text; it may be packed with gzip."""
    try:
        content = path.read_bytes()
        text = (gzip.decompress(content) if path.suffix == ".gz" else content).decode("utf-8")
        names, *rows = csv.reader(text.splitlines())
    except (OSError, EOFError, UnicodeDecodeError, ValueError, csv.Error) as error:
        raise DataError(f"{path} cannot be read: {error}.") from error
    uneven = next((i for i, row in enumerate(rows) if len(row) != len(names)), None)
    if uneven is not None:
        raise DataError(f"line {uneven + 2} of {path.name} has {len(rows[uneven])} cells, not {len(names)}.")
    return names, rows


def _encode(name: str, cells: Sequence[str], *, is_label: bool) -> tuple[Variable, Codes]:
    """Return a column with its states, cut into bins if it has too many numbers."""
    numbers = None if is_label else _numbers(cells)
    if numbers is None:
        levels, codes = np.unique(np.array(cells, dtype=object).astype(str), return_inverse=True)
        states: tuple[State, ...] = tuple(levels.tolist())
    else:
        values, codes, counts = np.unique(numbers, return_inverse=True, return_counts=True)
        states = tuple(values.tolist())
        if len(values) > scott_bins(len(cells)):
            cut = bins(values, counts, "scott", len(cells), name)
            states, codes = cut.labels, cut.codes[codes]
    if len(states) > MAX_STATES:
        raise DataError(f"{name!r} has {len(states):,} states; the most is {MAX_STATES:,}.")
    return Variable(name, states), codes.astype(np.uint8) if len(states) <= 256 else codes.astype(np.uint16)


def _numbers(cells: Sequence[str]) -> np.ndarray[tuple[int], np.dtype[np.float64]] | None:
    try:
        numbers = np.array([float(cell) for cell in cells])
    except ValueError:
        return None
    return numbers if np.isfinite(numbers).all() else None
