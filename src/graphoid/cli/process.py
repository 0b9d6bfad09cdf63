"""How a command runs: its exit code, errors in one line, and Ctrl-C."""

from __future__ import annotations

import contextlib
import contextvars
import functools
import os
import sys
import threading
from typing import TYPE_CHECKING, TypeVar

import typer

from graphoid.cli.terminal import note
from graphoid.errors import ON_COMMAND_LINE, GraphoidError
from graphoid.limits import OutOfTime
from graphoid.structure.safe_text import scrub

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ERROR = 1
INTERRUPTED = 130

GRACE = 0.2
"""Seconds that interrupted work has to tidy up, such as a file that is half written."""

DEBUG = "--debug"
"""Taken from anywhere on the command line, so that it can be added to the end of a command that failed."""

_T = TypeVar("_T")
_keepers: list[Callable[[], None]] = []


def guard(function: Callable[..., int | None]) -> Callable[..., None]:
    """Return a command that ends with an exit code, whatever happens inside: what it returns is the code."""

    @functools.wraps(function)
    def run(*args: object, **kwargs: object) -> None:
        context = contextvars.copy_context()
        context.run(ON_COMMAND_LINE.set, True)
        try:
            code = context.run(call_interruptibly, lambda: function(*args, **kwargs))
        except KeyboardInterrupt:
            raise typer.Exit(INTERRUPTED) from None
        except (typer.Exit, typer.Abort, typer.BadParameter, BrokenPipeError):
            raise
        except Exception as error:
            if debugging():
                raise
            note(f"error: {describe(error)}")
            raise typer.Exit(ERROR) from None
        if code:
            raise typer.Exit(code)

    return run


def describe(error: Exception) -> str:
    """Return what went wrong, in a sentence: what the system refuses is no surprise, the rest is a fault."""
    if isinstance(error, GraphoidError):
        return scrub(str(error))
    if isinstance(error, OSError):
        reason = error.strerror or str(error) or type(error).__name__
        where = "" if error.filename is None else f"{error.filename!r}: "
        return scrub(f"{where}{reason}.")
    if isinstance(error, OutOfTime):
        return "the time that there was for it is over."
    return scrub(f"{type(error).__name__}: {error} (unexpected; {DEBUG} shows where)")


def call_interruptibly(work: Callable[[], _T]) -> _T:
    """Do work so that Ctrl-C ends it at once, also in the midst of a kernel that never looks up.

    Python hears of Ctrl-C in its main thread and only between two of its own instructions. So the work is
    done in a thread of its own and the main thread waits; when it is interrupted, it keeps what there is to
    keep and ends the process over the head of the other.
    """
    done: list[_T] = []
    failed: list[BaseException] = []

    ended = threading.Event()  # a join that was interrupted takes the thread for ended in some Pythons

    def run() -> None:
        try:
            done.append(work())
        except BaseException as error:  # noqa: BLE001 - handed on to the main thread
            failed.append(error)
        finally:
            ended.set()

    # in the same context, so that a limit of time set outside holds inside
    worker = threading.Thread(target=contextvars.copy_context().run, args=(run,), daemon=True)
    try:
        try:
            worker.start()
        except RuntimeError:  # the system has no thread left: Ctrl-C is then heard a little later
            return work()
        while not ended.wait(0.1):  # on some systems a wait without end cannot be interrupted
            pass
    except KeyboardInterrupt:
        keepers = _keepers[::-1]  # the worker takes its own away as it ends
        _stop(worker)
        with contextlib.suppress(KeyboardInterrupt):  # twice: leave now
            for keep in keepers:
                try:
                    keep()
                except Exception as error:  # noqa: BLE001 - a full disk changes nothing about the end
                    note(f"interrupted: what was found could not be kept: {describe(error)}")
            ended.wait(GRACE)
        if not ended.is_set():
            for out in (sys.stdout, sys.stderr):
                with contextlib.suppress(Exception):
                    out.flush()
            os._exit(INTERRUPTED)
        raise
    worker.join()  # it has nothing left to do, but Python must not end before it
    if failed:
        raise failed[0]
    return done[0]


def _stop(worker: threading.Thread) -> None:
    """Have a thread end at its next instruction in Python, so that it does not get in the way any longer."""
    import ctypes

    if worker.ident is not None:
        ctypes.pythonapi.PyThreadState_SetAsyncExc(
            ctypes.c_ulong(worker.ident), ctypes.py_object(KeyboardInterrupt)
        )


@contextlib.contextmanager
def on_interrupt(keep: Callable[[], None]) -> Iterator[None]:
    """While inside, Ctrl-C calls ``keep`` before the program ends."""
    _keepers.append(keep)
    try:
        yield
    finally:
        _keepers.remove(keep)


def debugging() -> bool:
    """Return whether a traceback is wanted."""
    return DEBUG in sys.argv
