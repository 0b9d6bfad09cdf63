"""The penalised pseudo-likelihood of a log-linear network: logistic models that need few rows."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from graphoid.errors import SettingsError
from graphoid.independence.base import check_positive
from graphoid.scores.base import CountedScorer, Score, configurations_of
from graphoid.scores.priors import GraphPrior, UniformPrior

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from graphoid.counts.contingency import Counts
    from graphoid.counts.engine import Blanket, ScoringEngine

MOST_STEPS = 60
GAIN = 1e-10
"""What a step may still be worth when the search for the maximum ends."""
DOUBT = 0.5
"""A product is fitted even if it promises so much of a parameter's price too little: a promise is rough."""
ALIASED = 1e-9
"""A column of which no more than this share is left is a combination of those before it."""


@dataclass(frozen=True, kw_only=True)
class LogLinearScore(Score):
    r"""Extended BIC of node-conditional multinomial logistic models ([Barber2015]_ for binary variables).

    .. math:: \sum_i \max_w \ell_i(w \mid B_i) - \tfrac{k_i}{2} \log N - \gamma k_i \log n

    with :math:`\ell_i` the log-likelihood of variable i given the main effects of its blanket
    :math:`B_i`, :math:`k_i = (r_i - 1)(1 + \sum_{j \in B_i} (r_j - 1))` parameters for :math:`r` states, N
    rows and n variables. A table of the blanket has a cell for every configuration; this model has a few
    weights for every member, so that hubs and triangles do not spread the rows too thin.

    Parameters
    ----------
    order
        2 for main effects of the blanket, which a network of pairwise terms has; 3 for products of two
        members as well, each kept only where it pays: triangles with a term of their own.
    gamma
        How much the number of variables weighs; 0 is the BIC.
    prior
        Over graphs: :class:`UniformPrior`, :class:`SparsePrior` or :class:`EdgePrior`.

    Notes
    -----
    Where states are separated perfectly, the likelihood has no maximum; its supremum is what counts.
    """

    order: Literal[2, 3] = 2
    gamma: float = 0.5
    prior: GraphPrior = field(default_factory=UniformPrior)

    def __post_init__(self) -> None:
        if self.order not in (2, 3):
            raise SettingsError(f"order is {self.order!r}; it must be 2 (pairs) or 3 (pairs and triples).")
        check_positive("gamma", self.gamma, or_zero=True)

    def on(self, data: Any) -> LogLinearScorer:
        """Return this score of the data."""
        return LogLinearScorer(self, data)

    def price(self, n_rows: float, n: int) -> float:
        """Return what a parameter costs."""
        return 0.5 * math.log(max(1.0, n_rows)) + self.gamma * math.log(max(1, n))


class LogLinearScorer(CountedScorer):
    """The log-linear score of data: the term of a variable is its penalised maximum likelihood."""

    score: LogLinearScore

    def __init__(self, score: LogLinearScore, data: Any) -> None:
        super().__init__(score, data)
        self.price = score.price(self.engine.n_rows, self.n)

    def _near_counts(self, engine: ScoringEngine, blankets: list[Blanket]) -> NDArray[np.float64]:
        likelihoods, parameters = engine.logistic_likelihoods(
            blankets, interactions=self.score.order == 3, price=self.price
        )
        return likelihoods - self.price * parameters

    def _from_counts(self, counts: Counts) -> float:
        configurations, table = configurations_of(counts)
        likelihood, parameters = logistic(
            configurations,
            counts.shape[:-1],
            table,
            interactions=self.score.order == 3,
            price=self.price,
        )
        return likelihood - self.price * parameters


