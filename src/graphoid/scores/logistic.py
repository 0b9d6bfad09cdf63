"""Logistic models of a variable given its blanket: main effects, and products of two that are worth it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from itertools import combinations
from typing import TYPE_CHECKING, Protocol

import numpy as np

from graphoid.limits import check_time
from graphoid.scores.base import configurations_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from graphoid.counts.contingency import Counts

    Matrix = NDArray[np.float64]

MOST_STEPS = 60
GAIN = 1e-10
"""What a step may still be worth when the climb ends."""
ALIASED = 1e-9
"""A column of which no more than this share is left is a combination of those before it."""


class Response(Protocol):
    """A kind of response: how likely what was observed is, given linear predictors of it."""

    n_predictors: int

    def evaluate(self, predictors: Matrix) -> tuple[float, Matrix, Matrix]:
        """Return the log-likelihood, its derivatives by predictors and minus the second ones, a line each."""


class MultinomialLogit:
    """The response of a variable whose states have no order: log-odds are codes of states times predictors.

    Parameters
    ----------
    table
        How often each state occurs, a line for every configuration of the blanket.
    code
        Numbers of each state, one a predictor.
    """

    def __init__(self, table: Matrix, code: Matrix) -> None:
        self.n_predictors = code.shape[1]
        self._table = table
        self._totals = table.sum(axis=1)[:, None]
        self._code = code
        self._products = (code[:, :, None] * code[:, None, :]).reshape(len(code), -1)

    def evaluate(self, predictors: Matrix) -> tuple[float, Matrix, Matrix]:
        """Return the log-likelihood, its derivatives by predictors and minus the second ones, a line each."""
        eta = predictors @ self._code.T
        log_p = eta - np.logaddexp.reduce(eta, axis=1, keepdims=True)
        p = np.exp(log_p)
        residuals = (self._table - self._totals * p) @ self._code
        mean, m = p @ self._code, self.n_predictors
        spread = (p @ self._products).reshape(len(p), m, m) - mean[:, :, None] * mean[:, None, :]
        return float((self._table * log_p).sum()), residuals, self._totals[:, :, None] * spread


class Objective(ABC):
    """What a model is worth, and what more columns promise."""

    doubt: float
    """By how much a promise may miss its price and still be tried: it is rough."""
    shrinking: bool
    """Whether promises only shrink as products are added, so that only the best one is looked at again."""

    @staticmethod
    @abstractmethod
    def code(r: int) -> Matrix:
        """Return r - 1 numbers for each of r states."""

    def precision(self, columns: int) -> Matrix:
        """Return the precision of the normal prior of a weight, by its column; zeros for a flat one."""
        return np.zeros(columns)

    @abstractmethod
    def worth(self, reached: float, hessian: Matrix, precision: Matrix, /) -> float:
        """Return what a model is worth from the log posterior at its best weights."""

    @abstractmethod
    def promise(self, gain: float, information: Matrix, /) -> float:
        """Return by how much more weights would raise that, if they raise the log posterior by ``gain``."""

    def price(self, products: int, /) -> float:  # noqa: ARG002 - on which others depend
        """Return what a product pays for having been chosen among so many, besides its weights."""
        return 0.0


class Model:
    """Models of a response by columns; the first is the constant. Weights are a line for every predictor."""

    def __init__(self, response: Response, objective: Objective) -> None:
        self._response = response
        self._objective = objective
        self._flat = not objective.precision(1).any()

    def fit(self, design: Matrix, weights: Matrix) -> tuple[float, Matrix]:
        """Return what the model is worth and its best weights, by Newton's method, steps halved to climb."""
        precision = self._objective.precision(design.shape[1])
        reached, gradient, hessian = self._evaluate(design, weights, precision)
        for _ in range(MOST_STEPS):
            check_time()
            step = self._solve(hessian, gradient)
            promised = float(gradient @ step)
            if promised <= 2 * GAIN:
                reached += max(0.0, promised) / 2
                break
            size = 1.0
            while True:
                tried = weights + size * step.reshape(weights.shape)
                found = self._evaluate(design, tried, precision)
                if found[0] >= reached or size < 1e-6:
                    break
                size /= 2
            if found[0] < reached:
                break
            weights, (reached, gradient, hessian) = tried, found
        return self._objective.worth(reached, hessian, np.tile(precision, len(weights))), weights

    def promise(self, design: Matrix, more: Matrix, weights: Matrix) -> float:
        """Return by how much columns would raise what a fitted model is worth, to second order.

        Rao's score statistic is twice the log posterior to be gained, and takes no climb.
        """
        wider = np.hstack([design, more])
        precision = self._objective.precision(wider.shape[1])
        _, gradient, hessian = self._evaluate(wider, _widen(weights, more.shape[1]), precision)
        new = np.tile(np.arange(wider.shape[1]) >= design.shape[1], len(weights))
        known = self._solve(hessian[np.ix_(~new, ~new)], hessian[np.ix_(~new, new)])
        information = hessian[np.ix_(new, new)] - hessian[np.ix_(new, ~new)] @ known
        if self._flat:
            statistic = _score_statistic(gradient[new], information, np.diag(hessian)[new])
        else:
            statistic = float(gradient[new] @ np.linalg.solve(information, gradient[new]))
        return self._objective.promise(statistic / 2, information)

    def _solve(self, hessian: Matrix, right: Matrix) -> Matrix:
        found = (
            np.linalg.lstsq(hessian, right, rcond=1e-10)[0] if self._flat else np.linalg.solve(hessian, right)
        )
        return found.astype(np.float64, copy=False)

    def _evaluate(self, design: Matrix, weights: Matrix, precision: Matrix) -> tuple[float, Matrix, Matrix]:
        """Return the log posterior of the weights but for a constant, its gradient, minus its curvature."""
        value, residuals, curvatures = self._response.evaluate(design @ weights.T)
        gradient = residuals.T @ design - precision * weights
        m, columns = weights.shape
        blocks = np.empty((m, columns, m, columns))
        for a in range(m):
            for b in range(m):
                blocks[a, :, b, :] = design.T @ (curvatures[:, a, b, None] * design)
        hessian = blocks.reshape(m * columns, m * columns)
        hessian.flat[:: m * columns + 1] += np.tile(precision, m)
        return value - 0.5 * float((precision * weights**2).sum()), gradient.reshape(-1), hessian


