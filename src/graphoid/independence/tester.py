"""A test joined to data: the source of answers that learners use most."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, cast

from graphoid.counts.engine import CountEngine, JudgingEngine, Kernel, refuse_many_questions
from graphoid.counts.native import engine_for
from graphoid.data.table import Table, with_states
from graphoid.errors import SettingsError
from graphoid.independence.base import AnswersQuestions, DiscreteTest, KernelTest, TableTest, Test
from graphoid.logic.assertion import Assertion
from graphoid.logic.names import Names
from graphoid.logic.source import BatchSource, Question
from graphoid.logic.verdict import name_verdicts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graphoid.logic.verdict import Verdict

_TABLES_AT_ONCE = 256
"""Tables an engine is asked for in one go where the test is judged in Python: bounds what is held."""


class Tester(BatchSource):
    """Answers questions of independence by a test on data.

    Parameters
    ----------
    test
        A :class:`~graphoid.ChiSquare`, :class:`~graphoid.GTest`, :class:`~graphoid.MantelHaenszel`,
        :class:`~graphoid.BayesianTest` or :class:`~graphoid.PartialCorrelation`, or anything with ``needs``
        and ``judge``.
    data
        A table, or any engine that counts. A test that counts states sees numbers cut, and says so.

    Examples
    --------
    >>> import graphoid as gd
    >>> ci = gd.Tester(gd.ChiSquare(), gd.datasets.load("titanic"))
    >>> verdict, = ci.ask([("class", "sex", ["survived"])])
    >>> verdict.independent, verdict.dof
    (False, 6.0)
    """

    __test__ = False  # not for pytest, whatever the name suggests

    def __init__(self, test: Test, data: Table | CountEngine) -> None:
        if isinstance(test, type):
            raise SettingsError(f"the test must be an object: {test.__name__}(), not {test.__name__}.")
        self.test = test
        self._n_rows: float
        self._prepared: AnswersQuestions | None = None
        self._judging: tuple[JudgingEngine, KernelTest, Kernel] | None = None
        if isinstance(test, TableTest):
            if not isinstance(data, Table):
                raise SettingsError(
                    f"{type(test).__name__} needs the numbers themselves: give it a table, not an engine."
                )
            self._prepared = test.prepare(data)
            self._n_rows, variables = data.n_rows, data.variables
        else:
            kernel_test = test if isinstance(test, KernelTest) else None
            if kernel_test is None and not isinstance(test, DiscreteTest):
                raise SettingsError(f"{test!r} is no test: it has no needs() and judge().")
            if not isinstance(data, (Table, CountEngine)):
                raise SettingsError(
                    f"the data are of type {type(data).__name__}; give a table: graphoid.read(...)."
                )
            self.engine: CountEngine = engine_for(with_states(data)) if isinstance(data, Table) else data
            self._n_rows, variables = self.engine.n_rows, self.engine.variables
            # found out once here: checking a protocol takes longer than a test
            if kernel_test is not None and isinstance(self.engine, JudgingEngine):
                self._judging = self.engine, kernel_test, kernel_test.kernel
        self._arities = [v.arity for v in variables]
        self.names = tuple([v.name for v in variables])
        self.resolve = Names(self.names).resolve

    def rows_per_cell(self, variables: Sequence[int]) -> float:
        """Return how many rows there are for each cell of a table, or its worth where nothing is counted."""
        if self._prepared is not None:
            return self._prepared.rows_per_cell(variables)
        return self._n_rows / math.prod([float(self._arities[v]) for v in variables])

    def ask(self, questions: Sequence[Question]) -> list[Verdict]:
        """Answer many questions (x, y, given), in order.

        Questions that share a conditioning set are answered together; ask in batches where you can.
        """
        if self._judging is not None:
            engine, test, kernel = self._judging
            batch = questions if isinstance(questions, list) else list(questions)
            refuse_many_questions(len(batch))
            answers = test.verdicts(engine.judge(kernel, batch, self.resolve), self._n_rows)
            return name_verdicts(answers, self.names)
        if self._prepared is not None:
            return name_verdicts(self._prepared.ask([self.resolve(q) for q in questions]), self.names)
        return name_verdicts(
            self._ask_by_counts([Assertion(*self.resolve(q)) for q in questions]), self.names
        )

    def _ask_by_counts(self, assertions: list[Assertion]) -> list[Verdict]:
        test, verdicts = cast("DiscreteTest", self.test), []
        for start in range(0, len(assertions), _TABLES_AT_ONCE):
            part = assertions[start : start + _TABLES_AT_ONCE]
            tables = self.engine.counts([test.needs(a) for a in part])
            verdicts += [test.judge(a, table) for a, table in zip(part, tables, strict=True)]
        return verdicts
