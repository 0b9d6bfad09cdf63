"""Others who learn undirected networks, each as a function from a table to an answer.

Those in R are called through Rscript and files; none is a dependency of the package. A peer that is not
installed raises MissingError, and the benchmark says so and goes on.
"""

from __future__ import annotations

import subprocess
import tempfile
import warnings
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import graphoid as gd
from mixed.answers import Answer, joined, numbers, rank_normal
from peers.learners import MissingError, hill_climb as pyagrum_climb, r_package

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Matrix = NDArray[np.float64]

PATH = np.geomspace(0.5, 0.05, 15)
"""Penalties of a glasso path over correlations; correlations of 200 rows have a standard error of .07."""

GAMMA = 0.5
"""Of the extended BIC for the graphical lasso, as its authors and users have it."""

SCRIPT = Path(__file__).with_name("peers.R")


def _precisions(table: gd.Table, path: Matrix) -> list[tuple[float, Matrix]]:
    """Return the precision matrices of a glasso path, the strongest penalty first."""
    from sklearn.covariance import graphical_lasso

    correlation = np.corrcoef(rank_normal(table).T)
    found = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it says where it has not converged; the path ends where it fails
        for penalty in path:
            try:
                precision = graphical_lasso(correlation, float(penalty), tol=1e-3, max_iter=100)[1]
            except FloatingPointError:
                break
            found.append((float(penalty), precision))
    return found


def _partial(precision: Matrix) -> Matrix:
    """Return absolute partial correlations."""
    scale = np.sqrt(np.diag(precision))
    return np.abs(precision / np.outer(scale, scale))


def glasso_path(table: gd.Table) -> Answer:
    """Rank pairs by the penalty at which they enter a glasso path over rank-normal scores, then by size."""
    score = np.zeros((len(table.variables),) * 2)
    steps = _precisions(table, PATH)
    for penalty, precision in steps:
        score[(score == 0) & (np.abs(precision) > 1e-8)] = penalty
    # penalties differ by a factor of .85: within one, partial correlations decide
    return Answer(score + 1e-3 * _partial(steps[-1][1]), None)


def glasso_ebic(table: gd.Table) -> Answer:
    """Choose from a glasso path over rank-normal scores by the extended BIC (Foygel and Drton 2010)."""
    n, correlation = len(table.variables), np.corrcoef(rank_normal(table).T)
    best = (np.inf, np.zeros((n, n)))
    for _, precision in _precisions(table, np.geomspace(0.7, 0.01, 40)):
        size = np.count_nonzero(np.abs(precision[np.triu_indices(n, 1)]) > 1e-8)
        likelihood = table.n_rows / 2 * (np.linalg.slogdet(precision)[1] - np.sum(correlation * precision))
        value = -2 * likelihood + size * (np.log(table.n_rows) + 4 * GAMMA * np.log(n))
        if value < best[0]:
            best = (value, precision)
    return Answer(_partial(best[1] + np.eye(n) * 1e-12), joined(np.abs(best[1]) > 1e-8))


def glasso_cv(table: gd.Table) -> Answer:
    """Let scikit-learn choose the penalty by cross-validation."""
    from sklearn.covariance import GraphicalLassoCV

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        precision = GraphicalLassoCV(n_jobs=1).fit(rank_normal(table)).precision_
    return Answer(_partial(precision), joined(np.abs(precision) > 1e-8))


def shrunk_partial(table: gd.Table) -> Answer:
    """Rank pairs by partial correlations of rank-normal scores, shrunk as by Schaefer and Strimmer (2005)."""
    z = rank_normal(table)
    n, correlation = table.n_rows, np.corrcoef(z.T)
    variance = n**2 / (n - 1) ** 3 * ((z**2).T @ (z**2) / n - correlation**2)
    off = ~np.eye(len(correlation), dtype=bool)
    weight = np.clip(variance[off].sum() / (correlation[off] ** 2).sum(), 0.0, 1.0)
    shrunk = np.where(off, (1 - weight) * correlation, 1.0)
    return Answer(_partial(np.linalg.inv(shrunk)), None)


def latent_partial(latent: Matrix) -> Callable[[gd.Table], Answer]:
    """Return the oracle that ranks by the partial correlations of what is not seen."""
    names = [f"v{k}" for k in range(latent.shape[1])]
    values = {k: np.ascontiguousarray(column) for k, column in enumerate(latent.T)}
    seen = gd.Table(tuple(gd.Variable(v, ()) for v in names), (None,) * len(names), len(latent), values)
    return lambda _: glasso_path(seen)


