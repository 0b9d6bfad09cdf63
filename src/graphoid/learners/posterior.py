r"""The posterior over graphs: how probable each edge is, by a Markov chain that never stands still.

A graph has probability :math:`\pi(G) \propto \exp(s(G) / c)`, with :math:`s` its score, prior included, and c how
often a score counts the evidence for one edge (:attr:`graphoid.scores.base.Score.evidence_counts`): a
pseudo-likelihood hears of an edge from both its ends, and taken at its word would be twice as sure as it may be.

The chain moves in continuous time. From a graph every edge i is flipped at the rate :math:`\sigma(g_i)`, with
:math:`g_i` the logarithm of the ratio of probabilities after and before and :math:`\sigma` the logistic function,
which balances the flows (:math:`\pi(G)\,\sigma(g) = \pi(G')\,\sigma(-g)`), so that :math:`\pi` is where it
settles. It stays for a mean time of one over the sum of all rates; that time, not a number of rejected proposals,
is the weight of the graph.

All gains are at hand at every moment, so that an edge's probability is not estimated by how often it was there
but by the mean of :math:`\sigma(\pm g_i)`, its probability given all other edges: the same mean, and far less noise.

Several chains run side by side at rising temperatures and swap places (parallel tempering), so that the coldest,
which is the one that counts, gets from one peak to another through the valleys that the hotter ones cross.
"""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from graphoid.errors import SettingsError
from graphoid.learners.climbing import Slope
from graphoid.learners.scoring import Found, ScoreLearner, Task, start_graph
from graphoid.learners.search import Search, candidates
from graphoid.progress import Step, tell
from graphoid.structure.graph import UndirectedGraph

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from graphoid.progress import Listener
    from graphoid.structure.graph import Edge

TEMPERATURES = (1.0, 1.3, 1.7)
"""Of the chains that swap places: near enough to each other that they often do."""

JUMPS = 10.0
"""Flips of the hottest chain between two swaps."""

BURN_IN = 0.2
"""Share of a run that is not counted."""


class Chain:
    """A graph that changes at random, and the time it spends as each.

    Parameters
    ----------
    slope
        Where it is, and the gain of every flip.
    scale
        What a gain of the score is divided by: the evidence count times the temperature.
    """

    def __init__(self, slope: Slope, scale: float) -> None:
        self.slope = slope
        self.scale = scale
        self.jumps = 0

    def rate(self) -> float:
        """Return how many flips are to be expected in a unit of time."""
        return float(_logistic(self.slope.gains / self.scale).sum())

    def run(self, duration: float, rng: np.random.Generator) -> NDArray[np.float64]:
        """Move for so long; return for every edge the mean over that time of its probability given the others."""
        total = np.zeros(len(self.slope.edges))
        left = duration
        while True:
            rates = _logistic(self.slope.gains / self.scale)
            reached = np.cumsum(rates)
            stay = float(rng.exponential(1.0 / reached[-1])) if reached[-1] > 0 else math.inf
            total += min(stay, left) * np.where(self.slope.there, 1.0 - rates, rates)
            left -= stay
            if left <= 0:
                return total / duration
            self.slope.step(int(np.searchsorted(reached, rng.random() * reached[-1], side="right")))
            self.jumps += 1


class Ladder:
    """Chains at rising temperatures that swap places.

    Parameters
    ----------
    slopes
        One for each temperature, in a state of its own.
    evidence_counts
        Of the score.
    """

    def __init__(self, slopes: list[Slope], evidence_counts: float) -> None:
        self.chains = [
            Chain(slope, evidence_counts * temperature)
            for slope, temperature in zip(slopes, TEMPERATURES, strict=True)
        ]
        self.swaps = 0

    def sample(self, rounds: int, rng: np.random.Generator, progress: Listener | None) -> NDArray[np.float64]:
        """Return the coldest chain's probabilities of every edge, a line for each round after the burn-in."""
        early = max(1, round(BURN_IN * rounds))
        kept = []
        for i in range(early + rounds):
            if i <= early:  # later on, the time may not depend on where the chains are
                duration = JUMPS / max(1e-12, self.chains[-1].rate())
            line = [chain.run(duration, rng) for chain in self.chains][0]
            self._swap(i % 2, rng)
            if i >= early:
                kept.append(line)
            progress = tell(progress, Step("sampling graphs", i + 1, early + rounds))
        return np.array(kept)

    def _swap(self, first: int, rng: np.random.Generator) -> None:
        """Let neighbors on the ladder change places, as probable as their joint probability demands."""
        for colder, hotter in zip(self.chains[first::2], self.chains[first + 1 :: 2], strict=False):
            steeper = 1.0 / colder.scale - 1.0 / hotter.scale
            if math.log(1.0 - rng.random()) < steeper * (hotter.slope.value - colder.slope.value):
                colder.slope, hotter.slope = hotter.slope, colder.slope
                self.swaps += 1


