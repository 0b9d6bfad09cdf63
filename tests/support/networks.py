"""Small models made for tests, and everything about them by writing all joint states out."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING

import numpy as np

from graphoid.data.variables import Variable
from graphoid.models.factors import Factor
from graphoid.models.network import MarkovNetwork

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


def variables_of(arities: Sequence[int]) -> tuple[Variable, ...]:
    """Return variables v0, v1, ... whose states are their codes."""
    return tuple(Variable(f"v{k}", tuple(range(arity))) for k, arity in enumerate(arities))


def random_network(
    seed: int, n: int = 7, *, largest: int = 3, arity: int = 3, strength: float = 2.0, zeros: bool = False
) -> MarkovNetwork:
    """Return a model with as many random factors and features as variables, over up to ``largest`` of them.

    With ``zeros``, some entries of factors are impossible; the state of all zeros never is.
    """
    rng = np.random.default_rng([seed, n, largest, arity])
    arities = rng.integers(2, arity + 1, n)
    factors, features = [], []
    for _ in range(n):
        members = tuple(rng.choice(n, rng.integers(1, largest + 1), replace=False).tolist())
        log_values = strength * rng.normal(size=[arities[v] for v in members])
        if zeros:
            impossible = rng.random(log_values.shape) < 0.2
            impossible[(0,) * len(members)] = False
            log_values[impossible] = -np.inf
        factors.append(Factor(members, log_values))
        fixed = sorted(rng.choice(n, rng.integers(1, largest + 1), replace=False).tolist())
        features.append(tuple((v, int(rng.integers(arities[v]))) for v in fixed))
    return MarkovNetwork(
        variables_of(arities.tolist()), tuple(features), rng.normal(size=n) * strength, tuple(factors)
    )


def enumerated(model: MarkovNetwork) -> NDArray[np.float64]:
    """Return the probability of every joint state, an axis for each variable: by definition, term by term."""
    weights = np.zeros(model.arities)
    for state in itertools.product(*map(range, model.arities)):
        score = sum(
            w
            for feature, w in zip(model.features, model.weights, strict=True)
            if all(state[v] == s for v, s in feature)
        )
        score += sum(f.log_values[tuple(state[v] for v in f.members)] for f in model.factors)
        weights[state] = math.exp(score)
    return weights / math.fsum(weights.ravel())


def random_evidence(
    model: MarkovNetwork, rng: np.random.Generator, n_rows: int, share: float = 0.4
) -> NDArray[np.int64]:
    """Return rows of codes drawn from a model, of which a share is observed, anywhere."""
    p = enumerated(model)
    cells = rng.choice(p.size, n_rows, p=p.ravel())
    rows = np.stack(np.unravel_index(cells, p.shape), axis=1)
    return np.where(rng.random(rows.shape) < share, rows, -1)


def agreeing(p: NDArray[np.float64], row: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the probabilities of the joint states that agree with evidence; the others become zero."""
    kept = np.zeros_like(p)
    where = tuple(slice(None) if code < 0 else slice(code, code + 1) for code in row)
    kept[where] = p[where]
    return kept


def marginal(p: NDArray[np.float64], over: Sequence[int]) -> NDArray[np.float64]:
    """Return the sum over all axes but some, which come out in the order asked for."""
    summed = p.sum(axis=tuple(v for v in range(p.ndim) if v not in over))
    left = sorted(over)
    return summed.transpose([left.index(v) for v in over])


def grid(rows: int, columns: int) -> list[tuple[int, int]]:
    """Return the edges of a grid."""
    edges = []
    for r, c in itertools.product(range(rows), range(columns)):
        if c + 1 < columns:
            edges.append((r * columns + c, r * columns + c + 1))
        if r + 1 < rows:
            edges.append((r * columns + c, (r + 1) * columns + c))
    return edges
