"""Which kind a column is of, and why: as told, as its source says, or by its values."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from graphoid.data.encoding.discretize import FEW
from graphoid.data.encoding.encode import encode_floats
from graphoid.errors import DataError

if TYPE_CHECKING:
    from graphoid.data.encoding.encode import Encoded
    from graphoid.data.variables import Kind


class Decided(NamedTuple):
    """The kind of a column."""

    kind: Kind
    why: str
    """In a few words, for reports."""
    by_user: bool = False
    """Whether the user says so."""
    states: bool = False
    """Whether its values are states by someone's word, so that they are neither cut nor kept as numbers."""


def kind_of(column: Encoded, name: str, wanted: Kind | None) -> Decided:
    """Return the kind of a column; raise if it is told to be what it cannot be."""
    if wanted is not None:
        if wanted in {"continuous", "count"}:
            refuse_kind(column, name, wanted)
        return Decided(wanted, "as told", by_user=True, states=wanted in {"nominal", "ordered"})
    if column.measure:
        return _by_measure(column)
    if column.declared:
        kind: Kind = "ordered" if column.ordered else "nominal"
        why = "ordered categories" if column.ordered else "categories"
        return Decided(kind, why, states=True)
    if not column.numeric:
        truth = bool(len(column.levels)) and isinstance(column.levels[0], bool)
        return Decided("nominal", "truth values" if truth else "text")
    n, said = len(column.levels), f"{len(column.levels):,} different numbers"
    if n <= FEW:
        return Decided("ordered", said if n != 1 else "one number")
    return Decided(*_many(column))


def refuse_kind(column: Encoded, name: str, kind: Kind) -> None:
    """Raise if a column holds no numbers, or what no count of things is."""
    wrong = next((v for v in column.states() if isinstance(v, (bool, str))), None)
    if wrong is not None:
        what = "truth values" if isinstance(wrong, bool) else f"text, such as {str(wrong)[:40]!r}"
        raise DataError(
            f"{name!r} cannot be {kind}: it holds {what}. Only numbers can; "
            f"leave its kind to graphoid, or make it nominal or ordered."
        )
    if kind == "continuous":
        return
    levels = np.asarray(column.levels)
    bad = levels[(levels < 0) | (levels != np.rint(levels))]
    if bad.size:
        raise DataError(
            f"{name!r} cannot be a count: it holds {bad[0]}, and counts are whole numbers from 0. "
            f"Make it continuous."
        )


def to_numbers(column: Encoded, name: str) -> Encoded:
    """Return a column whose declared states are numbers as one of numbers, ascending."""
    if column.numeric:
        return column
    numbers = encode_floats(column.numbers(), name, column.missing())
    return replace(
        numbers, label=column.label, notes=column.notes, times=column.times, n_missing=column.n_missing
    )


def _by_measure(column: Encoded) -> Decided:
    """Return the kind that the measure level of an SPSS file stands for."""
    why = f"measure level {column.measure}"
    if column.measure != "scale":
        return Decided("ordered" if column.measure == "ordinal" else "nominal", why, states=True)
    if not column.numeric:  # text, or numbers that have labels and are states in their order
        return Decided("ordered" if column.ordered else "nominal", why, states=column.declared)
    n = len(column.levels)
    if n <= 2:  # two numbers have no more to tell than two states
        return Decided("ordered", f"{why}, {n} different number(s)")
    return Decided("continuous" if n <= FEW else _many(column)[0], why)


def _many(column: Encoded) -> tuple[Kind, str]:
    levels = np.asarray(column.levels)
    said = f"{len(levels):,} different"
    if levels.dtype.kind == "f":
        return "continuous", f"{said} numbers"
    return ("continuous" if levels[0] < 0 else "count"), f"{said} whole numbers"
