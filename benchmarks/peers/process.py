"""A run in a process of its own, with a limit on the CPU time and the memory it may take."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
import time
from typing import TYPE_CHECKING, NamedTuple

import psutil

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

WAIT = 0.05
"""Seconds between looks at a process: memory may grow by a hundred megabytes or two meanwhile."""

stopping = threading.Event()
"""Set where all that runs is to end at once."""


class Limit(NamedTuple):
    """What a run may take."""

    seconds: float
    """CPU time, of all its threads and of processes that it starts."""
    megabytes: float
    idle: float = 60.0
    """Seconds by the clock on the wall for which it may wait without computing."""


class Ended(NamedTuple):
    """How a run ended, and what it took."""

    status: str
    """"ended", "time", "memory", "idle", "failed" if it went down by itself, or "stopped" with all others."""
    seconds: float
    """CPU time of learning as last seen: the limit and a little more where it was stopped by that."""
    megabytes: float
    """Most memory seen, of all its processes together."""
    said: str
    """The end of what it wrote to standard error."""


def run(command: Sequence[str], limit: Limit, begun: Path, folder: Path) -> Ended:
    """Run a command in an own folder; its time counts from when the file ``begun`` appears.

    Until then it has as much again. However busy the machine is, that is CPU time; a process that computes
    nothing ends by the clock on the wall.
    """
    threads = ("OMP", "OPENBLAS", "MKL", "GRAPHOID")
    one = {f"{name}{'' if name == 'GRAPHOID' else '_NUM'}_THREADS": "1" for name in threads}
    computed, base, cpu, most, status = time.monotonic(), 0.0, 0.0, 0.0, ""
    with (folder / "said.txt").open("w+") as said:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env={**os.environ, **one},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=said,
            start_new_session=True,
        )
        try:
            while process.poll() is None and not status:
                now, memory = _usage(process.pid)
                if now > cpu:
                    computed = time.monotonic()
                cpu, most = max(cpu, now), max(most, memory)
                base = base or (cpu if begun.exists() else 0.0)
                if stopping.is_set():
                    status = "stopped"
                elif memory > limit.megabytes:
                    status = "memory"
                elif cpu - base > limit.seconds:
                    status = "time"
                elif time.monotonic() - computed > limit.idle:
                    status = "idle"
                time.sleep(WAIT)
        finally:
            if process.poll() is None:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
            code = process.wait()
        said.seek(0)
        last = said.read()[-2_000:].strip()
    return Ended(status or ("failed" if code else "ended"), cpu - base, most, last)


def _usage(pid: int) -> tuple[float, float]:
    """Return CPU seconds and megabytes of a process and all that it has started."""
    seconds = memory = 0.0
    with contextlib.suppress(psutil.Error):
        first = psutil.Process(pid)
        for one in [first, *first.children(recursive=True)]:
            with contextlib.suppress(psutil.Error):
                seconds += sum(one.cpu_times()[:4])  # its own, and that of processes it has waited for
                memory += one.memory_info().rss / 1e6
    return seconds, memory
