"""Variables and their states."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from graphoid.logic.names import Names

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


class NamedVariables:
    """What tables and models have in common: variables in order, found by position or by name."""

    variables: Sequence[Variable]

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the variables."""
        return tuple(v.name for v in self.variables)

    def position(self, variable: int | str) -> int:
        """Return the position of a variable given by position or by name."""
        return self._names.position(variable)

    @cached_property
    def _names(self) -> Names:
        return Names(self.names)
