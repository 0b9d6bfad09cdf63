"""Who learns: every learner as a function from a table to what is run, with all conversion done before.

A peer that is not installed raises MissingError. Peers are used as they come, on one thread; those with a
test are given G2 at .01, those with a score BIC. What is directed becomes its moral graph.
"""

from __future__ import annotations

import importlib
import shutil
import subprocess
import tempfile
import time
import warnings
from functools import cache, partial
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import graphoid as gd
from graphoid.counts.native import engine_for
from graphoid.experiments.l1_logistic import L1Logistic

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from numpy.typing import NDArray

    Pair = tuple[int, int]

ALPHA = 0.01
"""Of every test; pgmpy's default, and the one that its users and those of causal-learn's PC mostly take."""

SCRIPT = Path(__file__).with_name("peers.R")


class MissingError(Exception):
    """A peer that is not installed here."""


class Found(NamedTuple):
    """What a learner returns."""

    edges: list[Pair]
    """Those of the undirected graph."""
    seconds: float | None = None
    """CPU time of learning where that happened in another process."""
    peak: float | None = None
    """Its peak memory in megabytes, likewise."""


if TYPE_CHECKING:
    Prepared = Callable[[], Found]


class Learner(NamedTuple):
    """A learner, and what it is for."""

    prepare: Callable[[gd.Table], Prepared]
    package: str
    """Name of the distribution, for its version; "graphoid" for ours."""
    binary: bool = False
    """Whether it is for binary columns only."""


def moral(arcs: Iterable[Pair], lines: Iterable[Pair] = ()) -> list[Pair]:
    """Return the edges of the moral graph: of a directed graph, or of a pattern with lines beside arcs."""
    parents: dict[int, set[int]] = {}
    edges = {(min(pair), max(pair)) for pair in lines}
    for parent, child in arcs:
        parents.setdefault(child, set()).add(parent)
        edges.add((min(parent, child), max(parent, child)))
    for known in parents.values():
        edges |= set(combinations(sorted(known), 2))
    return sorted(edges)


def codes_of(table: gd.Table) -> NDArray[np.int64]:
    """Return the codes, a row a case."""
    return np.column_stack([table.column(v) for v in range(len(table.variables))]).astype(np.int64)


def frame_of(table: gd.Table) -> Any:
    """Return a data frame whose columns are called by their positions."""
    import pandas as pd

    return pd.DataFrame(codes_of(table), columns=[f"v{v}" for v in range(len(table.variables))])


def place(name: str) -> int:
    """Return the position of a column by its name in the frame."""
    return int(name[1:])


def module(name: str, distribution: str) -> Any:
    """Return a module of a peer."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return importlib.import_module(name)
    except ImportError:
        raise MissingError(f"not installed: pip install {distribution}") from None


# Ours


def ours(make: Callable[[], Any], table: gd.Table) -> Prepared:
    """Prepare a learner of graphoid."""
    engine_for(table)
    return lambda: Found(list(make().fit(table).structure_.graph.edges))


def recommended(table: gd.Table, seconds: float | None = None) -> Prepared:
    """Prepare gd.learn."""
    engine_for(table)
    return lambda: Found(list(gd.learn(table, seconds=seconds).graph.edges))


# pyAgrum


def bn_learner(table: gd.Table) -> Any:
    """Return pyAgrum's learner with the table read."""
    gum = module("pyagrum", "pyagrum")
    template = gum.BayesNet()
    for v, variable in enumerate(table.variables):
        template.add(gum.RangeVariable(f"v{v}", "", 0, variable.arity - 1))
    learner = gum.BNLearner(frame_of(table), template)
    learner.setNumberOfThreads(1)
    return learner


def hill_climb(table: gd.Table, seconds: float | None = None) -> Prepared:
    """Prepare pyAgrum's greedy hill climbing by BIC."""
    learner = bn_learner(table)
    learner.useScoreBIC()
    learner.useGreedyHillClimbing()
    if seconds is not None:
        learner.setMaxTime(1000 * seconds)
    return lambda: Found(moral(learner.learnDAG().arcs()))


def pyagrum_pc(table: gd.Table) -> Prepared:
    """Prepare pyAgrum's PC."""
    learner = bn_learner(table)
    learner.usePC()
    learner.useG2Test()
    learner.setPCAlpha(ALPHA)
    return lambda: _of_pattern(learner.learnPDAG())


