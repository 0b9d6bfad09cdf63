"""Names of variables and their positions: the one place where either is taken for the other."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING

from graphoid.errors import UnknownVariable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


class Names:
    """Names in order of position.

    >>> names = Names(["rain", "wet"])
    >>> names.position("wet"), names.position(0)
    (1, 0)
    """

    __slots__ = ("_index", "all")

    def __init__(self, names: Sequence[str]) -> None:
        self.all = tuple(names)
        self._index = {name: i for i, name in enumerate(self.all)}

    def position(self, variable: int | str) -> int:
        """Return the position of a variable given by position or by name."""
        if type(variable) is int and 0 <= variable < len(self.all):
            return variable
        if isinstance(variable, str):
            try:
                return self._index[variable]
            except KeyError:
                raise UnknownVariable(
                    f"no variable is named {variable!r}; there are {quote(self.all)}."
                ) from None
        try:
            index = operator.index(variable)
        except TypeError:
            raise UnknownVariable(f"{variable!r} is neither a position nor a name of a variable.") from None
        if not 0 <= index < len(self.all):
            raise UnknownVariable(
                f"there is no variable {index}: positions go from 0 to {len(self.all) - 1}."
            )
        return index

    def __len__(self) -> int:
        return len(self.all)

    def __iter__(self) -> Iterator[str]:
        return iter(self.all)


def quote(names: Sequence[str], most: int = 8) -> str:
    """Return names for a message, quoted, the first few only."""
    rest = len(names) - most
    return ", ".join(repr(name) for name in names[:most]) + (f" and {rest:,} more" if rest > 0 else "")
