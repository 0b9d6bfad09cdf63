"""How long something takes, on a machine that may have other things to do."""

from __future__ import annotations

import time
from typing import Self


class Seconds:
    """How long something took: on the clock, or of the processor where others have it, too."""

    def __enter__(self) -> Self:
        self._began = time.monotonic(), time.process_time()
        return self

    def __exit__(self, *_: object) -> None:
        self.taken = min(time.monotonic() - self._began[0], time.process_time() - self._began[1])
