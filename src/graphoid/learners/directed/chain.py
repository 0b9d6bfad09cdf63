r"""Directed graphs drawn from their posterior: how probable it is that two variables are joined.

A chain goes through pairs of variables again and again, and draws each anew given all others: no arc, one,
or the other, unless that would close a circle. With the gain g of an arc by BDeu and e arcs between the other
of m pairs, its odds are

.. math:: e^{g} \, \frac{e + a}{2 (m - 1 - e + b)}

for either direction: the density of arcs is beta(a, b) a priori and integrated out. Two variables are joined
in the moral graph if they have an arc, or a child in common.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from graphoid.counts.engine import ChainSettings, DirectedEngine
from graphoid.learners.directed.plain import ArcRules, stream_uniform
from graphoid.limits import check_time

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graphoid.scores.families import FamilyScorer
    from graphoid.structure.graph import Edge

HOPELESS = -40.0
"""Log odds below which an arc is never drawn."""


class Joined(NamedTuple):
    """How often pairs were joined in the graphs that a chain drew."""

    probabilities: dict[Edge, float]
    density: float
    """Of arcs: their number by that of pairs, on average."""


def sample_directed(
    scorer: FamilyScorer, parents: Sequence[Sequence[int]], pairs: Sequence[Edge], settings: ChainSettings
) -> Joined:
    """Draw directed graphs from one of them on, by the pairs that may have an arc."""
    ranks = np.argsort(scorer.order).tolist()
    start = [sorted(ranks[p] for p in parents[v]) for v in scorer.order]
    ranked = sorted(tuple(sorted((ranks[x], ranks[y]))) for x, y in pairs)
    if isinstance(scorer.engine, DirectedEngine):
        first, second, shares, density = scorer.engine.directed_chain(scorer.order, start, ranked, settings)
        found = list(zip(first.tolist(), second.tolist(), shares.tolist(), strict=True))
    else:
        found, density = PlainChain(scorer, settings).run(start, ranked)
    order = scorer.order
    named = {(min(order[x], order[y]), max(order[x], order[y])): share for x, y, share in found}
    return Joined(dict(sorted(named.items())), density)


@dataclass(eq=False)
class PlainChain:
    """The chain in plain Python, to which ``native/graphs/directed_chain.cpp`` is held.

    Variables are numbered in the order that decides between equals.
    """

    scorer: FamilyScorer
    settings: ChainSettings
    parents: list[set[int]] = field(default_factory=list, init=False)
    children: list[set[int]] = field(default_factory=list, init=False)

    def run(
        self, start: Sequence[Sequence[int]], pairs: Sequence[Edge]
    ) -> tuple[list[tuple[int, int, float]], float]:
        """Return for pairs how probable it is that they are joined, and the mean density of arcs."""
        n, own = self.scorer.n, self.settings
        self.parents = [set(line) for line in start]
        self.children = [{v for v in range(n) if p in self.parents[v]} for p in range(n)]
        self.known = ArcRules(own.known)
        self.n_pairs, self.n_arcs = n * (n - 1) // 2, sum(map(len, self.parents))
        total = dict.fromkeys(pairs, 0.0)
        more: dict[Edge, int] = {}
        arcs = counter = 0
        for sweep in range(own.sweeps):
            check_time()
            for x, y in pairs:
                joined = self._visit(x, y, stream_uniform(own.key, counter))
                counter += 1
                if sweep >= own.burn_in:
                    total[x, y] += joined
            if sweep >= own.burn_in:
                arcs += self.n_arcs
                for pair in self._joined_pairs().difference(total):
                    more[pair] = more.get(pair, 0) + 1
        kept = max(1, own.sweeps - own.burn_in)
        found = [(x, y, share / kept) for (x, y), share in {**total, **more}.items()]
        return sorted(found), arcs / kept / max(1, self.n_pairs)

    def _visit(self, x: int, y: int, uniform: float) -> float:
        """Draw a pair anew; return how probable it is, given all others, that it is joined."""
        for parent, child in ((x, y), (y, x)):
            if parent in self.parents[child]:
                self._flip(parent, child)
        edges, own = self.n_arcs, self.settings
        usual = math.log((edges + own.a) / (2 * (self.n_pairs - 1 - edges + own.b)))
        prior = self.known.log_odds(x, y, usual)
        log_there, log_back = self._log_odds(x, y, prior), self._log_odds(y, x, prior)
        most = max(0.0, log_there, log_back)
        none, there, back = (math.exp(log - most) for log in (0.0, log_there, log_back))
        point = uniform * (none + there + back)
        if none <= point < none + there:
            self._flip(x, y)
        elif point >= none + there and back > 0:
            self._flip(y, x)
        if self.children[x] & self.children[y]:
            return 1.0
        return (there + back) / (none + there + back)

    def _log_odds(self, parent: int, child: int, prior: float) -> float:
        """Return the log odds of an arc; none where rows cannot carry it, or it would close a circle."""
        scorer, given = self.scorer, tuple(sorted(self.scorer.order[p] for p in self.parents[child]))
        x, y = scorer.order[parent], scorer.order[child]
        few = scorer.configurations(given) * scorer.states[x] <= scorer.rows
        if not few or len(given) >= self.settings.max_parents:
            return -math.inf
        if self.known.parts(self.parents[child], parent, child):
            return -math.inf
        gain = scorer.local(y, tuple(sorted((*given, x)))) - scorer.local(y, given) + prior
        return -math.inf if gain < HOPELESS or self._leads(child, parent) else gain

    def _leads(self, start: int, end: int) -> bool:
        above, seen = [end], {end}
        while above:
            for p in self.parents[above.pop()] - seen:
                if p == start:
                    return True
                seen.add(p)
                above.append(p)
        return False

    def _flip(self, parent: int, child: int) -> None:
        self.parents[child] ^= {parent}
        self.children[parent] ^= {child}
        self.n_arcs += 1 if parent in self.parents[child] else -1

    def _joined_pairs(self) -> set[Edge]:
        found = set()
        for v, own in enumerate(self.parents):
            family = sorted({v, *own})
            found |= {(a, b) for i, a in enumerate(family) for b in family[i + 1 :]}
        return found
