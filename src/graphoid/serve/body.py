"""What comes in: read in parts, bounded before and while it is read."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

from graphoid.serve.access import Refused

if TYPE_CHECKING:
    from collections.abc import Iterator
    from email.message import Message
    from io import BufferedIOBase
    from pathlib import Path

MOST_BYTES = 256 * 2**20
"""Of an uploaded table: what is larger stays where it is, and is named on the command line."""

MOST_JSON = 2**20
"""Bytes of a question: kinds of ten thousand columns fit."""

PART = 2**16
"""Bytes read at a time."""

PATIENCE = 600.0
"""Seconds that a body may take to come."""


def length_of(headers: Message, most: int) -> int:
    """Return how many bytes are to come; refuse what does not say so, or too many."""
    said = headers.get_all("Content-Length") or []
    if headers.get("Transfer-Encoding") is not None or len(said) != 1:
        raise Refused(411, "a request must say how long it is, by one Content-Length.")
    if not (said[0].isascii() and said[0].isdigit()):
        raise Refused(400, f"a request is {said[0]!r:.40} bytes long; expected a number.")
    # as text first: a number of a million digits takes long to read
    if len(said[0].lstrip("0")) > len(str(most)) or int(said[0]) > most:
        raise Refused(
            413,
            f"that is more than the {most / 2**20:,.0f} MB that can be sent; name a larger file on the "
            f"command line: graphoid serve FILE.",
        )
    return int(said[0])


def parts(stream: BufferedIOBase, length: int) -> Iterator[bytes]:
    """Yield a body of so many bytes in parts, never more; refuse one that ends early or takes too long."""
    left, until = length, time.monotonic() + PATIENCE
    while left:
        part = stream.read(min(PART, left))
        if not part:
            raise Refused(400, f"the request ended {left:,} bytes early.")
        if time.monotonic() > until:
            raise Refused(408, f"the request took more than {PATIENCE:.0f} s to come.")
        left -= len(part)
        yield part


def read_json(stream: BufferedIOBase, headers: Message) -> dict[str, object]:
    """Return the object of JSON that a request has."""
    text = b"".join(parts(stream, length_of(headers, MOST_JSON)))
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        raise Refused(400, "the request is not JSON.") from None
    if not isinstance(value, dict):
        raise Refused(400, "the request is no object of JSON.")
    return value


def save_file(stream: BufferedIOBase, headers: Message, path: Path) -> int:
    """Write what comes to a new file, and return its size; nothing is left of one that is refused."""
    length = length_of(headers, MOST_BYTES)
    try:
        with path.open("xb") as file:
            for part in parts(stream, length):
                file.write(part)
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    return length
