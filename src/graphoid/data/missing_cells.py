"""Which cells of a source are missing, before any policy changes that."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from graphoid.data.encoding.encode import Encoded
from graphoid.data.encoding.profile import encode_columns
from graphoid.data.options import ReadOptions
from graphoid.data.read import open_source
from graphoid.data.source import choose

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray


def missing_cells(
    source: object,
    columns: Iterable[str | int] | None = None,
    na_values: Iterable[str | float] = (),
    decimal: str = ".",
) -> tuple[tuple[str, ...], NDArray[np.bool_]]:
    """Return the names of the columns and, a row each, whether its cells are missing.

    ``columns``, ``na_values`` and ``decimal`` are those of :func:`graphoid.read`.

    >>> names, absent = missing_cells({"age": [31, None, 47], "sex": ["f", "m", "f"]})
    >>> names, absent[1].tolist()
    (('age', 'sex'), [True, False])
    """
    options = ReadOptions(columns=columns, na_values=na_values, decimal=decimal)
    opened = open_source(source, options)
    chosen = choose(opened.names, options)
    names = chosen.names
    absent = np.zeros((opened.n_rows, len(names)), dtype=bool)
    for i, column in enumerate(encode_columns(opened, chosen.positions, names, options.spelling)):
        if isinstance(column, Encoded) and column.n_missing:
            absent[:, i] = column.missing()
    return names, absent
