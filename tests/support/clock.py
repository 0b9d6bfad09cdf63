"""How long something takes, on a machine that may be quick, slow, or have other things to do."""

from __future__ import annotations

import time
from functools import cache
from typing import Self

import numpy as np

USUAL = 0.033
"""Seconds that :func:`_work` took on the machine that the limits in the tests were set on."""


def _work() -> None:
    total = 0
    for i in range(100_000):
        total += i & 7
    numbers = np.arange(200_000) % 1000
    for _ in range(3):
        np.sort(numbers)
        np.bincount(numbers)


def _seconds() -> float:
    began = time.process_time()
    _work()
    return time.process_time() - began


@cache
def pace() -> float:
    """Return how many times as long something takes on this machine as on the usual one."""
    return min(_seconds() for _ in range(5)) / USUAL


def usual(seconds: float) -> float:
    """Return the seconds in which this machine does what the usual one does in so many."""
    return round(seconds * pace(), 6)


class Seconds:
    """How long something took: on the clock, or of the processor where others have it, too.

    A slow machine has longer: there it is how long it would have taken on the usual one.
    """

    def __enter__(self) -> Self:
        self._began = time.monotonic(), time.process_time()
        return self

    def __exit__(self, *_: object) -> None:
        taken = min(time.monotonic() - self._began[0], time.process_time() - self._began[1])
        self.taken = taken / max(1.0, pace())
