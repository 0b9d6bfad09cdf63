"""The log-linear score: its likelihood against another optimiser, separation, and what a product is worth."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from scipy.optimize import minimize

import graphoid as gd
from graphoid.counts.reference import ReferenceEngine
from tests.support.plain_scores import blanket
from tests.support.scored_tables import TABLES, graph_of, graphs
from tests.support.tables import random_table, table_of

if TYPE_CHECKING:
    from graphoid.data.table import Table


def dummies(table: Table, members: tuple[int, ...], products: tuple[tuple[int, int], ...] = ()) -> Any:
    """Return a constant, a column for every state but the first, and products of these, row by row."""
    own = {v: table.column(v)[:, None] == np.arange(1, table.variables[v].arity) for v in members}
    columns = [np.ones((table.n_rows, 1)), *(own[v] for v in members)]
    columns += [own[a][:, [i]] & own[b] for a, b in products for i in range(own[a].shape[1])]
    return np.hstack(columns).astype(float)


def likelihood(
    table: Table, x: int, members: tuple[int, ...], products: tuple[tuple[int, int], ...] = ()
) -> tuple[float, int]:
    """Return the maximum log-likelihood by scipy's BFGS over all rows, and the number of weights."""
    design = dummies(table, members, products)
    states = table.variables[x].arity
    observed = np.eye(states)[table.column(x)]
    weights = np.ones(table.n_rows) if table.weights is None else table.weights.values

    def negative(flat: Any) -> tuple[float, Any]:
        w = flat.reshape(states - 1, -1)
        eta = np.hstack([np.zeros((len(design), 1)), design @ w.T])
        log_p = eta - np.logaddexp.reduce(eta, axis=1, keepdims=True)
        slope = ((np.exp(log_p) - observed) * weights[:, None])[:, 1:].T @ design
        return -float((weights[:, None] * observed * log_p).sum()), slope.ravel()

    k = (states - 1) * design.shape[1]
    found = minimize(negative, np.zeros(k), jac=True, method="BFGS", options={"gtol": 1e-9, "maxiter": 2_000})
    return -float(found.fun), k


def price(table: Table, gamma: float) -> float:
    rows = table.n_rows if table.weights is None else table.weights.total
    return 0.5 * math.log(rows) + gamma * math.log(len(table.variables))


@pytest.mark.parametrize("name", ["binary", "many states", "whole weights", "fractional weights"])
@pytest.mark.parametrize("gamma", [0.0, 0.5])
def test_the_likelihood_is_the_one_another_optimiser_finds(name: str, gamma: float) -> None:
    table = TABLES[name]
    for edges in graphs(4, number=4):
        expected = 0.0
        for x in range(4):
            value, k = likelihood(table, x, blanket(edges, x))
            expected += value - price(table, gamma) * k
        for data in (table, ReferenceEngine(table)):
            found = gd.LogLinearScore(gamma=gamma).value(graph_of(table, edges), data)
            assert found == pytest.approx(expected, abs=2e-6)


@pytest.mark.parametrize("arity", [2, 3, 5])
def test_states_that_are_perfectly_told_apart_have_likelihood_one(arity: int) -> None:
    column = np.arange(60) % arity
    table = table_of([column, (column + 1) % arity], [arity, arity])
    k = (arity - 1) * arity
    for data in (table, ReferenceEngine(table)):
        found = gd.LogLinearScore().value(gd.UndirectedGraph(2, [(0, 1)]), data)
        assert found == pytest.approx(-2 * k * price(table, 0.5), abs=1e-6)


def test_a_state_told_apart_in_one_configuration_only() -> None:
    # where x = 1, y is 1 in every row: the supremum is that of the table, fair coins where x = 0
    x, y = [0] * 40 + [1] * 30, [0, 1] * 20 + [1] * 30
    table = table_of([x, y], [2, 2])
    of_y = 40 * math.log(1 / 2)
    of_x = 20 * math.log(20 / 50) + 30 * math.log(30 / 50)  # x is 0 in all 20 rows with y = 0
    for data in (table, ReferenceEngine(table)):
        found = gd.LogLinearScore(gamma=0).value(gd.UndirectedGraph(2, [(0, 1)]), data)
        assert found == pytest.approx(of_y + of_x - 4 * price(table, 0), abs=1e-6)


