"""What CSGS and CSPC share: a graph for every canonical assignment, all of them learned together.

A canonical assignment is a row that occurs, and its canonical graph joins what depends on each other in the
contexts that the row gives. One assignment says nothing about another's graph; but where blankets agree, the
same question is asked of the data, and it is asked for all of them at once.
"""

from __future__ import annotations

import time
from abc import abstractmethod
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, ClassVar, NamedTuple, TypeVar

import numpy as np

from graphoid.counts.engine import refuse_large
from graphoid.errors import DataError, Interrupted, SettingsError
from graphoid.independence.chi_square import DEFAULT_TEST
from graphoid.independence.contexts import ContextTester, PlainContexts
from graphoid.learners.base import Learner, Run
from graphoid.limits import MOMENT, OutOfTime, time_limit, within_time
from graphoid.progress import Step, tell
from graphoid.settings import Allowed, Number
from graphoid.structure.contexts import CanonicalCost, CanonicalModel

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from graphoid.data.table import Table
    from graphoid.independence.base import DiscreteTest
    from graphoid.logic.assertion import Context
    from graphoid.progress import Listener
    from graphoid.structure.knowledge import KnownPairs

Item = TypeVar("Item")

ROUNDS = "rounds"
"""The setting of a model that was kept of an interrupted search: how many rounds are behind."""

Blankets = dict[int, set[int]]
"""The graph of one assignment while it is learned: the neighbors of every variable."""


ASSEMBLY = 5e-8
"""Seconds for a cell of all adjacency matrices that are left to put a model together, twice what it took."""


class Unfinished(NamedTuple):
    """A search between two rounds, from where it can go on: a round that was begun is asked again."""

    model: Callable[[], CanonicalModel]
    """Makes what can be kept; its settings say how many rounds are behind."""


class CanonicalGraphs:
    """The graphs of ``size`` assignments while they are learned: complete at first, or empty."""

    def __init__(self, size: int, n: int, *, complete: bool, known: KnownPairs | None = None) -> None:
        refuse_large(f"the graphs of {size:,} assignments of {n:,} variables", 3.0 * size * n * n)
        self.nodes = range(n)
        self.adjacency = np.empty((size, n, n), dtype=bool)
        self.known = known
        first = ~np.eye(n, dtype=bool) & complete
        if known is not None:
            for joined, pairs in ((True, known.required), (False, known.forbidden)):
                for a, b in pairs.edges:
                    first[a, b] = first[b, a] = joined
        for graph in within_time(self.adjacency):
            graph[:] = first
        self.begin = 0
        """Rounds that an earlier run has behind it."""
        self.keep: Callable[[int], Unfinished] | None = None
        """Makes what there is to go on from, before a round."""
        self.kept: Unfinished | None = None
        """That of the round at hand."""

    def rounds(self, items: Sequence[Item], phase: str, progress: Listener | None) -> Iterator[Item]:
        """Go through the rounds that are left, and tell a listener before each what there is to keep."""
        for done, item in enumerate(items):
            if done < self.begin:
                continue
            if self.keep is not None:
                self.kept = self.keep(done)
            progress = tell(progress, Step(phase, done, len(items), self.kept))
            yield item
        tell(progress, Step(phase, len(items), len(items)))

    def others(self, a: int) -> list[int]:
        """Return the variables of which it is to be found out where they are neighbors of ``a``."""
        return [b for b in self.nodes if b != a and (self.known is None or self.known.is_open(a, b))]

    def neighbors(self, a: int) -> NDArray[np.bool_]:
        """Return who is a neighbor of ``a`` now, an assignment a row; later changes do not show."""
        return self.adjacency[:, a].copy()

    def by_blanket(
        self, a: int, where: NDArray[np.bool_]
    ) -> Iterator[tuple[tuple[int, ...], NDArray[np.intp]]]:
        """Yield the blankets that ``a`` has there, each with the assignments that have it."""
        at = np.flatnonzero(where)
        if not at.size:
            return
        bits = np.packbits(self.adjacency[at, a], axis=1)
        rows = np.ascontiguousarray(bits).view(np.dtype((np.void, bits.shape[1]))).reshape(-1)
        _, first, group = np.unique(rows, return_index=True, return_inverse=True)
        blankets = [tuple(np.flatnonzero(self.adjacency[at[i], a]).tolist()) for i in first]
        for k, blanket in enumerate(blankets):
            yield blanket, at[group == k]

    def join(self, a: int, b: int, at: NDArray[np.intp]) -> None:
        """Join two variables in the graphs of some assignments."""
        self.adjacency[at, a, b] = self.adjacency[at, b, a] = True

    def part(self, a: int, b: int, at: NDArray[np.intp]) -> None:
        """Part two variables in the graphs of some assignments."""
        self.adjacency[at, a, b] = self.adjacency[at, b, a] = False


def context_of(assignment: Sequence[int], variables: Iterable[int]) -> Context:
    """Return what an assignment says of some variables.

    >>> context_of([1, 0, 2], [2, 0])
    ((0, 1), (2, 2))
    """
    return tuple((v, assignment[v]) for v in sorted(variables))


def one_by_one(
    strategy: Callable[[PlainContexts, Sequence[int]], Blankets],
    ci: PlainContexts,
    codes: NDArray[np.integer],
) -> NDArray[np.bool_]:
    """Return the graphs of all assignments, learned one after the other: the plain way, and the slow one."""
    size, n = codes.shape
    adjacency = np.zeros((size, n, n), dtype=bool)
    for i, assignment in enumerate(codes.tolist()):
        for a, blanket in strategy(ci, assignment).items():
            adjacency[i, a, sorted(blanket)] = True
    return adjacency


