"""The assertion X ⊥ Y | Z, the only kind of question graphoid asks."""

from __future__ import annotations

from typing import NamedTuple

Context = tuple[tuple[int, int], ...]
"""Variables fixed to one state each: ((variable, state), ...)."""


class Assertion(NamedTuple):
    """``x`` is independent of ``y`` given ``given``, within ``context``. Variables are positions."""

    x: int
    y: int
    given: tuple[int, ...] = ()
    context: Context = ()

    @property
    def weight(self) -> int:
        """Number of variables the assertion mentions: the papers' cost of a test, 2 + |given|."""
        return 2 + len(self.given)

    def canonical(self) -> Assertion:
        """Return the same assertion with ``x < y`` and ``given`` sorted."""
        x, y = sorted((self.x, self.y))
        return Assertion(x, y, tuple(sorted(self.given)), tuple(sorted(self.context)))

    def __str__(self) -> str:
        given = f" | {', '.join(map(str, self.given))}" if self.given else ""
        return f"{self.x} ⊥ {self.y}{given}"
