"""Counts on disk: a small SQLite file that several runs and processes share.

Each table of counts is one row, written in one transaction with a digest of its own. A process that is killed loses
at most what it was about to write; the write-ahead log keeps what was committed.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from graphoid.counts.merged import Merged
from graphoid.errors import CacheWarning, DataError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graphoid.data.variables import Variable

BUSY_SECONDS = 30
"""How long a process waits for another one that is writing."""

_SCHEMA = """
CREATE TABLE IF NOT EXISTS counts (
    data_id TEXT NOT NULL, variables TEXT NOT NULL, n_rows INTEGER NOT NULL,
    keys BLOB NOT NULL, units BLOB NOT NULL, digest BLOB NOT NULL,
    PRIMARY KEY (data_id, variables)
) WITHOUT ROWID
"""


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
        self._path = Path(path)
        self._data_id = data_id
        self._known: dict[int, tuple[str, int]] = {}
        self._works = True
        try:
            self._connection = sqlite3.connect(self._path, timeout=BUSY_SECONDS, isolation_level=None)
            self._connection.execute("PRAGMA journal_mode=WAL")
            self._connection.execute("PRAGMA synchronous=NORMAL")
            self._connection.execute(_SCHEMA)
        except sqlite3.OperationalError as error:
            self._give_up(error)
        except sqlite3.DatabaseError:
            raise DataError(
                f"{self._path.name} is no cache that graphoid wrote. Give another path, or remove the file."
            ) from None

    def find(self, wanted: int, of: Sequence[Variable], unit: float) -> Merged | None:
        """Return the smallest table on disk that has all variables of a mask, or None."""
        if not self._works:
            return None
        try:
            self._look()
            fitting = [mask for mask in self._known if mask & wanted == wanted]
            while fitting:
                mask = min(fitting, key=lambda m: self._known[m][1])
                table = self._load(self._known[mask][0], of, unit)
                if table is not None:
                    return table
                fitting.remove(mask)
                del self._known[mask]  # damaged: counted again, and written anew
        except sqlite3.Error as error:
            self._give_up(error)
        return None

    def _look(self) -> None:
        """Take note of what other processes have written."""
        (n,) = self._connection.execute(
            "SELECT count(*) FROM counts WHERE data_id = ?", (self._data_id,)
        ).fetchone()
        if n == len(self._known):
            return
        found = self._connection.execute(
            "SELECT variables, n_rows FROM counts WHERE data_id = ?", (self._data_id,)
        )
        for variables, n_rows in found:
            self._known[sum(1 << int(v) for v in variables.split())] = (variables, n_rows)

    def _load(self, variables: str, of: Sequence[Variable], unit: float) -> Merged | None:
        row = self._connection.execute(
            "SELECT keys, units, digest FROM counts WHERE data_id = ? AND variables = ?",
            (self._data_id, variables),
        ).fetchone()
        if row is None or digest_of(row[0], row[1]) != row[2]:
            return None
        positions = tuple(int(v) for v in variables.split())
        keys = np.frombuffer(row[0], dtype="<u8").astype(np.uint64)
        units = np.frombuffer(row[1], dtype="<i8").astype(np.int64)
        return Merged(positions, [of[v] for v in positions], keys, units, unit)

    def put(self, tables: Sequence[Merged]) -> None:
        """Write tables down, all of them or none."""
        if not self._works:
            return
        rows = []
        for table in tables:
            keys = np.ascontiguousarray(table.keys, dtype="<u8").tobytes()
            units = np.ascontiguousarray(table.units, dtype="<i8").tobytes()
            name = " ".join(map(str, table.variables))
            rows.append((self._data_id, name, len(table), keys, units, digest_of(keys, units)))
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            self._connection.executemany("INSERT OR REPLACE INTO counts VALUES (?, ?, ?, ?, ?, ?)", rows)
            self._connection.execute("COMMIT")
        except (sqlite3.Error, OSError) as error:
            self._give_up(error)

    def _give_up(self, error: Exception) -> None:
        """Say once that nothing more is kept: disk full, no permission."""
        self._works = False
        warnings.warn(
            f"counts cannot be kept in {self._path.name} ({error}); the run goes on without, and what was kept "
            f"before stays. Make room, or give another cache.",
            CacheWarning,
            stacklevel=2,
        )


def digest_of(keys: bytes, units: bytes) -> bytes:
    """Return the digest that tells whether a table was written as a whole."""
    digest = hashlib.blake2b(keys, digest_size=16)
    digest.update(units)
    return digest.digest()
