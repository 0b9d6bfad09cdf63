"""``graphoid datasets``: tables to try things on."""

from __future__ import annotations

from typing import Annotated

import typer

from graphoid.cli import files
from graphoid.cli.options import Json, Quiet, examples
from graphoid.cli.outputs import check_output
from graphoid.cli.terminal import cell, console, lines, note, print_json
from graphoid.errors import SettingsError
from graphoid.structure.safe_text import printable

EPILOG = examples(
    ("datasets", "list them"),
    ("datasets titanic", "show its variables and states"),
    ("datasets survey --out survey.csv", "write it to a file"),
)

WHAT = {
    "titanic": ("2,201 people on board, counted in 1912", "nothing"),
    "tic-tac-toe": ("every end game, from the rules", "nothing"),
    "monks-1": ("MONK's problem 1, every case of its rule", "nothing"),
    "monks-2": ("MONK's problem 2, every case of its rule", "nothing"),
    "monks-3": ("MONK's problem 3, every case of its rule", "nothing"),
    "balance-scale": ("every balance of two weights, from the rule", "nothing"),
    "survey": ("4,000 simulated answers; one dependence in the city only", "nothing"),
}
"""What a table is and needs; the others are known by where they come from."""


def datasets(
    name: Annotated[str | None, typer.Argument(help="A table; all are listed if left out.")] = None,
    *,
    out: Annotated[str | None, typer.Option(help="Write the rows to a .csv file.")] = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """List the example tables, describe one, or write it to a file."""
    check_output(out, [".csv"], "--out")
    if name is None:
        if out is not None:
            raise SettingsError(
                "--out writes one table; name it, such as: graphoid datasets survey --out survey.csv."
            )
        _list(as_json=json, quiet=quiet)
        return
    from graphoid.datasets import load

    table = load(name)
    if out is not None:
        files.write_rows(table, out)
    if json:
        variables = [
            {"name": v.name, "states": list(v.states), "ordered": v.ordered, "kind": v.kind}
            for v in table.variables
        ]
        paths = {} if out is None else {"files": [out]}
        print_json(
            {"name": name, "rows": table.n_rows, "variables": variables, "notes": table.notes, **paths}
        )
        return
    if quiet:
        return
    if out is not None:
        note(f"wrote {out}: {table.n_rows:,} rows of {len(table.variables):,} variables")
        return
    screen = console()
    screen.print(f"{name}: {table.n_rows:,} rows of {len(table.variables):,} variables", style="bold")
    shown = lines("variable", "states", "kind")
    for v in table.variables:
        shown.add_row(cell(v.name), cell(", ".join(map(str, v.states))), cell(v.kind))
    screen.print(shown)
    for text in table.notes:
        screen.print(f"- {printable(text)}", soft_wrap=True)


def _list(*, as_json: bool, quiet: bool) -> None:
    from graphoid.datasets import names

    rows = [
        {"name": name, "what": what, "needs": needs} for name in names() for what, needs in [_describe(name)]
    ]
    if as_json:
        print_json(rows)
    elif not quiet:
        table = lines("name", "what", "needs")
        for row in rows:
            table.add_row(*map(cell, row.values()))
        console().print(table)


def _describe(name: str) -> tuple[str, str]:
    from graphoid.datasets import fetched

    if name in fetched.SCIKIT_LEARN:
        return "measurements that come with scikit-learn, cut into bins", "graphoid[sklearn]"
    if name in fetched.OPENML:
        return "fetched from OpenML and checked", "a network, the first time"
    return WHAT[name]
