"""Variables, their kinds and their states."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal, get_args

from graphoid.errors import DataError
from graphoid.logic.names import Names

if TYPE_CHECKING:
    from collections.abc import Sequence

State = str | int | float | bool
"""A state keeps the label and the type it had in the source."""

Kind = Literal["nominal", "ordered", "continuous", "count"]
"""What the values of a column are: names; grades, of which one is more than the other; amounts; numbers of
things."""

KINDS: tuple[Kind, ...] = get_args(Kind)

MAX_STATES = 65_536
"""What a two-byte code can tell apart."""


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Variable:
    """A column: its name, its kind and, unless it stays a column of numbers, its states in order.

    Parameters
    ----------
    name
        As in the source.
    states
        The labels that codes 0, 1, ... stand for. Empty for a column of numbers.
    ordered
        Whether the order of the states means something; another way to say that the kind is "ordered".
    cuts
        The inner cut points if the states are bins of a number: bin ``k`` holds values above ``cuts[k-1]``
        up to and including ``cuts[k]``.
    label
        A longer description from the source (SPSS variable labels), or "".
    kind
        "nominal": names, in no order. "ordered": states of which one is more than the other. "continuous":
        numbers, without states. "count": whole numbers from 0, without states or, where they are few, with.

    Examples
    --------
    >>> Variable("grade", ("low", "high"), kind="ordered").ordered, Variable("age", ()).kind
    (True, 'continuous')
    """

    name: str
    states: tuple[State, ...]
    kind: Kind
    cuts: tuple[float, ...]
    label: str

    def __init__(
        self,
        name: str,
        states: tuple[State, ...],
        ordered: bool = False,  # noqa: FBT001, FBT002 - as in the first edition
        cuts: tuple[float, ...] = (),
        label: str = "",
        *,
        kind: Kind | None = None,
    ) -> None:
        if kind is None:
            kind = ("ordered" if ordered else "nominal") if states else "continuous"
        if kind not in KINDS:
            raise DataError(f"{name!r} has the kind {kind!r}; expected one of {', '.join(KINDS)}.")
        if bool(states) == (kind == "continuous") and kind != "count":
            many = f"{len(states):,} states" if states else "no states"
            raise DataError(f"{name!r} has {many} and cannot be {kind}.")
        for field, value in (
            ("name", name), ("states", states), ("kind", kind), ("cuts", cuts), ("label", label)
        ):  # fmt: skip
            object.__setattr__(self, field, value)

    @property
    def arity(self) -> int:
        """Number of states."""
        return len(self.states)

    @property
    def ordered(self) -> bool:
        """Whether there are states and their order means something."""
        return bool(self.states) and self.kind != "nominal"

    @property
    def continuous(self) -> bool:
        """Whether the column has no states, only numbers."""
        return not self.states

    def __repr__(self) -> str:
        # digests of data are made of this: what the first edition knew is written as it wrote it
        kind = "kind='count'" if self.kind == "count" else f"ordered={self.ordered}"
        return (
            f"Variable(name={self.name!r}, states={self.states!r}, {kind}, cuts={self.cuts!r}, "
            f"label={self.label!r})"
        )


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
