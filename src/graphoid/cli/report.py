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
    ("report survey.json --data survey.csv --out survey.html", "a page to read offline"),
    ("report genome.json --around rs4988235 --out around.html", "one variable of a wide network"),
    ("report new.json --data new.csv --layout-from old.html", "the same places for the same variables"),
)


def report(
    structure: Annotated[str, typer.Argument(help="What graphoid learn --out wrote, .json.")],
    *,
    out: Annotated[str, typer.Option(help="The page, .html.")] = "report.html",
    data: Annotated[
        str | None, typer.Option(help="The file it was learned from; read as the run read it.")
    ] = None,
    layout_from: Annotated[
        str | None, typer.Option(help="Another report, .html, whose variables keep their places.")
    ] = None,
    around: Annotated[
        str | None, typer.Option(help="A variable: show it with its neighbors and theirs alone.")
    ] = None,
    seed: Seed = 0,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Write a learned structure as one page that opens without a network."""
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
