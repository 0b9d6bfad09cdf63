"""Questions within a budget, one at a time: what each costs, what may still be spent, what came back."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from graphoid.errors import DataError
from graphoid.learners.pfmn import prices
from graphoid.learners.pfmn.likelihood import log_ratio
from graphoid.logic.assertion import Assertion
from graphoid.logic.sets import mask, members

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from graphoid.learners.pfmn.checkpoint import Checkpoint
    from graphoid.learners.pfmn.population import Query
    from graphoid.learners.pfmn.prices import Budget, Price
    from graphoid.learners.questions import Questions
    from graphoid.logic.verdict import Verdict


class Answer(NamedTuple):
    """What came back."""

    verdict: Verdict
    log_ratio: float
    """log P(d | independent) - log P(d | dependent)."""
    price: float


class StepInfo(NamedTuple):
    """What a reader wants to know of a step."""

    test: Query
    verdict: Verdict
    information: float
    """What the answer was expected to tell, in nats."""
    price: float
    spent: float
    """All prices so far."""
    entropy: float
    """What is not known yet, in nats."""


class BudgetedQuestions:
    """Puts questions one by one within a budget; answers on file are read from there.

    Parameters
    ----------
    questions
        Who answers; every answer is kept there.
    test
        The test behind the answers, or None.
    price, budget
        What a question costs, and how much may be spent.
    checkpoint
        The answers on file.
    soften
        See :func:`graphoid.learners.pfmn.likelihood.log_ratio`.
    """

    def __init__(
        self,
        questions: Questions,
        test: object,
        price: Price,
        budget: Budget,
        checkpoint: Checkpoint,
        soften: float = 1e-10,
    ) -> None:
        self.questions = questions
        self.spent = 0.0
        self._test, self._price, self._soften = test, price, soften
        self._budget, self._checkpoint = budget, checkpoint
        self._on_file = list(checkpoint.verdicts)
        self._n_answers = 0
        self._started = time.perf_counter()

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the variables."""
        return self.questions.names

    @property
    def remaining(self) -> float:
        """The price that the next question may have."""
        return self._budget.remaining(self.spent, self._n_answers, self._seconds)

    @property
    def priced_by_size(self) -> bool:
        """Whether the price hangs on the number of variables alone."""
        return self._price is prices.weight

    def price_of(self, query: Query) -> float:
        """Return the price of a question."""
        return float(self._price(Assertion(query.x, query.y, tuple(members(query.given)))))

    def prices_of(self, queries: Sequence[Query]) -> NDArray[np.float64]:
        """Return the prices of many questions."""
        if self.priced_by_size:  # known without writing each question out
            return np.array([2.0 + q.size for q in queries])
        return np.array([self.price_of(q) for q in queries])

    def ask(self, query: Query) -> Answer:
        """Put a question, or read its answer from the file."""
        price = self.price_of(query)
        if self._n_answers < len(self._on_file):
            verdict = self.questions.note(_answer_to(query, self._on_file[self._n_answers]))
        else:
            verdict = self.questions.ask_one(query.x, query.y, tuple(members(query.given)))
            self._checkpoint.add(verdict, self._seconds)
        self._n_answers += 1
        self.spent += price
        return Answer(verdict, log_ratio(verdict, self._test, self._soften), price)

    @property
    def _seconds(self) -> float:
        return self._checkpoint.seconds + time.perf_counter() - self._started


def _answer_to(query: Query, verdict: Verdict) -> Verdict:
    """Return an answer from a file if it is to this question."""
    if {verdict.x, verdict.y} != {query.x, query.y} or mask(verdict.given) != query.given:
        raise DataError(
            f"the checkpoint answers {verdict.assertion} where this run asks of {query.x}, {query.y}: it "
            f"was changed, or belongs to another version. Delete it to begin, or give another file."
        )
    return verdict
