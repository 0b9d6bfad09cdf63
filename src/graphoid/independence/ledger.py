"""Who asked what, and what it cost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphoid.logic.source import IndependenceSource, Question, SourceWrapper

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from graphoid.logic.assertion import Assertion
    from graphoid.logic.verdict import Verdict


class Ledger(SourceWrapper):
    """Wraps any source of answers and records every question that passes.

    Parameters
    ----------
    ci
        Who answers.
    price
        What a test costs; by default the papers' weight, 2 + the size of the conditioning set.

    Examples
    --------
    >>> import graphoid as gd
    >>> ledger = gd.Ledger(gd.Oracle(gd.UndirectedGraph(3, [(0, 1)])))
    >>> ledger.independent(0, 2, given=[1])
    True
    >>> ledger.n_tests, ledger.weighted
    (1, 3)
    """

    def __init__(self, ci: IndependenceSource, price: Callable[[Assertion], float] | None = None) -> None:
        self.source, self.names = ci, tuple(ci.names)
        self._price = price
        self._records: list[Verdict] = []
        self.n_batches = 0
        """How many times the source was asked, whatever the number of questions."""

    @property
    def records(self) -> tuple[Verdict, ...]:
        """Every verdict given, in the order asked."""
        return tuple(self._records)

    @property
    def executed(self) -> tuple[Verdict, ...]:
        """The verdicts that took a test or an oracle; the others were inferred."""
        return tuple(v for v in self._records if v.source in ("test", "oracle"))

    @property
    def n_tests(self) -> int:
        """Number of tests executed."""
        return len(self.executed)

    @property
    def n_inferred(self) -> int:
        """Number of questions answered without a test."""
        return len(self._records) - self.n_tests

    @property
    def weighted(self) -> int:
        """Sum of 2 + |given| over the tests executed."""
        return sum(v.assertion.weight for v in self.executed)

    @property
    def spent(self) -> float:
        """Sum of the prices of the tests executed."""
        if self._price is None:
            return float(self.weighted)
        return sum(self._price(v.assertion) for v in self.executed)

    def ask(self, questions: Sequence[Question]) -> list[Verdict]:
        """Answer many questions, in order, and write them down."""
        verdicts = self.source.ask(questions)
        self.n_batches += 1
        self._records.extend(verdicts)
        return verdicts
