"""Files that graphoid saves: JSON with format, version and a digest. Nothing in one is ever run."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any, NamedTuple

from graphoid.errors import DataError


class Document(NamedTuple):
    """What is inside a file: the format says what the body describes."""

    format: str
    body: Any


def pack(format_: str, version: int, body: dict[str, Any]) -> str:
    """Return a body as JSON text: format, version, a digest of the body, and the body."""
    text = _text(body, allow_nan=False)
    head = json.dumps({"format": format_, "version": version, "digest": _digest(text)}, separators=(",", ":"))
    return f'{head[:-1]},"body":{text}}}'


def unpack(text: str, where: str, versions: dict[str, int]) -> Document:
    """Return the document in JSON text, or raise one clear error.

    Parameters
    ----------
    text
        The whole of it.
    where
        What to call it in a message.
    versions
        The formats expected, and the newest version of each that can be read.
    """
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DataError(f"{where} is not whole JSON ({error}); it may be cut off. Save it again.") from None
    format_ = document.get("format") if isinstance(document, dict) else None
    if not isinstance(format_, str) or format_ not in versions:
        expected = " or ".join(f"a {name.removeprefix('graphoid ')}" for name in versions)
        raise DataError(f"{where} is JSON, but not {expected} that graphoid saved.")
    version, newest = document.get("version"), versions[format_]
    if isinstance(version, int) and version > newest:
        raise DataError(
            f"{where} was saved by a newer graphoid (file version {version}; this one reads {newest}). "
            f"Upgrade graphoid."
        )
    body: Any = document.get("body")
    if version != newest or document.get("digest") != digest(body):
        raise DataError(f"{where} was damaged or changed after it was saved: its digest does not match.")
    return Document(format_, body)


def save(text: str, path: str | os.PathLike[str]) -> None:
    """Write text to a file; an older one is replaced at once or not at all."""
    path = Path(path)
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        part.write_text(text + "\n", encoding="utf-8")
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def read_text(path: str | os.PathLike[str]) -> str:
    """Return the text of a file, or raise one clear error."""
    try:
        return Path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise DataError(
            f"{os.fspath(path)!r} is not a text file; expected JSON that graphoid saved."
        ) from None


def digest(body: Any) -> str:
    """Return a digest of the content, whatever the layout of the text."""
    return _digest(_text(body, allow_nan=True))


def _text(body: Any, *, allow_nan: bool) -> str:
    """Return a body as text, the same for equal bodies."""
    return json.dumps(body, ensure_ascii=False, allow_nan=allow_nan, sort_keys=True, separators=(",", ":"))


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
