"""What learners share: settings in, a table or a source of answers, a result out."""

from __future__ import annotations

import math
import time
from abc import ABC, abstractmethod
from dataclasses import KW_ONLY, dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NamedTuple, Self, TypeVar

import numpy as np

from graphoid.counts.native import engine_for
from graphoid.counts.remote.access_cost import AccessCost, MeteredEngine
from graphoid.data.remote.table import RemoteTable
from graphoid.data.table import Table, with_states
from graphoid.errors import Interrupted, SettingsError
from graphoid.independence.base import HasTest, TableTest, Test
from graphoid.independence.chi_square import DEFAULT_TEST
from graphoid.independence.likelihood_ratio import LikelihoodRatio
from graphoid.independence.remembering import Remembering
from graphoid.independence.tester import Tester
from graphoid.learners.columns import Columns, Structure
from graphoid.learners.questions import Questions
from graphoid.limits import MOMENT, OutOfTime, time_limit
from graphoid.settings import Allowed, Number, Settings, describe, json_value
from graphoid.structure.explain import COLUMN_ORDER
from graphoid.structure.knowledge import KNOWLEDGE, Knowledge, KnownPairs
from graphoid.structure.learned import Cost, LearnedStructure

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sklearn.utils import Tags

    from graphoid.counts.engine import Kernel
    from graphoid.logic.source import IndependenceSource
    from graphoid.logic.verdict import Verdict
    from graphoid.progress import Listener
    from graphoid.structure.graph import UndirectedGraph

Source = TypeVar("Source")
"""What settings and a table make together: something that answers questions, or scores graphs."""
AnyCost = TypeVar("AnyCost", bound=Cost)


class ResampleKernel(NamedTuple):
    """What the grow-shrink kernel over resamples needs of a learner (``native/graphs/grow_shrink.cpp``)."""

    test: Kernel
    alpha: float
    propagate: bool
    skip_independent: bool
    both: bool
    """Whether both ends of an edge have to find it."""
    infer: bool
    check: float = -math.inf
    """Pairs of this log p-value at most are taken apart by tests of their own only."""


class Run(NamedTuple):
    """One run of a learner: who listens, and what the result says of it."""

    progress: Listener | None = None
    data_id: str | None = None
    known: Sequence[Verdict] = ()
    """Answers of an earlier run, which are not asked again."""
    started: float = 0.0
    """On the clock :func:`time.perf_counter`."""
    columns: Columns | None = None
    """Those that the learner sees; None for all."""
    pairs: KnownPairs | None = None
    """What is known of the pairs that it sees."""
    until: float = math.inf
    """On the clock :func:`time.monotonic`."""

    @property
    def left(self) -> float | None:
        """Seconds until the end; None for no end."""
        return None if math.isinf(self.until) else self.until - time.monotonic()


