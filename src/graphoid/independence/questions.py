"""From what people write, names or positions, to positions."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, Any

from graphoid.errors import SettingsError
from graphoid.logic.assertion import Assertion
from graphoid.logic.names import Names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graphoid.logic.source import Question


class Resolver:
    """Turns a question into positions and checks that it makes sense."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = Names(names)

    def __call__(self, question: Question) -> tuple[int, int, tuple[int, ...]]:
        """Return (x, y, given) as positions; ``given`` in the order asked, sorted if it came as a set."""
        try:
            bare = isinstance(question, Assertion) and not question.context
            parts: Iterable[Any] = question[:3] if bare else question
            x, y, *rest = parts
            (given,) = rest or ((),)
        except (TypeError, ValueError):
            raise SettingsError(f"{question!r} is not a question; ask (x, y, given).") from None
        if isinstance(given, str) or not isinstance(given, Iterable):
            raise SettingsError(f"given is {given!r}; it must be a list of variables, such as [{given!r}].")
        position = self._names.position
        ix, iy, iz = position(x), position(y), tuple([position(z) for z in given])
        if isinstance(given, AbstractSet):
            iz = tuple(sorted(iz))
        if len({ix, iy, *iz}) < 2 + len(iz):
            self._complain(ix, iy, iz)
        return ix, iy, iz

    def _complain(self, x: int, y: int, given: tuple[int, ...]) -> None:
        names = self._names.all
        if x == y:
            raise SettingsError(f"asked whether {names[x]!r} is independent of itself; x and y must differ.")
        for i, z in enumerate(given):
            if z in (x, y):
                raise SettingsError(
                    f"{names[z]!r} is asked about and also given; it can only be one of both."
                )
            if z in given[:i]:
                raise SettingsError(f"{names[z]!r} is given twice.")
