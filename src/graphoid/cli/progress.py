"""How far a run has come: a bar on a terminal, one line elsewhere; and what it has found so far."""

from __future__ import annotations

import sys
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Self

from graphoid.cli.terminal import console, note, printable

if TYPE_CHECKING:
    from types import TracebackType

    from rich.progress import Progress

    from graphoid.progress import Step

EXECUTED = ("test", "oracle")


class Watch:
    """Listens to a run, shows how far it has come, and keeps hold of what it has found so far.

    Parameters
    ----------
    what
        What is being done, in a word or two.
    title
        The same in a line.
    quiet
        Show nothing.
    """

    def __init__(self, what: str, title: str | None = None, *, quiet: bool = False) -> None:
        self.so_far: Any = None
        self._what = printable(what)
        self._title = printable(what if title is None else title)
        self._quiet = quiet
        self._bar: Progress | None = None
        self._said = quiet
        self._tally = Tally()

    def __enter__(self) -> Self:
        if self._quiet:
            return self
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
            self.so_far = step.so_far
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
        bar, self._bar = self._bar, None
        if bar is not None:
            bar.stop()

    def counted(self) -> str:
        """Return how many tests were asked and inferred, if the run asks any."""
        return self._tally.of(self.so_far) if isinstance(self.so_far, list) else ""


class Tally:
    """Counts the answers in a trace that grows, each only once."""

    def __init__(self) -> None:
        self._seen = self._tests = 0

    def of(self, trace: list[Any]) -> str:
        """Return the count in words.

        >>> from graphoid.logic.verdict import Verdict
        >>> Tally().of([Verdict(0, 1, (), True), Verdict(0, 1, (2,), True, source="Strong Union")])
        '1 asked, 1 inferred'
        """
        end = len(trace)
        self._tests += sum(v.source in EXECUTED for v in trace[self._seen : end])
        self._seen = end
        return f"{self._tests:,} asked, {self._seen - self._tests:,} inferred"


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
            return Text(watch.counted(), no_wrap=True)

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
