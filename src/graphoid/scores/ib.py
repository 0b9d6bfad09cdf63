"""The independence-based score: how likely the closures of all blankets are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from graphoid.scores.base import BlanketScorer
from graphoid.scores.closures import Closures, ClosureScore

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from graphoid.counts.engine import Blanket, CountEngine
    from graphoid.structure.graph import UndirectedGraph


@dataclass(frozen=True, kw_only=True)
class IBScore(ClosureScore):
    r"""The IB-score ([Schluter2014]_; [Schluter2018]_, Eq. 7).

    .. math:: \text{IB}(G) = \sum_{x} \sum_{y \neq x} \log P(c_{xy} \mid D)

    where :math:`c_{xy}` says :math:`x \perp y \mid B_x` if y is not in the blanket :math:`B_x`, and
    :math:`x \not\perp y \mid B_x \setminus y` if it is. All assertions are taken to be independent of each
    other; every pair has two, one from each end.

    Parameters
    ----------
    test, prior
        As for :class:`BJP`.
    """

    def on(self, data: object) -> IBScorer:
        """Return this score of the data."""
        return IBScorer(self, data)


class IBScorer(BlanketScorer):
    """The IB-score of data: the term of a variable is the sum of its closure."""

    def __init__(self, score: IBScore, data: object) -> None:
        super().__init__(score, data, self._sums)
        self.terms = self._sums  # of missing cells, too: each assertion is judged by the rows complete for it
        self.closures = Closures(score.test, self.engine)

    def pair_scores(self, graph: UndirectedGraph) -> NDArray[np.float64]:
        """Return for every pair the sum of its two assertions; symmetric, the diagonal is 0."""
        lines = self.closures.lines(enumerate(graph.adjacency))
        return lines + lines.T

    def _sums(self, _: CountEngine, blankets: list[Blanket]) -> NDArray[np.float64]:
        families = [(x, sum(1 << y for y in blanket)) for x, blanket in blankets]
        return np.array([line.sum() for line in self.closures.lines(families)])
