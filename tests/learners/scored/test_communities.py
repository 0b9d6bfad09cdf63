"""A search that finds communities gives them a density of their own, and says so."""

from dataclasses import replace

import numpy as np
import pytest

import graphoid as gd
from graphoid.errors import DataError
from graphoid.scores.priors import BlockPrior


def items(seed, n_rows=500, blocks=3, size=6):
    """Five-point items, each a noisy look at the factor of its block."""
    rng = np.random.default_rng(seed)
    factors = rng.normal(size=(blocks, n_rows))
    return gd.read(
        {
            f"q{block}{k}": np.digitize(
                0.9 * factors[block] + rng.normal(size=n_rows), [-1.5, -0.5, 0.5, 1.5]
            )
            for block in range(blocks)
            for k in range(size)
        }
    )


def same_block(row):
    return row.x[1] == row.y[1]


def test_items_of_a_scale_hang_together():
    table = items(0)
    plain = gd.Search(gd.LogLinearEvidence(), random_state=0).fit(table).structure_
    found = gd.learn(table)
    assert sum(map(same_block, plain.edges())) < 40  # of 45: weak ones go unnoticed, each for itself
    assert [same_block(row) for row in found.edges()] == [True] * 45
    prior = found.settings["prior"]
    assert sorted(sorted(block) for block in prior["blocks"]) == [
        [f"q{block}{k}" for k in range(6)] for block in range(3)
    ]
    assert prior["within"] > 0.8 > 0.05 > prior["between"]


def test_what_was_found_is_kept_with_its_prior():
    found = gd.learn(items(1))
    prior = BlockPrior.from_settings(found.settings["prior"])
    scorer = replace(found.learner.score, prior=prior).on(found.table)
    assert scorer.value(found.graph) == pytest.approx(found.scored.value)
    run = found.bootstrap(20, random_state=0)
    often = [row.frequency for row in run.edges() if row.joined]
    assert np.mean(often) > 0.7  # halves of the rows know of the blocks, too


def test_settings_of_a_damaged_file_are_refused():
    with pytest.raises((DataError, TypeError, ValueError)):
        BlockPrior.from_settings({"blocks": [["a", 3]], "within": 0.5, "between": 0.1})


def test_a_random_graph_is_found_as_before():
    table = gd.datasets.pairwise_binary(gd.datasets.random_graph(12, 2, 3), 0.6).sample(800, 3)
    plain = gd.Search(gd.LogLinearEvidence(), effort=0.6, random_state=0).fit(table).structure_
    found = gd.learn(table)
    assert found.graph == plain.graph
    assert "prior" not in found.settings
    assert found.edge_probabilities == plain.edge_probabilities


def test_the_order_of_columns_has_no_say():
    table = items(2, n_rows=300)
    order = np.random.default_rng(0).permutation(len(table.names))
    assert {(r.x, r.y) for r in gd.learn(table).edges()} == {
        tuple(sorted((r.x, r.y))) for r in gd.learn(table.take(order.tolist())).edges()
    }
