"""Counting data that stay where they are, with tests and scores by the kernels, as for data in memory."""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING, cast

import numpy as np

from graphoid.counts.engine import Blanket, Columns, Kernel, Logistic, refuse_if_too_many_states
from graphoid.counts.remote.access import RowSource
from graphoid.counts.remote.engine import RemoteEngine
from graphoid.counts.remote.local_rows import LocalRows, judge_in_parts

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from graphoid.counts.engine import Positions, Resolve
    from graphoid.counts.native import NativeEngine
    from graphoid.counts.remote.distinct_rows import DistinctRows
    from graphoid.logic.source import Question

LARGE_ROWS = 2**19
"""Tables that may have more distinct rows are not held: their slices are judged part by part."""

MOST_COUNTED = 2**32
"""Rows that cells of 32 bits do not count any more."""

LARGE_SLICE = 2**16
"""Cells of a slice up to which that is possible."""


class NativeRemoteEngine(RemoteEngine):
    """Counts data that stay where they are, and judges the counts with the kernels, as data in memory are."""

    _large: LocalRows | None = None  # rows of the last table that was too large to be held

    def judge(self, kernel: Kernel, questions: list[Question], resolve: Resolve) -> Columns:
        """Return the numbers of a test for every question, in order."""
        resolved = [resolve(question) for question in questions]
        numbers: list[tuple[float, ...]] = [()] * len(resolved)
        held = []
        for i, question in enumerate(resolved):
            source = self._source_of_large(question)
            if source is None:
                held.append(i)
            else:
                with self._lock:
                    numbers[i] = self._judge_in_parts(kernel, question, source)
        sets = [frozenset((x, y, *given)) for x, y, given in (resolved[i] for i in held)]
        tables = self._tables(sets, [resolved[i] for i in held])
        for table, spots in _group(tables):
            places = [held[k] for k in spots]
            at = {v: k for k, v in enumerate(table.variables)}
            own: list[Question] = [
                (at[x], at[y], tuple([at[v] for v in given])) for x, y, given in (resolved[i] for i in places)
            ]
            columns = table.engine.judge(kernel, own, _as_positions)
            for i, found in zip(places, zip(*columns[3:9], strict=True), strict=True):
                numbers[i] = found
        x, y, given = zip(*resolved, strict=True) if resolved else ((), (), ())
        listed = [list(column) for column in zip(*numbers, strict=True)] or [[] for _ in range(6)]
        return Columns(list(x), list(y), list(given), *listed)

    def _source_of_large(self, question: Positions) -> RowSource | None:
        """Return who goes through the rows where the table of a question may be too large to be held."""
        x, y, given = question
        tabulator = self._access.tabulator
        slice_ = self.variables[x].arity * self.variables[y].arity
        rows = self._table.n_rows if self._local is None else len(self._local.rows)
        cells = slice_ * math.prod([float(self.variables[v].arity) for v in given])
        if slice_ > LARGE_SLICE or min(rows, cells) <= LARGE_ROWS or not tabulator.merges:
            return None
        if self._large is not None and {x, y, *given} <= set(self._large.rows.variables):
            return self._large
        return self._local or (tabulator if isinstance(tabulator, RowSource) else None)

    def _judge_in_parts(self, kernel: Kernel, question: Positions, source: RowSource) -> tuple[float, ...]:
        """Return the numbers of a test whose table is too large to be held."""
        x, y, given = question
        if kernel.kind == "mantel_haenszel":
            refuse_if_too_many_states(self.variables[x].arity, self.variables[y].arity)
        n_rows = len(source.rows) if isinstance(source, LocalRows) else self._table.n_rows
        started = time.perf_counter()
        found = None
        if isinstance(source, LocalRows) and self._table.n_rows < MOST_COUNTED:
            found = source.judge(kernel, question)
        if found is not None:
            self._access.charge(source.cost_of((x, y, *given)), started)
            return found
        numbers, rows = judge_in_parts(
            kernel, question, source, self.variables, n_rows=n_rows, unit=self._unit
        )
        self._access.charge(source.cost_of((x, y, *given)), started)
        if source is not self._large:
            self._large = LocalRows(rows, self.variables, self._unit)
        return numbers

    def closure_log_odds(self, kernel: Kernel, blankets: list[Blanket]) -> NDArray[np.float64]:
        """Return a line for every (x, blanket): for each y the log odds of X ⊥ Y | blanket without y."""
        n = len(self.variables)
        questions: list[Question] = [
            (x, y, tuple([w for w in blanket if w != y]))
            for x, blanket in blankets
            for y in range(n)
            if y != x
        ]
        log_odds = iter(self.judge(kernel, questions, _as_positions).log_odds)
        return np.array([[0.0 if y == x else next(log_odds) for y in range(n)] for x, _ in blankets])

    def marginal_likelihoods(self, ess: float, blankets: list[Blanket]) -> NDArray[np.float64]:
        """Return the log marginal likelihood of every variable given its blanket."""
        return self._score(blankets, lambda engine, own: engine.marginal_likelihoods(ess, own))

    def logistic_terms(self, model: Logistic, blankets: list[Blanket]) -> NDArray[np.float64]:
        """Return what the best logistic model of every variable given its blanket is worth."""
        return self._score(blankets, lambda engine, own: engine.logistic_terms(model, own))

    def evidence_terms(self, model: Logistic, ess: float, blankets: list[Blanket]) -> NDArray[np.float64]:
        """Return a line for every blanket, of rows counted once: its logistic term, and that of its table."""
        return self._score(blankets, lambda engine, own: engine.evidence_terms(model, ess, own))

    def _score(
        self, blankets: list[Blanket], score: Callable[[NativeEngine, list[Blanket]], NDArray[np.float64]]
    ) -> NDArray[np.float64]:
        """Return what the kernels make of every blanket, from the table that has it."""
        tables = self._tables([frozenset((x, *blanket)) for x, blanket in blankets])
        out: list[object] = [None] * len(blankets)
        for table, places in _group(tables):
            at = {v: k for k, v in enumerate(table.variables)}
            own = [(at[x], tuple([at[v] for v in blanket])) for x, blanket in (blankets[i] for i in places)]
            for i, value in zip(places, score(table.engine, own), strict=True):
                out[i] = value
        return np.array(out, dtype=np.float64)


def _group(tables: Sequence[DistinctRows]) -> list[tuple[DistinctRows, list[int]]]:
    """Return each table with the places where it stands."""
    groups: dict[int, tuple[DistinctRows, list[int]]] = {}
    for i, table in enumerate(tables):
        groups.setdefault(id(table), (table, []))[1].append(i)
    return list(groups.values())


def _as_positions(question: Question) -> Positions:
    return cast("Positions", question)
