"""Tables in memory: one that is held answers for every set of its variables, by summing."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from graphoid.counts.remote.distinct_rows import DistinctRows

CACHE_BYTES = 2**27
"""What the tables held may take together: 128 MB."""


def mask_of(variables: Iterable[int]) -> int:
    """Return a set of variables as a mask."""
    return sum(1 << v for v in set(variables))


class TableCache:
    """Distinct rows in memory, the most recently used last."""

    def __init__(self, max_bytes: int = CACHE_BYTES) -> None:
        self._max_bytes = max_bytes
        self._tables: OrderedDict[int, DistinctRows] = OrderedDict()
        self._bytes = 0

    def find(self, wanted: int) -> DistinctRows | None:
        """Return the table with the fewest rows that has all variables of a mask."""
        key = wanted if wanted in self._tables else None
        if key is None:
            fitting = [mask for mask in self._tables if mask & wanted == wanted]
            if not fitting:
                return None
            key = min(fitting, key=lambda mask: len(self._tables[mask]))
        self._tables.move_to_end(key)
        return self._tables[key]

    def add(self, table: DistinctRows) -> None:
        """Hold a table; the least recently used ones give way."""
        key = mask_of(table.variables)
        if key in self._tables:
            return
        self._tables[key] = table
        self._bytes += table.nbytes
        while self._bytes > self._max_bytes and len(self._tables) > 1:
            _, oldest = self._tables.popitem(last=False)
            self._bytes -= oldest.nbytes
