"""Estimators of Ising networks that others have published, one neighborhood after the other."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from graphoid.data.table import Table

    Vector = NDArray[np.float64]
    Matrix = NDArray[np.float64]

Objective = Literal["RISE", "logRISE", "RPLE"]

PENALTY: dict[Objective, float] = {"RPLE": 0.2, "RISE": 0.4, "logRISE": 0.8}
"""The penalty of each objective is so many times sqrt(log(p^2 / .05) / n) ([Lokhov2018]_)."""

ERROR = 0.05
"""Probability of an error that the penalties allow."""


@dataclass(frozen=True)
class Spins:
    """The different rows of a table of two states as -1 and 1, and what share of the rows each is."""

    rows: Matrix
    shares: Vector
    n_rows: int

    @classmethod
    def of(cls, table: Table) -> Spins:
        """Return the spins of a table."""
        codes = np.array([table.column(i) for i in range(len(table.names))], dtype=np.int8).T
        packed = np.packbits(codes, axis=1)
        _, first, counts = np.unique(packed, axis=0, return_index=True, return_counts=True)
        return cls(np.asarray(2.0 * codes[first] - 1.0), counts / table.n_rows, table.n_rows)


def couplings(spins: Spins, objective: Objective) -> Matrix:
    r"""Return estimates of all couplings, each the mean of what its two ends say.

    Spin :math:`i` with local field :math:`m = s_i (\sum_j \theta_{ij} s_j + h_i)` minimizes
    :math:`\langle e^{-m} \rangle` (RISE), its logarithm (logRISE), or
    :math:`\langle \log(1 + e^{-2m}) \rangle` (RPLE), plus :math:`\lambda \sum_j |\theta_{ij}|`.
    """
    p = spins.rows.shape[1]
    penalty = PENALTY[objective] * math.sqrt(math.log(p**2 / ERROR) / spins.n_rows)
    found = np.zeros((p, p))
    for i in range(p):
        others = [j for j in range(p) if j != i]
        found[i, others] = fit(spins, i, others, objective, penalty)[1:]
    return (found + found.T) / 2


def refit(spins: Spins, neighbors: Sequence[Sequence[int]]) -> Matrix:
    """Return couplings of the pairs that are joined, by pseudo-likelihood without a penalty."""
    found = np.zeros((spins.rows.shape[1],) * 2)
    for i, of in enumerate(neighbors):
        found[i, list(of)] = logistic(spins, i, of)[1:]
    return (found + found.T) / 2


def fit(
    spins: Spins,
    i: int,
    others: Sequence[int],
    objective: Objective,
    penalty: float,
    start: Vector | None = None,
) -> Vector:
    """Return the constant of a spin, which is not penalized, and its couplings to others."""
    from scipy.optimize import minimize

    design = _design(spins, i, others)
    k, loss = len(others), _LOSSES[objective]

    def value(halves: Vector) -> tuple[float, Vector]:
        # a weight is the difference of two that are not negative, so that the penalty has a derivative
        weights = np.concatenate([halves[:1], halves[1 : k + 1] - halves[k + 1 :]])
        at, slope = loss(design @ weights, spins.shares)
        gradient = slope @ design
        signs = np.concatenate([gradient, -gradient[1:]])
        signs[1:] += penalty
        return at + penalty * float(halves[1:].sum()), signs

    begin = np.zeros(k + 1) if start is None else start
    halves = np.concatenate([begin, np.maximum(-begin[1:], 0.0)])
    halves[1 : k + 1] = np.maximum(begin[1:], 0.0)
    bounds = [(None, None), *[(0.0, None)] * (2 * k)]
    done = minimize(
        value, halves, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": 500, "gtol": 1e-6}
    )
    return np.concatenate([done.x[:1], done.x[1 : k + 1] - done.x[k + 1 :]])


STEPS = 30
"""Of Newton's method; where neighbors tell a spin for sure, its weights would grow without an end."""


def logistic(spins: Spins, i: int, others: Sequence[int]) -> Vector:
    """Return what :func:`fit` does for RPLE without a penalty, by Newton's method."""
    design = _design(spins, i, others)
    weights, slight = np.zeros(design.shape[1]), 1e-9 * np.eye(design.shape[1])
    for _ in range(STEPS):
        _, slope = _rple(design @ weights, spins.shares)
        gradient = slope @ design
        # the derivative of 2 p, p = 1 / (1 + exp(2 m)), is 4 p (1 - p)
        curvature = -slope * (2 + slope / np.maximum(spins.shares, 1e-300))
        weights = weights - np.linalg.solve((design.T * curvature) @ design + slight, gradient)
        if np.abs(gradient).max() < 1e-9:
            break
    return weights


def _design(spins: Spins, i: int, others: Sequence[int]) -> Matrix:
    """Return the terms of a spin's local field, each times the spin."""
    design = np.column_stack([np.ones(len(spins.shares)), spins.rows[:, list(others)]])
    return np.asarray(design * spins.rows[:, [i]])


def _rise(margin: Vector, shares: Vector) -> tuple[float, Vector]:
    terms = shares * np.exp(-margin)
    return float(terms.sum()), -terms


