"""What a search asks, and every answer it got, in order."""

from __future__ import annotations

import math
from collections.abc import Generator, Sequence
from typing import TYPE_CHECKING, TypeVar

from graphoid.independence.inferring import Inferring
from graphoid.limits import check_time
from graphoid.logic.source import HasRows, HasSlices, IndependenceSource, Question, SourceWrapper
from graphoid.progress import Listener, Step, tell
from graphoid.structure.learned import EXECUTED

if TYPE_CHECKING:
    from graphoid.logic.verdict import Verdict

Ask = tuple[int, int, tuple[int, ...]]
"""A question by position: x, y and what is given."""

Result = TypeVar("Result")
Steps = Generator[list[Ask], "list[Verdict]", Result]
"""A search that yields batches of questions, is sent the verdicts on each, and returns what it found."""


class Executed(list[Ask]):
    """A batch that is put to the test even where rules know the answers."""


class Questions:
    """Puts questions to a source of answers and keeps every answer, in order.

    Parameters
    ----------
    ci
        The thing that answers; a search may put rules before it (``source``).
    progress
        Hears how far the search has come, with the trace so far.
    """

    def __init__(self, ci: IndependenceSource, progress: Listener | None = None) -> None:
        self.names = tuple(ci.names)
        self.trace: list[Verdict] = []
        self.queries = 0
        self.source = ci
        self._progress = progress
        self._rows = ci if isinstance(ci, HasRows) else None  # once: checking it takes longer than a test

    def ask(self, questions: Sequence[Question]) -> list[Verdict]:
        """Ask in one batch; one that has to be executed is not answered by rules."""
        if not questions:
            return []
        check_time()
        if isinstance(questions, Executed) and isinstance(self.source, Inferring):
            verdicts = self.source.execute(questions)
        else:
            verdicts = self.source.ask(questions)
        for v in verdicts:
            if v.source in EXECUTED:
                self.queries += 1
                break
        self.trace += verdicts
        return verdicts

    def ask_one(self, x: int, y: int, given: Sequence[int]) -> Verdict:
        """Ask one question."""
        return self.ask([(x, y, tuple(given))])[0]

    def run(self, steps: Steps[Result]) -> Result:
        """Answer what a search asks until it ends, and return what it found."""
        batch = next(steps)
        while True:
            verdicts = self.ask(batch)
            try:
                batch = steps.send(verdicts)
            except StopIteration as end:
                found: Result = end.value
                return found

    def rows_per_cell(self, variables: Sequence[int]) -> float:
        """Return how many rows there are for each cell of a table; infinite where answers need no data."""
        return math.inf if self._rows is None else self._rows.rows_per_cell(variables)

    @property
    def slices(self) -> HasSlices | None:
        """Who can be held to counting where answers come from a model; None where none do."""
        source: IndependenceSource = self.source
        while isinstance(source, SourceWrapper) and not isinstance(source, HasSlices):
            source = source.source
        return source if isinstance(source, HasSlices) else None

    def tell(self, phase: str, done: int, total: int | None = None) -> None:
        """Tell the listener how far the search has come."""
        if self._progress is not None:
            self._progress = tell(self._progress, Step(phase, done, total, so_far=self.trace))

    def note(self, verdict: Verdict) -> Verdict:
        """Keep an answer that took no question."""
        self.trace.append(verdict)
        return verdict
