"""What access to data that stay where they are costs."""

from __future__ import annotations

from dataclasses import astuple, dataclass
from operator import add, sub
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from graphoid.errors import SettingsError

if TYPE_CHECKING:
    from graphoid.structure.learned import Discovery


@dataclass(frozen=True)
class AccessCost:
    """What access to the data took."""

    queries: int = 0
    rows_read: int = 0
    """Rows that the engine went through, added up over queries and over passes through rows gathered here."""
    bytes_read: int = 0
    """Bytes of the columns it went through: as stored in files, at eight bytes a value in databases."""
    bytes_moved: int = 0
    """Bytes that came back."""
    seconds: float = 0.0

    def __add__(self, other: AccessCost) -> AccessCost:
        return AccessCost(*map(add, astuple(self), astuple(other)))

    def __sub__(self, other: AccessCost) -> AccessCost:
        return AccessCost(*map(sub, astuple(self), astuple(other)))


@dataclass(frozen=True, kw_only=True)
class PriceList:
    """What access to the data costs, in any currency; the money is in ``structure_.cost.money``.

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
        for name, value in vars(self).items():
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not value >= 0:
                raise SettingsError(f"PriceList: {name} is {value!r}; it must be a number of at least 0.")

    def of(self, spent: AccessCost) -> float:
        """Return the price of what was spent."""
        return (
            self.per_query * spent.queries
            + self.per_second * spent.seconds
            + self.per_gigabyte_read * spent.bytes_read / 1e9
            + self.per_gigabyte_moved * spent.bytes_moved / 1e9
        )


@runtime_checkable
class MeteredEngine(Protocol):
    """An engine whose counts cost something, because its data are not in memory."""

    @property
    def spent(self) -> AccessCost:
        """What it has spent so far."""

    prices: PriceList | None
    discovery: Discovery
    """What it took to find out the states."""
