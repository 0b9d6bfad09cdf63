"""Counting data that stay where they are: what is held answers first, the disk second, access last."""

from __future__ import annotations

import threading
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from graphoid.counts.engine import CountRequest, Positions, refuse_if_too_large
from graphoid.counts.native import kernels
from graphoid.counts.remote.access import Access, Tabulator, tabulator_for
from graphoid.counts.remote.cache import TableCache, mask_of
from graphoid.counts.remote.distinct_rows import DistinctRows
from graphoid.counts.remote.local_rows import LocalRows
from graphoid.counts.remote.prefetch import FEW, Prefetch, Set, associations, maximal
from graphoid.counts.remote.store import CountStore

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from graphoid.counts.contingency import Counts
    from graphoid.counts.remote.access_cost import AccessCost
    from graphoid.counts.remote.number_sums import LinearScore, NumberSums
    from graphoid.counts.remote.spilled_rows import PackedRows
    from graphoid.data.remote.table import RemoteTable
    from graphoid.data.variables import Variable

DIRECT_ROWS = 2**16
"""Held tables of more distinct rows are made smaller before they answer questions that come one by one."""

SMALLER_CELLS = 2**14
"""Cells of the tables that a large one is made into: small enough to be gone through for every question."""


def remote_engine(table: RemoteTable) -> RemoteEngine:
    """Return the engine for data that stay where they are."""
    store = None if table.cache is None else CountStore(table.cache, table.data_id)
    if kernels() is None:
        return RemoteEngine(table, tabulator_for(table), store)
    from graphoid.counts.remote.native import NativeRemoteEngine

    return NativeRemoteEngine(table, tabulator_for(table), store)


