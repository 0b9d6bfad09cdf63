"""The search over directed graphs in plain Python, to which ``native/graphs/directed.cpp`` is held."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from graphoid.limits import check_time

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from graphoid.counts.engine import DirectedSettings, KnownArcs
    from graphoid.scores.families import FamilyScorer, ParentSet

ROUNDING = 1e-10
"""By how much of its size a score may differ and be the same."""

_WORD = 2**64 - 1


class Step(NamedTuple):
    """A change of one arc: steps of the same gain are taken in the order of what follows."""

    child: int
    parent: int
    change: int
    """1: the arc is added, 2: it is left out, 3: it is reversed."""
    gain: float


ADD, DROP, TURN = 1, 2, 3


@dataclass(eq=False)
class PlainSearch:
    """Walks from graph to graph by the best change of one arc; has the methods of the native search.

    Variables are numbered in the order that decides between equals.
    """

    scorer: FamilyScorer
    settings: DirectedSettings
    value: float = field(default=0.0, init=False)
    """The gain of the graph at hand over the one without arcs."""
    top: float = field(default=0.0, init=False)
    """That of the best graph met."""
    steps: int = field(default=0, init=False)
    falls: int = field(default=0, init=False)
    changed: dict[frozenset[int], int] = field(default_factory=dict, init=False)
    """When a pair last changed."""

    def __post_init__(self) -> None:
        scorer = self.scorer
        self.tolerance = ROUNDING * max(1.0, math.fsum(scorer.entropies))
        self.parents: list[ParentSet] = [()] * scorer.n
        self.known = ArcRules(self.settings.known)
        self.best = list(self.parents)
        everyone = set(range(scorer.n))
        self.candidates = [sorted(everyone - {v}) for v in range(scorer.n)]
        if 0 < self.settings.partners < scorer.n - 1:
            self._choose_candidates()
        for parent, child in self.settings.known.arcs:
            self._take(Step(child, parent, ADD, self._gain(child, parent)))
        self.top, self.best = self.value, list(self.parents)
        self.changed.clear()

    def walk(self, steps: int) -> bool:
        """Take up to so many of the best steps; return False when the walk has ended."""
        for _ in range(steps):
            check_time()
            step = self._best_step()
            if step is None or (step.gain <= self.tolerance and self.falls >= self.settings.patience):
                return False
            self._take(step)
            self.falls += step.gain <= self.tolerance
            if self.value > self.top + self.tolerance:
                self.top, self.best, self.falls = self.value, list(self.parents), 0
        return True

    def reinsert(self, key: int) -> None:
        """Go back to the best graph, take the arcs of one variable out, and put some in again at random."""
        self._restore()
        counter = 0

        def draw(below: int) -> int:
            nonlocal counter
            counter += 1
            return int(stream_uniform(key, counter - 1) * below)

        center = draw(self.scorer.n)
        arcs = [
            (p, v)
            for v, own in enumerate(self.parents)
            for p in own
            if center in (p, v) and not self.known.requires(p, v)
        ]
        for p, v in arcs:
            self._take(Step(v, p, DROP, self._gain(v, p)))
        for _ in arcs:
            p, v = arcs[draw(len(arcs))]
            if draw(2) == 0:
                p, v = v, p
            if p in self.parents[v] or self._reaches(v, p) or self.known.parts(self.parents[v], p, v):
                continue
            if self._gain(v, p) > self.tolerance:
                self._take(Step(v, p, ADD, self._gain(v, p)))
        self.changed.clear()

    def best_parents(self) -> list[list[int]]:
        """Return of the best graph the parents of every column."""
        order = self.scorer.order
        found: list[list[int]] = [[] for _ in order]
        for v, own in enumerate(self.best):
            found[order[v]] = [order[p] for p in own]
        return found

    def gain(self) -> float:
        """Return the gain of the best graph over the one without arcs."""
        return self.top

    def n_steps(self) -> int:
        """Return how many arcs were changed on the way."""
        return self.steps

    def n_terms(self) -> int:
        """Return how many terms of the score were computed."""
        return len(self.scorer.terms)

    def row(self, child: int) -> NDArray[np.float64]:
        """Return of every column what it gains as one more parent, or what its absence gains."""
        self._restore()
        order, gains = self.scorer.order, np.full(self.scorer.n, -np.inf)
        at = order.index(child)
        for x in self.candidates[at]:
            if not self._reaches(at, x):
                gains[order[x]] = self._gain(at, x)
        return gains

    def _restore(self) -> None:
        self.parents, self.value, self.falls = list(self.best), self.top, 0
        self.changed.clear()

    def _local(self, child: int, parents: ParentSet) -> float:
        order = self.scorer.order
        return self.scorer.local(order[child], tuple(sorted(order[p] for p in parents)))

    def _gain(self, child: int, parent: int) -> float:
        """Return what a change of one parent gains; minus infinity where that is not tried."""
        own = self.parents[child]
        if parent not in own and not self._worth_a_look(child, parent, own):
            return -math.inf
        other = tuple(sorted({*own} ^ {parent}))
        prior = self.known.log_odds(child, parent, self.settings.arc_log_odds)
        return self._local(child, other) - self._local(child, own) + (-prior if parent in own else prior)

    def _worth_a_look(self, child: int, parent: int, own: ParentSet) -> bool:
        """Say whether rows can carry so many configurations, and the data could pay for the parameters."""
        scorer, order = self.scorer, self.scorer.order
        if self.known.apart(parent, child):
            return False
        if self.known.requires(parent, child):
            return True
        if parent not in self.candidates[child] or len(own) >= self.settings.max_parents:
            return False
        r, s = scorer.states[order[child]], scorer.states[order[parent]]
        q = scorer.configurations(order[p] for p in own)
        if q * s > scorer.rows:
            return False
        if scorer.ess:
            return True
        left = -(self._local(child, own) + scorer.price * (r - 1) * q)
        cost = scorer.price * (r - 1) * (s - 1) * q
        return cost < min(left, scorer.entropies[order[parent]]) + self.tolerance

    def _reaches(self, start: int, end: int, without: int | None = None) -> bool:
        """Say whether arcs lead from one variable to another, other than from ``without`` to ``end``."""
        above, seen = [p for p in self.parents[end] if p != without], set[int]()
        while above:
            v = above.pop()
            if v == start:
                return True
            if v not in seen:
                seen.add(v)
                above += self.parents[v]
        return False

    def _best_step(self) -> Step | None:
        """Return the step that gains most and is not tabu; of equals, the first."""
        steps = [step for step in self._possible_steps() if not self._tabu(step)]
        if not steps:
            return None
        most = max(step.gain for step in steps)
        return min(step for step in steps if step.gain >= most - self.tolerance)

    def _possible_steps(self) -> list[Step]:
        found = []
        for child, own in enumerate(self.parents):
            for parent in self.candidates[child]:
                gain = self._gain(child, parent)
                if parent not in own:
                    blocked = self._reaches(child, parent) or self.known.parts(own, parent, child)
                    if gain > -math.inf and not blocked:
                        found.append(Step(child, parent, ADD, gain))
                    continue
                if not self.known.requires(parent, child):
                    found.append(Step(child, parent, DROP, gain))
                back = self._gain(parent, child)
                blocked = self._reaches(parent, child, without=parent) or self.known.parts(
                    self.parents[parent], child, parent
                )
                if back > -math.inf and not blocked:
                    found.append(Step(child, parent, TURN, gain + back))
        return found

    def _tabu(self, step: Step) -> bool:
        if self.value + step.gain > self.top + self.tolerance:
            return False
        last = self.changed.get(frozenset((step.parent, step.child)))
        return last is not None and self.steps - last < self.settings.tenure

    def _take(self, step: Step) -> None:
        child, parent, change, gain = step
        self.parents[child] = tuple(sorted({*self.parents[child]} ^ {parent}))
        if change == TURN:
            self.parents[parent] = tuple(sorted({*self.parents[parent], child}))
        self.value += gain
        self.steps += 1
        self.changed[frozenset((parent, child))] = self.steps

    def _choose_candidates(self) -> None:
        """Keep the partners of each variable that gain most as its only parent, in both directions."""
        n, everyone = self.scorer.n, self.candidates
        chosen: list[set[int]] = [set() for _ in range(n)]
        for v in range(n):
            gains = {
                x: self._local(max(v, x), (min(v, x),))
                - self._local(max(v, x), ())
                + self.known.log_odds(v, x, self.settings.arc_log_odds)
                for x in everyone[v]
                if self._worth_a_look(v, x, ()) or self._worth_a_look(x, v, ())
            }
            chosen[v] |= {x for x in gains if self.known.requires(v, x)}
            others = [x for x in gains if not self.known.requires(v, x)]
            for x in sorted(others, key=lambda x: (-gains[x], x))[: self.settings.partners]:
                chosen[v].add(x)
                chosen[x].add(v)
        self.candidates = [sorted(own) for own in chosen]


class ArcRules:
    """What is known of arcs, to be looked up (``native/graphs/known_arcs.hpp``)."""

    def __init__(self, known: KnownArcs) -> None:
        self._required = {frozenset(pair) for pair in known.arcs}
        self._apart = {frozenset(pair) for pair in known.apart}
        self._log_odds = {frozenset((x, y)): odds for x, y, odds in known.log_odds}

    def requires(self, x: int, y: int) -> bool:
        """Return whether there is an arc in one direction or the other."""
        return bool(self._required) and frozenset((x, y)) in self._required

    def apart(self, x: int, y: int) -> bool:
        """Return whether the moral graph does not join two variables."""
        return bool(self._apart) and frozenset((x, y)) in self._apart

    def parts(self, parents: Iterable[int], parent: int, child: int) -> bool:
        """Return whether one more parent would join two that are apart: itself, or by the child."""
        return bool(self._apart) and any(self.apart(p, parent) for p in (child, *parents))

    def log_odds(self, x: int, y: int, usual: float) -> float:
        """Return the log odds of an arc between two variables."""
        return self._log_odds.get(frozenset((x, y)), usual) if self._log_odds else usual


def stream_uniform(key: int, counter: int) -> float:
    """Return a number in [0, 1) of a counted random stream (``native/counting/streams.hpp``)."""
    z = (key + (counter + 1) * 0x9E3779B97F4A7C15) & _WORD
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _WORD
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _WORD
    return ((z ^ (z >> 31)) >> 11) * 2.0**-53
