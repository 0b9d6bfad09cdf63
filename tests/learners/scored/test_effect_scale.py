"""Small effects of nominal columns are noticed, and what is large or alone stays as it was."""

from __future__ import annotations

import numpy as np
import pytest

import graphoid as gd
from graphoid.experiments.potts_recovery import potts
from graphoid.learners.scored.effect_scale import likely_scale

SCORE = gd.LogLinearEvidence()


def scale_of(table):
    return likely_scale(SCORE, SCORE.on(table))


def nominal(codes, n_states):
    variables = tuple(gd.Variable(f"v{v}", tuple("abcdef"[:n_states])) for v in range(codes.shape[1]))
    return gd.Table(variables, tuple(codes.T.astype(np.uint8)), len(codes))


@pytest.mark.parametrize("n_states", [4, 6])
def test_edges_of_many_small_effects_are_found(n_states):
    graph = gd.datasets.grid_graph(3)
    table = potts(graph, n_states, np.random.default_rng(5)).sample(300 * n_states - 300, 6)
    assert scale_of(table) <= 0.5
    found = gd.learn(table)
    assert found.settings["score"]["scale"] == scale_of(table)
    assert "small effects" in found.settings["reason"]
    plain = gd.Search(SCORE, effort=0.6, random_state=0).fit(table).structure_
    assert plain.compare(graph).recall < 0.9 < found.compare(graph).recall
    assert found.compare(graph).precision > 0.9


def test_large_effects_keep_the_scale():
    network = gd.datasets.random_tables(20, 3)
    assert scale_of(network.sample(2_000, 1)) == 1.0


def test_pairs_with_one_effect_are_not_asked():
    table = gd.datasets.pairwise_binary(gd.datasets.random_graph(12, 2, 3), 0.6).sample(3_000, 3)
    assert scale_of(table) == 1.0


@pytest.mark.parametrize("seed", range(4))
def test_independent_columns_speak_for_no_scale(seed):
    rng = np.random.default_rng(seed)
    assert scale_of(nominal(rng.integers(0, 4, (500, 15)), 4)) == 1.0


def test_one_column_has_no_partner():
    assert scale_of(nominal(np.arange(30).reshape(-1, 1) % 3, 3)) == 1.0


def test_the_order_of_columns_does_not_matter():
    table = potts(gd.datasets.grid_graph(3), 4, np.random.default_rng(5)).sample(1_000, 6)
    turned = gd.Table(table.variables[::-1], tuple(table.column(i) for i in range(8, -1, -1)), table.n_rows)
    assert scale_of(table) == scale_of(turned)


def test_statistics_do_not_depend_on_the_scale():
    """What the evidence of a pair says of its likelihood ratio is the same, however wide the prior."""
    table = potts(gd.UndirectedGraph(2, [(0, 1)]), 4, np.random.default_rng(1)).sample(4_000, 2)
    pair = gd.UndirectedGraph(["0", "1"], [])
    counts = np.histogram2d(table.column(0), table.column(1), bins=4)[0]
    expected = counts.sum(1, keepdims=True) * counts.sum(0) / counts.sum()
    g = 2 * float((counts * np.log(counts / expected)).sum())
    margins = [counts.sum(1) / counts.sum(), counts.sum(0) / counts.sum()]
    information = np.full((1, 9), counts.sum() * margins[0].mean() * margins[1].mean())
    for scale in (1.0, 0.5, 0.25):
        score = gd.LogLinearEvidence(scale=scale, order=2, ess=None)
        scorer = score.on(table)
        gain = scorer.gain(pair, (0, 1)) - scorer.weight[0, 1]
        assert score.statistic(np.array([gain]), information)[0] == pytest.approx(g, rel=0.1)
