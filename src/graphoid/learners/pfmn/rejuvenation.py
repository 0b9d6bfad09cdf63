r"""What becomes of PFMN's population when one more test is answered.

Two ways, by what the answers are worth, of which each was measured to fail where the other holds.

*Exact answers* are all true, so the better the population stands for the posterior, the fewer are needed. But
graphs that may contradict no answer at all find no way from one to another, and the only ones that always
agree are dense, with nearly everything connected: on 50 variables of average degree 2 the population had 75
edges in place of 50 after 850 answers, and never came back. So each answer weighs a little only, and graphs
walk by moves that also take edges elsewhere. The truth was found after 600 answers, and proved after 715.

*Answers from data* may be wrong, and many an independence is: a population that stands for the posterior
believes them all together, and asks on from there. Where sure answers are forced upon every graph one by one
the accuracy was higher: by about .03 at average degree 2 and 50,000 rows, and .06 at average degree 4 and
5,000.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from graphoid.learners.pfmn import population as particles
from graphoid.structure.separation import separated

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.random import Generator
    from numpy.typing import NDArray

    from graphoid.learners.pfmn.population import Graphs
    from graphoid.learners.pfmn.proofs import Bounds
    from graphoid.learners.pfmn.reference import Asked

MOST_GAIN = 6.0
"""The most that an exact answer weighs: about two edges of 50 variables; 4 and 10 made no difference."""

REPAIRS = 100
"""Rounds that a graph has to come to terms with all sure answers; most need a few."""


def tempered(
    graphs: Graphs,
    asked: Sequence[Asked],
    bounds: Bounds,
    prior: NDArray[np.float64],
    rng: Generator,
    *,
    moves: int,
) -> Graphs:
    """Return graphs within bounds, taken by what the last answer says and moved by what all of them say."""
    graphs = _within(graphs, bounds)
    graphs = graphs[particles.reweighed(graphs, _lightened(asked[-1]), rng)]
    open_ = [_lightened(t) for t in _open(asked, bounds)]
    return particles.walked(graphs, open_, bounds.undecided, prior, rng, steps=moves)


def mended(
    graphs: Graphs,
    asked: Sequence[Asked],
    bounds: Bounds,
    prior: NDArray[np.float64],
    rng: Generator,
    *,
    sure: float,
    moves: int,
) -> Graphs:
    """Return graphs within bounds, changed until no sure answer contradicts them, and moved.

    Graphs that do not come to terms with as many answers as others are replaced by these.
    """
    *_, last = asked
    if abs(last.gain) < sure:
        graphs = graphs[particles.reweighed(graphs, last, rng)]
    room, open_ = bounds.undecided, _open(asked, bounds)
    graphs, wrong = particles.repaired(_within(graphs, bounds), open_, room, rng, sure=sure, rounds=REPAIRS)
    good = np.flatnonzero(wrong == wrong.min())
    bad = np.flatnonzero(wrong > wrong.min())
    graphs[bad] = graphs[good[rng.integers(0, len(good), len(bad))]]
    return particles.moved(graphs, open_, room, prior, rng, alpha=1 / max(2, len(room)), steps=moves)


def _within(graphs: Graphs, bounds: Bounds) -> Graphs:
    """Give all graphs the edges that are certain, and take those that are impossible."""
    lower, upper = (np.array(masks, dtype=np.uint64) for masks in (bounds.lower, bounds.upper))
    return np.asarray((graphs | lower) & upper)


def _lightened(t: Asked) -> Asked:
    return t._replace(gain=max(-MOST_GAIN, min(MOST_GAIN, t.gain)))


def _open(asked: Sequence[Asked], bounds: Bounds) -> list[Asked]:
    """Return the tests that graphs within bounds answer differently."""
    return [t for t in asked if not separated(bounds.upper, *t[:3]) and separated(bounds.lower, *t[:3])]