def miic(table: gd.Table) -> Prepared:
    """Prepare pyAgrum's MIIC."""
    learner = bn_learner(table)
    learner.useMIIC()
    return lambda: _of_pattern(learner.learnPDAG())


def _of_pattern(pattern: Any) -> Found:
    return Found(moral(pattern.arcs(), pattern.edges()))


# pgmpy


def pgmpy_climb(table: gd.Table) -> Prepared:
    """Prepare pgmpy's hill climbing by BIC."""
    discovery, frame = module("pgmpy.causal_discovery", "pgmpy"), _categories(table)
    search = discovery.HillClimbSearch(scoring_method="bic-d", return_type="dag", show_progress=False)

    def learn() -> Found:
        dag = search.fit(frame).causal_graph_
        return Found(moral((place(u), place(v)) for u, v in dag.edges()))

    return learn


def pgmpy_pc(table: gd.Table) -> Prepared:
    """Prepare pgmpy's PC."""
    discovery, frame = module("pgmpy.causal_discovery", "pgmpy"), _categories(table)
    search = discovery.PC(
        variant="stable", ci_test="g_sq", significance_level=ALPHA, n_jobs=1, show_progress=False
    )

    def learn() -> Found:
        pattern = search.fit(frame).causal_graph_
        arcs = [(place(u), place(v)) for u, v in pattern.directed_edges]
        return Found(moral(arcs, [(place(u), place(v)) for u, v in pattern.undirected_edges]))

    return learn


def _categories(table: gd.Table) -> Any:
    return frame_of(table).astype("category")


# causal-learn


def causal_pc(table: gd.Table) -> Prepared:
    """Prepare causal-learn's PC."""
    package, codes = module("causallearn.search.ConstraintBased.PC", "causal-learn"), codes_of(table)
    return lambda: read_marks(package.pc(codes, ALPHA, "gsq", show_progress=False).G.graph)


def causal_ges(table: gd.Table) -> Prepared:
    """Prepare causal-learn's greedy equivalence search, by BDeu: its BIC is that of normal variables."""
    package, codes = module("causallearn.search.ScoreBased.GES", "causal-learn"), codes_of(table)
    return lambda: read_marks(package.ges(codes, "local_score_BDeu")["G"].graph)


def read_marks(marks: NDArray[np.int64]) -> Found:
    """Read an arc i -> j off the marks -1 at i and 1 at j; two arrowheads are a line: tests contradict."""
    joined = [pair for pair in combinations(range(len(marks)), 2) if marks[pair] or marks[pair[::-1]]]
    forward = [(i, j) for i, j in joined if marks[j, i] == 1 and marks[i, j] == -1]
    backward = [(j, i) for i, j in joined if marks[i, j] == 1 and marks[j, i] == -1]
    return Found(moral(forward + backward, joined))


# Neighborhoods of binary columns


def of_neighborhoods(wanted: dict[int, list[int]]) -> Found:
    """Join those who both want it."""
    return Found([(x, y) for x, y in combinations(sorted(wanted), 2) if y in wanted[x] and x in wanted[y]])


def l1(table: gd.Table) -> Prepared:
    """Prepare scikit-learn's l1 logistic regression of every column on all others."""
    module("sklearn.linear_model", "scikit-learn")
    return lambda: Found(list(L1Logistic().graph(table).edges))


MOST_NEIGHBORS = 16
"""That l0 is allowed: more than a variable has in the graphs of these pages."""


def abess(table: gd.Table) -> Prepared:
    """Prepare abess: logistic regression of every column, the best subset by the extended BIC."""
    package, codes = module("abess", "abess"), codes_of(table)
    n = codes.shape[1]

    def neighbors(v: int) -> list[int]:
        others = np.delete(np.arange(n), v)
        if np.ptp(codes[:, v]) == 0:
            return []
        sizes = range(min(MOST_NEIGHBORS, n - 1) + 1)
        model = package.LogisticRegression(support_size=sizes, ic_type="ebic", thread=1)
        model.fit(2.0 * codes[:, others] - 1, codes[:, v])
        return others[np.flatnonzero(model.coef_)].tolist()

    return lambda: of_neighborhoods({v: neighbors(v) for v in range(n)})


