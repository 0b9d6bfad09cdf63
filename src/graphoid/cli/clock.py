"""``--seconds``: what a command may take from its beginning to its end, and who may take what is left."""

from __future__ import annotations

import contextlib
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from graphoid.errors import GraphoidError
from graphoid.limits import MOMENT, OutOfTime, time_limit

if TYPE_CHECKING:
    from collections.abc import Iterator

LEAST = 0.5
"""Of all the time, what a search has however long reading took."""

SHOWING, LONGEST = 0.15, 10.0
"""Of all the time, what is left to measure and show what was found, and at most so many seconds."""

MORE = 0.5
"""The same where a model, a page or resamples are to follow."""


class TimeOver(GraphoidError):  # noqa: N818 - reads as what it says
    """What ``--seconds`` leaves was not enough."""


@dataclass
class Clock:
    """What is left of ``--seconds``; without it, time without end."""

    seconds: float | None
    began: float = field(default_factory=time.monotonic)

    @property
    def left(self) -> float | None:
        """Seconds until the end; None for no end."""
        return None if self.seconds is None else max(0.0, self.seconds - (time.monotonic() - self.began))

    def for_search(self, *, more: bool) -> float | None:
        """Return the seconds that a search may take, so that something is left for what follows."""
        if self.seconds is None or self.left is None:
            return None
        after = self.seconds * MORE if more else min(self.seconds * SHOWING, LONGEST)
        return round(max(self.left - after, self.seconds * LEAST / (2 if more else 1)), 3)

    @contextlib.contextmanager
    def limit(self, what: str) -> Iterator[None]:
        """While inside, raise a sentence when the time is over; there is always a moment."""
        left = self.left
        try:
            with time_limit(None if left is None else max(MOMENT, left)):
                yield
        except OutOfTime:
            if self.seconds is None:  # the time of somebody outside
                raise
            raise TimeOver(f"the {self.seconds:g} s of --seconds were over before {what}.") from None
