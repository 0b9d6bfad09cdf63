"""Populations of graphs in plain Python: what ``population.cpp`` and ``moves.cpp`` must do, step by step.

A graph is a list of masks, one for each variable, as in :mod:`graphoid.structure.separation`. Random numbers
are counted streams (SplitMix64, [Steele2014]_), one for each graph, so that neither the order of the graphs
nor the number of threads has a say.
"""

from __future__ import annotations

import math
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

from graphoid.logic.sets import members
from graphoid.structure.separation import reachable, separated

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Pair = tuple[int, int]

TIE = 1e-12
"""Scores nearer to each other than this are equal but for rounding; the first of them wins."""

_WORD = (1 << 64) - 1


class Asked(NamedTuple):
    """A test, the mask of what was given, and log P(d | independent) - log P(d | dependent)."""

    x: int
    y: int
    given: int
    gain: float


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


def move(
    graph: list[int],
    asked: Sequence[Asked],
    room: Sequence[Pair],
    log_prior: Sequence[float],
    *,
    alpha: float,
    steps: int,
    enough: int,
    key: int,
) -> int:
    """Move a graph by Metropolis steps until enough are accepted (Algorithm 3, lines 10-13); return how many.

    A step flips every pair in ``room`` with probability ``alpha``; one that flips none counts as accepted.
    """
    stream = Stream(key)
    apart = [separated(graph, t.x, t.y, t.given) for t in asked]
    edges = sum(bits.bit_count() for bits in graph) // 2
    accepted = 0
    for step in range(steps if room else 0):
        if accepted >= enough:
            return step
        flipped = _flipped(stream, alpha, len(room))
        if not flipped:
            accepted += 1
            continue
        cut = [graph[room[p][0]] >> room[p][1] & 1 for p in flipped]
        for p in flipped:
            flip(graph, *room[p])
        now = edges + len(cut) - 2 * sum(cut)
        delta = log_prior[now] - log_prior[edges]
        changed = []
        for i, t in enumerate(asked):
            # what is apart stays so unless edges are added, what is not unless some are cut
            if all(cut) if apart[i] else not any(cut):
                continue
            if separated(graph, t.x, t.y, t.given) != apart[i]:
                delta += -t.gain if apart[i] else t.gain
                changed.append(i)
        if math.log(stream.uniform()) < delta:
            accepted += 1
            edges = now
            for i in changed:
                apart[i] = not apart[i]
        else:
            for p in flipped:
                flip(graph, *room[p])
    return steps if room else 0


def _flipped(stream: Stream, alpha: float, n: int) -> list[int]:
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


def walk(
    graph: list[int],
    asked: Sequence[Asked],
    room: Sequence[Pair],
    log_prior: Sequence[float],
    *,
    steps: int,
    key: int,
) -> None:
    """Move a graph by Metropolis-Hastings steps, of four kinds with the same probability.

    An edge in ``room`` is cut; a pair in it is joined; an edge is taken from one of its ends to any other
    variable; or to a neighbor of this end, so that what it connected stays connected. A step that has nothing
    to choose from leaves the graph as it is.
    """
    stream = Stream(key)
    partners = [0] * len(graph)
    for x, y in room:
        partners[x] |= 1 << y
        partners[y] |= 1 << x

    def ends(u: int, near: int) -> list[int]:
        return list(members(partners[u] & ~graph[u] & near))

    for _ in range(steps):
        kind = ("cut", "join", "turn", "slide")[stream.below(4)]
        edges = [(x, y) for x, y in room if graph[x] >> y & 1]
        gaps = [(x, y) for x, y in room if not graph[x] >> y & 1]
        choices = gaps if kind == "join" else edges
        if not choices:
            continue
        pair = choices[stream.below(len(choices))]
        before, flips = log_posterior(graph, asked, log_prior), [pair]
        if kind in ("turn", "slide"):
            u, v = pair[::-1] if stream.below(2) else pair
            to = ends(u, graph[v] if kind == "slide" else ~0)
            if not to:
                continue
            w = to[stream.below(len(to))]
            flips.append((u, w))
        for p in flips:
            flip(graph, *p)
        # how many more choices there were than there are for the way back
        if kind in ("cut", "join"):
            ratio = len(choices) / (1 + len(edges if kind == "join" else gaps))
        else:
            ratio = len(to) / len(ends(u, graph[w] if kind == "slide" else ~0))
        gained = log_posterior(graph, asked, log_prior) - before
        if not math.log(stream.uniform()) < gained + math.log(ratio):
            for p in flips:
                flip(graph, *p)


