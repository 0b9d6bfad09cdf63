"""What both filters share as learners: a budget, prices, a checkpoint, and the loop over their steps."""

from __future__ import annotations

import math
import time
from abc import abstractmethod
from dataclasses import dataclass
from inspect import isroutine
from typing import TYPE_CHECKING, ClassVar, Generic, Protocol, TypeVar

from graphoid.errors import SettingsError
from graphoid.independence.base import HasTest, Test
from graphoid.independence.bayes_factor import BayesFactor
from graphoid.independence.bayesian import BayesianTest
from graphoid.independence.inferring import CHECK_BELOW, StrongPairs
from graphoid.learners.base import AskingLearner, Run
from graphoid.learners.pfmn.budget import Budget, BudgetedQuestions, Price, StepInfo, weight
from graphoid.learners.pfmn.checkpoint import Checkpoint
from graphoid.learners.pfmn.information import entropy
from graphoid.learners.pfmn.population import Outcome, Query, check_size, edge_frequencies, merge_equal
from graphoid.learners.questions import Questions
from graphoid.limits import OutOfTime, time_limit
from graphoid.logic.sets import members
from graphoid.progress import Listener, Step, tell
from graphoid.settings import NOT_NEGATIVE, PROBABILITY, Allowed, Number, RandomState, seed_and_generator
from graphoid.structure.graph import UndirectedGraph
from graphoid.structure.learned import Cost, LearnedStructure

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator, Mapping

    from numpy.random import Generator

    from graphoid.logic.source import IndependenceSource
    from graphoid.structure.knowledge import KnownPairs

_NOT_THE_RUN = {"answers", "budget", "checkpoint", "column_order", "cost", "progress", "random_state"}
"""Settings that may differ when a run is resumed, and those that are compared in another form."""


class Stoppable(Protocol):
    """What the next step of a search needs, and whether there is one."""

    @property
    def stopped(self) -> str | None:
        """Why the search is over, or None."""


State = TypeVar("State", bound=Stoppable)


class Search(Protocol[State]):
    """A search that can be stopped, watched and resumed between any two steps."""

    questions: BudgetedQuestions

    def init(self, rng: Generator) -> State:
        """Return the state before any test."""

    def step(self, rng: Generator, state: State) -> tuple[State, list[StepInfo]]:
        """Ask what is asked at once, and say of each test what a reader wants; none where none is left."""

    def preview(self, rng: Generator, state: State) -> tuple[Query, float] | None:
        """Return the test that would be asked next whatever it costs, and what it is expected to tell."""

    def result(self, rng: Generator, state: State) -> Outcome:
        """Return what the search ends with."""


