"""The ``graphoid`` command. Exit codes: 0 done, 1 an error in one line, 2 wrong usage, 130 interrupted."""

from __future__ import annotations

import enum
import functools
import sys
import warnings
from typing import TYPE_CHECKING, Annotated, Any

import typer

from graphoid.errors import GraphoidError

if TYPE_CHECKING:
    from collections.abc import Callable

ERROR = 1
INTERRUPTED = 130

app = typer.Typer(
    name="graphoid",
    help="Discover Markov networks from data.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


class Missing(enum.StrEnum):
    """Policies for missing values."""

    error = "error"
    drop = "drop"
    category = "category"


class Discretize(enum.StrEnum):
    """Ways to cut numbers into bins."""

    auto = "auto"
    scott = "scott"
    none = "none"


class Reproducible(enum.StrEnum):
    """Experiments of the papers; listed here so that help does not load them."""

    classifier_uci = "classifier-uci"
    density = "density"
    csgs_kl = "csgs-kl"
    csgs_tests = "csgs-tests"
    gsimn_exact = "gsimn-exact"
    gsimn_fch = "gsimn-fch"
    gsimn_sampled = "gsimn-sampled"
    gsimn_networks = "gsimn-networks"
    gsimn_settings = "gsimn-settings"
    gsimn_uci = "gsimn-uci"
    pfmn_exact = "pfmn-exact"
    pfmn_sampled = "pfmn-sampled"
    pfmn_uci = "pfmn-uci"
    bjp_consistency = "bjp-consistency"
    bjp_hubs = "bjp-hubs"
    bjp_scale_free = "bjp-scale-free"
    bjp_networks = "bjp-networks"


DEBUG = "--debug"
"""Taken from anywhere on the command line, so that it can be added to the end of a command that failed."""


def command(function: Callable[..., int | None]) -> Callable[..., int | None]:
    """Register a function as a command of its own name; what it returns is the exit code."""

    @functools.wraps(function)
    def guarded(*args: Any, **kwargs: Any) -> None:
        try:
            code = function(*args, **kwargs)
        except KeyboardInterrupt:
            raise typer.Exit(INTERRUPTED) from None
        except GraphoidError as error:
            if _debugging():
                raise
            _say(f"error: {error}")
            raise typer.Exit(ERROR) from None
        except Exception as error:
            if _debugging():
                raise
            _say(f"error: {type(error).__name__}: {error} (unexpected; {DEBUG} shows where)")
            raise typer.Exit(ERROR) from None
        if code:
            raise typer.Exit(code)

    app.command()(guarded)
    return function


def _version(*, wanted: bool) -> None:
    if wanted:
        from graphoid import __version__

        print(f"graphoid {__version__}")
        raise typer.Exit


@app.callback()
def settings(
    *,
    version: Annotated[
        bool, typer.Option("--version", callback=lambda wanted: _version(wanted=wanted), is_eager=True)
    ] = False,
    debug: Annotated[bool, typer.Option(DEBUG, help="Show where an error came from.")] = False,
) -> None:
    """Discover Markov networks from data."""


@command
def check(
    file: Annotated[str, typer.Argument(help="A .csv, .tsv, .parquet, .arff or .sav file.")],
    *,
    json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
    missing: Annotated[Missing, typer.Option(help="What to do with missing cells.")] = Missing.error,
    discretize: Annotated[Discretize, typer.Option(help="How to cut numbers.")] = Discretize.auto,
    columns: Annotated[str | None, typer.Option(help="Names, separated by commas.")] = None,
    weights: Annotated[str | None, typer.Option(help="The column of row weights.")] = None,
) -> int:
    """Say what reading FILE would do, and everything that would stop it."""
    from graphoid.cli.check import check as check_file

    return check_file(
        file,
        as_json=json,
        missing=missing.value,
        discretize=discretize.value,
        columns=columns,
        weights=weights,
    )


@command
def demo() -> None:
    """Learn a first network from a bundled table, and show it."""
    from graphoid.cli.demo import demo as show

    show()


@command
def reproduce(
    name: Annotated[Reproducible, typer.Argument(help="The experiment.")],
    *,
    data: Annotated[
        str | None, typer.Option(help="The folder that holds uci/, bif/ and graphs/ (or set GRAPHOID_DATA).")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="A small version, for a first look.")] = False,
    out: Annotated[str | None, typer.Option(help="A folder for the table (CSV, Markdown) and plot.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Where all random numbers come from.")] = 0,
    repetitions: Annotated[
        int | None, typer.Option(min=1, help="How often to repeat, in place of the experiment's own number.")
    ] = None,
    processes: Annotated[
        int | None, typer.Option(min=1, help="How many repetitions at a time, where the experiment can.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
) -> None:
    """Run an experiment of a paper, and show its figures beside the printed ones."""
    from graphoid.cli.reproduce import reproduce as reproduced

    reproduced(
        name.value,
        data=data,
        quick=quick,
        out=out,
        seed=seed,
        repetitions=repetitions,
        processes=processes,
        as_json=json,
    )


def run() -> None:
    """Run the command line; the entry point of ``graphoid``."""
    for out in (sys.stdout, sys.stderr):
        if hasattr(out, "reconfigure"):
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


def _debugging() -> bool:
    return DEBUG in sys.argv


def _note(message: Warning | str, *_: object, **__: object) -> None:
    """Show a warning as a line for people, without file and line number."""
    _say(f"note: {message}")


def _say(message: str) -> None:
    print(" ".join(message.split()), file=sys.stderr)
