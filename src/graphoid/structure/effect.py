"""How strongly two variables go together: a size with its interval, and a weight where there is a sign."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from graphoid.structure import plain

if TYPE_CHECKING:
    from collections.abc import Mapping

    from graphoid.structure.graph import Edge


MATTERS = 0.1
"""Size from which on an effect matters: of two even binary columns an odds ratio of 1.5, of two normal ones a
partial correlation of .1, small by Cohen's table."""


class Effect(NamedTuple):
    """How strongly two variables go together given their blankets, with intervals of 95 %."""

    size: float
    """From 0 on; where there is a weight, its amount."""
    low: float
    high: float
    weight: float | None = None
    """Signed, where both variables are continuous, ordered or have two states; else None."""
    weight_low: float | None = None
    weight_high: float | None = None


def effect_rows(effects: Mapping[Edge, Effect]) -> list[list[float | None]]:
    """Return a row for every pair: its two positions, and its numbers."""
    return [[*pair, *effect] for pair, effect in effects.items()]


def effect_mapping(rows: object, n: int) -> dict[Edge, Effect]:
    """Return the effects of pairs of ``n`` variables that :func:`effect_rows` wrote."""
    found = {}
    for x, y, size, low, high, *signed in map(plain.items, plain.items(rows)):
        numbers = [float(plain.number(value)) for value in (size, low, high)]
        weights = [plain.optional(plain.number, value) for value in signed]
        found[plain.whole(x, n), plain.whole(y, n)] = Effect(*numbers, *weights)
    return found
