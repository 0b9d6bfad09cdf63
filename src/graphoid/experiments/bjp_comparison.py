"""The learners that experiments with scores compare, by name, and how they are measured."""

from __future__ import annotations

import time
from statistics import fmean
from typing import TYPE_CHECKING, NamedTuple

from graphoid.errors import SettingsError
from graphoid.experiments.l1_logistic import L1Logistic
from graphoid.experiments.results import Row, Spread, columns
from graphoid.independence.bayesian import BayesianTest
from graphoid.independence.thin import FLAGGED
from graphoid.learners.grow_shrink.gsimn import GSIMN
from graphoid.learners.grow_shrink.gsmn import GSMN
from graphoid.learners.pfmn.learner import PFMN
from graphoid.learners.recommended import learn
from graphoid.learners.scored.hill_climb import HillClimb
from graphoid.learners.scored.search import Search
from graphoid.learners.scored.two_phase import TwoPhase
from graphoid.scores.bjp import BJP
from graphoid.scores.ib import IBScore
from graphoid.scores.log_linear import LogLinearScore
from graphoid.scores.mpl import MPL
from graphoid.structure.compare import compare

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from graphoid.data.table import Table
    from graphoid.structure.graph import UndirectedGraph

PUBLISHED = ("GSMN*", "GSIMN", "MPL two-phase", "IB by IBMAP-HC", "BJP by IBMAP-HC")
"""Learners of the papers, with the searches that their authors propose."""

PRINTED_AS = {
    "GSMN* Bayesian": "GSMN",
    "MPL two-phase": "MPL",
    "IB by IBMAP-HC": "IB",
    "BJP by IBMAP-HC": "BJP",
}
"""What [Schluter2018]_ calls them in its tables."""


def _by(
    learner: Callable[[], GSMN | GSIMN | HillClimb | TwoPhase | Search],
) -> Callable[[Table], UndirectedGraph]:
    return lambda table: learner().fit(table).structure_.graph


LEARNERS: dict[str, Callable[[Table], UndirectedGraph]] = {
    "GSMN*": _by(GSMN),
    "GSMN* Bayesian": _by(lambda: GSMN(test=BayesianTest(thin=FLAGGED))),
    "GSIMN": _by(GSIMN),
    "PFMN": lambda table: PFMN(random_state=0).fit(table).structure_.graph,
    "MPL two-phase": _by(lambda: TwoPhase(MPL())),
    "IB by IBMAP-HC": _by(lambda: HillClimb(IBScore())),
    "BJP by IBMAP-HC": _by(lambda: HillClimb(BJP())),
    "log-linear, best edge": _by(lambda: HillClimb(LogLinearScore(), moves="best")),
    "MPL by Search": _by(lambda: Search(MPL(), random_state=0)),
    "IB by Search": _by(lambda: Search(IBScore(), random_state=0)),
    "BJP by Search": _by(lambda: Search(BJP(), random_state=0)),
    "log-linear by Search": _by(lambda: Search(LogLinearScore(), random_state=0)),
    "gd.learn": lambda table: learn(table, random_state=0).graph,
    "l1-logistic": L1Logistic().graph,
}
"""From a table to a graph."""


QUICK = (*PUBLISHED, "log-linear, best edge", "gd.learn")
"""Those that take seconds on thirty variables; `gd.learn` a minute where hubs have many triangles."""

MOST_VARIABLES = {
    "GSMN* Bayesian": 128,
    "PFMN": 32,
    "IB by Search": 32,
    "BJP by Search": 16,
    "l1-logistic": 16,
}
"""Up to how many variables a learner is run, where it would take minutes beyond."""


class Errors(NamedTuple):
    """What one learner got wrong on one table, and how long it took."""

    false_positives: int
    false_negatives: int
    seconds: float

    @property
    def hamming(self) -> int:
        """Pairs on which the learned graph and the true one differ."""
        return self.false_positives + self.false_negatives


MEASURES = columns("learner, false positives:1, false negatives:1, Hamming:1, / best published:2, seconds:2")
"""Columns of what is measured; there is a row for each learner."""

MEASURES_NOTE = """Mean ± standard deviation. 'Hamming' is the number of pairs that are wrong; '/ best
published' its mean over the lowest mean of GSMN*, GSIMN, MPL, IB and BJP as published. Seconds are of the
processor, all threads together."""


def check_learners(names: Sequence[str]) -> None:
    """Raise where a name is none of a learner, and say which there are."""
    for name in names:
        if name not in LEARNERS:
            raise SettingsError(f"no learner is named {name!r}; there are {', '.join(LEARNERS)}.")


def quick_enough(names: Sequence[str], n: int) -> tuple[str, ...]:
    """Return the learners that are run on so many variables."""
    return tuple(name for name in names if n <= MOST_VARIABLES.get(name, n))


def measure(names: Sequence[str], table: Table, true: UndirectedGraph) -> dict[str, Errors]:
    """Learn from a table with every learner and hold the graphs against the true one."""
    found = {}
    for name in names:
        started = time.process_time()
        graph = LEARNERS[name](table)
        seconds = time.process_time() - started
        wrong = compare(graph, true)
        found[name] = Errors(wrong.false_positives, wrong.false_negatives, seconds)
    return found


def summarize(runs: Sequence[Mapping[str, Errors]]) -> dict[str, Row]:
    """Return the cells of :data:`MEASURES` for every learner, over data sets."""
    mean = {name: fmean(run[name].hamming for run in runs) for name in runs[0]}
    best = min((mean[name] for name in PUBLISHED if name in mean), default=None)
    return {
        name: (
            name,
            Spread.of(run[name].false_positives for run in runs),
            Spread.of(run[name].false_negatives for run in runs),
            Spread.of(run[name].hamming for run in runs),
            mean[name] / best if best else None,
            Spread.of(run[name].seconds for run in runs),
        )
        for name in mean
    }
