"""``graphoid check``: what reading a file would do, and what would stop it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, cast

import typer

from graphoid.cli.options import (
    Columns,
    Decimal,
    Discretize,
    Drop,
    File,
    Json,
    Kinds,
    Missing,
    MissingCells,
    NaValues,
    Quiet,
    examples,
    parse_kinds,
    parse_na,
    select_columns,
    split_names,
)
from graphoid.cli.terminal import cell, console, lines, print_json
from graphoid.structure.safe_text import printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console
    from rich.table import Table as Lines

    from graphoid.data.check import ColumnReport, Report
    from graphoid.data.variables import Kind

EPILOG = examples(
    ("check survey.csv", "kinds, states, rare levels, missing cells, problems"),
    ("check survey.csv --kind age=continuous", "set the kind of a column"),
    ("check export.csv --na -99 --na k.A. --decimal ,", "missing codes and decimal commas"),
    ("check survey.csv --missing drop --drop id", "leave out rows with missing cells, and the identifier"),
)

SHOWN = 100
"""Columns shown; of wider files those with something to say come first, and the rest are counted."""

SENTENCES = 40
"""Observations shown; ``--json`` has all of them."""


def check(
    file: File,
    *,
    json: Json = False,
    missing: MissingCells = Missing.error,
    kind: Kinds = None,
    na: NaValues = None,
    decimal: Decimal = ".",
    discretize: Annotated[Discretize, typer.Option(help="How to cut numbers into bins.")] = Discretize.none,
    columns: Columns = None,
    drop: Drop = None,
    weights: Annotated[str | None, typer.Option(help="The column that holds row weights.")] = None,
    quiet: Quiet = False,
) -> int:
    """Show how FILE would be read, and everything that would prevent it."""
    from graphoid.data.check import check as check_source

    report = check_source(
        file,
        columns=select_columns(file, split_names(columns), split_names(drop), weights),
        kinds=cast("dict[str, Kind]", parse_kinds(kind or [])),
        discretize=None if discretize == Discretize.none else discretize.value,
        missing=missing.value,
        weights=weights,
        na_values=parse_na(na or []),
        decimal=decimal,
    )
    if json:
        print_json(report.to_dict())
    elif not quiet:
        show(report, console())
    return 0 if report.ok else 1


def show(report: Report, screen: Console) -> None:
    """Print a report as a table and sentences."""
    from graphoid.structure.explain import plural

    if report.columns:
        screen.print(
            f"{printable(report.name)}: {plural(report.n_rows, 'row')}, "
            f"{plural(len(report.columns), 'column')}, "
            f"{plural(report.n_rows_complete, 'row')} without a missing cell",
            style="bold",
            soft_wrap=True,
        )
        screen.print(_lines(report))
    hidden = len(report.columns) - SHOWN
    if hidden > 0:
        screen.print(f"... and {hidden:,} more columns; --json has all of them.", soft_wrap=True)
    for sentence in report.observations[:SENTENCES]:
        screen.print(f"- {printable(sentence)}", soft_wrap=True)
    if len(report.observations) > SENTENCES:
        screen.print(
            f"- ... and {len(report.observations) - SENTENCES:,} more; --json has all of them.",
            soft_wrap=True,
        )
    for problem in report.problems:
        screen.print(f"problem: {printable(problem)}", style="red", soft_wrap=True)
    if report.ok:
        screen.print(
            f"ok: {report.n_rows_used:,} rows can be read as they are.", style="green", soft_wrap=True
        )


def _lines(report: Report) -> Lines:
    table = lines(
        "column", "kind", "why", "values", "rarest", "missing", "reading it", right=("values", "missing")
    )
    columns: Sequence[ColumnReport] = report.columns
    if len(columns) > SHOWN:  # what stops reading first, then what reading changes
        changed = ("binned", "constant")
        columns = sorted(
            columns, key=lambda c: 0 if c.problem else 1 if c.n_missing or c.kind in changed else 2
        )
    for column in columns[:SHOWN]:
        rarest = "" if column.rarest_rows is None else f"{column.rarest} ({column.rarest_rows:,})"
        numbers = f"{column.n_states:,}", rarest, f"{column.n_missing:,}"
        cells = (column.name, column.kind, column.why, *numbers, column.action)
        table.add_row(*map(cell, cells), style="red" if column.problem else None)
    return table
