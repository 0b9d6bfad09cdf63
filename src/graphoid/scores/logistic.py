"""Logistic models of a variable given its blanket: main effects, and others where they are worth it."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from graphoid.limits import check_time
from graphoid.scores.base import configurations_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from graphoid.counts.contingency import Counts

    Matrix = NDArray[np.float64]

MOST_STEPS = 60
GAIN = 1e-13
"""What a step may still be worth when the climb ends."""
NOTABLE = 1.5
"""What squared slopes of columns add up to, in their number: by chance 1, and evidence asks for much more."""
ALIASED = 1e-9
"""A column of which no more than this share is left is a combination of those before it."""


class Response(Protocol):
    """A kind of response: how likely what was observed is, given linear predictors of it."""

    n_predictors: int

    def evaluate(self, predictors: Matrix) -> tuple[float, Matrix, Matrix]:
        """Return the log-likelihood, its derivatives by predictors and minus the second ones, a line each."""


class MultinomialLogit:
    """The response of a variable with states: log-odds are codes of states times predictors.

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

    def precision(self, constants: int, weights: int) -> Matrix:  # noqa: ARG002 - on which others depend
        """Return the precision of the normal prior of weights, the constants first; zeros for a flat one."""
        return np.zeros(weights)

    @abstractmethod
    def worth(self, reached: float, hessian: Matrix, precision: Matrix, /) -> float:
        """Return what a model is worth from the log posterior at its best weights."""

    @abstractmethod
    def promise(self, gain: float, information: Matrix, /) -> float:
        """Return by how much more weights would raise that, if they raise the log posterior by ``gain``."""

    def price(self, products: int, /) -> float:  # noqa: ARG002 - on which others depend
        """Return what a product pays for having been chosen among so many, besides its weights."""
        return 0.0


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
    """Models of a response; the first columns are constants, one for every predictor."""

    def __init__(self, response: Response, objective: Objective) -> None:
        self._response = response
        self._objective = objective
        self._flat = not objective.precision(1, 1).any()

    def fit(self, design: Design, weights: Matrix) -> tuple[float, Matrix]:
        """Return what the model is worth and its best weights, by Newton's method, steps halved to climb."""
        precision = self._precision(len(weights))
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
                tried = weights + size * step
                found = self._evaluate(design, tried, precision)
                if found[0] >= reached or size < 1e-6:
                    break
                size /= 2
            if found[0] < reached:
                break
            weights, (reached, gradient, hessian) = tried, found
        return self._objective.worth(reached, hessian, precision), weights

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
        for i, a in enumerate(of):
            hessian[i] += np.einsum("ck,ck,c->k", curvatures[:, a, of], columns, columns[:, i])
        return value - 0.5 * float((precision * weights**2).sum()), gradient, hessian


def _score_statistic(gradient: Matrix, information: Matrix, whole: Matrix) -> float:
    """Return Rao's statistic, without directions of which nothing is left of the ``whole`` information."""
    varied = whole > 0
    scale = np.sqrt(whole[varied])
    sizes, axes = np.linalg.eigh(information[np.ix_(varied, varied)] / np.outer(scale, scale))
    along = axes.T @ (gradient[varied] / scale)
    own = sizes > ALIASED
    return float((along[own] ** 2 / sizes[own]).sum())


class Effect(NamedTuple):
    """What a member of the blanket brings: columns of numbers, of which the first ``main`` always act."""

    columns: Matrix
    main: int