@dataclass(eq=False)
class Learner(Settings, ABC, Generic[Source, Structure]):
    """Learns a structure from a table; its fields are its settings, stored as given and checked in ``fit``.

    A learner says how its settings and a table become the :data:`Source` that it searches by
    (:meth:`_join`), and what it finds there (:meth:`_learn`). All else is the same for all of them.

    Parameters
    ----------
    knowledge
        What is known about edges before the data are seen; None for nothing.
    """

    _: KW_ONLY
    knowledge: Knowledge | None = field(default=None, repr=False)

    named: ClassVar[bool] = True
    asks: ClassVar[bool] = False
    """Whether it asks questions, and so can go on from answers to them."""

    def fit(
        self,
        table: object,
        y: object = None,  # noqa: ARG002 - scikit-learn's pipelines give it
        *,
        progress: Listener | None = None,
        known: Sequence[Verdict] = (),
    ) -> Self:
        """Learn from a table (anything that :func:`graphoid.read` takes will do) and return self.

        The result is :attr:`structure_`; ``y`` is not looked at. A listener hears how far it has come.
        ``known``, for learners that ask questions, are answers by the same test on the same table, such as
        the trace of a run that was stopped: they are not asked again.
        """
        self.check()
        if known and not self.asks:
            raise SettingsError(f"{type(self).__name__} asks no questions; leave out the known answers.")
        if not isinstance(table, Table):
            from graphoid.data.read import read

            table = read(table)
        if table.missing == "impute" and table.n_missing:
            return self._fit_imputed(table, progress)
        pairs = None if self.knowledge is None else self.knowledge.on(table.names)
        run = Run(progress, table.data_id, known, time.perf_counter(), pairs=pairs, until=self._until())
        numbers = [v.name for v in table.variables if v.continuous] if self.cuts_numbers(table) else []
        if numbers:
            table = with_states(table)
        seen = table
        columns = Columns(table) if table.constants else None
        if columns is not None:
            run = run._replace(
                progress=columns.listener(progress), known=columns.restrict_verdicts(known), columns=columns
            )
            run = run._replace(pairs=None if pairs is None else pairs.restrict(columns.at))
            seen = table.varying
        engine = engine_for(seen) if isinstance(seen, RemoteTable) else None
        before = engine.spent if isinstance(engine, MeteredEngine) else AccessCost()
        try:
            structure = self._learn(self._join_in_time(seen, run), run)
        except Interrupted as stop:
            if columns is not None and isinstance(stop.structure, LearnedStructure):
                stop.structure = columns.spread(stop.structure)
            raise
        if columns is not None:
            structure = columns.spread(structure, pairs)
        if isinstance(engine, MeteredEngine):
            structure = replace(structure, cost=add_access_cost(structure.cost, engine, before))
        if numbers:
            structure = replace(structure, settings={**structure.settings, "discretized": numbers})
        self._structure: Structure = replace(structure, table=table, learner=self.with_params())
        self.feature_names_in_ = np.array(table.names, dtype=object)
        self.n_features_in_ = len(table.names)
        return self

    def _fit_imputed(self, table: Table, progress: Listener | None) -> Self:
        """Learn from tables in which missing cells are drawn, and pool what was found."""
        from graphoid.uncertainty.imputation import learn_imputed

        seconds = Run(until=self._until()).left

        def learn(completed: Table, left: float | None) -> Structure:
            own = {} if left is None else {"seconds": left}
            return self.with_params(**own).fit(completed, progress=progress).structure_

        pooled = replace(learn_imputed(table, learn, seconds=seconds), learner=self.with_params())
        self._structure = pooled  # type: ignore[assignment] # what is pooled is no canonical model
        self.feature_names_in_ = np.array(table.names, dtype=object)
        self.n_features_in_ = len(table.names)
        return self

    def check(self) -> None:
        """Raise if a setting has a value it cannot have."""
        super().check()
        if not isinstance(self.knowledge, Knowledge | None):
            raise SettingsError(
                f"{type(self).__name__}: knowledge must be Knowledge(...) or None, not {self.knowledge!r}."
            )

    def _until(self) -> float:
        """Return when its time is over that begins now; without ``seconds`` it has no end."""
        seconds = vars(self).get("seconds")
        return math.inf if seconds is None else time.monotonic() + float(seconds)

    def _join_in_time(self, table: Table, run: Run) -> Source:
        """Return what the search goes by, if that leaves time for a search."""
        try:
            with time_limit(None if run.left is None else max(MOMENT, run.left)):
                return self._join(table, run)
        except OutOfTime:
            if run.left is None or run.left > 0:  # the time of somebody outside
                raise
            seconds = vars(self)["seconds"]
            raise SettingsError(
                f"{type(self).__name__}: {seconds} s were over before the search began; raise seconds."
            ) from None

    @property
    def structure_(self) -> Structure:
        """The result of the last :meth:`fit`."""
        try:
            return self._structure
        except AttributeError:
            raise AttributeError(
                f"{type(self).__name__} has no structure_ yet; call fit(table) first."
            ) from None

    @property
    def takes_numbers(self) -> bool:
        """Whether it learns from numbers as they are; if not, from the table with numbers cut into bins."""
        return False

    def cuts_numbers(self, table: Table) -> bool:  # noqa: ARG002 - on which others depend
        """Return whether it learns from a table with numbers cut into bins."""
        return not self.takes_numbers

    @property
    def goes_by_columns(self) -> bool:
        """Whether it goes through the columns in their order, so that another may give other edges."""
        return False

    def set_params(self, **params: object) -> Self:
        """Change settings by the names of :meth:`get_params`, and return self."""
        for name, value in self._changes(params).items():
            setattr(self, name, value)
        return self

    def __sklearn_tags__(self) -> Tags:
        from sklearn.utils import InputTags, Tags, TargetTags

        read = InputTags(categorical=True, string=True)
        return Tags(estimator_type=None, target_tags=TargetTags(required=False), input_tags=read)

    def for_resamples(self, found: LearnedStructure) -> Learner[Source, Structure]:  # noqa: ARG002 - on which searches depend
        """Return the learner that learns from resamples of the rows in which it found a structure."""
        return self

    def resample_kernel(self) -> ResampleKernel | None:
        """Return the settings of the kernel that learns from many resamples at once; None if it cannot."""
        return None

    @abstractmethod
    def _join(self, table: Table, run: Run) -> Source:
        """Return what the search goes by, on a table."""

    @abstractmethod
    def _learn(self, source: Source, run: Run) -> Structure:
        """Search, and put the result together."""

    def _record(self, ci: object = None, **used: object) -> dict[str, object]:
        """Return the settings as plain values that JSON can hold; ``used`` stands for some of them.

        Where questions were put to ``ci``, that is who answered, and by which test.
        """
        if ci is not None:
            test = ci.test if isinstance(ci, (Tester, HasTest)) else None
            used = {"answers": type(ci).__name__, "test": None if test is None else describe(test)}
        own = {f.name: json_value(vars(self)[f.name]) for f in fields(self) if f.name != KNOWLEDGE}
        own = {"learner": type(self).__name__, **used, **{k: v for k, v in own.items() if k not in used}}
        if self.goes_by_columns:
            own["column_order"] = COLUMN_ORDER
        if self.knowledge is not None:
            own[KNOWLEDGE] = self.knowledge.to_values()
        return {name: value for name, value in own.items() if value is not None or name not in used}