def _log_rise(margin: Vector, shares: Vector) -> tuple[float, Vector]:
    highest = float((-margin).max())
    terms = shares * np.exp(-margin - highest)
    total = float(terms.sum())
    return highest + math.log(total), -terms / total


def _rple(margin: Vector, shares: Vector) -> tuple[float, Vector]:
    loss = np.logaddexp(0.0, -2 * margin)
    return float(shares @ loss), -2 * shares * np.exp(-2 * margin - loss)


_LOSSES: dict[Objective, Callable[[Vector, Vector], tuple[float, Vector]]] = {
    "RISE": _rise,
    "logRISE": _log_rise,
    "RPLE": _rple,
}


def l1_neighbors(
    spins: Spins, *, n_strengths: int = 10, weakest: float = 0.01, gamma: float = 0.5
) -> list[list[int]]:
    """Return the neighbors of every spin by l1-penalized logistic regressions ([Ravikumar2010]_).

    The penalty is that with the best extended BIC ([Barber2015]_). This is
    :class:`~graphoid.experiments.l1_logistic.L1Logistic` for tables in which rows repeat.
    """
    p, found = spins.rows.shape[1], []
    for i in range(p):
        others = [j for j in range(p) if j != i]
        mean = float(spins.shares @ spins.rows[:, i])
        strongest = float(np.abs((spins.shares * (spins.rows[:, i] - mean)) @ spins.rows[:, others]).max())
        best, kept, weights = math.inf, [], None
        for share in np.geomspace(1, weakest, n_strengths):
            weights = fit(spins, i, others, "RPLE", share * strongest, weights)
            some = [j for j, weight in zip(others, weights[1:], strict=True) if abs(weight) > 1e-4]
            k = len(some)
            loss = _loss(spins, i, others, weights)
            worth = 2 * loss * spins.n_rows + k * math.log(spins.n_rows) + 2 * gamma * k * math.log(p - 1)
            if worth < best:
                best, kept = worth, some
        found.append(kept)
    return found


def l0_neighbors(spins: Spins) -> list[list[int]]:
    """Return the neighbors of every spin by the best logistic regression of each size, and the best size.

    Sets of a size are improved by exchanging members for others, as long as that fits better; of the sizes
    that with the least 2 n loss + k log(p) log(log(n)) is taken (splicing and criterion of [Zhu2020]_).
    """
    p = spins.rows.shape[1]
    price = math.log(p - 1) * math.log(math.log(spins.n_rows))
    return [_best_subset(spins, i, price) for i in range(p)]


WORSE = 2
"""Larger sizes in a row that are worth less than the best, after which none is tried."""


def _best_subset(spins: Spins, i: int, price: float) -> list[int]:
    p = spins.rows.shape[1]
    members: list[int] = []
    kept: list[int] = []
    best, worse = 2 * spins.n_rows * _loss(spins, i, [], logistic(spins, i, [])), 0
    while len(members) < p - 1 and worse < WORSE:
        weights = logistic(spins, i, members)
        gains = _slopes(spins, i, members, weights)
        members = sorted([*members, max(gains, key=lambda j: gains[j])])
        members, loss = _splice(spins, i, members)
        worth = 2 * spins.n_rows * loss + len(members) * price
        if worth < best:
            best, kept, worse = worth, members, 0
        else:
            worse += 1
    return kept


def _splice(spins: Spins, i: int, members: list[int]) -> tuple[list[int], float]:
    """Exchange the members that matter least for others that promise most, while the loss falls."""
    weights = logistic(spins, i, members)
    loss = _loss(spins, i, members, weights)
    improved = True
    while improved:
        improved = False
        gains = _slopes(spins, i, members, weights)
        outside = sorted(gains, key=lambda j: -gains[j])
        by_weight = [j for _, j in sorted(zip(np.abs(weights[1:]), members, strict=True))]
        for size in range(1, min(3, len(members), len(outside)) + 1):
            others = sorted({*members} - {*by_weight[:size]} | {*outside[:size]})
            tried = logistic(spins, i, others)
            if (at := _loss(spins, i, others, tried)) < loss - 1e-9:
                members, weights, loss, improved = others, tried, at, True
                break
    return members, loss


def _slopes(spins: Spins, i: int, members: Sequence[int], weights: Vector) -> dict[int, float]:
    """Return how steeply the loss falls with each spin that is no member."""
    _, slope = _rple(_margin(spins, i, members, weights), spins.shares)
    steep = np.abs((slope * spins.rows[:, i]) @ spins.rows)
    return {j: float(steep[j]) for j in range(len(steep)) if j != i and j not in members}


def _loss(spins: Spins, i: int, others: Sequence[int], weights: Vector) -> float:
    return _rple(_margin(spins, i, others, weights), spins.shares)[0]


def _margin(spins: Spins, i: int, others: Sequence[int], weights: Vector) -> Vector:
    field = weights[0] + spins.rows[:, list(others)] @ weights[1:]
    return np.asarray(spins.rows[:, i] * field)
