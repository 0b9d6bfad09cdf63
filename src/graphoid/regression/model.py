"""Fitting a response to columns of numbers by Newton's method, and what more columns promise."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from graphoid.limits import check_time

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from graphoid.regression.coding import Matrix
    from graphoid.regression.objective import Objective
    from graphoid.regression.response import Response

MOST_STEPS = 60
GAIN = 1e-15
"""What a step may still be worth when the climb ends: determinants are off by its root."""
CLOSE = 1e-7
"""What a step is worth so near the peak that it cannot lead astray, and rounding may hide it."""
NOTABLE = 1.5
"""What squared slopes of columns add up to, in their number: by chance 1, and evidence asks for much more."""
ALIASED = 1e-9
"""A column of which no more than this share is left is a combination of those before it."""


class Design(NamedTuple):
    """A model: columns of numbers, a line a configuration, each with the predictor that it is part of."""

    columns: Matrix
    predictors: NDArray[np.intp]

    @classmethod
    def of(cls, *blocks: tuple[Matrix, range]) -> Design:
        """Return the design in which all columns of a block are part of each of its predictors."""
        return cls(
            np.hstack([columns for columns, predictors in blocks for _ in predictors]),
            np.array([a for columns, predictors in blocks for a in predictors for _ in columns.T], np.intp),
        )

    def __add__(self, more: Design) -> Design:  # type: ignore[override]
        return Design(
            np.hstack([self.columns, more.columns]), np.concatenate([self.predictors, more.predictors])
        )


class Model:
    """Models of a response; the first columns are constants, one for every predictor.

    ``blocks`` are the weights of members of the blanket, of each its main effects.
    """

    def __init__(self, response: Response, objective: Objective, blocks: Sequence[slice] = ()) -> None:
        self._response = response
        self._objective = objective
        self._blocks = blocks
        self._flat = not objective.precision(1, 1).any()

    def fit(self, design: Design, weights: Matrix) -> tuple[float, Matrix]:
        """Return what the model is worth and its best weights, by Newton's method, steps halved to climb."""
        precision = self._precision(len(weights))
        close = 0 if self._flat else CLOSE  # the peak of a flat prior may be infinitely far
        reached, gradient, hessian = self._evaluate(design, weights, precision)
        for _ in range(MOST_STEPS):
            check_time()
            step = self._solve(hessian, gradient)
            promised = float(gradient @ step)
            if promised <= 2 * GAIN:
                reached += max(0.0, promised) / 2
                weights = weights + step  # matters to moments, though not to the worth
                break
            size = 1.0
            while True:
                tried = weights + size * step
                found = self._evaluate(design, tried, precision)
                if found[0] >= reached or promised <= close or size < 1e-6:
                    break
                size /= 2
            if found[0] < reached and promised > close:
                break
            weights, (reached, gradient, hessian) = tried, found
        moment = self._objective.moment(weights, hessian, self._blocks)
        return self._objective.worth(reached, hessian, precision) + moment, weights

    def promise(self, design: Design, more: Design, weights: Matrix) -> float:
        """Return by how much columns would raise what a fitted model is worth, to second order.

        Rao's score statistic is twice the log posterior to be gained, and takes no climb.
        """
        wider, k = design + more, len(weights)
        wide = np.append(weights, np.zeros(len(more.predictors)))
        _, gradient, hessian = self._evaluate(wider, wide, self._precision(len(wide)))
        known = self._solve(hessian[:k, :k], hessian[:k, k:])
        information = hessian[k:, k:] - hessian[k:, :k] @ known
        if self._flat:
            statistic = _score_statistic(gradient[k:], information, np.diag(hessian)[k:])
        else:
            statistic = float(gradient[k:] @ np.linalg.solve(information, gradient[k:]))
        return self._objective.promise(statistic / 2, information)

    def notable(self, design: Design, more: Design, weights: Matrix) -> bool:
        """Return whether columns look as if they could do more than chance, each for itself."""
        _, residuals, curvatures = self._response.evaluate(self._predict(design, weights))
        a = more.predictors
        slopes = (residuals[:, a] * more.columns).sum(axis=0)
        own = (curvatures[:, a, a] * more.columns**2).sum(axis=0)
        return bool((slopes[own > 0] ** 2 / own[own > 0]).sum() > NOTABLE * len(a))

    def _precision(self, weights: int) -> Matrix:
        return self._objective.precision(self._response.n_predictors, weights)

    def _solve(self, hessian: Matrix, right: Matrix) -> Matrix:
        found = (
            np.linalg.lstsq(hessian, right, rcond=1e-10)[0] if self._flat else np.linalg.solve(hessian, right)
        )
        return found.astype(np.float64, copy=False)

    def _predict(self, design: Design, weights: Matrix) -> Matrix:
        member = design.predictors[:, None] == np.arange(self._response.n_predictors)
        predicted: Matrix = design.columns @ (weights[:, None] * member)
        return predicted

    def _evaluate(self, design: Design, weights: Matrix, precision: Matrix) -> tuple[float, Matrix, Matrix]:
        """Return the log posterior of the weights but for a constant, its gradient, minus its curvature."""
        value, residuals, curvatures = self._response.evaluate(self._predict(design, weights))
        columns, of = design
        gradient = (residuals[:, of] * columns).sum(axis=0) - precision * weights
        hessian = np.diag(precision)
        parts = [np.flatnonzero(of == a) for a in range(self._response.n_predictors)]
        for a, own in enumerate(parts):
            for b, other in enumerate(parts[: a + 1]):
                block = (columns[:, own] * curvatures[:, a, b, None]).T @ columns[:, other]
                hessian[np.ix_(own, other)] += block
                if b < a:
                    hessian[np.ix_(other, own)] += block.T
        return value - 0.5 * float((precision * weights**2).sum()), gradient, hessian


def _score_statistic(gradient: Matrix, information: Matrix, whole: Matrix) -> float:
    """Return Rao's statistic, without directions of which nothing is left of the ``whole`` information."""
    varied = whole > 0
    scale = np.sqrt(whole[varied])
    sizes, axes = np.linalg.eigh(information[np.ix_(varied, varied)] / np.outer(scale, scale))
    along = axes.T @ (gradient[varied] / scale)
    own = sizes > ALIASED
    return float((along[own] ** 2 / sizes[own]).sum())
