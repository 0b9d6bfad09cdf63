"""What goes to the terminal: text that cannot disturb it, tables, notes."""

from __future__ import annotations

import contextlib
import math
import os
import shlex
import sys
from typing import TYPE_CHECKING

from graphoid.structure.safe_text import printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console, ConsoleOptions, RenderResult
    from rich.table import Table as Lines
    from rich.text import Text

LONGEST = 60
"""Characters of a name shown in a table; files and ``--json`` have all of it."""

UNCUT = 1_000
"""Width where nobody looks: in a file or a pipe nothing need be cut, and tables take what they need."""


def console(*, stderr: bool = False) -> Console:
    """Return a console that takes what it is given as text, never as markup."""
    from rich.console import Console

    screen = Console(stderr=stderr, highlight=False, markup=False, emoji=False)
    if screen.is_terminal or "COLUMNS" in os.environ:
        return screen
    return Console(stderr=stderr, highlight=False, markup=False, emoji=False, width=UNCUT)


def shell_word(path: str) -> str:
    r"""Return a path as one would type it in a shell.

    >>> print(shell_word("my survey.csv"), shell_word("-x.csv"), shell_word("a\nb.csv"))
    'my survey.csv' ./-x.csv $'a\nb.csv'
    """
    path = f"./{path}" if path.startswith("-") else path
    if path.isprintable():
        return shlex.quote(path)
    return "$'" + printable(path.replace("\\", "\\\\").replace("'", "\\'")) + "'"


def shorten(text: str, longest: int = LONGEST) -> str:
    """Return printable text of bounded length."""
    plain = printable(text)
    return plain if len(plain) <= longest else f"{plain[: longest - 1]}…"


def cell(value: object, style: str = "") -> Text:
    """Return what stands in a cell of a table: never markup, never longer than a screen."""
    from rich.text import Text

    return Text(shorten("" if value is None else str(value)), style=style, overflow="fold")


def lines(*columns: str, right: tuple[str, ...] = (), title: str = "") -> Lines:
    """Return an empty table; columns named in ``right`` hold numbers. On a narrow screen no word breaks."""
    from rich.table import Table

    class Lines(Table):
        """A table that gives every column its longest word before any gets more."""

        def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
            widths = column_widths(
                [[str(column.header), *map(str, column.cells)] for column in self.columns], options.max_width
            )
            for column, width in zip(self.columns, widths or (), strict=bool(widths)):
                column.width = width
            yield from super().__rich_console__(console, options)

    empty = Lines(title=title or None, title_justify="left", title_style="bold")
    for column in columns:
        empty.add_column(column, justify="right" if column in right else "left", overflow="fold")
    return empty


def column_widths(columns: Sequence[Sequence[str]], most: int) -> list[int] | None:
    """Return how wide columns are where words do not break; None where all fits, or nothing helps.

    >>> column_widths([["edge weight", "0.60 (0.55, 0.64)"], ["factor", "1,010.97"]], 26)
    [11, 8]
    """
    frame = 3 * len(columns) + 1
    wanted = [_longest_line(cells) for cells in columns]
    if sum(wanted) + frame <= most:
        return None
    widths = [max(len(word) for cell in cells for word in (cell.split() or [""])) for cells in columns]
    spare = most - frame - sum(widths)
    if spare < 0:
        return None
    of_cells = [_longest_line(cells[1:]) for cells in columns]
    for goal in (of_cells, wanted):  # a header that takes two lines is no loss, a cell is
        for i in sorted(range(len(columns)), key=lambda i: goal[i] - widths[i]):
            more = min(spare, max(0, goal[i] - widths[i]))
            widths[i] += more
            spare -= more
    return widths


def _longest_line(cells: Sequence[str]) -> int:
    return max((len(line) for cell in cells for line in cell.split("\n")), default=0)


def number(value: float | None, digits: int = 3) -> str:
    """Return a number for a table.

    >>> number(0.123456), number(None), number(float("inf"))
    ('0.123', '', '∞')
    """
    if value is None:
        return ""
    return "∞" if value == math.inf else f"{value:.{digits}g}"


def print_json(value: object) -> None:
    """Print JSON, in ASCII, so that it survives any terminal and pipe."""
    import json

    print(json.dumps(finite(value), indent=2, ensure_ascii=True, allow_nan=False))


def finite(value: object) -> object:
    """Return a value as JSON can hold it: numbers that are not finite are words."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, dict):
        return {str(key): finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [finite(item) for item in value]
    return value


def note(message: str) -> None:
    """Say something beside the result: one line on the standard error, if anything can be said there."""
    with contextlib.suppress(OSError):
        print(printable(" ".join(line.strip() for line in message.splitlines())), file=sys.stderr)
