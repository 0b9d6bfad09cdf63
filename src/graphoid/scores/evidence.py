"""The evidence for a network: how likely the data are, with the strengths of effects integrated out."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from graphoid.errors import SettingsError
from graphoid.scores.base import CountedScorer, Score, configurations_of
from graphoid.scores.mpl import log_marginal_likelihood
from graphoid.scores.priors import GraphPrior, SparsePrior

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from graphoid.counts.contingency import Counts
    from graphoid.counts.engine import Blanket, ScoringEngine

CONSTANT = 5.0
"""Standard deviation of the constant a priori, in those of the effects: all but free."""

MOST_STEPS = 60
GAIN = 1e-10
"""What a step may still be worth when the climb ends."""

DOUBT = 1.0
"""A product is fitted even if it promises to lower the evidence by so much: a promise is rough."""


@dataclass(frozen=True, kw_only=True)
class LogLinearEvidence(Score):
    r"""Marginal likelihood of every variable given its blanket, by a logistic model or a full table.

    The logistic model of variable i has effects w of its blanket :math:`B_i`, coded by orthonormal contrasts
    (so that no state is special) and normal a priori. Its marginal likelihood is Laplace's approximation,

    .. math:: \log E_i = \max_w \left[\ell_i(w \mid B_i) + \log \mathcal{N}(w; 0, \sigma^2 I)\right]
        - \tfrac12 \log \det \frac{H_i(\hat w)}{2 \pi}

    with :math:`\ell_i` the log-likelihood and :math:`H_i` minus the second derivatives. Where
    :class:`LogLinearScore` charges every parameter alike, here one costs what the data know about it: an
    effect that concerns a few rows costs little, and can gain little.

    A full table has a probability for every state in every configuration of the blanket, as :class:`MPL` has
    it. It suits few neighbors that act together in ways of their own; the logistic model suits many that add
    up. The score takes either as likely beforehand and lets the data decide, variable by variable:
    :math:`\sum_i \log \tfrac12 (E_i + T_i)`.

    Parameters
    ----------
    order
        2 for main effects of the blanket; 3 for products of two members as well, each kept where it raises
        the evidence by more than the logarithm of the number of products to choose from.
    scale
        Standard deviation :math:`\sigma` of effects a priori; at 1 the log-odds ratio of two binary variables
        has one of 2.
    ess
        Equivalent sample size of the full table; None for logistic models only.
    prior
        Over graphs; :class:`SparsePrior` expects three neighbors a variable.
    """

    order: Literal[2, 3] = 3
    scale: float = 1.0
    ess: float | None = 4.0
    prior: GraphPrior = field(default_factory=SparsePrior)

    def __post_init__(self) -> None:
        if self.order not in (2, 3):
            raise SettingsError(f"order is {self.order!r}; it must be 2 (pairs) or 3 (pairs and triples).")
        if not 0 < self.scale < math.inf:
            raise SettingsError(f"scale is {self.scale!r}; it must be a positive number, such as 1.")
        if self.ess is not None and not 0 < self.ess < math.inf:
            raise SettingsError(f"ess is {self.ess!r}; it must be a positive number or None.")

    def on(self, data: Any) -> EvidenceScorer:
        """Return this score of the data."""
        return EvidenceScorer(self, data)


class EvidenceScorer(CountedScorer):
    """The evidence of data: the term of a variable is its log marginal likelihood given its blanket."""

    score: LogLinearEvidence

    def _near_counts(self, engine: ScoringEngine, blankets: list[Blanket]) -> NDArray[np.float64]:
        logistic = engine.logistic_evidence(
            blankets, interactions=self.score.order == 3, scale=self.score.scale
        )
        if self.score.ess is None:
            return logistic
        tables = engine.marginal_likelihoods(self.score.ess, blankets)
        return np.logaddexp(logistic, tables) - math.log(2)

    def _from_counts(self, counts: Counts) -> float:
        logistic = log_evidence(counts, interactions=self.score.order == 3, scale=self.score.scale)
        if self.score.ess is None:
            return logistic
        table = log_marginal_likelihood(counts, self.score.ess)
        return float(np.logaddexp(logistic, table)) - math.log(2)


def log_evidence(counts: Counts, *, interactions: bool, scale: float) -> float:
    """Return the log marginal likelihood of the last variable given the others, by a logistic model.

    With ``interactions``, products of two of the others are added, the most promising first, while each
    raises it by more than its price. What a product promises shrinks as others are taken, so that only one
    that looks best is looked at again.
    """
    configurations, table = configurations_of(counts)
    if not table.size or table.shape[1] < 2:
        return 0.0
    effects = [contrasts(r)[configurations[:, v]] for v, r in enumerate(counts.shape[:-1])]
    design = np.hstack([np.ones((len(table), 1)), *effects])
    model = Model(table, scale)
    best, weights = model.fit(design, np.zeros((table.shape[1] - 1, design.shape[1])))
    pairs = combinations(effects, 2) if interactions else []
    left = [(a[:, :, None] * b[:, None, :]).reshape(len(table), -1) for a, b in pairs]
    price, taken = math.log(1 + len(left)), 0  # each pays for having been chosen among so many
    promises = [model.promise(design, more, weights) for more in left]
    seen = [0] * len(left)  # how many had been taken when a product was looked at
    while left:
        chosen = int(np.argmax(promises))
        if not promises[chosen] > price - DOUBT:
            break
        if seen[chosen] < taken:
            promises[chosen], seen[chosen] = model.promise(design, left[chosen], weights), taken
            continue
        more = left.pop(chosen)
        del promises[chosen], seen[chosen]
        wider = np.hstack([design, more])
        found, at = model.fit(wider, np.hstack([weights, np.zeros((len(weights), more.shape[1]))]))
        taken += 1
        found -= price * taken
        if not found > best:
            break
        best, design, weights = found, wider, at
    return best


def contrasts(r: int) -> NDArray[np.float64]:
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


class Model:
    """Multinomial logistic models of counts, with normal effects.

    Parameters
    ----------
    table
        How often each state occurs, a line for every configuration.
    scale
        Standard deviation of an effect a priori.
    """

    def __init__(self, table: NDArray[np.float64], scale: float) -> None:
        self.table = table
        self.contrast = contrasts(table.shape[1])
        self.precision = scale**-2

    def fit(
        self, design: NDArray[np.float64], weights: NDArray[np.float64]
    ) -> tuple[float, NDArray[np.float64]]:
        """Return the log evidence and the most probable weights, by Newton's method from some weights on."""
        prior = np.tile(self._prior(design.shape[1]), len(weights))
        reached, gradient, hessian = self._slopes(design, weights)
        for _ in range(MOST_STEPS):
            step = np.linalg.solve(hessian, gradient)
            promised = float(gradient @ step)
            if promised <= 2 * GAIN:
                reached += promised / 2
                break
            size = 1.0
            while True:
                tried = weights + size * step.reshape(weights.shape)
                value, slope, curvature = self._slopes(design, tried)
                if value >= reached or size < 1e-6:
                    break
                size /= 2
            if value < reached:
                break
            weights, reached, gradient, hessian = tried, value, slope, curvature
        return reached + 0.5 * float(np.log(prior).sum() - np.linalg.slogdet(hessian)[1]), weights

    def promise(
        self, design: NDArray[np.float64], more: NDArray[np.float64], weights: NDArray[np.float64]
    ) -> float:
        """Return by how much columns would raise the log evidence of a fitted model, to second order."""
        wider = np.hstack([design, more])
        at = np.hstack([weights, np.zeros((len(weights), more.shape[1]))])
        _, gradient, hessian = self._slopes(wider, at)
        new = np.tile(np.arange(wider.shape[1]) >= design.shape[1], len(weights))
        known = np.linalg.solve(hessian[np.ix_(~new, ~new)], hessian[np.ix_(~new, new)])
        own = hessian[np.ix_(new, new)] - hessian[np.ix_(new, ~new)] @ known
        gain = gradient[new] @ np.linalg.solve(own, gradient[new])
        return 0.5 * float(gain - np.linalg.slogdet(own)[1] + new.sum() * math.log(self.precision))

    def _prior(self, columns: int) -> NDArray[np.float64]:
        precision = np.full(columns, self.precision)
        precision[0] /= CONSTANT**2
        return precision

    def _slopes(
        self, design: NDArray[np.float64], weights: NDArray[np.float64]
    ) -> tuple[float, NDArray[np.float64], NDArray[np.float64]]:
        """Return the log posterior of the weights but for a constant, its gradient, minus its curvature."""
        eta = design @ weights.T @ self.contrast.T
        log_p = eta - np.logaddexp.reduce(eta, axis=1, keepdims=True)
        p, totals = np.exp(log_p), self.table.sum(axis=1)
        prior = self._prior(design.shape[1])
        residual = (self.table - totals[:, None] * p) @ self.contrast
        value = float((self.table * log_p).sum() - 0.5 * (prior * weights**2).sum())
        gradient = residual.T @ design - prior * weights
        mean = p @ self.contrast
        classes, columns = weights.shape
        blocks = np.empty((classes, columns, classes, columns))
        for a in range(classes):
            for b in range(classes):
                spread = p @ (self.contrast[:, a] * self.contrast[:, b]) - mean[:, a] * mean[:, b]
                blocks[a, :, b, :] = design.T @ ((totals * spread)[:, None] * design)
        hessian = blocks.reshape(classes * columns, classes * columns)
        hessian[np.diag_indices_from(hessian)] += np.tile(prior, classes)
        return value, gradient.reshape(-1), hessian
