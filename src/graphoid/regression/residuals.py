r"""What blankets leave of variables, and which pairs still depend on each other: one look at all pairs.

Every variable is coded in columns (:func:`graphoid.regression.embedding.embed`), a linear model takes away
what its blanket says of them, and what is left is scaled to be uncorrelated within the variable. Of two
variables that are independent given their blankets, N times the sum of squared correlations S is about
chi-square with as many degrees of freedom as there are pairs of columns. All S are one product of matrices,
worked out block by block: nothing is held for a pair but for those that stand out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol, runtime_checkable

import numpy as np

from graphoid.limits import check_time

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from graphoid.regression.coding import Matrix

BLOCK_BYTES = 2**25
"""What the correlations of a block may take."""

LEAST = 1e-9
"""Columns of which a blanket leaves no more than this share are taken as said by it."""

ROUNDED = 1e-3
"""Of a squared correlation, more than its share that is lost in products of 32 bits."""

DECIMALS = 6
"""Of a statistic, those that do not depend on the order in which rows are added up."""

AT_ONCE = 2**22
"""Numbers of lines whose products are worked out in 64 bits together."""

Pairs = tuple["NDArray[np.int64]", "NDArray[np.int64]"]
"""Variables x < y."""


@runtime_checkable
class Products(Protocol):
    """What finds pairs of variables whose lines have large products; a GPU does so in the place of NumPy."""

    def strong_pairs(
        self,
        lines: NDArray[np.float32],
        widths: NDArray[np.int64],
        limits: NDArray[np.float32],
        changed: NDArray[np.bool_],
    ) -> Pairs:
        """Return pairs, one of them changed, whose squared products add up to a limit.

        ``widths`` says how many lines each variable has, and ``limits`` has a line and a column for the
        widths of a pair.
        """


class Related(NamedTuple):
    """Pairs x < y and what they have in common beyond their blankets."""

    x: NDArray[np.int64]
    y: NDArray[np.int64]
    statistic: NDArray[np.float64]
    dof: NDArray[np.int64]


class Residuals:
    """What blankets leave of all variables, scaled; a line for every column of every variable.

    Parameters
    ----------
    columns
        Returns a variable as columns, a line a row.
    weights
        Of the rows; None where they count alike.
    products
        What looks at all pairs; None for NumPy.
    """

    def __init__(
        self,
        columns: Callable[[int], Matrix],
        weights: Matrix | None,
        products: Products | None = None,
    ) -> None:
        self._columns, self._root = columns, None if weights is None else np.sqrt(weights)[:, None]
        self._weights, self._products = weights, products or BlockProducts()
        self._blankets: Sequence[Sequence[int]] = []
        self._lines: list[NDArray[np.float32]] = []

    def pairs(
        self, blankets: Sequence[Sequence[int]], least: Callable[[NDArray[np.int64]], Matrix]
    ) -> Related:
        """Return the pairs whose statistic, given blankets, is at least ``least`` of its degrees of freedom.

        When asked again, those of variables whose blankets have changed since.
        """
        changed = self._update(blankets)
        widths = np.array([len(line) for line in self._lines], dtype=np.int64)
        lines = np.concatenate(self._lines) if self._lines else np.zeros((0, 1), dtype=np.float32)
        every = np.arange(int(widths.max(initial=0)) + 1)
        total = float(lines.shape[1] if self._weights is None else self._weights.sum())
        limits = least(np.maximum(1, np.outer(every, every)))
        loose = (limits * (1 - ROUNDED) / total).astype(np.float32)
        x, y = self._products.strong_pairs(lines, widths, loose, changed & (widths > 0))
        statistic = np.round(squared_products(lines, widths, x, y) * total, DECIMALS)
        some = statistic >= limits[widths[x], widths[y]]
        return Related(x[some], y[some], statistic[some], (widths[x] * widths[y])[some])

    def _update(self, blankets: Sequence[Sequence[int]]) -> NDArray[np.bool_]:
        """Work out what is left of variables whose blankets have changed, and return which."""
        before: Sequence[object] = self._blankets or [None] * len(blankets)
        changed = np.array([a != b for a, b in zip(before, blankets, strict=True)], dtype=bool)
        self._lines = self._lines or [np.zeros((0, 1), dtype=np.float32) for _ in blankets]
        for x in np.flatnonzero(changed).tolist():
            if x % 64 == 0:
                check_time()
            own = self._columns(x)
            given = np.concatenate([np.ones((len(own), 1)), *map(self._columns, blankets[x])], axis=1)
            if self._root is not None:
                own, given = own * self._root, given * self._root
            self._lines[x] = _scale(own, given)
        self._blankets = list(blankets)
        return changed


class BlockProducts:
    """Products of lines by NumPy, block by block."""

    def strong_pairs(
        self,
        lines: NDArray[np.float32],
        widths: NDArray[np.int64],
        limits: NDArray[np.float32],
        changed: NDArray[np.bool_],
    ) -> Pairs:
        """Return pairs, one of them changed, whose squared products add up to a limit."""
        varied, first = np.flatnonzero(widths), first_lines(widths)
        new = changed[varied]
        mine = varied[new]
        step = max(1, BLOCK_BYTES // (4 * max(1, len(lines)) * max(1, int(widths.max(initial=1)))))
        parts = [(np.zeros(0, dtype=np.int64),) * 2]
        for start in range(0, len(mine), step):
            check_time()
            own = mine[start : start + step]
            # pairs of two changed variables come up once: at the first of them
            rest = varied[~new | (varied >= own[0])]
            squares = np.square(_take(lines, first, own) @ _take(lines, first, rest).T)
            if (widths[rest] > 1).any():
                squares = np.add.reduceat(squares, np.cumsum([0, *widths[own][:-1]]), axis=0)
                squares = np.add.reduceat(squares, np.cumsum([0, *widths[rest][:-1]]), axis=1)
            one = widths[own[0]] if (widths[rest] == widths[own[0]]).all() else 0
            i, j = np.nonzero(
                squares >= (limits[one, one] if one else limits[np.ix_(widths[own], widths[rest])])
            )
            x, y = own[i], rest[j]
            some = (x != y) & (~changed[y] | (x < y))
            parts.append((np.minimum(x, y)[some], np.maximum(x, y)[some]))
        x, y = (np.concatenate(column) for column in zip(*parts, strict=True))
        return x, y


def first_lines(widths: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the first line of every variable, and the end of all."""
    return np.concatenate([[0], np.cumsum(widths)])


