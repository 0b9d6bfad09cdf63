"""The one-liner: the learner we recommend for the data at hand, and why."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from graphoid.counts.native import engine_for
from graphoid.counts.remote.access_cost import AccessCost, MeteredEngine
from graphoid.data.remote.table import RemoteTable
from graphoid.data.table import Table
from graphoid.errors import Interrupted, SettingsError
from graphoid.learners.base import Learner, add_access_cost
from graphoid.learners.directed.family import HELD_OUT, FamilyScores, compare_families
from graphoid.learners.directed.known import orient
from graphoid.learners.directed.search import DirectedSearch, expected_density
from graphoid.learners.scored.effect_scale import likely_scale
from graphoid.learners.scored.graph_sampling import sample_graphs
from graphoid.learners.scored.search import Search, climb_from, first_guess
from graphoid.limits import MOMENT, OutOfTime, time_limit
from graphoid.logic.names import quote
from graphoid.progress import Step, tell
from graphoid.regression.mixed import engine_of, moments_of, ordinal_moments
from graphoid.regression.sums import sum_engine
from graphoid.scores.evidence import LogLinearEvidence
from graphoid.scores.gaussian import GaussianEvidence
from graphoid.scores.priors import CommunityPrior
from graphoid.structure.graph import UndirectedGraph
from graphoid.structure.knowledge import Knowledge

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import EllipsisType

    from graphoid.progress import Listener
    from graphoid.settings import RandomState
    from graphoid.structure.knowledge import KnownPairs
    from graphoid.structure.learned import LearnedStructure

EFFORT = 0.6
"""Of the search: what it finds beyond the first peak, it mostly finds early."""

MOST_DIRECTED = 1_000
"""Up to so many variables directed graphs are tried as well; beyond, the reason says that they were not."""

LEAST_COMPLETE = 500
"""Complete rows from which on families are compared by them, where cells are missing: in fewer, the one that
is simpler wins."""


class Recommendation(NamedTuple):
    """Who is to learn."""

    learner: Search | DirectedSearch
    reason: str
    rivals: FamilyScores | None = None
    """How well directed and undirected graphs predict; None where directed ones are not tried."""


def recommend(
    data: Table | int,
    *,
    start: UndirectedGraph | LearnedStructure | None = None,
    random_state: RandomState = 0,
    seconds: float | None = None,
    knowledge: Knowledge | None = None,
    known: KnownPairs | None = None,
) -> Recommendation:
    """Return the learner we recommend for a table, or for so many variables with states, and the reason.

    ``known`` is what ``knowledge`` says of the pairs of the table.
    """
    search, reason = recommend_search(data)
    search = replace(search, start=start, seconds=seconds, random_state=random_state, knowledge=knowledge)
    if isinstance(data, int) or start is not None or len(data.names) < 3:
        return Recommendation(search, reason)
    if any(v.continuous for v in data.variables):
        return Recommendation(search, reason)
    if (missing := no_directed_graphs(data, known)) is not None:
        return Recommendation(search, f"{reason}; directed graphs were not tried, since {missing}")
    try:
        with time_limit(None if seconds is None else seconds / 2):
            rivals = compare_families(data, search.score, first_guess, climb_from, known=known)
    except OutOfTime:
        return Recommendation(search, f"{reason}; there was no time to try directed graphs")
    held_out = (
        f"a row that was held out is worth {rivals.directed:.3f} to directed graphs and "
        f"{rivals.undirected:.3f} to undirected ones"
    )
    if rivals.better == "undirected":
        return Recommendation(replace(search, directed_start=rivals.moral), f"{reason}; {held_out}", rivals)
    directed = DirectedSearch(
        "bdeu",
        ess=None,
        density=expected_density(len(data.names)),
        seconds=seconds,
        random_state=random_state,
        knowledge=knowledge,
    )
    return Recommendation(directed, f"a directed graph, of which this is the moral one: {held_out}", rivals)


def recommend_search(data: Table | int) -> tuple[Search, str]:
    """Return the search over undirected graphs that we recommend, and the reason."""
    score, reason = recommend_score(data)
    return Search(score, effort=EFFORT, random_state=0), reason


def no_directed_graphs(table: Table, known: KnownPairs | None = None) -> str | None:
    """Return why directed graphs of states are not tried; None where they are."""
    if known is not None:
        try:
            orient(known, range(len(table.names)))
        except SettingsError:
            return "none agrees with what is known"
    if isinstance(table, RemoteTable):
        return "rows that stay at their source cannot be held out"
    whole = table.complete_rows()
    if table.holes and whole.n_rows < LEAST_COMPLETE:
        return "too few rows are complete to hold some out"
    n_rows = whole.n_rows if whole.weights is None else int(np.count_nonzero(whole.weights.units))
    if n_rows < HELD_OUT:
        return "there are too few rows to hold some out"
    return f"{len(table.names):,} variables are many" if len(table.names) > MOST_DIRECTED else None


def recommend_score(data: Table | int) -> tuple[LogLinearEvidence | GaussianEvidence, str]:
    """Return the score we recommend, and the reason."""
    n = data if isinstance(data, int) else len(data.names)
    if isinstance(data, RemoteTable) and any(v.continuous for v in data.variables):
        sample = sample_graphs(sum_engine(data).moments())
        prior = CommunityPrior(min(0.5, max(sample.density, n**-2)))
        why = "linear models of every kind of column, by sums taken where the rows are"
        return GaussianEvidence(scale=sample.scale, prior=prior), why
    moments = None if isinstance(data, int) else moments_of(engine_of(data))
    numbers = moments is not None
    if not isinstance(data, int) and moments is None:
        moments = ordinal_moments(engine_of(data))
    if moments is not None:
        sample = sample_graphs(moments)
        found = LogLinearEvidence(
            scale=sample.scale,
            ess=None if numbers else LogLinearEvidence.ess,
            moment=True,
            prior=CommunityPrior(min(0.5, max(sample.density, n**-2))),
        )
        models = (
            "linear models of numbers, logistic ones of states" if numbers else "logistic models of grades"
        )
        return found, f"{models}, with a density that the data speak for"
    score = LogLinearEvidence(prior=CommunityPrior())
    if not isinstance(data, int):
        score = replace(score, scale=likely_scale(score, score.on(data)))
    small = "" if score.scale == LogLinearEvidence.scale else ", with small effects, as the data have them"
    return score, f"logistic models with products, or tables, whichever the data favor{small}"


def learn(
    table: object,
    learner: Learner[Any, LearnedStructure] | None = None,
    *,
    knowledge: Knowledge | None = None,
    start: UndirectedGraph | LearnedStructure | None = None,
    random_state: RandomState | EllipsisType = ...,
    seconds: float | None = None,
    engine: str = "auto",
    progress: Listener | None = None,
    covariates: Sequence[str] = (),
) -> LearnedStructure:
    """Learn a Markov network from data and return it.

    Parameters
    ----------
    table
        Anything that :func:`graphoid.read` takes.
    learner
        Who learns; the one we recommend if None: :class:`Search` with :class:`LogLinearEvidence` or, where
        directed graphs predict rows that were held out better, :class:`DirectedSearch` by BDeu. Either gives
        every pair a probability. ``settings["reason"]`` says why.
    knowledge
        What is known about edges: :class:`Knowledge`. The result's ``knowledge`` has what the data say of it.
    start
        A graph, or a structure learned before, that the learner starts from as well.
    random_state
        Seed; if left out, 0 for the recommended learner, and for another one what its own settings say.
    seconds
        Time after which the search stops with the best graph so far, and ``stopped`` is "budget". On Ctrl-C
        the best graph so far is the ``structure`` of the :class:`graphoid.errors.Interrupted` that is raised.
    engine
        Who counts rows in memory: "native", "gpu" or, whichever is quicker, "auto"; the answer is the same.
    progress
        Hears of every step.
    covariates
        Columns to adjust for: every edge and weight is given all of them; tables and drawings have none.

    Notes
    -----
    Directed graphs are tried for tables in memory of up to 1,000 columns of states: rows are held out. A
    learner that is given keeps its settings: a copy of it learns, with ``start``, ``seconds`` and
    ``random_state`` in the place of its own. One that has no such setting refuses it.

    Examples
    --------
    >>> import graphoid as gd
    >>> gd.learn(gd.datasets.load("titanic")).graph.has_edge("sex", "survived")
    True
    """
    table = _table_of(table, engine)
    check_covariates(table, covariates)
    if learner is not None:
        seed = {} if random_state is ... else {"random_state": random_state}
        chosen = _with_settings(learner, seed, start=start, seconds=seconds, knowledge=knowledge)
        found = chosen.fit(table, progress=progress).structure_
    else:
        state = 0 if random_state is ... else random_state
        found = _learn_as_recommended(table, start, state, seconds, progress, knowledge)
    return hide_covariates(covariates, found)


def _with_settings(
    learner: object, seed: Mapping[str, object], **settings: object
) -> Learner[Any, LearnedStructure]:
    """Return a learner with a seed, and those settings that are given."""
    if not isinstance(learner, Learner):
        raise SettingsError(f"learner must be a learner such as GSIMN(), not {learner!r}.")
    given = {name: value for name, value in settings.items() if value is not None}
    return learner.with_params(**seed, **given)


def _table_of(source: object, engine: str) -> Table:
    """Return a table, read unless it is one that is counted as it should be."""
    if isinstance(source, Table) and engine == "auto":
        return source
    from graphoid.data.read import read

    return read(source, engine=engine)


def check_covariates(table: Table, covariates: Sequence[str]) -> None:
    """Raise unless covariates are columns of a table, and leave a pair of others."""
    if isinstance(covariates, str):
        raise SettingsError(f"covariates is a list of columns, such as [{covariates!r}].")
    others = len(table.names) - len({table.position(name) for name in covariates})
    if covariates and others < 2:
        raise SettingsError(
            f"beside the covariates {quote(covariates)} there is {'one column' if others else 'no column'}; "
            "a network needs two."
        )


def hide_covariates(covariates: Sequence[str], found: LearnedStructure) -> LearnedStructure:
    """Return a structure whose tables and drawings leave out covariates, which all other variables are given.

    Its graph joins them with all: weights, too, are given all of them, and not those in a blanket alone.
    """
    if not covariates:
        return found
    graph, names = found.graph, list(dict.fromkeys(covariates))
    own = {graph.position(name) for name in names}
    given = {(min(v, z), max(v, z)) for z in own for v in range(graph.n) if v not in own}
    graph = UndirectedGraph(graph.names, sorted({*graph.edges, *given}))
    return replace(found, graph=graph, settings={**found.settings, "covariates": names})


def _learn_as_recommended(
    table: Table,
    start: UndirectedGraph | LearnedStructure | None,
    random_state: RandomState,
    seconds: float | None,
    progress: Listener | None,
    knowledge: Knowledge | None,
) -> LearnedStructure:
    """Learn by the learner we recommend, with the reason and what it took to find that out."""
    if table.missing == "impute" and table.n_missing:
        from graphoid.uncertainty.imputation import learn_imputed

        def learn_one(whole: Table, seconds: float | None) -> LearnedStructure:
            return _learn_as_recommended(whole, start, random_state, seconds, progress, knowledge)

        return learn_imputed(table, learn_one, random_state, seconds)
    engine: object = engine_for(table.varying) if isinstance(table, RemoteTable) else None
    before = engine.spent if isinstance(engine, MeteredEngine) else AccessCost()
    began = time.monotonic()
    known = None if knowledge is None else _known_pairs(knowledge, table)
    progress = tell(progress, Step("choosing a learner", 0))
    try:
        with time_limit(None if seconds is None else max(MOMENT, seconds)):
            chosen, reason, rivals = recommend(
                table.varying,
                start=start,
                random_state=random_state,
                seconds=seconds,
                knowledge=knowledge,
                known=known,
            )
    except OutOfTime:
        if seconds is None or time.monotonic() - began < seconds:  # the time of somebody outside
            raise
        raise SettingsError(f"{seconds:g} s were over before the search began; raise seconds.") from None
    except KeyboardInterrupt:
        begun = Search(LogLinearEvidence(), start=start, seconds=0.0, knowledge=knowledge).fit(table)
        raise Interrupted(replace(begun.structure_, stopped="interrupted")) from None
    if seconds is not None:
        chosen = chosen.with_params(seconds=max(0.0, seconds - (time.monotonic() - began)))
    found = chosen.fit(table, progress=progress).structure_
    if isinstance(engine, MeteredEngine):  # to recommend took access, too
        found = replace(found, cost=add_access_cost(found.cost, engine, before))
    families = {} if rivals is None else {"held_out_log_scores": rivals._asdict()}
    return replace(found, settings={**found.settings, "reason": reason, **families})


def _known_pairs(knowledge: Knowledge, table: Table) -> KnownPairs:
    """Return what is known of the pairs of columns that vary."""
    if not isinstance(knowledge, Knowledge):
        raise SettingsError(f"knowledge must be Knowledge(...) or None, not {knowledge!r}.")
    return knowledge.on(table.names).restrict([table.position(name) for name in table.varying.names])
