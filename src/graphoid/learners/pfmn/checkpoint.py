"""Answers on file, so that a run that was stopped goes on where it was and pays for no test twice.

A run is determined by its settings, its seed and the answers. So the file holds these, and is replaced at
once or not at all after every answer, or every batch of them; who resumes goes the same way again, with the
answers from the file as far as they reach.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from graphoid.errors import DataError
from graphoid.logic.verdict import Verdict
from graphoid.structure import document, plain
from graphoid.structure.document import Json, to_row

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence


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

    def __init__(self, path: str | os.PathLike[str] | None, run: Json) -> None:
        self._path = None if path is None else Path(path)
        self._run = json.loads(json.dumps(dict(run)))  # as it will come back from the file
        self.verdicts: list[Verdict] = []
        self.seconds = 0.0
        if self._path is not None:
            document.check_checkpoint(self._path)
        if self._path is not None and self._path.exists():
            self._read(self._path)

    def add(self, verdicts: Sequence[Verdict], seconds: float) -> None:
        """Keep more answers, and put them on file before anything else is done with them."""
        self.verdicts += verdicts
        if self._path is None:
            return
        body = {
            "run": self._run,
            "seconds": seconds,
            "fields": list(Verdict._fields),
            "verdicts": [to_row(v) for v in self.verdicts],
        }
        document.save_checkpoint(document.pack(FORMAT, VERSION, body), self._path)

    def _read(self, path: Path) -> None:
        try:
            body = document.unpack(document.read_text(path), "it", {FORMAT: VERSION}).body
        except DataError as error:
            raise DataError(
                f"{path} is not a checkpoint to go on from: {error} Give another, or delete a damaged one."
            ) from None
        document.refuse_another_run(body.get("run"), self._run, str(path))
        with document.reading(str(path)):
            n = len(self._run["names"])
            self.verdicts = list(document.verdicts(body["fields"], body["verdicts"], n))
            self.seconds = float(plain.number(body["seconds"], least=0))
