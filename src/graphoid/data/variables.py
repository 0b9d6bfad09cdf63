"""Variables and their states."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from graphoid.errors import UnknownVariable

if TYPE_CHECKING:
    from collections.abc import Sequence

State = str | int | float | bool
"""A state keeps the label and the type it had in the source."""

MAX_STATES = 65_536
"""What a two-byte code can tell apart."""


@dataclass(frozen=True, slots=True)
class Variable:
    """A column: its name and, unless it is continuous, its states in order.

    Parameters
    ----------
    name
        As in the source.
    states
        The labels that codes 0, 1, ... stand for. Empty for a continuous column.
    ordered
        Whether the order of the states means something (ordered factors, numbers, bins).
    cuts
        The inner cut points if the states are bins of a number: bin ``k`` holds values above ``cuts[k-1]``
        up to and including ``cuts[k]``.
    label
        A longer description from the source (SPSS variable labels), or "".
    """

    name: str
    states: tuple[State, ...]
    ordered: bool = False
    cuts: tuple[float, ...] = ()
    label: str = ""

    @property
    def arity(self) -> int:
        """Number of states."""
        return len(self.states)

    @property
    def continuous(self) -> bool:
        """Whether the column has no states, only numbers."""
        return not self.states


def position(variable: int | str, names: Sequence[str]) -> int:
    """Return the position of a variable given by position or by name."""
    if isinstance(variable, str):
        try:
            return names.index(variable)
        except ValueError:
            raise UnknownVariable(f"no variable is named {variable!r}; there are {shown(names)}.") from None
    try:
        index = variable.__index__()
    except AttributeError:
        raise UnknownVariable(f"{variable!r} is neither a position nor a name of a variable.") from None
    if not 0 <= index < len(names):
        raise UnknownVariable(f"there is no variable {index}: positions go from 0 to {len(names) - 1}.")
    return index


def shown(names: Sequence[str], most: int = 8) -> str:
    """Return names for a message, quoted, the first few only."""
    rest = len(names) - most
    return ", ".join(repr(name) for name in names[:most]) + (f" and {rest:,} more" if rest > 0 else "")
