"""Names of variables and their positions: the one place where either is taken for the other."""

from __future__ import annotations

import operator
import re
from collections.abc import Iterable, Iterator, Sequence, Set as AbstractSet
from typing import TYPE_CHECKING

from graphoid.errors import SettingsError, UnknownVariable
from graphoid.logic.assertion import Assertion

if TYPE_CHECKING:
    from graphoid.logic.source import Question


class Names:
    """Names in order of position.

    >>> names = Names(["rain", "wet"])
    >>> names.position("wet"), names.position(0)
    (1, 0)
    """

    __slots__ = ("all", "index")

    def __init__(self, names: Sequence[str]) -> None:
        self.all = tuple(names)
        self.index = {name: i for i, name in enumerate(self.all)}
        """The position of every name."""

    def position(self, variable: object) -> int:
        """Return the position of a variable given by position or by name."""
        if type(variable) is int and 0 <= variable < len(self.all):
            return variable
        if isinstance(variable, str):
            try:
                return self.index[variable]
            except KeyError:
                raise UnknownVariable(
                    f"no variable is named {variable!r}; there are {quote(self.all)}."
                ) from None
        try:
            index = operator.index(variable)  # type: ignore[arg-type]
        except TypeError:
            raise UnknownVariable(f"{variable!r} is neither a position nor a name of a variable.") from None
        if not 0 <= index < len(self.all):
            raise UnknownVariable(
                f"there is no variable {index}: positions go from 0 to {len(self.all) - 1}."
            )
        return index

    def resolve(self, question: Question) -> tuple[int, int, tuple[int, ...]]:
        """Return (x, y, given) as positions; ``given`` keeps its order, and is sorted if it is a set."""
        parts: Sequence[object] = question
        if isinstance(question, Assertion) and not question.context:
            parts = question[:3]
        try:
            x, y, *rest = parts
            (given,) = rest or ((),)
        except (TypeError, ValueError):
            raise SettingsError(f"{question!r} is not a question; ask (x, y, given).") from None
        if isinstance(given, str) or not isinstance(given, Iterable):
            raise SettingsError(f"given is {given!r}; it must be a list of variables, such as [{given!r}].")
        position = self.position
        ix, iy, iz = position(x), position(y), tuple([position(z) for z in given])
        if isinstance(given, AbstractSet):
            iz = tuple(sorted(iz))
        if len({ix, iy, *iz}) < 2 + len(iz):
            self._refuse(ix, iy, iz)
        return ix, iy, iz

    def _refuse(self, x: int, y: int, given: tuple[int, ...]) -> None:
        """Raise, and say which variable is named twice."""
        if x == y:
            raise SettingsError(
                f"asked whether {self.all[x]!r} is independent of itself; x and y must differ."
            )
        for i, z in enumerate(given):
            if z in (x, y):
                raise SettingsError(
                    f"{self.all[z]!r} is asked about and also given; it can only be one of both."
                )
            if z in given[:i]:
                raise SettingsError(f"{self.all[z]!r} is given twice.")

    def __len__(self) -> int:
        return len(self.all)

    def __iter__(self) -> Iterator[str]:
        return iter(self.all)


def quote(names: Sequence[str], most: int = 8) -> str:
    """Return names for a message, quoted, the first few only."""
    rest = len(names) - most
    return ", ".join(repr(name) for name in names[:most]) + (f" and {rest:,} more" if rest > 0 else "")


def name_order(names: Sequence[str]) -> list[int]:
    """Return the positions of variables by name, numbers in names by value: what breaks ties.

    Not the order of the columns, so that this changes nothing.

    >>> name_order(["x10", "x9", "age"])
    [2, 1, 0]
    """
    # parts without and with digits take turns, so that like is compared with like
    parts = [[int(part) if i % 2 else part for i, part in enumerate(re.split("([0-9]+)", n))] for n in names]
    return sorted(range(len(names)), key=lambda i: (parts[i], names[i]))


def name_rank(names: Sequence[str]) -> list[int]:
    """Return the place of every variable in the order of names."""
    rank = [0] * len(names)
    for place, i in enumerate(name_order(names)):
        rank[i] = place
    return rank
