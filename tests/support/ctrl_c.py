"""Ctrl-C, pressed in this process while a block runs and never after it."""

from __future__ import annotations

import signal
import threading
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from types import FrameType

AGAIN = 0.5
"""Seconds until it is pressed again: Python drops an interrupt that falls into a destructor or a callback of
its collector, as people notice who then press once more."""


class CtrlC:
    """Press Ctrl-C `seconds` after the block began, or after `press_later` was first called in it.

    It stands within ``pytest.raises(KeyboardInterrupt)``. A shell has what it starts in the background ignore
    SIGINT; here it is heard.
    """

    def __init__(self, seconds: float, *, begin: bool = True) -> None:
        self._seconds = seconds
        self._begun, self._over = threading.Event(), threading.Event()
        if begin:
            self._begun.set()
        self._thread = threading.Thread(target=self._press)

    def __enter__(self) -> Self:
        self._before = signal.signal(signal.SIGINT, self._hear)
        self._thread.start()
        return self

    def __exit__(self, *_) -> None:
        self._over.set()
        self._begun.set()
        self._thread.join()
        signal.signal(signal.SIGINT, self._before)

    def press_later(self, *_) -> None:
        """Begin to wait; takes what a learner tells about its progress."""
        self._begun.set()

    def _hear(self, _: int, frame: FrameType | None) -> None:
        """Interrupt the block, and nothing on the way into it or out of it: nobody would stop the presses."""
        while frame is not None:
            if frame.f_code in (CtrlC.__enter__.__code__, CtrlC.__exit__.__code__):
                return
            frame = frame.f_back
        if not self._over.is_set():
            raise KeyboardInterrupt

    def _press(self) -> None:
        self._begun.wait()
        seconds = self._seconds
        while not self._over.wait(seconds):
            signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
            seconds = AGAIN
