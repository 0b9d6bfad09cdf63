"""The closure of a blanket: assertions that together say that it is the blanket, and how likely each is."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import numpy as np

from graphoid.counts.engine import Blanket, CountEngine, ScoringEngine, refuse_many_pairs
from graphoid.errors import SettingsError
from graphoid.independence.bayesian import BayesianTest
from graphoid.limits import memory_limit
from graphoid.logic.assertion import Assertion
from graphoid.scores.base import Family, Score
from graphoid.scores.priors import GraphPrior, UniformPrior
from graphoid.structure.separation import members

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from graphoid.structure.graph import Edge, UndirectedGraph

MOST_BYTES = 2**29
"""What the closures held may take before the oldest half is forgotten: half a gigabyte."""


@dataclass(frozen=True, kw_only=True)
class ClosureScore(Score):
    """A score of the closures of blankets: a sum over pairs of variables."""

    test: BayesianTest = field(default_factory=BayesianTest)
    prior: GraphPrior = field(default_factory=UniformPrior)


@runtime_checkable
class PairScorer(Protocol):
    """A scorer of graphs that has a score of every pair of variables, too."""

    def sort_edges(self, edges: Iterable[Edge]) -> list[Edge]:
        """Return edges in the order that decides between equals."""

    def open_pairs(self) -> Iterable[Edge]:
        """Return the pairs that may be joined or not."""

    def value(self, graph: UndirectedGraph) -> float:
        """Return the score of a graph."""

    def pair_scores(self, graph: UndirectedGraph) -> NDArray[np.float64]:
        """Return the scores of all pairs in a graph; symmetric, the diagonal is 0."""


class Closures:
    r"""Log probabilities of the Markov blanket closure ([Schluter2018]_, Eq. 8), kept by blanket.

    For a variable x with blanket B it has one assertion for every other variable y:
    :math:`x \perp y \mid B` where y is not in B, and :math:`x \not\perp y \mid B \setminus y` where it is.

    Parameters
    ----------
    test
        Gives the posterior probability of an independence.
    engine
        Counts.
    """

    def __init__(self, test: BayesianTest, engine: CountEngine) -> None:
        if not isinstance(test, BayesianTest):
            raise SettingsError(
                f"test must be a BayesianTest, which gives probabilities of independence, not {test!r}."
            )
        self._test = test
        self._engine = engine
        self._n = len(engine.variables)
        refuse_many_pairs(self._n)
        most = min(MOST_BYTES, (memory_limit() or MOST_BYTES) // 4)
        self._most = max(4 * self._n, most // (8 * max(1, self._n)))
        self._held: dict[Family, NDArray[np.float64]] = {}

    def __len__(self) -> int:
        return len(self._held)

    def __getitem__(self, family: Family) -> NDArray[np.float64]:
        """Return the log probabilities of a closure, one a variable; the variable's own is 0."""
        line = self._held.get(family)
        if line is None:
            self.prepare([family])
            line = self._held[family]
        return line

    def lines(self, families: Iterable[Family]) -> NDArray[np.float64]:
        """Return the log probabilities of closures, one a line."""
        families = list(families)
        self.prepare(families)
        return np.array([self[family] for family in families])

    def prepare(self, families: Iterable[Family]) -> None:
        """Compute closures that are not held yet, all of them at once."""
        missing = list(dict.fromkeys(family for family in families if family not in self._held))
        if not missing:
            return
        if len(self._held) + len(missing) > self._most:
            for old in list(self._held)[: len(self._held) // 2]:
                del self._held[old]
        blankets = [(x, tuple(members(mask))) for x, mask in missing]
        for family, (x, blanket), odds in zip(missing, blankets, self._log_odds(blankets), strict=True):
            sign = np.ones(self._n)
            sign[list(blanket)] = -1.0  # dependence is asserted of members
            line = -np.logaddexp(0.0, -sign * odds)
            line[x] = 0.0
            self._held[family] = line

    def _log_odds(self, blankets: list[Blanket]) -> NDArray[np.float64]:
        if isinstance(self._engine, ScoringEngine):
            return self._engine.closure_log_odds(self._test.kernel, blankets)
        others = [(i, y) for i, (x, _) in enumerate(blankets) for y in range(self._n) if y != x]
        assertions = [
            Assertion(blankets[i][0], y, tuple(z for z in blankets[i][1] if z != y)) for i, y in others
        ]
        found = self._engine.counts([self._test.needs(a) for a in assertions])
        odds = np.zeros((len(blankets), self._n))
        for at, assertion, counts in zip(others, assertions, found, strict=True):
            odds[at] = self._test.judge(assertion, counts).log_odds
        return odds
