"""The ``graphoid`` command: its table of contents.

Exit codes: 0 done, 1 an error in one line, 2 wrong usage, 130 interrupted. Every command has a file of its
own, which imports nothing heavy until it runs: help is quick.
"""

from __future__ import annotations

import io
import os
import sys
import warnings
from typing import TYPE_CHECKING, Annotated, TextIO

import typer

from graphoid.cli import (
    check,
    compare,
    datasets,
    demo,
    groups,
    learn,
    query,
    report,
    reproduce,
    sample,
    serve,
    update,
)
from graphoid.cli.evidence import TakesGiven
from graphoid.cli.process import DEBUG, ERROR, INTERRUPTED, guard
from graphoid.cli.terminal import note

if TYPE_CHECKING:
    from collections.abc import Callable

    from typer.core import TyperCommand

app = typer.Typer(
    name="graphoid",
    help="Discover Markov networks from data: which variables depend on each other directly, how surely.",
    epilog="Begin with: graphoid demo. Each command teaches by examples: graphoid learn --help.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["--help", "-h"]},
)


def command(
    function: Callable[..., int | None],
    panel: str | None = None,
    epilog: str | None = None,
    cls: type[TyperCommand] | None = None,
) -> Callable[..., int | None]:
    """Register a function as a command of its own name; what it returns is the exit code."""
    app.command(rich_help_panel=panel, epilog=epilog, cls=cls)(guard(function))
    return function


START, USE, PAPERS = "Begin", "Use what was learned", "The papers"

command(demo.demo, START)
command(datasets.datasets, START, datasets.EPILOG)
command(check.check, START, check.EPILOG)
command(learn.learn, START, learn.EPILOG)
command(groups.groups, START, groups.EPILOG)
command(serve.serve, START, serve.EPILOG)
command(update.update, USE, update.EPILOG)
command(query.query, USE, query.EPILOG, cls=TakesGiven)
command(sample.sample, USE, sample.EPILOG, cls=TakesGiven)
command(compare.compare, USE, compare.EPILOG)
command(report.report, USE, report.EPILOG)
command(reproduce.reproduce, PAPERS, reproduce.EPILOG)


def _version(*, wanted: bool) -> None:
    if wanted:
        from graphoid import __version__

        print(f"graphoid {__version__}")
        raise typer.Exit


@app.callback()
def settings(
    *,
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            callback=lambda wanted: _version(wanted=wanted),
            is_eager=True,
            help="Show the version and exit.",
        ),
    ] = False,
    debug: Annotated[bool, typer.Option(DEBUG, help="Show the full traceback of an error.")] = False,
) -> None:
    """Discover Markov networks from data: which variables depend on each other directly, how surely."""


def run() -> None:
    """Run the command line."""
    _open_closed_streams()
    if not os.environ.get("COLUMNS", "").isdecimal() or int(os.environ["COLUMNS"]) < 1:
        os.environ.pop("COLUMNS", None)  # nothing can be shown in no columns
    for out in (sys.stdout, sys.stderr):
        if isinstance(out, io.TextIOWrapper):
            out.reconfigure(errors="backslashreplace")  # a terminal without Unicode still gets its answer
    warnings.showwarning = _note
    code: str | int | None = None  # so far nothing has been said of an error
    try:
        try:
            app([argument for argument in sys.argv[1:] if argument != DEBUG])
            code = 0
        except SystemExit as end:
            code = end.code
        sys.stdout.flush()
    except KeyboardInterrupt:
        code = INTERRUPTED
    except BrokenPipeError:
        # The reader (head, less) has gone; closing stderr keeps Python from complaining about it at exit.
        sys.stderr.close()
        code = ERROR
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or Python would try once more
        if not code:
            note(f"error: the standard output cannot be written: {error.strerror}.")
        code = ERROR
    sys.exit(code)


def _open_closed_streams() -> None:
    """Open what a shell closed (``2>&-``): a file would take its number, and be written into."""
    streams: tuple[TextIO | None, TextIO | None] = sys.stdout, sys.stderr  # None where one was closed
    if streams[0] is None:
        sys.stdout = _nowhere(1)
    if streams[1] is None:
        sys.stderr = _nowhere(2)


def _nowhere(number: int) -> TextIO:
    """Return a stream of that number whose text goes nowhere."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    if nowhere != number:
        os.dup2(nowhere, number)
        os.close(nowhere)
    return os.fdopen(number, "w", encoding="utf-8")


def _note(message: Warning | str, *_: object, **__: object) -> None:
    """Show a warning as a line for people, without file and line number."""
    note(f"note: {message}")
