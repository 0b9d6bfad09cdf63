"""The graphs of resamples on file, so that a run that was killed goes on and ends the same."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from graphoid.structure import document, plain
from graphoid.uncertainty.replicates import Found

if TYPE_CHECKING:
    import os

    from numpy.typing import NDArray

    from graphoid.structure.document import Json

FORMAT = "graphoid bootstrap checkpoint"
VERSION = 1


class Checkpoint:
    """What was found in each of the first resamples, in memory and on file.

    Parameters
    ----------
    path
        The file, which is replaced at once or not at all; None keeps nothing.
    run
        What determines the run, as plain values. A file of another run is refused.
    n_pairs
        Pairs of variables.
    """

    def __init__(self, path: str | os.PathLike[str] | None, run: Json, n_pairs: int) -> None:
        self._path = None if path is None else Path(path)
        self._run = json.loads(json.dumps(dict(run)))  # as it will come back from the file
        self.found = Found(np.zeros((0, n_pairs), dtype=bool))
        if self._path is not None and self._path.exists():
            body = document.unpack(document.read_text(self._path), repr(str(path)), {FORMAT: VERSION}).body
            document.refuse_another_run(body.get("run"), self._run, repr(str(path)))
            with document.reading(repr(str(path))):
                joined, probability = unpack_pairs(body["found"], n_pairs), body.get("probability")
                known = None if probability is None else array(probability, joined.shape)
            self.found = Found(joined, known)

    def __len__(self) -> int:
        return len(self.found.joined)

    def add(self, found: Found) -> None:
        """Keep what was found in the next resamples, and put it on file."""
        self.found = Found.all_of([self.found, found] if len(self) else [found])
        if self._path is not None:
            known = self.found.probability
            body = {
                "run": self._run,
                "found": pack_pairs(self.found.joined),
                "probability": None if known is None else numbers(known),
            }
            document.save_checkpoint(document.pack(FORMAT, VERSION, body), self._path)


def pack_pairs(found: NDArray[np.bool_]) -> list[list[int]]:
    """Return for every resample the places of the pairs that are joined."""
    return [np.flatnonzero(line).tolist() for line in found]


def unpack_pairs(places: object, n_pairs: int) -> NDArray[np.bool_]:
    """Return what :func:`pack_pairs` wrote."""
    lines = plain.items(places)
    found = np.zeros((len(lines), n_pairs), dtype=bool)
    for line, joined in zip(found, lines, strict=True):
        line[list(plain.positions(joined, n_pairs))] = True
    return found


def number(value: float) -> float | None:
    """Return None in place of what is not a number."""
    return None if math.isnan(value) else float(value)


def numbers(values: NDArray[np.float64]) -> list[float | None]:
    """Return an array as JSON has it."""
    return [number(v) for v in values.ravel().tolist()]


def array(values: object, shape: tuple[int, ...], **limits: float) -> NDArray[np.float64]:
    """Return what :func:`numbers` wrote; those that are numbers keep to limits."""
    listed = [np.nan if v is None else plain.number(v, **limits) for v in plain.items(values)]
    return np.array(listed, dtype=np.float64).reshape(shape)
