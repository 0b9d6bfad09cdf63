r"""The term of a pair in the model of one of its variables given others, without the bias of few rows.

A variable given its blanket is modelled as pairwise networks have it,

.. math:: P(y = k) \propto \exp\left(a_k + \sum_j t_k^\top \beta_j u_j\right)

with t the code of the response and u that of the j-th variable: the standardized score where states have an
order, or are two; orthonormal contrasts where they have none. So the term :math:`\beta_j` of two ordered
variables is one number, the linear-by-linear log odds ratio for a standard deviation of each ([Agresti2013]_,
section 6.3), and that of nominal ones a matrix whose norm is on the same scale.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from graphoid.limits import check_time

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    Matrix = NDArray[np.float64]

MOST_STEPS = 50
CLOSE = 1e-5
"""Steps so short end the climb: far below any standard error."""
SHORT = 0.5
"""Of a first step, by how much it changes log odds: nearly linear so far."""
ALIASED = 1e-9
"""Information below this share of the largest is rounding."""


def score_code(shares: Matrix) -> Matrix:
    """Return states numbered in steps of one, with mean 0 and variance 1 in these shares."""
    steps = np.arange(len(shares), dtype=np.float64)
    centered = steps - shares @ steps
    spread = np.sqrt(shares @ centered**2)
    return centered[:, None] / spread if spread > 0 else np.zeros((len(shares), 0))


def contrast_code(shares: Matrix) -> Matrix:
    """Return numbers for each state with mean 0, variance 1 and no correlation in these shares."""
    seen = np.flatnonzero(shares > 0)
    roots = np.sqrt(shares[seen])[:, None]
    basis = np.linalg.qr(roots * np.hstack([np.ones((len(seen), 1)), np.eye(len(seen))[:, :-1]]))[0]
    code = np.zeros((len(shares), len(seen) - 1))
    code[seen] = basis[:, 1:] / roots
    return code


class Term(NamedTuple):
    """A pair's term in some rows; of a matrix, its cells one after the other."""

    value: Matrix
    information: Matrix
    """Inverse of its covariance; zero in directions of which the rows tell nothing."""
    influence: Matrix
    """By how much each row moves it: a line a row."""


class ConditionalModel:
    """A variable given its blanket, fitted to some rows.

    Weights are at the mode under Jeffreys' prior: without bias of first order, and finite where two states
    never meet ([Firth1993]_). Rows are cells of a Poisson model, in which the prior adds half of its leverage
    to every cell ([Kosmidis2011]_).

    Parameters
    ----------
    response
        Its states by row, as codes.
    shares
        Of its states, in all rows.
    code
        Numbers for each of its states: see :func:`score_code` and :func:`contrast_code`.
    blanket
        Numbers for each row, by variable.
    """

    def __init__(
        self, response: NDArray[np.integer], shares: Matrix, code: Matrix, blanket: Mapping[int, Matrix]
    ) -> None:
        n, constants = len(response), contrast_code(shares)[shares > 0]
        self._code = code[shares > 0]
        self._response = (np.cumsum(shares > 0) - 1)[response]
        blocks = [np.broadcast_to(constants, (n, *constants.shape))]
        self._places, at = {}, constants.shape[1]
        for z, columns in blanket.items():
            blocks.append(self._cells(columns))
            self._places[z] = np.arange(at, at := at + blocks[-1].shape[2])
        self._fit = _climb(np.concatenate(blocks, axis=2), self._response, np.zeros(at))

    def _cells(self, columns: Matrix) -> Matrix:
        """Return the columns of a term: by row, state, and cell of the term."""
        crossed = columns[:, None, :, None] * self._code[None, :, None, :]
        return crossed.reshape(len(columns), len(self._code), -1)

    def term(self, x: int, columns: Matrix) -> Term:
        """Return the term of a variable; outside of the blanket the first step to it, if a short one."""
        fit = self._fit
        if x in self._places:
            return _term(fit, self._places[x])
        design = self._cells(columns)
        own = np.arange(len(fit.weights), len(fit.weights) + design.shape[2])
        wider = _evaluate(
            np.concatenate([fit.design, design], axis=2), self._response, np.append(fit.weights, 0.0 * own)
        )
        term = _term(wider, own)
        value = term.influence.sum(axis=0)
        if np.abs(wider.centered[..., own] @ value).max(initial=0.0) <= SHORT:
            return term._replace(value=value)
        return _term(_climb(wider.design, self._response, wider.weights), own)


class _Fit(NamedTuple):
    """A model at some weights."""

    design: Matrix
    """By row, state and weight."""
    weights: Matrix
    centered: Matrix
    """The design less its mean over the states of a row."""
    rooted: Matrix
    """The same times the root of the probability, a line a row and state."""
    scores: Matrix
    """Derivative of the log-likelihood of each row."""
    information: Matrix
    log_posterior: float


def _evaluate(design: Matrix, response: NDArray[np.integer], weights: Matrix) -> _Fit:
    check_time()
    eta = design @ weights
    log_p = eta - np.logaddexp.reduce(eta, axis=1, keepdims=True)
    p, rows = np.exp(log_p), np.arange(len(response))
    centered = design - np.einsum("ik,ikp->ip", p, design)[:, None]
    rooted = (np.sqrt(p)[..., None] * centered).reshape(design.shape[0] * design.shape[1], len(weights))
    information = rooted.T @ rooted
    sizes = np.linalg.eigvalsh(information)
    prior = np.log(sizes[sizes > ALIASED * sizes.max(initial=0.0)]).sum() / 2
    log_posterior = float(log_p[rows, response].sum() + prior)
    return _Fit(design, weights, centered, rooted, centered[rows, response], information, log_posterior)


def _climb(design: Matrix, response: NDArray[np.integer], weights: Matrix) -> _Fit:
    """Return the model at its mode, by Fisher's scoring, steps halved to climb."""
    fit = _evaluate(design, response, weights)
    for _ in range(MOST_STEPS):
        covariance = invert(fit.information)
        leverage = np.einsum("ip,ip->i", fit.rooted @ covariance, fit.rooted)
        step = covariance @ (fit.scores.sum(axis=0) + leverage @ fit.centered.reshape(fit.rooted.shape) / 2)
        longest = np.abs(step).max(initial=0.0)
        while longest > CLOSE:
            tried = _evaluate(design, response, fit.weights + step)
            if tried.log_posterior >= fit.log_posterior:
                break
            step, longest = step / 2, longest / 2
        if longest <= CLOSE:
            break
        fit = tried
    return fit


def _term(fit: _Fit, own: NDArray[np.integer]) -> Term:
    rest = np.setdiff1d(np.arange(len(fit.weights)), own)
    across = fit.information[np.ix_(rest, own)]
    slope = invert(fit.information[np.ix_(rest, rest)]) @ across
    whole = fit.information[np.ix_(own, own)]
    information = whole - across.T @ slope
    covariance = invert(information, np.abs(whole).max(initial=0.0))
    return Term(
        fit.weights[own], information, (fit.scores[:, own] - fit.scores[:, rest] @ slope) @ covariance
    )


def invert(matrix: Matrix, largest: float | None = None) -> Matrix:
    """Return the inverse of an information matrix, zero in directions without information."""
    sizes, axes = np.linalg.eigh(matrix)
    largest = float(sizes[-1]) if largest is None and len(sizes) else largest or 0.0
    inverse = np.where(sizes > ALIASED * largest, 1 / np.where(sizes > ALIASED * largest, sizes, 1.0), 0.0)
    found: Matrix = (axes * inverse) @ axes.T
    return found
