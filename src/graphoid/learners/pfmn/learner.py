"""PFMN: ask the most informative test that can be afforded."""

from __future__ import annotations

import math
import operator
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from graphoid.errors import SettingsError
from graphoid.independence.bayesian import BayesianTest
from graphoid.learners.base import AskingLearner, Run
from graphoid.learners.pfmn import population as particles
from graphoid.learners.pfmn import prices
from graphoid.learners.pfmn.active import Active
from graphoid.learners.pfmn.active import State as ActiveState
from graphoid.learners.pfmn.asking import Asking
from graphoid.learners.pfmn.checkpoint import Checkpoint
from graphoid.learners.pfmn.prices import Budget
from graphoid.learners.pfmn.published import ParticleFilter
from graphoid.learners.questions import Questions
from graphoid.logic.sets import members
from graphoid.logic.verdict import Verdict
from graphoid.progress import Step, tell
from graphoid.settings import seed_and_generator
from graphoid.structure.graph import UndirectedGraph
from graphoid.structure.learned import Cost, LearnedStructure

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator, Mapping

    from numpy.random import Generator

    from graphoid.independence.base import DiscreteTest
    from graphoid.independence.partial_correlation import PartialCorrelation
    from graphoid.learners.pfmn.asking import Info
    from graphoid.learners.pfmn.prices import Price
    from graphoid.logic.source import IndependenceSource
    from graphoid.progress import Listener

PROVED = "proof"
"""The source of a verdict that follows from what others prove (:mod:`graphoid.learners.pfmn.proofs`)."""

_DEFAULTS = {"n_particles": (128, 250), "moves": (100, 20), "beta": (0.8, 2.0)}
"""Settings with a value for each method: the default one's, and the paper's."""


_NOT_THE_RUN = {"answers", "budget", "checkpoint", "cost", "progress", "random_state"}
"""Settings that may differ when a run is resumed, and those that are compared in another form."""


