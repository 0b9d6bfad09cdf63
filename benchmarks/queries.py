"""Queries for 100,000 rows of evidence on a network of 37 variables, against one row after the other.

pgmpy's ``VariableElimination`` answers a few rows, from which its time for all is reckoned; where it is not
installed, our own answers one by one stand for it and the bar is not judged. The network is alarm where
``GRAPHOID_DATA`` names a folder with ``bif/alarm.bif``, else a random one of its size: 37 variables of two to
four states with up to four parents. The bar is 20 times as fast.

    python benchmarks/queries.py
"""

from __future__ import annotations

import os
import sys
import time
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from graphoid import datasets
from graphoid.data.variables import Variable
from graphoid.datasets.bayesian import BayesianNetwork
from measure import closing_line, word

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

BAR = 20
N_ROWS = 100_000
SAMPLED = 30  # rows that the other way answers
N_VARIABLES = 37


def network() -> BayesianNetwork:
    """Return alarm, or a random network of its size."""
    path = Path(os.environ.get("GRAPHOID_DATA", "")) / "bif" / "alarm.bif"
    if path.is_file():
        return datasets.bayesian_network(path)
    rng = np.random.default_rng(0)
    variables = tuple(Variable(f"v{k}", tuple(range(rng.integers(2, 5)))) for k in range(N_VARIABLES))
    parents = []
    for k in range(N_VARIABLES):  # near ones, so that the network stays narrow
        near = np.arange(max(0, k - 6), k)
        chosen = rng.choice(near, min(len(near), rng.choice([0, 1, 1, 1, 2, 2, 4])), replace=False)
        parents.append(tuple(sorted(chosen.tolist())))
    tables = tuple(
        rng.dirichlet(np.full(v.arity, 0.7), [variables[u].arity for u in known])
        for v, known in zip(variables, parents, strict=True)
    )
    return BayesianNetwork(variables, tuple(parents), tables, "random")


def pgmpy_answers(bayesian: BayesianNetwork) -> Callable[[int, dict[int, int]], NDArray[np.float64]] | None:
    """Return a function that answers one query by pgmpy, or None where that is not installed."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            from pgmpy.factors.discrete import TabularCPD
            from pgmpy.inference import VariableElimination
            from pgmpy.models import DiscreteBayesianNetwork
        except ImportError:
            return None
        model = DiscreteBayesianNetwork()
        model.add_nodes_from(range(len(bayesian.variables)))
        model.add_edges_from(bayesian.arcs)
        arities = [v.arity for v in bayesian.variables]
        for v, (known, table) in enumerate(zip(bayesian.parents, bayesian.tables, strict=True)):
            model.add_cpds(
                TabularCPD(v, arities[v], table.reshape(-1, arities[v]).T, known, [arities[u] for u in known])
            )
        inference = VariableElimination(model)

    def answer(asked: int, evidence: dict[int, int]) -> NDArray[np.float64]:
        found: NDArray[np.float64] = inference.query([asked], evidence, show_progress=False).values
        return found

    return answer


def compare(name: str, bayesian: BayesianNetwork, evidence: NDArray[np.int64], asked: int) -> None:
    """Time all rows by ours and a few by the other way; print the ratio."""
    model = bayesian.to_markov_network()
    start = time.process_time()
    ours = model.query(asked, evidence)
    seconds = time.process_time() - start
    theirs = pgmpy_answers(bayesian)
    rows = np.random.default_rng(1).choice(len(evidence), SAMPLED, replace=False)
    known = [{int(v): int(evidence[r, v]) for v in np.flatnonzero(evidence[r] >= 0)} for r in rows]
    start = time.process_time()
    if theirs is None:
        answers = [model.query(asked, evidence[r : r + 1])[0] for r in rows]
    else:
        answers = [theirs(asked, row) for row in known]
    each = (time.process_time() - start) / SAMPLED
    worst = max(float(np.abs(ours[r] - a).max()) for r, a in zip(rows, answers, strict=True))
    ratio = each * len(evidence) / seconds
    how = "" if theirs is None else word(name, holds=ratio >= BAR and worst < 1e-8)
    print(f"{name:<34} {seconds:>9.2f} {each * 1e3:>12.2f} {ratio:>9,.0f} {worst:>12.1e} {how}")


def main() -> int:
    """Run patterns of evidence from a few variables to nearly all."""
    bayesian = network()
    codes = bayesian.sample(N_ROWS, 0).codes.astype(np.int64)
    other = "pgmpy" if pgmpy_answers(bayesian) else "ours, one by one"
    print(
        f"{bayesian.name}: {len(bayesian.variables)} variables, {N_ROWS:,} rows, CPU time; beside it {other}"
    )
    print(f"{'observed':<34} {'ours, s':>9} {'ms a row':>12} {'ratio':>9} {'difference':>12}")
    rng = np.random.default_rng(0)
    for n_observed in (5, 10, 20, 36):
        observed = rng.choice(len(bayesian.variables), n_observed, replace=False)
        asked = int(np.setdiff1d(np.arange(len(bayesian.variables)), observed)[0])
        evidence = np.full_like(codes, -1)
        evidence[:, observed] = codes[:, observed]
        compare(f"the same {n_observed} in every row", bayesian, evidence, asked)
    asked = len(bayesian.variables) // 2
    evidence = np.where(rng.random(codes.shape) < 0.3, codes, -1)
    evidence[:, asked] = -1
    compare("any, three in ten", bayesian, evidence, asked)
    return closing_line()


if __name__ == "__main__":
    sys.exit(main())
