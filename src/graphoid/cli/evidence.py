"""What is given on a command line, ``region=north``, becomes states of variables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from typer.core import TyperCommand

from graphoid.errors import SettingsError, UnknownVariable
from graphoid.logic.names import quote

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graphoid.data.variables import State, Variable

GIVEN = "--given"


class TakesGiven(TyperCommand):
    """A command whose ``--given`` takes all up to the next option: ``--given region=north age=old``."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Say ``--given`` again before each of its values, as the parser below wants it."""
        spread, taking = [], False
        for arg in args:
            if arg.startswith("-"):
                taking = arg == GIVEN
                spread += [] if taking else [arg]
            else:
                spread += [GIVEN, arg] if taking else [arg]
        return super().parse_args(ctx, spread)


def states(given: Sequence[str], variables: Sequence[Variable]) -> dict[str, State]:
    """Return the states that ``name=value`` texts speak of.

    A name may contain an equals sign: the longest name that fits is meant.
    """
    by_name = {v.name: v for v in variables}
    found: dict[str, State] = {}
    for text in given:
        ends = [i for i, c in enumerate(text) if c == "="]
        if not ends:
            raise SettingsError(f"--given {text!r} is not NAME=STATE, such as region=north.")
        name = next((text[:i] for i in reversed(ends) if text[:i] in by_name), None)
        if name is None:
            raise UnknownVariable(
                f"no variable is named {text[: ends[0]]!r}; there are {quote(list(by_name))}."
            )
        if name in found:
            raise SettingsError(f"{name!r} is given twice.")
        found[name] = _state(by_name[name], text[len(name) + 1 :])
    return found


def _state(variable: Variable, text: str) -> State:
    """Return the state that a text means: by its label, or a number that lies in a bin or is a value."""
    for state in variable.states:
        if str(state) == text:
            return state
    try:
        number = float(text)
    except ValueError:
        number = None
    if number is not None:
        if variable.cuts or variable.continuous:
            return number
        for state in variable.states:
            if isinstance(state, (int, float)) and not isinstance(state, bool) and state == number:
                return state
    if variable.continuous:
        raise SettingsError(f"{variable.name!r} is a number, and {text!r} is none; give one, such as 1.5.")
    raise SettingsError(
        f"{variable.name!r} has no state {text!r}; it has {quote([str(state) for state in variable.states])}."
    )
