r"""The posterior over graphs: how probable each edge is, by a Markov chain that never stands still.

A graph has probability :math:`\pi(G) \propto \exp(s(G) / c)`, with s its score, prior included, and c how
often a score counts the evidence for one edge (:attr:`graphoid.scores.base.Score.evidence_counts`): a
pseudo-likelihood hears of an edge from both its ends, and taken at its word would be twice as sure as it
may be.

The chain moves in continuous time. From a graph every edge i is flipped at the rate :math:`\sigma(g_i)`, with
:math:`g_i` the log ratio of the probabilities after and before and :math:`\sigma` the logistic function. That
balances the flows, :math:`\pi(G)\,\sigma(g) = \pi(G')\,\sigma(-g)`, so that :math:`\pi` is where it settles
([Zanella2020]_). It stays for a mean time of one over the sum of all rates; that time, not a number of
rejected proposals, is the weight of the graph.

All gains are at hand at every moment, so that an edge's probability is not estimated by how often it was
there but by the mean of :math:`\sigma(\pm g_i)`, its probability given all others: the same mean, less noise.

Several chains run side by side at rising temperatures and swap places (parallel tempering), so that the
coldest, which is the one that counts, gets from one peak to another through valleys that hotter ones cross.
"""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from graphoid.counts.engine import SMALL, refuse_large
from graphoid.learners.scored.base import Found, ScoreLearner, Start, Task, initial_graph
from graphoid.learners.scored.local_search import Neighborhood
from graphoid.learners.scored.screen import candidates
from graphoid.learners.scored.search import Search
from graphoid.limits import OutOfTime
from graphoid.progress import Step, tell
from graphoid.settings import PROBABILITY, Allowed, Number, RandomState
from graphoid.structure.graph import Edge, UndirectedGraph

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray


TEMPERATURES = (1.0, 1.3, 1.7)
"""Of the chains that swap places: near enough to each other that they often do."""

JUMPS = 10.0
"""Flips of the hottest chain between two swaps."""

SLOWEST = 1e-3
"""Flips in a unit of time of the slowest place that sets how long a round is."""

BATCHES = 10
"""Of a run, whose means are compared."""

SURPRISE = 3.0
"""Standard errors by which the means of runs may differ: with many edges, some do."""


@dataclass
class Chain:
    """A graph that changes at random, and the time it spends as each."""

    at: Neighborhood
    """Where it is, and the gain of every flip."""
    scale: float
    """What a gain of the score is divided by: the evidence count times the temperature."""
    jumps: int = 0

    def rates(self) -> NDArray[np.float64]:
        """Return how often each edge is to be flipped in a unit of time."""
        rates: NDArray[np.float64] = 0.5 * (1.0 + np.tanh(0.5 * (self.at.gains / self.scale)))
        return rates

    def run(self, duration: float, rng: np.random.Generator) -> NDArray[np.float64]:
        """Jump for so long; return the mean over that time of every edge's probability given the others."""
        total = np.zeros(len(self.at.edges))
        left = duration
        while True:
            rates = self.rates()
            reached = np.cumsum(rates)
            stay = float(rng.exponential(1.0 / reached[-1])) if reached[-1] > 0 else math.inf
            total += min(stay, left) * np.where(self.at.present, 1.0 - rates, rates)
            left -= stay
            if left <= 0:
                return total / duration
            self.at.flip(int(np.searchsorted(reached, rng.random() * reached[-1], side="right")))
            self.jumps += 1


