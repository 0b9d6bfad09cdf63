"""The command as people meet it: in this process, in one of its own, and behind a pseudo-terminal."""

from __future__ import annotations

import contextlib
import io
import os
import re
import select
import signal
import subprocess
import sys
import time
import warnings

import pytest

COMMAND = [sys.executable, "-c", "from graphoid.cli.main import run; run()"]


def graphoid(*arguments, cwd=None, together=False, **environment):
    """Run the command as a shell would, but in this process, which spares the time that one takes to start.

    What it prints is captured, standard error in ``stderr`` or, if wanted ``together``, with the rest.
    """
    from graphoid.cli.main import run

    encoding = environment.get("PYTHONIOENCODING", "utf-8")
    out = io.TextIOWrapper(io.BytesIO(), encoding, write_through=True)
    errors = out if together else io.TextIOWrapper(io.BytesIO(), encoding, write_through=True)
    words, code = ["graphoid", *map(str, arguments)], 0
    with (
        pytest.MonkeyPatch.context() as patch,
        warnings.catch_warnings(),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(errors),
    ):
        warnings.resetwarnings()  # a process of its own would not take warnings for errors, as tests do
        for kind in (DeprecationWarning, PendingDeprecationWarning, ImportWarning, ResourceWarning):
            warnings.simplefilter("ignore", kind)
        patch.chdir(cwd or ".")
        patch.setattr(sys, "argv", words)
        for name, value in {"COLUMNS": "100", **environment}.items():
            patch.setenv(name, value)
        try:
            run()
        except SystemExit as end:
            code = end.code or 0
    stdout, stderr = (shown.buffer.getvalue().decode(encoding) for shown in (out, errors))
    return subprocess.CompletedProcess(words, code, stdout, "" if together else stderr)


def screen(shown):
    """Return what a reader sees in the end: movements and erased lines carried out, colors left out."""
    lines, row, column = [""], 0, 0
    for part in re.finditer(r"\x1b\[([\d;?]*)([A-Za-z])|([\r\n])|([^\x1b\r\n]+)", shown):
        number, order, feed, text = part.groups()
        if text:
            lines[row] = lines[row][:column].ljust(column) + text + lines[row][column + len(text) :]
            column += len(text)
        elif feed == "\r":
            column = 0
        elif feed == "\n":
            row += 1
            lines += [""] * (row + 1 - len(lines))
        elif order == "A":
            row = max(0, row - int(number or 1))
        elif order == "K":
            lines[row] = ""
        elif order not in "mhl":  # colors, and the cursor shown or hidden
            raise AssertionError(f"the terminal was given an order of its own: {part[0]!r}")
    return "\n".join(line.rstrip() for line in lines)


class Terminal:
    """A command in a pseudo-terminal: what it shows is read as it comes, and keys can be pressed."""

    def __init__(self, arguments, *, cwd=None, columns=100, **environment):
        import fcntl
        import pty
        import struct
        import termios

        self.shown = ""
        self._main, behind = pty.openpty()
        fcntl.ioctl(behind, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
        settings = {**os.environ, "TERM": "xterm-256color", **environment}
        settings.pop("COLUMNS", None)
        self.process = subprocess.Popen(
            arguments,
            stdin=behind,
            stdout=behind,
            stderr=behind,
            cwd=cwd,
            env=settings,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),  # noqa: PLW1509 - makes Ctrl-C a signal
        )
        os.close(behind)

    def until(self, text, seconds=60):
        """Read until a text is shown, and return everything so far."""
        return self._read(lambda: text in self.shown, seconds, f"{text!r} was not shown")

    def end(self, seconds=60):
        """Read until the command ends, and return its exit code."""
        self._read(lambda: False, seconds, "the command did not end", to_the_end=True)
        return self.process.wait(seconds)

    def press(self, keys):
        """Press keys; "\\x03" is Ctrl-C."""
        os.write(self._main, keys.encode())

    def close(self):
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        os.close(self._main)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _read(self, enough, seconds, complaint, *, to_the_end=False):
        limit = time.monotonic() + seconds
        while not enough():
            left = limit - time.monotonic()
            if left <= 0 or not select.select([self._main], [], [], left)[0]:
                raise AssertionError(f"{complaint} within {seconds} s; there was:\n{self.shown}")
            try:
                part = os.read(self._main, 65536)
            except OSError:  # Linux says so when the other end is closed
                part = b""
            if not part:
                if to_the_end:
                    return self.shown
                raise AssertionError(f"{complaint} before the command ended; there was:\n{self.shown}")
            self.shown += part.decode("utf-8", "replace")
        return self.shown
