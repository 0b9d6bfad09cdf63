r"""Weights of features by penalized pseudo-likelihood.

The weights maximize

.. math:: \ell(w) - \sum_f \bigl( \lambda_1 |w_f| + \tfrac{1}{2} \lambda_2 w_f^2 \bigr)

with :math:`\ell` the log pseudo-likelihood summed over rows and variables
(:mod:`graphoid.models.pseudo_likelihood`): a concave problem, with one maximum where :math:`\lambda_2 > 0`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, ClassVar, Protocol

import numpy as np

from graphoid.data.table import Table
from graphoid.errors import SettingsError
from graphoid.limits import check_time
from graphoid.models.pseudo_likelihood import DistinctRows, PseudoLikelihood
from graphoid.models.quasi_newton import minimize

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from graphoid.logic.assertion import Context

    Vector = NDArray[np.float64]

TOLERANCE = 1e-9
"""How far from zero a derivative may be at the solution, per row: eight digits of a weight are right."""

ROUGH = 1e-5
"""The same where fits are only compared by their likelihood."""

MAX_ITERATIONS = 2_000
"""Quasi-Newton steps in one climb; thousands of weights without a penalty need hundreds."""

MAX_NEWTON_STEPS = 50
"""Newton's steps after that; each gains a digit or two."""

MAX_ROUNDS = 50
"""How often weights may join; a handful is usual."""


class Penalty(Protocol):
    r"""What a weight costs: :math:`\lambda_1 |w| + \tfrac{1}{2} \lambda_2 w^2`."""

    @property
    def l1(self) -> float:
        r""":math:`\lambda_1`."""

    @property
    def l2(self) -> float:
        r""":math:`\lambda_2`."""


@dataclass(frozen=True)
class L2:
    r"""The penalty :math:`\tfrac{1}{2} \lambda |w|^2`: a normal prior of variance :math:`1/\lambda`."""

    strength: float = 1.0
    l1: ClassVar[float] = 0.0

    @property
    def l2(self) -> float:
        """All of it."""
        return self.strength


@dataclass(frozen=True)
class L1:
    r"""The penalty :math:`\lambda \sum_f |w_f|`, which makes weights exactly zero."""

    strength: float = 1.0
    l2: ClassVar[float] = 0.0

    @property
    def l1(self) -> float:
        """All of it."""
        return self.strength


@dataclass(frozen=True)
class ElasticNet:
    """The sum of both penalties."""

    l1: float = 1.0
    l2: float = 1.0


@dataclass(frozen=True)
class CrossValidated:
    """The candidate whose fits explain left-out rows best, by their pseudo-likelihood.

    Parameters
    ----------
    candidates
        Penalties to choose from; of equal ones, the first wins.
    n_folds
        Parts of the rows, each left out once.
    random_state
        Seed of the division into parts.
    """

    candidates: tuple[Penalty, ...] = tuple(L2(10.0**k) for k in range(2, -4, -1))
    n_folds: int = 5
    random_state: int = 0

    def folds(self, table: Table) -> Iterator[NDArray[np.bool_]]:
        """Yield for each part of the rows of a table which rows are in it."""
        if not self.candidates or not 2 <= self.n_folds <= table.n_rows:
            raise SettingsError(
                f"cross-validation needs candidates and from 2 to as many folds as rows ({table.n_rows:,}); "
                f"got {len(self.candidates)} candidates and {self.n_folds} folds."
            )
        fold = np.random.default_rng(self.random_state).permutation(table.n_rows) % self.n_folds
        for k in range(self.n_folds):
            yield fold == k

    def choose(self, features: Sequence[Context], table: Table) -> Penalty:
        """Return the best of the candidates for a table."""
        scores = np.zeros(len(self.candidates))
        for left_out in self.folds(table):
            inside = PseudoLikelihood(features, DistinctRows(_rows(table, ~left_out)))
            outside = PseudoLikelihood(features, DistinctRows(_rows(table, left_out)))
            weights = np.zeros(len(features))
            for i, penalty in enumerate(self.candidates):
                weights = maximize(inside, penalty, start=weights, tolerance=ROUGH).weights
                scores[i] += outside.value(weights)
        return self.candidates[int(np.argmax(scores))]