def test_states_that_never_occur_cost_their_parameters_and_no_more() -> None:
    few = random_table(150, [2, 2], seed=30)
    table = table_of([few.column(0), few.column(1)], [4, 2])
    joined = gd.UndirectedGraph(2, [(0, 1)])
    for data, plain in ((table, few), (ReferenceEngine(table), ReferenceEngine(few))):
        without = gd.LogLinearScore().value(joined, plain)
        with_them = gd.LogLinearScore().value(joined, data)
        # x: 3 instead of 1 class of 2 columns, y: 1 class of 4 instead of 2 columns
        assert with_them == pytest.approx(without - (4 + 2) * price(table, 0.5), abs=1e-6)


def test_collinear_neighbors_do_no_harm() -> None:
    drawn = random_table(200, [2, 3], seed=31)
    a, b = drawn.column(0), drawn.column(1)
    table = table_of([a, b, b], [2, 3, 3])  # the same column twice
    once, _ = likelihood(table, 0, (1,))
    star = gd.UndirectedGraph(3, [(0, 1), (0, 2)])
    for data in (table, ReferenceEngine(table)):
        local = gd.LogLinearScore().on(data).local(0, 0b110)
        assert local == pytest.approx(once - 5 * price(table, 0.5), abs=1e-6)
        assert math.isfinite(gd.LogLinearScore().value(star, data))


@pytest.mark.parametrize("seed", range(3))
def test_products_are_kept_where_they_pay(seed: int) -> None:
    table = random_table(400, [2, 2, 3, 2], seed=40 + seed)
    members = (0, 1, 2)
    products = list(itertools.combinations(members, 2))
    costs = price(table, 0.0)
    fits = {
        kept: likelihood(table, 3, members, kept)
        for size in range(4)
        for kept in itertools.combinations(products, size)
    }
    values = {kept: value - costs * k for kept, (value, k) in fits.items()}
    for data in (table, ReferenceEngine(table)):
        found = gd.LogLinearScore(order=3, gamma=0).on(data).local(3, 0b0111)
        assert found >= values[()] - 1e-6  # never worse than without products
        assert min(abs(found - value) for value in values.values()) < 1e-5  # and one of the models there are
        kept = min(values, key=lambda kept: abs(values[kept] - found))
        for one in kept:  # every product kept is worth its price in the model that was chosen
            rest = tuple(p for p in kept if p != one)
            assert len(kept) > 1 or values[kept] > values[rest]


def test_order_three_finds_the_triangle_that_pairs_cannot_see() -> None:
    rng = np.random.default_rng(50)
    a, b = rng.integers(0, 2, (2, 1_000))
    c = np.where(rng.random(1_000) < 0.8, a ^ b, rng.integers(0, 2, 1_000))
    table = table_of([a, b, c], [2, 2, 2])
    assert gd.ExhaustiveSearch(gd.LogLinearScore()).fit(table).structure_.graph.n_edges == 0
    assert gd.ExhaustiveSearch(gd.LogLinearScore(order=3)).fit(table).structure_.graph.n_edges == 3


def test_a_larger_gamma_gives_no_more_edges() -> None:
    network = gd.datasets.random_cliques(gd.datasets.random_graph(12, 3, rng=1), rng=1)
    table = network.sample(500, 2)
    edges = [
        gd.HillClimb(gd.LogLinearScore(gamma=gamma), moves="best").fit(table).structure_.graph.n_edges
        for gamma in (0.0, 0.5, 1.0, 3.0)
    ]
    assert edges == sorted(edges, reverse=True)
    assert edges[0] > edges[-1]