def squared_products(
    lines: NDArray[np.float32], widths: NDArray[np.int64], x: NDArray[np.int64], y: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return the sums of the squared products of pairs of variables, in 64 bits."""
    first, found = first_lines(widths), np.zeros(len(x))
    for a, b in sorted(set(zip(widths[x].tolist(), widths[y].tolist(), strict=True))):
        same = np.flatnonzero((widths[x] == a) & (widths[y] == b))
        step = max(1, AT_ONCE // ((a + b) * lines.shape[1]))
        for start in range(0, len(same), step):
            check_time()
            some = same[start : start + step]
            mine = lines[first[x[some], None] + np.arange(a)].astype(np.float64)
            other = lines[first[y[some], None] + np.arange(b)].astype(np.float64)
            found[some] = np.square(mine @ other.transpose(0, 2, 1)).sum(axis=(1, 2))
    return found


def _take(
    lines: NDArray[np.float32], first: NDArray[np.int64], variables: NDArray[np.int64]
) -> NDArray[np.float32]:
    """Return the lines of some variables; those of neighbors without a copy."""
    if len(variables) and variables[-1] - variables[0] == len(variables) - 1:
        return lines[first[variables[0]] : first[variables[-1] + 1]]
    some: NDArray[np.float32] = lines[np.concatenate([np.arange(first[v], first[v + 1]) for v in variables])]
    return some


def _scale(own: Matrix, given: Matrix) -> NDArray[np.float32]:
    """Return what is left of columns beside others, turned so that N squared entries add up to N each."""
    spread = float(np.square(own - own.mean(axis=0)).sum())
    gram, both = given.T @ given, given.T @ own
    try:
        left = own - given @ np.linalg.solve(gram, both)
        exact = np.abs(given.T @ left).max() <= 1e-6 * len(own)
    except np.linalg.LinAlgError:
        exact = False
    if not exact:  # members of the blanket say the same
        left = own - given @ (np.linalg.pinv(gram, hermitian=True) @ both)
    if left.shape[1] == 1:
        value = float(np.square(left).sum())
        rest = left.T[: int(value > LEAST * spread)]
        return np.ascontiguousarray(rest / np.sqrt(value or 1.0), dtype=np.float32)
    values, axes = np.linalg.eigh(left.T @ left)
    some = values > LEAST * max(spread, np.finfo(float).tiny)
    return np.ascontiguousarray((left @ (axes[:, some] / np.sqrt(values[some]))).T, dtype=np.float32)
