"""The independence-based score: how likely the closures of all blankets are."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from graphoid.independence.bayesian import BayesianTest
from graphoid.scores.base import BlanketScorer, Score
from graphoid.scores.closures import Closures
from graphoid.scores.priors import GraphPrior, UniformPrior

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from graphoid.scores.base import Family
    from graphoid.structure.graph import UndirectedGraph


@dataclass(frozen=True, kw_only=True)
class IBScore(Score):
    r"""The IB-score ([Schluter2014]_; [Schluter2018]_, Eq. 7).

    .. math:: \text{IB}(G) = \sum_{x} \sum_{y \neq x} \log P(c_{xy} \mid D)

    where :math:`c_{xy}` says :math:`x \perp y \mid B_x` if y is not in the blanket :math:`B_x`, and
    :math:`x \not\perp y \mid B_x \setminus y` if it is. All assertions are taken to be independent of each
    other; every pair has two, one from each end.

    Parameters
    ----------
    test
        Gives the probability of an independence.
    prior
        Over graphs: :class:`UniformPrior`, :class:`SparsePrior` or :class:`EdgePrior`.
    """

    test: BayesianTest = field(default_factory=BayesianTest)
    prior: GraphPrior = field(default_factory=UniformPrior)

    of_pairs = True

    def on(self, data: Any) -> IBScorer:
        """Return this score of the data."""
        return IBScorer(self, data)


class IBScorer(BlanketScorer):
    """The IB-score of data: the term of a variable is the sum of its closure."""

    score: IBScore

    def __init__(self, score: IBScore, data: Any) -> None:
        super().__init__(score, data)
        self.closures = Closures(score.test, self.engine)

    def _compute(self, families: list[Family]) -> list[float]:
        self.closures.prepare(families)
        return [float(self.closures[family].sum()) for family in families]

    def pair_scores(self, graph: UndirectedGraph) -> NDArray[np.float64]:
        """Return for every pair the sum of its two assertions; symmetric, the diagonal is 0."""
        self.closures.prepare(enumerate(graph.adjacency))
        lines = np.array([self.closures[family] for family in enumerate(graph.adjacency)])
        pairs: NDArray[np.float64] = lines + lines.T
        return pairs
