"""How much a graph depends on settings: alpha, prior and binning varied in one call."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from graphoid.data.read import read
from graphoid.data.table import Table
from graphoid.errors import SettingsError
from graphoid.learners.base import AnyLearner, AskingLearner, Learner
from graphoid.learners.grow_shrink.gsimn import GSIMN
from graphoid.uncertainty.replicates import graph_of, pairs_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graphoid.data.options import Transformer
    from graphoid.structure.graph import UndirectedGraph


class Setting(NamedTuple):
    """One way to learn, and the graph it gives."""

    name: str
    """What was varied: "as given", "alpha", "prior" or "discretize"."""
    value: object
    graph: UndirectedGraph


class SensitivityRow(NamedTuple):
    """One pair of variables that some setting joins."""

    x: str
    y: str
    joined: bool
    """By the settings as given."""
    share: float
    """Of the settings that join the pair."""
    flips: tuple[str, ...]
    """The settings that decide otherwise."""


class Sensitivity(NamedTuple):
    """All settings that were tried."""

    settings: list[Setting]

    def edges(self) -> list[SensitivityRow]:
        """Return a row for every pair that any setting joins, by position."""
        base = self.settings[0].graph
        rows = []
        for x, y in pairs_of(base.n):
            joined = [s.graph.has_edge(x, y) for s in self.settings]
            if any(joined):
                others = zip(self.settings, joined, strict=True)
                flips = tuple(f"{s.name} = {s.value}" for s, there in others if there != joined[0])
                rows.append(
                    SensitivityRow(base.names[x], base.names[y], joined[0], float(np.mean(joined)), flips)
                )
        return rows


def sensitivity(
    source: object,
    learner: AnyLearner | None = None,
    *,
    alpha: Sequence[float] = (0.001, 0.01, 0.05, 0.1),
    prior: Sequence[float] = (0.1, 0.3, 0.5, 0.7),
    discretize: Sequence[str | Transformer | None] = ("auto", "scott"),
) -> Sensitivity:
    """Learn with one setting varied at a time, and return which edges depend on it.

    Parameters
    ----------
    source
        Anything that :func:`graphoid.read` takes. Binning is varied where it is not a table yet.
    learner
        Any learner; ``GSIMN()`` if None.
    alpha
        Significances, for learners whose test has one.
    prior
        Prior probabilities of independence, for learners with a Bayesian test or a score by one.
    discretize
        Ways to bin, as :func:`graphoid.read` takes them.

    Examples
    --------
    >>> import graphoid as gd
    >>> found = gd.sensitivity(gd.datasets.load("titanic"), gd.GSMN())
    >>> [(row.x, row.y, row.flips) for row in found.edges() if row.flips]
    [('sex', 'age', ('alpha = 0.001',))]
    """
    learner = GSIMN() if learner is None else learner
    if not isinstance(learner, Learner):
        raise SettingsError(f"sensitivity: learner must be a learner such as GSIMN(), not {learner!r}.")
    table = source if isinstance(source, Table) else read(source)
    if isinstance(learner, AskingLearner) and learner.test is None:
        learner = learner.with_params(test=learner.test_for(table))  # whose settings are varied
    if learner.cuts_numbers(table):
        table = table.discretized  # one of the bins that are tried
    settings = [Setting("as given", "", graph_of(learner, table))]
    for name, values in (("alpha", alpha), ("prior", prior)):
        for value in values:
            varied = with_setting(learner, name, value)
            if varied is not None:
                settings.append(Setting(name, value, graph_of(varied, table)))
    if not isinstance(source, Table) and table.values:  # numbers were binned
        settings += [
            Setting("discretize", how, graph_of(learner, read(source, discretize=how))) for how in discretize
        ]
    return Sensitivity(settings)


def with_setting(learner: AnyLearner, name: str, value: float) -> AnyLearner | None:
    """Return a learner whose test has another alpha or prior; None where it has no such setting."""
    known = learner.get_params()
    for setting in (f"test__{name}", f"score__test__{name}"):
        if isinstance(known.get(setting), (int, float)):
            return learner.with_params(**{setting: value})
    return None
