"""The ``graphoid`` command: its table of contents.

Exit codes: 0 done, 1 an error in one line, 2 wrong usage, 130 interrupted. Every command has a file of its
own, which imports nothing heavy until it runs: help is quick.
"""

from __future__ import annotations

import io
import sys
import warnings
from typing import TYPE_CHECKING, Annotated

import typer

from graphoid.cli import check, compare, datasets, demo, learn, query, report, reproduce, sample
from graphoid.cli.evidence import TakesGiven
from graphoid.cli.process import DEBUG, ERROR, INTERRUPTED, guard
from graphoid.cli.terminal import note

if TYPE_CHECKING:
    from collections.abc import Callable

    from typer.core import TyperCommand

app = typer.Typer(
    name="graphoid",
    help="Discover Markov networks from data: what depends on what directly, and how sure that is.",
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
            help="Say which it is.",
        ),
    ] = False,
    debug: Annotated[bool, typer.Option(DEBUG, help="Show where an error came from.")] = False,
) -> None:
    """Discover Markov networks from data: what depends on what directly, and how sure that is."""


def run() -> None:
    """Run the command line; the entry point of ``graphoid``."""
    for out in (sys.stdout, sys.stderr):
        if isinstance(out, io.TextIOWrapper):
            out.reconfigure(errors="backslashreplace")  # a terminal without Unicode still gets its answer
    warnings.showwarning = _note
    try:
        app([argument for argument in sys.argv[1:] if argument != DEBUG])
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        # The reader (head, less) has gone; closing stderr keeps Python from complaining about it at exit.
        sys.stderr.close()
        sys.exit(ERROR)


def _note(message: Warning | str, *_: object, **__: object) -> None:
    """Show a warning as a line for people, without file and line number."""
    note(f"note: {message}")
