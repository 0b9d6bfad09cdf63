"""Counts where cells are missing and complete rows count by how unlikely they were to be complete."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, cast

from graphoid.counts.contingency import Counts
from graphoid.counts.engine import Columns, CountEngine, CountRequest, JudgingEngine

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from graphoid.counts.engine import Kernel, Positions, Resolve
    from graphoid.data.table import Table
    from graphoid.logic.source import Question


class WeightedEngine:
    """Counts every set of variables in the rows that are complete for it, by their weights.

    Parameters
    ----------
    table
        With holes.
    engine_of
        Returns what counts the rows of a set of variables, of which no cell is missing.
    """

    def __init__(self, table: Table, engine_of: Callable[[Table], CountEngine]) -> None:
        self.variables = table.variables
        self.n_rows: float = table.n_rows if table.weights is None else table.weights.total
        self._table, self._engine_of = table, engine_of

    def counts(self, requests: Sequence[CountRequest]) -> list[Counts]:
        """Return the counts for every request, in order."""
        return [self._count(request) for request in requests]

    def _count(self, request: CountRequest) -> Counts:
        engine, at = self._engine_on((*request.variables, *(v for v, _ in request.context)))
        inner = CountRequest(
            tuple(at[v] for v in request.variables), tuple((at[v], state) for v, state in request.context)
        )
        found = engine.counts([inner])[0]
        configurations = found.configurations
        return Counts(
            tuple(request.variables), found.shape, found.cells, configurations, found.unit, found.n_rows
        )

    def _engine_on(self, variables: Sequence[int]) -> tuple[CountEngine, dict[int, int]]:
        chosen = sorted(set(variables))
        return self._engine_of(self._table.rows_for(chosen)), {v: k for k, v in enumerate(chosen)}


class WeightedJudge(WeightedEngine):
    """The same, with tests computed next to the counts."""

    def judge(self, kernel: Kernel, questions: list[Question], resolve: Resolve) -> Columns:
        """Return the numbers of a test for every question, in order."""
        resolved = [resolve(question) for question in questions]
        groups: dict[tuple[int, ...], list[int]] = defaultdict(list)
        for i, (x, y, given) in enumerate(resolved):
            groups[tuple(sorted({x, y, *given}))].append(i)
        numbers: list[tuple[float, ...]] = [()] * len(resolved)
        for variables, places in groups.items():
            engine, at = self._engine_on(variables)
            if not isinstance(engine, JudgingEngine):
                raise TypeError(f"{engine!r} does not judge.")
            own: list[Question] = [
                (at[x], at[y], tuple([at[v] for v in given])) for x, y, given in (resolved[i] for i in places)
            ]
            columns = engine.judge(kernel, own, _as_positions)
            for i, found in zip(places, zip(*columns[3:9], strict=True), strict=True):
                numbers[i] = (*found, float(engine.n_rows))
        listed = [list(column) for column in zip(*numbers, strict=True)] or [[] for _ in range(7)]
        return Columns(
            [x for x, _, _ in resolved], [y for _, y, _ in resolved], [z for _, _, z in resolved], *listed
        )


def _as_positions(question: Question) -> Positions:
    """Return a question that already has positions."""
    return cast("Positions", question)
