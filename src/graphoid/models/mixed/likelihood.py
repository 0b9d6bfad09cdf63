r"""The pseudo-likelihood of a pairwise model of variables of any kind, with its derivatives.

With :math:`\varphi` the embedding of a row, the linear predictors of variable :math:`x` are
:math:`h_x = \alpha_x + \sum_{y \sim x} W_{xy} \varphi_y`, and given all others

* states have log-odds :math:`\varphi_x(v) \cdot h_x`: a multinomial logit, or an adjacent-category one where
  only the score of an ordered variable is joined to others;
* a score is normal with mean :math:`h_x / k_x` and variance :math:`1 / k_x`, :math:`k_x = 1 + \kappa_x`.

The sum of the logarithms over rows and variables is concave in all weights ([Lee2015]_). It does not see
whether the precision matrix :math:`K` of all scores together is positive definite, without which there is no
joint distribution; so one row more counts, of scores that are independent and standard normal, by its
likelihood :math:`\frac{1}{2} (\log \det K - \mathrm{tr} K)`, which has no maximum elsewhere.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from graphoid.models.mixed.layout import Layout

    Matrix = NDArray[np.float64]
    Vector = NDArray[np.float64]


class Rows(NamedTuple):
    """Different rows: codes of states and scores of numbers, a column a variable, and their weights."""

    values: Matrix
    weights: Vector

    @property
    def total(self) -> float:
        """The number of rows, or the sum of their weights."""
        return float(self.weights.sum())


def distinct_rows(values: Matrix, units: NDArray[np.int64], unit: float) -> Rows:
    """Return different rows in ascending order, so that the order they came in has no say."""
    found, line = np.unique(values, axis=0, return_inverse=True)
    total = np.zeros(len(found), dtype=np.int64)
    np.add.at(total, line.ravel(), units)
    return Rows(found[total > 0], total[total > 0] * np.float64(unit))


class Conditional(NamedTuple):
    """The distribution of a variable given all others, in every row."""

    variable: int
    predictors: Matrix
    log_p: Matrix | None
    """Of states, a column each; None for numbers."""
    p: Matrix | None = None
    """Their exponentials."""


def conditionals(layout: Layout, weights: Vector, embedded: Matrix) -> Iterator[Conditional]:
    """Yield the conditional of every variable."""
    for x in range(len(layout.variables)):
        yield conditional(layout, weights, embedded, x)


def conditional(layout: Layout, weights: Vector, embedded: Matrix, x: int) -> Conditional:
    """Return the conditional of a variable."""
    columns, which = layout.partners[x]
    predictors = weights[layout.columns[x]] + embedded[:, columns] @ np.append(weights, 0.0)[which]
    code = layout.codes[x]
    if code is None:
        return Conditional(x, predictors, None)
    eta = predictors @ code.T
    eta -= eta.max(axis=1, keepdims=True)
    p = np.exp(eta)
    total = p.sum(axis=1, keepdims=True)
    p /= total
    eta -= np.log(total)
    return Conditional(x, predictors, eta, p)


def log_density(layout: Layout, weights: Vector, given: Conditional, values: Vector) -> Vector:
    """Return the log probability of states, or the log density of scores, given all others in their rows."""
    if given.log_p is not None:
        return given.log_p[np.arange(len(values)), values.astype(np.intp)]
    k = 1.0 + weights[layout.first_curvature + layout.numbers.index(given.variable)]
    residual = values - given.predictors[:, 0] / k
    return np.asarray(0.5 * math.log(k / (2 * math.pi)) - 0.5 * k * residual**2)


def row_densities(layout: Layout, weights: Vector, values: Matrix) -> Matrix:
    """Return for every row and variable the logarithm of its probability or density given all others."""
    embedded = layout.embed(values)
    return np.column_stack(
        [
            log_density(layout, weights, given, values[:, given.variable])
            for given in conditionals(layout, weights, embedded)
        ]
    )


class Point(NamedTuple):
    """The objective at some weights: its value, its slope, and what second derivatives are made of."""

    weights: Vector
    value: float
    gradient: Vector
    conditionals: list[Conditional]
    covariance: Matrix
    """Of the scores given all states."""


class PairwiseLikelihood:
    """The log pseudo-likelihood of rows, and of one row more for the scores, as a function of the weights.

    Parameters
    ----------
    layout
        What the weights belong to.
    rows
        Codes and scores.
    """

    def __init__(self, layout: Layout, rows: Rows) -> None:
        self.layout, self.rows = layout, rows
        self.embedded = layout.embed(rows.values)

    def at(self, weights: Vector) -> Point | None:
        """Return the value and slope at some weights; None where they make no distribution."""
        layout = self.layout
        covariance, prior = self._extra_row(weights)
        if covariance is None:
            return None
        given = list(conditionals(layout, weights, self.embedded))
        value, gradient = prior, np.zeros(layout.n_weights + 1)
        for one in given:
            x = one.variable
            value += float(self.rows.weights @ log_density(layout, weights, one, self.rows.values[:, x]))
            slope, bend = self._slopes(weights, one)
            self._collect(gradient, x, self.rows.weights[:, None] * slope)
            if bend is not None:
                gradient[layout.first_curvature + layout.numbers.index(x)] += self.rows.weights @ bend
        gradient[layout.first_curvature : layout.first_pair] += (np.diag(covariance) - 1) / 2
        gradient[self._pair_weights] -= covariance[self._pair_places]
        return Point(weights, value, gradient[:-1], given, covariance)

    def value(self, weights: Vector) -> float:
        """Return the log pseudo-likelihood of the rows, summed over variables."""
        each = row_densities(self.layout, weights, self.rows.values)
        return float(self.rows.weights @ each.sum(axis=1))

    def hessian_product(self, point: Point, direction: Vector) -> Vector:
        """Return the matrix of second derivatives at a point times a direction."""
        layout, out = self.layout, np.zeros(self.layout.n_weights + 1)
        extended = np.append(direction, 0.0)
        for x, predictors, _, p in point.conditionals:
            columns, which = layout.partners[x]
            move = direction[layout.columns[x]] + self.embedded[:, columns] @ extended[which]
            code = layout.codes[x]
            if p is not None and code is not None:
                eta = p * (move @ code.T)
                slope = (p * eta.sum(axis=1, keepdims=True) - eta) @ code
            else:
                at = layout.first_curvature + layout.numbers.index(x)
                k, turn, h = 1.0 + point.weights[at], direction[at], predictors[:, 0]
                slope = (-move[:, 0] / k + h * turn / k**2)[:, None]
                out[at] += self.rows.weights @ (
                    -0.5 * turn / k**2 + h * move[:, 0] / k**2 - h**2 * turn / k**3
                )
            self._collect(out, x, self.rows.weights[:, None] * slope)
        change = layout.precision(direction) - np.eye(len(layout.numbers))
        spread = -point.covariance @ change @ point.covariance
        out[layout.first_curvature : layout.first_pair] += np.diag(spread) / 2
        out[self._pair_weights] -= spread[self._pair_places]
        return out[:-1]

    def diagonal(self, point: Point) -> Vector:
        """Return the diagonal of minus the matrix of second derivatives, but for the row that is added."""
        layout, out = self.layout, np.zeros(self.layout.n_weights + 1)
        for x, predictors, _, p in point.conditionals:
            code = layout.codes[x]
            if p is not None and code is not None:
                bend = p @ code**2 - (p @ code) ** 2
            else:
                at = layout.first_curvature + layout.numbers.index(x)
                k, h = 1.0 + point.weights[at], predictors[:, 0]
                bend = np.full((len(h), 1), 1 / k)
                out[at] = self.rows.weights @ (0.5 / k**2 + h**2 / k**3)
            columns, which = layout.partners[x]
            weighted = self.rows.weights[:, None] * bend
            out[layout.columns[x]] += weighted.sum(axis=0)
            out[which] += (self.embedded[:, columns] ** 2).T @ weighted
        return out[:-1]

    def row_gradients(self, point: Point) -> Matrix:
        """Return the derivatives for one occurrence of each distinct row, a line each."""
        layout = self.layout
        out = np.zeros((len(self.rows.weights), layout.n_weights + 1))
        for one in point.conditionals:
            x = one.variable
            slope, bend = self._slopes(point.weights, one)
            columns, which = layout.partners[x]
            out[:, layout.columns[x]] += slope
            if bend is not None:
                out[:, layout.first_curvature + layout.numbers.index(x)] += bend
            for column, weights in zip(columns, which, strict=True):
                out[:, weights] += self.embedded[:, [column]] * slope
        return out[:, :-1]

    def _slopes(self, weights: Vector, given: Conditional) -> tuple[Matrix, Vector | None]:
        """Return the derivatives of a row's term by the predictors, and by the curvature of a score."""
        layout, x, values = self.layout, given.variable, self.rows.values[:, given.variable]
        code = layout.codes[x]
        if given.p is not None and code is not None:
            return code[values.astype(np.intp)] - given.p @ code, None
        k = 1.0 + weights[layout.first_curvature + layout.numbers.index(x)]
        mean = given.predictors[:, 0] / k
        return (values - mean)[:, None], (1 / k - values**2 + mean**2) / 2

    def _collect(self, out: Vector, x: int, slope: Matrix) -> None:
        """Add what the predictors of a variable change to the weights that they are made of."""
        columns, which = self.layout.partners[x]
        out[self.layout.columns[x]] += slope.sum(axis=0)
        out[which] += self.embedded[:, columns].T @ slope  # no weight is twice among them

    def _extra_row(self, weights: Vector) -> tuple[Matrix | None, float]:
        """Return the covariance of the scores and the likelihood of one row of independent ones."""
        precision = self.layout.precision(weights)
        if not len(precision):
            return precision, 0.0
        try:
            root = np.linalg.cholesky(precision)
        except np.linalg.LinAlgError:
            return None, -math.inf
        half = np.linalg.inv(root)
        value = float(np.log(np.diag(root)).sum() - np.trace(precision) / 2)
        return half.T @ half, value

    @property
    def _pair_weights(self) -> NDArray[np.intp]:
        """The weights of products of two scores."""
        layout = self.layout
        both = np.isin(layout.pairs, layout.score_columns).all(axis=1)
        return layout.first_pair + np.flatnonzero(both)

    @property
    def _pair_places(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Where these are in the matrix of the scores."""
        layout = self.layout
        at = np.searchsorted(layout.score_columns, layout.pairs[self._pair_weights - layout.first_pair])
        return at[:, 0], at[:, 1]
