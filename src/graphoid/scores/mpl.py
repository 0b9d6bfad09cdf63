"""The marginal pseudo-likelihood of a Markov network."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from graphoid.counts.engine import Blanket, CountEngine, ScoringEngine
from graphoid.independence.bayesian import log_rising
from graphoid.scores.base import BlanketScore, configurations_of, family_counts
from graphoid.scores.priors import GraphPrior, UniformPrior
from graphoid.settings import POSITIVE, Allowed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from graphoid.counts.contingency import Counts


@dataclass(frozen=True, kw_only=True)
class MPL(BlanketScore):
    r"""Marginal pseudo-likelihood ([Pensar2017]_, Eq. 10; [Schluter2018]_, Eq. 4).

    The likelihood of every variable given its blanket, with the probabilities of each configuration of the
    blanket integrated out under a Dirichlet prior:

    .. math:: \log P(D \mid G) = \sum_j \sum_l \log \frac{\Gamma(\alpha_l)}{\Gamma(\alpha_l + c_{jl})}
        + \sum_i \log \frac{\Gamma(\alpha_{il} + c_{ijl})}{\Gamma(\alpha_{il})}

    with :math:`c_{ijl}` the number of rows in which variable j is in state i and its blanket in configuration
    l, :math:`\alpha_{il} = N / (r_j q_j)` for ``ess`` N, :math:`r_j` states and :math:`q_j` configurations.

    Parameters
    ----------
    ess
        Equivalent sample size of the Dirichlet prior.
    prior
        Over graphs: :class:`UniformPrior`, :class:`SparsePrior` or :class:`EdgePrior`.
    """

    ess: float = 1.0
    prior: GraphPrior = field(default_factory=UniformPrior)

    allowed: ClassVar[Mapping[str, Allowed]] = {"ess": POSITIVE}

    def terms(self, engine: CountEngine, blankets: list[Blanket]) -> NDArray[np.float64]:
        """Return the log marginal likelihoods of variables given their blankets."""
        if isinstance(engine, ScoringEngine):
            return engine.marginal_likelihoods(self.ess, blankets)
        return np.array([log_marginal_likelihood(c, self.ess) for c in family_counts(engine, blankets)])


def log_marginal_likelihood(counts: Counts, ess: float) -> float:
    """Return that of the last variable given all others, each configuration with probabilities of its own."""
    *configurations, states = counts.shape
    _, rows = configurations_of(counts)
    # in floating point from the start: there can be more configurations than an integer holds
    pseudo_count = ess / math.prod(map(float, configurations))
    cells = log_rising(pseudo_count / states, rows).sum(axis=1)
    return float((cells - log_rising(pseudo_count, rows.sum(axis=1))).sum())
