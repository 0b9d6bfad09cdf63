r"""PFMN as it should be: ask for the separators of probable structures, and keep what the answers prove.

The paper's filter ([Margaritis2009]_) asks what divides its population best and stops when the population
agrees. Here the population only guesses. What is certain is kept apart from it, as two graphs that enclose
the true one (:mod:`graphoid.learners.pfmn.proofs`), and the search ends when these are equal: then the graph
is proved.

A pair is decided by a test given a separator of the two. So the candidates are, for every undecided pair and
some graphs of the population, the smallest sets that separate the two once their edge is taken away; a
smaller set is cheaper, and an independence given a small separator parts everything on its two sides at once.
Of the candidates the one is asked whose answer is least certain for its price, :math:`H(Y) / W(Y)^\beta`,
with the probability of an independence taken from the population.

Networks in which nearly all pairs depend on each other are left to :mod:`graphoid.learners.pfmn.dense`, where
answers come from data that are up to it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from graphoid.learners.pfmn import dense, population, rejuvenation
from graphoid.learners.pfmn.batches import Expected, binary_entropy
from graphoid.learners.pfmn.budget import Answer, BudgetedQuestions, StepInfo
from graphoid.learners.pfmn.information import edge_entropy
from graphoid.learners.pfmn.known import KnownGraphs
from graphoid.learners.pfmn.likelihood import is_exact
from graphoid.learners.pfmn.moves import Target, flip_moves
from graphoid.learners.pfmn.population import Evidence, Graphs, Outcome, Query, even_weights
from graphoid.learners.pfmn.priors import broad_log_prior, sample_sparse_prior, sparse_log_prior
from graphoid.learners.pfmn.separators import separators
from graphoid.limits import MOMENT, OutOfTime, time_limit
from graphoid.logic.verdict import Fact, Verdict
from graphoid.structure.graph import UndirectedGraph

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.random import Generator
    from numpy.typing import NDArray

    from graphoid.learners.pfmn.learner import PFMN
    from graphoid.learners.pfmn.proofs import Bounds
    from graphoid.structure.knowledge import KnownPairs

PROVED = "proof"
"""The source of a verdict that follows from what others prove (:mod:`graphoid.learners.pfmn.proofs`)."""

SOURCES = 12
"""Graphs of the population whose separators are candidates; more of them did not lower the cost."""

MOST_CANDIDATES = 5_000
"""About how many tests are compared; where many pairs are undecided fewer graphs give candidates."""

LAST_MOVES = 400
"""Steps from the search's population to one that stands for the posterior."""


@dataclass(frozen=True)
class State:
    """What the next step needs."""

    graphs: Graphs
    """The population; all weigh the same."""
    bounds: Bounds
    """What the answers prove, as far as they are sure."""
    evidence: tuple[Evidence, ...] = ()
    """The tests and what their answers say, in order."""
    verdicts: tuple[Verdict, ...] = ()
    """The answers themselves."""
    exact: bool = True
    """Whether all answers came without any doubt."""
    vague: float = 0.0
    """The price of answers that were not sure."""
    dense: bool = False
    """Whether the network is dense, so that no population guesses it and GSIMN's questions are asked."""
    stopped: str | None = None
    """Why the search is over, or None."""

    @property
    def proves(self) -> bool:
        """Whether answers came, all of them without any doubt."""
        return self.exact and bool(self.evidence)

    @property
    def proved(self) -> bool:
        """Whether the answers leave one graph only, without any doubt."""
        return self.exact and not self.bounds.undecided


class Candidate(NamedTuple):
    """A test worth asking."""

    test: Query
    information: float
    """The entropy of the answer, in nats."""
    price: float