def _logistic(x: NDArray[np.float64]) -> NDArray[np.float64]:
    return 0.5 * (1.0 + np.tanh(0.5 * x))


@dataclass(eq=False)
class Posterior(ScoreLearner):
    """Sample graphs from their posterior distribution: how probable each edge is.

    ``structure_.edge_probabilities`` has the posterior probability of every pair looked at; the graph joins
    those that are more probable than not; ``edges()`` and ``pairs()`` carry probability, inclusion Bayes
    factor and a verdict: present, absent or undecided. ``settings["convergence"]`` says how far to trust it.

    Parameters
    ----------
    score
        What graphs are judged by, with its prior.
    rounds
        Length of each run; between two rounds the chains of a run may swap places.
    runs
        Independent runs, which are averaged and compared.
    start
        A graph or a learned structure for the first run; found by :class:`Search` if None. The others start
        far from it.
    random_state
        Seed; the same seed gives the same numbers.
    """

    _: KW_ONLY
    rounds: int = 300
    runs: int = 2
    start: Any = None
    random_state: Any = None

    def _search(self, task: Task) -> Found:
        scorer, rng, progress = task
        if scorer.n < 2:
            return Found(UndirectedGraph(scorer.names))
        best = start_graph(self.start, scorer) if self.start is not None else None
        if best is None:
            best = Search(self.score, effort="quick")._search(Task(scorer, rng, progress)).graph
        edges = candidates(scorer, [best])
        samples, swaps, jumps = [], 0, 0
        for run in range(self.runs):
            far = [UndirectedGraph(scorer.names, _drawn(edges, scorer.n, rng)) for _ in TEMPERATURES]
            ladder = Ladder(
                [Slope(scorer, best if run == 0 else graph, edges) for graph in far],
                self.score.evidence_counts,
            )
            samples.append(ladder.sample(self.rounds, rng, progress))
            swaps += ladder.swaps
            jumps += sum(chain.jumps for chain in ladder.chains)
        means = [run.mean(axis=0) for run in samples]
        probability = np.mean(means, axis=0)
        apart = float(max((np.ptp(means, axis=0)).max(initial=0.0), 0.0))
        return Found(
            UndirectedGraph(scorer.names, [e for e, p in zip(edges, probability, strict=True) if p > 0.5]),
            probabilities=dict(zip(edges, probability.tolist(), strict=True)),
            more={
                "convergence": {
                    "largest_difference": apart,
                    "r_hat": r_hat(samples),
                    "swaps_per_round": swaps / (self.runs * self.rounds),
                    "jumps": jumps,
                }
            },
        )

    def _check(self) -> None:
        super()._check()
        for name, least in (("rounds", 10), ("runs", 1)):
            value = getattr(self, name)
            if not isinstance(value, int) or isinstance(value, bool) or value < least:
                raise SettingsError(
                    f"Posterior: {name} must be a whole number of at least {least}, not {value!r}."
                )


def _drawn(edges: list[Edge], n: int, rng: np.random.Generator) -> list[Edge]:
    """Return a random part of the edges, about one for each variable."""
    return [edge for edge in edges if rng.random() < min(0.5, n / len(edges))]


def r_hat(samples: list[NDArray[np.float64]]) -> float:
    """Return the largest split potential scale reduction over all edges: near 1 where runs agree ([Gelman1992]_).

    Edges whose probability hardly varies within or between runs are left out.
    """
    halves = [half for run in samples for half in np.array_split(run, 2)]
    length = min(len(half) for half in halves)
    if length < 2:
        return math.nan
    means = np.array([half[:length].mean(axis=0) for half in halves])
    within = np.mean([half[:length].var(axis=0, ddof=1) for half in halves], axis=0)
    between = means.var(axis=0, ddof=1)
    moving = (within > 1e-8) | (between > 1e-6)
    if not moving.any():
        return 1.0
    pooled = (length - 1) / length * within[moving] + between[moving]
    return float(np.sqrt(pooled / np.maximum(within[moving], 1e-12)).max())
