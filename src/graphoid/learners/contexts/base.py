"""What CSGS and CSPC share: a graph for every canonical assignment, all of them learned together.

A canonical assignment is a row that occurs, and its canonical graph joins what depends on each other in the
contexts that the row gives. One assignment says nothing about another's graph; but where blankets agree, the
same question is asked of the data, and it is asked for all of them at once.
"""

from __future__ import annotations

import time
from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from graphoid.counts.engine import refuse_large
from graphoid.independence.chi_square import DEFAULT_TEST
from graphoid.independence.contexts import ContextTester, PlainContexts
from graphoid.learners.base import Learner, Run
from graphoid.limits import OutOfTime, time_limit
from graphoid.settings import Allowed, Number
from graphoid.structure.contexts import CanonicalCost, CanonicalModel

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from graphoid.data.table import Table
    from graphoid.independence.base import DiscreteTest
    from graphoid.logic.assertion import Context
    from graphoid.progress import Listener

Blankets = dict[int, set[int]]
"""The graph of one assignment while it is learned: the neighbors of every variable."""


class CanonicalGraphs:
    """The graphs of ``size`` assignments while they are learned: complete at first, or empty."""

    def __init__(self, size: int, n: int, *, complete: bool) -> None:
        refuse_large(f"the graphs of {size:,} assignments of {n:,} variables", 2.0 * size * n * n)
        self.nodes = range(n)
        self.adjacency = np.full((size, n, n), complete)
        self.adjacency[:, self.nodes, self.nodes] = False

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

    complete: ClassVar[bool]
    """Whether graphs are complete at first."""
    allowed: ClassVar[Mapping[str, Allowed]] = {"seconds": Number(least=0, optional=True)}

    @property
    def goes_by_columns(self) -> bool:
        """Algorithm 2 of [Edera2014]_ takes nodes and candidates in the order of the columns."""
        return True

    def _join(self, table: Table, run: Run) -> ContextTester:  # noqa: ARG002 - nothing is known before
        return ContextTester(DEFAULT_TEST if self.test is None else self.test, table)

    def _learn(self, source: ContextTester, run: Run) -> CanonicalModel:
        graphs = CanonicalGraphs(len(source.assignments), len(source.names), complete=self.complete)
        stopped = "converged"
        try:
            with time_limit(self.seconds):
                self._search(source, graphs, run.progress)
        except OutOfTime:
            stopped = "budget"
        return CanonicalModel.of(
            names=source.names,
            states=source.states,
            assignments=source.assignments.codes,
            n_rows=source.assignments.n_rows,
            adjacency=graphs.adjacency,
            cost=CanonicalCost(
                n_tests=source.n_questions,
                weighted=source.weighted,
                seconds=time.perf_counter() - run.started,
                rows_read=source.rows_read,
                queries=source.n_counted,
                n_distinct=source.n_distinct,
            ),
            settings=self._record(source),
            data_id=run.data_id,
            stopped=stopped,
        )

    @abstractmethod
    def _search(self, ci: ContextTester, graphs: CanonicalGraphs, progress: Listener | None) -> None:
        """Change the graph of every assignment to what it is to be."""
