"""Learning from data beside other libraries: CPU time, and how right the graph is.

GSMN* and GSIMN as published and with the robust preset, chi-square at .05, on 20,000 rows of the alarm
network (if there is a BIF file of it) and of an Ising model of 200 variables. Beside them the PC algorithm of
pgmpy and of pyAgrum on the same rows of alarm, where these are installed; graphoid needs neither. All in one
process, with one thread each, and only the learning is timed: tables are in memory, in the form that each
library takes. Prints each figure and whether its bar holds; exits with 1 if not.

    GRAPHOID_DATA=DIR python benchmarks/learning.py          # DIR holds bif/alarm.bif

For the others, in a folder of their own, so that the versions of what they share stay those of graphoid:

    pip install --target PEERS --no-deps pgmpy pyagrum opt_einsum patsy scikit-base statsmodels tqdm
    PYTHONPATH=PEERS GRAPHOID_DATA=DIR python benchmarks/learning.py
"""

from __future__ import annotations

import logging
import os
import sys
import time
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import graphoid as gd
from measure import N_ROWS, closing_line, word

if TYPE_CHECKING:
    from collections.abc import Callable

ALPHA = 0.05
MOST_OF_PGMPY, MOST_OF_PYAGRUM = 1 / 10, 1 / 7
MOST_SECONDS = 3.0
"""For GSIMN on the Ising model."""

LEARNERS = {
    "GSMN*": gd.GSMN(),
    "GSIMN": gd.GSIMN(),
    "GSMN*, robust": gd.GSMN(preset="robust"),
    "GSIMN, robust": gd.GSIMN(preset="robust"),
}


class Run(NamedTuple):
    """The best CPU time of some runs, in seconds, and the graph that the last one found."""

    seconds: float
    graph: gd.UndirectedGraph


def timed(learn: Callable[[], gd.UndirectedGraph], times: int) -> Run:
    """Learn so many times."""
    seconds = []
    for _ in range(times):
        start = time.process_time()
        graph = learn()
        seconds.append(time.process_time() - start)
    return Run(min(seconds), graph)


def ours(table: gd.Table, times: int = 5) -> dict[str, Run]:
    """Time every learner on a table."""
    gd.GSIMN().fit(table)  # columns are packed once for a table, whoever asks first
    return {
        name: timed(lambda learner=learner: learner.fit(table).structure_.graph, times)
        for name, learner in LEARNERS.items()
    }


def pgmpy(table: gd.Table) -> Run | None:
    """Time the skeleton of pgmpy's PC; once, since it takes its time."""
    try:
        import pandas as pd
        from pgmpy.estimators import PC
    except ImportError:
        return None
    frame = pd.DataFrame({v.name: table.column(i).astype("int64") for i, v in enumerate(table.variables)})

    def learn() -> gd.UndirectedGraph:
        skeleton, _ = PC(frame).estimate(
            variant="stable",
            ci_test="chi_square",
            significance_level=ALPHA,
            return_type="skeleton",
            n_jobs=1,
            show_progress=False,
        )
        return gd.UndirectedGraph([v.name for v in table.variables], list(skeleton.edges()))

    return timed(learn, 1)


def pyagrum(table: gd.Table) -> Run | None:
    """Time pyAgrum's PC; directions are left out of the graph it finds."""
    try:
        import pandas as pd
        import pyagrum as gum
    except ImportError:
        return None
    names = [v.name for v in table.variables]
    frame = pd.DataFrame(
        {
            v.name: pd.Categorical.from_codes(table.column(i).astype("int64"), list(map(str, v.states)))
            for i, v in enumerate(table.variables)
        }
    )
    gum.setNumberOfThreads(1)  # idle threads would spin, and their CPU time count
    learner = gum.BNLearner(frame)
    learner.setNumberOfThreads(1)
    learner.usePC()
    learner.useChi2Test()
    learner.setPCAlpha(ALPHA)

    def learn() -> gd.UndirectedGraph:
        found = learner.learnEssentialGraph()
        joined = {tuple(sorted(pair)) for pair in [*found.arcs(), *found.edges()]}
        return gd.UndirectedGraph(names, [(learner.nameFromId(a), learner.nameFromId(b)) for a, b in joined])

    return timed(learn, 3)


def show(runs: dict[str, Run], true: gd.UndirectedGraph) -> None:
    """Print CPU time and how right the graphs are."""
    print(f"{'':<16} {'CPU s':>8} {'F1':>7} {'precision':>10} {'recall':>7} {'Hamming':>8}")
    for name, (seconds, graph) in runs.items():
        c = gd.compare(graph, true)
        print(
            f"{name:<16} {seconds:>8.3f} {c.f1:>7.3f} {c.precision:>10.3f} {c.recall:>7.3f} "
            f"{c.hamming_normalized:>8.4f}"
        )


def alarm() -> None:
    """Print the learners on the alarm network beside those of other libraries."""
    path = Path(os.environ.get("GRAPHOID_DATA", "."), "bif", "alarm.bif")
    if not path.exists():
        print("alarm: left out; set GRAPHOID_DATA to a folder that holds bif/alarm.bif")
        return
    network = gd.datasets.bayesian_network(path)
    table = network.sample(N_ROWS, random_state=0)
    runs = ours(table)
    print(f"alarm, {N_ROWS:,} rows, against the moral graph")
    for name, peer, most in (("pgmpy PC", pgmpy, MOST_OF_PGMPY), ("pyAgrum PC", pyagrum, MOST_OF_PYAGRUM)):
        run = peer(table)
        if run is None:
            print(f"{name}: left out, not installed (see the top of this file)")
            continue
        runs[name] = run
        ratio = runs["GSIMN"].seconds / run.seconds
        print(f"GSIMN / {name}: 1/{1 / ratio:.0f} (bar 1/{1 / most:.0f})  {word(name, holds=ratio <= most)}")
    show(runs, network.graph)


def ising() -> None:
    """Print the learners on a large Ising model."""
    graph = gd.datasets.random_graph(200, 3, 0)
    model = gd.datasets.ising(graph, lambda rng: rng.choice([-1, 1]) * rng.uniform(0.3, 0.6), rng=0)
    runs = ours(model.sample(N_ROWS, 0), times=2)
    print(f"Ising, 200 variables, three neighbors on average, couplings .3-.6, {N_ROWS:,} rows")
    show(runs, graph)
    print(f"GSIMN at most {MOST_SECONDS:g} s: {word('Ising', holds=runs['GSIMN'].seconds <= MOST_SECONDS)}")


if __name__ == "__main__":
    os.environ["GRAPHOID_THREADS"] = "1"
    warnings.simplefilter("ignore")  # other libraries'
    logging.disable(logging.WARNING)
    alarm()
    ising()
    sys.exit(closing_line())
