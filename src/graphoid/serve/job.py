"""A run in a process of its own: how far it has come, how it ends, and how it is cancelled."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING

from graphoid.structure import plain

if TYPE_CHECKING:
    from collections.abc import Mapping

GRACE = 15.0
"""Seconds that a cancelled run has to end by itself, with what it found."""

LOST = "the process that did it ended without a word; there may have been too little memory."


class Job:
    """An order that a worker carries out.

    ``state`` is "running", "done", "failed" or "cancelled"; of a run that is cancelled when it had something
    to keep, it is "done".
    """

    def __init__(self, order: Mapping[str, object]) -> None:
        self.do = str(order["do"])
        self.state, self.error = "running", ""
        self.phase, self.done, self.total = "starting", 0, 0
        self.result: dict[str, object] = {}
        self.ended = threading.Event()
        self._began, self._seconds = time.monotonic(), 0.0
        self._wanted = True
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "graphoid.serve.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C is for the server, which ends its workers
        )
        self._send(json.dumps(order))
        threading.Thread(target=self._hear, daemon=True).start()

    def cancel(self) -> None:
        """Have it end with what it found; by force if it does not."""
        self._wanted = False
        self._send("cancel")
        end = threading.Timer(GRACE, self._process.kill)
        end.daemon = True
        end.start()

    def kill(self) -> None:
        """End it at once."""
        self._wanted = False
        self._process.kill()
        self.ended.wait(GRACE)

    def to_values(self) -> dict[str, object]:
        """Return how far it has come, as plain values."""
        seconds = self._seconds or time.monotonic() - self._began
        shown = {"do": self.do, "state": self.state, "error": self.error, "seconds": round(seconds, 1)}
        return {**shown, "phase": self.phase, "done": self.done, "total": self.total, "result": self.result}

    def _send(self, line: str) -> None:
        assert self._process.stdin is not None  # noqa: S101 - a pipe was ordered
        with contextlib.suppress(OSError):  # it has ended
            self._process.stdin.write(f"{line}\n".encode())
            self._process.stdin.flush()

    def _hear(self) -> None:
        """Take in what the worker says, to its end."""
        assert self._process.stdout is not None  # noqa: S101 - likewise
        state, self_error = "", ""
        with contextlib.suppress(ValueError):  # a line that was cut off
            for line in self._process.stdout:
                said = plain.record(json.loads(line))
                if "phase" in said:
                    self.phase, self.done = str(said["phase"]), int(said["done"])
                    self.total = int(said["total"] or 0)
                elif "result" in said:
                    self.result, state = plain.record(said["result"]), "done"
                elif "error" in said:
                    self_error, state = str(said["error"]), "failed"
                else:
                    state = "cancelled"
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            with contextlib.suppress(OSError):
                assert pipe is not None  # noqa: S101 - likewise
                pipe.close()
        self._seconds = time.monotonic() - self._began
        self.error = self_error or ("" if state or not self._wanted else LOST)
        self.state = state or ("failed" if self._wanted else "cancelled")
        self.ended.set()
