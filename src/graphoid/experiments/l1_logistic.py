"""Neighborhood selection by l1-penalized logistic regression: an outside comparison, by scikit-learn."""

from __future__ import annotations

import inspect
import math
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from graphoid.errors import DataError, missing_extra
from graphoid.structure.graph import UndirectedGraph

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from sklearn.linear_model import LogisticRegression

    from graphoid.data.table import Table


@dataclass(frozen=True, kw_only=True)
class L1Logistic:
    r"""Join two variables if each has a weight in the other's logistic model ([Ravikumar2010]_).

    Every variable is regressed on all others with an l1 penalty; two are joined where both ends want it
    ("AND"). The strength of the penalty is that with the best extended BIC ([Barber2015]_), as in IsingFit.

    Parameters
    ----------
    n_strengths
        Strengths tried, evenly on the logarithmic scale.
    weakest
        The weakest penalty, as a share of the one that leaves no weight.
    gamma
        How much the number of variables weighs in the extended BIC.
    """

    n_strengths: int = 10
    weakest: float = 0.01
    gamma: float = 0.5

    def graph(self, table: Table) -> UndirectedGraph:
        """Return the graph learned from a table of binary variables."""
        names = [v.name for v in table.variables]
        states = np.array([table.column(i) for i in range(len(names))], dtype=np.float64).T
        if any(v.arity != 2 for v in table.variables):
            raise DataError("L1Logistic is for binary variables; this table has others.")
        wanted = {x: self._neighbors(states, x) for x in range(len(names))}
        return UndirectedGraph.from_blankets(wanted, names, rule="both")

    def _neighbors(self, states: NDArray[np.float64], x: int) -> list[int]:
        others = [y for y in range(states.shape[1]) if y != x]
        target = states[:, x]
        if not others or target.min(initial=1.0) == target.max(initial=0.0):
            return []
        design = 2 * states[:, others] - 1  # spins: a weight then does not move the constant as much
        # the least penalty that leaves no weight but the constant
        strongest = max(float(np.abs(design.T @ (target - target.mean())).max()), 1e-3)
        constant = np.full(len(target), math.log(target.mean() / (1 - target.mean())))
        best = self._criterion(constant, target, 0, len(others))  # of no neighbor at all
        chosen = np.zeros(len(others), dtype=bool)
        for share in np.geomspace(1, self.weakest, self.n_strengths)[1:]:
            model = _regression(1 / (share * strongest))
            with warnings.catch_warnings():  # a fit that is a little short of its maximum will do
                warnings.simplefilter("ignore", category=UserWarning)
                model.fit(design, target)
            kept = np.abs(model.coef_[0]) > 1e-8  # what liblinear leaves of a zero
            criterion = self._criterion(model.decision_function(design), target, int(kept.sum()), len(others))
            if criterion < best:
                best, chosen = criterion, kept
        return [y for y, is_kept in zip(others, chosen, strict=True) if is_kept]

    def _criterion(self, eta: NDArray[np.float64], target: NDArray[np.float64], k: int, p: int) -> float:
        log_likelihood = float((target * eta - np.logaddexp(0.0, eta)).sum())
        return -2 * log_likelihood + k * math.log(len(target)) + 2 * self.gamma * k * math.log(max(1, p))


def _regression(c: float) -> LogisticRegression:
    try:
        from sklearn.linear_model import LogisticRegression
    except ImportError:
        raise missing_extra("l1-penalized logistic regression", "sklearn") from None
    penalty = inspect.signature(LogisticRegression).parameters.get("penalty")
    # from 1.8 on the kind of penalty is said by l1_ratio alone
    kind = {"l1_ratio": 1.0} if penalty is None or penalty.default == "deprecated" else {"penalty": "l1"}
    # liblinear penalizes the constant, too, unless it is scaled up; random_state for its coordinate order
    return LogisticRegression(C=c, solver="liblinear", intercept_scaling=10.0, random_state=0, **kind)
