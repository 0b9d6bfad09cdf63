"""Access to data that stay where they are: who counts there, what is tried again, and what is checked."""

from __future__ import annotations

import logging
import time
from abc import ABC, abstractmethod
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeVar, runtime_checkable

from graphoid.counts.remote.access_cost import AccessCost
from graphoid.counts.remote.distinct_rows import Batch, DistinctRows
from graphoid.errors import DataChanged, DataError, EngineError, GraphoidError, as_option, setting
from graphoid.structure.safe_text import scrub

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from graphoid.counts.remote.number_sums import LinearScore, NumberSums
    from graphoid.counts.remote.spilled_rows import PackedRows
    from graphoid.data.remote.table import RemoteTable

_T = TypeVar("_T")
_log = logging.getLogger("graphoid")

ATTEMPTS = 5
"""How often access is tried."""

LONGEST = 300
"""Characters of another library's message that are passed on."""

PAUSE = 0.5
"""Seconds before it is tried again; twice as long each time: a server has 7.5 seconds to come back."""


class Fetched(NamedTuple):
    """What came back."""

    tables: list[DistinctRows]
    """One for each set of variables that was wanted, in order."""
    spent: AccessCost
    whole: DistinctRows | PackedRows | None = None
    """All variables at once, where that was wanted and there is space: in memory or in a file."""


class Tabulator(ABC):
    """Counts a relation where it is: sets of variables in, distinct rows out, as few queries as it can."""

    label: str
    """What it is called in messages, without credentials."""
    prefetch_cells = 0
    """Cells that a table may have which is fetched before it is needed; 0 where that never pays."""
    merges = False
    """Whether it can gather all rows while it goes through them."""

    @abstractmethod
    def tables(self, wanted: Sequence[tuple[int, ...]], *, whole: bool) -> Fetched:
        """Return the distinct rows of each set of variables; if ``whole`` and there is space, all rows."""

    def number_sums(self, scores: Mapping[int, LinearScore]) -> tuple[NumberSums, AccessCost]:  # noqa: ARG002
        """Return the sums of scores of the columns of numbers, each by its position, and what that cost."""
        way = setting("discretize", "auto")
        raise DataError(f"{self.label} cannot add up numbers where they are: have them cut by {way}.")

    def transient(self, error: Exception) -> bool:  # noqa: ARG002 - for those that know
        """Say whether trying again may help; reconnect if that takes something."""
        return False


@runtime_checkable
class RowSource(Protocol):
    """Goes through the rows itself."""

    def batches(self, variables: Sequence[int]) -> Iterator[Batch]:
        """Yield the codes of some variables, the units of the rows (None for ones), and their number."""

    def cost_of(self, variables: Iterable[int]) -> AccessCost:
        """Return what a pass over some variables costs."""


def tabulator_for(table: RemoteTable) -> Tabulator:
    """Return who counts the data of a table where they are; each is loaded with its own library."""
    kind = table.relation.kind
    if kind == "stream":
        from graphoid.counts.backends.stream import StreamTabulator

        return StreamTabulator(table)
    if kind == "spark":
        from graphoid.counts.backends.spark import SparkTabulator

        return SparkTabulator(table)
    if kind == "sites":
        from graphoid.counts.backends.sites import SitesTabulator

        return SitesTabulator(table)
    from graphoid.counts.backends.sql import IN_PROCESS_CELLS, SqlTabulator

    tabulator = SqlTabulator(table)
    if kind == "duckdb":
        tabulator.prefetch_cells = IN_PROCESS_CELLS
    return tabulator


