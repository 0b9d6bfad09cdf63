"""Tables that are facts written down."""

from __future__ import annotations

import numpy as np

from graphoid.data.table import Table
from graphoid.data.variables import Variable

TITANIC = (
    Variable("class", ("1st", "2nd", "3rd", "crew")),
    Variable("sex", ("male", "female")),
    Variable("age", ("child", "adult")),
    Variable("survived", ("no", "yes")),
)

# [Dawson1995]_: one line a class, in it [sex][age][survived], all in the order of the states above.
TITANIC_COUNTS = (
    (((0, 5), (118, 57)), ((0, 1), (4, 140))),
    (((0, 11), (154, 14)), ((0, 13), (13, 80))),
    (((35, 13), (387, 75)), ((17, 14), (89, 76))),
    (((0, 0), (670, 192)), ((0, 0), (3, 20))),
)


def titanic() -> Table:
    """Return the 2,201 people on board the Titanic: class, sex, age, and whether they survived.

    Rows come in the order of the 4 x 2 x 2 x 2 cells, one row a person.

    Notes
    -----
    The counts are those of the British Board of Trade's inquiry as tabulated in [Dawson1995]_, the same that
    R ships as ``Titanic``. Eight of the 32 cells are empty: there were no children among the crew, and every
    child of the first two classes survived.
    """
    counts = np.array(TITANIC_COUNTS)
    cells = np.indices(counts.shape).reshape(counts.ndim, -1)
    columns = np.repeat(cells, counts.ravel(), axis=1).astype(np.uint8)
    return Table(TITANIC, tuple(column.copy() for column in columns), columns.shape[1], name="titanic")
