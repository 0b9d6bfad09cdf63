"""Scores against the plain implementation, kernels against NumPy: to 1e-9 on every kind of table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import graphoid as gd
from graphoid.counts.engine import Logistic
from graphoid.counts.native import NativeEngine
from graphoid.counts.reference import ReferenceEngine
from tests.support import plain_scores as plain
from tests.support.scored_tables import TABLES, graph_of, graphs, random_edges
from tests.support.tables import native_engines, needs_kernels, random_table, table_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from graphoid.counts.engine import Blanket
    from graphoid.data.table import Table

on_every_table = pytest.mark.parametrize("name", TABLES)

TESTS = {
    "as printed": (gd.BayesianTest(), plain.Prior()),
    "occurring": (gd.BayesianTest(slices="occurring"), plain.Prior(occurring=True)),
    "other prior": (gd.BayesianTest(prior=0.2, pseudo_count=0.5), plain.Prior(0.2, 0.5)),
}

SCORES = [
    gd.MPL(),
    gd.MPL(ess=7.5),
    gd.IBScore(),
    gd.IBScore(test=gd.BayesianTest(slices="occurring", pseudo_count=0.5)),
    gd.BJP(),
    gd.LogLinearScore(),
    gd.LogLinearScore(order=3, gamma=0),
    gd.LogLinearScore(order=3),
]


def agree(table: Table, score: gd.Score, value: Callable[[plain.Rows, plain.Edges], float]) -> None:
    """Hold the score of some graphs against the plain one, for every engine there is."""
    rows = plain.rows_of(table)
    for data in (table, ReferenceEngine(table)):
        scorer = score.on(data)
        for edges in graphs(rows.n):
            assert scorer.value(graph_of(table, edges)) == pytest.approx(
                value(rows, edges), rel=1e-9, abs=1e-9
            )


@on_every_table
@pytest.mark.parametrize("ess", [1.0, 0.1, 12.0])
def test_marginal_pseudo_likelihood(name: str, ess: float) -> None:
    agree(TABLES[name], gd.MPL(ess=ess), lambda rows, edges: plain.mpl(rows, edges, ess))


@on_every_table
@pytest.mark.parametrize("kind", TESTS)
def test_independence_based_score(name: str, kind: str) -> None:
    test, prior = TESTS[kind]
    agree(TABLES[name], gd.IBScore(test=test), lambda rows, edges: plain.ib(rows, edges, prior))


@on_every_table
@pytest.mark.parametrize("kind", TESTS)
def test_blankets_joint_posterior(name: str, kind: str) -> None:
    test, prior = TESTS[kind]
    agree(TABLES[name], gd.BJP(test=test), lambda rows, edges: plain.bjp(rows, edges, prior))


@on_every_table
def test_scores_of_single_pairs(name: str) -> None:
    table = TABLES[name]
    rows = plain.rows_of(table)
    for edges in graphs(rows.n):
        graph = graph_of(table, edges)
        for score, pair in ((gd.IBScore(), plain.ib_pair), (gd.BJP(), plain.bjp_pair)):
            found = score.on(table).pair_scores(graph)
            expected = [
                [0.0 if x == y else pair(rows, edges, x, y) for y in range(rows.n)] for x in range(rows.n)
            ]
            np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)
            np.testing.assert_array_equal(found, found.T)


@pytest.mark.parametrize("n_rows", [200, 4_000])
def test_larger_binary_tables_agree_with_the_plain_scores(n_rows: int) -> None:
    table = random_table(n_rows, [2] * 7, seed=20)
    rows = plain.rows_of(table)
    for seed in range(2):
        edges = random_edges(7, seed)
        graph = graph_of(table, edges)
        assert gd.MPL().value(graph, table) == pytest.approx(plain.mpl(rows, edges), rel=1e-9)
        assert gd.IBScore().value(graph, table) == pytest.approx(plain.ib(rows, edges), rel=1e-9)
        assert gd.BJP().value(graph, table) == pytest.approx(plain.bjp(rows, edges), rel=1e-9)


@needs_kernels
@pytest.mark.parametrize("score", SCORES, ids=repr)
@on_every_table
def test_kernels_give_what_counts_give(score: gd.Score, name: str) -> None:
    table = TABLES[name]
    plainly = score.on(ReferenceEngine(table))
    expected = [plainly.value(graph_of(table, edges)) for edges in graphs(4)]
    for engine in native_engines(table):
        scorer = score.on(engine)
        found = [scorer.value(graph_of(table, edges)) for edges in graphs(4)]
        assert found == pytest.approx(expected, rel=1e-9, abs=1e-8)


@needs_kernels
@pytest.mark.parametrize("score", SCORES, ids=repr)
def test_kernels_on_larger_tables(score: gd.Score) -> None:
    for arities, weights in (
        ([2] * 8, None),
        ([3, 2, 4, 2, 3, 2, 2], None),
        ([2, 3, 2, 3, 2, 4], "fractional"),
    ):
        table = random_table(1_500, arities, seed=11, weights=weights)
        chosen = [random_edges(len(arities), seed) for seed in range(3)]
        found, expected = score.on(table), score.on(ReferenceEngine(table))
        for edges in chosen:
            graph = graph_of(table, edges)
            assert found.value(graph) == pytest.approx(expected.value(graph), rel=1e-9, abs=1e-8)


@needs_kernels
@pytest.mark.parametrize("score", SCORES, ids=repr)
@pytest.mark.parametrize("weights", [None, "fractional"])
def test_threads_and_the_order_of_rows_change_no_bit(score: gd.Score, weights: str | None) -> None:
    table = random_table(700, [2, 3, 2, 4, 2], seed=12, weights=weights)
    order = np.random.default_rng(0).permutation(table.n_rows)
    turned = table_of(
        [table.column(i)[order] for i in range(5)],
        [2, 3, 2, 4, 2],
        None if table.weights is None else table.weights.values[order],
    )
    found = []
    for engine in (
        NativeEngine(table, threads=1),
        NativeEngine(table, threads=2),
        NativeEngine(turned, threads=2),
    ):
        scorer = score.on(engine)
        found.append([scorer.value(graph_of(table, edges)) for edges in graphs(5)])
    assert found[0] == found[1] == found[2]


@needs_kernels
@pytest.mark.parametrize("seed", range(12))
def test_states_that_others_determine(seed: int) -> None:
    # without a prior the best weights are infinite, and a climb may go astray on its way to them
    rng = np.random.default_rng(seed)
    n_rows, k = int(rng.integers(5, 60)), int(rng.integers(2, 5))
    x, z = rng.integers(0, k, n_rows), rng.integers(0, 2, n_rows)
    columns = {"x": x, "y": x, "z": z, "w": (x + z) % k}
    table = gd.read({name: [f"s{code}" for code in column] for name, column in columns.items()})
    for score in (gd.LogLinearScore(), gd.LogLinearScore(order=3, gamma=0), gd.LogLinearEvidence()):
        native, plainly = score.on(table), score.on(ReferenceEngine(table))
        for edges in ([(0, 1)], [(0, 1), (1, 2), (0, 2)], [(0, 1), (1, 2), (0, 2), (0, 3), (1, 3)]):
            graph = graph_of(table, edges)
            assert native.value(graph) == pytest.approx(plainly.value(graph), rel=1e-8, abs=1e-8)


@needs_kernels
@pytest.mark.parametrize("weights", [None, "fractional"])
def test_models_and_tables_of_rows_counted_once(weights: str | None) -> None:
    table = random_table(300, [3, 2, 4, 2], seed=15, weights=weights)
    blankets: list[Blanket] = [(0, ()), (0, (1, 2)), (3, (0, 1, 2)), (2, (3,))]
    model = Logistic(interactions=True, scale=1.0)
    for engine in native_engines(table):
        logistic, tables = engine.evidence_terms(model, 4.0, blankets).T
        assert logistic.tolist() == engine.logistic_terms(model, blankets).tolist()
        assert tables.tolist() == engine.marginal_likelihoods(4.0, blankets).tolist()


def test_blankets_with_more_configurations_than_rows() -> None:
    # 2**30 configurations: counted by sorting rows, and never written out
    table = random_table(100, [2] * 31, seed=13)
    hub = graph_of(table, [(0, y) for y in range(1, 31)])
    for score in (gd.MPL(), gd.BJP(), gd.IBScore()):
        expected = score.on(ReferenceEngine(table)).value(hub)
        assert score.value(hub, table) == pytest.approx(expected, rel=1e-9)


def test_weights_beyond_any_table_of_gammas() -> None:
    heavy: Any = np.random.default_rng(14).integers(0, 10**9, 50)
    drawn = random_table(50, [2, 3, 2], seed=14)
    table = table_of([drawn.column(i) for i in range(3)], [2, 3, 2], heavy)
    rows = plain.rows_of(table)
    for edges in graphs(3):
        # lgamma of 1e10 is near 2e11, of which a double keeps 4e-5
        assert gd.MPL().value(graph_of(table, edges), table) == pytest.approx(
            plain.mpl(rows, edges), abs=1e-3
        )


@needs_kernels
def test_a_logistic_model_far_from_its_linear_discriminants() -> None:
    # of three variables the states, and in how many rows the fourth has the first, second and third of four
    counts = """0 1 0 2 5 0   0 1 1 0 91 0   0 2 2 0 0 1   1 1 0 0 4 0   1 1 1 0 7295 4   1 1 2 0 63 48
        1 2 1 0 2 2   1 2 2 0 0 50   2 1 1 0 385 1   2 1 2 0 19 27   2 2 2 0 0 1"""
    lines = np.array(counts.split(), dtype=int).reshape(-1, 6)
    rows = np.vstack([np.tile([*line[:3], s], (line[3 + s], 1)) for line in lines for s in range(3)])
    table = table_of(rows.T, [4] * 4)
    score, family = gd.LogLinearEvidence(), [(3, (0, 1, 2))]
    native, plain = (score.terms(engine, family) for engine in (NativeEngine(table), ReferenceEngine(table)))
    assert native == pytest.approx(plain, rel=1e-6)
