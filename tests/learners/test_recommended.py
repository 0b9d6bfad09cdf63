"""The one-liner on tables of all kinds."""

from __future__ import annotations

import numpy as np
import pytest

import graphoid as gd
from graphoid.errors import SettingsError
from graphoid.learners import recommended


def test_it_learns_says_why_and_how_sure() -> None:
    found = gd.learn(gd.datasets.load("titanic"))
    assert found.graph.has_edge("sex", "survived")
    assert found.settings["learner"] == "Search"
    assert "logistic" in found.settings["reason"]
    assert found.edge_probabilities
    assert found.seed == 0
    assert all(row.verdict for row in found.edges())


def test_the_same_call_gives_the_same_result() -> None:
    table = gd.datasets.load("titanic")
    first, again = gd.learn(table), gd.learn(table)
    assert first.graph == again.graph
    assert first.edge_probabilities == again.edge_probabilities


def test_another_learner_may_be_given() -> None:
    table = gd.datasets.load("titanic")
    assert gd.learn(table, gd.GSIMN()).graph == gd.GSIMN().fit(table).structure_.graph
    with pytest.raises(SettingsError, match="learner must be"):
        gd.learn(table, "gsimn")


@pytest.mark.parametrize("rows", [1, 5, 50])
def test_few_rows_a_constant_column_and_rare_states(rows: int) -> None:
    rng = np.random.default_rng(rows)
    columns = {f"v{i}": rng.integers(0, 3, rows).astype(str) for i in range(4)}
    columns["constant"] = np.full(rows, "a")
    columns["rare"] = np.array(["once"] + ["often"] * (rows - 1))
    found = gd.learn(columns)
    assert found.graph.blanket("constant") == ()


def test_one_variable_has_no_edges() -> None:
    assert gd.learn({"a": ["x", "y", "x"]}).graph.n_edges == 0


def test_many_variables_take_the_quicker_score(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recommended, "MOST_FOR_PRODUCTS", 5)
    rng = np.random.default_rng(0)
    graph = gd.datasets.random_graph(14, 2, rng)
    table = gd.datasets.pairwise_binary(graph, 2.0).sample(1_000, 1)
    found = gd.learn(table)
    assert found.settings["score"]["order"] == 2
    assert found.compare(graph).f1 > 0.9
    assert not found.edge_probabilities
