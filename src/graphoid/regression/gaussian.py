r"""Linear models of a variable given others from second moments alone: their evidence in closed form."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graphoid.regression.coding import Matrix


class LinearEvidence:
    r"""The log evidence of the columns y of a variable given those of others, u, less that without them.

    .. math:: y \sim \mathcal{N}(\beta u, \Sigma), \qquad
        \Sigma^{-1/2} \beta \sim \mathcal{N}(0, \lambda^{-1} I), \qquad
        p(\Sigma) \propto |\Sigma|^{-(q + 1) / 2}

    so that with N rows, covariances C, :math:`A = N C_{uu} + \lambda I` and what is left of y,
    :math:`S = C_{yy} - N C_{yu} A^{-1} C_{uy}`,

    .. math:: \log E = -\tfrac{q}{2} \log \det (A / \lambda) - \tfrac{N - 1}{2} \log \det (S C_{yy}^{-1}).

    Parameters
    ----------
    covariance
        Of all columns.
    first
        For every variable its first column, and at last the number of columns.
    n_rows
        N.
    precision
        :math:`\lambda`.
    moment
        Whether the density of the effects of a member is proportional to the sum of their squares, too, as in
        the moment priors of [Johnson2012]_. Then the mean of each such sum under the normal posterior, in
        units of its prior mean, is a factor of the evidence.
    """

    def __init__(
        self, covariance: Matrix, first: Sequence[int], n_rows: float, precision: float, *, moment: bool
    ) -> None:
        self._covariance = covariance
        self._first = list(first)
        self._n_rows = n_rows
        self.precision = precision
        self._moment = moment

    def columns(self, v: int) -> list[int]:
        """Return the columns of a variable."""
        return list(range(self._first[v], self._first[v + 1]))

    def __call__(self, x: int, members: Sequence[int]) -> float:
        """Return the evidence of a variable given others."""
        own, others = self.columns(x), [i for v in members for i in self.columns(v)]
        c, n = self._covariance, self._n_rows
        whole = c[np.ix_(own, own)]
        if not others or not own or not n > 0 or not whole[0, 0] > 0:
            return 0.0
        a: Matrix = n * c[np.ix_(others, others)] + self.precision * np.eye(len(others))
        across = n * c[np.ix_(others, own)]
        effects = np.linalg.solve(a, across)
        left = whole - across.T @ effects / n
        spread = np.linalg.slogdet(a)[1] - len(others) * math.log(self.precision)
        shrunk = np.linalg.slogdet(left)[1] - np.linalg.slogdet(whole)[1]
        term = -0.5 * len(own) * spread - 0.5 * max(0.0, n - 1) * shrunk
        return float(
            term + (self._moments(a, effects.astype(np.float64), left, members) if self._moment else 0.0)
        )

    def _moments(self, a: Matrix, effects: Matrix, left: Matrix, members: Sequence[int]) -> float:
        q = left.shape[0]
        squares = ((effects @ np.linalg.inv(left)) * effects).sum(axis=1) + q * np.diag(np.linalg.inv(a))
        sizes = [len(self.columns(v)) for v in members]
        sums = np.add.reduceat(squares, np.cumsum([0, *sizes[:-1]]))
        return float(np.log(sums * self.precision / (q * np.array(sizes))).sum())
