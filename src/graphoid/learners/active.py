r"""PFMN as it should be: ask for the separators of probable structures, and keep what the answers prove.

The paper's filter ([Margaritis2009]_) asks what divides its population best and stops when the population agrees.
Here the population only guesses. What is certain is kept apart from it, as two graphs that enclose the true one
(:mod:`graphoid.learners.bounds`), and the search ends when these are equal: then the graph is proved.

A pair is decided by a test given a separator of the two. So the candidates are, for every undecided pair and some
graphs of the population, the smallest sets that separate the two once their edge is taken away; a smaller set is
cheaper, and an independence given a small separator parts everything on its two sides at once. Of the candidates
the one is asked whose answer is least certain for its price, :math:`H(Y) / W(Y)^\beta`, with the probability of an
independence taken from the population.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from graphoid.learners import particles
from graphoid.learners.bounds import Bounds
from graphoid.learners.particles import Graphs, Test
from graphoid.learners.reference import Asked
from graphoid.logic.assertion import Assertion
from graphoid.logic.sets import members
from graphoid.logic.verdict import Fact
from graphoid.structure.separation import separated

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.random import Generator
    from numpy.typing import NDArray

    from graphoid.learners.prices import Price
    from graphoid.learners.reference import Pair
    from graphoid.logic.verdict import Verdict


@dataclass(frozen=True)
class State:
    """What the next step needs."""

    graphs: Graphs
    """The population; all weigh the same."""
    bounds: Bounds
    """What the answers prove."""
    asked: tuple[Asked, ...] = ()
    """The tests and what their answers say, in order."""


class Choice(NamedTuple):
    """A test worth asking."""

    test: Test
    independent: float
    """How probable the population takes an independence to be."""
    information: float
    """The entropy of the answer, in nats."""
    price: float


@dataclass(frozen=True, kw_only=True)
class Active:
    """The settings of the search; see :class:`graphoid.PFMN`."""

    n: int
    price: Price
    n_particles: int = 128
    moves: int = 200
    beta: float = 1.0
    sources: int = 12
    """Graphs of the population whose separators are candidates."""
    repairs: int = 400
    """Rounds that a graph has to come to terms with all sure answers."""
    sure: float = 10.0
    """Log ratio of likelihoods from which on an answer is taken as a fact."""
    prior: NDArray[np.float64] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "prior", particles.log_prior(self.n))

    def init(self, rng: Generator) -> State:
        """Return a population drawn from the prior, and bounds that exclude nothing."""
        return State(particles.drawn(self.n, self.n_particles, rng), Bounds.of(self.n))

    def choices(self, rng: Generator, state: State) -> list[Choice]:
        """Return the tests whose answer is not known, the best first."""
        undecided = state.bounds.undecided
        if not undecided:
            return []
        some = state.graphs[rng.permutation(len(state.graphs))[: self.sources]]
        possible = np.array([state.bounds.upper], dtype=np.uint64)
        tests = particles.separators(np.concatenate([np.unique(some, axis=0), possible]), undecided)
        apart = particles.separations(state.graphs, tests).sum(axis=1)
        # half a graph on either side: a population that agrees may still be wrong
        p = (apart + 0.5) / (len(state.graphs) + 1)
        information = -(p * np.log(p) + (1 - p) * np.log1p(-p))
        prices = np.array([self.price(Assertion(t.x, t.y, tuple(members(t.given)))) for t in tests])
        order = np.argsort(-information / prices**self.beta, kind="stable")
        asked = {t[:3] for t in state.asked}
        return [
            Choice(tests[i], float(p[i]), float(information[i]), float(prices[i]))
            for i in order
            if tests[i] not in asked
        ]

    def best(self, choices: Sequence[Choice], state: State, left: float) -> Choice | None:
        """Return the first choice that can be paid for and whose answer does not follow from others."""
        for choice in choices:
            if choice.price <= left and state.bounds.answer(*choice.test) is None:
                return choice
        return None

    def told(self, rng: Generator, state: State, test: Test, verdict: Verdict, gain: float) -> State:
        """Return the state after an answer: new bounds, and a population that agrees with what is sure.

        Parameters
        ----------
        rng, state, test
            As the names say.
        verdict
            The answer.
        gain
            log P(d | independent) - log P(d | dependent).
        """
        state = replace(state, asked=(*state.asked, Asked(*test, gain)))
        if abs(gain) >= self.sure:
            fact = Fact(test.x, test.y, test.given, verdict.independent)
            state = replace(state, bounds=state.bounds.adding(fact))
        return replace(state, graphs=self._renewed(rng, state))

    def _renewed(self, rng: Generator, state: State) -> Graphs:
        """Return the population after the last answer: weighed, mended, resampled and moved."""
        bounds, room = state.bounds, state.bounds.undecided
        *_, last = state.asked
        graphs = state.graphs
        if abs(last.gain) < self.sure:
            likelihood = particles.separations(graphs, [Test(*last[:3])])[0] * last.gain
            weights = np.exp(likelihood - likelihood.max())
            graphs = graphs[particles.residual_resampling(weights / weights.sum(), rng)]
        graphs = (graphs | np.array(bounds.lower, dtype=np.uint64)) & np.array(bounds.upper, dtype=np.uint64)
        open_ = [t for t in state.asked if not self._settled(t, bounds)]
        graphs, wrong = particles.repaired(
            graphs, open_, room, rng, sure=self.sure, rounds=self.repairs
        )
        good = np.flatnonzero(wrong == wrong.min())
        bad = np.flatnonzero(wrong > wrong.min())
        graphs[bad] = graphs[good[rng.integers(0, len(good), len(bad))]]
        alpha = 1 / max(2, len(room))
        return particles.moved(
            graphs, open_, room, self.prior, rng, alpha=alpha, steps=self.moves
        )

    def _settled(self, t: Asked, bounds: Bounds) -> bool:
        """Return whether all graphs within bounds give the same answer to a test."""
        return separated(bounds.upper, *t[:3]) or not separated(bounds.lower, *t[:3])

    def log_posterior(self, graphs: Graphs, asked: Sequence[Asked]) -> NDArray[np.float64]:
        """Return the log posterior of graphs but for a constant (Eq. 4)."""
        of = self.prior[particles.n_edges(graphs)]
        if asked:
            apart = particles.separations(graphs, [Test(*t[:3]) for t in asked])
            of = of + np.array([t.gain for t in asked]) @ apart
        return of
