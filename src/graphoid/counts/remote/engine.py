"""Counting data that stay where they are: what is held answers first, the disk second, a trip last."""

from __future__ import annotations

import math
import time
from collections import OrderedDict
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from graphoid.counts.engine import (
    Blanket,
    Columns,
    CountRequest,
    Kernel,
    Logistic,
    refuse_if_too_large,
    refuse_if_too_many_states,
)
from graphoid.counts.native import kernels
from graphoid.counts.remote.access_cost import AccessCost, retrying, tabulator_for
from graphoid.counts.remote.distinct_rows import Merged
from graphoid.counts.remote.local_rows import NearTabulator, judged_in_parts
from graphoid.counts.remote.prefetch import LookAhead, information, maximal
from graphoid.counts.remote.store import CountStore
from graphoid.errors import DataChanged

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

    from graphoid.counts.contingency import Counts
    from graphoid.counts.remote.access_cost import Tabulator
    from graphoid.counts.remote.prefetch import Set
    from graphoid.counts.remote.spilled_rows import PackedRows
    from graphoid.data.remote.table import RemoteTable
    from graphoid.data.variables import Variable
    from graphoid.logic.source import Question

HELD_BYTES = 2**27
"""What the tables held may take together: 128 MB."""

DIRECT_ROWS = 2**16
"""Held tables of more distinct rows are made smaller before they answer questions that come one by one."""

LARGE_ROWS = 2**19
"""Tables that may have more distinct rows are not held: their slices are judged part by part."""

LARGE_SLICE = 2**16
"""Cells of a slice up to which that is possible."""

SMALLER_CELLS = 2**14
"""Cells of the tables that a large one is made into: small enough to be gone through for every question."""

FEW = 8
"""Questions up to which a batch is one of those that come one by one."""

HUBS_BYTES = 2**26
"""What tables around every variable, fetched ahead in one trip, may take: 64 MB."""


def engine_at(table: RemoteTable) -> RemoteEngine:
    """Return the engine for data that stay where they are."""
    tabulator = tabulator_for(table)
    store = None if table.cache is None else CountStore(table.cache, table.data_id)
    return (RemoteEngine if kernels() is None else NativeRemoteEngine)(table, tabulator, store)


class Held:
    """Merged rows in memory, the most recently used last."""

    def __init__(self, max_bytes: int = HELD_BYTES) -> None:
        self._max_bytes = max_bytes
        self._tables: OrderedDict[int, Merged] = OrderedDict()
        self._bytes = 0

    def find(self, wanted: int) -> Merged | None:
        """Return the table with the fewest rows that has all variables of a mask."""
        key = wanted if wanted in self._tables else None
        if key is None:
            fitting = [mask for mask in self._tables if mask & wanted == wanted]
            if not fitting:
                return None
            key = min(fitting, key=lambda mask: len(self._tables[mask]))
        self._tables.move_to_end(key)
        return self._tables[key]

    def add(self, table: Merged) -> None:
        """Hold a table; the least recently used ones make room."""
        key = mask_of(table.variables)
        if key in self._tables:
            return
        self._tables[key] = table
        self._bytes += table.nbytes
        while self._bytes > self._max_bytes and len(self._tables) > 1:
            _, oldest = self._tables.popitem(last=False)
            self._bytes -= oldest.nbytes


def mask_of(variables: Iterable[int]) -> int:
    """Return a set of variables as a mask."""
    return sum(1 << v for v in set(variables))


