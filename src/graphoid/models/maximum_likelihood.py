r"""Weights of features by exact maximum likelihood, where the junction tree is small.

.. math:: \ell(w) = \sum_f w_f N_f - N \log Z(w) - \tfrac{1}{2} \lambda |w|^2

with :math:`N_f` how many of the :math:`N` rows agree with feature :math:`f`. The derivative by :math:`w_f` is
:math:`N_f - N P(f) - \lambda w_f`: every :math:`P(f)` comes from one pass through the tree.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from graphoid.errors import SettingsError
from graphoid.models.inference import ExactInference
from graphoid.models.junction_tree import MAX_CELLS, JunctionTree
from graphoid.models.maximum_pseudo_likelihood import Penalty, check_penalty
from graphoid.models.potentials import by_scope, potentials
from graphoid.models.pseudo_likelihood import DistinctRows
from graphoid.models.quasi_newton import minimize

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from graphoid.data.table import Table
    from graphoid.logic.assertion import Context

    Vector = NDArray[np.float64]

TOLERANCE = 1e-9
"""How far from zero a derivative may be at the solution, per row."""

MAX_ITERATIONS = 2_000
"""Quasi-Newton steps."""


class Likelihood:
    """The log-likelihood of rows as a function of the weights of features.

    Parameters
    ----------
    features
        Partial assignments, one weight each.
    table
        The rows; weighted ones count by their weight.
    max_cells
        The largest table that may be needed.
    """

    def __init__(self, features: Sequence[Context], table: Table, max_cells: int = MAX_CELLS) -> None:
        rows = DistinctRows(table)
        self.features, self.arities, self.total = tuple(features), rows.arities, rows.total
        self.max_cells = max_cells
        self.trees: dict[object, JunctionTree] = {}  # all weights have the same
        groups = by_scope(self.features)
        self.scopes, self.inside = list(groups), list(groups.values())
        self.states = [
            tuple(np.array([[state for _, state in self.features[k]] for k in chosen]).T)
            for chosen in self.inside
        ]
        self.inference(np.zeros(len(self.features))).log_total(self._nothing)  # refused here if too large
        self.counts = np.zeros(len(self.features))
        for scope, chosen, states in zip(self.scopes, self.inside, self.states, strict=True):
            shape = [self.arities[v] for v in scope]
            cells = np.ravel_multi_index([rows.columns[v].astype(np.intp) for v in scope], shape)
            table_ = np.bincount(cells, rows.weights, minlength=int(np.prod(shape))).reshape(shape)
            self.counts[chosen] = table_[states]

    def inference(self, weights: Vector) -> ExactInference:
        """Return exact answers for some weights."""
        found = potentials(self.arities, self.features, weights)
        return ExactInference(self.arities, found, self.max_cells, self.trees)

    def value_and_gradient(self, weights: Vector) -> tuple[float, Vector]:
        """Return the log-likelihood and its derivatives."""
        log_z, p = self._probabilities(weights, self._nothing)
        value = float(weights @ self.counts) - self.total * float(log_z[0])
        return value, self.counts - self.total * p[0]

    def covariance(self, weights: Vector) -> NDArray[np.float64]:
        """Return how the features of a row vary together.

        The covariance of two of them is P(f) (P(g | f) - P(g)): each feature in turn is a row of evidence.
        """
        given = np.full((len(self.features), len(self.arities)), -1, dtype=np.int64)
        for k, feature in enumerate(self.features):
            for v, state in feature:
                given[k, v] = state
        p = self._probabilities(weights, self._nothing)[1][0]
        found = p[:, None] * (self._probabilities(weights, given)[1] - p)
        return np.asarray((found + found.T) / 2)

    @property
    def _nothing(self) -> NDArray[np.int64]:
        return np.full((1, len(self.arities)), -1, dtype=np.int64)

    def _probabilities(
        self, weights: Vector, given: NDArray[np.int64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the log total of every row of evidence, and of every feature given it the probability."""
        out = np.empty((len(given), len(self.features)))
        log_z, found = self.inference(weights).total_and_marginals(given, self.scopes)
        for p, chosen, states in zip(found, self.inside, self.states, strict=True):
            out[:, chosen] = p[(slice(None), *states)]
        return log_z, out


@dataclass(frozen=True, eq=False)
class ExactFit:
    """Weights by exact maximum likelihood."""

    weights: Vector
    """One for each feature, in their order."""
    objective: float
    """The log-likelihood minus the penalty."""
    n_iterations: int
    converged: bool
    penalty: Penalty
    likelihood: Likelihood

    @cached_property
    def standard_errors(self) -> Vector:
        r"""The standard error of each weight: :math:`H^{-1} I H^{-1}`.

        :math:`I` is the information in the rows and :math:`H` the same with the penalty. Directions that
        neither data nor penalty determine have no error.
        """
        information = self.likelihood.total * self.likelihood.covariance(self.weights)
        curvature = information + self.penalty.l2 * np.eye(len(self.weights))
        inverse = np.linalg.pinv(curvature, hermitian=True)
        return np.asarray(np.sqrt(np.diag(inverse @ information @ inverse).clip(min=0.0)))


def fit_exactly(
    features: Sequence[Context], table: Table, *, penalty: Penalty, max_cells: int = MAX_CELLS
) -> ExactFit:
    """Return the weights that maximize the likelihood of a table less an L2 penalty."""
    if penalty.l1:
        raise SettingsError(
            f"exact maximum likelihood takes an L2 penalty only, not {penalty}. Use method='pseudo'."
        )
    check_penalty(penalty)
    likelihood = Likelihood(features, table, max_cells)
    scale = max(likelihood.total, 1.0)

    def loss(weights: Vector) -> tuple[float, Vector]:
        value, gradient = likelihood.value_and_gradient(weights)
        value -= 0.5 * penalty.l2 * float(weights @ weights)
        return -value / scale, (penalty.l2 * weights - gradient) / scale

    found = minimize(loss, np.zeros(len(features)), most_iterations=MAX_ITERATIONS, slope=TOLERANCE)
    close = bool(np.abs(found.slope).max(initial=0.0) <= 100 * TOLERANCE)  # where rounding ends the descent
    return ExactFit(found.at, -found.value * scale, found.n_iterations, close, penalty, likelihood)
