"""The one-liner: the learner we recommend for the data at hand, and why."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from graphoid.data.table import Table
from graphoid.errors import SettingsError
from graphoid.learners.base import Learner
from graphoid.learners.scored.search import Search
from graphoid.scores.evidence import LogLinearEvidence

if TYPE_CHECKING:
    from types import EllipsisType

    from graphoid.progress import Listener
    from graphoid.settings import RandomState
    from graphoid.structure.graph import UndirectedGraph
    from graphoid.structure.learned import LearnedStructure

EFFORT = 0.6
"""Of the search: what it finds beyond the first peak, it mostly finds early."""

MOST_FOR_PRODUCTS = 150
"""Up to so many variables effects of two neighbors together are looked for; beyond, it takes minutes."""


def recommend(
    n: int,
    *,
    start: UndirectedGraph | LearnedStructure | None = None,
    random_state: RandomState = 0,
    seconds: float | None = None,
) -> tuple[Search, str]:
    """Return the learner we recommend for data of ``n`` variables, and the reason."""
    if n <= MOST_FOR_PRODUCTS:
        score = LogLinearEvidence()
        reason = "logistic models with products, or tables, whichever the data favor"
    else:
        score = LogLinearEvidence(order=2)
        reason = f"logistic models without products, or tables: {n:,} variables are many"
    return Search(score, effort=EFFORT, start=start, seconds=seconds, random_state=random_state), reason


def learn(
    table: object,
    learner: Learner[Any, LearnedStructure] | None = None,
    *,
    start: UndirectedGraph | LearnedStructure | None = None,
    random_state: RandomState | EllipsisType = ...,
    seconds: float | None = None,
    progress: Listener | None = None,
) -> LearnedStructure:
    """Learn a Markov network from data and return it.

    Parameters
    ----------
    table
        Anything that :func:`graphoid.read` takes.
    learner
        Who learns; the one we recommend if None: :class:`Search` with :class:`LogLinearEvidence`, which gives
        every pair a probability. ``settings["reason"]`` says why.
    start
        A graph, or a structure learned before, that the learner starts from as well.
    random_state
        Seed; the same seed gives the same result. If left out, 0 for the recommended learner, and for another
        one what its own settings say.
    seconds
        Time after which the search stops with the best graph so far, and ``stopped`` is "budget". On Ctrl-C
        the best graph so far is the ``structure`` of the :class:`graphoid.errors.Interrupted` that is raised.
    progress
        Hears of every step.

    Notes
    -----
    A learner that is given keeps its settings: a copy of it learns, with ``start``, ``seconds`` and
    ``random_state`` in the place of its own. One that has no such setting refuses it.

    Examples
    --------
    >>> import graphoid as gd
    >>> found = gd.learn(gd.datasets.load("titanic"))
    >>> found.graph.has_edge("sex", "survived")
    True
    """
    if not isinstance(table, Table):
        from graphoid.data.read import read

        table = read(table)
    if learner is not None:
        if not isinstance(learner, Learner):
            raise SettingsError(f"learner must be a learner such as GSIMN(), not {learner!r}.")
        given: dict[str, object] = {} if random_state is ... else {"random_state": random_state}
        given |= {k: v for k, v in (("start", start), ("seconds", seconds)) if v is not None}
        return learner.with_params(**given).fit(table, progress=progress).structure_
    seed = 0 if random_state is ... else random_state
    search, reason = recommend(len(table.varying.names), start=start, random_state=seed, seconds=seconds)
    found = search.fit(table, progress=progress).structure_
    return replace(found, settings={**found.settings, "reason": reason})
