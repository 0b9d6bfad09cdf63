"""How long a run may take, how much memory, and how many threads there are for it.

Every loop that may last looks at :func:`check_time`: those in Python call it, and kernels do every now and
then in the thread that called them (``native/counting/limits.hpp``). So a search ends in time, and on Ctrl-C,
wherever it is; what it had found by then is what it told last (:attr:`graphoid.progress.Step.so_far`).
"""

from __future__ import annotations

import contextlib
import contextvars
import math
import os
import threading
import time
from functools import cache
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from graphoid.errors import SettingsError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

MEMORY = "GRAPHOID_MEMORY"
"""The environment variable for the bytes of memory that what grows faster than the data may take."""

GROUPS = Path("/sys/fs/cgroup")
"""Where Linux has the limits of containers and batch jobs."""

MOMENT = 0.5
"""Seconds that a search whose time is over may take to put its result together."""

_T = TypeVar("_T")
_R = TypeVar("_R")


class OutOfTime(Exception):  # noqa: N818 - reads as what it says
    """The time is over; searches catch it and return what they have."""


class _Limit(NamedTuple):
    until: float = math.inf
    """On the clock :func:`time.monotonic`."""
    ended: tuple[threading.Event, ...] = ()
    """Each is set when some work that this thread is part of is over."""


NO_LIMIT = _Limit()

_limit: contextvars.ContextVar[_Limit] = contextvars.ContextVar("graphoid_limit", default=NO_LIMIT)


@contextlib.contextmanager
def time_limit(seconds: float | None) -> Iterator[None]:
    """While inside, raise :class:`OutOfTime` after so much time; an earlier end outside stays."""
    limit = _limit.get()
    until = math.inf if seconds is None else time.monotonic() + seconds
    token = _limit.set(limit._replace(until=min(limit.until, until)))
    try:
        yield
    finally:
        _limit.reset(token)


def check_time() -> None:
    """Raise if the time is over, or the work that this thread is part of."""
    until, ended = _limit.get()
    if time.monotonic() >= until or any(event.is_set() for event in ended):
        raise OutOfTime


def within_time(items: Iterable[_T]) -> Iterator[_T]:
    """Go through items and look at the time before each."""
    for item in items:
        check_time()
        yield item


def memory_limit() -> int | None:
    """Return the bytes of memory that may be used: as set, or half of what is free, if known.

    Free is what the machine has left, and no more than what is left of the limits of the process (``ulimit``)
    and of the groups that it belongs to (containers, batch jobs).
    """
    limit = os.environ.get(MEMORY, "")
    if limit:
        if not limit.isdecimal():
            raise SettingsError(f"{MEMORY} is {limit!r}; expected a number of bytes.")
        return int(limit)
    available = _numbers(Path("/proc/meminfo")).get("MemAvailable:")
    free = [] if available is None else [available * 1024]
    free += [*_left_to_process(), *(left for group in _groups() for left in _left_to_group(*group))]
    return max(0, min(free)) // 2 if free else None


def _numbers(path: Path) -> dict[str, int]:
    """Return the numbers of a file that has a word and a number a line; of one that is not there, none."""
    try:
        lines = [line.split() for line in path.read_text().splitlines()]
    except OSError:
        return {}
    return {words[0]: int(words[1]) for words in lines if len(words) > 1 and words[1].isdecimal()}


def _left_to_process() -> Iterator[int]:
    """Yield what is left of each limit on the memory of this process."""
    try:
        import resource
    except ImportError:  # not on Windows
        return
    for kind, used in ((resource.RLIMIT_AS, "VmSize:"), (resource.RLIMIT_DATA, "VmData:")):
        most = resource.getrlimit(kind)[0]
        if most != resource.RLIM_INFINITY:
            yield most - _numbers(Path("/proc/self/status")).get(used, 0) * 1024


@cache
def _groups(
    root: Path = GROUPS, membership: Path = Path("/proc/self/cgroup")
) -> tuple[tuple[Path, bool], ...]:
    """Return the folders of the groups that limit this process, and whether each is of the second version.

    A group's parents limit it, too. In a container the path may be that of the host, and its own folder the
    root: folders that are not there are left out.
    """
    try:
        lines = [line.split(":", 2) for line in membership.read_text().splitlines()]
    except OSError:
        return ()
    found: list[tuple[Path, bool]] = []
    for number, kinds, path in (line for line in lines if len(line) == 3):
        second = number == "0" and not kinds
        if not second and "memory" not in kinds.split(","):
            continue
        top = root if second else root / "memory"
        folder = top / path.lstrip("/")
        places = chain([folder], folder.parents)
        found += [(place, second) for place in places if place.is_relative_to(top) and place.is_dir()]
    return tuple(found)


def _left_to_group(folder: Path, second: bool) -> Iterator[int]:  # noqa: FBT001 - as _groups has it
    """Yield what is left of the limit of a group, if it has one; files in memory can be let go."""
    limit, used, idle = (
        ("memory.max", "memory.current", "inactive_file")
        if second
        else ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
    )
    try:
        most = (folder / limit).read_text().strip()
        if most.isdecimal() and int(most) < 2**60:  # no limit is "max", or a number beyond all memory
            usage = int((folder / used).read_text())
            yield int(most) - usage + _numbers(folder / "memory.stat").get(idle, 0)
    except (OSError, ValueError):
        return


def map_threads(function: Callable[[_T], _R], items: Sequence[_T], n_jobs: int) -> list[_R]:
    """Return the results in order; threads, because kernels leave Python's lock and nothing needs copying.

    The calling thread works as well, and does alone what no other can be had for. What ends it, an error or
    Ctrl-C, ends the others; of several errors that of the first item is raised.
    """
    todo = iter(range(len(items)))  # the lock of the interpreter gives each number to one thread
    done: dict[int, _R] = {}
    failed: dict[int, BaseException] = {}
    ended = threading.Event()
    limit = _limit.get()
    limit = limit._replace(ended=(*limit.ended, ended))

    def work() -> None:
        for i in todo:
            try:
                check_time()
                done[i] = function(items[i])
            except BaseException as error:  # noqa: BLE001 - raised below, in the thread that called
                failed[i] = error
                ended.set()

    def help_out() -> None:
        _limit.set(limit)
        work()

    helpers: list[threading.Thread] = []
    with contextlib.suppress(RuntimeError):  # the system has no thread left
        for _ in range(min(n_jobs, len(items)) - 1):
            helper = threading.Thread(target=help_out)
            helper.start()
            helpers.append(helper)
    try:
        token = _limit.set(limit)
        try:
            work()
        finally:
            _limit.reset(token)
        for helper in helpers:
            helper.join()
    except BaseException:
        ended.set()
        for helper in helpers:
            helper.join()
        raise
    if failed:
        own = [i for i, error in failed.items() if not isinstance(error, OutOfTime)]
        raise failed[min(own or failed)]
    return [done[i] for i in range(len(items))]
