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
    """Return what ``work`` makes of every part, in order; with several processes, each has one thread."""
    if processes < 1:
        raise SettingsError(f"processes is {processes!r}; it must be at least 1.")
    if processes == 1:
        return [work(part) for part in track(parts, phase, progress)]
    # spawned, not forked: the parent may have threads, and its locks would be copied as they are
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(processes, mp_context=context, initializer=_use_one_thread) as pool:
        futures = [pool.submit(work, part) for part in parts]
        return [future.result() for future in track(futures, phase, progress)]


def _use_one_thread() -> None:
    os.environ["GRAPHOID_THREADS"] = "1"
