"""The search over directed acyclic graphs, whose moral graph is the Markov network."""

from __future__ import annotations

import time
from dataclasses import KW_ONLY, dataclass, replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from graphoid.counts.engine import CountEngine, DirectedEngine, DirectedSettings, DirectedWalk
from graphoid.counts.native import engine_for
from graphoid.data.table import Table, with_states
from graphoid.errors import DataError, Interrupted, setting
from graphoid.learners.base import Learner, Run
from graphoid.learners.directed.equivalence import CPDAG, cpdag_of
from graphoid.learners.directed.inclusion import UNLIKELY, Inclusion, edge_inclusion
from graphoid.learners.directed.known import known_arcs, required_parents
from graphoid.learners.directed.plain import PlainSearch
from graphoid.limits import OutOfTime, check_time, time_limit
from graphoid.progress import Listener, Step, tell
from graphoid.scores.families import FamilyScorer
from graphoid.settings import NOT_NEGATIVE, Allowed, Number, RandomState, seed_and_generator
from graphoid.structure.learned import Cost, LearnedStructure
from graphoid.structure.moral import moral_graph
from graphoid.structure.scored import SHOWN_PAIRS, Scored

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from graphoid.structure.graph import Edge, UndirectedGraph
    from graphoid.structure.knowledge import KnownPairs

ALL_PARTNERS = 1_000
"""Up to so many variables each may be the parent of each: what arcs gain takes eight megabytes."""

PARTNERS = 60
"""Beyond, so many variables that gain most as the only parent are candidates: many times a usual family."""

AT_ONCE = 100
"""Steps between two looks at who listens."""

QUICK = 3.0
"""Reinsertions of every variable for a start: most of what they gain, they gain early."""

QUICK_PARTNERS = 30
"""Candidates of each variable in a quick search."""

SAMPLE_SIZES = (1.0, 8.0, 64.0, 512.0)
"""Equivalent sample sizes of BDeu where none is given: from one row for a table to about one a cell of two
columns of 22 states. Powers of 2 and of 4 found no more."""

LAST_ROUNDS = 6
"""Reinsertions of every variable without success after which the search ends."""


def directed_walk(scorer: FamilyScorer, settings: DirectedSettings) -> DirectedWalk:
    """Return the walk over directed graphs: the engine's own where it has one."""
    if isinstance(scorer.engine, DirectedEngine):
        return scorer.engine.directed_walk(scorer.order, settings)
    return PlainSearch(scorer, settings)


def tabu_search_with_reinsertions(
    walk: DirectedWalk,
    n: int,
    reinsertions: float,
    rng: np.random.Generator,
    progress: Listener | None = None,
    names: Sequence[str] = (),
) -> None:
    """Walk from the graph without arcs, then again and again from the best with one variable reinserted.

    A walk takes the best of all additions, deletions and reversals of one arc that leave no circle, also
    where that loses, but never soon back. A reinsertion takes out all arcs of a variable and puts some of
    them in again, in directions and an order drawn at random; the walk from there finds the others.
    """

    def say(phase: str, done: int, total: int | None) -> None:
        if progress is not None:
            tell(progress, Step(phase, done, total, so_far=moral_graph(names, walk.best_parents())))

    check_time()
    while walk.walk(AT_ONCE):
        say("climbing", walk.n_steps(), None)
    say("climbing", walk.n_steps(), walk.n_steps())
    total, failed = round(reinsertions * n), 0
    for done in range(total):
        if failed >= LAST_ROUNDS * n:
            break
        check_time()
        before = walk.gain()
        walk.reinsert(int(rng.integers(2**63)))
        while walk.walk(AT_ONCE):
            pass
        failed = 0 if walk.gain() > before else failed + 1
        if done % n == 0:
            say("reinserting", done, total)
    if total:
        say("reinserting", total, total)


def quick_parents(
    engine: CountEngine, reinsertions: float = QUICK, known: KnownPairs | None = None
) -> list[list[int]]:
    """Return the parents of every variable in what a quick search by BDeu finds."""
    scorer = FamilyScorer(engine, SAMPLE_SIZES, expected_density(len(engine.variables)), known)
    settings = directed_settings(scorer)
    walk = directed_walk(scorer, settings._replace(partners=settings.partners or QUICK_PARTNERS))
    tabu_search_with_reinsertions(walk, scorer.n, reinsertions, np.random.default_rng(0))
    return walk.best_parents()


