"""All that takes long on some table, ended by the clock or by Ctrl-C, and how long it goes on after that."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

import graphoid as gd
from graphoid.data.table import Table
from graphoid.data.variables import Variable
from graphoid.errors import GraphoidError
from graphoid.limits import OutOfTime, time_limit
from tests.support.clock import Seconds
from tests.support.ctrl_c import CtrlC

if TYPE_CHECKING:
    from collections.abc import Callable

    Work = Callable[..., object]
    """Done with a table; learners take seconds as well."""


def table_of(n_rows: int, n: int, arity: int) -> Table:
    """Return columns that each copy one of the five before them, half of the time."""
    rng = np.random.default_rng(0)
    codes = np.empty((n, n_rows), dtype=np.uint8)
    for i in range(n):
        codes[i] = rng.integers(arity, size=n_rows)
        if i:
            copied = rng.random(n_rows) < 0.5
            codes[i, copied] = codes[rng.integers(max(0, i - 5), i), copied]
    variables = tuple(Variable(f"v{i}", tuple(map(str, range(arity)))) for i in range(n))
    return Table(variables, tuple(codes), n_rows)


def most_columns(name: str, n: int) -> int:
    """Return how many columns something takes: forward chaining, and going through all graphs, few."""
    return min(n, {"GSIMN-FCH": 13, "ExhaustiveSearch": 7, "PFMN": 64, "PublishedPFMN": 64}.get(name, n))


def dense_path(table: Table) -> gd.UndirectedGraph:
    """Return a graph that joins each variable to three before it."""
    n = len(table.names)
    return gd.UndirectedGraph(table.names, [(i, j) for j in range(n) for i in range(max(0, j - 3), j)])


def classify(table: Table) -> object:
    """Fit a classifier of the last column."""
    codes = np.asarray(table.codes)
    return gd.MarkovNetworkClassifier().fit(codes[:, :-1], codes[:, -1] % 2)


def learn(learner: Any, table: Table, seconds: float | None = None) -> object:
    """Learn within so many seconds, as a setting of the learner."""
    if isinstance(learner, (gd.PFMN, gd.PublishedPFMN)):
        return gd.learn(table, learner.with_params(budget={"seconds": seconds} if seconds else None))
    return gd.learn(table, learner, seconds=seconds)


LEARNERS: dict[str, Any] = {
    "gd.learn": None,
    "GSMN": gd.GSMN(),
    "GSMN, likelihood ratio": gd.GSMN(test=gd.LikelihoodRatio()),
    "GSMN, fdr": gd.GSMN(fdr=0.05, regrow=2),
    "GSIMN": gd.GSIMN(),
    "GSIMN-FCH": gd.GSIMN(chaining="forward"),
    "RobustGSMN": gd.RobustGSMN(),
    "PFMN": gd.PFMN(random_state=0),
    "PublishedPFMN": gd.PublishedPFMN(random_state=0),
    "MPL, two phases": gd.TwoPhase(gd.MPL()),
    "IB, HillClimb": gd.HillClimb(gd.IBScore()),
    "BJP, HillClimb": gd.HillClimb(gd.BJP()),
    "Search, evidence": gd.Search(gd.LogLinearEvidence(), random_state=0),
    "Search, log-linear": gd.Search(gd.LogLinearScore(), random_state=0),
    "Search, Gaussian": gd.Search(gd.GaussianEvidence(), random_state=0),
    "Search, MPL": gd.Search(gd.MPL(), random_state=0),
    "Search, IB": gd.Search(gd.IBScore(), random_state=0),
    "Search, BJP": gd.Search(gd.BJP(), random_state=0),
    "DirectedSearch, BIC": gd.DirectedSearch(random_state=0),
    "DirectedSearch, BDeu": gd.DirectedSearch("bdeu", random_state=0),
    "ExhaustiveSearch": gd.ExhaustiveSearch(gd.MPL()),
    "CSPC": gd.CSPC(),
    "CSGS": gd.CSGS(),
    "Posterior": gd.Posterior(gd.LogLinearEvidence(), random_state=0),
}
"""Every search, with the settings it has by itself."""

EVERYTHING: dict[str, Work] = {
    **{name: partial(learn, learner) for name, learner in LEARNERS.items()},
    "strengths": lambda table: gd.strengths(dense_path(table), table),
    "MarkovNetwork.fit": lambda table: gd.MarkovNetwork.fit(dense_path(table), table),
    "MarkovNetwork.fit, exact": lambda table: gd.MarkovNetwork.fit(dense_path(table), table, method="exact"),
    "Bootstrap, GSMN": lambda table: gd.Bootstrap(gd.GSMN(), n=5_000, random_state=0).fit(table),
    "Bootstrap, GSIMN": lambda table: gd.Bootstrap(gd.GSIMN(), n=5_000, random_state=0).fit(table),
    "Bootstrap, gd.learn": lambda table: gd.Bootstrap(n=500, random_state=0).fit(table),
    "MarkovNetworkClassifier": classify,
    "compare_groups": lambda table: gd.compare_groups(table, table.names[0], random_state=0),
}
"""And what else goes through a table again and again."""


def measure(name: str, table: Table, seconds: float, *, press: bool) -> tuple[str, float]:
    """Return how a run ended that has so many seconds, or Ctrl-C after them, and how long it took."""
    with Seconds() as clock:
        try:
            if name in LEARNERS and not press:
                found = EVERYTHING[name](table, seconds=seconds)
            else:
                with CtrlC(seconds) if press else time_limit(seconds):
                    found = EVERYTHING[name](table)
            ended = str(getattr(found, "stopped", "done"))
        except (OutOfTime, KeyboardInterrupt) as stop:
            ended = type(stop).__name__
        except GraphoidError as error:
            ended = f"refused: {error}"
    return ended, clock.taken