def skscope(table: gd.Table) -> Prepared:
    """Prepare skscope: the same problem, its objective written out and derived by JAX."""
    package, codes = module("skscope", "skscope"), codes_of(table)
    jnp = module("jax.numpy", "skscope")
    n = codes.shape[1]

    def loss(weights: Any, data: Any) -> Any:
        design, target = data
        eta = design @ weights
        return jnp.sum(jnp.logaddexp(0.0, eta) - target * eta)

    def criterion(value: float, p: int, s: int, rows: int) -> float:
        return 2 * value + s * (np.log(rows) + np.log(p))

    def neighbors(v: int) -> list[int]:
        others = np.delete(np.arange(n), v)
        design = np.column_stack([np.ones(len(codes)), 2.0 * codes[:, others] - 1])
        solver = package.ScopeSolver(
            n,
            range(1, min(MOST_NEIGHBORS, n - 1) + 2),
            len(codes),
            preselect=[0],
            ic_method=criterion,
            random_state=0,
        )
        weights = solver.solve(loss, data=(jnp.array(design), jnp.array(codes[:, v])), jit=True)
        return others[np.flatnonzero(weights[1:])].tolist()

    return lambda: of_neighborhoods({v: neighbors(v) for v in range(n)})


# R


@cache
def r_package(package: str) -> None:
    """Raise MissingError unless R has a package."""
    rscript = shutil.which("Rscript")
    there = (
        rscript
        and not subprocess.run(
            [rscript, "-e", f"stopifnot(requireNamespace('{package}', quietly=TRUE))"],
            check=False,
            capture_output=True,
        ).returncode
    )
    if not there:
        raise MissingError(f"not installed: apt-get install r-cran-{package.lower()}")


def by_r(package: str, table: gd.Table) -> Prepared:
    """Prepare a package of R, which is called through files."""
    r_package(package)
    folder = tempfile.TemporaryDirectory()
    where = Path(folder.name)
    np.savetxt(where / "data.csv", codes_of(table), delimiter=",", fmt="%d")

    def learn() -> Found:
        with folder:
            command = ["Rscript", str(SCRIPT), package, folder.name]
            ran = subprocess.run(command, check=False, capture_output=True, text=True)
            if ran.returncode:
                raise RuntimeError((ran.stderr.strip().splitlines() or ["R ended"])[-1])
            matrix = np.loadtxt(where / "graph.csv", delimiter=",", ndmin=2)
            seconds, peak = np.loadtxt(where / "cost.csv")
        pairs = zip(*np.nonzero(np.triu(matrix, 1)), strict=True)
        return Found([(int(x), int(y)) for x, y in pairs], float(seconds), float(peak) or None)

    return learn


OURS = ("gd.learn", "RobustGSMN", "GSIMN", "TwoPhase(MPL)", "DirectedSearch")

LEARNERS: dict[str, Learner] = {
    "gd.learn": Learner(recommended, "graphoid"),
    "RobustGSMN": Learner(partial(ours, gd.RobustGSMN), "graphoid"),
    "GSIMN": Learner(partial(ours, gd.GSIMN), "graphoid"),
    "TwoPhase(MPL)": Learner(partial(ours, lambda: gd.TwoPhase(gd.MPL())), "graphoid"),
    "DirectedSearch": Learner(partial(ours, lambda: gd.DirectedSearch("bic", random_state=0)), "graphoid"),
    "pyAgrum hill climbing": Learner(hill_climb, "pyagrum"),
    "pyAgrum PC": Learner(pyagrum_pc, "pyagrum"),
    "pyAgrum MIIC": Learner(miic, "pyagrum"),
    "pgmpy hill climbing": Learner(pgmpy_climb, "pgmpy"),
    "pgmpy PC": Learner(pgmpy_pc, "pgmpy"),
    "causal-learn PC": Learner(causal_pc, "causal-learn"),
    "causal-learn GES": Learner(causal_ges, "causal-learn"),
    "BDgraph": Learner(partial(by_r, "BDgraph"), "BDgraph"),
    "scikit-learn l1": Learner(l1, "scikit-learn", binary=True),
    "abess l0": Learner(abess, "abess", binary=True),
    "skscope l0": Learner(skscope, "skscope", binary=True),
    "huge": Learner(partial(by_r, "huge"), "huge", binary=True),
}
"""All that are compared, ours first."""


def cpu_seconds() -> float:
    """Return the CPU time of this process, all threads, and of those that it has waited for."""
    import resource

    child = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + child.ru_utime + child.ru_stime
