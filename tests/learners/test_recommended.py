"""The one-liner on tables of all kinds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import graphoid as gd
from graphoid.errors import Interrupted, SettingsError
from graphoid.learners import recommended

if TYPE_CHECKING:
    from pathlib import Path


def test_it_learns_says_why_and_how_sure() -> None:
    found = gd.learn(gd.datasets.load("titanic"))
    assert found.graph.has_edge("sex", "survived")
    assert found.settings["learner"] == "Search"
    assert "logistic" in found.settings["reason"]
    assert found.edge_probabilities
    assert found.seed == 0
    assert all(row.verdict for row in found.edges())


def test_ctrl_c_while_a_learner_is_chosen_leaves_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    def press(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(recommended, "recommend", press)
    table = gd.datasets.load("titanic")
    start = gd.UndirectedGraph(table.names, [(0, 1)])
    with pytest.raises(Interrupted) as stop:
        gd.learn(table, start=start)
    found = stop.value.structure
    assert isinstance(found, gd.LearnedStructure)
    assert (found.graph, found.stopped) == (start, "interrupted")


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


def test_directed_data_have_a_directed_graph_and_calibrated_pairs() -> None:
    network = gd.datasets.random_tables(30, 3)
    found = gd.learn(network.sample(2_000, 4))
    assert found.settings["learner"] == "DirectedSearch"
    figures = found.settings["held_out_log_scores"]
    assert figures["directed"] > figures["undirected"]
    assert "held out" in found.settings["reason"]
    assert found.compare(network.graph).f1 > 0.9
    rows = found.pairs()
    assert len(rows) == 30 * 29 / 2
    present = [(r.x, r.y) for r in rows if r.verdict == "present"]
    assert len(present) > 30
    assert sum(not network.graph.has_edge(x, y) for x, y in present) <= 0.05 * len(present)
    again = gd.learn(network.sample(2_000, 4))
    assert again.edge_probabilities == found.edge_probabilities


def test_fields_have_undirected_graphs_and_products_at_any_size() -> None:
    graph = gd.datasets.random_graph(160, 2, np.random.default_rng(0))
    found = gd.learn(gd.datasets.pairwise_binary(graph, 2.0).sample(1_000, 1))
    assert found.settings["learner"] == "Search"
    assert found.settings["score"]["order"] == 3
    assert found.compare(graph).f1 > 0.95


def ordinal_chain(rows: int, weight: float, seed: int) -> gd.Table:
    """Five items of five points in a chain, each following the one before it."""
    rng = np.random.default_rng(seed)
    scores = np.arange(5) - 2.0
    items = [rng.integers(0, 5, rows)]
    for _ in range(4):
        utility = weight * scores[items[-1]][:, None] * scores - 0.25 * scores**2
        items.append((utility + rng.gumbel(size=(rows, 5))).argmax(axis=1))
    return gd.read(np.stack(items, axis=1))


def test_weak_ordinal_edges_are_not_called_absent() -> None:
    edges = [(i, i + 1) for i in range(4)]
    found = [gd.learn(ordinal_chain(300, 0.16, seed)) for seed in range(10)]
    assert not [1 for f in found for edge in edges if f.verdict(*edge) == "absent"]
    assert sum(f.verdict(*edge) == "present" for f in found for edge in edges) >= 20
    wrong = [1 for f in found for x in range(5) for y in range(x + 2, 5) if f.verdict(x, y) == "present"]
    assert len(wrong) <= 1


def test_absence_is_told_where_rows_have_the_power_to() -> None:
    far = [(0, 2), (0, 3), (0, 4), (1, 3), (1, 4), (2, 4)]
    few, many = gd.learn(ordinal_chain(200, 0.3, 1)), gd.learn(ordinal_chain(10_000, 0.3, 1))
    assert {few.verdict(*pair) for pair in far} == {"undecided"}
    assert few.underpowered.issuperset(far)
    assert sum(many.verdict(*pair) == "absent" for pair in far) >= 4  # one or two are .06 by chance
    assert not many.underpowered


def test_every_pair_of_many_variables_has_a_probability() -> None:
    graph = gd.datasets.random_graph(120, 2, np.random.default_rng(0))
    found = gd.learn(gd.datasets.pairwise_binary(graph, 2.0).sample(500, 1))
    rows = found.pairs()
    assert len(found.edge_probabilities) < len(rows) == 120 * 119 // 2
    assert all(row.probability is not None for row in rows)
    again = gd.LearnedStructure.from_json(found.to_json())
    assert [(r.probability, r.verdict) for r in again.pairs()] == [(r.probability, r.verdict) for r in rows]


def test_where_directed_graphs_are_not_tried_it_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = gd.datasets.random_tables(6, 3).sample(300, 4)
    columns = {v.name: [v.states[c] for c in table.column(v.name)] for v in table.variables}
    pq.write_table(pa.table(columns), tmp_path / "t.parquet")
    remote = gd.learn(gd.read(tmp_path / "t.parquet", where="source"))
    assert "directed graphs were not tried, since rows that stay at their source" in remote.settings["reason"]
    assert "held_out_log_scores" not in remote.settings
    monkeypatch.setattr(recommended, "MOST_DIRECTED", 5)
    assert "since 6 variables are many" in gd.learn(table).settings["reason"]
    assert (
        "not tried" not in gd.learn({"a": [0.1, 0.7, 0.3] * 9, "b": [1.5, 2.5, 0.2] * 9}).settings["reason"]
    )


def test_pairs_that_rows_cannot_carry_are_open() -> None:
    found = gd.DirectedSearch("bdeu", random_state=0).fit(gd.datasets.random_tables(10, 9000).sample(60, 1))
    rows = found.structure_.pairs()
    assert len(rows) == 45
    assert all(row.probability is not None and row.verdict for row in rows)


@pytest.mark.parametrize("n_rows", [2, 4, 5])
def test_tables_of_few_rows_are_learned_from(n_rows):
    rng = np.random.default_rng(n_rows)
    columns = {name: rng.integers(3, size=n_rows).astype(str) for name in "abcd"}
    found = gd.learn(gd.read(columns))
    assert ("too few rows to hold some out" in str(found.settings["reason"])) == (n_rows < 5)


def test_rows_without_weight_are_not_held_out():
    rng = np.random.default_rng(0)
    columns = {name: rng.integers(2, size=50).astype(str) for name in "abcd"}
    weights = np.zeros(50)
    weights[:4] = 1.0
    found = gd.learn(gd.read({**columns, "w": weights}, weights="w"))
    assert "too few rows to hold some out" in str(found.settings["reason"])