def moral_start(engine: CountEngine) -> UndirectedGraph:
    """Return the moral graph of a quick search, for a search over undirected graphs to start from."""
    return moral_graph([v.name for v in engine.variables], quick_parents(engine))


def expected_density(n: int) -> float:
    """Return the density of three neighbors a variable, as :class:`SparsePrior` expects them."""
    return min(0.5, 3 / max(1, n - 1))


def directed_settings(
    scorer: FamilyScorer, max_parents: int | None = None, tabu: int = 10, patience: int = 5
) -> DirectedSettings:
    """Return the settings of a walk, as :class:`DirectedSearch` has them."""
    return DirectedSettings(
        ess=scorer.ess,
        arc_log_odds=scorer.arc_log_odds,
        max_parents=scorer.n if max_parents is None else max_parents,
        partners=0 if scorer.n <= ALL_PARTNERS else PARTNERS,
        tenure=tabu,
        patience=patience,
        known=known_arcs(scorer.known, scorer.order),
    )


@dataclass(eq=False)
class DirectedSearch(Learner[FamilyScorer, LearnedStructure]):
    r"""Look for the directed acyclic graph with the highest score; its moral graph is the network.

    For those who believe that the data come from a Bayesian network: each variable from a table of its own
    for the states of its parents. The result's ``graph`` is the moral graph; :attr:`dag_` has the directed
    one, :attr:`cpdag_` what of it the data can tell, and ``structure_.details["parents"]`` keeps it in files.
    By BDeu every pair has a probability, that it is joined in graphs drawn from their posterior
    (:mod:`graphoid.learners.directed.chain`).

    Starts from the graph without arcs and takes the best of all additions, deletions and reversals of one
    arc (hill climbing, [Heckerman1995]_) with a tabu list ([Glover1989]_); then variables are reinserted one
    after the other: they lose all of their arcs and are put in again in another way ([Moore2003]_).

    Parameters
    ----------
    score
        "bic" or "bdeu": see :class:`graphoid.scores.families.FamilyScorer`.
    ess
        Equivalent sample size of BDeu; None for the mean over 1, 8, 64 and 512, table by table: with one
        row's worth of prior, arcs between columns of many states are missed.
    density
        The probability that two variables have an arc, a priori; None takes all graphs as likely.
    max_parents
        The most that a variable may have; None for as many as the rows can carry.
    tabu
        Steps for which a pair that changed is left alone, unless that leads higher than ever.
    patience
        Steps that lose which a walk may take before it has to meet a better graph than all before.
    reinsertions
        Of every variable, on average, at most; the search ends after six of each that did not help. 0 only
        climbs and walks.
    probabilities
        Whether to draw graphs by BDeu for the probabilities of pairs.
    seconds
        Stop after so much time, with the best graph so far.
    random_state
        Seed; the same seed gives the same graph.

    Notes
    -----
    A parent is not tried where the parents would have more configurations than there are rows, nor, by BIC,
    where its parameters cost more than all that is left to explain. With more than 1,000 variables, those
    sixty may be parents of a variable that gain most as its only one, and ``settings["partners"]`` says so.
    Of [Moore2003]_'s optimal reinsertion, the best way back is found by the walk and not by enumeration.

    With ``knowledge``, a required pair has an arc in one direction or the other; a forbidden one has no arc
    and no child in common, as the moral graph would join it. A probability is that of an arc in either
    direction.

    Examples
    --------
    >>> import graphoid as gd
    >>> found = gd.DirectedSearch(random_state=0).fit(gd.datasets.load("titanic"))
    >>> found.structure_.graph.has_edge("sex", "survived")
    True
    """

    score: str = "bic"
    _: KW_ONLY
    ess: float | None = 1.0
    density: float | None = None
    max_parents: int | None = None
    tabu: int = 10
    patience: int = 5
    reinsertions: float = 10.0
    probabilities: bool = True
    seconds: float | None = None
    random_state: RandomState = None

    allowed: ClassVar[Mapping[str, Allowed]] = {
        "score": ("bic", "bdeu"),
        "ess": Number(above=0, optional=True),
        "density": Number(above=0, below=1, optional=True),
        "max_parents": Number(least=0, whole=True, optional=True),
        "tabu": Number(least=0, whole=True),
        "patience": Number(least=0, whole=True),
        "reinsertions": NOT_NEGATIVE,
        "seconds": Number(least=0, optional=True),
    }

    @property
    def dag_(self) -> dict[str, tuple[str, ...]]:
        """Of every variable its parents, by name."""
        found = self.structure_
        parents: Mapping[str, Sequence[str]] = found.details["parents"]
        return {name: tuple(parents.get(name, ())) for name in found.names}

    @property
    def cpdag_(self) -> CPDAG:
        """Arcs whose direction the independences decide, and edges of which either direction will do."""
        return cpdag_of(self.dag_)

    def _join(self, table: Table, run: Run) -> FamilyScorer:
        engine = engine_for(with_states(table))
        if table.holes and not isinstance(engine, DirectedEngine):
            raise DataError(
                f"{table.n_missing:,} cell(s) are missing, and directed graphs of weighted rows, or without "
                f"compiled kernels, are scored in complete rows alone; choose {setting('missing', 'drop')}."
            )
        bdeu = SAMPLE_SIZES if self.ess is None else (self.ess,)
        return FamilyScorer(engine, () if self.score == "bic" else bdeu, self.density, run.pairs)

    def _learn(self, source: FamilyScorer, run: Run) -> LearnedStructure:
        seed, rng = seed_and_generator(self.random_state)
        walk = self._walk(source)
        more: Inclusion | None = None
        stopped = "converged"
        try:
            with time_limit(run.left):
                tabu_search_with_reinsertions(
                    walk, source.n, self.reinsertions, rng, run.progress, source.names
                )
                if self.score == "bdeu" and self.probabilities and source.n > 1:
                    tell(run.progress, Step("drawing graphs", 0))
                    parents = walk.best_parents()
                    graph = moral_graph(source.names, parents)
                    gains = _gains(walk, parents, graph)
                    more = edge_inclusion(source, parents, graph, gains, int(rng.integers(2**63)))
        except OutOfTime:
            stopped = "budget"
        except KeyboardInterrupt:
            raise Interrupted(self._result(source, walk, run, seed, "interrupted")) from None
        found = self._result(source, walk, run, seed, stopped)
        if more is None:
            return found
        if source.known is not None:
            more = more.decide(source.known)
        return replace(found, edge_probabilities=more.probabilities, underpowered=more.underpowered)

    def _walk(self, source: FamilyScorer) -> DirectedWalk:
        return directed_walk(source, directed_settings(source, self.max_parents, self.tabu, self.patience))

    def for_resamples(self, found: LearnedStructure) -> DirectedSearch:  # noqa: ARG002 - others need it
        """Return the search without what takes most of its time."""
        reinsertions = min(self.reinsertions, 1.0)
        return replace(self, reinsertions=reinsertions, probabilities=False)

    def _result(
        self, source: FamilyScorer, walk: DirectedWalk, run: Run, seed: int | None, stopped: str
    ) -> LearnedStructure:
        parents, names = walk.best_parents(), source.names
        begun = stopped == "converged" or walk.n_steps() > 0
        if not begun and source.known is not None:
            parents = required_parents(source.known, source.order)
        graph = moral_graph(names, parents)
        screened = {} if source.n <= ALL_PARTNERS else {"partners": PARTNERS}
        return LearnedStructure(
            graph=graph,
            cost=Cost(seconds=time.perf_counter() - run.started),
            stopped=stopped,
            settings={**self._record(), **screened},
            seed=seed,
            data_id=run.data_id,
            scored=Scored(
                value=source.value(parents),
                gains=_gains(walk, parents, graph) if begun else {},
                n_terms=walk.n_terms(),
            ),
            details={
                "parents": {names[v]: [names[p] for p in sorted(own)] for v, own in enumerate(parents) if own}
            },
        )


def _gains(walk: DirectedWalk, parents: Sequence[Sequence[int]], graph: UndirectedGraph) -> dict[Edge, float]:
    """Return what the score gains without each arc, and with one between others that it may be worth it.

    Of few variables, of all others. Pairs that are joined only because they have a child in common have none.
    """
    gains: dict[Edge, float] = {}
    least = -np.inf if graph.n * (graph.n - 1) // 2 <= SHOWN_PAIRS else UNLIKELY
    for v, own in enumerate(parents):
        row = walk.row(v)
        for x in np.flatnonzero(row > least).tolist():
            if x in own:
                continue
            pair = (min(x, v), max(x, v))
            if not graph.has_edge(*pair):
                gains[pair] = max(float(row[x]), gains.get(pair, -np.inf))
        gains |= {(min(p, v), max(p, v)): float(row[p]) for p in own}
    return dict(sorted(gains.items()))
