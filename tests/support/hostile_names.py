"""Names of columns that break whatever does not escape them."""

from __future__ import annotations

import numpy as np

from graphoid.data.read import read

HOSTILE = (
    "<script>window.broken = 1</script>",
    '"><img src=x onerror="window.broken = 1">',
    "גיל של האדם",
    "👩‍👩‍👧 family",
    "x" * 300,
    "new\nline\tand\x1b[31mtab",
    "turned \u202e around",
    "& < > ' \" \\ $x_1$ %#_{}~^ | </style> ]]>",
    "=cmd|'/c calc'!A1",
    "javascript:window.broken=1",
)


def hostile_table(n_rows: int = 400):
    """Return a chain: every column is much like the one before."""
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 2, (n_rows, len(HOSTILE)))
    for v in range(1, len(HOSTILE)):
        codes[:, v] = np.where(rng.random(n_rows) < 0.8, codes[:, v - 1], codes[:, v])
    states = np.array(["<b>yes</b>", "</script>לא\n"])
    return read({name: states[codes[:, v]] for v, name in enumerate(HOSTILE)}, name=HOSTILE[0])
