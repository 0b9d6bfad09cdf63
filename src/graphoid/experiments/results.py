"""What an experiment found, as a table: columns, rows, and notes on how to read them."""

from __future__ import annotations

import csv
import io
import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from graphoid.structure.safe_text import csv_cell

if TYPE_CHECKING:
    from collections.abc import Iterable

    from graphoid.structure.document import Json


class Spread(NamedTuple):
    """The mean of repetitions, and their standard deviation."""

    mean: float
    sd: float | None
    """None for a single value."""

    @classmethod
    def of(cls, values: Iterable[float]) -> Spread:
        """Return the mean and the sample standard deviation.

        >>> Spread.of([1, 2, 3])
        Spread(mean=2.0, sd=1.0)
        """
        found = list(values)
        return cls(statistics.fmean(found), statistics.stdev(found) if len(found) > 1 else None)

    @classmethod
    def of_each(cls, runs: Iterable[Iterable[float]]) -> tuple[Spread, ...]:
        """Return the spread of every number of some runs, in their order.

        >>> Spread.of_each([(1, 5), (3, 5)])
        (Spread(mean=2.0, sd=1.4142135623730951), Spread(mean=5.0, sd=0.0))
        """
        return tuple(map(cls.of, zip(*runs, strict=True)))


Cell = str | int | float | Spread | None
"""One entry of a table; None where there is nothing to say."""

Row = tuple[Cell, ...]
"""A cell for every column."""


class Column(NamedTuple):
    """A column: what it is called, and with how many decimals its numbers are shown."""

    name: str
    decimals: int = 0

    def format(self, cell: Cell) -> str:
        """Return a cell as text.

        >>> Column("ratio", 2).format(Spread(0.218, 0.004))
        '0.22 ± 0.00'
        """
        if cell is None:
            return ""
        if isinstance(cell, str):
            return cell
        if isinstance(cell, Spread):
            spread = "" if cell.sd is None else f" ± {cell.sd:,.{self.decimals}f}"
            return f"{cell.mean:,.{self.decimals}f}{spread}"
        return f"{cell:,.{self.decimals}f}"


def columns(names: str) -> tuple[Column, ...]:
    """Return columns by name, with the decimals of their numbers where there are any.

    >>> columns("n, ratio:2")
    (Column(name='n', decimals=0), Column(name='ratio', decimals=2))
    """
    parts = (name.partition(":") for name in names.split(", "))
    return tuple(Column(name, int(decimals or 0)) for name, _, decimals in parts)


@dataclass(frozen=True)
class Plot:
    """Which columns make a picture of the results."""

    x: str
    """The column along the axis."""
    y: dict[str, tuple[str, ...]]
    """Columns to plot, by the label of their axis; each group is a row of panels."""
    lines: str | None = None
    """A column whose every value is a line of its own; None gives a line for every column of a group."""
    panels: tuple[str, ...] = ()
    """Columns whose every combination of values is a panel of its own."""
    log: bool = False
    log_x: bool = False
    """Whether the measure, and the column along the axis, have a logarithmic axis."""


@dataclass(frozen=True)
class Results:
    """The table of an experiment."""

    name: str
    """The experiment, as it is called on the command line."""
    title: str
    """What it shows, in a line."""
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    """The table; a row has a cell for every column."""
    notes: tuple[str, ...] = ()
    """How to read it, what it was run with, and what does not match."""
    plot: Plot | None = None
    """What to draw, or None."""

    def column(self, name: str) -> list[Cell]:
        """Return the cells of a column."""
        at = [column.name for column in self.columns].index(name)
        return [row[at] for row in self.rows]

    def texts(self) -> list[list[str]]:
        """Return all cells as text."""
        return [
            [column.format(cell) for column, cell in zip(self.columns, row, strict=True)] for row in self.rows
        ]

    def records(self) -> list[dict[str, str | float | None]]:
        """Return a dictionary a row; a mean with its spread becomes two entries."""
        return [
            dict(
                entry for column, cell in zip(self.columns, row, strict=True) for entry in _flat(column, cell)
            )
            for row in self.rows
        ]

    def to_csv(self) -> str:
        """Return the table as CSV, numbers in full, the spread of ``a`` in a column ``a sd``."""
        records = self.records()
        names = list(dict.fromkeys(name for record in records for name in record))
        out = io.StringIO()
        writer = csv.DictWriter(out, names, lineterminator="\n")
        writer.writeheader()
        for record in records:
            writer.writerow({key: csv_cell(it) if isinstance(it, str) else it for key, it in record.items()})
        return out.getvalue()

    def to_markdown(self) -> str:
        """Return title, table and notes as Markdown."""
        head = [_escape(column.name) for column in self.columns]
        left = [all(isinstance(cell, str | None) for cell in self.column(c.name)) for c in self.columns]
        lines = [
            f"### {_escape_stars(self.title)}",
            "",
            _line(head),
            _line(["---" if is_left else "---:" for is_left in left]),
            *(_line([_escape(cell) for cell in row]) for row in self.texts()),
            "",
            *(f"- {_escape_stars(note)}" for note in self.notes),
        ]
        return "\n".join(lines).rstrip() + "\n"

    def to_json(self) -> Json:
        """Return everything as plain values."""
        return {"name": self.name, "title": self.title, "rows": self.records(), "notes": list(self.notes)}


def paragraphs(text: str) -> tuple[str, ...]:
    r"""Return the paragraphs of a text, one line each.

    >>> paragraphs("one\n    line\n\n    two")
    ('one line', 'two')
    """
    return tuple(" ".join(paragraph.split()) for paragraph in text.split("\n\n"))


def _flat(column: Column, cell: Cell) -> list[tuple[str, str | float | None]]:
    if isinstance(cell, Spread):
        return [(column.name, cell.mean), (f"{column.name} sd", cell.sd)]
    return [(column.name, cell)]


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _escape(text: str) -> str:
    return _escape_stars(text).replace("|", "\\|")


def _escape_stars(text: str) -> str:
    return text.replace("*", "\\*")  # GSMN* is a name, not the begin of emphasis
