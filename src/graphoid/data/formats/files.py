"""The bytes of a text file: packed or not, and in UTF-8."""

from __future__ import annotations

import codecs
import gzip
import io
from typing import TYPE_CHECKING

from graphoid.errors import DataError

if TYPE_CHECKING:
    from pathlib import Path

SCANNED = 1 << 20
"""Bytes read at a time to find where a file stops being UTF-8."""


def open_text(path: Path) -> io.TextIOWrapper[gzip.GzipFile | io.BufferedReader]:
    """Open a file as text, unpacking gzip whatever its name says; its bytes are in ``buffer``.

    Line ends stay as they are, and a byte-order mark is passed over.
    """
    with path.open("rb") as file:
        packed = file.read(2) == b"\x1f\x8b"
    content = gzip.GzipFile(path) if packed else path.open("rb")
    return io.TextIOWrapper(content, encoding="utf-8-sig", newline="")


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
    remedy = "Save it as UTF-8, or read it with pandas.read_csv(..., encoding={!r}) and pass the data frame."
    if first in {codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE}:
        return f"{path.name} is not UTF-8: it begins as UTF-16 does. {remedy.format('utf-16')}"
    return (
        f"{path.name} is not UTF-8: byte 0x{byte:02x} in line {line:,} (position {place:,}) is no character. "
        f"It may be Latin-1 or Windows-1252. {remedy.format('cp1252')}"
    )