@dataclass(kw_only=True, eq=False)
class PFMN(AskingLearner):
    r"""PFMN, for tests that cost money: keep a population of structures, and ask what they disagree on.

    With ``method="bounds"``, the default, the population only guesses; what the answers prove is kept as two
    graphs that enclose the true one, and the search ends when they are equal
    (:mod:`graphoid.learners.pfmn.active`). With exact answers the graph is then proved, and
    ``structure_.details["verified"]`` says so. Data whose variables all depend on each other are asked what
    GSIMN would ask (:mod:`graphoid.learners.pfmn.dense`). ``method="paper"`` is [Margaritis2009]_, Algorithms
    1 to 3: cheap on very sparse graphs, and not sure to find the structure
    (:mod:`graphoid.learners.pfmn.published`).

    The result has ``edge_probabilities`` from the population, and in ``details`` the effective number of
    structures, the next test it would ask and why, and what was known after each test for which price.

    Parameters
    ----------
    test
        The independence test for :meth:`fit`. A Bayesian one says how sure it is; of others the p-values are
        weighed.
    method
        "bounds" or "paper".
    n_particles
        Structures in the population, N in the paper. 128 if None; 250 for the paper's method.
    budget
        The most to spend: a number is a sum of prices; ``Budget(price=..., tests=..., seconds=...)`` has
        other limits. The result is then the best structure so far, and ``stopped`` is "budget".
    cost
        The price of a test, a function of an :class:`~graphoid.Assertion`; 2 + ``|given|`` if None.
        :class:`~graphoid.SitePrice` is one for columns at several sites.
    random_state
        Seed, generator or None.
    moves
        Metropolis moves of each structure after an answer, M in the paper; 100, and 20 for the paper's
        method.
    beta
        The power of the price in the score of a test: 0.8, and 2 for the paper's method.
    sure
        Default method: the log ratio of likelihoods from which on an answer is taken as a fact by the search.
    doubt
        Default method, doubtful answers: stop when the population is this sure of all answers.
    patience
        Default method, doubtful answers: the share of n (n - 1), what GSIMN pays before it begins, that may
        go into answers that are not sure.
    enough
        The paper's pi: no more moves once each structure had so many accepted.
    alpha
        The paper's alpha, the probability that a move inverts a pair; one pair on average if None.
    max_flips
        The paper's K, the most flips in the search for a conditioning set.
    score
        The paper's method: "gain" is information gain / W^beta; "printed" is Eq. 7, -H / W^beta.
    epsilon
        The paper's method: the entropy at which it stops.
    all_graphs
        The paper's method: all structures with their exact posterior in place of a population, for up to five
        variables.
    empty
        Whether the prior allows a structure without edges, which Eq. 5 leaves out.
    soften
        The likelihood left to the contrary of an answer that is certain.
    checkpoint
        A file that keeps the answers; a run that finds it goes on from there and pays for no test again.
    progress
        A listener, if :meth:`fit` is not given one; see :mod:`graphoid.progress`.

    Notes
    -----
    Departs from the paper, whose Eq. 5 has :math:`|X_h| = \binom{n}{h}` for the number of structures of
    h edges, which is :math:`\binom{n(n-1)/2}{h}`; whose Eq. 7 prefers expensive tests; and whose prior
    excludes the empty structure. Exact answers have likelihoods 0 and 1, which are softened.

    Examples
    --------
    >>> import graphoid as gd
    >>> chain = gd.UndirectedGraph(["rain", "wet", "slippery"], [("rain", "wet"), ("wet", "slippery")])
    >>> found = gd.PFMN(random_state=0).learn(gd.Oracle(chain))
    >>> found.graph == chain, found.details["verified"]
    (True, True)
    """

    test: DiscreteTest | PartialCorrelation | None = field(default_factory=BayesianTest)
    method: Literal["bounds", "paper"] = "bounds"
    n_particles: int | None = None
    budget: float | Mapping[str, float] | Budget | None = None
    cost: Price | None = None
    random_state: int | Generator | None = None
    moves: int | None = None
    beta: float | None = None
    sure: float = 1.5
    doubt: float = 0.02
    patience: float = 0.5
    enough: int = 2
    alpha: float | None = None
    max_flips: int = 4
    score: Literal["gain", "printed"] = "gain"
    epsilon: float = 0.0
    all_graphs: bool = False
    empty: bool = True
    soften: float = 1e-10
    checkpoint: str | os.PathLike[str] | None = None
    progress: Listener | None = None

    def steps(self, ci: IndependenceSource) -> Iterator[Info]:
        """Yield what a reader wants to know of every step, one test at a time; stop when you like."""
        self._check()
        search, rng = self._begun(Questions(ci), ci, None)[:2]
        state: Any = search.init(rng)
        while state.stopped is None:
            state, info = search.step(rng, state)
            if info is not None:
                yield info

    def searching(self, ci: IndependenceSource) -> tuple[Active | ParticleFilter, Generator]:
        """Return the search itself, with its ``init(rng)`` and ``step(rng, state)``, and its generator."""
        self._check()
        return self._begun(Questions(ci), ci, None)[:2]

    def _learn(self, source: IndependenceSource, run: Run) -> LearnedStructure:
        questions = Questions(source)
        search, rng, seed = self._begun(questions, source, run.data_id)
        state: Any = search.init(rng)
        log: list[list[float]] = []
        listener = self.progress if run.progress is None else run.progress
        while state.stopped is None:
            state, info = search.step(rng, state)
            if info is not None:
                log.append([info.spent, info.entropy])
                listener = tell(listener, Step("tests", len(log), so_far=questions.trace))
        ended = search.result(rng, state)
        proved = isinstance(state, ActiveState) and state.proved
        if isinstance(state, ActiveState):
            _note_proofs(questions, state)
        trace = tuple(questions.trace)
        return LearnedStructure(
            graph=_graph(questions.names, ended.best),
            trace=trace,
            cost=Cost.of(trace, seconds=time.perf_counter() - run.started, queries=questions.queries),
            stopped=state.stopped,
            settings=self._settings(source),
            seed=seed,
            data_id=run.data_id,
            edge_probabilities=particles.edge_frequencies(ended.graphs, ended.weights),
            details={
                "verified": proved,
                "spent": search.asking.spent,
                "effective_structures": math.exp(particles.entropy(particles.merged(*ended[:2])[1])),
                "next_test": None if proved else _worth_asking(search.upcoming(rng, state), search.asking),
                "entropy_by_cost": log,
            },
        )

    def _begun(
        self, questions: Questions, ci: IndependenceSource, data_id: str | None
    ) -> tuple[Active | ParticleFilter, Generator, int | None]:
        """Return the search, ready to begin, its generator and its seed."""
        n = len(questions.names)
        particles.check_size(n)
        seed, rng = seed_and_generator(self.random_state)
        run = {name: value for name, value in self._settings(ci).items() if name not in _NOT_THE_RUN}
        price = prices.weight if self.cost is None else self.cost
        checkpoint = Checkpoint(
            self.checkpoint,
            {
                **run,
                "cost": getattr(self.cost, "__qualname__", repr(self.cost)),  # without its address
                "seed": seed,
                "data": data_id,
                "names": list(questions.names),
            },
        )
        budget = Budget.of(self.budget)
        asking = Asking(questions, getattr(ci, "test", None), price, budget, checkpoint, self.soften)
        common: dict[str, Any] = {name: self._value(name) for name in _DEFAULTS}
        if self.method == "bounds":
            own: dict[str, Any] = {"sure": self.sure, "doubt": self.doubt, "patience": self.patience}
            return Active(n=n, asking=asking, **common, **own), rng, seed
        settings = ("enough", "alpha", "score", "epsilon", "all_graphs", "empty")
        own = {name: getattr(self, name) for name in settings}
        return ParticleFilter(n=n, asking=asking, most_flips=self.max_flips, **common, **own), rng, seed

    def _value(self, name: str) -> Any:
        """Return a setting, or the method's own value where it is None."""
        value = getattr(self, name)
        return _DEFAULTS[name][self.method == "paper"] if value is None else value

    def _check(self) -> None:
        super()._check()
        if self.method not in ("bounds", "paper"):
            raise SettingsError(f"PFMN: method must be 'bounds' or 'paper', not {self.method!r}.")
        if self.score not in ("gain", "printed"):
            raise SettingsError(f"PFMN: score must be 'gain' or 'printed', not {self.score!r}.")
        for name, least in (("n_particles", 2), ("moves", 0), ("enough", 0), ("max_flips", 0)):
            value = getattr(self, name)
            if value is not None and not _whole(value, least):
                raise SettingsError(
                    f"PFMN: {name} must be a whole number of at least {least}, not {value!r}."
                )
        for name in ("beta", "sure", "doubt", "patience", "epsilon"):
            value = getattr(self, name)
            if value is not None and not (isinstance(value, (int, float)) and value >= 0):
                raise SettingsError(f"PFMN: {name} must be a number, 0 or more, not {value!r}.")
        for name in ("alpha", "soften"):
            value = getattr(self, name)
            if value is not None and not (isinstance(value, (int, float)) and 0 < value < 1):
                raise SettingsError(f"PFMN: {name} must lie between 0 and 1, not {value!r}.")
        if self.cost is not None and not callable(self.cost):
            raise SettingsError(f"PFMN: cost must be a function of a test, not {self.cost!r}.")
        Budget.of(self.budget)
        if self.checkpoint is not None and not _whole(self.random_state, 0):
            raise SettingsError(
                f"PFMN: a run that can be resumed needs a seed, a whole number; random_state is "
                f"{self.random_state!r}."
            )


