"""Small models of mixed kinds, and everything about them by summing and integrating on a grid."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np

import graphoid as gd
from graphoid.data.table import Table
from graphoid.data.variables import Variable
from graphoid.models.mixed.layout import Layout, pairs_of
from graphoid.models.mixed.network import MixedNetwork
from graphoid.models.mixed.scale import Scale

if TYPE_CHECKING:
    from collections.abc import Sequence

GRID = np.linspace(-9, 9, 241)
"""Scores at which densities are added up; the trapezoid rule is exact to all digits for what is so smooth."""

IDENTITY = Scale(np.linspace(-10, 10, 401), np.linspace(-10, 10, 401), np.linspace(-10, 10, 401), 0.0, 1.0)
"""A scale on which every value between -10 and 10 is its own score."""

KINDS = (
    Variable("color", ("red", "green", "blue")),
    Variable("grade", (1, 2, 3, 4), ordered=True),
    Variable("age", ()),
    Variable("size", ()),
)
EDGES = ((0, 1), (0, 2), (1, 2), (2, 3), (1, 3))


def random_model(
    seed: int,
    variables: Sequence[Variable] = KINDS,
    edges: Sequence[tuple[int, int]] = EDGES,
    strength: float = 0.3,
) -> MixedNetwork:
    """Return a model with random weights on identity scales."""
    rng = np.random.default_rng(seed)
    pairs = pairs_of(variables, edges, list(edges)[:1])
    layout = Layout(variables, pairs)
    weights = strength * rng.normal(size=layout.n_weights)
    curvature = slice(layout.first_curvature, layout.first_pair)
    weights[curvature] = np.abs(weights[curvature]) + 0.5
    scales = dict.fromkeys(layout.numbers, IDENTITY)
    return MixedNetwork(tuple(variables), weights=weights, scales=scales, pairs=pairs)


def plain_log_density(model: MixedNetwork, values: np.ndarray) -> np.ndarray:
    """Return the log density, up to a constant, from the definition: term by term, row by row."""
    layout, w = model.layout, model.weights
    out = np.zeros(len(values))
    for r, row in enumerate(values):
        phi = np.concatenate(
            [[row[x]] if code is None else code[int(row[x])] for x, code in enumerate(layout.codes)]
        )
        for c in range(layout.n_columns):
            out[r] += w[c] * phi[c]
        for i, x in enumerate(layout.numbers):
            out[r] -= 0.5 * (1 + w[layout.n_columns + i]) * row[x] ** 2
        for m, (p, q) in enumerate(layout.pairs):
            out[r] += w[layout.n_columns + len(layout.numbers) + m] * phi[p] * phi[q]
    return out


def grid_of(model: MixedNetwork, row: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return all rows on a grid that agree with a row of codes and scores, and the log of their mass."""
    free = [
        (
            GRID
            if v.continuous and np.isnan(row[x])
            else np.arange(v.arity, dtype=float)
            if np.isnan(row[x])
            else [row[x]]
        )
        for x, v in enumerate(model.variables)
    ]
    values = np.array(list(itertools.product(*free)))
    width = sum(v.continuous and np.isnan(row[x]) for x, v in enumerate(model.variables))
    embedded = model.layout.embed(values)
    layout, w = model.layout, model.weights
    log = embedded @ w[: layout.n_columns]
    log -= 0.5 * embedded[:, layout.score_columns] ** 2 @ (1 + w[layout.first_curvature : layout.first_pair])
    matrix = layout.interactions(w)
    log += 0.5 * ((embedded @ matrix) * embedded).sum(axis=1)
    return values, log + width * np.log(GRID[1] - GRID[0])


def mixed_table(n_rows: int, seed: int) -> Table:
    """Return a table of every kind, in which neighbors depend on each other."""
    rng = np.random.default_rng(seed)
    color = rng.integers(0, 3, n_rows)
    age = rng.normal(size=n_rows) + 0.9 * (color == 1)
    grade = np.digitize(age + rng.normal(size=n_rows), [-1.0, 0.0, 1.0])
    size = np.exp(0.8 * age + rng.normal(size=n_rows))
    visits = rng.poisson(np.exp(0.5 * grade))
    variables = (*KINDS, Variable("visits", (), kind="count"))
    columns = (color.astype(np.uint8), grade.astype(np.uint8), None, None, None)
    return Table(variables, columns, n_rows, {2: age, 3: size, 4: visits.astype(float)})


MIXED_GRAPH = gd.UndirectedGraph([v.name for v in KINDS] + ["visits"], [(0, 2), (1, 2), (2, 3), (1, 4)])
