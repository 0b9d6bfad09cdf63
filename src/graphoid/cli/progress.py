"""How far a run has come: a bar on a terminal, one line elsewhere; and what it has found so far."""

from __future__ import annotations

import contextlib
import sys
import threading
from datetime import timedelta
from typing import TYPE_CHECKING, Self, cast

from graphoid.cli.terminal import console, note
from graphoid.structure.safe_text import printable

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import TracebackType

    from rich.progress import Progress

    from graphoid.logic.verdict import Verdict
    from graphoid.progress import Step
    from graphoid.structure.graph import UndirectedGraph

EXECUTED = ("test", "oracle")

LATE = 20.0
"""Seconds after which a line says that a run takes long."""


class Watch:
    """Listens to a run, shows how far it has come, and keeps hold of what it has found so far.

    ``what`` says in a word or two what is being done, ``title`` in a line. Where nothing says when it will
    end, a line says so after a while, with a ``remedy``.
    """

    def __init__(self, what: str, title: str | None = None, *, quiet: bool = False, remedy: str = "") -> None:
        self.so_far: UndirectedGraph | Sequence[Verdict] | None = None
        self._what = printable(what)
        self._title = printable(what if title is None else title)
        self._quiet = quiet
        self._bar: Progress | None = None
        self._said = quiet
        self._n_seen = self._n_tests = 0
        self._remedy = remedy
        self._timer = threading.Timer(LATE, self._say_late) if remedy and not quiet else None

    def __enter__(self) -> Self:
        if self._quiet:
            return self
        if self._timer is not None:
            self._timer.daemon = True
            with contextlib.suppress(RuntimeError):  # the system has no thread left
                self._timer.start()
        if sys.stderr.isatty():
            self._bar = _bar(self)
            self._task = self._bar.add_task(self._what, total=None, phase="")
            self._bar.start()
            self._said = True
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def __call__(self, step: Step) -> None:
        """Hear of a step."""
        if step.so_far is not None:
            self.so_far = cast("UndirectedGraph | Sequence[Verdict]", step.so_far)
        if self._bar is None:
            if not self._said:
                note(self._title)  # at the first step: a run that cannot begin has only its error to say
                self._said = True
            return
        of = f" {step.done:,}" + (f" of {step.total:,}" if step.total else "")
        phase = step.phase + (of if step.done or step.total else "")
        self._bar.update(self._task, completed=step.done, total=step.total, phase=phase)

    def stop(self) -> None:
        """Clear the bar."""
        if self._timer is not None:
            self._timer.cancel()
        bar, self._bar = self._bar, None
        if bar is not None:
            bar.stop()

    def _say_late(self) -> None:
        """Say that it takes long, and how to have it end."""
        note(f"note: still at it after {LATE:g} s, and it may take much longer. {self._remedy}")

    def test_counts(self) -> str:
        """Return how many answers were tested and how many inferred, if the run asks for any."""
        from graphoid.logic.trace import Trace

        if not isinstance(self.so_far, list | Trace):
            return ""
        end = len(self.so_far)  # the trace grows, and each answer is counted once
        self._n_tests += sum(v.source in EXECUTED for v in self.so_far[self._n_seen : end])
        self._n_seen = end
        return f"{self._n_tests:,} asked, {end - self._n_tests:,} inferred"


def _bar(watch: Watch) -> Progress:
    from rich.progress import (
        BarColumn,
        Progress,
        ProgressColumn,
        SpinnerColumn,
        Task,
        TextColumn,
        TimeElapsedColumn,
    )
    from rich.text import Text

    class Answers(ProgressColumn):
        def render(self, task: Task) -> Text:  # noqa: ARG002 - there is but one
            return Text(watch.test_counts(), no_wrap=True)

    class Left(ProgressColumn):
        def render(self, task: Task) -> Text:
            known = task.time_remaining
            return Text("" if known is None else f"{timedelta(seconds=int(known))} left", no_wrap=True)

    return Progress(
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        TextColumn("{task.fields[phase]}", markup=False),
        BarColumn(bar_width=16),
        Answers(),
        TimeElapsedColumn(),
        Left(),
        console=console(stderr=True),
        transient=True,
    )
