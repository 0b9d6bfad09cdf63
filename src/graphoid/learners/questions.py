"""What a search asks, and every answer it got, in order."""

from __future__ import annotations

import math
from collections.abc import Generator, Iterable, Iterator, Sequence
from itertools import chain, combinations, islice
from typing import TYPE_CHECKING, Protocol, TypeVar, runtime_checkable

from graphoid.limits import check_time
from graphoid.logic.names import Names
from graphoid.logic.source import HasRows, HasSlices, IndependenceSource, Question, SourceWrapper
from graphoid.logic.trace import BLOCK, Trace
from graphoid.progress import Listener, Step, tell
from graphoid.structure.graph import Edge, UndirectedGraph
from graphoid.structure.knowledge import KNOWLEDGE
from graphoid.structure.learned import EXECUTED

if TYPE_CHECKING:
    from graphoid.logic.verdict import Verdict
    from graphoid.structure.knowledge import KnownPairs

Ask = tuple[int, int, tuple[int, ...]]
"""A question by position: x, y and what is given."""

Result = TypeVar("Result")
Steps = Generator["list[Ask] | AllPairs", "Iterable[Verdict]", Result]
"""A search that yields batches of questions, is sent the verdicts on each, and returns what it found."""


@runtime_checkable
class HasRules(Protocol):
    """A source that answers by rules, and can be held to put questions to the test."""

    def execute(self, questions: Sequence[Question], /) -> list[Verdict]:
        """Put questions to the source, whatever the rules say."""


def remaining_graph(names: Sequence[str], answers: Iterable[Verdict]) -> UndirectedGraph:
    """Return the graph of the pairs that some answer calls dependent and none independent.

    That is what a search by questions had left to take apart when it was stopped.
    """
    together: set[Edge] = set()
    apart: set[Edge] = set()
    for v in answers:
        (apart if v.independent else together).add((v.x, v.y) if v.x < v.y else (v.y, v.x))
    return UndirectedGraph(names, sorted(together - apart))


def place_of_pair(x: int, y: int, n: int) -> int:
    """Return the place of a pair x < y among all pairs in order.

    >>> [place_of_pair(x, y, 4) for x, y in [(0, 1), (0, 3), (1, 2), (2, 3)]]
    [0, 2, 3, 5]
    """
    return x * (2 * n - x - 1) // 2 + y - x - 1


class Executed(list[Ask]):
    """A batch that is put to the test even where rules know the answers."""


class AllPairs(Iterable[Ask]):
    """All pairs of ``n`` variables given nothing, in order: a batch that is never held as a whole."""

    def __init__(self, n: int) -> None:
        self._n = n

    def __iter__(self) -> Iterator[Ask]:
        return ((x, y, ()) for x, y in combinations(range(self._n), 2))


class Questions:
    """Puts questions to a source of answers and keeps every answer, in order.

    Parameters
    ----------
    ci
        The thing that answers; a search may put rules before it (``source``).
    progress
        Hears how far the search has come, with the trace so far.
    known
        Pairs whose answer is given. They are never asked about, and no rule sees these answers: that two
        variables are not joined says that they are independent given some, and not given what.
    """

    def __init__(
        self, ci: IndependenceSource, progress: Listener | None = None, known: KnownPairs | None = None
    ) -> None:
        self.names = tuple(ci.names)
        self._resolve = Names(self.names).resolve
        self.trace = Trace()
        self.queries = 0
        self.source = ci
        self.known = known
        self._progress = progress
        self._rows = ci if isinstance(ci, HasRows) else None  # once: checking it takes longer than a test

    def ask(self, questions: Sequence[Question]) -> list[Verdict]:
        """Ask in one batch; one that has to be executed is not answered by rules."""
        return self._ask(questions, first=True)

    def ask_in_parts(self, questions: Iterable[Ask]) -> Iterator[list[Verdict]]:
        """Ask so many questions that not all answers are to be held; together they count as one batch.

        Rules are not asked about all pairs: they would infer those of a part from the part before.
        """
        queries, left = self.queries, iter(questions)
        batch = Executed if isinstance(questions, AllPairs) else list
        while part := batch(islice(left, BLOCK)):
            yield self.ask_on(part, queries)

    def ask_on(self, questions: Sequence[Question], queries: int) -> list[Verdict]:
        """Ask one more part of a batch, before whose first part there had been so many queries."""
        return self._ask(questions, first=self.queries == queries)

    def _ask(self, questions: Sequence[Question], *, first: bool) -> list[Verdict]:
        if not questions:
            return []
        check_time()
        verdicts = self._answer(questions) if self.known is None else self._answer_open(questions, self.known)
        if first and any(v.source in EXECUTED for v in verdicts):
            self.queries += 1
        self.trace += verdicts
        return verdicts

    def _answer(self, questions: Sequence[Question]) -> list[Verdict]:
        if isinstance(questions, Executed) and isinstance(self.source, HasRules):
            return self.source.execute(questions)
        return self.source.ask(questions)

    def _answer_open(self, questions: Sequence[Question], known: KnownPairs) -> list[Verdict]:
        """Return the answers that are known, and those of the source to the rest."""
        resolved = [self._resolve(question) for question in questions]
        given = [known.answer(*question) for question in resolved]
        batch = Executed if isinstance(questions, Executed) else list
        rest = batch(q for q, v in zip(resolved, given, strict=True) if v is None)
        answers = iter(self._answer(rest) if rest else ())
        return [next(answers) if v is None else v for v in given]

    def ask_one(self, x: int, y: int, given: Sequence[int]) -> Verdict:
        """Ask one question."""
        return self.ask([(x, y, tuple(given))])[0]

    def run(self, steps: Steps[Result]) -> Result:
        """Answer what a search asks until it ends, and return what it found."""
        batch = next(steps)
        while True:
            verdicts: Iterable[Verdict]
            if isinstance(batch, AllPairs):
                verdicts = chain.from_iterable(self.ask_in_parts(batch))
            else:
                verdicts = self.ask(batch)
            try:
                batch = steps.send(verdicts)
            except StopIteration as end:
                found: Result = end.value
                return found

    def is_open(self, pair: tuple[int, int]) -> bool:
        """Return whether it is not known beforehand if two variables are joined."""
        return self.known is None or self.known.is_open(*pair)

    @property
    def n_open_pairs(self) -> int:
        """How many pairs there are of which that is not known."""
        n = len(self.names)
        return n * (n - 1) // 2 - (0 if self.known is None else self.known.n_decided)

    @property
    def n_initial(self) -> int:
        """How many questions to the source were initial ones: those come first, in one batch."""
        if self.known is None:
            return min(len(self.trace), self.n_open_pairs)
        answered = sum(v.source != KNOWLEDGE for v in self.trace)
        return min(answered, self.n_open_pairs)

    def remaining_graph(self) -> UndirectedGraph:
        """Return what a search that was stopped had left to take apart, with what is known."""
        found = remaining_graph(self.names, self.trace)
        if self.known is None:
            return found
        n, first = len(self.names), len(self.trace)  # of all pairs in order, what is known included
        required = [(x, y) for x, y in self.known.required.edges if place_of_pair(x, y, n) >= first]
        self.trace += [v for x, y in required if (v := self.known.answer(x, y, ()))]
        return self.known.impose(found)

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
