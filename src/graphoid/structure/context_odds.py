r"""How probable it is that two variables are independent in a context, and that they are not elsewhere.

In a table of n rows let every cell's log odds be drawn from :math:`N(0, \sigma^2)`. With p and q the margins,
the residuals (counts less those expected) have covariance :math:`n A \otimes B` under independence,
:math:`A = \mathrm{diag}(p) - pp'` and B alike, and mean :math:`n A \gamma B` for log odds :math:`\gamma`. In
the basis of the eigenvectors of A and B each residual z (over its error) has information
:math:`i = n \lambda \mu` of its own, and the Bayes factor of dependence against independence is

.. math:: \prod (1 + i \sigma^2)^{-1/2} \exp\Bigl(\frac{z^2}{2} \frac{i \sigma^2}{1 + i \sigma^2}\Bigr)

So where there are few rows, or hardly any of some state, it stays near 1: such tables cannot tell. How large
log odds are is learned from all pairs of the model together, as mixture weights over some sigma with a spike
at zero ([Stephens2017]_): data whose edges are weak need more rows to say that there is none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

SCALES = 0.05 / 4 * 2.0 ** np.arange(8)
"""Sigma, each twice the one before. Pairs have one of the third, .05, to the last, 1.6: from log odds that
thousands of rows do not show to such as anyone sees. The first two are for what is weaker in a context."""

# These and the smallest scale were chosen by how much is false of what is sure, on other data sets than
# benchmarks/truth/contexts.py reports. With .1 as the smallest scale thrice as much is sure, and 1.4 instead
# of .3 % of it false: dependences of a thousandth of a nat, by way of neighbors that the graphs lack.
SPECIFIC = 0.1
"""Prior probability that a pair which depends elsewhere does not in a context."""
WEAKER = 0.1
"""Prior probability that a dependence has a half (two in three) or a quarter of the size it has elsewhere."""
PSEUDO_PAIRS = 3.0
"""Pairs that the prior of the mixture weights is worth: half of it on independence, the rest even."""
STEPS = 200
"""Of expectation and maximization: more than the few dozen pairs of a canonical model need."""


def log_bayes_factors(tables: NDArray[np.number]) -> NDArray[np.float64]:
    """Return the log Bayes factor of dependence in every table, for every scale."""
    factors = np.zeros((len(tables), len(SCALES)))
    vary = (tables.any(axis=2).sum(axis=1) > 1) & (tables.any(axis=1).sum(axis=1) > 1)
    if not vary.any():
        return factors
    counts = tables[vary].astype(np.float64)
    n = counts.sum(axis=(1, 2))[:, None, None]
    p, q = counts.sum(axis=2) / n[:, 0], counts.sum(axis=1) / n[:, 0]
    (of_x, to_x), (of_y, to_y) = _eigenvectors(p), _eigenvectors(q)
    residuals = to_x.swapaxes(1, 2) @ (counts - n * p[:, :, None] * q[:, None, :]) @ to_y
    information = n * of_x[:, :, None] * of_y[:, None, :]
    some = information > 1e-9 * n  # the others are zero but for rounding: margins are known
    information = np.where(some, information, 0.0)
    squares = np.where(some, residuals**2, 0.0) / np.where(some, information, 1.0)
    for k, scale in enumerate(SCALES):
        gain = information * scale**2
        factors[vary, k] = 0.5 * (squares * gain / (1 + gain) - np.log1p(gain)).sum(axis=(1, 2))
    return factors


def _eigenvectors(shares: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return eigenvalues and eigenvectors of the covariances of states, a row of shares each.

    Of two states there is one that is not zero, and its vector is the same for all: that is most tables.
    """
    if shares.shape[1] == 2:
        return 2 * shares.prod(axis=1, keepdims=True), np.array([[[0.5**0.5], [-(0.5**0.5)]]])
    values, vectors = np.linalg.eigh(shares[:, :, None] * (np.eye(shares.shape[1]) - shares[:, None, :]))
    return values, vectors


class Odds(NamedTuple):
    """How often pairs of a data set are independent, and how large the log odds of the others are."""

    independent: float
    scales: NDArray[np.float64]
    """A weight for each of the scales from the third on; they add up to 1."""

    @classmethod
    def of(cls, pairs: NDArray[np.float64]) -> Odds:
        """Learn them from the log Bayes factors of all pairs, one a row."""
        factors = np.concatenate([np.zeros((len(pairs), 1)), pairs[:, 2:]], axis=1)
        likelihoods = np.exp(factors - factors.max(axis=1, keepdims=True))
        n_scales = len(SCALES) - 2
        weights = np.array([0.5, *np.full(n_scales, 0.5 / n_scales)])
        prior = PSEUDO_PAIRS * weights
        for _ in range(STEPS):
            shares = likelihoods * weights
            weights = (shares / shares.sum(axis=1, keepdims=True)).sum(axis=0) + prior
            weights /= weights.sum()
        return cls(float(weights[0]), weights[1:] / weights[1:].sum())

    def probabilities(
        self,
        inside: NDArray[np.float64],
        one: NDArray[np.float64],
        outside: NDArray[np.float64],
        everywhere: NDArray[np.bool_],
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return how probable it is that a pair is independent in each context, and that it is not elsewhere.

        Parameters
        ----------
        inside, one, outside
            Log Bayes factors of dependence in all tables of a context, in one of them, drawn as rows are, and
            in all others: a line for each context.
        everywhere
            Which of the contexts have no others.
        """
        log_scales = np.log(self.scales)
        here = _weaker(np.logaddexp(inside, one) - np.log(2)) + log_scales
        never, some = np.log(self.independent), np.log1p(-self.independent)
        alone = some + np.logaddexp.reduce(here, axis=1)
        beyond = outside[:, 2:]
        both = some + np.log1p(-SPECIFIC) + np.logaddexp.reduce(here + beyond, axis=1)
        there_only = some + np.log(SPECIFIC) + np.logaddexp.reduce(log_scales + beyond, axis=1)
        independent = _share(np.logaddexp(never, there_only), both)
        dependent = _share(np.logaddexp(both, there_only), never)
        return np.where(everywhere, _share(never, alone), independent), np.where(everywhere, 0.0, dependent)


def _weaker(factors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return log Bayes factors for the scale found elsewhere, where a dependence may be weaker than there."""
    same, half, quarter = factors[:, 2:], factors[:, 1:-1], factors[:, :-2]
    weaker = np.logaddexp(half + np.log(2 / 3), quarter + np.log(1 / 3))
    return np.asarray(np.logaddexp(np.log1p(-WEAKER) + same, np.log(WEAKER) + weaker))


def _share(log_a: NDArray[np.float64], log_b: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a / (a + b)."""
    return np.asarray(np.exp(log_a - np.logaddexp(log_a, log_b)))
