"""Which cells of a source are missing, before any policy changes that."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from graphoid.data.encoding.encode import Encoded
from graphoid.data.encoding.profile import encode_columns
from graphoid.data.read import open_source

if TYPE_CHECKING:
    from numpy.typing import NDArray


def missing_cells(source: object) -> tuple[tuple[str, ...], NDArray[np.bool_]]:
    """Return the names of the columns and, a row each, whether its cells are missing.

    >>> names, absent = missing_cells({"age": [31, None, 47], "sex": ["f", "m", "f"]})
    >>> names, absent[1].tolist()
    (('age', 'sex'), [True, False])
    """
    opened = open_source(source)
    names = tuple(opened.names)
    absent = np.zeros((opened.n_rows, len(names)), dtype=bool)
    for i, column in enumerate(encode_columns(opened, range(len(names)), names)):
        if isinstance(column, Encoded) and column.n_missing:
            absent[:, i] = column.missing()
    return names, absent