class RemoteEngine:
    """Counts data that stay where they are: by who counts them there, and what is on disk already."""

    def __init__(self, table: RemoteTable, tabulator: Tabulator, store: CountStore | None = None) -> None:
        self.prices = table.prices
        self.discovery = table.discovery
        self._table = replace(table)  # a copy: an engine that held its own key would keep it forever
        self._unit = 1.0 if table.weighing is None else table.weighing.unit
        self._cache = TableCache()
        self._store = store
        self._access = Access(self._table, tabulator)
        self._lock = threading.RLock()  # learners in several threads share an engine, and what it holds
        self._local: LocalRows | None = None  # all rows, gathered: counted in the place of the source
        arities = [v.arity for v in table.variables]
        known = partial(associations, self._cache, len(arities), table.n_rows)
        self._prefetch = Prefetch(arities, tabulator.prefetch_cells, known)

    def __reduce__(self) -> tuple[object, tuple[RemoteTable]]:
        return remote_engine, (self._table,)  # for copies and pickles: what it holds is counted again

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The variables, in order of position."""
        return self._table.variables

    @property
    def n_rows(self) -> float:
        """Number of rows; their total weight, where rows have weights."""
        if self._access.total is None:
            self._tables([frozenset({next(i for i, v in enumerate(self.variables) if not v.continuous)})])
        total = self._access.total or 0
        return total if self._table.weighing is None else total * self._unit

    @property
    def spent(self) -> AccessCost:
        """What access to the data has cost so far."""
        return self._access.spent

    def counts(self, requests: Sequence[CountRequest]) -> list[Counts]:
        """Return the counts for every request, in order; what is not held is fetched at once."""
        n_rows = self._table.n_rows
        refuse_if_too_large(requests, self, n_rows)
        tables = self._tables([frozenset((*r.variables, *(v for v, _ in r.context))) for r in requests])
        return [
            table.counts(tuple(r.variables), r.context, n_rows)
            for r, table in zip(requests, tables, strict=True)
        ]

    def number_sums(self, scores: Mapping[int, LinearScore]) -> NumberSums:
        """Return the sums of scores of the columns of numbers, each by its position."""
        with self._lock:
            return self._access.number_sums(scores)

    def _tables(self, sets: Sequence[Set], questions: Sequence[Positions] = ()) -> list[DistinctRows]:
        """Return a table for every set of variables, each with at least these.

        Questions say what the sets are for, where that is known: then tables for the next ones are fetched
        with them.
        """
        with self._lock:
            return self._find_or_fetch(sets, questions)

    def _find_or_fetch(self, sets: Sequence[Set], questions: Sequence[Positions]) -> list[DistinctRows]:
        masks = [mask_of(s) for s in sets]
        few = bool(questions) and len(questions) <= FEW
        found = {mask: self._find(mask, few=few) for mask in dict.fromkeys(masks)}
        left = [i for i, mask in enumerate(masks) if found[mask] is None]
        if left:
            if questions and len(left) <= FEW and self._access.tabulator.prefetch_cells:
                wanted = self._prefetch.plan([questions[i] for i in left], self._find)
            else:
                wanted = maximal([sets[i] for i in left])
            # what has just been fetched is at hand, however much it is
            fresh = {mask_of(table.variables): table for table in self._fetch(wanted)}
            for mask in (masks[i] for i in left):
                if mask in fresh:  # nearly always, and looking through all of them for each would take long
                    found[mask] = fresh[mask]
                else:
                    found[mask] = min([t for key, t in fresh.items() if key & mask == mask], key=len)
        if few:
            for mask, question in zip(masks, questions, strict=True):
                found[mask] = self._shrink(found[mask], question)
        self._prefetch.note(questions)
        return [table for mask in masks if (table := found[mask]) is not None]

    def _find(self, mask: int, *, few: bool = True) -> DistinctRows | None:
        """Return a table with the variables of a mask; all local rows only for many questions at once."""
        table = self._cache.find(mask)
        if table is None and self._local_rows is None:
            table = self._load(mask)
        return self._local_rows if table is None and not few else table

    def _load(self, mask: int) -> DistinctRows | None:
        """Return a table with the variables of a mask from the disk."""
        table = None if self._store is None else self._store.find(mask, self.variables, self._unit)
        if table is None:
            return None
        self._access.check(table)
        if self._keep_local(table):
            return None
        self._cache.add(table)
        return table

    @property
    def _local_rows(self) -> DistinctRows | None:
        """All rows where they are in memory, so that whatever is kept on disk follows from them."""
        rows = None if self._local is None else self._local.rows
        return rows if isinstance(rows, DistinctRows) else None

    def _keep_local(self, rows: DistinctRows | PackedRows) -> bool:
        """Keep rows of all variables, if they are many: they are gone through in the place of the source."""
        if len(rows.variables) < len(self.variables) or len(rows) <= DIRECT_ROWS:
            return False
        self._local = LocalRows(rows, self.variables, self._unit)
        return True

    def _shrink(self, table: DistinctRows | None, question: Positions) -> DistinctRows | None:
        """Return a smaller table for a question where the one held is large; it serves the next ones too."""
        if table is None or len(table) <= DIRECT_ROWS:
            return table
        (around,) = self._prefetch.around(*question, most=SMALLER_CELLS, all_others=False)
        if around >= set(table.variables):
            return table
        smaller = table.marginal(around & set(table.variables))
        self._cache.add(smaller)
        return smaller

    def _fetch(self, wanted: Sequence[Set]) -> list[DistinctRows]:
        """Fetch tables; what comes back is held and kept on disk."""
        sets = [tuple(sorted(s)) for s in wanted]
        fetched = self._access.fetch(sets) if self._local is None else self._access.count(self._local, sets)
        tables, whole = fetched.tables, fetched.whole
        with_whole = [*tables, whole] if isinstance(whole, DistinctRows) else tables
        if self._store is not None and self._local_rows is None:
            self._store.put(with_whole)
        if whole is None or not self._keep_local(whole):
            tables = with_whole
        for table in tables:
            self._cache.add(table)
        return tables
