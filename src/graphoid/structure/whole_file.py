"""Files that are written whole or not at all: every output of graphoid goes through here."""

from __future__ import annotations

import contextlib
import hashlib
import os
import platform
import secrets
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from collections.abc import Iterator


def write(path: str | os.PathLike[str], content: str | bytes) -> None:
    """Write text (as UTF-8) or bytes to a file; an older file is replaced at once or not at all."""
    whole = content.encode("utf-8") if isinstance(content, str) else content
    with writer(path) as file:
        file.write(whole)


@contextlib.contextmanager
def writer(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a file to write to, which takes its place when all of it is on the disk.

    A link is followed, and permissions of an older file are kept. What is no file, such as a pipe or
    ``/dev/null``, is written to as it is. An error of the system has the path as its ``filename``.
    """
    target = Path(os.path.realpath(path))
    part = None
    try:
        if target.exists() and not target.is_file() and not target.is_dir():
            with target.open("wb") as file:
                yield file
            return
        _remove_abandoned(target)
        part = _part(target)
        with part.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if target.is_file():
            shutil.copymode(target, part)
        part.replace(target)
    except OSError as error:
        raise OSError(error.errno, error.strerror or str(error), os.fspath(path)) from error
    finally:
        if part is not None:
            part.unlink(missing_ok=True)


def _part(target: Path) -> Path:
    """Return a name for what is being written: what it will be, who writes, and chance."""
    return target.with_name(f".{_key(target)}-{os.getpid()}-{secrets.token_hex(4)}.part")


def _key(target: Path) -> str:
    """Return a digest of a name, and of this machine: on another one a process has the same number."""
    named = os.fsencode(target.name) + b"\0" + platform.node().encode()
    return hashlib.blake2b(named, digest_size=8).hexdigest()


def _remove_abandoned(target: Path) -> None:
    """Remove what is left of this file by processes that were killed while they wrote it."""
    for part in target.parent.glob(f".{_key(target)}-*-*.part"):
        process = part.name.split("-")[1]
        with contextlib.suppress(OSError):  # another writer was quicker, or the folder lets nobody remove
            if process.isdecimal() and not _runs(int(process)):
                part.unlink()


def _runs(process: int) -> bool:
    """Return whether a process runs; where no signal can ask, a file that is open cannot be removed."""
    if os.name != "posix":
        return process == os.getpid()
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:  # of somebody else
        return True
    return True


def probe(path: str | os.PathLike[str]) -> None:
    """Raise an error of the system if a file cannot be written; nothing is left behind."""
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise IsADirectoryError(None, "is a folder", os.fspath(path))
    if target.exists() and not os.access(target, os.W_OK):
        raise PermissionError(None, "is write-protected", os.fspath(path))
    if not target.exists() or target.is_file():
        part = _part(target)
        part.touch(exist_ok=False)
        part.unlink()


def same(a: str | os.PathLike[str], b: str | os.PathLike[str]) -> bool:
    """Return whether two paths are one file, also through links and where it is not there yet."""
    try:
        try:
            return os.path.samefile(a, b)
        except OSError:  # one is not there
            return os.path.realpath(a) == os.path.realpath(b)
    except ValueError:  # nothing can be called that
        return False
