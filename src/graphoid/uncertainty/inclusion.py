"""How probable each pair is, where the learner or its test is Bayesian: from all rows and in the resamples.

A learner that has a posterior over graphs (:class:`~graphoid.Posterior`, :class:`~graphoid.PFMN`) gives every
edge a probability. One that asks a :class:`~graphoid.BayesianTest` gives none, but the test does: that the
pair depends given the rest of the smaller blanket, which is what its strength is measured given.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from graphoid.independence.tester import Tester
from graphoid.structure.learned import LearnedStructure
from graphoid.structure.scored import LARGEST

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from graphoid.data.table import Table
    from graphoid.independence.bayes_factor import BayesFactor
    from graphoid.independence.bayesian import BayesianTest
    from graphoid.structure.contexts import CanonicalModel
    from graphoid.structure.graph import Edge
    from graphoid.uncertainty.strength import Crossing

MEANINGS = {
    "edge": "the posterior probability of the edge over graphs",
    "dependence": "the posterior probability, by the Bayesian test, that the two depend on each other given "
    "the rest of the smaller blanket",
}
"""What a probability may be the probability of."""


@dataclass(frozen=True, eq=False)
class Inclusion:
    """Posterior probabilities of pairs; not a number where there is none."""

    of: str
    """Which of :data:`MEANINGS`."""
    whole: NDArray[np.float64]
    """For every pair, from all rows."""
    against: NDArray[np.float64]
    """For every pair what is left to one; known more exactly than their difference where that is small."""
    prior_log_odds: NDArray[np.float64]
    """For every pair, before the rows."""
    replicates: NDArray[np.float64]
    """For every resample a line of all pairs."""

    def mean(self, i: int) -> float | None:
        """Return the mean over the resamples that have a probability for a pair; None where none has."""
        line = self.replicates[:, i]
        known = line[np.isfinite(line)]
        return float(known.mean()) if len(known) else None

    def bayes_factor(self, i: int) -> float | None:
        """Return the inclusion Bayes factor of a pair from all rows: posterior odds over prior odds."""
        probability, against = float(self.whole[i]), float(self.against[i])
        if math.isnan(probability):
            return None
        prior = math.exp(min(-float(self.prior_log_odds[i]), LARGEST))
        return probability / against * prior if against > 0 else math.inf


def probabilities(
    structure: LearnedStructure | CanonicalModel, pairs: Sequence[Edge]
) -> NDArray[np.float64] | None:
    """Return what a learned structure says of every pair; None if its learner has no posterior."""
    known = structure.edge_probabilities if isinstance(structure, LearnedStructure) else {}
    return np.array([known.get(pair, np.nan) for pair in pairs], dtype=np.float64) if known else None


def priors(structure: LearnedStructure | CanonicalModel, pairs: Sequence[Edge]) -> NDArray[np.float64]:
    """Return the prior log odds of every pair; 0 where the structure says nothing."""
    scored = structure.scored if isinstance(structure, LearnedStructure) else None
    return np.array([0.0 if scored is None else scored.prior(pair) for pair in pairs], dtype=np.float64)


def dependences(
    test: BayesianTest | BayesFactor, table: Table, crossings: Sequence[Crossing]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return for every pair how probable it is that the two depend on each other, and that they do not."""
    answers = Tester(test, table).ask(list(crossings))
    # the test's log odds are those of independence
    log_odds = np.array([np.nan if v.log_odds is None else v.log_odds for v in answers], dtype=np.float64)
    tail = np.exp(-np.abs(log_odds))
    rare, common = tail / (1.0 + tail), 1.0 / (1.0 + tail)
    return np.where(log_odds > 0, rare, common), np.where(log_odds > 0, common, rare)
