"""``graphoid report``: a structure as a page to read offline."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from graphoid.cli import files
from graphoid.cli.learn_options import RUN, LearnOptions
from graphoid.cli.options import Json, Quiet, Seed, examples
from graphoid.cli.outputs import check_output
from graphoid.cli.terminal import note, print_json
from graphoid.errors import DataError

if TYPE_CHECKING:
    from graphoid.data.table import Table

EPILOG = examples(
    ("report survey.json --data survey.csv --out survey.html", "a report that works offline"),
    ("report genome.json --around rs4988235 --out around.html", "part of a wide network"),
    ("report new.json --data new.csv --layout-from old.html", "with the same positions"),
)


def report(
    structure: Annotated[str, typer.Argument(help="A network written by graphoid learn --out, .json.")],
    *,
    out: Annotated[str, typer.Option(help="The .html page to write.")] = "report.html",
    data: Annotated[
        str | None,
        typer.Option(help="The data file that it was learned from, read with the options of that run."),
    ] = None,
    layout_from: Annotated[
        str | None, typer.Option(help="Another report, .html, to take the positions of the variables from.")
    ] = None,
    around: Annotated[
        str | None, typer.Option(help="Show only this variable, its neighbors and their neighbors.")
    ] = None,
    seed: Seed = 0,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Write a report on a learned structure: one .html page that works offline."""
    from graphoid.structure.learned import Result

    check_output(out, [".html"], "--out", structure, data)
    if layout_from is not None and not Path(layout_from).is_file():
        raise DataError(f"there is no report {layout_from!r} to take the places from.")
    found = files.load(structure)
    if not isinstance(found, Result):
        raise DataError(
            f"{structure!r} is a model; a report is about a structure: graphoid learn --out s.json."
        )
    table = None if data is None else table_of(found, data)
    found.report(out, table, layout_from=layout_from, around=around, seed=seed)
    if json:
        print_json({"files": [out]})
    elif not quiet:
        note(f"wrote {out}")


def table_of(found: files.Learned, file: str) -> Table:
    """Return the table that a structure was learned from, read as the run that made it read it."""
    from graphoid.cli.learn import read

    options = LearnOptions()
    if RUN in found.settings:
        options = LearnOptions.from_result(found, "the structure")
    return read(options.over({"file": file, "quiet": True}))
