r"""PFMN as published: a particle filter that asks the most informative test ([Margaritis2009]_).

Algorithms 1 to 3 in the paper's words; :mod:`graphoid.learners.pfmn.population` has what is below them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from graphoid.learners.pfmn import population as particles
from graphoid.learners.pfmn import prices, reference
from graphoid.learners.pfmn.asking import Info
from graphoid.learners.pfmn.population import Ended, Graphs, Test
from graphoid.learners.pfmn.reference import TIE, Asked

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.random import Generator
    from numpy.typing import NDArray

    from graphoid.learners.pfmn.asking import Asking

Score = Literal["gain", "printed"]


@dataclass(frozen=True)
class State:
    """What the next step needs: the population at time t, its weights, and the tests asked."""

    graphs: Graphs
    weights: NDArray[np.float64]
    asked: tuple[Asked, ...] = ()
    stopped: str | None = None
    """Why the filter is over, or None."""

    @property
    def different(self) -> tuple[Graphs, NDArray[np.float64], NDArray[np.int32]]:
        """The different structures, the weight of each, and its class."""
        graphs, weights, first = particles.merged(self.graphs, self.weights)
        return graphs, weights, self.group[first]

    @property
    def group(self) -> NDArray[np.int32]:
        """The class of each particle by the answers it gives to the tests asked."""
        return particles.classes(particles.separations(self.graphs, [Test(*t[:3]) for t in self.asked]))


@dataclass(frozen=True, kw_only=True)
class ParticleFilter:
    """The settings of the filter, by the paper's letters; see :class:`graphoid.PFMN`."""

    n: int
    asking: Asking
    n_particles: int = 250
    """N."""
    moves: int = 20
    """M, the most Metropolis-Hastings moves of a particle after a test."""
    enough: int = 2
    """pi, the accepted moves after which a particle is left where it is."""
    alpha: float | None = None
    """The probability that a move inverts a pair; one pair on average if None."""
    beta: float = 2.0
    """The power of the price in the score."""
    most_flips: int = 4
    """K, the most flips of a conditioning set."""
    score: Score = "gain"
    """"gain" is the information gain over W^beta; "printed" is Eq. 7, -H / W^beta."""
    epsilon: float = 0.0
    """The entropy at which the filter stops."""
    all_graphs: bool = False
    """Keep every structure with its exact posterior instead of a population: for a few variables."""
    empty: bool = True
    """Whether the prior allows the structure without edges, which Eq. 5 leaves out."""
    prior: NDArray[np.float64] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "prior", particles.log_prior(self.n, empty=self.empty))

    def init(self, rng: Generator) -> State:
        """Sample the population from the prior (Algorithm 1, line 1)."""
        if self.all_graphs:
            graphs = particles.all_graphs(self.n)
            return State(graphs, self._exact(graphs, ()))
        graphs = particles.drawn(self.n, self.n_particles, rng, empty=self.empty)
        return State(graphs, np.full(len(graphs), 1 / len(graphs)))

    def step(self, rng: Generator, state: State) -> tuple[State, Info | None]:
        """Ask the best test and filter the population by the answer (Algorithm 1, lines 4-12)."""
        uncertain = self.entropy(state)
        if state.asked and uncertain <= self.epsilon:
            return replace(state, stopped="converged"), None
        test, _ = self.optimal_test(state)
        if self.asking.priced(test) > self.asking.left:
            return replace(state, stopped="budget"), None
        information = self.information_gains(state, [test])[0]
        answer = self.asking.ask(test)
        state = self.told(rng, state, test, answer.gain)
        spent = self.asking.spent
        info = Info(test, answer.verdict, float(information), answer.price, spent, self.entropy(state))
        return state, info

    def information_gains(self, state: State, tests: Sequence[Test]) -> NDArray[np.float64]:
        """Return the information gain of candidate tests (Eq. 9)."""
        apart = particles.separations(state.graphs, tests)
        return particles.information_gains(apart, state.weights, state.group)

    def optimal_test(self, state: State) -> tuple[Test, float]:
        """Return the test of the best score that the search finds, and its score (Algorithm 2).

        Pairs come in order of position and sets of flips in lexicographic order; the first of equals wins.
        """
        graphs, weights, group = state.different
        if self.asking.price is prices.weight and self.score == "gain":
            price = np.array([self._priced(Test(0, 1, 2**size - 1 << 2)) for size in range(self.n - 1)])
            found = particles.climbed(graphs, weights, group, price, most_flips=self.most_flips)
        else:
            found = [self._climbed(x, y, graphs, weights, group) for x, y in particles.pairs(self.n)]
        best = found[0]
        for test, score in found[1:]:
            if score > best[1] + TIE:
                best = test, score
        return best

    def told(self, rng: Generator, state: State, test: Test, gain: float) -> State:
        """Return the state at time t + 1, given what the data say (Algorithm 1, lines 5-9).

        ``gain`` is log Pr(d | independent) - log Pr(d | dependent) of the test.
        """
        asked = (*state.asked, Asked(*test, gain))
        if self.all_graphs:
            return replace(state, asked=asked, weights=self._exact(state.graphs, asked))
        return replace(state, asked=asked, graphs=self._filtered(rng, state.graphs, asked))

    def entropy(self, state: State) -> float:
        """Return H(X | Y_{1:t}), by which the filter stops (Algorithm 1, line 10)."""
        _, weights, group = state.different
        return particles.entropy_within(weights, group)

    def upcoming(self, rng: Generator, state: State) -> tuple[Test, float] | None:
        """Return the test that would be asked next whatever it costs, and its information gain."""
        del rng
        if self.entropy(state) <= self.epsilon:
            return None
        test, _ = self.optimal_test(state)
        return test, float(self.information_gains(state, [test])[0])

    def result(self, rng: Generator, state: State) -> Ended:
        """Return the newest population (Algorithm 1, line 11)."""
        del rng  # the population stands for the posterior as it is
        posterior = particles.log_posterior(state.graphs, self.prior, state.asked)
        return Ended(state.graphs, state.weights, state.graphs[posterior.argmax()])

    def _exact(self, graphs: Graphs, asked: Sequence[Asked]) -> NDArray[np.float64]:
        posterior = particles.log_posterior(graphs, self.prior, asked)
        weights = np.exp(posterior - posterior.max())
        return np.asarray(weights / weights.sum())

    def _filtered(self, rng: Generator, graphs: Graphs, asked: Sequence[Asked]) -> Graphs:
        """Weigh, resample and move the population (Algorithm 3)."""
        *_, last = asked
        resampled = graphs[particles.reweighed(graphs, last, rng)]
        everything = particles.pairs(self.n)
        return particles.moved(
            resampled,
            asked,
            everything,
            self.prior,
            rng,
            alpha=1 / len(everything) if self.alpha is None else self.alpha,
            steps=self.moves,
            enough=self.enough,
        )

    def _priced(self, test: Test) -> float:
        return math.pow(self.asking.priced(test), self.beta)

    def _climbed(
        self, x: int, y: int, graphs: Graphs, weights: NDArray[np.float64], group: NDArray[np.int32]
    ) -> tuple[Test, float]:
        """Search the conditioning set for a pair with any price and score (Algorithm 2, lines 5-15)."""
        uncertain = particles.entropy_within(weights, group)

        def scores(sets: Sequence[int]) -> list[float]:
            tests = [Test(x, y, given) for given in sets]
            gains = particles.information_gains(particles.separations(graphs, tests), weights, group)
            value = gains if self.score == "gain" else gains - uncertain
            return [v / self._priced(t) for v, t in zip(value.tolist(), tests, strict=True)]

        others = [v for v in range(self.n) if v not in (x, y)]
        given, score = reference.climb(scores, others, self.most_flips)
        return Test(x, y, given), score