@dataclass(kw_only=True, eq=False)
class CanonicalLearner(Learner[ContextTester, CanonicalModel]):
    """A learner of canonical models."""

    test: DiscreteTest | None = None
    seconds: float | None = None
    start: CanonicalModel | None = field(default=None, repr=False)

    complete: ClassVar[bool]
    """Whether graphs are complete at first."""
    allowed: ClassVar[Mapping[str, Allowed]] = {"seconds": Number(least=0, optional=True)}

    @property
    def goes_by_columns(self) -> bool:
        """Algorithm 2 of [Edera2014]_ takes nodes and candidates in the order of the columns."""
        return True

    def _join(self, table: Table, run: Run) -> ContextTester:  # noqa: ARG002 - no answer is known before
        return ContextTester(DEFAULT_TEST if self.test is None else self.test, table)

    def _learn(self, source: ContextTester, run: Run) -> CanonicalModel:
        graphs, stopped = None, "converged"
        size, n, left = len(source.assignments), len(source.names), run.left
        try:
            with time_limit(None if left is None else max(MOMENT, left)):
                graphs = self._graphs(source, run)
                with time_limit(None if left is None else left - min(left / 2, ASSEMBLY * size * n * n)):
                    self._search(source, graphs, run.progress)
        except OutOfTime:
            if left is None and graphs is None:  # the time of somebody outside
                raise
            stopped = "budget"
        except KeyboardInterrupt:
            if graphs is None or graphs.kept is None:
                raise
            raise Interrupted(graphs.kept.model()) from None
        try:
            if graphs is not None:
                with time_limit(None if run.left is None else max(MOMENT, run.left)):
                    return self._model(
                        source, run, graphs.adjacency, self._cost(source), source.n_distinct, stopped=stopped
                    )
        except OutOfTime:
            if left is None:
                raise
        raise SettingsError(
            f"{type(self).__name__}: {self.seconds} s are too few for the graphs of {size:,} assignments of "
            f"{n:,} variables; raise seconds, or choose fewer columns."
        )

    def _graphs(self, source: ContextTester, run: Run) -> CanonicalGraphs:
        """Return the graphs to begin with, and to keep if Ctrl-C ends the search."""
        size, n = len(source.assignments), len(source.names)
        graphs = CanonicalGraphs(size, n, complete=self.complete, known=run.pairs)
        if self.start is not None:
            self._go_on(source, graphs, self.start)
        graphs.keep = partial(self._snapshot, source, graphs, partial(self._model, source, run))
        return graphs

    def _go_on(self, source: ContextTester, graphs: CanonicalGraphs, start: CanonicalModel) -> None:
        """Begin with the graphs of a search that was interrupted, after the rounds that it has behind it."""
        kept = start.settings if isinstance(start, CanonicalModel) else {}
        rounds = kept.get(ROUNDS)
        if not isinstance(rounds, int) or kept.get("learner") != type(self).__name__:
            raise SettingsError(
                f"start must be what was kept of an interrupted {type(self).__name__}, not {start!r}."
            )
        codes = source.assignments.codes
        if start.names != source.names or not np.array_equal(start.assignments, codes):
            raise DataError("start was learned from another table: its columns or rows differ.")
        n = len(source.names)
        matrices = np.zeros((len(start.graphs), n, n), dtype=bool)
        for matrix, graph in zip(matrices, within_time(start.graphs), strict=True):
            for x, y in graph.edges:
                matrix[x, y] = matrix[y, x] = True
        graphs.adjacency[:] = matrices[start.graph_of]
        graphs.begin = rounds

    def _snapshot(
        self,
        source: ContextTester,
        graphs: CanonicalGraphs,
        result: Callable[..., CanonicalModel],
        rounds: int,
    ) -> Unfinished:
        adjacency, cost, n_distinct = graphs.adjacency.copy(), self._cost(source), source.distinct_so_far()

        def model() -> CanonicalModel:
            return result(adjacency, cost, n_distinct(), stopped="interrupted", rounds=rounds)

        return Unfinished(model)

    def _cost(self, source: ContextTester) -> CanonicalCost:
        """Return what was asked so far, by earlier runs as well, but for time and different questions."""
        before = CanonicalCost() if self.start is None else self.start.cost
        return replace(
            before,
            n_tests=before.n_tests + source.n_questions,
            weighted=before.weighted + source.weighted,
            rows_read=before.rows_read + source.rows_read,
            queries=before.queries + source.n_counted,
        )

    def _model(
        self,
        source: ContextTester,
        run: Run,
        adjacency: NDArray[np.bool_],
        cost: CanonicalCost,
        n_distinct: int,
        *,
        stopped: str,
        **more: int,
    ) -> CanonicalModel:
        return CanonicalModel.of(
            names=source.names,
            states=source.states,
            assignments=source.assignments.codes,
            n_rows=source.assignments.n_rows,
            adjacency=adjacency,
            cost=replace(
                cost,
                seconds=cost.seconds + time.perf_counter() - run.started,
                n_distinct=cost.n_distinct + n_distinct,
            ),
            settings={**self._record(source), **more},
            data_id=run.data_id,
            stopped=stopped,
        )

    @abstractmethod
    def _search(self, ci: ContextTester, graphs: CanonicalGraphs, progress: Listener | None) -> None:
        """Change the graph of every assignment to what it is to be."""