class Active:
    """The search, with the settings of :class:`graphoid.PFMN`."""

    def __init__(self, questions: BudgetedQuestions, settings: PFMN, known: KnownPairs | None = None) -> None:
        self.questions, self.settings = questions, settings
        self.n = len(questions.names)
        self.prior = sparse_log_prior(self.n)
        self.known = KnownGraphs.of(self.n, known)
        self._gsimn = dense.GSIMNQuestions(questions.names, known)

    def init(self, rng: Generator) -> State:
        """Return a population drawn from the prior, and bounds that exclude what is known not to be."""
        graphs = self.known.clip(sample_sparse_prior(self.n, self.settings.n_particles, rng))
        if self.known.stated:
            target = Target(self.known.stated, self.known.free, self.prior)
            graphs = flip_moves(graphs, target, rng, alpha=1 / max(2, len(target.free)), steps=LAST_MOVES)
        return State(graphs, self.known.bounds)

    def step(self, rng: Generator, state: State) -> tuple[State, list[StepInfo]]:
        """Ask one batch of tests, mostly of one, and learn from the answers; of none where none is left."""
        batch, stopped = self.next_tests(rng, state, self.questions.afford)
        if batch and batch[0].test.given and self._is_dense(state):
            state = replace(state, dense=True)
            batch, stopped = self.next_tests(rng, state, self.questions.afford)
        if not batch:
            return replace(state, stopped=stopped), []
        infos, spent = [], self.questions.spent
        for best, answer in zip(batch, self.questions.ask([c.test for c in batch]), strict=True):
            state = self.update(rng, state, best.test, answer)
            entropy = edge_entropy(population.edge_frequencies(state.graphs, even_weights(state.graphs)))
            spent += answer.price
            infos.append(StepInfo(best.test, answer.verdict, best.information, answer.price, spent, entropy))
        return state, infos

    def next_tests(
        self, rng: Generator, state: State, afford: Callable[[Sequence[float]], float]
    ) -> tuple[list[Candidate], str]:
        """Return the best tests that can be paid for, as many as a batch has, or none and why not.

        ``afford`` says what the next may cost after tests of some prices.
        """
        if state.dense:
            best, stopped = self._next_of_gsimn(state, afford([]))
            return [] if best is None else [best], stopped
        if not state.bounds.undecided:
            return [], "converged"
        # about what it takes to ask all pairs: 2 each, and as often as a variable has neighbors
        degree = 2 * float(population.n_edges(state.graphs).mean()) / self.n
        price = self.n * (self.n - 1) * max(1.0, degree)
        if not state.exact and state.vague >= self.settings.patience * price:
            return [], "converged"
        tests = self._candidates(rng, state)
        apart = population.separations(state.graphs, tests)
        rarer = _rarer_answers(apart)
        # exact answers are asked for until all is proved; doubtful ones while the population has doubts
        if not state.exact and rarer.max(initial=0.0) < self.settings.doubt:
            return [], "converged"
        best_first = self._rank(tests, _once_each(binary_entropy, rarer))
        open_first = (c for c in best_first if state.bounds.answer(*c.test) is None)
        best, stopped = _first_affordable(open_first, afford([]))
        if best is None:
            return [], stopped
        return self._fill(state, best, tests, apart, afford), ""

    def _fill(
        self,
        state: State,
        first: Candidate,
        tests: list[Query],
        apart: NDArray[np.bool_],
        afford: Callable[[Sequence[float]], float],
    ) -> list[Candidate]:
        """Return a batch: the best test, and beside those before it the best one each."""
        batch, expected = [first], Expected(apart, state.bounds)
        # whether a network is dense shows in the first answers, and in what is wanted after each of them
        size = 1 if not state.proves and dense.may_be_dense(state.verdicts) else self.settings.batch
        while len(batch) < size:
            expected.add(batch[-1].test, tests.index(batch[-1].test))
            best_first = self._rank(tests, expected.information())
            left = (c for c in best_first if expected.leaves_open(c.test))
            best, _ = _first_affordable(left, afford([c.price for c in batch]))
            if best is None:
                break
            batch.append(best)
        return batch

    def _next_of_gsimn(self, state: State, remaining: float) -> tuple[Candidate | None, str]:
        """Return what GSIMN would ask next, if that can be paid for."""
        question = self._gsimn.next_after(state.verdicts)
        if isinstance(question, UndirectedGraph):
            return None, "converged"
        rarer = _rarer_answers(population.separations(state.graphs, [question]))
        return _first_affordable(self._rank([question], _once_each(binary_entropy, rarer)), remaining)

    def _candidates(self, rng: Generator, state: State) -> list[Query]:
        """Return separators of undecided pairs that have not been asked about."""
        undecided = state.bounds.undecided
        n_sources = max(2, min(SOURCES, MOST_CANDIDATES // (2 * len(undecided))))
        sources = state.graphs[rng.permutation(len(state.graphs))[:n_sources]]
        possible = np.array([state.bounds.upper], dtype=np.uint64)
        proposals = np.concatenate([np.unique(sources, axis=0), possible])
        known = {t.query for t in state.evidence}
        return [q for q in separators(proposals, undecided) if q not in known]

    def _rank(self, tests: list[Query], information: NDArray[np.float64]) -> Iterator[Candidate]:
        """Yield tests by the entropy of their answer for their price; few are looked at of thousands.

        Of equally good ones the first comes first. So that these are equal to the last digit on every
        processor, entropies are of counts of graphs, and each that occurs has its logarithm taken once.
        """
        prices = self.questions.prices_of(tests)
        worth = information / _once_each(lambda price: math.pow(price, self.settings.beta), prices)
        for i in np.argsort(-worth, kind="stable"):
            yield Candidate(tests[i], float(information[i]), float(prices[i]))

    def update(self, rng: Generator, state: State, test: Query, answer: Answer) -> State:
        """Return the state after an answer: new bounds, and what becomes of the population."""
        verdict, log_ratio, price = answer
        state = replace(
            state,
            evidence=(*state.evidence, Evidence(*test, log_ratio)),
            verdicts=(*state.verdicts, verdict),
            exact=state.exact and is_exact(verdict),
        )
        if state.dense:
            size, stated = self.settings.n_particles, self.known.stated
            drawn = dense.sample(self.n, state.evidence, size, rng, stated)
            return replace(state, graphs=self.known.clip(drawn))
        if abs(log_ratio) >= self.settings.sure:
            fact = Fact(test.x, test.y, test.given, log_ratio > 0)
            state = replace(state, bounds=state.bounds.add(fact))
        else:
            state = replace(state, vague=state.vague + price)
        return replace(state, graphs=self._rejuvenate(rng, state))

    def _is_dense(self, state: State) -> bool:
        """Say whether GSIMN is to ask from here on: put when the population first wants something given."""
        doubtful = not state.exact and not state.dense and dense.is_dense(state.verdicts)
        return doubtful and dense.enough_rows(self.questions.questions)

    def _rejuvenate(self, rng: Generator, state: State) -> Graphs:
        """Return the population after the last answer."""
        known = state.graphs, state.evidence, state.bounds, self.prior, rng
        moves, stated = self.settings.moves, self.known.stated
        if state.exact:
            return rejuvenation.temper_and_move(*known, moves=moves, stated=stated)
        return rejuvenation.repair_and_move(*known, sure=self.settings.sure, moves=moves, stated=stated)

    def preview(self, rng: Generator, state: State) -> tuple[Query, float] | None:
        """Return the test that would be asked next whatever it costs, and the entropy of its answer."""
        batch, _ = self.next_tests(rng, state, lambda _: math.inf)
        return (batch[0].test, batch[0].information) if batch else None

    def result(self, rng: Generator, state: State) -> Outcome:
        """Return graphs that stand for the posterior of all answers (Eq. 4).

        Here no answer is taken as a fact unless it is exact: each has the weight of its evidence. Where the
        bounds have met, the graph between them is one that may be returned, but stands for nothing more.

        The sparse prior finds better graphs, and gives edges too little: the graphs that stand for the
        posterior also have a prior that leaves something to dense ones.
        """
        if state.proved:
            graphs = np.array([state.bounds.lower], dtype=np.uint64)
            best = graphs[0]
        elif state.dense:
            graphs, found = state.graphs, self._gsimn.next_after(state.verdicts)
            best = dense.likelier_edges(self.n, state.evidence, self.known.stated)
            if isinstance(found, UndirectedGraph):
                best = np.array(found.adjacency, dtype=np.uint64)
            best = self.known.clip(best)
        else:
            candidates = graphs = self._sample_posterior(rng, state, state.graphs, self.prior)
            if not state.bounds.undecided:
                candidates = np.concatenate([graphs, np.array([state.bounds.lower], dtype=np.uint64)])
            best = population.most_probable(candidates, self.prior, (*self.known.stated, *state.evidence))
            graphs = self._sample_posterior(rng, state, graphs, broad_log_prior(self.n))
        inferred = _inferences(state.bounds)
        return Outcome(graphs, even_weights(graphs), best, proved=state.proved, inferred=inferred)

    def _sample_posterior(
        self, rng: Generator, state: State, graphs: Graphs, prior: NDArray[np.float64]
    ) -> Graphs:
        """Move graphs, within no bounds, until they stand for the posterior, or as they are out of time."""
        target = Target((*self.known.stated, *state.evidence), self.known.free, prior)
        if not target.free:
            return graphs
        left = self.questions.seconds_left
        try:
            with time_limit(None if left is None else max(left, MOMENT)):
                return flip_moves(graphs, target, rng, alpha=1 / len(target.free), steps=LAST_MOVES)
        except OutOfTime:
            return graphs


def _rarer_answers(apart: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return how probable a population takes the answer to be that fewer of its graphs give."""
    size, separate = apart.shape[1], apart.sum(axis=1)
    # half a graph on either side: a population that agrees may still be wrong
    return np.asarray((np.minimum(separate, size - separate) + 0.5) / (size + 1))


def _once_each(function: Callable[[float], float], values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a function of numbers, computed once for each that occurs."""
    distinct, at = np.unique(values, return_inverse=True)
    return np.array([function(v) for v in distinct.tolist()], dtype=np.float64)[at.reshape(-1)]


def _inferences(bounds: Bounds) -> list[Verdict]:
    """Return why pairs are decided about which nothing was asked, and by which answer."""
    found = []
    for (x, y), fact in bounds.reasons:
        if (fact.x, fact.y) not in ((x, y), (y, x)):
            joined = bool(bounds.lower[x] >> y & 1)
            given = tuple(v for v in fact.given if v not in (x, y))
            found.append(Verdict(x, y, given, not joined, source=PROVED, because=(fact,)))
    return found


def _first_affordable(candidates: Iterable[Candidate], remaining: float) -> tuple[Candidate | None, str]:
    """Return the first that can be paid for, or None and why there is none."""
    reason = "converged"
    for candidate in candidates:
        if candidate.price <= remaining:
            return candidate, ""
        reason = "budget"
        if remaining < 0:
            break
    return None, reason
