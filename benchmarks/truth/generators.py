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


def shape_edges(shape: str, n: int, rng: np.random.Generator) -> list[Edge]:
    """Return the edges of a graph: as many as variables at random ("random"), or three times as many."""
    if shape == "chain":
        return [(v, v + 1) for v in range(n - 1)]
    if shape == "hub":  # each of eight variables, seven of them leaves
        return [(v - v % 8, v) for v in range(n) if v % 8]
    return random_edges(n, {"none": 0, "random": n, "dense": min(3 * n, n * (n - 1) // 3)}[shape], rng)


def sample_blocks(
    n: int, states: int, rows: int, rng: np.random.Generator
) -> tuple[NDArray[np.uint8], list[Edge]]:
    """Return codes of blocks of eight variables with a factor behind each, and the pairs within blocks."""
    block = np.arange(n) // 8
    numbers = 0.9 * rng.normal(size=(rows, block[-1] + 1))[:, block] + rng.normal(size=(rows, n))
    cuts = np.linspace(-1.5, 1.5, states - 1) if states > 2 else np.zeros(1)
    edges = [(x, y) for x in range(n) for y in range(x + 1, n) if block[x] == block[y]]
    return np.digitize(numbers, cuts).astype(np.uint8), edges


def sample_dag(
    n: int, states: int, rows: int, rng: np.random.Generator
) -> tuple[NDArray[np.uint8], list[Edge]]:
    """Return codes of a Bayesian network, up to two parents a variable, and the edges of its moral graph."""
    codes, edges = np.empty((rows, n), dtype=np.uint8), set()
    for v in range(n):
        parents = sorted(int(p) for p in rng.choice(v, min(v, int(rng.integers(0, 3))), replace=False))
        place = sum(
            (codes[:, p].astype(np.int64) * states**k for k, p in enumerate(parents)), np.zeros(rows, int)
        )
        chances = rng.dirichlet(np.full(states, 2.0), size=states ** len(parents)).cumsum(axis=1)
        codes[:, v] = (rng.random(rows)[:, None] > chances[place][:, :-1]).sum(axis=1)
        edges |= {(p, v) for p in parents} | ({(parents[0], parents[1])} if len(parents) == 2 else set())
    return codes, sorted(edges)


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