def logistic(
    configurations: NDArray[np.uint16],
    arities: Sequence[int],
    table: NDArray[np.float64],
    *,
    interactions: bool,
    price: float,
) -> tuple[float, int]:
    """Return the maximum log-likelihood of a multinomial logistic model, and its number of parameters.

    Parameters
    ----------
    configurations
        States of the explaining variables, one line each.
    arities
        Their numbers of states.
    table
        How often every state of the variable to be explained occurs in each configuration.
    interactions
        Whether products of two explaining variables are added, the one that promises most first
        (:func:`_promise`), until one is not worth its price.
    price
        Of a parameter.
    """
    dummies = [
        (configurations[:, [v]] == np.arange(1, arity)).astype(np.float64) for v, arity in enumerate(arities)
    ]
    design = np.hstack([np.ones((len(configurations), 1)), *dummies])
    classes = table.shape[1] - 1
    best, weights = _maximum(design, table)
    left = list(combinations(dummies, 2)) if interactions else []
    while left and classes:
        worth = [
            _promise(design, _products(a, b), table, weights) / 2 - price * classes * a.shape[1] * b.shape[1]
            for a, b in left
        ]
        chosen = int(np.argmax(worth))
        if not worth[chosen] > -DOUBT * price:
            break
        wider = np.hstack([design, _products(*left.pop(chosen))])
        value, wider_weights = _maximum(wider, table)
        if not value - best > price * classes * (wider.shape[1] - design.shape[1]):
            break
        best, design, weights = value, wider, wider_weights
    return best, classes * design.shape[1]


def _products(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a column for every pair of columns: their product."""
    return (a[:, :, None] * b[:, None, :]).reshape(len(a), a.shape[1] * b.shape[1])


def _maximum(design: NDArray[np.float64], table: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
    """Return the maximum log-likelihood, by Newton's method with steps halved until they climb, and where."""
    p, classes = design.shape[1], table.shape[1] - 1
    weights = np.zeros((classes, p))
    if not table.size or classes == 0:
        return 0.0, weights
    reached = -math.inf
    step = np.zeros_like(weights)
    for _ in range(MOST_STEPS):
        size = 1.0
        while True:
            value, gradient, hessian = _slopes(weights + size * step, design, table)
            if value >= reached or size < 1e-6:
                break
            size /= 2
        if value < reached:
            return reached, weights
        weights, reached = weights + size * step, value
        flat, _, _, _ = np.linalg.lstsq(hessian, gradient, rcond=1e-10)
        promised = float(gradient @ flat)
        if promised <= 2 * GAIN:
            return reached + max(0.0, promised) / 2, weights
        step = flat.reshape(classes, p)
    return reached, weights


def _promise(
    design: NDArray[np.float64],
    added: NDArray[np.float64],
    table: NDArray[np.float64],
    weights: NDArray[np.float64],
) -> float:
    """Return what more columns promise to a fitted model: Rao's score statistic.

    It is about twice the log-likelihood to be gained, and takes no climb.
    """
    wider = np.hstack([weights, np.zeros((len(weights), added.shape[1]))])
    _, gradient, hessian = _slopes(wider, np.hstack([design, added]), table)
    new = np.tile(np.arange(wider.shape[1]) >= design.shape[1], len(weights))
    known, _, _, _ = np.linalg.lstsq(hessian[np.ix_(~new, ~new)], hessian[np.ix_(~new, new)], rcond=1e-10)
    information = hessian[np.ix_(new, new)] - hessian[np.ix_(new, ~new)] @ known
    scale = np.sqrt(np.diag(hessian)[new])
    varied = scale > 0
    scale = scale[varied]
    sizes, axes = np.linalg.eigh(information[np.ix_(varied, varied)] / np.outer(scale, scale))
    along = axes.T @ (gradient[new][varied] / scale)
    own = sizes > ALIASED
    return float((along[own] ** 2 / sizes[own]).sum())


def _slopes(
    weights: NDArray[np.float64], design: NDArray[np.float64], table: NDArray[np.float64]
) -> tuple[float, NDArray[np.float64], NDArray[np.float64]]:
    """Return the log-likelihood, its gradient and minus its second derivatives."""
    eta = np.hstack([np.zeros((len(design), 1)), design @ weights.T])
    log_p = eta - np.logaddexp.reduce(eta, axis=1, keepdims=True)
    p = np.exp(log_p)[:, 1:]
    totals = table.sum(axis=1)
    value = float((table * log_p).sum())
    gradient = ((table[:, 1:] - totals[:, None] * p).T @ design).reshape(-1)
    classes, columns = weights.shape
    blocks = np.empty((classes, columns, classes, columns))
    for a in range(classes):
        for b in range(classes):
            spread = totals * p[:, a] * ((a == b) - p[:, b])
            blocks[a, :, b, :] = design.T @ (spread[:, None] * design)
    return value, gradient, blocks.reshape(classes * columns, classes * columns)
