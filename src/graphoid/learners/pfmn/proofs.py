r"""What answers prove about a graph: edges that are certain, pairs that cannot be edges, and what follows.

All that is believed is kept between two graphs: the true one has every edge of ``lower`` and none outside
``upper``.

- A set S that separates x and y in ``upper`` separates them in truth; a path in ``lower`` that avoids S joins
  them.
- x and y connected given T are connected given every subset of T; so answers that say "dependent" connect
  pieces.
- If x and y are independent given S, everything connected to x given S is apart from everything connected to
  y given S: all these pairs leave ``upper``.
- If x and y are dependent given S, the truth has a path between them in ``upper`` without S. An edge that all
  such paths take is certain; a variable that all take is connected to both; one that none takes may be given
  as well.
- If x and y are independent given S, a member of S that ``upper`` keeps from x or from y need not be given.

Strong Union and both triangle rules of [Bromberg2009]_ are among these. When both graphs are equal, the graph
is proved, in reliance on faithfulness only.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import compress
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from graphoid.counts.native import kernels
from graphoid.learners.pfmn.population import MOST_VARIABLES, Pair, columns
from graphoid.logic.sets import members
from graphoid.structure.separation import reachable, separated

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from graphoid.logic.verdict import Fact


class Apart(NamedTuple):
    """x and y are independent given ``given``, of which only what is needed is kept."""

    x: int
    y: int
    given: int
    fact: Fact


class Together(NamedTuple):
    """All members of ``group`` are connected given ``given``, of which all that may be is in it."""

    x: int
    y: int
    given: int
    group: int
    fact: Fact


@dataclass(frozen=True)
class Bounds:
    """What is proved so far; adding a fact gives new bounds."""

    lower: tuple[int, ...]
    upper: tuple[int, ...]
    """Masks of neighbors: by certain edges, and by possible ones."""
    apart: tuple[Apart, ...] = ()
    together: tuple[Together, ...] = ()
    """The facts that the two graphs do not say already, as far as they have been made to reach."""
    reasons: tuple[tuple[Pair, Fact], ...] = ()
    """For every pair that is decided, the fact that did it."""

    @classmethod
    def of(cls, n: int) -> Bounds:
        """Return the bounds before anything is known: no edge, and every edge."""
        return cls((0,) * n, tuple((1 << n) - 1 & ~(1 << x) for x in range(n)))

    @property
    def undecided(self) -> list[Pair]:
        """Pairs that may or may not be edges."""
        return [
            (x, y)
            for x, (lower, upper) in enumerate(zip(self.lower, self.upper, strict=True))
            for y in members((upper & ~lower) >> (x + 1) << (x + 1))
        ]

    def answer(self, x: int, y: int, given: int) -> bool | None:
        """Return whether x and y must be independent; None where that does not follow."""
        if separated(self.upper, x, y, given):
            return True
        with_x, with_y = _component(self, x, given), _component(self, y, given)
        if with_x >> y & 1:
            return False
        for a in self.apart:
            # what was apart given less is so given more
            if not a.given & ~given and (with_x >> a.x & with_y >> a.y | with_x >> a.y & with_y >> a.x) & 1:
                return True
        return None

    def add(self, fact: Fact) -> Bounds:
        """Return the bounds with one more fact and all that follows from it by these rules.

        A fact that contradicts what is certain changes nothing where it does: what came first stands.
        """
        if fact.independent:
            known = replace(self, apart=(*self.apart, Apart(fact.x, fact.y, fact.bits, fact)))
        else:
            group = 1 << fact.x | 1 << fact.y
            known = replace(self, together=(*self.together, Together(fact.x, fact.y, fact.bits, group, fact)))
        # the facts of before have been made to reach as far as the possible edges let them
        return _tighten(known, n_settled=len(self.together))


class _Working:
    """Bounds while they are changed."""

    def __init__(self, bounds: Bounds) -> None:
        self.lower, self.upper = list(bounds.lower), list(bounds.upper)
        self.apart, self.together = list(bounds.apart), list(bounds.together)
        self.reasons = list(bounds.reasons)

    def part(self, x: int, y: int, fact: Fact) -> None:
        self.upper[x] &= ~(1 << y)
        self.upper[y] &= ~(1 << x)
        self.reasons.append(((min(x, y), max(x, y)), fact))

    def join(self, x: int, y: int, fact: Fact) -> None:
        self.lower[x] |= 1 << y
        self.lower[y] |= 1 << x
        self.reasons.append(((min(x, y), max(x, y)), fact))


def _component(known: Bounds | _Working, x: int, given: int) -> int:
    """Return the mask of what is certainly connected to x given others."""
    found, last = 1 << x, 0
    while found != last:
        last = found
        for v in members(found):
            found |= known.lower[v] & ~given
        for t in known.together:
            if t.group & found and not given & ~t.given:
                found |= t.group
    return found


def _tighten(known: Bounds, n_settled: int) -> Bounds:
    """Apply the rules until nothing changes; what follows for the first ``n_settled`` together is known."""
    native = kernels()
    if native is None or len(known.lower) > MOST_VARIABLES:
        return _tighten_plainly(known, n_settled)
    lower, upper, needed, apart_open, given, group, together_open, decided = native.tighten_bounds(
        _words(known.lower),
        _words(known.upper),
        *columns(known.apart),
        *columns(known.together),
        _words([t.group for t in known.together]),
        n_settled,
    )
    left = compress(zip(known.apart, needed.tolist(), strict=True), apart_open)
    apart = (a if a.given == z else a._replace(given=z) for a, z in left)
    kept = compress(zip(known.together, given.tolist(), group.tolist(), strict=True), together_open)
    together = (t if (t.given, t.group) == (z, g) else t._replace(given=z, group=g) for t, z, g in kept)
    reasons = [
        ((min(x, y), max(x, y)), (known.together if joined else known.apart)[i].fact)
        for x, y, joined, i in decided.reshape(-1, 4).tolist()
    ]
    masks = tuple(lower.tolist()), tuple(upper.tolist())
    return Bounds(*masks, tuple(apart), tuple(together), (*known.reasons, *reasons))


def _tighten_plainly(bounds: Bounds, n_settled: int) -> Bounds:
    """Do the same without a kernel."""
    w = _Working(bounds)
    under = [bounds.upper] * n_settled + [()] * (len(w.together) - n_settled)
    changed = True
    while changed:
        changed = False
        for i, a in enumerate(w.apart):
            w.apart[i] = _drop_needless(a, w.upper)
            changed |= w.apart[i] != a
            changed |= _part_sides(w, w.apart[i])
        for i, t in enumerate(w.together):
            upper = tuple(w.upper)
            if under[i] == upper or separated(upper, t.x, t.y, t.given):
                continue  # nothing new, or contradicted by what came first
            w.together[i], under[i] = _extend(t, upper), upper
            changed |= w.together[i] != t
            changed |= _join_bridges(w, w.together[i])
    # what the two graphs say by themselves need not be looked at again
    apart = tuple(a for a in w.apart if not separated(w.upper, a.x, a.y, a.given))
    together = tuple(t for t in w.together if separated(w.lower, t.x, t.y, t.given))
    return Bounds(tuple(w.lower), tuple(w.upper), apart, together, tuple(w.reasons))


def _words(masks: Sequence[int]) -> NDArray[np.uint64]:
    return np.array(masks, dtype=np.uint64)


def _drop_needless(a: Apart, upper: Sequence[int]) -> Apart:
    """Leave out of what is given all that no possible path between x and y goes through."""
    given = a.given
    for v in members(given):
        reached = reachable(upper, v, given & ~(1 << v))
        if not reached >> a.x & reached >> a.y & 1:
            given &= ~(1 << v)
    return a._replace(given=given)


def _part_sides(w: _Working, a: Apart) -> bool:
    """Take all pairs across an independence out of what is possible; return whether there were any."""
    side, other = _component(w, a.x, a.given), _component(w, a.y, a.given)
    crossing = [(v, u) for v in members(side) for u in members(w.upper[v] & ~w.lower[v] & other)]
    for v, u in crossing:
        w.part(v, u, a.fact)
    return bool(crossing)


def _extend(t: Together, upper: Sequence[int]) -> Together:
    """Give all that no possible path between x and y goes through, and group what all of them go through."""
    everything = (1 << len(upper)) - 1
    given = everything & ~reachable(upper, t.x, t.given)
    group = 1 << t.x | 1 << t.y
    for v in members(everything & ~given):
        without = given | 1 << v
        start = t.y if v == t.x else t.x
        kept = reachable(upper, start, without) | 1 << v
        if v not in (t.x, t.y) and not kept >> t.y & 1:
            group |= 1 << v
            kept |= reachable(upper, t.y, without)
        given |= everything & ~kept
    return t._replace(given=given, group=group)


def _join_bridges(w: _Working, t: Together) -> bool:
    """Make edges certain that every possible path takes; return whether there were any."""
    found = False
    for v in members(t.group):
        for u in members(w.upper[v] & ~w.lower[v] & t.group & ~((2 << v) - 1)):
            without = w.upper.copy()
            without[v] &= ~(1 << u)
            without[u] &= ~(1 << v)
            if separated(without, t.x, t.y, t.given):
                w.join(v, u, t.fact)
                found = True
    return found
