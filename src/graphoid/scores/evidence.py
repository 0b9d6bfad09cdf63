"""The evidence for a network: how likely the data are, with the strengths of effects integrated out."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from graphoid.counts.engine import Blanket, CountEngine, Logistic, ScoringEngine, refuse_large_models
from graphoid.scores.base import BlanketScore, family_counts
from graphoid.scores.logistic import Objective, contrasts, logistic_term
from graphoid.scores.mpl import log_marginal_likelihood
from graphoid.scores.priors import GraphPrior, SparsePrior
from graphoid.settings import POSITIVE, Allowed, Number

if TYPE_CHECKING:
    from collections.abc import Mapping

    from graphoid.scores.logistic import Matrix

CONSTANT = 5.0
"""Standard deviation of the constant a priori, in those of the effects: all but free."""


@dataclass(frozen=True, kw_only=True)
class LogLinearEvidence(BlanketScore):
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
    :math:`\sum_i \log \tfrac12 (E_i + T_i)`, with :math:`E_i` scaled so that both agree without a
    blanket, and that not below states that are even.

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
    ordered
        Whether two ordered columns have one effect on each other, that of their scores (positions of states,
        in standard deviations), and more only where that raises the evidence; False takes all columns as
        nominal, with :math:`(r_x - 1)(r_y - 1)` effects a pair.
    prior
        Over graphs; :class:`SparsePrior` expects three neighbors a variable.
    """

    order: Literal[2, 3] = 3
    scale: float = 1.0
    ess: float | None = 4.0
    ordered: bool = True
    prior: GraphPrior = field(default_factory=SparsePrior)

    log_odds_share: ClassVar[float | None] = 0.75

    allowed: ClassVar[Mapping[str, Allowed]] = {
        "order": (2, 3),
        "scale": POSITIVE,
        "ess": Number(above=0, optional=True),
    }

    def terms(self, engine: CountEngine, blankets: list[Blanket]) -> Matrix:
        """Return the log marginal likelihoods of variables given their blankets."""
        if self.ess is None:
            return self._logistic(engine, blankets)
        alone: list[Blanket] = [(x, ()) for x in sorted({x for x, _ in blankets})]
        logistic, tables = self._logistic(engine, blankets + alone), self._tables(engine, blankets + alone)
        n, sizes = len(blankets), [math.log(engine.variables[x].arity) for x, _ in alone]
        # A table of many configurations takes states as even at no price; no model need do worse than that.
        tables[n:] = np.maximum(tables[n:], -engine.n_rows * np.array(sizes))
        # Without a blanket both are one model: what their priors say of that must not decide between them.
        known = {
            x: (level, apart)
            for (x, _), level, apart in zip(alone, tables[n:], tables[n:] - logistic[n:], strict=True)
        }
        table = [
            found if blanket else known[x][0] for found, (x, blanket) in zip(tables, blankets, strict=False)
        ]
        both: Matrix = np.logaddexp(logistic[:n] + [known[x][1] for x, _ in blankets], table) - math.log(2)
        return both

    def _logistic(self, engine: CountEngine, blankets: list[Blanket]) -> Matrix:
        if isinstance(engine, ScoringEngine):
            model = Logistic(self.order == 3, scale=self.scale, ordered=self.ordered)
            return engine.logistic_terms(model, blankets)
        refuse_large_models(engine.variables, blankets, ordered=self.ordered)
        ordered = [self.ordered and v.ordered for v in engine.variables]
        fit = partial(logistic_term, objective=LaplaceEvidence(self.scale), interactions=self.order == 3)
        return np.array(
            [
                fit(counts, ordered=[ordered[v] for v in (*blanket, x)])
                for counts, (x, blanket) in zip(family_counts(engine, blankets), blankets, strict=True)
            ]
        )

    def _tables(self, engine: CountEngine, blankets: list[Blanket]) -> Matrix:
        ess = self.ess or 0.0
        if isinstance(engine, ScoringEngine):
            return engine.marginal_likelihoods(ess, blankets)
        return np.array([log_marginal_likelihood(counts, ess) for counts in family_counts(engine, blankets)])


class LaplaceEvidence(Objective):
    """Marginal likelihood by Laplace's approximation; weights are normal a priori."""

    doubt = 1.0
    shrinking = True

    def __init__(self, scale: float) -> None:
        self._precision = scale**-2

    @staticmethod
    def code(r: int) -> Matrix:
        """Return orthonormal contrasts, one line a state."""
        return contrasts(r)

    def precision(self, constants: int, weights: int) -> Matrix:
        """Return the precision of effects; that of constants is less."""
        precision = np.full(weights, self._precision)
        precision[:constants] /= CONSTANT**2
        return precision

    def worth(self, reached: float, hessian: Matrix, precision: Matrix, /) -> float:
        """Return the log evidence."""
        return reached + 0.5 * float(np.log(precision).sum() - np.linalg.slogdet(hessian)[1])

    def promise(self, gain: float, information: Matrix, /) -> float:
        """Return what is gained less what is lost by spreading the prior over more weights."""
        log_prior = len(information) * math.log(self._precision)
        return gain + 0.5 * float(log_prior - np.linalg.slogdet(information)[1])

    def price(self, products: int, /) -> float:
        """Return the logarithm of the number of products there are, and of taking none."""
        return math.log(1 + products)