class Ladder:
    """Chains at rising temperatures that swap places and have left their starts behind.

    Parameters
    ----------
    task
        The score, and what drives the chains.
    edges
        Those that are flipped.
    start
        The graph of every chain at first; if None, one is drawn for each.
    warm_up
        Rounds after which the start is forgotten.
    """

    def __init__(self, task: Task, edges: list[Edge], start: UndirectedGraph | None, warm_up: int) -> None:
        scorer, self.rng, *_ = task
        self.chains = []
        """One for each temperature, the coldest first."""
        share = min(0.5, scorer.n / max(1, len(edges)))  # about one edge for each variable
        for temperature in TEMPERATURES:
            graph = scorer.graph([edge for edge in edges if self.rng.random() < share])
            at = Neighborhood(scorer, graph if start is None else start, edges)
            self.chains.append(Chain(at, scorer.score.evidence_counts * temperature))
        self.swaps = 0
        fastest = SLOWEST
        for _ in range(warm_up):
            # Fixed before a round: a duration that depended on where the chains are would favor slow places.
            # By the fastest so far: a long round that went from a slow place to a fast one would hardly end.
            fastest = max(fastest, float(self.chains[-1].rates().sum()))
            self.duration = JUMPS / fastest
            self.sample(1)
        self.swaps = 0

    def sample(self, rounds: int) -> NDArray[np.float64]:
        """Return the coldest chain's probabilities of every edge, a line for each round."""
        lines = []
        for _ in range(rounds):
            coldest, *_ = [chain.run(self.duration, self.rng) for chain in self.chains]
            lines.append(coldest)
            for colder, hotter in pairwise(self.chains):
                steeper = 1.0 / colder.scale - 1.0 / hotter.scale
                if math.log(1.0 - self.rng.random()) < steeper * (hotter.at.value - colder.at.value):
                    colder.at, hotter.at = hotter.at, colder.at
                    self.swaps += 1
        return np.array(lines)


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
    precision
        Sample until the standard error of every edge's probability is at most this, and independent runs
        differ by no more than goes with it.
    rounds
        Between two looks at that; the chains of a run may swap places after each.
    max_rounds
        Stop there in any case, with ``stopped`` "max_steps".
    runs
        Independent runs, which are compared and averaged.
    start
        A graph or a learned structure for the first run; found by :class:`Search` if None. The others start
        far from it.
    seconds
        Stop after so much time, with the probabilities so far; ``stopped`` is then "budget".
    random_state
        Seed; the same seed gives the same numbers.
    """

    _: KW_ONLY
    precision: float = 0.003
    rounds: int = 200
    max_rounds: int = 40_000
    runs: int = 2
    start: Start = None
    random_state: RandomState = None

    allowed: ClassVar[Mapping[str, Allowed]] = {
        **ScoreLearner.allowed,
        "precision": PROBABILITY,
        "rounds": Number(least=10, whole=True),
        "max_rounds": Number(least=10, whole=True),
        "runs": Number(least=1, whole=True),
    }

    def search(self, task: Task) -> Found:
        """Sample until the probabilities are known well enough; the graph has the probable edges."""
        scorer, rng, progress, _ = task
        if scorer.n < 2:
            return Found(UndirectedGraph(scorer.names))
        if self.start is not None:
            best = initial_graph(self.start, task)
        else:
            best = Search(self.score, effort="quick").search(Task(scorer, rng, progress)).graph
        edges = candidates(scorer, [best])
        if not edges:
            return Found(best)
        progress = tell(progress, Step("sampling graphs", 0, self.max_rounds, best))
        ladders = [
            Ladder(task._replace(rng=own), edges, best if run == 0 else None, warm_up=self.rounds // 2)
            for run, own in enumerate(rng.spawn(self.runs))
        ]
        samples = [np.zeros((0, len(edges))) for _ in ladders]
        error, stopped = math.inf, "max_steps"
        try:
            while error > self.precision and len(samples[0]) < self.max_rounds:
                n_bytes = 16.0 * len(samples) * (len(samples[0]) + self.rounds) * len(edges)
                if n_bytes > SMALL:
                    refuse_large(f"samples of {len(edges):,} pairs", n_bytes, "Ask for less precision")
                samples = [
                    np.vstack([kept, ladder.sample(self.rounds)])
                    for kept, ladder in zip(samples, ladders, strict=True)
                ]
                error = standard_error(samples)
                progress = tell(progress, Step("sampling graphs", len(samples[0]), self.max_rounds, best))
        except OutOfTime:
            if not math.isfinite(error):
                raise
            stopped = "budget"
        means = np.array([kept.mean(axis=0) for kept in samples])
        probability = means.mean(axis=0)
        convergence = {
            "standard_error": error,
            "largest_difference": float(np.ptp(means, axis=0).max()),
            "r_hat": r_hat(samples),
            "rounds": len(samples[0]),
            "swaps_per_round": sum(ladder.swaps for ladder in ladders) / (len(ladders) * len(samples[0])),
            "jumps": sum(chain.jumps for ladder in ladders for chain in ladder.chains),
        }
        return Found(
            scorer.graph([e for e, p in zip(edges, probability, strict=True) if p > 0.5]),
            stopped="converged" if error <= self.precision else stopped,
            probabilities=dict(zip(edges, probability.tolist(), strict=True)),
            more={"convergence": convergence},
        )


def standard_error(samples: list[NDArray[np.float64]]) -> float:
    """Return the largest standard error of an edge's probability, the mean over runs.

    By means of batches, which grow with the run and so become independent; where runs differ by more than
    :data:`SURPRISE` standard errors, they have not met yet, and their difference is what counts.
    """
    batches = [[batch.mean(axis=0) for batch in np.array_split(run, BATCHES)] for run in samples]
    within = np.var(batches, axis=1, ddof=1).mean(axis=0) / (BATCHES * len(samples))
    between = np.mean(batches, axis=1).var(axis=0, ddof=1) / len(samples) if len(samples) > 1 else 0.0
    return float(np.sqrt(np.maximum(within, between / SURPRISE**2)).max())


def r_hat(samples: list[NDArray[np.float64]]) -> float:
    """Return the largest split potential scale reduction of all edges ([Gelman1992]_).

    It is near 1 where runs, and halves of a run, agree. Edges whose probability hardly varies within or
    between runs are left out.
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
