"""One test at a time: who is asked, what it costs, what is left to spend, and what a step tells."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from graphoid.learners.pfmn.likelihood import log_ratio
from graphoid.learners.pfmn.prices import weight
from graphoid.logic.assertion import Assertion
from graphoid.logic.sets import members

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from graphoid.learners.pfmn.checkpoint import Checkpoint
    from graphoid.learners.pfmn.population import Test
    from graphoid.learners.pfmn.prices import Budget, Price
    from graphoid.learners.questions import Questions
    from graphoid.logic.verdict import Verdict


class Answer(NamedTuple):
    """What came back."""

    verdict: Verdict
    gain: float
    """log P(d | independent) - log P(d | dependent)."""
    price: float


class Info(NamedTuple):
    """What a reader wants to know of a step."""

    test: Test
    verdict: Verdict
    information: float
    """What the answer was expected to tell, in nats."""
    price: float
    spent: float
    """All prices so far."""
    entropy: float
    """What is not known yet, in nats."""


class Asking:
    """Asks tests one by one within a budget; answers on file are taken from there.

    Parameters
    ----------
    questions
        Who is asked; every answer is kept there.
    test
        The test behind the answers, or None.
    price, budget
        What a test costs, and how much may be spent.
    checkpoint
        The answers on file.
    soften
        See :func:`graphoid.learners.pfmn.likelihood.log_ratio`.
    """

    def __init__(
        self,
        questions: Questions,
        test: Any,
        price: Price,
        budget: Budget,
        checkpoint: Checkpoint,
        soften: float = 1e-10,
    ) -> None:
        self.price = price
        self.spent = 0.0
        self.n_asked = 0
        self._questions, self._test, self._soften = questions, test, soften
        self._budget, self._checkpoint = budget, checkpoint
        self._before = list(checkpoint.verdicts)
        self._started = time.perf_counter()

    @property
    def questions(self) -> Questions:
        """Who is asked."""
        return self._questions

    @property
    def left(self) -> float:
        """The price that the next test may have."""
        return self._budget.left(self.spent, self.n_asked, self._seconds)

    def priced(self, test: Test) -> float:
        """Return the price of a test."""
        return float(self.price(assertion(test)))

    def prices(self, tests: Sequence[Test]) -> NDArray[np.float64]:
        """Return the prices of many tests."""
        if self.price is weight:  # known without writing each test out
            return np.array([2.0 + t.size for t in tests])
        return np.array([self.priced(t) for t in tests])

    def ask(self, test: Test) -> Answer:
        """Ask a test, or take its answer from the file."""
        price = self.priced(test)
        if self.n_asked < len(self._before):
            verdict = self._questions.note(self._before[self.n_asked])
        else:
            verdict = self._questions.ask_one(test.x, test.y, tuple(members(test.given)))
            self._checkpoint.add(verdict, self._seconds)
        self.n_asked += 1
        self.spent += price
        return Answer(verdict, log_ratio(verdict, self._test, self._soften), price)

    @property
    def _seconds(self) -> float:
        return self._checkpoint.seconds + time.perf_counter() - self._started


def assertion(test: Test) -> Assertion:
    """Return a test as others write it."""
    return Assertion(test.x, test.y, tuple(members(test.given)))
