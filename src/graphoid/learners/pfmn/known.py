"""What is known of pairs of variables, as a population of graphs sees it."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from graphoid.learners.pfmn.population import Evidence, Graphs, Pair, pairs
from graphoid.learners.pfmn.proofs import Bounds

if TYPE_CHECKING:
    from graphoid.structure.knowledge import KnownPairs

USUAL = math.log(0.25) - math.log(0.75)
"""Log odds of a pair in the sparse prior, whose density is uniform up to one half."""


@dataclass(frozen=True)
class KnownGraphs:
    """Bounds that every graph keeps to, and what is said of pairs within them."""

    bounds: Bounds
    stated: tuple[Evidence, ...] = ()
    """The probability of a pair, as the answer to a test given all others, which only its edge decides."""

    @classmethod
    def of(cls, n: int, known: KnownPairs | None) -> KnownGraphs:
        """Return what is known of ``n`` variables."""
        bounds = Bounds.of(n)
        if known is None:
            return cls(bounds)
        upper = tuple(
            mask & ~apart for mask, apart in zip(bounds.upper, known.forbidden.adjacency, strict=True)
        )
        everyone = (1 << n) - 1
        stated = tuple(
            Evidence(x, y, everyone & ~(1 << x | 1 << y), USUAL - odds)
            for (x, y), odds in sorted(known.log_odds.items())
        )
        return cls(replace(bounds, lower=known.required.adjacency, upper=upper), stated)

    @property
    def free(self) -> list[Pair]:
        """The pairs that may be joined or not."""
        return [(x, y) for x, y in pairs(len(self.bounds.lower)) if self.is_free(x, y)]

    def is_free(self, x: int, y: int) -> bool:
        """Return whether a pair may be joined or not."""
        return bool((self.bounds.upper[x] & ~self.bounds.lower[x]) >> y & 1)

    def clip(self, graphs: Graphs) -> Graphs:
        """Give all graphs the edges that are known, and take those that are known not to be there."""
        return clip(graphs, self.bounds)


def clip(graphs: Graphs, bounds: Bounds) -> Graphs:
    """Give all graphs the edges that are certain, and take those that are impossible."""
    lower, upper = (np.array(masks, dtype=np.uint64) for masks in (bounds.lower, bounds.upper))
    return np.asarray((graphs | lower) & upper)
