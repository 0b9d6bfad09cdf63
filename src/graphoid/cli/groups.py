"""``graphoid groups``: where the networks of groups of rows differ."""

from __future__ import annotations

import csv
import io
import json as json_text
import os
from functools import partial
from typing import TYPE_CHECKING, Annotated, cast

import typer

from graphoid.cli import files
from graphoid.cli.clock import Clock
from graphoid.cli.options import (
    Columns,
    Decimal,
    Drop,
    File,
    Json,
    Kinds,
    Missing,
    MissingCells,
    NaValues,
    Quiet,
    Seed,
    examples,
    parse_kinds,
    parse_na,
    select_columns,
    split_names,
)
from graphoid.cli.outputs import PICTURES, Attempts, Output, check_outputs, plot_of
from graphoid.cli.process import ERROR
from graphoid.cli.progress import Watch
from graphoid.cli.terminal import cell, console, lines, note, number, print_json
from graphoid.structure import whole_file
from graphoid.structure.safe_text import csv_cell

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from graphoid.data.variables import Kind
    from graphoid.uncertainty.group_result import GroupComparison, PairComparison

EPILOG = examples(
    ("groups survey.csv --by country", "where do the networks of countries differ?"),
    ("groups survey.csv --by age", "a number: a moderator"),
    ("groups survey.csv --by country --covariates age,sex --shared", "adjusted, estimates shrunk"),
    ("groups survey.csv --by country --out groups.csv", "write a file"),
    ("groups survey.csv --by country --report groups.html", "a report: networks side by side, differences"),
    ("groups survey.csv --by country --plot nets.pdf --plot differences=d.png", "pictures for a paper"),
)

SHOWN = 40
"""Pairs shown, the most probably different first; ``--json`` and files have all of them."""

KINDS = ("networks", "differences")
"""What can be drawn."""

SEARCHING = 0.6
"""Of ``--seconds``, what learning the graphs may take; the rest is for comparing them."""


By = Annotated[
    str, typer.Option(help="The column that defines the groups; a column of numbers is a moderator.")
]
Covariates = Annotated[
    str | None, typer.Option(help="Columns to adjust for, which are not compared, separated by commas.")
]
Permutations = Annotated[
    int, typer.Option(min=0, help="Also run a permutation test with this many permutations.")
]
Plots = Annotated[
    list[str] | None,
    typer.Option(
        help="Draw the networks side by side as .svg, .png or .pdf; differences=d.pdf draws a heat map.",
        metavar="[KIND=]FILE",
    ),
]


def groups(
    file: File,
    *,
    by: By,
    covariates: Covariates = None,
    shared: Annotated[
        bool, typer.Option("--shared", help="Shrink the groups' estimates towards each other.")
    ] = False,
    permutations: Permutations = 0,
    draws: Annotated[int, typer.Option(min=1, help="Draws from the null distribution of all pairs.")] = 500,
    columns: Columns = None,
    drop: Drop = None,
    kind: Kinds = None,
    missing: MissingCells = Missing.error,
    na: NaValues = None,
    decimal: Decimal = ".",
    out: Annotated[
        list[str] | None, typer.Option(help="Write all pairs as .json or .csv; may be repeated.")
    ] = None,
    report: Annotated[
        str | None, typer.Option(help="Write a report as one .html page that works offline.")
    ] = None,
    plot: Plots = None,
    seconds: Annotated[float | None, typer.Option(min=0, help="Time limit for the whole comparison.")] = None,
    seed: Seed = 0,
    json: Json = False,
    quiet: Quiet = False,
) -> int | None:
    """Compare the networks of groups of rows in FILE: which edges differ, and how sure that is."""
    import graphoid as gd

    clock = Clock(seconds)
    plots = [plot_of(text, KINDS) for text in plot or []]
    check_outputs(_outputs(out or [], report, plots), [file])
    table = gd.read(
        file,
        columns=select_columns(file, split_names(columns), split_names(drop), None),
        kinds=cast("Mapping[str, Kind]", parse_kinds(kind or [])),
        missing=missing.value,
        na_values=parse_na(na or []),
        decimal=decimal,
    )
    title = f"comparing groups by {by}: {table.n_rows:,} rows of {len(table.variables):,} variables"
    with Watch("groups", title, quiet=quiet) as watch, clock.limit("the groups were compared"):
        found = gd.compare_groups(
            table,
            by,
            covariates=split_names(covariates) or (),
            shared=shared,
            n=draws,
            permutations=permutations,
            n_jobs=int(os.environ.get("GRAPHOID_THREADS", "1")),
            random_state=seed,
            seconds=None if clock.left is None else SEARCHING * clock.left,
            progress=watch,
        )
    return _deliver(found, _write(found, out or [], report, plots), json=json, quiet=quiet)


