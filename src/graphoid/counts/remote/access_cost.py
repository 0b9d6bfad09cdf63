"""Trips to data that stay where they are: what they cost, and what happens when one fails."""

from __future__ import annotations

import importlib
import logging
import re
import time
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeVar, runtime_checkable

from graphoid.errors import EngineError, GraphoidError, SettingsError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from graphoid.counts.remote.distinct_rows import Merged
    from graphoid.counts.remote.spilled_rows import PackedRows
    from graphoid.data.remote.table import RemoteTable
    from graphoid.structure.learned import Discovery

_T = TypeVar("_T")
_log = logging.getLogger("graphoid")

ATTEMPTS = 5
"""How often a trip is tried."""

PAUSE = 0.5
"""Seconds before it is tried again; twice as long each time: a server has 7.5 seconds to come back."""


@dataclass(frozen=True)
class AccessCost:
    """What trips to the data took."""

    queries: int = 0
    rows_read: int = 0
    """Rows that the engine went through, added up over queries and over passes through rows gathered here."""
    bytes_read: int = 0
    """Bytes of the columns it went through: as stored in files, at eight bytes a value in databases."""
    bytes_moved: int = 0
    """Bytes that came back."""
    seconds: float = 0.0

    def __add__(self, other: AccessCost) -> AccessCost:
        return AccessCost(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(self)))

    def __sub__(self, other: AccessCost) -> AccessCost:
        return AccessCost(*(getattr(self, f.name) - getattr(other, f.name) for f in fields(self)))


@dataclass(frozen=True, kw_only=True)
class PriceList:
    """What a trip to the data costs, in any currency; the money is in ``structure_.cost.money``.

    Parameters
    ----------
    per_query, per_second
        For every query, and for every second that it takes.
    per_gigabyte_read, per_gigabyte_moved
        For 10**9 bytes that the engine goes through, and that come back.

    Examples
    --------
    >>> PriceList(per_query=0.01, per_gigabyte_read=0.005).of(AccessCost(queries=2, bytes_read=10**9))
    0.025
    """

    per_query: float = 0.0
    per_second: float = 0.0
    per_gigabyte_read: float = 0.0
    per_gigabyte_moved: float = 0.0

    def __post_init__(self) -> None:
        for price in fields(self):
            value = getattr(self, price.name)
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not value >= 0:
                raise SettingsError(
                    f"PriceList: {price.name} is {value!r}; it must be a number of at least 0."
                )

    def of(self, spent: AccessCost) -> float:
        """Return the price of what was spent."""
        return (
            self.per_query * spent.queries
            + self.per_second * spent.seconds
            + self.per_gigabyte_read * spent.bytes_read / 1e9
            + self.per_gigabyte_moved * spent.bytes_moved / 1e9
        )


class Fetched(NamedTuple):
    """What a trip came back with."""

    tables: list[Merged]
    """One for each set of variables asked for, in order."""
    spent: AccessCost
    whole: Merged | PackedRows | None = None
    """All variables at once, where that was asked for and there is room: in memory or in a file."""


class Tabulator(Protocol):
    """Counts a relation where it is: sets of variables in, merged rows out, as few queries as it can."""

    label: str
    """What it is called in messages, without credentials."""
    ahead: int
    """Cells that a table may have which is fetched before it is asked for; 0 where that never pays."""
    merges: bool
    """Whether it goes through the rows itself (``batches``), and can gather all of them meanwhile."""

    def tables(self, wanted: Sequence[tuple[int, ...]], *, whole: bool) -> Fetched:
        """Return the merged rows of each set of variables; all rows too, if ``whole`` and there is room."""
        ...

    def transient(self, error: Exception) -> bool:
        """Say whether trying again may help; reconnect if that takes something."""
        ...


TABULATORS = {
    "stream": ("stream", "StreamTabulator"),
    "duckdb": ("duckdb", "DuckDBTabulator"),
    "ibis": ("ibis", "IbisTabulator"),
    "spark": ("spark", "SparkTabulator"),
    "sites": ("sites", "SitesTabulator"),
}
"""Who counts which kind of relation. Loaded when needed: each brings its own library."""


def tabulator_for(table: RemoteTable) -> Tabulator:
    """Return who counts the data of a table where they are."""
    room, name = TABULATORS[table.relation.kind]
    made: Tabulator = getattr(importlib.import_module(f"graphoid.counts.backends.{room}"), name)(table)
    return made


def retrying(
    trip: Callable[[], _T], tabulator: Tabulator, *, attempts: int = ATTEMPTS, pause: float = PAUSE
) -> _T:
    """Make a trip; try again after a while where that may help; then raise one clear error."""
    for attempt in range(1, attempts + 1):
        try:
            return trip()
        except GraphoidError:
            raise
        except Exception as error:  # noqa: BLE001 - every library has errors of its own; the engine knows which pass
            said = scrubbed(str(error))
            if not tabulator.transient(error):
                raise EngineError(f"{tabulator.label} could not answer: {said}") from None
            if attempt == attempts:
                raise EngineError(
                    f"{tabulator.label} could not be reached {attempts} times: {said} Counts that came back "
                    f"are kept; the same call goes on from there, also later if it has cache=PATH."
                ) from None
            _log.warning("%s failed (%s), attempt %d of %d", tabulator.label, said, attempt, attempts)
            time.sleep(pause * 2 ** (attempt - 1))
    raise AssertionError  # pragma: no cover


_SECRETS = (
    re.compile(r"(?<=://)[^/@\s]+(?=@)"),
    re.compile(r"(?i)(?<=password=)('[^']*'|\"[^\"]*\"|[^\s&;,)]+)"),
    re.compile(r"(?i)(?<=token=)('[^']*'|\"[^\"]*\"|[^\s&;,)]+)"),
    re.compile(r"(?i)(?<=user=)('[^']*'|\"[^\"]*\"|[^\s&;,)]+)"),
    re.compile(r"(?i)(?<=user )\"[^\"]*\""),
)


def scrubbed(said: str, length: int = 300) -> str:
    """Return the message of another library in one line, without credentials.

    >>> scrubbed("cannot connect to postgresql://me:secret@db/x with password=secret")
    'cannot connect to postgresql://***@db/x with password=***'
    """
    text = " ".join(said.split())
    for secret in _SECRETS:
        text = secret.sub("***", text)
    return text if len(text) <= length else text[:length] + "..."


@runtime_checkable
class MeteredEngine(Protocol):
    """An engine whose counts cost something, because its data are not in memory."""

    spent: AccessCost
    """What it has spent so far."""
    prices: PriceList | None
    discovery: Discovery
    """What it took to find out the states."""
