"""Experiments with scores: small versions have the right shape, printed figures stand where they belong."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

import graphoid as gd
from graphoid.errors import DataError, SettingsError
from graphoid.experiments.bjp_comparison import (
    LEARNERS,
    PUBLISHED,
    Errors,
    measure,
    quick_enough,
    summarize,
)
from graphoid.experiments.bjp_consistency import STRUCTURES, Consistency, irregularity
from graphoid.experiments.bjp_structures import NETWORKS, Hubs, RealNetworks, ScaleFree
from graphoid.experiments.l1_logistic import L1Logistic
from graphoid.experiments.papers.schluter2018 import HUBS, ROWS, SCALE_FREE, SUCCESS
from graphoid.experiments.results import Spread

FAST = ("GSMN* Bayesian", "MPL two-phase", "BJP by IBMAP-HC")


def test_target_structures_are_as_irregular_as_the_paper_says():
    found = [irregularity(gd.UndirectedGraph(6, edges)) for _, edges in STRUCTURES.values()]
    assert found == [0, 10, 18, 20, 26, 26]
    every = [
        irregularity(
            gd.UndirectedGraph(6, [pair for i, pair in enumerate(combinations(range(6), 2)) if k >> i & 1])
        )
        for k in range(0, 2**15, 7)
    ]
    assert max(every) <= 26  # models 5 and 6 have the most there is


def test_consistency_counts_the_data_sets_on_which_the_best_graph_is_the_true_one():
    found = Consistency(structures=(3,), n_rows=(250, 8_000), repetitions=4, samples=1).run(seed=1)
    assert [column.name for column in found.columns][3:] == [
        "rows",
        "MPL",
        "MPL printed",
        "IB",
        "IB printed",
        "BJP",
        "BJP printed",
        "log-linear",
    ]
    few, many = found.rows
    assert few[:4] == (3, "hub of four, one leaf longer", 18, 250)
    assert (few[9], many[9]) == (0.04, 0.61)
    for at in (4, 6, 8, 10):
        assert few[at] * 4 in range(5)
        assert few[at] <= many[at]


def test_printed_figures_are_whole_tables():
    assert set(SUCCESS) == set(STRUCTURES)
    for table in (HUBS, SCALE_FREE):
        assert set(table) == {16, 32, 64, 128}
        for lines in table.values():
            assert set(lines) == {"GSMN", "MPL", "IB", "BJP"}
            for line in (lines["MPL"], lines["IB"], lines["BJP"]):
                assert len(line) == len(ROWS)
                assert list(line) == sorted(line, reverse=True)  # more rows, fewer errors


def test_repetitions_in_processes_give_the_same_table():
    alone = Hubs(sizes=(16,), n_rows=(100,), repetitions=2, learners=FAST)
    found, again = alone.run(seed=2), replace(alone, processes=2).run(seed=2)
    for name in ("learner", "Hamming", "/ best published"):
        assert again.column(name) == found.column(name)
    with pytest.raises(SettingsError, match="processes is 0; it must be at least 1"):
        replace(alone, processes=0).run()


def test_hubs_have_a_row_for_every_learner_and_size():
    found = Hubs(sizes=(16,), n_rows=(100, 250), repetitions=2, learners=FAST).run(seed=2)
    assert found.column("learner") == [*FAST] * 2
    assert found.column("printed") == [None, None, None, 19.59, 13.13, 7.76]
    assert found.column("structure") == ["hub 16"] * 6
    ratios = found.column("/ best published")
    assert min(ratios[1:3]) == min(ratios[4:]) == 1  # MPL and BJP are among the published ones
    for wrong, more, less in zip(
        found.column("Hamming"), found.column("false positives"), found.column("false negatives"), strict=True
    ):
        assert wrong.mean == pytest.approx(more.mean + less.mean)


def test_scale_free_structures_with_one_edge_and_with_two():
    found = ScaleFree(sizes=(16,), n_rows=(250,), repetitions=2, learners=FAST).run(seed=2)
    assert found.column("structure") == ["scale-free 16, m = 1"] * 3 + ["scale-free 16, m = 2"] * 3
    assert found.column("printed")[2:] == [11.20, None, None, None]


def test_real_networks_come_from_files(tmp_path):
    (tmp_path / "graphs").mkdir()
    (tmp_path / "graphs" / "small.csv").write_text("u,v\n0,1\n1,2\n2,3\n", encoding="utf-8")
    experiment = RealNetworks(names=("small",), n_rows=(4_000,), repetitions=2, learners=FAST)
    found = experiment.run(data=tmp_path)
    assert found.column("structure") == ["small"] * 3
    assert "small 4 and 3" in found.notes[-1]
    with pytest.raises(DataError, match=r"karate\.csv"):
        RealNetworks(names=("karate",), repetitions=1).run(data=tmp_path)
    with pytest.raises(DataError, match="needs data"):
        experiment.run()
    assert len(NETWORKS) == 10


def test_slow_learners_are_left_out_and_it_is_said():
    assert quick_enough(("GSIMN", "l1-logistic"), 16) == ("GSIMN", "l1-logistic")
    assert quick_enough(("GSIMN", "l1-logistic"), 17) == ("GSIMN",)
    found = Hubs(sizes=(40,), n_rows=(50,), repetitions=1, learners=("GSIMN", "l1-logistic")).run()
    assert found.column("learner") == ["GSIMN"]
    assert "On hub 40 these were left out as too slow: l1-logistic." in found.notes[-1]


def test_unknown_learners_are_refused():
    with pytest.raises(SettingsError, match="no learner is named 'magic'; there are GSMN"):
        Hubs(sizes=(16,), learners=("magic",)).run()


def test_all_learners_on_one_table():
    network = gd.datasets.random_cliques(gd.datasets.hub_graph(8), 1)
    found = measure(tuple(LEARNERS), network.sample(200, 1), network.graph)
    assert set(found) == set(LEARNERS) >= set(PUBLISHED)
    assert all(0 <= wrong.hamming <= 28 and wrong.seconds >= 0 for wrong in found.values())


def test_ratios_are_to_the_best_of_those_published():
    runs = [
        {"GSMN*": Errors(3, 1, 0.5), "GSIMN": Errors(1, 1, 0.5), "l1-logistic": Errors(0, 1, 0.1)},
        {"GSMN*": Errors(1, 1, 0.5), "GSIMN": Errors(0, 0, 0.5), "l1-logistic": Errors(0, 1, 0.3)},
    ]
    cells = summarize(runs)
    assert cells["GSMN*"][3] == Spread.of([4, 2])
    assert cells["GSMN*"][4] == 3.0
    assert cells["GSIMN"][4] == 1.0
    assert cells["l1-logistic"][4] == 1.0
    assert cells["l1-logistic"][5].mean == pytest.approx(0.2)
    perfect = [{"GSIMN": Errors(0, 0, 0.5)}]
    assert summarize(perfect)["GSIMN"][4] is None


def test_l1_logistic_finds_strong_edges_and_no_others():
    graph = gd.UndirectedGraph(5, [(0, 1), (1, 2), (3, 4)])
    table = gd.datasets.ising(graph, 0.8).sample(2_000, 3)
    found = L1Logistic().graph(table)
    assert set(found.edges) == set(graph.edges)
    rng = np.random.default_rng(0)
    noise = gd.read({f"v{i}": rng.integers(0, 2, 400) for i in range(4)})
    assert L1Logistic(gamma=1).graph(noise).n_edges == 0
    with pytest.raises(DataError, match="binary"):
        L1Logistic().graph(gd.datasets.load("survey"))


def test_l1_logistic_of_a_constant_column():
    table = gd.datasets.ising(gd.UndirectedGraph(3, [(0, 1)]), 1.0).sample(200, 0)
    columns = [*table.columns[:2], np.zeros(200, dtype=np.uint8)]
    constant = gd.Table(table.variables, tuple(columns), 200)
    assert set(L1Logistic().graph(constant).edges) == {(0, 1)}