@dataclass(frozen=True, eq=False)
class Fit:
    """Weights, and how they were found."""

    weights: Vector
    """One for each feature, in their order."""
    objective: float
    """The log pseudo-likelihood minus the penalty."""
    n_iterations: int
    converged: bool
    """Whether every derivative of the objective is as good as zero."""
    penalty: Penalty
    likelihood: PseudoLikelihood

    @cached_property
    def standard_errors(self) -> Vector:
        r"""The standard error of each weight; NaN where an L1 penalty made the weight zero.

        From the sandwich :math:`H^{-1} J H^{-1}` with :math:`H` the matrix of second derivatives of the
        objective and :math:`J` the sum over rows of the outer product of a row's derivatives
        ([Lindsay1988]_): the conditionals of a row are not independent of each other, and :math:`H` alone
        would have the errors too small.

        Notes
        -----
        The penalty counts in :math:`H`: errors are those of the penalized estimate around its own mean.
        Directions that neither data nor penalty determine have no error.
        """
        free = np.flatnonzero(self.weights != 0) if self.penalty.l1 else np.arange(len(self.weights))
        likelihood = self.likelihood.only(free)
        weights = self.weights[free]
        curvature = self.penalty.l2 * np.eye(len(free))
        for i, direction in enumerate(np.eye(len(free))):
            check_time()
            curvature[i] -= likelihood.hessian_product(weights, direction)
        rows = likelihood.row_gradients(weights)
        errors = np.full(len(self.weights), np.nan)
        errors[free] = sandwich_errors(curvature, rows, likelihood.rows.weights)
        return errors


def sandwich_errors(curvature: Vector, rows: Vector, weights: Vector) -> Vector:
    r"""Return standard errors from :math:`H^{-1} J H^{-1}`: see :attr:`Fit.standard_errors`.

    Parameters
    ----------
    curvature
        :math:`H`, minus the second derivatives of the objective.
    rows, weights
        The derivatives of each distinct row, a line each, and how often it occurs.
    """
    spread = rows.T @ (weights[:, None] * rows)
    inverse = np.linalg.pinv(curvature, hermitian=True)
    return np.asarray(np.sqrt(np.diag(inverse @ spread @ inverse).clip(min=0.0)))


DEFAULT_PENALTY = L2(1.0)


def fit_weights(
    features: Sequence[Context],
    table: Table,
    *,
    penalty: Penalty | CrossValidated = DEFAULT_PENALTY,
    threads: int | None = None,
) -> Fit:
    """Return the weights of features that maximize the penalized pseudo-likelihood of a table.

    Parameters
    ----------
    features
        Partial assignments, ((variable, state), ...).
    table
        Rows to fit; weighted ones count by their weight.
    penalty
        On the sum over rows, not their mean; or how to choose one.
    threads
        How many threads; None for all processors. The weights do not depend on it.

    Examples
    --------
    >>> import graphoid as gd
    >>> from graphoid.models.maximum_pseudo_likelihood import fit_weights
    >>> table = gd.read({"rain": [0, 0, 0, 1], "wet": [0, 0, 1, 1]})
    >>> fit = fit_weights([((0, 1),), ((1, 1),), ((0, 1), (1, 1))], table)
    >>> fit.weights.round(2).tolist()
    [-0.62, -0.06, 0.47]
    """
    if isinstance(penalty, CrossValidated):
        penalty = penalty.choose(features, table)
    return maximize(PseudoLikelihood(features, table, threads=threads), penalty)


def maximize(
    likelihood: PseudoLikelihood,
    penalty: Penalty,
    *,
    start: Vector | None = None,
    tolerance: float = TOLERANCE,
    relative: Vector | float = 1.0,
) -> Fit:
    """Return the weights that maximize the penalized pseudo-likelihood.

    Quasi-Newton steps (L-BFGS) first, then Newton's with conjugate gradients, which end the work in a few
    steps where the surface is flat. With an L1 penalty only weights that are not zero take part, each kept
    on its side of zero; others join when their derivative exceeds the penalty.

    Parameters
    ----------
    likelihood
        Of features on rows.
    penalty
        On the sum over rows.
    start
        Weights to begin with, such as those of a similar problem.
    tolerance
        Largest derivative of the objective at the solution, per row.
    relative
        What each feature's L1 penalty is multiplied by.
    """
    check_penalty(penalty)
    l2 = float(penalty.l2)
    l1 = np.broadcast_to(float(penalty.l1) * np.asarray(relative), len(likelihood.features))
    weights = np.zeros(len(likelihood.features)) if start is None else np.array(start, dtype=np.float64)
    slack = tolerance * max(likelihood.rows.total, 1.0)
    iterations, converged = 0, False
    for _ in range(MAX_ROUNDS):
        value, gradient = likelihood.value_and_gradient(weights)
        gradient -= l2 * weights
        side = np.sign(np.where(weights == 0, gradient, weights))
        active = np.flatnonzero((weights != 0) | (np.abs(gradient) > l1 + slack))
        converged = bool(np.abs(gradient - l1 * side)[active].max(initial=0.0) <= slack)
        if converged:
            break
        before = weights[active].copy()
        weights[active], steps = _climb(likelihood.only(active), (l1 * side)[active], l2, before, slack)
        iterations += steps
        if np.array_equal(weights[active], before):
            break  # the last digit is reached
    objective = value - float(l1 @ np.abs(weights)) - 0.5 * l2 * float(weights @ weights)
    return Fit(weights, objective, iterations, converged, penalty, likelihood)


