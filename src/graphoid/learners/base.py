"""What learners that ask questions share: settings in, a table or a source of answers, a result out."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from dataclasses import asdict, dataclass, fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any, Self, TypeVar

from graphoid.counts.remote.access_cost import AccessCost, spent_by
from graphoid.data.table import Table
from graphoid.errors import SettingsError
from graphoid.independence.chi_square import ChiSquare
from graphoid.independence.remembering import Remembering
from graphoid.independence.tester import Tester
from graphoid.logic.source import rows_per_cell
from graphoid.progress import Step, tell
from graphoid.structure.contexts import CanonicalModel
from graphoid.structure.learned import EXECUTED, Cost, LearnedStructure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graphoid.independence.base import DiscreteTest
    from graphoid.independence.partial_correlation import PartialCorrelation
    from graphoid.logic.source import IndependenceSource, Question
    from graphoid.logic.verdict import Verdict
    from graphoid.progress import Listener
    from graphoid.structure.graph import UndirectedGraph

_Structure = TypeVar("_Structure", LearnedStructure, CanonicalModel)


class Questions:
    """Puts questions to a source of answers and keeps every answer, in order.

    Parameters
    ----------
    ci
        The thing that answers.
    progress
        Hears how far the search has come, with the trace so far.
    """

    def __init__(self, ci: IndependenceSource, progress: Listener | None = None) -> None:
        self.names = tuple(ci.names)
        self.trace: list[Verdict] = []
        self.queries = 0
        self._ci = ci
        self._progress = progress

    def ask(self, questions: Sequence[Question]) -> list[Verdict]:
        """Ask in one trip."""
        return self._kept(self._ci.ask(questions) if questions else [])

    def execute(self, questions: Sequence[Question]) -> list[Verdict]:
        """Ask in one trip, and have tests executed even where rules know an answer."""
        execute = getattr(self._ci, "execute", self._ci.ask)
        return self._kept(execute(questions) if questions else [])

    def _kept(self, verdicts: list[Verdict]) -> list[Verdict]:
        self.queries += any(v.source in EXECUTED for v in verdicts)
        self.trace += verdicts
        return verdicts

    def ask_one(self, x: int, y: int, given: Sequence[int]) -> Verdict:
        """Ask one question."""
        verdict = self._ci.ask([(x, y, tuple(given))])[0]
        self.queries += verdict.source in EXECUTED
        self.trace.append(verdict)
        return verdict

    def rows_per_cell(self, variables: Sequence[int]) -> float:
        """Return how many rows there are for each cell of a table; infinite where answers need no data."""
        return rows_per_cell(self._ci, variables)

    def tell(self, phase: str, done: int, total: int | None = None) -> None:
        """Tell the listener how far the search has come."""
        self._progress = tell(self._progress, Step(phase, done, total, so_far=self.trace))

    def note(self, verdict: Verdict) -> Verdict:
        """Keep an answer that took no question."""
        self.trace.append(verdict)
        return verdict


@dataclass(kw_only=True, eq=False)
class AskingLearner(ABC):
    """A learner that asks for independences; its fields are its settings, stored as given."""

    test: DiscreteTest | PartialCorrelation | None = None

    def fit(self, table: Any, *, progress: Listener | None = None, known: Sequence[Verdict] = ()) -> Self:
        """Learn from a table (anything that :func:`graphoid.read` takes will do) and return self.

        The result is :attr:`structure_`. A listener hears how far it has come. ``known`` are answers by the
        same test on the same table, such as the trace of a run that was stopped: they are not asked again.
        """
        self._check()
        if not isinstance(table, Table):
            from graphoid.data.read import read

            table = read(table)
        started = time.perf_counter()
        tester = self._tester(table)
        before = spent_by(getattr(tester, "engine", None))
        ci = Remembering(tester, known) if known else tester
        structure = self._learned(ci, table.data_id, started, progress)
        structure = charged(structure, getattr(tester, "engine", None), before)
        self._structure = replace(structure, table=table)
        return self

    def learn(self, ci: IndependenceSource, *, progress: Listener | None = None) -> LearnedStructure:
        """Learn from anything that answers questions, and return the result; ``test`` is not used."""
        self._check()
        return self._learned(ci, None, time.perf_counter(), progress)

    @property
    def structure_(self) -> LearnedStructure:
        """The result of the last :meth:`fit`."""
        try:
            return self._structure
        except AttributeError:
            raise AttributeError(
                f"{type(self).__name__} has no structure_ yet; call fit(table) first."
            ) from None

    def _tester(self, table: Table) -> Tester:
        """Return who answers questions about a table."""
        return Tester(ChiSquare() if self.test is None else self.test, table)

    def _answering(self, ci: IndependenceSource) -> IndependenceSource:
        """Return who answers this learner's questions, which may be more than the source alone."""
        return ci

    def _check(self) -> None:
        """Raise if a setting has a value it cannot have."""
        check_flags(self)

    @abstractmethod
    def _learned(
        self, ci: IndependenceSource, data_id: str | None, started: float, progress: Listener | None = None
    ) -> LearnedStructure:
        """Return what is learned from the answers of a source."""

    def _settings(self, ci: IndependenceSource) -> dict[str, Any]:
        """Return the settings used as plain values that JSON can hold; the test is the one that answered."""
        test = getattr(ci, "test", None)
        used = {} if test is None else {"test": described(test)}
        return {"learner": type(self).__name__, "answers": type(ci).__name__, **used, **own_settings(self)}