def best_model(
    effects: Sequence[Effect], main: int, response: Response, objective: Objective, *, interactions: bool
) -> float:
    """Return what the best model is worth: main effects on the first predictors, and others that pay.

    Others are the products of two members and what ordered states may do beyond their order. They are added
    in the order of what they promise, until one does not keep it.
    """
    every, first = range(response.n_predictors), range(main)
    model = Model(response, objective)
    ones = np.ones((len(effects[0].columns) if effects else 1, 1))
    design = Design.of((ones, every), *[(effect.columns[:, : effect.main], first) for effect in effects])
    best, weights = model.fit(design, np.zeros(len(design.predictors)))
    beyond = [
        Design.of((columns[:, :own], range(main, len(every))), (columns[:, own:], every))
        for columns, own in effects
        if main < len(every) or own < columns.shape[1]
    ]
    products = [
        Design.of(((a[:, :r, None] * b[:, None, :t]).reshape(len(a), r * t), first))
        for (a, r), (b, t) in combinations(effects if interactions else [], 2)
    ]
    price, added = objective.price(len(beyond) + len(products)), 0
    left = [more for more in beyond if model.notable(design, more, weights)] + products
    promises = [model.promise(design, more, weights) for more in left]
    seen = [0] * len(left)  # how many had been added when a candidate was looked at
    while left:
        chosen = int(np.argmax(promises))
        if not promises[chosen] > price - objective.doubt:
            break
        if seen[chosen] < added:
            promises[chosen], seen[chosen] = model.promise(design, left[chosen], weights), added
            continue
        more = left.pop(chosen)
        del promises[chosen], seen[chosen]
        wider = design + more
        found, at = model.fit(wider, np.append(weights, np.zeros(len(more.predictors))))
        added += 1
        found -= price * added
        if not found > best:
            break
        best, design, weights = found, wider, at
        if not objective.shrinking:
            promises = [model.promise(design, more, weights) for more in left]
            seen = [added] * len(left)
    return best


def logistic_term(
    counts: Counts, objective: Objective, *, interactions: bool, ordered: Sequence[bool] = ()
) -> float:
    """Return what the best logistic model of the last variable given the others is worth.

    Those that are ``ordered`` have one effect, that of the scores of their states.
    """
    check_time()
    configurations, table = configurations_of(counts)
    if table.shape[1] < 2:
        return 0.0
    margins = [
        np.bincount(states, table.sum(axis=1), r)
        for states, r in zip(configurations.T, counts.shape, strict=False)
    ]
    scored = [
        r > 2 and flag for r, flag in zip(counts.shape, ordered or [False] * len(counts.shape), strict=True)
    ]
    codes = [
        ordered_code(margin) if one else objective.code(len(margin))
        for margin, one in zip([*margins, table.sum(axis=0)], scored, strict=True)
    ]
    effects = [
        Effect(code[states], 1 if one else code.shape[1])
        for code, one, states in zip(codes, scored, configurations.T, strict=False)
    ]
    response = MultinomialLogit(table, codes[-1])
    main = 1 if scored[-1] else response.n_predictors
    return best_model(effects, main, response, objective, interactions=interactions)


def contrasts(r: int) -> Matrix:
    """Return orthonormal contrasts of r states, one line a state: all columns have length 1 and sum 0.

    >>> contrasts(2).round(3).tolist()
    [[0.707], [-0.707]]
    """
    c = np.zeros((r, r - 1))
    for a in range(r - 1):
        c[: a + 1, a] = 1.0
        c[a + 1, a] = -(a + 1.0)
        c[:, a] /= math.sqrt((a + 1) * (a + 2))
    return c


def ordered_code(margin: Matrix) -> Matrix:
    """Return codes of ordered states, a line each, from how many rows each of them has.

    First the score of a state, its position, with mean 0 and variance one half, as the contrast of two states
    that are as frequent has it; then orthonormal contrasts that say the rest.

    >>> ordered_code(np.array([1.0, 2.0, 1.0])).round(3).tolist()
    [[-1.0, -0.408], [0.0, 0.816], [1.0, -0.408]]
    """
    positions = np.arange(len(margin))
    c = contrasts(len(margin))
    line = positions - positions.mean()
    w = -(line / np.linalg.norm(line)) @ c
    w[0] += 1.0  # the reflection along w takes the first contrast to the straight line
    if (squared := float(w @ w)) > 0:
        c -= 2 * np.outer(c @ w, w) / squared
    mean = float(margin @ positions) / margin.sum()
    variance = float(margin @ (positions - mean) ** 2) / margin.sum()
    c[:, 0] = (positions - mean) * math.sqrt(0.5 / variance) if variance > 0 else 0.0
    return c
