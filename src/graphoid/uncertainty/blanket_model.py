r"""A variable given its blanket, as pairwise networks have it, without the bias of few rows.

.. math:: P(y = k) \propto \exp\left(a_k + \sum_j t_k^\top W_j u_j\right)

with t the code of the response and u that of the j-th variable (:mod:`graphoid.uncertainty.pair_terms`): its
score where states have an order, or are two, contrasts where they have none. So the term :math:`W_j` of two
ordered variables is one number, the linear-by-linear log odds ratio for a standard deviation of each
([Agresti2013]_, section 6.3), and the norm of that of nominal ones is on the same scale: the root mean square
of the doubly centered interaction if the two were independent.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from graphoid.limits import check_time
from graphoid.models.quasi_newton import one_thread

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    Matrix = NDArray[np.float64]

MOST_STEPS = 60
CLOSE = 1e-3
"""Steps so short, in standard errors, end the climb."""
LONGEST = 5.0
"""Of one step, by how much it changes a weight: codes have a standard deviation of one."""
ALIASED = 1e-9
"""Information below this share of the largest is rounding."""


class Term(NamedTuple):
    """A variable's term in the model of another."""

    value: Matrix
    """Its numbers one after the other, the code of the response major."""
    covariance: Matrix
    """As the model has it."""
    influence: Matrix
    """By how much one row moves it: configurations x states of the response x numbers."""


class _Point(NamedTuple):
    """A model at some weights."""

    weights: Matrix
    p: Matrix
    mean: Matrix
    """Of the code of the response, by configuration."""
    log_likelihood: float
    log_posterior: float
    covariance: Matrix
    aliased: Matrix
    """Directions, a column each, of which the rows tell nothing."""


