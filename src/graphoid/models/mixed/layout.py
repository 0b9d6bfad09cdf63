r"""The weights of a pairwise model of variables of any kind, and which features they belong to.

Every variable has an embedding :math:`\varphi_x(v)`: contrasts of its states, or its score
(:mod:`graphoid.models.mixed.scale`). The features of a model are the columns of the embeddings,
:math:`-\frac{1}{2} z^2` of every score :math:`z`, and products of two columns whose variables are joined.
"""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from graphoid.errors import CountsTooLarge
from graphoid.regression.coding import contrasts

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from numpy.typing import NDArray

    from graphoid.data.variables import Variable

    Matrix = NDArray[np.float64]
    Pairs = NDArray[np.intp]

MAX_WEIGHTS = 2**20
"""Most weights that a model may have: a million, as many as features of states."""

DEGREE = 4
"""Columns of an ordered variable that an edge may have: its score, and bends up to this degree. All there are
for up to five states; what more states would add, no table is long enough to show."""


def polynomials(r: int) -> Matrix:
    """Return codes of r ordered states, a line each: polynomials of ascending degree, the first a line.

    Columns are orthogonal, with mean 0 and variance one half over the states, as the contrast of two states.

    >>> (polynomials(3).round(3) + 0.0).tolist()
    [[-0.866, 0.5], [0.0, -1.0], [0.866, 0.5]]
    """
    line = np.linspace(-1.0, 1.0, r) if r > 1 else np.zeros(1)
    basis = np.polynomial.legendre.legvander(line, r - 1)  # powers would lose their digits
    q, triangle = np.linalg.qr(basis)
    return np.asarray((q * np.sign(np.diag(triangle)))[:, 1:] * np.sqrt(r / 2))


class Partners(NamedTuple):
    """What the linear predictors of a variable are made of."""

    columns: NDArray[np.intp]
    """Columns of others that they depend on."""
    weights: NDArray[np.intp]
    """Which weight multiplies each of them in each predictor; the number of weights where there is none."""


class Layout:
    """Which weight belongs to what.

    First one for every column of the embeddings, then the curvatures of numbers, then one for every pair.

    Parameters
    ----------
    variables
        Of the model.
    pairs
        Pairs of columns whose products are features: the smaller one first, in ascending order.
    """

    def __init__(self, variables: Sequence[Variable], pairs: Pairs) -> None:
        self.variables = tuple(variables)
        self.pairs = np.asarray(pairs, dtype=np.intp).reshape(-1, 2)
        self.codes = tuple(None if v.continuous else _code(v) for v in self.variables)
        """The embedding of each state, a line each; None for numbers, whose embedding is their score."""
        widths = [1 if code is None else code.shape[1] for code in self.codes]
        ends = np.cumsum([0, *widths])
        self.columns = tuple(slice(a, b) for a, b in pairwise(ends.tolist()))
        """Of each variable, in the embedding of a row."""
        self.n_columns = int(ends[-1])
        self.owner = np.repeat(np.arange(len(widths)), widths)
        """The variable that each column belongs to."""
        self.numbers = tuple(x for x, code in enumerate(self.codes) if code is None)
        """Positions of variables without states."""
        self.state_codes = {x: code for x, code in enumerate(self.codes) if code is not None}
        self.states = tuple(self.state_codes)
        """Positions of variables with states."""
        self.state_columns = np.flatnonzero(np.isin(self.owner, self.states))
        """Where their embeddings are in that of a row."""
        self.score_columns = np.array([self.columns[x].start for x in self.numbers], dtype=np.intp)
        """Where the scores of numbers are in the embedding of a row."""
        self.first_curvature = self.n_columns
        self.first_pair = self.n_columns + len(self.numbers)
        self.n_weights = self.first_pair + len(self.pairs)
        if self.n_weights > MAX_WEIGHTS:
            raise CountsTooLarge(
                f"the edges of the graph have {self.n_weights:,} weights; at most {MAX_WEIGHTS:,} are "
                f"fitted. Use a sparser graph or fewer states."
            )

    @cached_property
    def edges(self) -> list[tuple[int, int]]:
        """Pairs of variables with a feature in common."""
        found = np.unique(self.owner[self.pairs], axis=0)
        return [(int(x), int(y)) for x, y in found]

    @cached_property
    def partners(self) -> tuple[Partners, ...]:
        """For every variable, the columns that it depends on and their weights."""
        index = self.first_pair + np.arange(len(self.pairs))
        source = np.concatenate([self.pairs[:, 0], self.pairs[:, 1]])
        target = np.concatenate([self.pairs[:, 1], self.pairs[:, 0]])
        which = np.concatenate([index, index])
        order = np.argsort(self.owner[target], kind="stable")
        ends = np.searchsorted(self.owner[target][order], np.arange(len(self.variables) + 1))
        found = []
        for x, columns in enumerate(self.columns):
            mine = order[ends[x] : ends[x + 1]]
            used, line = np.unique(source[mine], return_inverse=True)
            weights = np.full((len(used), columns.stop - columns.start), self.n_weights, dtype=np.intp)
            weights[line, target[mine] - columns.start] = which[mine]
            found.append(Partners(used, weights))
        return tuple(found)

    def embed(self, values: Matrix) -> Matrix:
        """Return the embedding of rows: codes of states and scores of numbers, a column a variable."""
        out = np.empty((len(values), self.n_columns), order="F")
        for x, code in enumerate(self.codes):
            out[:, self.columns[x]] = values[:, [x]] if code is None else code[values[:, x].astype(np.intp)]
        return out

    def interactions(self, weights: Matrix) -> Matrix:
        """Return the weights of pairs of columns as a symmetric matrix, zero where there is none."""
        matrix = np.zeros((self.n_columns, self.n_columns))
        first, second = self.pairs.T
        matrix[first, second] = matrix[second, first] = weights[self.first_pair :]
        return matrix

    def precision(self, weights: Matrix) -> Matrix:
        """Return the precision matrix of the numbers, in the order of their positions, given all states."""
        place = np.full(self.n_columns, -1)
        place[self.score_columns] = np.arange(len(self.numbers))
        both = (place[self.pairs] >= 0).all(axis=1)
        first, second = place[self.pairs[both]].T
        matrix = np.diag(1.0 + weights[self.first_curvature : self.first_pair])
        matrix[first, second] = matrix[second, first] = -weights[self.first_pair :][both]
        return matrix


def pairs_of(
    variables: Sequence[Variable], edges: Iterable[tuple[int, int]], bent: Collection[tuple[int, int]] = ()
) -> Pairs:
    """Return the pairs of columns that edges have.

    All contrasts of nominal variables; of ordered ones the score, and on edges that are ``bent`` more.
    """
    layout = Layout(variables, np.empty((0, 2), dtype=np.intp))
    pairs = []
    for x, y in edges:
        most = DEGREE if (x, y) in bent else 1
        mine = [_columns(layout, v, most) for v in (min(x, y), max(x, y))]
        pairs.append(np.stack(np.meshgrid(*mine, indexing="ij"), axis=-1).reshape(-1, 2))
    found = np.concatenate([np.empty((0, 2), dtype=np.intp), *pairs])
    return found[np.lexsort((found[:, 1], found[:, 0]))]


def _columns(layout: Layout, x: int, most: int) -> NDArray[np.intp]:
    columns = np.arange(layout.columns[x].start, layout.columns[x].stop)
    return columns[:most] if layout.variables[x].ordered else columns


def _code(variable: Variable) -> Matrix:
    return polynomials(variable.arity) if variable.ordered else contrasts(variable.arity)
