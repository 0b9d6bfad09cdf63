"""The penalised pseudo-likelihood of a log-linear network: logistic models that need few rows."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from graphoid.counts.engine import Blanket, CountEngine, Logistic, ScoringEngine, refuse_large_models
from graphoid.regression.objective import PenalizedLikelihood
from graphoid.scores.base import BlanketScore, family_counts
from graphoid.scores.logistic import logistic_term
from graphoid.scores.priors import GraphPrior, UniformPrior
from graphoid.settings import NOT_NEGATIVE, Allowed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from graphoid.regression.coding import Matrix


@dataclass(frozen=True, kw_only=True)
class LogLinearScore(BlanketScore):
    r"""Extended BIC of node-conditional multinomial logistic models ([Barber2015]_ for binary variables).

    .. math:: \sum_i \max_w \ell_i(w \mid B_i) - \tfrac{k_i}{2} \log N - \gamma k_i \log n

    with :math:`\ell_i` the log-likelihood of variable i given the main effects of its blanket
    :math:`B_i`, :math:`k_i = (r_i - 1)(1 + \sum_{j \in B_i} (r_j - 1))` parameters for :math:`r` states, N
    rows and n variables. A table of the blanket has a cell for every configuration; this model has a few
    weights for every member, so that hubs and triangles do not spread the rows too thin.

    Parameters
    ----------
    order
        2 for main effects of the blanket, which a network of pairwise terms has; 3 for products of two
        members as well, each kept only where it pays: triangles with a term of their own.
    gamma
        How much the number of variables weighs; 0 is the BIC.
    prior
        Over graphs: :class:`UniformPrior`, :class:`SparsePrior` or :class:`EdgePrior`.

    Notes
    -----
    Where states are separated perfectly, the likelihood has no maximum; its supremum is what counts.
    """

    order: Literal[2, 3] = 2
    gamma: float = 0.5
    prior: GraphPrior = field(default_factory=UniformPrior)

    allowed: ClassVar[Mapping[str, Allowed]] = {"order": (2, 3), "gamma": NOT_NEGATIVE}

    def terms(self, engine: CountEngine, blankets: list[Blanket]) -> Matrix:
        """Return the penalised maximum likelihoods of variables given their blankets."""
        price = self.price(engine.n_rows, len(engine.variables))
        if isinstance(engine, ScoringEngine):
            return engine.logistic_terms(Logistic(self.order == 3, price=price), blankets)
        refuse_large_models(engine.variables, blankets)
        found, objective = family_counts(engine, blankets), PenalizedLikelihood(price)
        return np.array([logistic_term(c, objective, interactions=self.order == 3) for c in found])

    def price(self, n_rows: float, n: int) -> float:
        """Return what a parameter costs."""
        return 0.5 * math.log(max(1.0, n_rows)) + self.gamma * math.log(max(1, n))