def _score_statistic(gradient: Matrix, information: Matrix, whole: Matrix) -> float:
    """Return Rao's statistic, without directions of which nothing is left of the ``whole`` information."""
    varied = whole > 0
    scale = np.sqrt(whole[varied])
    sizes, axes = np.linalg.eigh(information[np.ix_(varied, varied)] / np.outer(scale, scale))
    along = axes.T @ (gradient[varied] / scale)
    own = sizes > ALIASED
    return float((along[own] ** 2 / sizes[own]).sum())


def _widen(weights: Matrix, columns: int) -> Matrix:
    """Return the weights with zeros for so many more columns."""
    return np.hstack([weights, np.zeros((len(weights), columns))])


def best_model(design: Matrix, effects: Sequence[Matrix], response: Response, objective: Objective) -> float:
    """Return what the best model is worth: the columns of a design, and products of two effects that pay.

    Products are added in the order of what they promise, until one does not keep it.
    """
    model = Model(response, objective)
    best, weights = model.fit(design, np.zeros((response.n_predictors, design.shape[1])))
    left = [
        (a[:, :, None] * b[:, None, :]).reshape(len(a), a.shape[1] * b.shape[1])
        for a, b in combinations(effects, 2)
    ]
    price, added = objective.price(len(left)), 0
    promises = [model.promise(design, more, weights) for more in left]
    seen = [0] * len(left)  # how many had been added when a product was looked at
    while left:
        chosen = int(np.argmax(promises))
        if not promises[chosen] > price - objective.doubt:
            break
        if seen[chosen] < added:
            promises[chosen], seen[chosen] = model.promise(design, left[chosen], weights), added
            continue
        more = left.pop(chosen)
        del promises[chosen], seen[chosen]
        wider = np.hstack([design, more])
        found, at = model.fit(wider, _widen(weights, more.shape[1]))
        added += 1
        found -= price * added
        if not found > best:
            break
        best, design, weights = found, wider, at
        if not objective.shrinking:
            promises = [model.promise(design, more, weights) for more in left]
            seen = [added] * len(left)
    return best


def logistic_term(counts: Counts, objective: Objective, *, interactions: bool) -> float:
    """Return what the best logistic model of the last variable given the others is worth."""
    check_time()
    configurations, table = configurations_of(counts)
    if table.shape[1] < 2:
        return 0.0
    effects = [objective.code(r)[configurations[:, v]] for v, r in enumerate(counts.shape[:-1])]
    response = MultinomialLogit(table, objective.code(table.shape[1]))
    design = np.hstack([np.ones((len(table), 1)), *effects])
    return best_model(design, effects if interactions else [], response, objective)
