"""The one-liner: the learner we recommend for the data at hand, and why."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from graphoid.data.table import Table
from graphoid.errors import SettingsError
from graphoid.learners.scored.posterior import Posterior
from graphoid.learners.scored.search import Search
from graphoid.scores.evidence import LogLinearEvidence

if TYPE_CHECKING:
    from graphoid.progress import Listener
    from graphoid.structure.learned import LearnedStructure

EFFORT = 0.6
"""Of the search: what it finds beyond the first peak, it mostly finds early."""

MOST_FOR_PRODUCTS = 150
"""Up to so many variables effects of two neighbors together are looked for; beyond, it takes minutes."""

MOST_FOR_POSTERIOR = 12
"""Up to so many variables the posterior over graphs is sampled as well, which takes seconds."""


_ADDED = ("seconds", "queries", "rows_read", "bytes_read", "bytes_moved", "money")
"""What two searches on the same data cost together."""


def recommended(
    n: int, *, start: Any = None, random_state: Any = 0, seconds: float | None = None
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
    table: Any,
    learner: Any = None,
    *,
    start: Any = None,
    random_state: Any = 0,
    seconds: float | None = None,
    progress: Listener | None = None,
) -> LearnedStructure:
    """Learn a Markov network from data and return it.

    Parameters
    ----------
    table
        Anything that :func:`graphoid.read` takes.
    learner
        Who learns; the one we recommend if None: :class:`Search` with :class:`LogLinearEvidence`, and, of few
        variables, :class:`Posterior` for the probability of every edge. ``settings["reason"]`` says why.
    start
        A graph, or a structure learned before, that the recommended learner starts from as well.
    random_state
        Seed of the recommended learner; the same seed gives the same result.
    seconds
        Time after which its search stops with the best graph so far.
    progress
        Hears of every step.

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
        if not hasattr(learner, "fit"):
            raise SettingsError(f"learner must be a learner such as GSIMN(), not {learner!r}.")
        found: LearnedStructure = learner.fit(table).structure_
        return found
    search, reason = recommended(
        len(table.variables), start=start, random_state=random_state, seconds=seconds
    )
    found = search.fit(table, progress=progress).structure_
    found = replace(found, settings={**found.settings, "reason": reason})
    if not 2 <= len(table.variables) <= MOST_FOR_POSTERIOR:
        return found
    posterior = Posterior(search.score, start=found, random_state=random_state)
    sampled = posterior.fit(table, progress=progress).structure_
    return replace(
        found,
        edge_probabilities=sampled.edge_probabilities,
        settings={**found.settings, "convergence": sampled.settings["convergence"]},
        cost=replace(
            found.cost, **{name: getattr(found.cost, name) + getattr(sampled.cost, name) for name in _ADDED}
        ),
    )