def partial_correlation_robust(table: gd.Table) -> Answer:
    """Learn with the robust grow-shrink learner and partial correlations."""
    found = gd.RobustGSMN(test=gd.PartialCorrelation()).fit(table).structure_
    return Answer(None, frozenset(found.graph.edges))


def robust(table: gd.Table) -> Answer:
    """Learn with the robust grow-shrink learner as it comes."""
    return Answer(None, frozenset(gd.RobustGSMN().fit(table).structure_.graph.edges))


def nominal(table: gd.Table) -> gd.Table:
    """Return a table with numbers cut into bins, and no order among states: what gd.learn used to see."""
    cut = table.discretized
    return gd.Table(
        tuple(gd.Variable(variable.name, variable.states) for variable in cut.variables),
        cut.columns,
        table.n_rows,
        name=table.name,
    )


def binned_search(table: gd.Table) -> Answer:
    """Learn with nominal evidence from bins: gd.learn before there were kinds of columns."""
    return answer_of(
        gd.Search(gd.LogLinearEvidence(), effort=0.6, random_state=0).fit(nominal(table)).structure_
    )


def learn(table: gd.Table) -> Answer:
    """Learn with what we recommend."""
    return answer_of(gd.learn(table))


def answer_of(found: gd.LearnedStructure) -> Answer:
    """Return the probabilities of all pairs, and the graph."""
    score = np.zeros((len(found.names),) * 2)
    for x, y in combinations(range(len(found.names)), 2):  # pairs() would measure sizes of edges as well
        score[x, y] = score[y, x] = found.probability(x, y)
    return Answer(score, frozenset(found.graph.edges))


def hill_climb(table: gd.Table) -> Answer:
    """Learn a directed graph with pyAgrum, BIC and greedy hill climbing, and return its moral graph."""
    return Answer(None, frozenset(pyagrum_climb(table)().edges))


def _call(package: str, table: gd.Table, *arguments: object) -> Matrix:
    """Call the R script with a table of numbers; a nominal column becomes indicators of its states but one.

    Returns a matrix over its columns, the largest entry of those that belong to the same two variables.
    """
    r_package(package)
    columns, owner, kind = [], [], []
    for v, variable in enumerate(table.variables):
        if variable.continuous or variable.ordered or variable.arity == 2:
            columns.append(numbers(table, v))
            kind.append(0 if variable.continuous else 1)
            owner.append(v)
        else:
            columns += [(table.column(v) == state).astype(float) for state in range(1, variable.arity)]
            kind += [2] * (variable.arity - 1)
            owner += [v] * (variable.arity - 1)
    with tempfile.TemporaryDirectory() as folder:
        where = Path(folder)
        np.savetxt(where / "data.csv", np.column_stack(columns), delimiter=",", fmt="%.9g")
        np.savetxt(where / "columns.csv", np.column_stack([owner, kind]), delimiter=",", fmt="%d")
        command = ["Rscript", str(SCRIPT), package, folder, *map(str, arguments)]
        ran = subprocess.run(command, check=False, capture_output=True, text=True)
        if ran.returncode:
            raise MissingError(f"{package} failed: {ran.stderr.strip().splitlines()[-1:]}")
        entries = np.atleast_2d(np.loadtxt(where / "out.csv", delimiter=","))
    n, owners = len(table.variables), np.array(owner)
    if len(entries) == n:
        return entries
    matrix = np.zeros((n, n))
    np.maximum.at(matrix, (owners[:, None], owners[None, :]), entries)
    return matrix


def bdgraph(table: gd.Table, iterations: int = 5_000) -> Answer:
    """Sample BDgraph's Gaussian copula; edges are the pairs with a probability above one half."""
    varying = [v for v in range(len(table.variables)) if v not in table.constants]
    found = _call("BDgraph", table.take(varying), iterations)
    probability = np.zeros((len(table.variables),) * 2)
    probability[np.ix_(varying, varying)] = found
    return Answer(probability, joined(probability > 0.5))


def neighborhoods(table: gd.Table) -> Answer:
    """Regress every variable on all others with glmnet, penalty by the extended BIC; both ends must agree."""
    found = _call("glmnet", table)
    return Answer(np.minimum(found, found.T), joined((found > 0) & (found.T > 0)))
