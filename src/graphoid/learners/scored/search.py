"""The search we recommend: climb, walk on where climbing ends, and start again nearby."""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from graphoid.counts.engine import DirectedEngine
from graphoid.data.table import Table
from graphoid.errors import SettingsError
from graphoid.independence.chi_square import DEFAULT_TEST
from graphoid.independence.tester import Tester
from graphoid.learners.directed.search import moral_start
from graphoid.learners.grow_shrink.robust import RobustGSMN
from graphoid.learners.scored.base import Found, ScoreLearner, Start, Task, initial_graph
from graphoid.learners.scored.graph_sampling import sample_graphs
from graphoid.learners.scored.hill_climb import Climb, ibmap_hc, steepest_ascent
from graphoid.learners.scored.inclusion import PairEvidence
from graphoid.learners.scored.local_search import LazyNeighborhood, Neighborhood, improves, rounding
from graphoid.learners.scored.screen import SecondLook, candidates, first_look
from graphoid.progress import Listener, Step, tell
from graphoid.regression.mixed import moments_of, ordinal_moments
from graphoid.scores.closures import PairScorer
from graphoid.scores.priors import AdaptivePrior, BlockPrior
from graphoid.settings import NOT_NEGATIVE, Allowed, Number, RandomState, describe
from graphoid.structure.graph import UndirectedGraph

if TYPE_CHECKING:
    from collections.abc import Mapping

    from graphoid.scores.base import Scorer
    from graphoid.structure.learned import LearnedStructure

MOST_TO_START_AGAIN = 300
"""Beyond so many variables there is one start: a climb takes minutes."""

PATIENCE = 40
"""Walks without success after which a search of normal effort ends."""

FEWER = 256
"""Divided by the number of variables, the walks where there are many of them: each takes longer."""

ADAPTED = 5
"""How often a prior is brought in line with what was found, at most: it mostly stays after three times."""

ANEW = 0.2
"""How often a walk starts from a random graph with as many edges as variables, far from the best so far."""

EFFORTS = {"quick": 0.25, "normal": 1.0, "thorough": 4.0}


@dataclass
class Record:
    """The best graph that walks have met, and how many steps they have left."""

    best: UndirectedGraph
    top: float
    """The score of the best."""
    steps: float
    progress: Listener | None = None

    def improve(self, at: Neighborhood) -> None:
        """Keep a graph that is better than all before, and tell."""
        if improves(at.value - self.top, self.top):
            self.best, self.top = at.graph, at.value
            self.progress = tell(self.progress, Step("searching", 0, so_far=self.best))


