"""What a test costs, how much may be spent, and questions within that budget."""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from graphoid.errors import DataError, SettingsError
from graphoid.learners.pfmn.likelihood import log_ratio
from graphoid.logic.assertion import Assertion
from graphoid.logic.sets import mask, members
from graphoid.settings import Number, check_setting

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from graphoid.learners.pfmn.checkpoint import Checkpoint
    from graphoid.learners.pfmn.population import Query
    from graphoid.learners.questions import Questions
    from graphoid.logic.verdict import Verdict

Price = Callable[[Assertion], float]
"""A positive number for a test; variables are positions."""


def weight(test: Assertion) -> float:
    """Return how many variables a test mentions, 2 + |given|: the papers' cost of a test."""
    return float(test.weight)


@dataclass(frozen=True)
class SitePrice:
    """The price of a test whose columns lie at several sites: each column that has to travel is paid for.

    A test is done at the site that holds most of its columns; the others are sent there.

    Parameters
    ----------
    sites
        The site of each variable, in order of position.
    per_column
        The price of a column that travels.
    per_test
        What every test costs besides.

    Examples
    --------
    >>> from graphoid.logic.assertion import Assertion
    >>> price = SitePrice(["A", "A", "B", "B"], per_column=10.0, per_test=1.0)
    >>> price(Assertion(0, 1)), price(Assertion(0, 1, (2,))), price(Assertion(0, 2, (3,)))
    (1.0, 11.0, 11.0)
    """

    sites: Sequence[object]
    per_column: float = 1.0
    per_test: float = 1.0

    def __call__(self, test: Assertion) -> float:
        """Return the price of a test."""
        columns = [self.sites[v] for v in (test.x, test.y, *test.given)]
        stay = max(Counter(columns).values())
        return self.per_test + self.per_column * (len(columns) - stay)


@dataclass(frozen=True, kw_only=True)
class Budget:
    """The most that may be spent; what is None is not limited.

    Parameters
    ----------
    price
        Sum of the prices of tests: of 2 + |given|, or whatever the learner's ``cost`` gives (money, say).
    tests
        Number of tests.
    seconds
        Time. The only limit that may end two equal runs at different places.
    """

    price: float | None = None
    tests: int | None = None
    seconds: float | None = None

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            check_setting(f"a budget's {name}", value, Number(least=0, infinite=True, optional=True))

    @classmethod
    def of(cls, value: float | Mapping[str, float] | Budget | None) -> Budget:
        """Return the budget that a setting means: a number is a price, a mapping names its limits."""
        if value is None:
            return cls()
        if isinstance(value, Budget):
            return value
        if isinstance(value, Mapping):
            unknown = sorted(set(map(str, value)) - {limit.name for limit in fields(cls)})
            if unknown:
                raise SettingsError(
                    f"a budget has no limit {unknown[0]!r}; it may have price, tests and seconds."
                )
            limits: dict[str, Any] = dict(value)
            return cls(**limits)
        return cls(price=value)

    def remaining(self, spent: float, tests: int, seconds: float) -> float:
        """Return the price that the next test may have; below 0 where no test may follow."""
        if self.tests is not None and tests >= self.tests:
            return -1.0
        if self.seconds is not None and seconds >= self.seconds:
            return -1.0
        return math.inf if self.price is None else self.price - spent


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
    """Puts questions within a budget; answers on file are read from there.

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
        self.questions, self.names = questions, questions.names
        self.priced_by_size = price is weight
        """Whether the price hangs on the number of variables alone."""
        self.spent = 0.0
        self._test, self._price, self._soften = test, price, soften
        self._budget, self._checkpoint = budget, checkpoint
        self._on_file = list(checkpoint.verdicts)
        self._n_answers = 0
        self._started = time.perf_counter()

    def afford(self, prices: Sequence[float]) -> float:
        """Return the price that the next question may have, after others of these prices."""
        spent = self.spent
        for price in prices:
            spent += price
        return self._budget.remaining(spent, self._n_answers + len(prices), self._seconds)

    @property
    def seconds_left(self) -> float | None:
        """The time that is left, or None."""
        limit = self._budget.seconds
        return None if limit is None else limit - self._seconds

    def price_of(self, query: Query) -> float:
        """Return the price of a question."""
        return float(self._price(Assertion(query.x, query.y, tuple(members(query.given)))))

    def prices_of(self, queries: Sequence[Query]) -> NDArray[np.float64]:
        """Return the prices of many questions."""
        if self.priced_by_size:  # known without writing each question out
            return np.array([2.0 + q.size for q in queries])
        return np.array([self.price_of(q) for q in queries])

    def ask(self, queries: Sequence[Query]) -> list[Answer]:
        """Put questions in one batch, or read their answers from the file as far as it has them."""
        verdicts = self._on_file[self._n_answers : self._n_answers + len(queries)]
        for verdict, query in zip(verdicts, queries, strict=False):
            if {verdict.x, verdict.y} != {query.x, query.y} or mask(verdict.given) != query.given:
                raise DataError(
                    f"the checkpoint answers {verdict.assertion} where this run asks of {query.x}, "
                    f"{query.y}: it was changed, or belongs to another version. Delete it to begin, or give "
                    f"another file."
                )
            self.questions.note(verdict)
        rest = [(q.x, q.y, tuple(members(q.given))) for q in queries[len(verdicts) :]]
        if rest:
            new = self.questions.ask(rest)
            self._checkpoint.add(new, self._seconds)
            verdicts += new
        self._n_answers += len(queries)
        answers = []
        for verdict, query in zip(verdicts, queries, strict=True):
            price = self.price_of(query)
            self.spent += price
            answers.append(Answer(verdict, log_ratio(verdict, self._test, self._soften), price))
        return answers

    @property
    def _seconds(self) -> float:
        return self._checkpoint.seconds + time.perf_counter() - self._started
