"""Options that several commands share, each declared once."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


class Missing(enum.StrEnum):
    """Policies for missing values."""

    error = "error"
    drop = "drop"
    category = "category"


class Discretize(enum.StrEnum):
    """Ways to cut numbers into bins."""

    auto = "auto"
    scott = "scott"
    none = "none"


WHERE = ("auto", "memory", "source")
"""Where rows are counted: here, or where they are."""


File = Annotated[str, typer.Argument(help="A .csv, .tsv, .parquet, .arff or .sav file.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")]
Seed = Annotated[int, typer.Option(min=0, help="Where all random numbers come from.")]


def examples(*rows: tuple[str, str]) -> str:
    """Return the examples at the end of a command's help: what to type, and what it is for."""
    return "\n\n".join(["Examples:", *(f"graphoid {typed}  # {what}" for typed, what in rows)])


def names(text: str | None) -> list[str] | None:
    """Return names separated by commas as a list.

    >>> names("age, sex")
    ['age', 'sex']
    """
    return None if text is None else [name.strip() for name in text.split(",")]


def chosen(
    file: str | None,
    columns: list[str] | None,
    drop: list[str] | None,
    weights: str | None,
    table: str | None = None,
) -> Any:
    """Return the columns to read: those that are named, or all but those that are to be left out."""
    if not drop:
        return columns
    from graphoid.data.read import open_source
    from graphoid.data.remote.sources import relation_of
    from graphoid.errors import UnknownVariable
    from graphoid.logic.names import shown

    known = list((relation_of(file, table, always=False) or open_source(file)).names)
    for name in drop:
        if name not in known:
            raise UnknownVariable(f"there is no column {name!r} to drop; there are {shown(known)}.")
    return [name for name in columns or known if name not in drop and name != weights]


def one_of(choices: Iterable[str]) -> dict[str, Any]:
    """Return what makes an option a choice: the shell completes it, and anything else is wrong usage."""
    known = tuple(choices)

    def checked(value: str | None) -> str | None:
        if value is not None and value not in known:
            raise typer.BadParameter(f"{value!r} is not one of {', '.join(known)}.")
        return value

    def completed(incomplete: str) -> list[str]:
        return [name for name in known if name.startswith(incomplete)]

    complete: Callable[[str], list[str]] = completed
    return {"callback": checked, "autocompletion": complete, "metavar": "NAME"}
