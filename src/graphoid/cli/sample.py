"""``graphoid sample``: rows drawn from a model."""

from __future__ import annotations

from typing import Annotated

import typer

from graphoid.cli import files
from graphoid.cli.evidence import states
from graphoid.cli.options import Json, Quiet, Seed, examples
from graphoid.cli.outputs import check_output
from graphoid.cli.terminal import note, print_json
from graphoid.errors import DataError

EPILOG = examples(
    ("sample model.json -n 1000 --out rows.csv", "write a file"),
    ("sample model.json -n 10 --given region=north", "print them"),
)


def sample(
    model: Annotated[str, typer.Argument(help="A model written by graphoid learn --model, .json or .uai.")],
    *,
    n: Annotated[int, typer.Option("-n", "--rows", min=0, help="Number of rows.")] = 1000,
    given: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=STATE ...", help="Values that are fixed in every row."),
    ] = None,
    out: Annotated[
        str | None, typer.Option(help="Write to a .csv file; standard output if left out.")
    ] = None,
    seed: Seed = 0,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Draw rows from MODEL: exactly where its junction tree is small, otherwise by Gibbs sampling."""
    import graphoid as gd

    check_output(out, [".csv"], "--out", model)
    found = files.load(model)
    if not isinstance(found, gd.MarkovNetwork):
        raise DataError(
            f"{model!r} is no model to draw from; graphoid learn FILE --model model.json makes one."
        )
    rows = found.sample(n, seed, evidence=states(given or [], found.variables))
    if json and out is None:
        columns = {
            v.name: rows.numbers(v.name).tolist()
            if v.continuous
            else [v.states[code] for code in rows.column(v.name).tolist()]
            for v in rows.variables
        }
        print_json({"rows": n, "seed": seed, "how": list(rows.notes), "columns": columns})
        return
    files.write_rows(rows, out)
    if json:
        print_json({"rows": n, "seed": seed, "how": list(rows.notes), "files": [out]})
    elif out is not None and not quiet:
        note(f"wrote {out}: {n:,} rows, {'; '.join(rows.notes)}")
