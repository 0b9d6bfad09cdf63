"""The ``graphoid`` command."""

from __future__ import annotations

import atexit
import contextlib
import os
import sys


def run() -> None:
    """Run the command line; the entry point of ``graphoid``."""
    codes: list[int] = []
    atexit.register(_leave, codes)  # the first to be registered is the last to be called
    try:
        from graphoid.cli.main import run as run_command
    except KeyboardInterrupt:  # pressed while modules are loaded, when nothing has begun
        raise SystemExit(130) from None
    try:
        run_command()
    except SystemExit as end:
        codes.append(end.code if isinstance(end.code, int) else 0)
        raise


def _leave(codes: list[int]) -> None:
    """End the process when all is written, if a command ended with a code.

    Threads of Arrow may still be letting go of what they have read. Where Python is taken apart below them,
    one in some tens of short commands ends with an abort.
    """
    for out in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):
            out.flush()
    for code in codes:
        os._exit(code)
