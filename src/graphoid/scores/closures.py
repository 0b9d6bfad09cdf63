"""The closure of a blanket: assertions that together say that it is the blanket, and how likely each is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from graphoid.counts.engine import ScoringEngine
from graphoid.errors import SettingsError
from graphoid.independence.bayesian import BayesianTest
from graphoid.logic.assertion import Assertion
from graphoid.scores.base import blanket_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from graphoid.counts.engine import Blanket, CountEngine
    from graphoid.scores.base import Family

MOST_BYTES = 2**29
"""What the closures held may take before the oldest half is forgotten: half a gigabyte."""


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
        self._most = max(4 * self._n, MOST_BYTES // (8 * max(1, self._n)))
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

    def prepare(self, families: Iterable[Family]) -> None:
        """Compute closures that are not held yet, all of them at once."""
        missing = list(dict.fromkeys(family for family in families if family not in self._held))
        if not missing:
            return
        if len(self._held) + len(missing) > self._most:
            for old in list(self._held)[: len(self._held) // 2]:
                del self._held[old]
        blankets = [(x, blanket_of(mask)) for x, mask in missing]
        for family, (x, blanket), odds in zip(missing, blankets, self._log_odds(blankets), strict=True):
            sign = np.ones(self._n)
            sign[list(blanket)] = -1.0  # dependence is asserted of members
            line = -np.logaddexp(0.0, -sign * odds)
            line[x] = 0.0
            self._held[family] = line

    def _log_odds(self, blankets: list[Blanket]) -> NDArray[np.float64]:
        if isinstance(self._engine, ScoringEngine):
            return self._engine.closure_log_odds(self._test.kernel, blankets)
        asked = [
            Assertion(x, y, tuple(z for z in blanket if z != y))
            for x, blanket in blankets
            for y in range(self._n)
            if y != x
        ]
        found = self._engine.counts([self._test.needs(a) for a in asked])
        odds = np.zeros((len(blankets), self._n))
        judged = iter(zip(asked, found, strict=True))
        for i, (x, _) in enumerate(blankets):
            for y in range(self._n):
                if y != x:
                    odds[i, y] = self._test.judge(*next(judged)).log_odds
        return odds
