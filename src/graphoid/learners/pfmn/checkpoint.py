"""Answers on file, so that a run that was stopped goes on where it was and pays for no test twice.

A run is determined by its settings, its seed and the answers. So the file holds these, and is replaced at
once or not at all after every answer; who resumes goes the same way again, with the answers from the file as
far as they reach.
"""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphoid.errors import DataError
from graphoid.logic.verdict import Verdict
from graphoid.structure.json_rows import from_row, to_row

if TYPE_CHECKING:
    from collections.abc import Mapping

FORMAT = "graphoid checkpoint"
VERSION = 1


class Checkpoint:
    """The answers of a run on file.

    Parameters
    ----------
    path
        The file; None keeps nothing.
    run
        What determines the run besides the answers, as plain values. A file of another run is refused.

    Attributes
    ----------
    verdicts
        The answers so far, in order.
    seconds
        The time spent before, where the run was stopped.
    """

    def __init__(self, path: str | os.PathLike[str] | None, run: Mapping[str, Any]) -> None:
        self._path = None if path is None else Path(path)
        self._run = json.loads(json.dumps(dict(run)))  # as it will come back from the file
        self.verdicts: list[Verdict] = []
        self.seconds = 0.0
        if self._path is not None and self._path.exists():
            self._read(self._path)

    def add(self, verdict: Verdict, seconds: float) -> None:
        """Keep one more answer, and put it on file before anything else is done with it."""
        self.verdicts.append(verdict)
        if self._path is None:
            return
        body = {
            "run": self._run,
            "seconds": seconds,
            "fields": list(Verdict._fields),
            "verdicts": [to_row(v) for v in self.verdicts],
        }
        document = {"format": FORMAT, "version": VERSION, "digest": _digest(body), "body": body}
        part = self._path.with_name(f".{self._path.name}.{os.getpid()}.part")
        try:
            with part.open("w", encoding="utf-8") as file:
                json.dump(document, file, allow_nan=False, separators=(",", ":"))
                file.flush()
                os.fsync(file.fileno())
            part.replace(self._path)
        finally:
            part.unlink(missing_ok=True)

    def _read(self, path: Path) -> None:
        try:
            document = json.loads(path.read_text(encoding="utf-8"))
            body = document["body"]
            whole = (document["format"], document["version"]) == (FORMAT, VERSION)
        except (ValueError, KeyError, TypeError, RecursionError):
            raise DataError(f"{path} is not a checkpoint that graphoid wrote; give another file.") from None
        if not whole or document.get("digest") != _digest(body):
            raise DataError(
                f"{path} was damaged, changed, or written by another version; delete it to begin."
            )
        for name, value in self._run.items():
            if body["run"].get(name) != value:
                raise DataError(
                    f"{path} belongs to another run: its {name} is {body['run'].get(name)!r}, here it is "
                    f"{value!r}. Give another file, or the same settings."
                )
        self.verdicts = [from_row(body["fields"], row) for row in body["verdicts"]]
        self.seconds = float(body["seconds"])


def _digest(body: Any) -> str:
    text = json.dumps(body, sort_keys=True, separators=(",", ":"))
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
