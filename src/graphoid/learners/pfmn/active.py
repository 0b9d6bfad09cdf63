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
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from graphoid.learners.pfmn import dense
from graphoid.learners.pfmn import population as particles
from graphoid.learners.pfmn import rejuvenation as renewal
from graphoid.learners.pfmn.asking import Info
from graphoid.learners.pfmn.likelihood import is_exact
from graphoid.learners.pfmn.population import Ended, Graphs, Test
from graphoid.learners.pfmn.proofs import Bounds
from graphoid.learners.pfmn.reference import Asked
from graphoid.logic.verdict import Fact
from graphoid.structure.graph import UndirectedGraph

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.random import Generator
    from numpy.typing import NDArray

    from graphoid.learners.pfmn.asking import Answer, Asking
    from graphoid.logic.verdict import Verdict

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
    asked: tuple[Asked, ...] = ()
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
    def proved(self) -> bool:
        """Whether the answers leave one graph only, without any doubt."""
        return self.exact and not self.bounds.undecided


class Choice(NamedTuple):
    """A test worth asking."""

    test: Test
    independent: float
    """How probable the population takes an independence to be."""
    information: float
    """The entropy of the answer, in nats."""
    price: float


class Choices:
    """Tests by what they are worth, the best for its price first.

    Parameters
    ----------
    tests
        The tests to choose from.
    independent
        How probable the population takes the independence of each to be.
    prices, beta
        What each costs, and the power of the price in what it is worth.
    """

    def __init__(
        self, tests: list[Test], independent: NDArray[np.float64], prices: NDArray[np.float64], beta: float
    ) -> None:
        p = independent
        self._tests, self._independent, self._prices = tests, p, prices
        self._information = -(p * np.log(p) + (1 - p) * np.log1p(-p))
        self._worth = self._information / prices**beta

    @property
    def doubt(self) -> float:
        """How probable the least certain answer is to be the other one."""
        return float(np.minimum(self._independent, 1 - self._independent).max(initial=0.0))

    def __iter__(self) -> Iterator[Choice]:
        """Yield them in order; few are looked at of thousands."""
        for i in np.argsort(-self._worth, kind="stable"):
            p, information, price = self._independent[i], self._information[i], self._prices[i]
            yield Choice(self._tests[i], float(p), float(information), float(price))