class RemoteEngine:
    """Counts data that stay where they are.

    Parameters
    ----------
    table
        The data.
    tabulator
        Who makes trips to them.
    store
        The counts on disk, or None.
    """

    def __init__(self, table: RemoteTable, tabulator: Tabulator, store: CountStore | None = None) -> None:
        self.spent = AccessCost()
        self.prices = table.prices
        self.discovery = table.discovery
        self._variables = table.variables
        self._table = replace(table)  # a copy: an engine that held its own key would keep it forever
        self._tabulator, self._store = tabulator, store
        self._held = Held()
        self._near: NearTabulator | None = None  # all rows, gathered: what is not held is counted there
        self._gathered: NearTabulator | None = None  # rows of the last table that was too large to be held
        self._arities = [v.arity for v in table.variables]
        self._total: int | None = None if table.weighing is not None else table.n_rows
        self._unit = 1.0 if table.weighing is None else table.weighing.unit
        self._informations: NDArray[np.float64] | None = None
        self._ahead = LookAhead(self._arities, tabulator.ahead, self._association)
        self._smaller = LookAhead(self._arities, SMALLER_CELLS, self._association)
        self._last_hub = -1
        self._trips = 0
        self._hubs_fetched = False

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The variables, in order of position."""
        return self._variables

    @property
    def n_rows(self) -> float:
        """Number of rows; their total weight, where rows have weights."""
        if self._total is None:
            self._holding([frozenset({0})])
        total = self._total or 0
        return total if self._unit == 1.0 and self._table.weighing is None else total * self._unit

    def counts(self, requests: Sequence[CountRequest]) -> list[Counts]:
        """Return the counts for every request, in order; what is not held comes in one trip."""
        refuse_if_too_large(requests, self, self._table.n_rows)
        sets = [frozenset((*r.variables, *(v for v, _ in r.context))) for r in requests]
        tables = self._holding(sets)
        n_rows = self._table.n_rows
        return [
            table.counts(tuple(r.variables), r.context, n_rows)
            for r, table in zip(requests, tables, strict=True)
        ]

    def _holding(
        self, sets: Sequence[Set], questions: Sequence[tuple[int, int, tuple[int, ...]]] = ()
    ) -> list[Merged]:
        """Return a table for every set of variables, each with at least these.

        Questions say what the sets are for, where that is known: then the trip looks ahead.
        """
        masks = [mask_of(s) for s in sets]
        few = bool(questions) and len(questions) <= FEW
        found = {mask: self._find(mask, few=few) for mask in dict.fromkeys(masks)}
        left = [i for i, mask in enumerate(masks) if found[mask] is None]
        if left:
            wanted = self._to_fetch(
                [sets[i] for i in left], [questions[i] for i in left] if questions else ()
            )
            # what has just been fetched stays at hand, however much it is
            fresh = {mask_of(table.variables): table for table in self._fetch(wanted)}
            for i in left:
                mask = masks[i]
                if mask in fresh:  # nearly always, and looking through all of them for each would take long
                    found[mask] = fresh[mask]
                else:
                    found[mask] = min([t for key, t in fresh.items() if key & mask == mask], key=len)
        if few:
            for mask, question in zip(masks, questions, strict=True):
                found[mask] = self._made_smaller(found[mask], question)
        if questions:
            self._last_hub = questions[-1][0]
        return [table for mask in masks if (table := found[mask]) is not None]

    def _find(self, mask: int, *, few: bool = True) -> Merged | None:
        """Return a table with the variables of a mask; all rows at hand only for many questions at once."""
        held = self._held.find(mask)
        if held is None and self._store is not None and not self._holds_all:
            held = self._store.find(mask, self._variables, self._unit)
            if held is not None:
                self._check(held)
                if self._is_near(held):
                    held = None
                else:
                    self._held.add(held)
        if held is None and not few and self._near is not None and isinstance(self._near.rows, Merged):
            held = self._near.rows
        return held

    @property
    def _holds_all(self) -> bool:
        """Whether all rows are in memory, so that whatever is kept on disk follows from them."""
        return self._near is not None and isinstance(self._near.rows, Merged)

    def _is_near(self, rows: Merged | PackedRows) -> bool:
        """Keep rows of all variables, if they are many: they are gone through in the place of the source."""
        if len(rows.variables) < len(self._arities) or len(rows) <= DIRECT_ROWS:
            return False
        self._near = NearTabulator(rows, self._variables, self._unit)
        return True

    def _made_smaller(
        self, table: Merged | None, question: tuple[int, int, tuple[int, ...]]
    ) -> Merged | None:
        """Return a smaller table for a question where the one held is large; it serves the next ones too."""
        if table is None or len(table) <= DIRECT_ROWS:
            return table
        x, y, given = question
        around = self._smaller.around(x, y, given, all_others=False)[0]
        if around >= set(table.variables):
            return table
        smaller = table.restricted(around & set(table.variables))
        self._held.add(smaller)
        return smaller

    def _to_fetch(self, sets: list[Set], questions: Sequence[tuple[int, int, tuple[int, ...]]]) -> list[Set]:
        """Return the tables that a trip fetches: those asked for, or larger ones that have them."""
        if not questions or not self._tabulator.ahead or len(questions) > FEW:
            return maximal(sets)
        wanted: list[Set] = []
        for x, y, given in questions:
            wanted += self._ahead.around(x, y, given, all_others=x == self._last_hub)
        if not self._hubs_fetched and any(given for _, _, given in questions):
            hubs = self._ahead.hubs()
            if sum(8 * self._ahead.cells(hub) for hub in hubs) <= HUBS_BYTES:
                wanted += [hub for hub in hubs if self._find(mask_of(hub)) is None]
            self._hubs_fetched = True
        return maximal(wanted)

    def _fetch(self, wanted: list[Set]) -> list[Merged]:
        """Make a trip; what comes back is checked, held and kept on disk."""
        asked = [tuple(sorted(s)) for s in wanted]
        n = len(self._arities)
        begins = len(asked) >= n * (n - 1) // 2 > 1  # all pairs: a learner is about to ask for more
        near = self._near
        whole = near is None and self._tabulator.merges and n > 2 and (begins or self._trips == 1)
        self._trips += 1
        tabulator: Tabulator = near or self._tabulator
        started = time.perf_counter()
        fetched = retrying(lambda: tabulator.tables(asked, whole=whole), tabulator)
        self.spent += replace(fetched.spent, seconds=time.perf_counter() - started)
        tables = list(fetched.tables)
        if isinstance(fetched.whole, Merged):
            tables.append(fetched.whole)
        for table in tables if near is None else ():  # rows at hand do not change
            self._check(table)
        if self._store is not None and not self._holds_all:
            self._store.put(tables)
        if fetched.whole is not None and self._is_near(fetched.whole):
            tables = list(fetched.tables)
        for table in tables:
            self._held.add(table)
        return tables

    def _check(self, table: Merged) -> None:
        """Raise if the counts are not those of the data whose states were determined."""
        if self._total is None:
            self._total = table.total
        if table.total != self._total:
            raise DataChanged(
                f"{self._table.name!r} had {self._total * self._unit:,.0f} rows and now has "
                f"{table.total * self._unit:,.0f}: it has changed while it was in use. Read it again, "
                f"best from a "
                f"snapshot or a copy that nobody writes to."
            )
        if self._table.weighing is not None or not self._table.margins:
            return  # margins were counted without weights
        for v in table.variables:
            if tuple(table.margin(v).tolist()) != self._table.margins[v]:
                raise DataChanged(
                    f"{self._variables[v].name!r} of {self._table.name!r} has other counts than when "
                    f"it was read: "
                    f"it has changed while it was in use. Read it again, best from a snapshot."
                )

    def _association(self) -> NDArray[np.float64] | None:
        """Return how much variables tell of each other, once all pairs are held."""
        if self._informations is None:
            n = len(self._arities)
            pairs = {pair: self._held.find(mask_of(pair)) for pair in combinations(range(n), 2)}
            if any(table is None for table in pairs.values()):
                return None
            matrix = np.zeros((n, n))
            for (x, y), table in pairs.items():
                if table is not None:
                    cells = table.counts((x, y), (), self._table.n_rows).dense()
                    matrix[x, y] = matrix[y, x] = information(cells)
            self._informations = matrix
        return self._informations


class NativeRemoteEngine(RemoteEngine):
    """Counts data that stay where they are, and judges the counts with the kernels, as data in memory are."""

    def _is_large(self, question: tuple[int, int, tuple[int, ...]]) -> bool:
        """Say whether the table of a question may be too large to be held, and can be judged in parts."""
        x, y, given = question
        slice_ = self._arities[x] * self._arities[y]
        rows = self._table.n_rows if self._near is None else len(self._near.rows)
        cells = slice_ * math.prod([float(self._arities[v]) for v in given])
        return self._tabulator.merges and slice_ <= LARGE_SLICE and min(rows, cells) > LARGE_ROWS

    def _judged_in_parts(
        self, kernel: Kernel, question: tuple[int, int, tuple[int, ...]]
    ) -> tuple[float, ...]:
        """Return the numbers of a test whose table is too large to be held."""
        x, y, given = question
        if kernel.kind == "mantel_haenszel":
            refuse_if_too_many_states(self._arities[x], self._arities[y])
        last = self._gathered
        if last is not None and not {x, y, *given} <= set(last.rows.variables):
            last = None
        source: Any = last or self._near or self._tabulator
        n_rows = len(source.rows) if isinstance(source, NearTabulator) else self._table.n_rows
        started = time.perf_counter()
        numbers, rows = judged_in_parts(
            kernel, question, source, self._variables, n_rows=n_rows, unit=self._unit
        )
        spent: AccessCost = source.spent_on((x, y, *given))
        self.spent += replace(spent, seconds=time.perf_counter() - started)
        if last is None:
            self._gathered = NearTabulator(rows, self._variables, self._unit)
        return numbers

    def judge(
        self,
        kernel: Kernel,
        questions: list[Question],
        resolve: Callable[[Question], tuple[int, int, tuple[int, ...]]],
    ) -> Columns:
        """Return the numbers of a test for every question, in order."""
        asked = [resolve(question) for question in questions]
        answers: list[Any] = [None] * len(asked)
        held = []
        for i, question in enumerate(asked):
            if self._is_large(question):
                answers[i] = self._judged_in_parts(kernel, question)
            else:
                held.append(i)
        sets = [frozenset((x, y, *given)) for x, y, given in (asked[i] for i in held)]
        tables = self._holding(sets, [asked[i] for i in held])
        for table, spots in _grouped(tables):
            places = [held[k] for k in spots]
            at = {v: k for k, v in enumerate(table.variables)}
            own = [
                (at[x], at[y], tuple([at[v] for v in given])) for x, y, given in (asked[i] for i in places)
            ]
            columns = table.engine.judge(kernel, list(own), _as_it_is)
            for i, numbers in zip(places, zip(*columns[3:], strict=True), strict=True):
                answers[i] = numbers
        listed = [list(column) for column in zip(*answers, strict=True)] or [[] for _ in range(6)]
        return Columns([a[0] for a in asked], [a[1] for a in asked], [a[2] for a in asked], *listed)

    def closure_log_odds(self, kernel: Kernel, blankets: list[Blanket]) -> NDArray[np.float64]:
        """Return a line for every (x, blanket): for each y the log odds of X ⊥ Y | blanket without y."""
        n = len(self._arities)
        questions: list[Any] = [
            (x, y, tuple([w for w in blanket if w != y]))
            for x, blanket in blankets
            for y in range(n)
            if y != x
        ]
        log_odds = iter(self.judge(kernel, questions, _as_it_is).log_odds)
        return np.array([[0.0 if y == x else next(log_odds) for y in range(n)] for x, _ in blankets])

    def marginal_likelihoods(self, ess: float, blankets: list[Blanket]) -> NDArray[np.float64]:
        """Return the log marginal likelihood of every variable given its blanket."""
        return self._scored(blankets, lambda engine, own: engine.marginal_likelihoods(ess, own))

    def logistic_terms(self, model: Logistic, blankets: list[Blanket]) -> NDArray[np.float64]:
        """Return what the best logistic model of every variable given its blanket is worth."""
        return self._scored(blankets, lambda engine, own: engine.logistic_terms(model, own))

    def _scored(
        self, blankets: list[Blanket], score: Callable[[Any, list[Blanket]], NDArray[np.float64]]
    ) -> NDArray[np.float64]:
        """Return what the kernels make of every blanket, from the table that has it."""
        tables = self._holding([frozenset((x, *blanket)) for x, blanket in blankets])
        out: list[Any] = [None] * len(blankets)
        for table, places in _grouped(tables):
            at = {v: k for k, v in enumerate(table.variables)}
            own = [(at[x], tuple([at[v] for v in blanket])) for x, blanket in (blankets[i] for i in places)]
            for i, value in zip(places, score(table.engine, own), strict=True):
                out[i] = value
        return np.array(out, dtype=np.float64)


def _grouped(tables: Sequence[Merged]) -> list[tuple[Merged, list[int]]]:
    """Return each table with the places where it stands."""
    groups: dict[int, tuple[Merged, list[int]]] = {}
    for i, table in enumerate(tables):
        groups.setdefault(id(table), (table, []))[1].append(i)
    return list(groups.values())


def _as_it_is(question: Any) -> Any:
    return question
