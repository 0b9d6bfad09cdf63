"""Plain values as a file holds them: each is checked once, when it is read, to be of the kind it must be.

So that what loads can be used. What is wrong raises a ``ValueError`` that says so in a few words; whoever
reads the file makes a sentence of it.
"""

from __future__ import annotations

import reprlib
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    import numpy as np
    from numpy.typing import NDArray

Kind = TypeVar("Kind")

MOST = 2**63
"""Whole numbers stay below it: what fits into eight bytes."""

LARGEST = 1.7e308
"""Numbers stay within it: what a floating-point number can hold."""

WORDS = frozenset({"inf", "-inf", "nan"})
"""Numbers that JSON has no way to write."""

DEPTH = 60
"""How deep values may lie within others: settings lie three or four deep."""


def text(value: object) -> str:
    """Return a text."""
    return _of(str, "text", value)


def choice(value: object, among: Collection[str]) -> str:
    """Return one of some words."""
    if text(value) not in among:
        raise _wrong(f"one of {', '.join(among)}", value)
    return text(value)


def flag(value: object) -> bool:
    """Return what is true or false."""
    return _of(bool, "true or false", value)


def items(value: object) -> list[Any]:
    """Return a list, whatever is in it."""
    return _of(list, "a list", value)


def state(value: object) -> str | int | float | bool:
    """Return what a variable may be: a text, a number, true or false."""
    return value if isinstance(value, (str, bool)) else number(value)


def texts(value: object) -> list[str]:
    """Return a list of texts, such as names."""
    return [text(each) for each in items(value)]


def record(value: object) -> dict[str, Any]:
    """Return values by name, whatever they are, if they do not lie too deep in each other."""
    found = _of(dict, "values by name", value)
    layer = list(found.values())
    for _ in range(DEPTH):
        layer = [
            part
            for outer in layer
            if type(outer) in (dict, list)
            for part in (outer.values() if type(outer) is dict else outer)
        ]
        if not layer:
            return found
    raise ValueError(f"values lie more than {DEPTH} deep in each other")


def optional(kind: Callable[[object], Kind], value: object) -> Kind | None:
    """Return a value of a kind, or None."""
    return None if value is None else kind(value)


def whole(value: object, below: int = MOST, least: int = 0) -> int:
    """Return a whole number that counts or places something.

    >>> whole(3, below=4)
    3
    """
    if type(value) is not int or not least <= value < below:
        raise _wrong(f"a whole number from {least} to {below - 1}", value)
    return value


def seed(value: object) -> int:
    """Return a seed: any whole number that is not negative, however large."""
    return whole(value, below=2**4096)


def number(value: object, least: float = -LARGEST, most: float = LARGEST) -> float:
    """Return a finite number; whole ones stay whole."""
    if not (type(value) is float or type(value) is int) or not least <= value <= most:
        limits = "" if most == LARGEST == -least else f" from {least:g} to {most:g}"
        raise _wrong(f"a finite number{limits}", value)
    return value


def any_number(value: object) -> float:
    """Return a number, which a word stands for where it is not finite.

    >>> any_number("-inf"), any_number(2)
    (-inf, 2)
    """
    return float(value) if isinstance(value, str) and value in WORDS else number(value)


def positions(value: object, n: int) -> tuple[int, ...]:
    """Return positions of different variables among ``n``."""
    found = tuple([whole(v, n) for v in items(value)])
    if len(set(found)) < len(found):
        raise _wrong("different positions", value)
    return found


def array(value: object, shape: Sequence[int | None], *, whole: bool) -> NDArray[np.number]:
    """Return numbers of a shape, in which None stands for any length."""
    import numpy as np

    found = np.array(items(value))
    if found.ndim != len(shape) and not found.size:
        found = found.reshape([length or 0 for length in shape])
    fits = len(shape) == found.ndim and all(
        a is None or a == b for a, b in zip(shape, found.shape, strict=True)
    )
    if not fits or (found.size and found.dtype.kind not in ("iu" if whole else "iuf")):
        many = " x ".join("any" if length is None else str(length) for length in shape)
        raise _wrong(f"{many} {'whole ' if whole else ''}numbers", value)
    return found


def _of(kind: type[Kind], words: str, value: object) -> Kind:
    if type(value) is not kind:
        raise _wrong(words, value)
    return value


def _wrong(expected: str, value: object) -> ValueError:
    return ValueError(f"expected {expected}, got {reprlib.repr(value)}")