def add_access_cost(cost: AnyCost, engine: MeteredEngine, before: AccessCost) -> AnyCost:
    """Return a cost with what access to the data took since ``before``."""
    spent, found, prices = engine.spent - before, engine.discovery, engine.prices
    if prices is not None:
        read = AccessCost(found.queries, found.rows_read, found.bytes_read, seconds=found.seconds)
        found = replace(found, money=prices.of(read))
    return replace(
        cost,
        queries=spent.queries,
        rows_read=spent.rows_read,
        bytes_read=spent.bytes_read,
        bytes_moved=spent.bytes_moved,
        money=0.0 if prices is None else prices.of(spent),
        discovery=found,
    )


AnyLearner = Learner[Any, Any]


@dataclass(kw_only=True, eq=False)
class AskingLearner(Learner["IndependenceSource", LearnedStructure]):
    """A learner that asks for independences."""

    test: Test | None = None

    asks: ClassVar[bool] = True
    default_tests: ClassVar[tuple[Test, Test]] = DEFAULT_TEST, LikelihoodRatio()
    """The test unless one is given: where all columns have states, and where some are numbers."""

    @property
    def takes_numbers(self) -> bool:
        """Whether its test does; left to choose, it chooses one that does where there are numbers."""
        return self.test is None or isinstance(self.test, TableTest)

    def cuts_numbers(self, table: Table) -> bool:
        """Return whether it learns from bins: left to choose, it counts where the rows are out of reach."""
        return not self.takes_numbers or (self.test is None and isinstance(table, RemoteTable))

    def test_for(self, table: Table) -> Test:
        """Return the test that it goes by: its own, or the one that fits the kinds of the columns."""
        if self.test is not None:
            return self.test
        return self.default_tests[any(v.continuous for v in table.variables)]

    def learn(self, ci: IndependenceSource, *, progress: Listener | None = None) -> LearnedStructure:
        """Learn from anything that answers questions, and return the result; ``test`` is not used."""
        self.check()
        pairs = None if self.knowledge is None else self.knowledge.on(ci.names)
        return self._learn(ci, Run(progress, started=time.perf_counter(), pairs=pairs))

    def _join(self, table: Table, run: Run) -> IndependenceSource:
        tester = Tester(self.test_for(table), table)
        return Remembering(tester, run.known) if run.known else tester


@dataclass(kw_only=True, eq=False)
class IndependenceLearner(AskingLearner):
    """A learner that finds a graph by its questions, and has no more to tell than that and them.

    After ``seconds``, or on Ctrl-C, it joins the pairs that no answer separates, and calls them undecided.
    """

    seconds: float | None = None

    allowed: ClassVar[Mapping[str, Allowed]] = {"seconds": Number(least=0, optional=True)}

    @abstractmethod
    def _search(self, questions: Questions) -> tuple[UndirectedGraph, int]:
        """Return the graph, and how many of the questions were initial ones."""

    def _learn(self, source: IndependenceSource, run: Run) -> LearnedStructure:
        questions, found, stopped = Questions(source, run.progress, run.pairs), None, "converged"
        try:
            with time_limit(run.left):
                found = self._search(questions)
        except OutOfTime:
            stopped = "budget"
        except KeyboardInterrupt:
            stopped = "interrupted"
        graph, n_initial = found or (questions.remaining_graph(), questions.n_initial)
        seconds, trace = time.perf_counter() - run.started, questions.trace.done()
        structure = LearnedStructure(
            graph=graph,
            trace=trace,
            cost=Cost.of(trace, n_initial=n_initial, seconds=seconds, queries=questions.queries),
            stopped=stopped,
            settings=self._record(source),
            data_id=run.data_id,
        )
        if stopped == "interrupted":
            raise Interrupted(structure)
        return structure
