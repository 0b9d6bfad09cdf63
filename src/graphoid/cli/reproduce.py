"""``graphoid reproduce``: run an experiment of a paper and set its figures beside the printed ones."""

from __future__ import annotations

import enum
import os
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from graphoid.cli.options import Json, Quiet, Seed, examples
from graphoid.cli.outputs import Attempts
from graphoid.cli.process import ERROR
from graphoid.cli.terminal import cell, console, note, print_json
from graphoid.errors import DataError, SettingsError, missing_extra
from graphoid.structure import whole_file
from graphoid.structure.safe_text import printable

if TYPE_CHECKING:
    from graphoid.experiments.results import Results

DATA = "GRAPHOID_DATA"
"""The environment variable for what --data says."""

EPILOG = examples(
    ("reproduce gsimn-exact --quick", "a first look"),
    ("reproduce gsimn-uci --data DIR --out results", "the whole experiment, with files"),
)


Reproducible = enum.StrEnum(
    "Reproducible",
    "classifier-uci density csgs-kl csgs-tests gsimn-exact gsimn-fch gsimn-sampled gsimn-networks "
    "gsimn-settings gsimn-uci pfmn-exact pfmn-sampled pfmn-uci bjp-consistency bjp-hubs bjp-scale-free "
    "bjp-networks ising-recovery potts-recovery",
)
"""Experiments of the papers; listed here so that help does not load them."""


def reproduce(
    name: Annotated[Reproducible, typer.Argument(help="The experiment.")],
    *,
    data: Annotated[
        str | None, typer.Option(help=f"The folder that holds uci/, bif/ and graphs/ (or set {DATA}).")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="A small version, for a first look.")] = False,
    out: Annotated[
        str | None, typer.Option(help="A folder for the table (CSV, Markdown) and the plot.")
    ] = None,
    seed: Seed = 0,
    repetitions: Annotated[
        int | None, typer.Option(min=1, help="Number of repetitions, in place of the experiment's own.")
    ] = None,
    processes: Annotated[
        int | None,
        typer.Option(min=1, help="Number of repetitions run in parallel, where the experiment allows it."),
    ] = None,
    json: Json = False,
    quiet: Quiet = False,
) -> int | None:
    """Run an experiment of a paper, and show its results beside the printed ones."""
    from graphoid.cli.progress import Watch
    from graphoid.experiments.catalog import EXPERIMENTS
    from graphoid.experiments.experiment import ParallelExperiment

    entry = EXPERIMENTS[name.value]
    experiment = entry.quick if quick else entry.full
    if repetitions is not None:
        experiment = replace(experiment, repetitions=repetitions)
    if processes is not None:
        if not isinstance(experiment, ParallelExperiment):
            raise SettingsError(f"{name.value} runs in one process; leave --processes out.")
        experiment = replace(experiment, processes=processes)
    given = data or os.environ.get(DATA)
    folder = _make(Path(out), name.value) if out else None
    with Watch(name.value, quiet=quiet) as watch:
        results = experiment.run(seed=seed, data=Path(given) if given else None, progress=watch)
    if json:
        print_json(results.to_json())
    elif not quiet:
        show(results)
    return None if folder is None else _write(results, folder)


def show(results: Results) -> None:
    """Print a table and its notes."""
    from rich.table import Table as Lines

    screen = console()
    table = Lines(title=printable(results.title), title_justify="left")
    for column, cells in zip(results.columns, zip(*results.rows, strict=True), strict=True):
        is_text = all(value is None or isinstance(value, str) for value in cells)
        table.add_column(printable(column.name), justify="left" if is_text else "right")
    for row in results.texts():
        table.add_row(*map(cell, row))
    screen.print(table)
    for text in results.notes:
        screen.print(f"- {printable(text)}", soft_wrap=True)


def _make(folder: Path, name: str) -> Path:
    """Make a folder that can be written to before the work begins, not after."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        whole_file.probe(folder / f"{name}.csv")
    except OSError as error:
        raise DataError(f"--out {folder}: {error.strerror or error}.") from error
    return folder


def _write(results: Results, folder: Path) -> int | None:
    """Write the table as CSV and Markdown and, where matplotlib is installed, as a picture."""
    from graphoid.experiments.plots import save_plot

    table, page, picture = (str(folder / f"{results.name}.{ending}") for ending in ("csv", "md", "png"))
    done = Attempts()
    done.write(table, lambda: whole_file.write(table, results.to_csv()))
    done.write(page, lambda: whole_file.write(page, results.to_markdown()))
    if results.plot is not None and find_spec("matplotlib") is None:
        note(f"note: {missing_extra('a picture', 'plot')}")
    elif results.plot is not None:
        done.write(picture, lambda: save_plot(results, Path(picture)))
    if done.failed:
        note(done.complaint())
        return ERROR
    note(f"wrote {', '.join(done.written)}")
    return None
