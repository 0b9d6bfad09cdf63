"""``graphoid reproduce``: run an experiment of a paper and set its figures beside the printed ones."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.markup import escape
from rich.table import Table as Lines

from graphoid.errors import DataError, MissingExtra, SettingsError
from graphoid.experiments.catalog import EXPERIMENTS

if TYPE_CHECKING:
    from graphoid.experiments.results import Results
    from graphoid.progress import Step

DATA = "GRAPHOID_DATA"
"""The environment variable that stands in for --data."""


def reproduce(
    name: str,
    *,
    data: str | None = None,
    quick: bool = False,
    out: str | None = None,
    seed: int = 0,
    repetitions: int | None = None,
    processes: int | None = None,
    as_json: bool = False,
) -> None:
    """Run the experiment, show its table and write its files."""
    entry = EXPERIMENTS[name]
    experiment = entry.quick if quick else entry.full
    if repetitions is not None:
        if repetitions < 1:
            raise SettingsError(f"--repetitions must be at least 1, not {repetitions}.")
        experiment = replace(experiment, repetitions=repetitions)  # type: ignore[type-var]
    if processes is not None:
        if not hasattr(experiment, "processes"):
            raise SettingsError(f"{name} runs in one process; leave --processes out.")
        experiment = replace(experiment, processes=processes)  # type: ignore[type-var]
    given = data or os.environ.get(DATA)
    folder = _made(Path(out)) if out else None
    results = experiment.run(seed=seed, data=Path(given) if given else None, progress=_show_progress())
    if as_json:
        print(json.dumps(results.to_json(), indent=2, ensure_ascii=False))
    else:
        show(results)
    if folder is not None:
        _write(results, folder)


def show(results: Results) -> None:
    """Print a table and its notes."""
    console = Console(highlight=False)
    if not console.is_terminal and "COLUMNS" not in os.environ:
        console = Console(highlight=False, width=_width(results))  # in a file nothing need be cut
    lines = Lines(title=escape(results.title), title_justify="left")
    for column, cells in zip(results.columns, zip(*results.rows, strict=True), strict=True):
        is_text = all(cell is None or isinstance(cell, str) for cell in cells)
        lines.add_column(escape(column.name), justify="left" if is_text else "right")
    for row in results.shown():
        lines.add_row(*(escape(cell) for cell in row))
    console.print(lines)
    for note in results.notes:
        console.print(f"- {escape(note)}", soft_wrap=True)


def _width(results: Results) -> int:
    shown = [[column.name for column in results.columns], *results.shown()]
    return sum(max(map(len, cells)) + 3 for cells in zip(*shown, strict=True)) + 1


def _made(folder: Path) -> Path:
    """Make a folder before the work begins, not after."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataError(f"--out {folder}: {error.strerror or error}.") from error
    return folder


def _write(results: Results, folder: Path) -> None:
    """Write the table as CSV and Markdown and, where matplotlib is installed, as a picture."""
    from graphoid.experiments.plots import save_plot

    (folder / f"{results.name}.csv").write_text(results.to_csv(), encoding="utf-8")
    (folder / f"{results.name}.md").write_text(results.to_markdown(), encoding="utf-8")
    written = "csv, md"
    try:
        if results.plot is not None:
            save_plot(results, folder / f"{results.name}.png")
            written += ", png"
    except MissingExtra as error:
        print(f"note: {error}", file=sys.stderr)
    print(f"wrote {folder / results.name}.{{{written}}}", file=sys.stderr)


def _show_progress() -> _Progress | None:
    """Return a listener that keeps one line on a terminal up to date; None elsewhere."""
    return _Progress() if sys.stderr.isatty() else None


class _Progress:
    """Writes events over each other."""

    def __call__(self, step: Step) -> None:
        of = f" of {step.total}" if step.total is not None else ""
        sys.stderr.write(f"\r\033[K{step.phase}: {step.done}{of}")
        if step.done == step.total:
            sys.stderr.write("\r\033[K")
        sys.stderr.flush()