def _graph(names: tuple[str, ...], masks: Any) -> UndirectedGraph:
    adjacency = [int(bits) for bits in masks]
    return UndirectedGraph(
        names, [(x, y) for x, bits in enumerate(adjacency) for y in members(bits) if x < y]
    )


def _note_proofs(questions: Questions, state: ActiveState) -> None:
    """Put into the trace why pairs are decided about which nothing was asked, and by which answer."""
    for (x, y), fact in state.bounds.reasons:
        if (fact.x, fact.y) not in ((x, y), (y, x)):
            joined = bool(state.bounds.lower[x] >> y & 1)
            given = tuple(v for v in fact.given if v not in (x, y))
            questions.note(Verdict(x, y, given, not joined, source=PROVED, because=(fact,)))


def _worth_asking(upcoming: tuple[particles.Test, float] | None, asking: Asking) -> dict[str, Any] | None:
    """Return the test that would come next, and why, as plain values."""
    if upcoming is None:
        return None
    test, information = upcoming
    price = asking.priced(test)
    return {
        "x": test.x,
        "y": test.y,
        "given": list(members(test.given)),
        "information": information,
        "price": price,
        "why": f"its answer is expected to tell {information:.3g} nats for a price of {price:g}",
    }


def _whole(value: object, least: int) -> bool:
    try:
        return not isinstance(value, bool) and operator.index(value) >= least  # type: ignore[arg-type]
    except TypeError:
        return False