def tabu_walk(at: Neighborhood, length: int, rng: np.random.Generator, record: Record) -> UndirectedGraph:
    """Take the best step again and again, also downhill, never soon back; return the best graph met.

    A step back is allowed where it leads higher than ever before. The walk ends after ``length`` steps
    without that.
    """
    best, top = at.graph, at.value
    tabu = np.zeros(len(at.edges), dtype=np.int64)  # until when an edge may not be flipped again
    tenure = min(7, len(at.edges) // 3)  # at least: enough to leave a triangle or two behind
    now = since = 0
    while since < length and record.steps > 0:
        now += 1
        since += 1
        allowed = (tabu <= now) | (at.value + at.gains > top + rounding(top))
        if not allowed.any():
            continue
        i = at.best(allowed)
        at.flip(i)
        record.steps -= 1
        tabu[i] = now + tenure + int(rng.integers(0, tenure + 1))
        if improves(at.value - top, top):
            best, top, since = at.graph, at.value, 0
            record.improve(at)
    return best


def perturb(graph: UndirectedGraph, at: Neighborhood, rng: np.random.Generator) -> UndirectedGraph:
    """Return a graph with the neighborhood of one variable drawn anew; now and then, another graph.

    Flips a few candidate edges among a variable, its blanket and its candidates: a block that single steps
    cannot cross, such as a triangle that pays only as a whole or a hub that took its leaves' edges.
    """
    edges, names = at.edges, at.scorer.names
    if rng.random() < ANEW:
        return at.scorer.graph([edge for edge in edges if rng.random() < 2 / len(names)])
    center = at.scorer.order[int(rng.integers(len(names)))]
    around = {center, *graph.blankets[center]}
    around |= {y if x == center else x for x, y in edges if center in (x, y) and rng.random() < 0.2}
    block = [edge for edge in edges if edge[0] in around and edge[1] in around]
    if not block:
        return graph
    size = min(len(block), int(rng.integers(2, 6)))
    flips = {block[int(i)] for i in rng.choice(len(block), size=size, replace=False)}
    return UndirectedGraph(names, flips.symmetric_difference(graph.edges))


def first_guess(scorer: Scorer) -> UndirectedGraph:
    """Return a graph to start from that takes little time: robust, or likely by second moments."""
    moments = moments_of(scorer.engine) or ordinal_moments(scorer.engine)
    if moments is not None:
        return sample_graphs(moments).graph(scorer.names)
    return RobustGSMN().learn(Tester(DEFAULT_TEST, scorer.engine)).graph


def climb_from(scorer: Scorer, start: UndirectedGraph) -> UndirectedGraph:
    """Return the peak above a graph."""
    at = LazyNeighborhood(scorer, start, candidates(scorer, [start]))
    steepest_ascent(at)
    return at.graph


def directed_guess(scorer: Scorer) -> UndirectedGraph | None:
    """Return the moral graph of a directed one; None of numbers, or where the engine has no such search."""
    states = not any(v.continuous for v in scorer.engine.variables)
    return moral_start(scorer.engine) if states and isinstance(scorer.engine, DirectedEngine) else None


def iterated_local_search(
    at: Neighborhood, patience: int, rng: np.random.Generator, record: Record
) -> UndirectedGraph:
    """Walk and perturb until neither has led higher for a while; return the best graph met."""
    length = max(8, min(3 * at.scorer.n, 60))  # of a walk: time to take apart and rebuild what a variable has
    tries = 0
    while tries < patience and at.edges and record.steps > 0:
        before = record.top
        at.reset(tabu_walk(at, length, rng, record))
        steepest_ascent(at)
        record.improve(at)
        tries = 0 if record.top > before else tries + 1
        record.progress = tell(record.progress, Step("searching", tries, patience, so_far=record.best))
        before = record.top
        at.reset(perturb(record.best, at, rng))
        steepest_ascent(at)
        record.improve(at)
        if record.top > before:
            tries = 0
    return record.best


def adapt_prior(found: Found, scorer: Scorer, progress: Listener | None) -> Found:
    """Climb on where what was found speaks for another prior over graphs, until it stays: empirical Bayes."""
    prior = scorer.graph_prior
    if not isinstance(prior, AdaptivePrior):
        return found
    for _ in range(ADAPTED):
        before, edges = found.graph, found.reported_pairs(scorer.n)
        gains = scorer.gains(before, edges).tolist()
        worth = {
            edge: -gain if before.has_edge(*edge) else gain for edge, gain in zip(edges, gains, strict=True)
        }
        adapted = prior.adapt(scorer.names, PairEvidence.of(worth, scorer, before).probabilities())
        if adapted is None or adapted == scorer.graph_prior:
            break
        scorer.adopt(adapted)
        look = SecondLook(scorer)
        if look.every:
            blocks = [sorted(map(scorer.names.index, block)) for block in adapted.blocks]
            own = {pair for block in blocks for pair in combinations(block, 2)}
        else:
            own = set(look.conspicuous_pairs(before, found.pairs or ()))
        at = LazyNeighborhood(
            scorer, before, scorer.sort_edges(scorer.open_pairs({*(found.pairs or ()), *own}))
        )
        steepest_ascent(at, progress)
        found = found._replace(
            graph=at.graph, pairs=at.edges, more={**(found.more or {}), "prior": describe(adapted)}
        )
        if at.graph == before:
            break
    return found


@dataclass(eq=False)
class Search(ScoreLearner):
    """Look for the graph with the highest score: the search we recommend.

    Climbs to the nearest peak from several starts (no edges, GSIMN's graph and, for sums over pairs, what
    IBMAP-HC finds), walks on from the best of them by the best step that does not lead back (tabu search),
    and then starts again and again from the best graph with the neighborhood of one variable drawn anew.
    Gains are kept, and a step brings only those up to date that it changes.

    Parameters
    ----------
    score
        :class:`LogLinearScore`, :class:`BJP`, :class:`IBScore` or :class:`MPL`.
    effort
        "quick", "normal", "thorough", or a number by which the usual number of walks is multiplied; 0 only
        climbs, and only from ``start`` where that is given.
    start
        A graph or a learned structure to start from as well.
    seconds, max_steps
        Stop after so much time, or so many steps after the first climb, with the best graph so far.
    directed_start
        Whether to start from the moral graph of a quick :class:`DirectedSearch` as well: of networks with
        tables of many states the best of starts. Not for data that stay at their source.
    random_state
        Seed; the same seed gives the same graph.

    Notes
    -----
    With more than 40 variables only pairs are looked at that depend on each other most strongly, twelve for
    each variable, and those that are joined or share a neighbor in a start. In the end all others are looked
    at once more, and the climb goes on with those that would improve the graph: with up to 300 variables each
    is scored; with more, those whose residuals given the blankets found are correlated, which all pairs are
    looked at for; of rows that stay at their source, none. ``settings["second_look"]`` says which.
    """

    _: KW_ONLY
    effort: str | float = "normal"
    start: Start = None
    max_steps: int | None = None
    directed_start: bool = False
    random_state: RandomState = None

    allowed: ClassVar[Mapping[str, Allowed]] = {
        **ScoreLearner.allowed,
        "max_steps": Number(least=0, optional=True),
    }

    def for_resamples(self, found: LearnedStructure) -> ScoreLearner:
        """Return the climb from what was found in all rows by the pairs that may come out otherwise."""
        scored, table = found.scored, found.table
        if (
            scored is None
            or self.score.log_odds_share is None
            or not isinstance(table, Table)
            or table.constants
        ):
            return replace(self, effort=0, start=found.graph)
        score = self.score
        if isinstance(known := found.settings.get("prior"), dict):  # what was found spoke for another one
            score = replace(score, prior=BlockPrior.from_settings(known))
        evidence = PairEvidence.of(scored.worth(found.graph), score.on(table), found.graph)
        candidates = UndirectedGraph(found.graph.names, evidence.unsettled_pairs(found.graph))
        return Climb(
            score,
            seconds=self.seconds,
            start=found.graph,
            candidates=candidates,
            knowledge=self.knowledge,
        )

    def search(self, task: Task) -> Found:
        """Climb from several graphs, search on from the best peak, and look at what was left out."""
        effort = EFFORTS.get(self.effort) if isinstance(self.effort, str) else self.effort
        if effort is None or effort not in NOT_NEGATIVE:
            raise SettingsError(
                f"Search: effort must be 'quick', 'normal', 'thorough' or a number of at least 0, "
                f"not {self.effort!r}."
            )
        scorer, rng, progress, _ = task
        starts = [scorer.graph()]
        if self.start is not None:
            starts.insert(0, initial_graph(self.start, task))
            progress = tell(progress, Step("climbing", 0, so_far=starts[0]))
            starts = starts[:1] if effort == 0 else starts
        if scorer.n <= MOST_TO_START_AGAIN and not (effort == 0 and self.start is not None):
            if isinstance(scorer, PairScorer):
                starts.append(ibmap_hc(scorer, scorer.graph())[0])
            starts.append(scorer.graph(first_guess(scorer).edges))
            if self.directed_start and (directed := directed_guess(scorer)) is not None:
                starts.append(scorer.graph(directed.edges))
        starts.sort(key=scorer.value, reverse=True)  # a climb from the best is short, and most is known then
        progress = tell(progress, Step("climbing", 0, so_far=starts[0]))
        at = LazyNeighborhood(scorer, starts[0], candidates(scorer, starts))
        best, top = starts[0], -np.inf
        steps = math.inf if self.max_steps is None else self.max_steps
        for graph in dict.fromkeys(starts):
            at.reset(graph)
            steepest_ascent(at, progress if top == -np.inf else None)  # later climbs begin below the best
            if top == -np.inf or improves(at.value - top, top):
                best, top = at.graph, at.value
                progress = tell(progress, Step("climbing", 0, so_far=best))
            if steps <= 0:
                return Found(best, stopped="budget", pairs=at.edges)
        at.reset(best)
        record = Record(best, at.value, steps, progress)
        best = iterated_local_search(at, round(effort * min(PATIENCE, FEWER / scorer.n)), rng, record)
        n_pairs = scorer.n_open_pairs
        look = SecondLook(scorer)
        while len(at.edges) < n_pairs and record.steps > 0:
            more = look.overlooked_edges(best, at.edges, progress)
            if not more:
                break
            at = LazyNeighborhood(scorer, best, scorer.sort_edges({*at.edges, *more}))
            steepest_ascent(at, progress)
            best = at.graph
        stopped = "converged" if record.steps > 0 else "budget"
        worth = first_look(scorer) if effort > 0 else None
        more_said = {} if len(at.edges) == n_pairs else {"second_look": look.words}
        found = Found(best, stopped=stopped, pairs=at.edges, worth=worth, more=more_said)
        return adapt_prior(found, scorer, progress)
