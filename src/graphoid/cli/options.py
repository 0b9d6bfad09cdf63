"""Options: those that several commands share, and those that are fields of a class, each declared once."""

from __future__ import annotations

import enum
from dataclasses import field, fields
from inspect import Parameter, Signature
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, TypeVar

import typer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from _typeshed import DataclassInstance

AnyCommand = TypeVar("AnyCommand", bound="Callable[..., int | None]")


class Missing(enum.StrEnum):
    """Policies for missing values."""

    error = "error"
    drop = "drop"
    category = "category"
    available = "available"
    weighted = "weighted"
    impute = "impute"


class Discretize(enum.StrEnum):
    """Ways to cut numbers into bins."""

    auto = "auto"
    scott = "scott"
    none = "none"


ENGINES = ("auto", "native", "gpu")
"""Who counts rows in memory."""

DECIMALS = (".", ",")
"""Decimal marks."""

WHERE = ("auto", "memory", "source")
"""Where rows are counted: here, or where they are."""


File = Annotated[str, typer.Argument(help="A .csv, .tsv, .parquet, .arff or .sav file.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")]
Seed = Annotated[int, typer.Option(min=0, help="Random seed.")]

# How a file is read
Columns = Annotated[str | None, typer.Option(help="Columns to read, separated by commas.")]
Drop = Annotated[str | None, typer.Option(help="Columns to leave out, separated by commas.")]
Kinds = Annotated[
    list[str] | None,
    typer.Option(help="The kind of a column, such as age=continuous.", metavar="NAME=KIND"),
]
NaValues = Annotated[
    list[str] | None,
    typer.Option(help="A code for missing values, such as -99; may be repeated.", metavar="VALUE"),
]
Decimal = Annotated[str, typer.Option(help="The decimal mark of numbers: . or ,")]
MissingCells = Annotated[Missing, typer.Option(help="What to do with missing cells.")]


class Declared(NamedTuple):
    """A field that is an option: how the command line takes it, and what it may be in a file."""

    annotation: object
    default: object
    """What the command line gives where nothing is said."""
    parse: Callable[[Any], object]
    """Turns what the command line takes into the value of the field."""
    plain: tuple[type, ...] = (str,)
    choices: tuple[str, ...] = ()
    saved: bool = True
    """Whether it determines the result, and is written down with it."""


def argument(text: str) -> Any:
    """Declare a field of a dataclass as the argument of a command, with its help."""
    annotation = Annotated[str | None, typer.Argument(help=text)]
    return field(default=None, metadata={"option": Declared(annotation, None, str)})


def option(
    text: str,
    default: object = None,
    *flags: str,
    kind: type = str,
    choices: Iterable[str] = (),
    parse: Callable[[Any], object] | None = None,
    plain: type | None = None,
    saved: bool = True,
    **settings: Any,
) -> Any:
    """Declare a field of a dataclass as an option, with its help and its value where nothing is said.

    The command line takes it by ``flags``, or its name, as a ``kind`` that ``parse`` turns into the value; a
    file holds a ``plain`` one. ``settings`` are further arguments of ``typer.Option``.
    """
    known = tuple(choices)
    if known:
        settings |= _one_of(known)
    if isinstance(kind, type) and issubclass(kind, enum.StrEnum):
        known, parse = tuple(map(str, kind)), str
    info = typer.Option(*flags, help=text, **settings)
    annotation = Annotated[bool, info] if kind is bool else Annotated[kind | None, info]
    kinds = (float, int) if kind is float else (plain or (int if kind is int else str),)
    unsaid = False if kind is bool else None
    declared = Declared(annotation, unsaid, parse or (lambda value: value), kinds, known, saved)
    value = {"default_factory": dict} if default == {} else {"default": default}
    return field(**value, metadata={"option": declared})


def _one_of(known: tuple[str, ...]) -> dict[str, Any]:
    """Return what makes an option a choice: the shell completes it, and anything else is wrong usage."""

    def check(value: str | None) -> str | None:
        if value is not None and value not in known:
            raise typer.BadParameter(f"{value!r} is not one of {', '.join(known)}.")
        return value

    def complete(incomplete: str) -> list[str]:
        return [name for name in known if name.startswith(incomplete)]

    return {"callback": check, "autocompletion": complete, "metavar": "NAME"}


def declared_options(options: type[DataclassInstance]) -> dict[str, Declared]:
    """Return the options among the fields of a dataclass."""
    return {f.name: f.metadata["option"] for f in fields(options) if "option" in f.metadata}


def takes(options: type[DataclassInstance]) -> Callable[[AnyCommand], AnyCommand]:
    """Give a command the options that a dataclass declares; it is called with what was said, else None."""
    parameters = [
        Parameter(name, Parameter.KEYWORD_ONLY, default=it.default, annotation=it.annotation)
        for name, it in declared_options(options).items()
    ]

    def decorate(command: AnyCommand) -> AnyCommand:
        vars(command)["__signature__"] = Signature(parameters)
        return command

    return decorate


def parse_options(options: type[DataclassInstance], typed: Mapping[str, object]) -> dict[str, object]:
    """Return the values of the options that were given on the command line."""
    declared = declared_options(options)
    return {name: declared[name].parse(value) for name, value in typed.items() if value is not None}


def examples(*rows: tuple[str, str]) -> str:
    """Return the examples at the end of a command's help: what to type, and what it is for."""
    return "\n\n".join(["Examples:", *(f"graphoid {typed}  # {what}" for typed, what in rows)])


def split_names(text: str | None) -> list[str] | None:
    """Return names separated by commas as a list.

    >>> split_names("age, sex")
    ['age', 'sex']
    """
    return None if text is None else [name.strip() for name in text.split(",")]


def parse_kinds(texts: list[str]) -> dict[str, str]:
    """Return kinds of columns written as ``NAME=KIND``; what is no kind is refused when the file is read.

    >>> parse_kinds(["age=continuous", "x = y=nominal"])
    {'age': 'continuous', 'x = y': 'nominal'}
    """
    from graphoid.errors import SettingsError

    kinds: dict[str, str] = {}
    for text in texts:
        name, _, kind = (part.strip() for part in text.rpartition("="))
        if not name:
            raise SettingsError(f"--kind {text!r} is not NAME=KIND, such as --kind age=continuous.")
        if kinds.setdefault(name, kind) != kind:
            raise SettingsError(f"--kind says that {name!r} is {kinds[name]} and {kind}; give it one kind.")
    return kinds


def parse_na(texts: list[str]) -> list[str]:
    """Return values that stand for missing, given one by one or separated by commas.

    >>> parse_na(["-99,-98", "k.A."])
    ['-99', '-98', 'k.A.']
    """
    return [value for text in texts for value in split_names(text) or []]


def select_columns(
    file: str | None,
    columns: Sequence[str] | None,
    drop: Sequence[str] | None,
    weights: str | None,
    table: str | None = None,
) -> Sequence[str] | None:
    """Return the columns to read: those that are named, or all but those that are to be left out."""
    if not drop:
        return columns
    from graphoid.data.read import open_source
    from graphoid.data.remote.sources import relation_of
    from graphoid.data.source import name_columns
    from graphoid.errors import UnknownVariable
    from graphoid.logic.names import quote

    known = name_columns((relation_of(file, table, always=False) or open_source(file)).names)
    if unknown := [name for name in drop if name not in known]:
        raise UnknownVariable(
            f"--drop has {quote(unknown)}, and no column is named so; there are {quote(known)}."
        )
    return [name for name in columns or known if name not in drop and name != weights]
