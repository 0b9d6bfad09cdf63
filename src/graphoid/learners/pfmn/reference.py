"""Moves of one graph in plain Python: what ``native/graphs/moves.cpp`` must do, step by step.

A graph is a list of masks, one for each variable, as in :mod:`graphoid.structure.separation`. Random numbers
are counted streams (SplitMix64, [Steele2014]_), one for each graph, so that neither the order of the graphs
nor the number of threads has a say.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from graphoid.logic.sets import members
from graphoid.structure.separation import reachable, separated

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graphoid.learners.pfmn.moves import Target
    from graphoid.learners.pfmn.population import Pair

_WORD = (1 << 64) - 1


class Stream:
    """Random words of one key, one after the other."""

    def __init__(self, key: int) -> None:
        self._state = key

    def next(self) -> int:
        """Return the next 64 bits."""
        self._state = self._state + 0x9E3779B97F4A7C15 & _WORD
        z = self._state
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & _WORD
        z = (z ^ z >> 27) * 0x94D049BB133111EB & _WORD
        return z ^ z >> 31

    def uniform(self) -> float:
        """Return a number above 0 and at most 1."""
        return ((self.next() >> 11) + 1) * 2.0**-53

    def below(self, n: int) -> int:
        """Return one of the first n whole numbers."""
        return int((self.next() >> 11) * 2.0**-53 * n)


def flip(graph: list[int], x: int, y: int) -> None:
    """Join two variables, or part them."""
    graph[x] ^= 1 << y
    graph[y] ^= 1 << x


def _flip_all(graph: list[int], flips: Sequence[Pair]) -> None:
    for x, y in flips:
        flip(graph, x, y)


def flip_moves(graph: list[int], target: Target, *, alpha: float, steps: int, enough: int, key: int) -> int:
    """Move a graph by Metropolis steps until enough are accepted (Algorithm 3, lines 10-13); return how many.

    A step flips every free pair with probability ``alpha``; one that flips none counts as accepted.
    """
    stream, free = Stream(key), target.free
    now, accepted = log_posterior(graph, target), 0
    for step in range(steps if free else 0):
        if accepted >= enough:
            return step
        flips = [free[p] for p in _draw_flips(stream, alpha, len(free))]
        if flips:
            _flip_all(graph, flips)
            proposed = log_posterior(graph, target)
            if not math.log(stream.uniform()) < proposed - now:
                _flip_all(graph, flips)
                continue
            now = proposed
        accepted += 1
    return steps if free else 0


def _draw_flips(stream: Stream, alpha: float, n: int) -> list[int]:
    """Return which of n pairs flip; how many stay before the next has a geometric distribution."""
    flipped: list[int] = []
    at = 0.0
    while alpha > 0:
        at += math.floor(math.log(stream.uniform()) / math.log1p(-alpha)) if alpha < 1 else 0
        if at >= n:
            break
        flipped.append(int(at))
        at += 1
    return flipped


def edge_moves(graph: list[int], target: Target, *, steps: int, key: int) -> int:
    """Move a graph by Metropolis-Hastings steps, of four kinds with the same probability; return how many.

    A free edge is removed; a free pair is joined; an edge is turned from one of its ends to any other
    variable; or slides to a neighbor of this end, so that what it connected stays connected. A step that has
    nothing to choose from leaves the graph as it is. The number is that of the steps accepted.
    """
    stream, free = Stream(key), target.free
    partners = [0] * len(graph)
    _flip_all(partners, free)

    def ends(u: int, among: int) -> list[int]:
        return list(members(partners[u] & ~graph[u] & among))

    now, accepted = log_posterior(graph, target), 0
    for _ in range(steps):
        kind = ("remove", "add", "turn", "slide")[stream.below(4)]
        edges = [(x, y) for x, y in free if graph[x] >> y & 1]
        gaps = [(x, y) for x, y in free if not graph[x] >> y & 1]
        choices = gaps if kind == "add" else edges
        if not choices:
            continue
        pair = choices[stream.below(len(choices))]
        flips = [pair]
        if kind in ("turn", "slide"):
            u, v = pair[::-1] if stream.below(2) else pair
            to = ends(u, graph[v] if kind == "slide" else ~0)
            if not to:
                continue
            w = to[stream.below(len(to))]
            flips.append((u, w))
        _flip_all(graph, flips)
        # how many more choices there were than there are for the way back
        if kind in ("remove", "add"):
            ratio = len(choices) / (1 + len(edges if kind == "add" else gaps))
        else:
            ratio = len(to) / len(ends(u, graph[w] if kind == "slide" else ~0))
        proposed = log_posterior(graph, target)
        if math.log(stream.uniform()) < proposed - now + math.log(ratio):
            now, accepted = proposed, accepted + 1
        else:
            _flip_all(graph, flips)
    return accepted


def log_posterior(graph: Sequence[int], target: Target) -> float:
    """Return the log prior of a graph and what the answers add to it (Eq. 4)."""
    edges = sum(bits.bit_count() for bits in graph) // 2
    found = sum(t.log_ratio for t in target.evidence if separated(graph, t.x, t.y, t.given))
    return float(target.log_prior[edges]) + found


def repair(graph: list[int], target: Target, *, sure: float, rounds: int, key: int) -> int:
    """Change a graph until no sure answer contradicts it; return how many still do.

    Each round takes one answer that is contradicted. Where it says dependent, a free pair is joined that
    connects the two sides, or one of them to a third; where it says independent, a free edge of the part that
    holds both variables is removed.
    """
    stream, free = Stream(key), target.free
    certain = [t for t in target.evidence if abs(t.log_ratio) >= sure]
    for round_ in range(rounds + 1):
        wrong = [t for t in certain if separated(graph, t.x, t.y, t.given) != (t.log_ratio > 0)]
        if not wrong or round_ == rounds:
            break
        t = wrong[stream.below(len(wrong))]
        part = reachable(graph, t.x, t.given)
        if t.log_ratio > 0:
            choice = [(x, y) for x, y in free if graph[x] >> y & 1 and part >> x & part >> y & 1]
        else:
            other = reachable(graph, t.y, t.given)
            rest = ~(part | other | t.given)
            choice = _across(free, part, other) or _across(free, part | other, rest)
        if choice:
            flip(graph, *choice[stream.below(len(choice))])
    return len(wrong)


def _across(free: Sequence[Pair], a: int, b: int) -> list[Pair]:
    return [(x, y) for x, y in free if (a >> x & b >> y | a >> y & b >> x) & 1]
