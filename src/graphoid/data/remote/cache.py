"""A small SQLite file of named pieces of bytes that several runs and processes share.

Every piece is one row with a digest of its own, and pieces that belong together are written in one
transaction. A process that is killed loses at most what it was about to write; the write-ahead log keeps
what was committed.
"""

from __future__ import annotations

import contextlib
import hashlib
import sqlite3
import time
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

from graphoid.errors import CacheWarning, DataError

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable

BUSY_SECONDS = 30
"""How long a process waits for another one that is writing."""

_PIECES = """
CREATE TABLE IF NOT EXISTS pieces (
    id INTEGER PRIMARY KEY, data_id TEXT NOT NULL, name TEXT NOT NULL,
    size INTEGER NOT NULL, digest BLOB NOT NULL, body BLOB NOT NULL
)
"""
_BY_NAME = "CREATE UNIQUE INDEX IF NOT EXISTS by_name ON pieces (data_id, name, size)"


class BlobCache:
    """The pieces of one data set in a file.

    Parameters
    ----------
    path
        The file; made if it is not there.
    data_id
        What the pieces are of: those of other data may lie in the same file.
    """

    def __init__(self, path: str | os.PathLike[str], data_id: str) -> None:
        self._path = Path(path)
        self._data_id = data_id
        self._version: int | None = None
        self._file = contextlib.ExitStack()
        self.works = True
        """Whether the file can be used; once it fails, the run goes on without."""
        try:
            # SQLite guards itself; a table may be read in one thread and learned from in another
            self._connection = sqlite3.connect(
                self._path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
            )
            self._file.enter_context(contextlib.closing(self._connection))
            self._set_up()
        except sqlite3.OperationalError as error:
            self._give_up(error)
        except sqlite3.DatabaseError:
            raise DataError(
                f"{self._path.name} is no cache that graphoid wrote, or damaged. Give another path."
            ) from None

    def _set_up(self) -> None:
        """Make the tables, however many processes do so at once.

        Where two of them turn to the write-ahead log together, SQLite tells one that the file is locked
        without waiting for the other: it is asked again.
        """
        last = time.monotonic() + BUSY_SECONDS
        while True:
            try:
                self._refuse_others()
                for statement in ("PRAGMA journal_mode=WAL", "PRAGMA synchronous=NORMAL", _PIECES, _BY_NAME):
                    self._connection.execute(statement)
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > last:
                    raise
                time.sleep(0.01)
            else:
                return

    def _refuse_others(self) -> None:
        """Raise if the file is a database of something else, which would be added to."""
        tables = self._connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        if tables and ("pieces",) not in tables:
            raise sqlite3.DatabaseError("it has tables of its own")

    def news(self) -> list[tuple[str, int]]:
        """Return the names and sizes of all pieces, if another process may have written since."""
        if not self.works:
            return []
        try:
            (version,) = self._connection.execute("PRAGMA data_version").fetchone()
            if version == self._version:
                return []
            self._version = version
            query = "SELECT name, size FROM pieces WHERE data_id = ?"
            return self._connection.execute(query, (self._data_id,)).fetchall()
        except sqlite3.Error as error:
            self._give_up(error)
            return []

    def get(self, name: str) -> bytes | None:
        """Return a piece, or None if it is not there or damaged."""
        if not self.works:
            return None
        query = "SELECT body, digest FROM pieces WHERE data_id = ? AND name = ?"
        try:
            row = self._connection.execute(query, (self._data_id, name)).fetchone()
        except sqlite3.Error as error:
            self._give_up(error)
            return None
        return None if row is None or _digest(row[0]) != row[1] else row[0]

    def put(self, pieces: Iterable[tuple[str, int, bytes]]) -> None:
        """Write pieces (name, size, body), all of them or none; what has a name already is replaced."""
        if not self.works:
            return
        different = {name: (size, body) for name, size, body in pieces}  # a batch may name one twice
        rows = [(self._data_id, name, size, _digest(body), body) for name, (size, body) in different.items()]
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            self._connection.executemany(
                "DELETE FROM pieces WHERE data_id = ? AND name = ?", [r[:2] for r in rows]
            )
            self._connection.executemany(
                "INSERT INTO pieces (data_id, name, size, digest, body) VALUES (?, ?, ?, ?, ?)", rows
            )
            self._connection.execute("COMMIT")
        except (sqlite3.Error, OSError) as error:
            self._give_up(error)

    def _give_up(self, error: Exception) -> None:
        """Say once that nothing more is kept: disk full, no permission."""
        self.works = False
        warnings.warn(
            f"counts cannot be kept in {self._path.name} ({error}); the run goes on without, and what "
            f"was kept before stays. Make room, or give another cache.",
            CacheWarning,
            stacklevel=2,
        )

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()

    __del__ = close


def _digest(body: bytes) -> bytes:
    return hashlib.blake2b(body, digest_size=16).digest()