class BlanketModel:
    """A variable given its blanket, fitted to counts.

    Weights are at the mode under Jeffreys' prior: without bias of first order, and finite where two states
    never meet ([Firth1993]_). Counts are those of a Poisson model, in which the prior adds half of its
    leverage to every cell ([Kosmidis2011]_).

    Parameters
    ----------
    counts
        How often each state occurs, a line for every configuration of the blanket. All states occur.
    code
        Numbers for each state.
    blanket
        Numbers for each configuration, by variable.
    start
        Weights to climb from; those of variables at the end of the blanket may be left out.
    """

    def __init__(
        self, counts: Matrix, code: Matrix, blanket: Mapping[int, Matrix], start: Matrix | None = None
    ) -> None:
        self._counts, self._code = counts, code
        self._totals = counts.sum(axis=1)
        self._columns = np.hstack([np.zeros((len(counts), 0)), *blanket.values()])
        self._blanket, self._places = blanket, {}
        self._constants, p = counts.shape[1] - 1, code.shape[1]
        at = self._constants
        for z, columns in blanket.items():
            self._places[z] = np.arange(at, at := at + columns.shape[1] * p)
        self.n_weights = at
        begin = self._begin() if start is None else np.append(start, np.zeros(at - len(start)))
        with one_thread():
            self._at = self._climb(begin)

    def _begin(self) -> Matrix:
        shares = self._counts.sum(axis=0)
        return np.concatenate([np.log(shares[1:] / shares[0]), np.zeros(self.n_weights - self._constants)])

    @property
    def weights(self) -> Matrix:
        """Constants, then what each variable of the blanket adds."""
        return self._at.weights

    @property
    def log_likelihood(self) -> float:
        """Of the response given the blanket."""
        return self._at.log_likelihood

    @property
    def probabilities(self) -> Matrix:
        """Of each state, a line for every configuration of the blanket."""
        return self._at.p

    def without(self, z: int) -> BlanketModel:
        """Return the model without a variable of the blanket."""
        rest = {other: columns for other, columns in self._blanket.items() if other != z}
        return BlanketModel(self._counts, self._code, rest, np.delete(self._at.weights, self._places[z]))

    def term(self, z: int) -> Term | None:
        """Return the term of a variable of the blanket; None where the others leave nothing of it."""
        at, own = self._at, self._places[z]
        if not len(own) or np.abs(at.aliased[own]).max(initial=0.0) > ALIASED**0.5:
            return None
        q, p = self._blanket[z].shape[1], self._code.shape[1]
        order = own.reshape(q, p).T.reshape(-1)
        across = at.covariance[:, order]
        slopes = across[self._constants :].reshape(-1, p, len(order))
        # a row's score is that of its state less its mean over the states
        predicted = np.einsum("gj,jao->gao", self._columns, slopes)
        raw = np.einsum("ka,gao->gko", self._code, predicted)
        raw[:, 1:] += across[: self._constants]
        influence = raw - np.einsum("gk,gko->go", at.p, raw)[:, None]
        return Term(at.weights[order], across[order], influence)

    def residual_variances(self, other: Matrix) -> Matrix:
        """Return the variance of how often states meet, less what is expected, by state of both.

        ``other`` has the share of each state of a variable outside of the blanket in every configuration.
        """
        at, k = self._at, self._code.shape[0]
        p, centered = at.p, self._code - at.mean[:, None]
        out = np.empty((k, other.shape[1]))
        for state in range(k):
            own = p[:, state] * self._totals
            out[state] = (own * (1 - p[:, state])) @ other
            delta = np.eye(k)[state, 1:] - p[:, 1:]
            slopes = (self._columns[:, :, None] * centered[:, state, None, :]).reshape(len(p), -1)
            across = (own[:, None] * np.hstack([delta, slopes])).T @ other
            out[state] -= np.einsum("ps,pt,ts->s", across, at.covariance, across)
        return np.maximum(out, 0.0)

    @cached_property
    def _products(self) -> Matrix:
        return self._code[:, :, None] * self._code[:, None, :]

    def _evaluate(self, weights: Matrix) -> _Point:
        """Return the model at some weights."""
        c, p = self._constants, self._code.shape[1]
        eta = (self._columns @ weights[c:].reshape(-1, p)) @ self._code.T
        eta[:, 1:] += weights[:c]
        log_p = eta - np.logaddexp.reduce(eta, axis=1, keepdims=True)
        prob = np.exp(log_p)
        mean = prob @ self._code
        spread = np.einsum("gk,kab->gab", prob, self._products) - mean[:, :, None] * mean[:, None, :]
        information = np.empty((self.n_weights, self.n_weights))
        weighted = prob * self._totals[:, None]
        information[:c, :c] = np.diag(weighted.sum(axis=0)[1:]) - weighted[:, 1:].T @ prob[:, 1:]
        for a in range(p):
            check_time()
            cross = (weighted * (self._code[:, a] - mean[:, a, None])).T[1:] @ self._columns
            information[:c, c + a :: p] = cross
            information[c + a :: p, :c] = cross.T
            for b in range(a, p):
                block = (self._columns * (self._totals * spread[:, a, b])[:, None]).T @ self._columns
                information[c + a :: p, c + b :: p] = block
                information[c + b :: p, c + a :: p] = block
        sizes, axes = np.linalg.eigh(information)
        clear = sizes > ALIASED * sizes.max(initial=0.0)
        likelihood = float((self._counts * log_p).sum())
        posterior = likelihood + float(np.log(sizes[clear]).sum()) / 2
        covariance = (axes[:, clear] / sizes[clear]) @ axes[:, clear].T
        return _Point(weights, prob, mean, likelihood, posterior, covariance, axes[:, ~clear])

    def _score(self, cells: Matrix, at: _Point) -> Matrix:
        """Return the derivative of the log-likelihood of some counts."""
        left = cells - cells.sum(axis=1, keepdims=True) * at.p
        slopes = self._columns.T @ (left @ self._code)
        return np.concatenate([left.sum(axis=0)[1:], slopes.reshape(-1)])

    def _leverage(self, at: _Point) -> Matrix:
        """Return the leverage of every cell."""
        c, p = self._constants, self._code.shape[1]
        centered = self._code - at.mean[:, None]
        first = np.pad(at.covariance[:c, :c], ((1, 0), (1, 0)))
        across = at.p @ first
        out = np.diag(first) - 2 * across + (across * at.p).sum(axis=1, keepdims=True)
        for a in range(p):
            check_time()
            cross = self._columns @ np.pad(at.covariance[:c, c + a :: p], ((1, 0), (0, 0))).T
            cross -= (at.p * cross).sum(axis=1, keepdims=True)
            out += 2 * centered[:, :, a] * cross
            for b in range(p):
                block = self._columns @ at.covariance[c + a :: p, c + b :: p]
                out += centered[:, :, a] * centered[:, :, b] * (block * self._columns).sum(axis=1)[:, None]
        leverage: Matrix = out * at.p * self._totals[:, None]
        return leverage

    def _climb(self, weights: Matrix) -> _Point:
        """Return the model at its mode, by Fisher's scoring, steps halved to climb."""
        at = self._evaluate(weights)
        for _ in range(MOST_STEPS):
            slope = self._score(self._counts + self._leverage(at) / 2, at)
            step = at.covariance @ slope
            length = math.sqrt(max(0.0, float(slope @ step)))
            step *= min(1.0, LONGEST / np.abs(step).max(initial=LONGEST))
            while length >= CLOSE:
                tried = self._evaluate(at.weights + step)
                if tried.log_posterior >= at.log_posterior:
                    break
                step, length = step / 2, length / 2
            else:
                break
            at = tried
        return at