@dataclass(kw_only=True, eq=False)
class IndependenceLearner(AskingLearner):
    """A learner that finds a graph by its questions, and has no more to tell than that and them."""

    @abstractmethod
    def _search(self, questions: Questions) -> tuple[UndirectedGraph, int]:
        """Return the graph, and how many of the questions were initial ones."""

    def _learned(
        self, ci: IndependenceSource, data_id: str | None, started: float, progress: Listener | None = None
    ) -> LearnedStructure:
        """Search, and put graph, trace and cost together."""
        questions = Questions(self._answering(ci), progress)
        graph, n_initial = self._search(questions)
        seconds = time.perf_counter() - started
        trace = tuple(questions.trace)
        return LearnedStructure(
            graph=graph,
            trace=trace,
            cost=Cost.of(trace, n_initial=n_initial, seconds=seconds, queries=questions.queries),
            settings=self._settings(ci),
            data_id=data_id,
        )


def check_flags(learner: Any) -> None:
    """Raise if a setting of a learner that is True or False has another value."""
    for setting in fields(learner):
        value = getattr(learner, setting.name)
        if isinstance(setting.default, bool) and not isinstance(value, bool):
            raise SettingsError(
                f"{type(learner).__name__}: {setting.name} must be True or False, not {value!r}."
            )


def own_settings(learner: Any) -> dict[str, Any]:
    """Return the settings of a learner but for its test, as plain values that JSON can hold."""
    return {s.name: plain(getattr(learner, s.name)) for s in fields(learner) if s.name != "test"}


def charged(structure: _Structure, engine: Any, before: AccessCost | None) -> _Structure:
    """Return a structure with what the trips to its data took; as it is, where the data are in memory."""
    after = spent_by(engine)
    if before is None or after is None:
        return structure
    taken, found = after - before, engine.discovery
    if engine.prices is not None:
        read = AccessCost(found.queries, found.rows_read, found.bytes_read, seconds=found.seconds)
        found = replace(found, money=engine.prices.of(read))
    cost = replace(
        structure.cost,
        queries=taken.queries,
        rows_read=taken.rows_read,
        bytes_read=taken.bytes_read,
        bytes_moved=taken.bytes_moved,
        money=0.0 if engine.prices is None else engine.prices.of(taken),
        discovery=found,
    )
    return replace(structure, cost=cost)


def described(test: Any) -> dict[str, Any]:
    """Return the name and the settings of a test."""
    held = asdict(test) if is_dataclass(test) and not isinstance(test, type) else {}
    return {"name": type(test).__name__, **{key: plain(value) for key, value in held.items()}}


def plain(value: Any) -> Any:
    """Return a setting as JSON can hold it: as it is, or by its ``repr``."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return repr(value)
