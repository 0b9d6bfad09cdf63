"""The bytes of a text file: packed or not, and in UTF-8."""

from __future__ import annotations

import atexit
import codecs
import contextlib
import gzip
import hashlib
import io
import math
import os
import threading
import time
import weakref
import zlib
from typing import TYPE_CHECKING

import pyarrow as pa

from graphoid.errors import DataError, as_option, setting
from graphoid.limits import MEMORY, map_threads
from graphoid.structure.safe_text import scrub

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

DIGESTED = 1 << 23
"""Bytes of a part of a file that has a digest of its own."""

LONGEST = 200
"""Characters of a path shown in a message: longer ones are mostly data that were taken for a path."""

SCANNED = 1 << 20
"""Bytes read at a time to find where a file stops being UTF-8."""


def quote_path(path: Path) -> str:
    """Return a path for a message."""
    named = scrub(str(path))  # an address may hold a password
    return repr(named) if len(named) <= LONGEST else repr(named[:LONGEST]) + "..."


def not_a_file(path: Path) -> DataError:
    """Return the error for what is no file; a pipe would be waited for, and read only once."""
    if not path.exists():
        return DataError(f"there is no file {quote_path(path)}.")
    if path.is_dir():
        return DataError(f"{quote_path(path)} is a directory; expected a file.")
    return DataError(
        f"{quote_path(path)} is a pipe or a device; expected a file, which is read more than once. "
        f"Write what comes from it to a file first."
    )


@contextlib.contextmanager
def clear_errors(path: Path) -> Iterator[None]:
    """Raise what goes wrong with the bytes of a file as one sentence on it."""
    try:
        try:
            yield
        except UnicodeDecodeError:
            check_encoding(path)
            raise
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise DataError(f"{path.name} is not a whole gzip file: {error}. Fetch or pack it again.") from error
    except OSError as error:
        raise DataError(f"{quote_path(path)} cannot be read: {error.strerror or error}.") from error


def file_digest(path: Path) -> str:
    """Return a digest of all bytes of a file, of which several parts are read at a time."""

    def digest(start: int) -> bytes:
        with path.open("rb") as file:
            file.seek(start)
            return hashlib.blake2b(file.read(DIGESTED), digest_size=16).digest()

    size = path.stat().st_size
    parts = b"".join(map_threads(digest, range(0, size, DIGESTED), os.cpu_count() or 1))
    return hashlib.blake2b(parts + size.to_bytes(8, "little"), digest_size=16).hexdigest()


def open_text(path: Path) -> io.TextIOWrapper[gzip.GzipFile | io.BufferedReader]:
    """Open a file as text, unpacking gzip whatever its name says; its bytes are in ``buffer``.

    Line ends stay as they are, and a byte-order mark is passed over.
    """
    with path.open("rb") as file:
        packed = file.read(2) == b"\x1f\x8b"
    content = gzip.GzipFile(path) if packed else path.open("rb")
    return io.TextIOWrapper(content, encoding="utf-8-sig", newline="")


GRACE = 0.05
"""Seconds that Arrow's threads have at the end of a run to finish what they were reading."""

_passed_on: weakref.WeakSet[WatchedText] = weakref.WeakSet()


class WatchedText(io.BufferedIOBase):
    """The bytes of a text file on their way to Arrow, which takes a NUL for any other byte.

    A thread of Arrow's reads ahead, also once a run has failed; were it in here when Python ends, it would
    take the process with it. So what is still being read then ends first.

    Parameters
    ----------
    content
        Where the bytes come from.
    name
        Of the file, for messages.
    limit
        Bytes of memory that Arrow may take for it, or None.
    """

    def __init__(self, content: io.BufferedIOBase, name: str, limit: int | None = None) -> None:
        self._content, self._name = content, name
        self._limit = math.inf if limit is None else limit + pa.total_allocated_bytes()
        self._n_bytes = 0
        self.tail = bytearray()
        self.line_ends = 0
        self._stop, self._ended, self._reading = threading.Event(), threading.Event(), threading.Lock()
        _passed_on.add(self)

    def readable(self) -> bool:
        """Say yes: Arrow asks."""
        return True

    def read(self, size: int | None = -1) -> bytes:
        """Return the next bytes.

        Raises
        ------
        DataError
            If one of them is NUL, or if they take more memory than they may.
        """
        chunk = b""
        try:
            if not self._stop.is_set():
                with self._reading:
                    chunk = self._next(size)
        finally:
            if not chunk:  # an error, or the end: there will be no other read
                self._ended.set()
        return chunk

    def _next(self, size: int | None) -> bytes:
        self.check_memory()
        chunk = self._content.read(size)
        self._n_bytes += len(chunk)
        nul = chunk.find(b"\0")
        if nul >= 0:
            line = self.line_ends + chunk.count(b"\n", 0, nul) + 1
            raise DataError(
                f"{self._name} has a NUL byte in line {line:,}, which no text has. Is it damaged, or of "
                f"another encoding? Write or fetch it again, as UTF-8."
            )
        self.line_ends += chunk.count(b"\n")
        start = chunk.rfind(b"\n", 0, max(0, len(chunk) - 2)) + 1  # the last two may be the end of this line
        if start:
            self.tail.clear()
        self.tail += chunk[start:]
        return chunk

    def check_memory(self) -> None:
        """Raise if Arrow has taken more memory than it may; its threads come after the reading."""
        if pa.total_allocated_bytes() > self._limit:
            raise DataError(
                f"{self._name} does not fit into memory: {self._n_bytes / 2**30:,.1f} GiB of text are "
                f"unpacked. Read it with {setting('where', 'source')}, or raise {MEMORY} (bytes)."
            )

    def end(self) -> bool:
        """Let nothing more be read, and wait for who reads to notice; return whether there was more."""
        more = not self._ended.is_set()
        self._stop.set()
        self._ended.wait(20 * GRACE if self._reading.locked() else GRACE)
        return more


@atexit.register
def _end_reading() -> None:
    if sum(text.end() for text in list(_passed_on)):  # all of them, not until the first
        time.sleep(GRACE)


def check_encoding(path: Path) -> None:
    """Raise the error for a file that is not UTF-8: where it stops being so, and what it may be."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    before, line = 0, 1
    with open_text(path) as file:
        while True:
            chunk = file.buffer.read(SCANNED)
            pending = len(decoder.getstate()[0])
            try:
                decoder.decode(chunk, final=not chunk)
            except UnicodeDecodeError as error:
                data, start = error.object, error.start
                place = before - pending + start
                first = data[:2] if before == pending else b""
                line += data.count(b"\n", 0, start)
                raise DataError(_not_utf8(path, data[start], line, place, first)) from None
            if not chunk:
                return
            before += len(chunk)
            line += chunk.count(b"\n")


def _not_utf8(path: Path, byte: int, line: int, place: int, first: bytes) -> str:
    remedy = "Save it as UTF-8" + as_option(
        ", which spreadsheets call “CSV UTF-8”.",
        ", or read it with pandas.read_csv(..., encoding={!r}) and pass the data frame.",
    )
    if first in {codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE}:
        return f"{path.name} is not UTF-8: it begins as UTF-16 does. {remedy.format('utf-16')}"
    return (
        f"{path.name} is not UTF-8: byte 0x{byte:02x} in line {line:,} (position {place:,}) is no character. "
        f"It may be Latin-1 or Windows-1252. {remedy.format('cp1252')}"
    )
