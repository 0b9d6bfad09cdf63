"""Tables whose network is known: pairwise fields of any arity, ordered or nominal, even or skewed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import graphoid as gd
from graphoid.data.table import code_columns

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    Matrix = NDArray[np.float64]
    Edge = tuple[int, int]

SWEEPS = 60
"""Of Gibbs sampling, from independent columns: these fields mix in a few."""


def scores(states: int) -> Matrix:
    """Return centered scores of the states with the spread of -1 and 1."""
    steps = np.arange(states) - (states - 1) / 2
    return steps / steps.std()


def thresholds(n: int, states: int, rng: np.random.Generator, *, skewed: bool = False) -> Matrix:
    """Return the log potential of each state: about even, or falling so that the last one is rare."""
    steep = -np.abs(rng.normal(0.9, 0.2, n)) if skewed else np.zeros(n)
    return steep[:, None] * scores(states) + rng.normal(0, 0.2, (n, states))


def term(states: int, weight: float, kind: str, rng: np.random.Generator) -> Matrix:
    """Return the log potential of a pair: linear by linear, or any doubly centered one, of a size."""
    if kind == "ordered":
        return weight * np.outer(scores(states), scores(states))
    free = rng.normal(size=(states, states))
    free -= free.mean(axis=0)
    free -= free.mean(axis=1, keepdims=True)
    return weight * free / np.sqrt((free**2).mean())


def random_edges(n: int, count: int, rng: np.random.Generator) -> list[Edge]:
    """Return so many different pairs."""
    every = [(x, y) for x in range(n) for y in range(x + 1, n)]
    return sorted(every[i] for i in rng.choice(len(every), count, replace=False))


def sample_field(
    constants: Matrix, terms: Mapping[Edge, Matrix], rows: int, rng: np.random.Generator
) -> NDArray[np.uint8]:
    """Return codes drawn from a pairwise field, each row by its own Gibbs chain."""
    n, states = constants.shape
    codes = rng.integers(states, size=(n, rows))
    near: list[list[tuple[int, Matrix]]] = [[] for _ in range(n)]
    for (x, y), potential in terms.items():
        near[x].append((y, potential.T))
        near[y].append((x, potential))
    for _ in range(SWEEPS):
        for v in range(n):
            eta = np.broadcast_to(constants[v], (rows, states)).copy()
            for other, potential in near[v]:
                eta += potential[codes[other]]
            codes[v] = (eta + rng.gumbel(size=eta.shape)).argmax(axis=1)
    return codes.T.astype(np.uint8)


def table_of(codes: NDArray[np.integer], states: Sequence[int], *, ordered: bool) -> gd.Table:
    """Return a table of codes, whose states have an order or are mere names."""
    variables = tuple(
        gd.Variable(f"v{v}", tuple(range(r)) if ordered else tuple("abcdefghijklmnopqrst"[:r]), ordered)
        for v, r in enumerate(states)
    )
    return gd.Table(variables, code_columns(codes, variables), len(codes))
