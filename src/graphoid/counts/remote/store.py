"""Counts on disk: merged rows in a file that several runs and processes share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from graphoid.counts.remote.distinct_rows import DistinctRows
from graphoid.data.remote.cache import BlobCache

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from graphoid.data.variables import Variable


class CountStore:
    """The counts of one data set in a file.

    Parameters
    ----------
    path
        The file; made if it is not there.
    data_id
        Digest of the data: counts of other data may lie in the same file.
    """

    def __init__(self, path: str | os.PathLike[str], data_id: str) -> None:
        self._cache = BlobCache(path, data_id)
        self._known: dict[int, tuple[str, int]] = {}

    def find(self, wanted: int, of: Sequence[Variable], unit: float) -> DistinctRows | None:
        """Return the smallest table on disk that has all variables of a mask, or None."""
        for name, size in self._cache.news():
            self._known[sum(1 << int(v) for v in name.split())] = (name, size)
        fitting = [mask for mask in self._known if mask & wanted == wanted]
        while fitting:
            mask = min(fitting, key=lambda m: self._known[m][1])
            name, size = self._known[mask]
            body = self._cache.get(name)
            if body is not None and size:
                return _unpack(body, size, tuple(int(v) for v in name.split()), of, unit)
            fitting.remove(mask)
            del self._known[mask]  # damaged: counted again, and written anew
        return None

    def put(self, tables: Sequence[DistinctRows]) -> None:
        """Write tables down, all of them or none."""
        named = [(" ".join(map(str, t.variables)), t) for t in tables]
        self._cache.put([(name, len(t), _pack(t)) for name, t in named])
        for name, t in named:
            self._known[sum(1 << v for v in t.variables)] = (name, len(t))


def _pack(table: DistinctRows) -> bytes:
    """Return merged rows as bytes: what they weigh, then the packed rows."""
    return table.units.astype("<i8").tobytes() + np.ascontiguousarray(table.keys, dtype="<u8").tobytes()


def _unpack(
    body: bytes, size: int, variables: tuple[int, ...], of: Sequence[Variable], unit: float
) -> DistinctRows:
    units = np.frombuffer(body, dtype="<i8", count=size).astype(np.int64)
    keys = np.frombuffer(body, dtype="<u8", offset=8 * size).astype(np.uint64)
    return DistinctRows(variables, [of[v] for v in variables], keys, units, unit)
