"""From what people write, names or positions, to positions."""

from __future__ import annotations

from collections.abc import Iterable, Set
from typing import TYPE_CHECKING, Any

from graphoid.data.variables import position
from graphoid.errors import SettingsError
from graphoid.logic.assertion import Assertion

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graphoid.logic.source import Question


class Resolver:
    """Turns a question into positions and checks that it makes sense."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names
        self._index = {name: i for i, name in enumerate(names)}

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
        ix, iy = self._position(x), self._position(y)
        iz = tuple(self._position(z) for z in given)
        if isinstance(given, Set):
            iz = tuple(sorted(iz))
        if ix == iy:
            raise SettingsError(f"asked whether {self._names[ix]!r} is independent of itself; x and y must differ.")
        for i, z in enumerate(iz):
            if z in (ix, iy):
                raise SettingsError(f"{self._names[z]!r} is asked about and also given; it can only be one of both.")
            if z in iz[:i]:
                raise SettingsError(f"{self._names[z]!r} is given twice.")
        return ix, iy, iz

    def _position(self, variable: int | str) -> int:
        found = self._index.get(variable) if isinstance(variable, str) else None
        return position(variable, self._names) if found is None else found