@dataclass(frozen=True, kw_only=True)
class Active:
    """The search and its settings; see :class:`graphoid.PFMN`."""

    n: int
    asking: Asking
    n_particles: int = 128
    moves: int = 100
    beta: float = 0.8
    sure: float = 1.5
    doubt: float = 0.02
    patience: float = 0.5
    prior: NDArray[np.float64] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "prior", particles.sparse_log_prior(self.n))

    def init(self, rng: Generator) -> State:
        """Return a population drawn from the prior, and bounds that exclude nothing."""
        return State(particles.sparsely_drawn(self.n, self.n_particles, rng), Bounds.of(self.n))

    def step(self, rng: Generator, state: State) -> tuple[State, Info | None]:
        """Ask one test and learn from the answer; None in place of what a reader wants where none is left."""
        choice, stopped = self.next_test(rng, state, self.asking.left)
        if choice is not None and choice.test.given and self._is_dense(state):
            state = replace(state, dense=True)
            choice, stopped = self.next_test(rng, state, self.asking.left)
        if choice is None:
            return replace(state, stopped=stopped), None
        answer = self.asking.ask(choice.test)
        state = self.told(rng, state, choice.test, answer)
        even = np.full(len(state.graphs), 1 / len(state.graphs))
        entropy = particles.entropy_of_edges(particles.edge_frequencies(state.graphs, even))
        spent = self.asking.spent
        info = Info(choice.test, answer.verdict, choice.information, answer.price, spent, entropy)
        return state, info

    def next_test(self, rng: Generator, state: State, left: float) -> tuple[Choice | None, str]:
        """Return the best test that can be paid for with what is left, or None and why there is none."""
        if state.dense:
            return self._next_of_gsimn(state, left)
        if not state.bounds.undecided:
            return None, "converged"
        if not state.exact and state.vague >= self.patience * self._expected_price(state):
            return None, "converged"
        open_ = self._choices(rng, state)
        # exact answers are asked for until all is proved; doubtful ones while the population has doubts
        if not state.exact and open_.doubt < self.doubt:
            return None, "converged"
        return _affordable((c for c in open_ if state.bounds.answer(*c.test) is None), left)

    def _next_of_gsimn(self, state: State, left: float) -> tuple[Choice | None, str]:
        """Return what GSIMN would ask next, if that can be paid for."""
        question = dense.following(self.asking.questions.names, state.verdicts)
        if isinstance(question, UndirectedGraph):
            return None, "converged"
        return _affordable(self._weighed(state, [question]), left)

    def _expected_price(self, state: State) -> float:
        """Return about what it takes to ask all pairs: 2 each, and as often as a variable has neighbors."""
        degree = 2 * float(particles.n_edges(state.graphs).mean()) / self.n
        return self.n * (self.n - 1) * max(1.0, degree)

    def _choices(self, rng: Generator, state: State) -> Choices:
        """Return the tests that have not been asked."""
        sources = max(2, min(SOURCES, MOST_CANDIDATES // (2 * len(state.bounds.undecided))))
        sample = state.graphs[rng.permutation(len(state.graphs))[:sources]]
        possible = np.array([state.bounds.upper], dtype=np.uint64)
        proposing = np.concatenate([np.unique(sample, axis=0), possible])
        asked = {t[:3] for t in state.asked}
        return self._weighed(
            state, [t for t in particles.separators(proposing, state.bounds.undecided) if t not in asked]
        )

    def _weighed(self, state: State, tests: list[Test]) -> Choices:
        """Return tests with what the population expects of them."""
        apart = particles.separations(state.graphs, tests).sum(axis=1)
        # half a graph on either side: a population that agrees may still be wrong
        p = (apart + 0.5) / (len(state.graphs) + 1)
        return Choices(tests, p, self.asking.prices(tests), self.beta)

    def told(self, rng: Generator, state: State, test: Test, answer: Answer) -> State:
        """Return the state after an answer: new bounds, and what becomes of the population."""
        verdict, gain, price = answer
        state = replace(
            state,
            asked=(*state.asked, Asked(*test, gain)),
            verdicts=(*state.verdicts, verdict),
            exact=state.exact and is_exact(verdict),
        )
        if state.dense:
            return replace(state, graphs=dense.drawn(self.n, state.asked, self.n_particles, rng))
        if abs(gain) >= self.sure:
            fact = Fact(test.x, test.y, test.given, gain > 0)
            state = replace(state, bounds=state.bounds.adding(fact))
        else:
            state = replace(state, vague=state.vague + price)
        return replace(state, graphs=self._renewed(rng, state))

    def _is_dense(self, state: State) -> bool:
        """Say whether GSIMN is to ask from here on: put when the population first wants something given."""
        doubtful = not state.exact and not state.dense and dense.is_dense(state.verdicts)
        return doubtful and dense.bear_blankets(self.asking.questions)

    def _renewed(self, rng: Generator, state: State) -> Graphs:
        """Return the population after the last answer."""
        known = state.graphs, state.asked, state.bounds, self.prior, rng
        if state.exact:
            return renewal.tempered(*known, moves=self.moves)
        return renewal.mended(*known, sure=self.sure, moves=self.moves)

    def upcoming(self, rng: Generator, state: State) -> tuple[Test, float] | None:
        """Return the test that would be asked next whatever it costs, and the entropy of its answer."""
        choice, _ = self.next_test(rng, state, math.inf)
        return None if choice is None else (choice.test, choice.information)

    def result(self, rng: Generator, state: State) -> Ended:
        """Return graphs that stand for the posterior of all answers (Eq. 4).

        Here no answer is taken as a fact unless it is exact: each has the weight of its evidence. Where the
        bounds have met, the graph between them is one that may be returned, but stands for nothing more.

        The sparse prior finds better graphs, and gives edges too little: the graphs that stand for the
        posterior also have a prior that leaves something to dense ones.
        """
        if state.proved:
            proved = np.array([state.bounds.lower], dtype=np.uint64)
            return Ended(proved, np.ones(1), proved[0])
        if state.dense:
            return self._pair_by_pair(state)
        graphs = self._settled_graphs(rng, state, state.graphs, self.prior)
        candidates = graphs
        if not state.bounds.undecided:
            candidates = np.concatenate([graphs, np.array([state.bounds.lower], dtype=np.uint64)])
        best = candidates[particles.log_posterior(candidates, self.prior, state.asked).argmax()]
        graphs = self._settled_graphs(rng, state, graphs, particles.broad_log_prior(self.n))
        return Ended(graphs, np.full(len(graphs), 1 / len(graphs)), best)

    def _settled_graphs(
        self, rng: Generator, state: State, graphs: Graphs, prior: NDArray[np.float64]
    ) -> Graphs:
        """Move graphs, within no bounds, until they stand for the posterior."""
        everything = particles.pairs(self.n)
        alpha = 1 / len(everything)
        return particles.moved(graphs, state.asked, everything, prior, rng, alpha=alpha, steps=LAST_MOVES)

    def _pair_by_pair(self, state: State) -> Ended:
        """Return GSIMN's graph, or before its end the pairs that are rather joined than not."""
        found = dense.following(self.asking.questions.names, state.verdicts)
        if isinstance(found, UndirectedGraph):
            best = np.array(found.adjacency, dtype=np.uint64)
        else:
            p = dense.probabilities(self.n, state.asked)
            best = particles.joining(self.n, np.array([list(p.values())]) > 0.5)[0]
        return Ended(state.graphs, np.full(len(state.graphs), 1 / len(state.graphs)), best)


def _affordable(choices: Iterable[Choice], left: float) -> tuple[Choice | None, str]:
    """Return the first that can be paid for, or None and why there is none."""
    reason = "converged"
    for choice in choices:
        if choice.price <= left:
            return choice, ""
        reason = "budget"
        if left < 0:
            break
    return None, reason