def log_posterior(graph: Sequence[int], asked: Sequence[Asked], log_prior: Sequence[float]) -> float:
    """Return the log prior of a graph and what the answers add to it (Eq. 4)."""
    edges = sum(bits.bit_count() for bits in graph) // 2
    return log_prior[edges] + sum(t.gain for t in asked if separated(graph, t.x, t.y, t.given))


def repair(
    graph: list[int], asked: Sequence[Asked], room: Sequence[Pair], *, sure: float, rounds: int, key: int
) -> int:
    """Change a graph until no sure answer contradicts it; return how many still do.

    Each round takes one answer that is contradicted. Where it says dependent, a pair in ``room`` is joined
    that connects the two sides, or one of them to a third; where it says independent, an edge in ``room`` of
    the part that holds both variables is cut.
    """
    stream = Stream(key)
    for round_ in range(rounds + 1):
        wrong = [
            t for t in asked if abs(t.gain) >= sure and separated(graph, t.x, t.y, t.given) != (t.gain > 0)
        ]
        if not wrong or round_ == rounds:
            break
        t = wrong[stream.below(len(wrong))]
        part = reachable(graph, t.x, t.given)
        if t.gain > 0:
            choice = [(x, y) for x, y in room if graph[x] >> y & 1 and part >> x & part >> y & 1]
        else:
            other = reachable(graph, t.y, t.given)
            rest = ~(part | other | t.given)
            choice = _across(room, part, other) or _across(room, part | other, rest)
        if choice:
            flip(graph, *choice[stream.below(len(choice))])
    return len(wrong)


def _across(room: Sequence[Pair], a: int, b: int) -> list[Pair]:
    return [(x, y) for x, y in room if (a >> x & b >> y | a >> y & b >> x) & 1]


def smallest_separator(graph: Sequence[int], x: int, y: int) -> int:
    """Return a smallest set that separates x and y once their edge is taken away, the one nearest to x.

    By Menger's theorem there are as many paths without a common variable. Every variable has an entrance and
    an exit; a path may go back through what an earlier one uses, and undoes it.
    """
    used = 0
    entered_from: dict[int, int] = {}
    while True:
        parent: dict[tuple[int, bool], tuple[int, bool]] = {}
        queue = [(x, True)]  # a variable, and whether this is its exit
        last = None
        for node in queue:
            v, is_exit = node
            if is_exit:
                around = graph[v] & ~(1 << x) & ~((1 << y) if v == x else 0)
                if around >> y & 1:
                    last = node
                    break
                steps = [(w, False) for w in members(around)] + [(v, False)] * (used >> v & 1)
            elif not used >> v & 1:
                steps = [(v, True)]
            else:
                steps = [(entered_from[v], True)] if entered_from[v] != x else []
            for step in steps:
                if step not in parent:
                    parent[step] = node
                    queue.append(step)
        if last is None:
            return sum(1 << v for v, is_exit in parent if not is_exit and (v, True) not in parent)
        node, before = (y, False), last
        while True:
            if before[0] == node[0]:
                used ^= 1 << node[0]
            elif before[1] and node[0] != y:
                entered_from[node[0]] = before[0]
            if before == (x, True):
                break
            node, before = before, parent[before]


class Climbed(NamedTuple):
    """Where the search for a conditioning set ended."""

    given: int
    score: float


def climb(
    scores: Callable[[Sequence[int]], Sequence[float]], others: Sequence[int], most_flips: int
) -> Climbed:
    """Climb over conditioning sets from the empty one, by 1, 2, ... flips (Algorithm 2, lines 5-15).

    Parameters
    ----------
    scores
        Gives the scores of conditioning sets, masks all.
    others
        The variables that may be given.
    most_flips
        K; a larger number of flips is tried only while the empty set is a local maximum.
    """
    best = Climbed(0, scores([0])[0])
    for k in range(1, min(most_flips, len(others)) + 1):
        if best.given:
            break
        flips = [sum(1 << v for v in chosen) for chosen in combinations(others, k)]
        moved = True
        while moved:
            moved = False
            neighbors = [best.given ^ flip for flip in flips]
            for given, score in zip(neighbors, scores(neighbors), strict=True):
                if score > best.score + TIE:
                    best, moved = Climbed(given, score), True
    return best
