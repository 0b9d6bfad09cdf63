"""What the page works on: one table at a time, its network, and the files of both in a temporary folder."""

from __future__ import annotations

import re
import shutil
import tempfile
import threading
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from graphoid.errors import DataError, GraphoidError
from graphoid.serve import worker
from graphoid.serve.access import Refused
from graphoid.serve.body import save_file
from graphoid.serve.choices import Choices
from graphoid.serve.job import Job

if TYPE_CHECKING:
    from collections.abc import Mapping
    from email.message import Message
    from io import BufferedIOBase

    from graphoid.models.network import MarkovNetwork

ENDINGS = (".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz", ".txt.gz", ".parquet", ".arff", ".sav")
"""Of tables that can be sent, or chosen in a folder."""

MOST_FILES = 500
"""Tables of a folder that are listed."""

LONGEST_NAME = 200
"""Characters of the name of a file; systems have 255 bytes."""

PATIENCE = 30.0
"""Seconds that an answer to evidence may take."""

DOWNLOADS = {
    "report.html": (worker.REPORT, "text/html"),
    "repeat.py": (worker.SCRIPT, "text/x-python"),
    "network.json": (worker.NETWORK, "application/json"),
}
"""What can be taken home: the file in the workspace, and its type."""


class Source(NamedTuple):
    """The table in hand."""

    path: Path
    name: str


class Workspace:
    """The state of the page. ``given`` is a table to begin with, or a folder of tables to choose from."""

    def __init__(self, given: Path | None = None) -> None:
        self._temporary = tempfile.TemporaryDirectory(prefix="graphoid-serve-", ignore_cleanup_errors=True)
        self._folder = Path(self._temporary.name)
        self._tables_in = given if given is not None and given.is_dir() else None
        self._lock = threading.Lock()
        self._source: Source | None = None
        self._job: Job | None = None
        self._choices = Choices()
        self._n_runs = 0
        self._run: Path | None = None
        self._model: MarkovNetwork | None = None
        if given is not None and self._tables_in is None:
            self._source = Source(given, given.name)

    def close(self) -> None:
        """End what runs, and leave nothing behind."""
        if self._job is not None:
            self._job.kill()
        self._temporary.cleanup()

    def state(self) -> dict[str, object]:
        """Return what the page shows."""
        source = self._source
        return {
            "file": None if source is None else source.name,
            "files": [path.name for path in self._tables()],
            "endings": ENDINGS,
            "choices": self._choices.to_values(),
            "job": None if self._job is None else self._job.to_values(),
            "learned": self._run is not None and (self._run / worker.LIVE).exists(),
        }

    def _tables(self) -> list[Path]:
        """Return the tables of the folder that was given: files in it, and none that a link leads out to."""
        if self._tables_in is None:
            return []
        top = self._tables_in.resolve()
        found = sorted(path for path in top.iterdir() if path.name.lower().endswith(ENDINGS))
        return [path for path in found if path.is_file() and path.resolve().parent == top][:MOST_FILES]

    def open(self, name: str) -> dict[str, object]:
        """Take a table of the folder; its name must be one of those listed."""
        for path in self._tables():
            if path.name == name:
                self._take(Source(path, path.name))
                return self.state()
        raise Refused(404, f"there is no table {name!r:.80} in the folder that was given.")

    def upload(self, name: str, stream: BufferedIOBase, headers: Message) -> dict[str, object]:
        """Take a table that is sent; it is kept under a name of ours until another comes."""
        ending = next((e for e in sorted(ENDINGS, key=len, reverse=True) if name.lower().endswith(e)), None)
        if ending is None:
            raise Refused(415, f"{name!r:.80} is no table that can be read; send {', '.join(ENDINGS)}.")
        with self._lock:
            self._n_runs += 1
            path = self._folder / f"table-{self._n_runs}{ending}"
        save_file(stream, headers, path)
        shown = re.sub(r"[\\/\x00-\x1f\x7f]+", "_", name)[-LONGEST_NAME:]
        self._take(Source(path, shown))
        return self.state()

    def _take(self, source: Source) -> None:
        with self._lock:
            before, self._source = self._source, source
            self._run, self._model, self._choices = None, None, Choices()
            self._end()
            if before is not None and before.path.parent == self._folder:
                before.path.unlink(missing_ok=True)

    def check(self, values: Mapping[str, object]) -> dict[str, object]:
        """Return what reading the table by some choices would do."""
        job = self._start("check", values)
        job.ended.wait()
        if job.state == "done":
            return job.result
        raise DataError(job.error or "the check was ended by another one.")

    def learn(self, values: Mapping[str, object]) -> dict[str, object]:
        """Begin to learn, and return the state."""
        self._start("learn", values)
        return self.state()

    def cancel(self) -> dict[str, object]:
        """End what runs with what it found, and return the state."""
        job = self._job
        if job is not None and job.state == "running":
            job.cancel()
        return self.state()

    def marginals(self, said: object) -> dict[str, object]:
        """Return the distributions of all variables given evidence; the model is fitted at the first."""
        from graphoid.limits import OutOfTime, time_limit
        from graphoid.report.evidence import from_positions, marginals

        model = self._fit()
        try:
            with time_limit(PATIENCE):
                return {"marginals": marginals(model, from_positions(model.variables, said))}
        except OutOfTime:
            raise DataError(f"an exact answer takes more than {PATIENCE:.0f} s with this network.") from None

    def file(self, name: str) -> tuple[bytes, str]:
        """Return what the last run wrote, and its type."""
        stored, kind = DOWNLOADS.get(name, (name, "text/html"))
        run = self._run
        try:
            if run is not None:
                return (run / stored).read_bytes(), kind
        except OSError:
            pass
        raise Refused(404, "nothing has been learned yet.")

    def _fit(self) -> MarkovNetwork:
        from graphoid.models.network import MarkovNetwork
        from graphoid.uncertainty.io import load

        with self._lock:
            if self._model is not None:
                return self._model
            run = self._run
        if run is None or not (run / worker.NETWORK).exists():
            raise DataError("evidence needs a network: learn one first.")
        if not (run / worker.MODEL).exists():
            job = self._start("fit", self._choices.to_values(), run)
            job.ended.wait()
            if job.state != "done":
                raise DataError(job.error or "the model was not fitted: that was cancelled.")
        model = load(run / worker.MODEL)
        if not isinstance(model, MarkovNetwork):
            raise DataError("there is no model of this network that answers to evidence.")
        with self._lock:
            if self._run == run:
                self._model = model
        return model

    def _start(self, do: str, values: Mapping[str, object], run: Path | None = None) -> Job:
        """Have a worker do something; what another does is ended."""
        choices = Choices.from_values(values)
        with self._lock:
            if self._source is None:
                raise GraphoidError("there is no table yet: drop one first.")
            self._end()
            self._choices = choices
            if do == "learn":
                if self._run is not None:
                    shutil.rmtree(self._run, ignore_errors=True)
                self._n_runs += 1
                run = self._run = self._folder / f"run-{self._n_runs}"
                run.mkdir()
                self._model = None
            self._job = Job(
                {
                    "do": do,
                    "path": str(self._source.path),
                    "name": self._source.name,
                    "choices": choices.to_values(),
                    "folder": str(run),
                }
            )
            return self._job

    def _end(self) -> None:
        if self._job is not None and self._job.state == "running":
            self._job.kill()