def _climb(
    likelihood: PseudoLikelihood, toll: Vector, l2: float, start: Vector, slack: float
) -> tuple[Vector, int]:
    r"""Return where :math:`\ell(w) - toll \cdot w - \tfrac{1}{2} \lambda_2 |w|^2` is largest, and the steps.

    A toll has the sign of its weight, which may become zero and not cross it.
    """
    loss = _MeanLoss(likelihood, toll, l2)
    bounds = [(0.0 if t > 0 else None, 0.0 if t < 0 else None) for t in toll]
    aim = slack / loss.scale
    found = minimize(loss, start, most_iterations=MAX_ITERATIONS, slope=aim, bounds=bounds)
    weights, steps = found.at, found.n_iterations
    free = np.flatnonzero((weights != 0) | (toll == 0))
    if np.abs(found.slope[free]).max(initial=0.0) > aim:
        loss = _MeanLoss(likelihood.only(free), toll[free], l2)
        weights[free], polishing = _newton(loss, weights[free], aim)
        steps += polishing
    return weights, steps


def _newton(loss: _MeanLoss, weights: Vector, aim: float) -> tuple[Vector, int]:
    """Return weights where the slope is at most ``aim`` or the least that rounding allows, and the steps.

    Near the minimum losses differ by less than their rounding; a step is judged by its slope instead.
    """
    slope = loss(weights)[1]
    for steps in range(MAX_NEWTON_STEPS):
        check_time()
        if np.abs(slope).max(initial=0.0) <= aim:
            return weights, steps
        move = conjugate_gradients(partial(loss.curvature, weights), -slope)
        for _ in range(10):  # halvings: a thousandth of a step gains nothing
            candidate = weights + move
            if (candidate * loss.toll >= 0).all():
                there = loss(candidate)[1]
                if there @ there < slope @ slope:
                    break
            move = move / 2
        else:
            return weights, steps
        weights, slope = candidate, there
    return weights, MAX_NEWTON_STEPS


def conjugate_gradients(product: Callable[[Vector], Vector], target: Vector) -> Vector:
    """Return d with ``product(d)`` equal to the target, to a hundredth or until a direction is flat."""
    solution, residual = np.zeros_like(target), target.copy()
    direction, square = residual.copy(), float(residual @ residual)
    aim = 1e-4 * square
    for _ in range(2 * len(target)):
        along = product(direction)
        curvature = float(direction @ along)
        if square <= aim or curvature <= 1e-14 * float(direction @ direction):
            break
        step = square / curvature
        solution += step * direction
        residual -= step * along
        last, square = square, float(residual @ residual)
        direction = residual + (square / last) * direction
    return solution


class _MeanLoss:
    """What is minimized, per row: so derivatives are of order one, whatever the number of rows."""

    def __init__(self, likelihood: PseudoLikelihood, toll: Vector, l2: float) -> None:
        self.likelihood, self.toll, self.l2 = likelihood, toll, l2
        self.scale = max(likelihood.rows.total, 1.0)

    def __call__(self, weights: Vector) -> tuple[float, Vector]:
        value, gradient = self.likelihood.value_and_gradient(weights)
        value -= float(self.toll @ weights) + 0.5 * self.l2 * float(weights @ weights)
        return -value / self.scale, (self.toll + self.l2 * weights - gradient) / self.scale

    def curvature(self, weights: Vector, direction: Vector) -> Vector:
        return (self.l2 * direction - self.likelihood.hessian_product(weights, direction)) / self.scale


def check_penalty(penalty: Penalty) -> None:
    """Raise if a penalty has a strength that is none."""
    for strength in (penalty.l1, penalty.l2):
        if not (math.isfinite(strength) and strength >= 0):
            raise SettingsError(f"a penalty's strength is a finite number of at least 0; got {penalty}.")


def _rows(table: Table, kept: NDArray[np.bool_]) -> Table:
    """Return some rows of a table."""
    columns = tuple(table.column(v)[kept] for v in range(len(table.variables)))
    weights = table.weights
    units = None if weights is None else replace(weights, units=weights.units[kept])
    return Table(table.variables, columns, int(kept.sum()), weights=units, name=table.name)
