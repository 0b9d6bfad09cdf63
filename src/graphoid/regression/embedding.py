"""Every kind of column as columns of numbers, and the second moments of all of them."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from graphoid.counts.engine import CountRequest
from graphoid.counts.remote.number_sums import GRID
from graphoid.data.table import Weights
from graphoid.limits import check_time, within_time
from graphoid.logic.names import name_order
from graphoid.regression.coding import contrasts, ordered_code, standard_scores

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from graphoid.counts.engine import CountEngine
    from graphoid.counts.remote.number_sums import NumberSums
    from graphoid.data.table import Table
    from graphoid.data.variables import Variable
    from graphoid.regression.coding import Matrix

PAIRS = 256
"""Tables of pairs that are counted at once."""

BLOCK = 2**16
"""Rows that are multiplied at once: what they take stays small."""

PRODUCTS, LEAST_COLUMNS = 2**31, 32
"""Of numbers, between two looks at the clock, some tenths of a second; and columns at once, for speed."""


MOST_STATES = 20
"""Beyond, states in order are numbers: the margin alone of so many takes more rows than there are."""


def is_number(variable: Variable) -> bool:
    """Return whether a variable is modelled as a number: it is one, or has many states in order."""
    return variable.continuous or (variable.ordered and variable.arity > MOST_STATES)


class Effect(NamedTuple):
    """What a variable brings as a predictor: columns of numbers, of which the first ``main`` always act."""

    columns: Matrix
    main: int


def embed(table: Table, variable: int, *, ordered: bool = True, ranks: bool = True) -> Effect:
    """Return a variable as a predictor, a line a row.

    ========== ============================================================ =====================
    kind       columns                                                      of which always act
    ========== ============================================================ =====================
    nominal    orthonormal contrasts of its states                          all
    ordered    the score of its states, and contrasts that say the rest     the score
    number     its normal score, or without ``ranks`` the values, scaled    the score
    ========== ============================================================ =====================

    Numbers are continuous columns and those with more than 20 states in order (:func:`is_number`).

    Scores have mean 0 and variance one half, as the contrast of two states that are as frequent has it.
    Without ``ordered``, states are taken as nominal.
    """
    v = table.variables[variable]
    if is_number(v):
        values = table.column(variable).astype(np.float64) if v.states and ranks else table.numbers(variable)
        return Effect(standard_scores(values, table.weights, ranks=ranks)[:, None], 1)
    codes = table.column(variable)
    if not (ordered and v.ordered and v.arity > 2):
        return Effect(contrasts(v.arity)[codes], v.arity - 1)
    units = np.zeros(v.arity, dtype=np.int64)
    np.add.at(units, codes, 1 if table.weights is None else table.weights.units)
    unit = np.float64(1.0 if table.weights is None else table.weights.unit)
    return Effect(ordered_code(units * unit)[codes], 1)


class SecondMoments:
    """Means of products of all embedded columns of a table: all that linear models of them need.

    Sums are exact, so that neither the order of the rows nor that of adding up changes a digit.

    Parameters
    ----------
    table
        Whose columns.
    ordered, ranks
        How they become numbers: see :func:`embed`.
    """

    def __init__(self, table: Table, *, ordered: bool = True, ranks: bool = True) -> None:
        every_column = within_time(range(len(table.variables)))
        found = [embed(table, i, ordered=ordered, ranks=ranks) for i in every_column]
        ends = np.cumsum([effect.columns.shape[1] for effect in found])
        self.main = [effect.main for effect in found]
        """For every variable how many of its columns always act."""
        self.columns = [
            slice(int(end) - effect.columns.shape[1], int(end))
            for end, effect in zip(ends, found, strict=True)
        ]
        """For every variable its columns in the matrix."""
        self.order = name_order(table.names)
        """The variables in an order that is not that of the columns."""
        self.n_rows: float = table.n_rows if table.weights is None else table.weights.total
        every = np.hstack([np.ones((table.n_rows, 1)), *[effect.columns for effect in found]])
        weights = None if table.weights is None else table.weights.values
        sums = exact_products(every, every if weights is None else every * weights[:, None])
        means = sums / max(self.n_rows, np.finfo(float).tiny)
        self.means: Matrix = means[0, 1:]
        self.products: Matrix = (means + means.T)[1:, 1:] / 2

    @cached_property
    def covariance(self) -> Matrix:
        """Of all columns, divided by the number of rows."""
        return self.products - np.outer(self.means, self.means)

    @cached_property
    def main_covariance(self) -> Matrix:
        """Of the columns that always act, variable by variable."""
        acting = [
            i
            for own, main in zip(self.columns, self.main, strict=True)
            for i in range(own.start, own.start + main)
        ]
        return np.ascontiguousarray(self.covariance[np.ix_(acting, acting)])

    @cached_property
    def first(self) -> NDArray[np.int64]:
        """For every variable the first of its columns that always act, and at last their number."""
        return np.cumsum([0, *self.main], dtype=np.int64)


class CountedMoments(SecondMoments):
    """The same from counts of pairs of variables with states, and sums of numbers: rows stay where they are.

    Parameters
    ----------
    engine
        What counts.
    sums
        Of columns of numbers, in the order of these; None where there are none.
    ordered
        Whether states in order have a score: see :func:`embed`.
    """

    def __init__(self, engine: CountEngine, sums: NumberSums | None = None, *, ordered: bool = True) -> None:
        variables = engine.variables
        states = [i for i, v in enumerate(variables) if not v.continuous]
        counted = engine.counts([CountRequest((v,)) for v in states])
        margins = {v: counts.dense().astype(np.float64) for v, counts in zip(states, counted, strict=True)}
        codes = {v: _state_code(variables[v], margin, ordered=ordered) for v, margin in margins.items()}
        widths = [codes[i].shape[1] if i in codes else 1 for i in range(len(variables))]
        ends = np.cumsum(widths).tolist()
        self.main = [
            1 if v.continuous or (ordered and v.ordered and v.arity > 2) else v.arity - 1 for v in variables
        ]
        self.columns = [slice(end - width, end) for end, width in zip(ends, widths, strict=True)]
        self.order = name_order([v.name for v in variables])
        self.n_rows = float(engine.n_rows)
        total = max(self.n_rows, np.finfo(float).tiny)
        self.means = np.zeros(ends[-1] if ends else 0)
        self.products = np.zeros((len(self.means), len(self.means)))
        for v, margin in margins.items():
            own, code = self.columns[v], codes[v]
            self.means[own] = margin @ code / total
            self.products[own, own] = code.T @ (margin[:, None] * code) / total
        # one way round for each pair, so that the order of the columns changes no digit
        pairs = [(x, y) for x, y in combinations(self.order, 2) if x in codes and y in codes]
        for first in range(0, len(pairs), PAIRS):
            part = pairs[first : first + PAIRS]
            tables = engine.counts([CountRequest(pair) for pair in part])
            for (x, y), counts in zip(part, tables, strict=True):
                self._put(x, y, codes[x].T @ counts.dense().astype(np.float64) @ codes[y] / total)
        if sums is not None:
            self._add_numbers([i for i, v in enumerate(variables) if v.continuous], codes, sums)

    def _add_numbers(self, numbers: Sequence[int], codes: Mapping[int, Matrix], sums: NumberSums) -> None:
        """Put in what is known of columns of numbers; weights are in units, as many as all rows have."""
        total = max(1, sums.total)

        def mean(part: NDArray[np.object_], bits: int) -> Matrix:
            return np.array([Fraction(int(s), total << bits) for s in part.flat], dtype=np.float64)

        for k, v in enumerate(numbers):
            self.means[self.columns[v]] = mean(sums.sums[k : k + 1], GRID)
            for j, w in enumerate(numbers[: k + 1]):
                self._put(v, w, mean(sums.products[k, j : j + 1], 2 * GRID)[:, None])
            for w, code in codes.items():
                self._put(w, v, code.T @ mean(sums.by_state[w][:, k], GRID)[:, None])

    def _put(self, x: int, y: int, block: Matrix) -> None:
        self.products[self.columns[x], self.columns[y]] = block
        self.products[self.columns[y], self.columns[x]] = block.T


def _state_code(variable: Variable, margin: Matrix, *, ordered: bool) -> Matrix:
    """Return the numbers of each state, from how many rows there are of it: as :func:`embed` has them."""
    if ordered and is_number(variable):
        return standard_scores(np.arange(variable.arity, dtype=np.float64), Weights.of(margin))[:, None]
    scored = ordered and variable.ordered and variable.arity > 2
    return ordered_code(margin) if scored else contrasts(variable.arity)


def exact_products(left: Matrix, right: Matrix) -> Matrix:
    """Return the sums over rows of products of columns, the same for any order of the rows.

    Every column is split into two parts on a grid so coarse that sums of products of parts are whole numbers
    below 2**53, which floating point adds up without rounding. What is smaller than some 2**-30 of the
    largest number of a column is lost.
    """
    n = max(1, len(left))
    bits = (53 - int(n - 1).bit_length()) // 2
    sums = np.zeros((2 * left.shape[1], 2 * right.shape[1]))
    scales = [_scale(columns, bits) for columns in (left, right)]
    for first in range(0, len(left), BLOCK):
        a, b = (
            _split(columns[first : first + BLOCK] * scale, bits)
            for columns, scale in zip((left, right), scales, strict=True)
        )
        step = max(LEAST_COLUMNS, PRODUCTS // b.size)
        for column in range(0, len(sums), step):
            check_time()
            sums[column : column + step] += a[:, column : column + step].T @ b
    k, m = left.shape[1], right.shape[1]
    fine = 2.0**-bits
    total = sums[:k, :m] + fine * (sums[:k, m:] + sums[k:, :m]) + fine**2 * sums[k:, m:]
    return np.asarray(total / np.outer(*scales))


def _scale(columns: Matrix, bits: int) -> Matrix:
    """Return powers of two that take the largest number of every column to less than 2**bits."""
    largest = np.abs(columns).max(axis=0, initial=0.0)
    return np.asarray(2.0 ** (bits - 1 - np.ceil(np.log2(np.where(largest > 0, largest, 1.0)))))


def _split(columns: Matrix, bits: int) -> Matrix:
    """Return whole numbers, and beside them what they leave in units of 2**-bits, in whole numbers, too."""
    whole = np.rint(columns)
    return np.hstack([whole, np.rint((columns - whole) * 2.0**bits)])
