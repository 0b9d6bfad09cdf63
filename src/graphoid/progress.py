"""How far a long run has come, told to whoever listens."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, TypeVar

_log = logging.getLogger("graphoid")


class Step(NamedTuple):
    """One event."""

    phase: str
    """What is being done."""
    done: int
    """How many steps of the phase are behind."""
    total: int | None = None
    """How many there are, where that is known."""
    so_far: object = None
    """What there is to keep if the run ends now: a graph, or the answers so far."""


Listener = Callable[[Step], None]
_T = TypeVar("_T")


def track(items: Sequence[_T], phase: str, progress: Listener | None) -> Iterator[_T]:
    """Go through items and tell a listener before each and at the end; one that fails is not told again.

    >>> heard = []
    >>> list(track("ab", "spelling", heard.append))
    ['a', 'b']
    >>> heard[-1]
    Step(phase='spelling', done=2, total=2, so_far=None)
    """
    for done, item in enumerate(items):
        progress = tell(progress, Step(phase, done, len(items)))
        yield item
    tell(progress, Step(phase, len(items), len(items)))


def tell(progress: Listener | None, step: Step) -> Listener | None:
    """Tell a listener; return it, or None if it failed."""
    if progress is None:
        return None
    try:
        progress(step)
    except Exception:  # noqa: BLE001 - a listener never stops a run, whatever it raises
        _log.warning("the progress listener failed and is not told again", exc_info=True)
        return None
    return progress
