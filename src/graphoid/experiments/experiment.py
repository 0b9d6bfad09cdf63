"""An experiment of a paper: settings, the rows of a table that come of them, and a random stream for each."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from graphoid.errors import DataError
from graphoid.experiments.processes import Part, Result, parallel_map
from graphoid.experiments.results import Column, Plot, Results, Row, paragraphs
from graphoid.progress import Listener, track

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from numpy.random import Generator


@dataclass(frozen=True)
class Run:
    """One run of an experiment: its seed, where its data are, and who hears of its progress."""

    seed: int = 0
    data: Path | None = None
    progress: Listener | None = None

    def stream(self, *key: int) -> Generator:
        """Return the random stream of one repetition.

        It is the one that spawning from the seed gives at ``key``; so a repetition draws the same whichever
        others are run.
        """
        return np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=key))

    def folder(self, name: str, what: str) -> Path:
        """Return a folder of the data, or say in a sentence what should be in it."""
        if self.data is None:
            raise DataError(
                f"this experiment needs data: give the folder that holds {name}/ ({what}) with --data DIR or "
                f"in the environment variable GRAPHOID_DATA."
            )
        if not (self.data / name).is_dir():
            raise DataError(f"{self.data} has no folder {name}/; it should hold {what}.")
        return self.data / name

    def steps(self, parts: Sequence[Part], phase: str) -> Iterator[Part]:
        """Yield the parts of the work, and tell how far it is."""
        return track(parts, phase, self.progress)


@dataclass(frozen=True, kw_only=True)
class Experiment(ABC):
    """Settings of an experiment, which runs from a seed; its name is that on the command line."""

    NAME: ClassVar[str]
    TITLE: ClassVar[str]
    COLUMNS: ClassVar[tuple[Column, ...]]
    PLOT: ClassVar[Plot | None] = None

    repetitions: int
    """How often everything is repeated, from a random stream of its own."""

    def run(self, *, seed: int = 0, data: Path | None = None, progress: Listener | None = None) -> Results:
        """Run it; ``data`` is the folder with ``uci``, ``bif`` and others in it, where one is needed."""
        run = Run(seed, data, progress)
        rows = tuple(self.rows(run))
        notes = (*paragraphs(self.notes(run)), *self.remarks(rows))
        return Results(self.NAME, self.TITLE, self.COLUMNS, rows, notes, self.PLOT)

    @abstractmethod
    def rows(self, run: Run) -> Iterable[Row]:
        """Return the rows of the table."""

    @abstractmethod
    def notes(self, run: Run) -> str:
        """Return how to read the table, what it was run with, and what does not match; a note a paragraph."""

    def remarks(self, rows: Sequence[Row]) -> Sequence[str]:  # noqa: ARG002 - for those who have one
        """Return notes on what was found."""
        return ()


@dataclass(frozen=True, kw_only=True)
class ParallelExperiment(Experiment):
    """An experiment whose repetitions can run at the same time."""

    processes: int = 1
    """How many parts run at a time, each in a process of its own."""

    def map(
        self, work: Callable[[Run, Part], Result], parts: Sequence[Part], phase: str, run: Run
    ) -> list[Result]:
        """Return what ``work`` makes of the run and every part, in order."""
        quiet = replace(run, progress=None)  # a listener stays in its own process
        return parallel_map(partial(work, quiet), parts, self.processes, phase, run.progress)