@dataclass(kw_only=True, eq=False)
class ParticleLearner(AskingLearner, Generic[State]):
    """A learner that keeps a population of structures and asks what that wants, within a budget."""

    n_particles: int
    budget: float | Mapping[str, float] | Budget | None = None
    cost: Price | None = None
    random_state: RandomState = None
    moves: int
    beta: float
    soften: float = 1e-10
    checkpoint: str | os.PathLike[str] | None = None
    progress: Listener | None = None

    default_tests: ClassVar[tuple[Test, Test]] = BayesianTest(), BayesFactor()
    allowed: ClassVar[Mapping[str, Allowed]] = {
        "n_particles": Number(least=2, whole=True),
        "moves": Number(least=0, whole=True),
        "beta": NOT_NEGATIVE,
        "soften": PROBABILITY,
    }

    def steps(self, ci: IndependenceSource) -> Iterator[StepInfo]:
        """Yield what a reader wants to know of every test, one at a time; stop when you like."""
        search, rng = self.begin(ci)
        state = search.init(rng)
        while state.stopped is None:
            state, infos = search.step(rng, state)
            yield from infos

    def begin(self, ci: IndependenceSource) -> tuple[Search[State], Generator]:
        """Return the search itself, with its ``init(rng)`` and ``step(rng, state)``, and its generator."""
        self.check()
        seed, rng = seed_and_generator(self.random_state)
        known = None if self.knowledge is None else self.knowledge.on(ci.names)
        return self._search(self._budget_questions(Questions(ci), ci, Run(), seed), known), rng

    @property
    def goes_by_columns(self) -> bool:
        """Structures are drawn, and equals chosen from, pair by pair in the order of the columns."""
        return True

    @abstractmethod
    def _search(self, questions: BudgetedQuestions, known: KnownPairs | None) -> Search[State]:
        """Return the search, ready to begin."""

    def _learn(self, source: IndependenceSource, run: Run) -> LearnedStructure:
        questions = Questions(source)
        seed, rng = seed_and_generator(self.random_state)
        search = self._search(self._budget_questions(questions, source, run, seed), run.pairs)
        state = search.init(rng)
        log: list[list[float]] = []
        listener = run.progress
        if listener is None:
            listener = self.progress if run.columns is None else run.columns.listener(self.progress)
        late = False
        try:
            with time_limit(search.questions.seconds_left):
                while state.stopped is None:
                    state, infos = search.step(rng, state)
                    log += [[info.spent, info.entropy] for info in infos]
                    if infos:
                        listener = tell(listener, Step("tests", len(log), so_far=questions.trace))
        except OutOfTime:  # within a step: the state before it stands
            late = True
        left = search.questions.seconds_left
        late = late or (left is not None and left <= 0)
        found = search.result(rng, state)
        strong = StrongPairs(CHECK_BELOW)
        strong.remember(questions.trace)
        overruled = [v for v in found.inferred if v.independent and strong.doubts(v)]
        for verdict in found.inferred:
            questions.note(verdict)
        trace = questions.trace.done()
        blankets = {x: members(bits) for x, bits in enumerate(found.best.tolist())}
        return LearnedStructure(
            graph=UndirectedGraph.from_blankets(blankets, questions.names),
            trace=trace,
            cost=Cost.of(trace, seconds=time.perf_counter() - run.started, queries=questions.queries),
            stopped=state.stopped or "budget",
            settings=self._record(source),
            seed=seed,
            data_id=run.data_id,
            edge_probabilities=edge_frequencies(found.graphs, found.weights),
            details={
                "verified": found.proved,
                "spent": search.questions.spent,
                "effective_structures": math.exp(entropy(merge_equal(found.graphs, found.weights)[1])),
                "next_test": None if found.proved or late else _next_test(search, rng, state),
                "entropy_by_cost": log,
                "overruled": [[questions.names[v.x], questions.names[v.y]] for v in overruled],
            },
        )

    def _budget_questions(
        self, questions: Questions, ci: IndependenceSource, run: Run, seed: int | None
    ) -> BudgetedQuestions:
        """Return who is asked, within the budget, with the answers that are on file."""
        check_size(len(questions.names))
        same = {name: value for name, value in self._record(ci).items() if name not in _NOT_THE_RUN}
        if same.get("batch") == 1:  # as in files of before there were batches
            del same["batch"]
        same |= {
            # a function without its address
            "cost": self.cost.__qualname__ if isroutine(self.cost) else repr(self.cost),
            "seed": seed,
            "data": run.data_id,
            "names": list(questions.names),
        }
        price = weight if self.cost is None else self.cost
        if self.cost is not None and run.columns is not None:
            price = run.columns.restrict_price(self.cost)
        return BudgetedQuestions(
            questions,
            ci.test if isinstance(ci, HasTest) else None,
            price,
            Budget.of(self.budget),
            Checkpoint(self.checkpoint, same),
            self.soften,
        )

    def check(self) -> None:
        """Raise if a setting has a value it cannot have."""
        super().check()
        name = type(self).__name__
        if self.cost is not None and not callable(self.cost):
            raise SettingsError(f"{name}: cost must be a function of a test, not {self.cost!r}.")
        Budget.of(self.budget)
        if self.checkpoint is not None and self.random_state not in Number(least=0, whole=True):
            raise SettingsError(
                f"{name}: a run that can be resumed needs a seed, a whole number; random_state is "
                f"{self.random_state!r}."
            )


def _next_test(search: Search[State], rng: Generator, state: State) -> dict[str, object] | None:
    """Return the test that would come next, and why, as plain values."""
    found = search.preview(rng, state)
    if found is None:
        return None
    test, information = found
    price = search.questions.price_of(test)
    return {
        "x": test.x,
        "y": test.y,
        "given": list(members(test.given)),
        "information": information,
        "price": price,
        "why": f"its answer is expected to tell {information:.3g} nats for a price of {price:g}",
    }
