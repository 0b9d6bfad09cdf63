"""Kinds of response: how likely what was observed is, given linear predictors of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np

if TYPE_CHECKING:
    from graphoid.regression.coding import Matrix


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
