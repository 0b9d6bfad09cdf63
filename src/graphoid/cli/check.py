"""``graphoid check``: what reading a file would do, and what would stop it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from rich.console import Console
from rich.markup import escape
from rich.table import Table as Lines

from graphoid.data.check import check as check_source

if TYPE_CHECKING:
    from graphoid.data.check import ColumnReport, Report

SHOWN = 100
"""Columns shown; of wider files those with something to say come first, and the rest are counted."""

SENTENCES = 40
"""Observations shown; ``--json`` has all of them."""


def check(
    file: str,
    *,
    as_json: bool = False,
    missing: str = "error",
    discretize: str | None = "auto",
    columns: str | None = None,
    weights: str | None = None,
) -> int:
    """Print a report on a file and return the exit code: 0 if it can be read, 1 if not.

    Parameters
    ----------
    file
        Path of the file.
    as_json
        Print JSON, in ASCII, instead of a table.
    missing, discretize, weights
        As in :func:`graphoid.read`; ``discretize`` may also be "none".
    columns
        Names, separated by commas.
    """
    report = check_source(
        file,
        columns=None if columns is None else [name.strip() for name in columns.split(",")],
        discretize=None if discretize in {None, "none"} else discretize,
        missing=missing,
        weights=weights,
    )
    if as_json:
        print(json.dumps(report.to_dict(), indent=2, ensure_ascii=True))
    else:
        show(report, Console())
    return 0 if report.ok else 1


def show(report: Report, console: Console) -> None:
    """Print a report as a table and sentences."""
    if report.columns:
        console.print(
            f"[bold]{escape(printable(report.name))}[/]: {report.n_rows:,} rows, "
            f"{len(report.columns):,} columns, {report.n_rows_complete:,} rows without a missing cell",
            highlight=False,
            soft_wrap=True,
        )
        console.print(_lines(report))
    hidden = len(report.columns) - SHOWN
    if hidden > 0:
        console.print(f"... and {hidden:,} more columns; --json has all of them.", soft_wrap=True)
    for sentence in report.observations[:SENTENCES]:
        console.print(f"- {escape(printable(sentence))}", highlight=False, soft_wrap=True)
    if len(report.observations) > SENTENCES:
        console.print(
            f"- ... and {len(report.observations) - SENTENCES:,} more; --json has all of them.",
            soft_wrap=True,
        )
    for problem in report.problems:
        console.print(f"[bold red]problem:[/] {escape(printable(problem))}", highlight=False, soft_wrap=True)
    if report.ok:
        console.print(
            f"[bold green]ok:[/] {report.n_rows_used:,} rows can be read as they are.",
            highlight=False,
            soft_wrap=True,
        )


def _lines(report: Report) -> Lines:
    lines = Lines("column", "kind", "states", "rarest", "missing", "reading it")
    for justified in (2, 4):
        lines.columns[justified].justify = "right"
    columns = sorted(report.columns, key=_weight) if len(report.columns) > SHOWN else report.columns
    for column in columns[:SHOWN]:
        rarest = "" if column.rarest_rows is None else f"{column.rarest} ({column.rarest_rows:,})"
        cells = (
            column.name,
            column.kind,
            f"{column.n_states:,}",
            rarest,
            f"{column.n_missing:,}",
            column.action,
        )
        lines.add_row(*(escape(printable(cell)) for cell in cells), style="red" if column.problem else None)
    return lines


def _weight(column: ColumnReport) -> int:
    return 0 if column.problem else 1 if column.n_missing or column.kind in {"binned", "constant"} else 2


def printable(text: str) -> str:
    """Return text that cannot disturb a terminal: control characters are written out."""
    return "".join(
        c if c.isprintable() else c.encode("unicode_escape", "backslashreplace").decode() for c in text
    )