def _outputs(out: list[str], report: str | None, plots: Sequence[tuple[str, str]]) -> list[Output]:
    """Return the files that are to be written."""
    named = [Output("--out", path, WRITERS) for path in out]
    named += [Output("--report", path, [".html"]) for path in [report] if path is not None]
    return named + [Output("--plot", path, PICTURES) for _, path in plots]


def _write(
    found: GroupComparison, out: list[str], report: str | None, plots: Sequence[tuple[str, str]]
) -> Attempts:
    """Try to write all files that were asked for."""
    done = Attempts()
    for path in out:
        done.write(path, partial(files.write, found, path, WRITERS))
    if report is not None:
        done.write(report, partial(found.report, report))
    for kind, path in plots:
        from graphoid.report.group_pictures import write

        done.write(path, partial(write, found, path, kind))
    return done


def _deliver(found: GroupComparison, done: Attempts, *, json: bool, quiet: bool) -> int | None:
    """Print what was found and written, and return the exit code."""
    if json:
        print_json({**to_values(found), "files": done.written})
    elif not quiet:
        _show(found)
        for path in done.written:
            note(f"wrote {path}")
    if not done.failed:
        return None
    note(done.complaint())
    return ERROR


def to_values(found: GroupComparison) -> dict[str, object]:
    """Return a comparison as plain values."""
    names = found.graph.names

    def edges(pairs: tuple[tuple[int, int], ...]) -> list[list[str]]:
        return [[names[x], names[y]] for x, y in pairs]

    return {
        **found._asdict(),
        "graph": edges(found.graph.edges),
        "graphs": [edges(graph.edges) for graph in found.graphs],
        "pairs": [row._asdict() for row in found.pairs],
    }


def _write_json(found: GroupComparison, path: str) -> None:
    whole_file.write(path, json_text.dumps(to_values(found), indent=1) + "\n")


def _write_csv(found: GroupComparison, path: str) -> None:
    """Write a line a pair, with the effect and its interval of every group."""
    page = io.StringIO(newline="")
    rows = [_flat(found, row) for row in found.pairs]
    writer = csv.DictWriter(page, list(rows[0]))
    writer.writeheader()
    for row in rows:
        writer.writerow({key: csv_cell(it) if isinstance(it, str) else it for key, it in row.items()})
    whole_file.write(path, page.getvalue())


def _flat(found: GroupComparison, row: PairComparison) -> dict[str, object]:
    values: dict[str, object] = {
        key: value for key, value in row._asdict().items() if key not in ("effects", "intervals")
    }
    for label, effect, interval in zip(found.groups, row.effects, row.intervals, strict=True):
        low, high = interval or (None, None)
        values |= {f"effect {label}": effect, f"low {label}": low, f"high {label}": high}
    return values


WRITERS: dict[str, Callable[[GroupComparison, str], None]] = {".json": _write_json, ".csv": _write_csv}
"""How a comparison is written."""


def _show(found: GroupComparison) -> None:
    """Print the pairs that differ most probably, and what all of them say together."""
    from rich.text import Text

    screen = console()
    rows = sorted(found.pairs, key=lambda row: (row.p_adjusted, row.p_value, row.x, row.y))
    effects = [found.label(g) for g in range(len(found.groups))]
    table = lines("variable 1", "variable 2", *effects, "adjusted p", "P(differs)")
    for row in rows[:SHOWN]:
        style = "bold" if row.p_adjusted <= 0.05 else ""
        shown = [
            "" if effect is None or ends is None else f"{effect:.2f}\n({ends[0]:.2f}, {ends[1]:.2f})"
            for effect, ends in zip(row.effects, row.intervals, strict=True)
        ]
        differs = "" if row.probability is None else f"{row.probability:.2f}"
        others = number(row.p_adjusted), differs
        table.add_row(
            *(cell(it, style) for it in (row.x, row.y)),
            *(Text(it, style) for it in shown),  # the interval on a line of its own
            *(cell(it, style) for it in others),
        )
    screen.print(table)
    if len(rows) > SHOWN:
        screen.print(f"... and {len(rows) - SHOWN:,} more; --json has all of them.")
    for line in found.summary():
        screen.print(line, soft_wrap=True)
