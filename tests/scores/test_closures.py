"""Scores of closures where cells are missing: every assertion by the rows that are complete for it."""

from __future__ import annotations

import math

import numpy as np
import pytest

import graphoid as gd


def with_gaps(seed: int) -> gd.Table:
    rng = np.random.default_rng(seed)
    base = rng.integers(0, 3, 300)
    columns = {
        f"v{i}": [
            None if hidden else str(v)
            for v, hidden in zip(
                np.where(rng.random(300) < 0.6, base, rng.integers(0, 3, 300)),
                rng.random(300) < 0.2,
                strict=True,
            )
        ]
        for i in range(5)
    }
    return gd.read(columns, missing="available")


@pytest.mark.parametrize("seed", range(3))
def test_the_ib_score_of_a_table_with_gaps_is_the_sum_of_its_assertions(seed: int) -> None:
    table = with_gaps(seed)
    graph = gd.datasets.random_graph(5, 2, seed)
    test = gd.BayesianTest()
    tester, total = gd.Tester(test, table), 0.0
    for x in range(5):
        blanket = graph.blanket(x)
        for y in set(range(5)) - {x}:
            verdict = tester.ask([(x, y, [z for z in blanket if z != y])])[0]
            sign = -1.0 if y in blanket else 1.0
            total -= float(np.logaddexp(0.0, -sign * verdict.log_odds))
    named = gd.UndirectedGraph(table.names, graph.edges)
    assert gd.IBScore(test=test).value(named, table) == pytest.approx(total)
    assert total < 0


@pytest.mark.parametrize("score", [gd.IBScore(), gd.BJP()], ids=["IB", "BJP"])
def test_gains_are_differences_of_values_where_cells_are_missing(score: gd.IBScore | gd.BJP) -> None:
    table = with_gaps(7)
    graph = gd.UndirectedGraph(table.names, [(0, 1), (1, 2)])
    after = gd.UndirectedGraph(table.names, [(0, 1), (1, 2), (2, 3)])
    gain = score.gain(graph, (2, 3), table)
    assert math.isclose(gain, score.value(after, table) - score.value(graph, table), abs_tol=1e-9)
