"""What was measured, as a CSV file beside its page; lines before the table say how and where."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


class Row(NamedTuple):
    """One learner on one table."""

    part: str
    """The network, or what grows."""
    learner: str
    rows: int
    columns: int
    sample: int
    status: str
    """"ended", or "time", "memory", "idle", "failed", "missing"; "left" if not started, by the note."""
    f1: float | None = None
    edges: int | None = None
    true_edges: int | None = None
    seconds: float | None = None
    megabytes: float | None = None
    note: str = ""


def write(path: Path, about: dict[str, str], rows: Iterable[Row]) -> None:
    """Write a file."""
    with path.open("w", encoding="utf-8", newline="") as file:
        for key, value in about.items():
            file.write(f"# {key}: {value}\n")
        table = csv.writer(file, lineterminator="\n")
        table.writerow(Row._fields)
        for row in rows:
            table.writerow([_text(value) for value in row])


def _text(value: object) -> str:
    if value is None:
        return ""
    return f"{value:.4g}" if isinstance(value, float) else " ".join(str(value).split())


def read(path: Path) -> tuple[dict[str, str], list[Row]]:
    """Read one."""
    lines = path.read_text(encoding="utf-8").splitlines()
    about = dict(line[2:].split(": ", 1) for line in lines if line.startswith("# "))
    return about, [
        _row(cells) for cells in csv.DictReader(line for line in lines if not line.startswith("# "))
    ]


def _row(cells: dict[str, str]) -> Row:
    whole = {"rows", "columns", "sample", "edges", "true_edges"}
    real = {"f1", "seconds", "megabytes"}
    values: dict[str, object] = {}
    for name in Row._fields:
        text = cells[name]
        missing = text == "" and name in whole | real
        values[name] = (
            None if missing else int(text) if name in whole else float(text) if name in real else text
        )
    return Row(**values)  # type: ignore[arg-type]