def retry(
    call: Callable[[], _T], tabulator: Tabulator, *, attempts: int = ATTEMPTS, pause: float = PAUSE
) -> _T:
    """Call; try again after a while where that may help; then raise one clear error."""
    for attempt in range(1, attempts + 1):
        try:
            return call()
        except GraphoidError:
            raise
        except Exception as error:  # noqa: BLE001 - every library has errors of its own; the engine knows which pass
            said = scrub(" ".join(str(error).split()))
            said = said if len(said) <= LONGEST else said[:LONGEST] + "..."
            if not tabulator.transient(error):
                raise EngineError(f"{tabulator.label} could not answer: {said}") from None
            if attempt == attempts:
                raise EngineError(
                    f"{tabulator.label} could not be reached {attempts} times: {said} Counts that came back "
                    f"are kept; the same call goes on from there, also later if it has "
                    f"{as_option('--cache PATH', 'cache=PATH')}."
                ) from None
            _log.warning("%s failed (%s), attempt %d of %d", tabulator.label, said, attempt, attempts)
            time.sleep(pause * 2 ** (attempt - 1))
    raise AssertionError  # pragma: no cover


class Access:
    """Fetches tables of data that stay where they are, adds up the cost, and sees whether they change."""

    def __init__(self, table: RemoteTable, tabulator: Tabulator) -> None:
        self.tabulator = tabulator
        self.spent = AccessCost()
        self.total: int | None = None if table.weighing is not None else table.n_rows
        """Sum of the units of all rows, once it is known."""
        self._table = table
        self._n_fetches = 0

    def fetch(self, wanted: Sequence[tuple[int, ...]]) -> Fetched:
        """Fetch tables, and all rows with them where a learner is about to ask for more."""
        n = len(self._table.variables)
        begins = len(wanted) >= n * (n - 1) // 2 > 1  # all pairs
        numbers = any(v.continuous for v in self._table.variables)  # have no codes to be gathered
        whole = self.tabulator.merges and n > 2 and not numbers and (begins or self._n_fetches == 1)
        self._n_fetches += 1
        fetched = self.count(self.tabulator, wanted, whole=whole)
        for table in (*fetched.tables, fetched.whole):
            if isinstance(table, DistinctRows):
                self.check(table)
        return fetched

    def count(
        self, tabulator: Tabulator, wanted: Sequence[tuple[int, ...]], *, whole: bool = False
    ) -> Fetched:
        """Have tables counted by the source, or by rows that were gathered from it."""
        started = time.perf_counter()
        fetched = retry(lambda: tabulator.tables(wanted, whole=whole), tabulator)
        self.charge(fetched.spent, started)
        return fetched

    def number_sums(self, scores: Mapping[int, LinearScore]) -> NumberSums:
        """Have the scores of columns of numbers added up, in one go."""
        started = time.perf_counter()
        found, cost = retry(lambda: self.tabulator.number_sums(scores), self.tabulator)
        self.charge(cost, started)
        self.refuse_other_total(found.total)
        return found

    def charge(self, cost: AccessCost, started: float) -> None:
        """Add what was spent since some time."""
        self.spent += replace(cost, seconds=time.perf_counter() - started)

    def check(self, table: DistinctRows) -> None:
        """Raise if the counts are not those of the data whose states were determined."""
        name = self._table.name
        self.refuse_other_total(table.total)
        if self._table.weighing is not None or not self._table.margins:
            return  # margins were counted without weights
        for v in table.variables:
            if tuple(table.margin(v).tolist()) != self._table.margins[v]:
                raise DataChanged(
                    f"{self._table.variables[v].name!r} of {name!r} has other counts than when it was read: "
                    f"it has changed while it was in use. Read it again, best from a snapshot."
                )

    def refuse_other_total(self, total: int) -> None:
        """Raise if the rows are not as many, or as heavy, as they were."""
        unit = 1.0 if self._table.weighing is None else self._table.weighing.unit
        if self.total is None:
            self.total = total
        if total != self.total:
            raise DataChanged(
                f"{self._table.name!r} had {self.total * unit:,.0f} rows and now has {total * unit:,.0f}: it "
                f"has changed while it was in use. Read it again, best from a snapshot or a copy that nobody "
                f"writes to."
            )
