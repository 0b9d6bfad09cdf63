"""Parts of an experiment that do not depend on each other, spread over processes."""

from __future__ import annotations

import multiprocessing
import os
from concurrent.futures import ProcessPoolExecutor
from typing import TYPE_CHECKING, TypeVar

from graphoid.errors import SettingsError
from graphoid.progress import Listener, track

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


Part = TypeVar("Part")
Result = TypeVar("Result")


def parallel_map(
    work: Callable[[Part], Result],
    parts: Sequence[Part],
    processes: int,
    phase: str,
    progress: Listener | None = None,
) -> list[Result]:
    """Return what ``work`` makes of every part, in order; with several processes, each has one thread.

    Where the system has no process or thread left, the parts are worked on here, one after the other.
    """
    if processes < 1:
        raise SettingsError(f"processes is {processes!r}; it must be at least 1.")
    if processes == 1:
        return [work(part) for part in track(parts, phase, progress)]
    # spawned, not forked: the parent may have threads, and its locks would be copied as they are
    context, before = multiprocessing.get_context("spawn"), set(multiprocessing.active_children())
    with ProcessPoolExecutor(processes, mp_context=context, initializer=_use_one_thread) as pool:
        try:
            futures = [pool.submit(work, part) for part in parts]
        except (OSError, RuntimeError):
            for child in set(multiprocessing.active_children()) - before:
                child.terminate()  # some may have begun, and would wait for work for ever
        else:
            return [future.result() for future in track(futures, phase, progress)]
    return [work(part) for part in track(parts, phase, progress)]


def _use_one_thread() -> None:
    os.environ["GRAPHOID_THREADS"] = "1"
