r"""The filter as published: particles that choose the most informative test ([Margaritis2009]_).

Algorithms 1 to 3 in the paper's words. Lines 5-15 of the second are in
:mod:`graphoid.learners.pfmn.information`, the moves of the third in :mod:`graphoid.learners.pfmn.moves`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from graphoid.learners.pfmn import population
from graphoid.learners.pfmn.budget import BudgetedQuestions, StepInfo
from graphoid.learners.pfmn.information import (
    TIE,
    answer_classes,
    climb_pairs,
    climb_pairs_by_size,
    conditional_entropy,
    information_gains,
)
from graphoid.learners.pfmn.known import KnownGraphs
from graphoid.learners.pfmn.moves import Target, flip_moves
from graphoid.learners.pfmn.population import Evidence, Graphs, Outcome, Query, separations
from graphoid.learners.pfmn.priors import log_prior, sample_prior

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.random import Generator
    from numpy.typing import NDArray

    from graphoid.learners.pfmn.learner import PublishedPFMN
    from graphoid.structure.knowledge import KnownPairs

Score: TypeAlias = Literal["gain", "printed"]


@dataclass(frozen=True)
class State:
    """What the next step needs: the population at time t, its weights, and the tests with their answers."""

    graphs: Graphs
    weights: NDArray[np.float64]
    evidence: tuple[Evidence, ...] = ()
    stopped: str | None = None
    """Why the filter is over, or None."""

    @property
    def classes(self) -> NDArray[np.int32]:
        """The class of each particle by the answers it gives to the tests so far."""
        return answer_classes(separations(self.graphs, self.evidence))

    @property
    def distinct(self) -> tuple[Graphs, NDArray[np.float64], NDArray[np.int32]]:
        """The distinct structures, the weight of each, and its class."""
        graphs, weights, first = population.merge_equal(self.graphs, self.weights)
        return graphs, weights, self.classes[first]


class ParticleFilter:
    """The filter, with the settings of :class:`graphoid.PublishedPFMN`, which has the paper's letters."""

    def __init__(
        self, questions: BudgetedQuestions, settings: PublishedPFMN, known: KnownPairs | None = None
    ) -> None:
        self.questions, self.settings = questions, settings
        self.n = len(questions.names)
        self.prior = log_prior(self.n, empty=settings.empty)
        self.known = KnownGraphs.of(self.n, known)

    def init(self, rng: Generator) -> State:
        """Sample the population from the prior (Algorithm 1, line 1)."""
        if self.settings.all_graphs:
            graphs = population.all_graphs(self.n)
            graphs = graphs[(self.known.clip(graphs) == graphs).all(axis=1)]
            return State(graphs, self._exact_weights(graphs, ()))
        graphs = sample_prior(self.n, self.settings.n_particles, rng, empty=self.settings.empty)
        graphs = self.known.clip(graphs)
        if self.known.stated:
            graphs = self._move(graphs, (), rng)
        return State(graphs, population.even_weights(graphs))

    def step(self, rng: Generator, state: State) -> tuple[State, list[StepInfo]]:
        """Ask the best test and filter the population by the answer (Algorithm 1, lines 4-12)."""
        if self.n < 2 or (state.evidence and self.entropy(state) <= self.settings.epsilon):
            return replace(state, stopped="converged"), []
        test, _ = self.optimal_test(state)
        if self.questions.price_of(test) > self.questions.afford([]):
            return replace(state, stopped="budget"), []
        information = float(self.information_gains(state, [test])[0])
        (answer,) = self.questions.ask([test])
        state = self.update(rng, state, Evidence(*test, answer.log_ratio))
        spent, entropy = self.questions.spent, self.entropy(state)
        return state, [StepInfo(test, answer.verdict, information, answer.price, spent, entropy)]

    def information_gains(self, state: State, tests: Sequence[Query]) -> NDArray[np.float64]:
        """Return the information gain of candidate tests (Eq. 9)."""
        return information_gains(separations(state.graphs, tests), state.weights, state.classes)

    def optimal_test(self, state: State) -> tuple[Query, float]:
        """Return the test of the best score that the search finds, and its score (Algorithm 2).

        Pairs come in order of position and sets of flips in lexicographic order; the first of equals wins.
        """
        distinct = state.distinct
        if self.questions.priced_by_size and self.settings.score == "gain":
            by_size = np.array([self._price(Query(0, 1, 2**size - 1 << 2)) for size in range(self.n - 1)])
            found = climb_pairs_by_size(*distinct, by_size, max_flips=self.settings.max_flips)
        else:
            uncertain = conditional_entropy(*distinct[1:]) if self.settings.score == "printed" else 0.0

            def scores(tests: Sequence[Query], gains: NDArray[np.float64]) -> list[float]:
                return [g / self._price(t) for g, t in zip((gains - uncertain).tolist(), tests, strict=True)]

            found = climb_pairs(*distinct, scores, max_flips=self.settings.max_flips)
        best = found[0]
        for candidate in found[1:]:
            if candidate.score > best.score + TIE:
                best = candidate
        return best

    def update(self, rng: Generator, state: State, last: Evidence) -> State:
        """Return the state at time t + 1, given what the data say (Algorithm 1, lines 5-9)."""
        evidence = (*state.evidence, last)
        if self.settings.all_graphs:
            return replace(state, evidence=evidence, weights=self._exact_weights(state.graphs, evidence))
        return replace(state, evidence=evidence, graphs=self._filter(rng, state.graphs, evidence))

    def entropy(self, state: State) -> float:
        """Return H(X | Y_{1:t}), by which the filter stops (Algorithm 1, line 10)."""
        return conditional_entropy(*state.distinct[1:])

    def preview(self, rng: Generator, state: State) -> tuple[Query, float] | None:
        """Return the test that would be asked next whatever it costs, and its information gain."""
        del rng
        if self.n < 2 or self.entropy(state) <= self.settings.epsilon:
            return None
        test, _ = self.optimal_test(state)
        return test, float(self.information_gains(state, [test])[0])

    def result(self, rng: Generator, state: State) -> Outcome:
        """Return the newest population (Algorithm 1, line 11)."""
        del rng  # the population stands for the posterior as it is
        evidence = (*self.known.stated, *state.evidence)
        best = population.most_probable(state.graphs, self.prior, evidence)
        return Outcome(state.graphs, state.weights, best)

    def _exact_weights(self, graphs: Graphs, evidence: Sequence[Evidence]) -> NDArray[np.float64]:
        posterior = population.log_posterior(graphs, self.prior, (*self.known.stated, *evidence))
        weights = np.exp(posterior - posterior.max())
        return np.asarray(weights / weights.sum())

    def _filter(self, rng: Generator, graphs: Graphs, evidence: Sequence[Evidence]) -> Graphs:
        """Weigh, resample and move the population (Algorithm 3)."""
        return self._move(population.resample(graphs, evidence[-1], rng), evidence, rng)

    def _move(self, graphs: Graphs, evidence: Sequence[Evidence], rng: Generator) -> Graphs:
        """Move graphs by Metropolis-Hastings steps (Algorithm 3, lines 8-14)."""
        target = Target((*self.known.stated, *evidence), self.known.free, self.prior)
        if not target.free:
            return graphs
        return flip_moves(
            graphs,
            target,
            rng,
            alpha=1 / len(target.free) if self.settings.alpha is None else self.settings.alpha,
            steps=self.settings.moves,
            enough=self.settings.enough,
        )

    def _price(self, test: Query) -> float:
        return math.pow(self.questions.price_of(test), self.settings.beta)
