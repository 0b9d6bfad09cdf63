"""Networks with known parameters: what the parameters mean, and what is sampled."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from graphoid.datasets import hub_graph, ising, pairwise_binary, random_cliques, random_graph
from graphoid.errors import SettingsError
from graphoid.models.gibbs import GibbsSampler
from graphoid.structure.graph import UndirectedGraph

PAIR = UndirectedGraph(2, [(0, 1)])


def log_odds_ratio(p: np.ndarray) -> float:
    return float(np.log(p[0, 0] * p[1, 1] / (p[0, 1] * p[1, 0])))


@pytest.mark.parametrize("theta", [-2.0, 0.0, 1.0, 1.5, 2.0])
@pytest.mark.parametrize("rng", [None, 3])
def test_theta_is_the_log_odds_ratio_of_two_variables(theta: float, rng: int | None) -> None:
    assert log_odds_ratio(pairwise_binary(PAIR, theta, rng).probabilities) == pytest.approx(theta, abs=1e-12)


def test_theta_is_the_log_odds_ratio_given_all_others() -> None:
    graph = random_graph(6, 3, 0)
    p = pairwise_binary(graph, 1.5, rng=1).probabilities
    for x, y in itertools.combinations(range(6), 2):
        tables = np.moveaxis(p, (x, y), (-2, -1)).reshape(-1, 2, 2)
        expected = 1.5 if graph.has_edge(x, y) else 0.0
        assert [log_odds_ratio(t) for t in tables] == pytest.approx([expected] * 16, abs=1e-10)


def test_node_potentials_are_even_without_a_generator() -> None:
    p = pairwise_binary(PAIR, 1.0).probabilities
    # e^(1/4) and e^(-1/4), normalized
    assert p[0, 0] == pytest.approx(np.exp(0.25) / (2 * np.exp(0.25) + 2 * np.exp(-0.25)))
    assert p.sum(axis=0) == pytest.approx([0.5, 0.5])
    isolated = pairwise_binary(UndirectedGraph(200, []), 1.0, rng=0)
    odds = [float(f.log_values[1] - f.log_values[0]) for f in isolated.factors]
    assert -1 < min(odds) < -0.9
    assert 0.9 < max(odds) < 1


def test_ising_couplings_are_a_quarter_of_theta() -> None:
    graph = random_graph(7, 3, 2)
    np.testing.assert_allclose(
        ising(graph, 0.3).probabilities, pairwise_binary(graph, 1.2).probabilities, rtol=1e-12
    )
    # by hand: weights e^(sum of h s + J s s) of two spins
    h, j = np.array([0.2, -0.1]), 0.4
    weights = np.array([[np.exp(h @ (s, t) + j * s * t) for t in (-1, 1)] for s in (-1, 1)])
    np.testing.assert_allclose(ising(PAIR, j, h).probabilities, weights / weights.sum(), rtol=1e-12)


def test_strengths_can_be_given_in_four_ways() -> None:
    graph = UndirectedGraph(["a", "b", "c"], [("a", "b"), ("b", "c")])
    listed = ising(graph, [0.3, -0.5]).probabilities
    np.testing.assert_array_equal(listed, ising(graph, {("b", "a"): 0.3, (1, 2): -0.5}).probabilities)
    numbers = iter([0.3, -0.5])
    np.testing.assert_array_equal(listed, ising(graph, lambda _: next(numbers), rng=0).probabilities)
    np.testing.assert_array_equal(
        ising(graph, 0.3).probabilities, ising(graph, np.array([0.3, 0.3])).probabilities
    )


def test_drawn_couplings_follow_the_seed() -> None:
    graph = random_graph(75, 3, 0)

    def model(seed: int) -> np.ndarray:
        drawn = ising(graph, lambda rng: rng.choice([-1, 1]) * rng.uniform(0.3, 0.6), rng=seed)
        return np.array([f.log_values[0, 0] for f in drawn.factors if len(f.members) == 2])

    np.testing.assert_array_equal(model(1), model(1))
    assert (model(1) != model(2)).all()
    assert 0.3 <= np.abs(model(1)).min() <= np.abs(model(1)).max() <= 0.6
    assert 0.3 < (model(1) > 0).mean() < 0.7


@pytest.mark.parametrize(
    ("strengths", "named"),
    [
        ([0.1, 0.2], "one for each of the 1 edges"),
        ({(0, 1): 0.1, (1, 0): np.nan}, "finite"),
        ({}, r"\(0, 1\) is not given"),
        ("strong", "a number"),
        (np.inf, "finite"),
    ],
)
def test_strengths_are_checked(strengths: Any, named: str) -> None:
    with pytest.raises(SettingsError, match=named):
        ising(PAIR, strengths)
    with pytest.raises(SettingsError, match=named):
        pairwise_binary(PAIR, strengths)


def test_entries_for_pairs_that_are_no_edges_are_named() -> None:
    with pytest.raises(SettingsError, match="no edge"):
        ising(UndirectedGraph(3, [(0, 1)]), {(0, 1): 0.1, (1, 2): 0.1})
    with pytest.raises(SettingsError, match="fields"):
        ising(PAIR, 0.1, [1, 2, 3])


@pytest.mark.parametrize("n", [10, 40])
def test_tables_have_the_names_of_the_graph_and_states_0_and_1(n: int) -> None:
    graph = UndirectedGraph([f"gene {i}" for i in range(n)], [(0, 1), (1, 2)])
    network = pairwise_binary(graph, 1.5, rng=0)
    table = network.sample(100, random_state=1)
    assert table.names == graph.names
    assert table.n_rows == 100
    assert {v.states for v in table.variables} == {(0, 1)}
    assert {column.dtype for column in table.columns} == {np.dtype(np.uint8)}
    assert all(column.flags.c_contiguous for column in table.columns)
    assert table.name == "pairwise binary, theta 1.5"
    assert network.graph is graph
    assert table.data_id == network.sample(100, np.random.default_rng(1)).data_id
    assert table.data_id != network.sample(100, random_state=2).data_id
    assert network.sample(0, 0).n_rows == 0


def test_exact_rows_and_gibbs_rows_agree() -> None:
    network = pairwise_binary(random_graph(14, 3, 5), 1.0, rng=5)
    exact = network.sample(30_000, 0).codes
    gibbs = network.sample(30_000, 0, sampler=GibbsSampler()).codes
    # the difference of two frequencies has a standard error of at most sqrt(.5 / 30,000) = .004
    assert np.abs(exact.mean(axis=0) - gibbs.mean(axis=0)).max() < 0.02
    assert np.abs(np.corrcoef(exact.T) - np.corrcoef(gibbs.T)).max() < 0.03


def test_exact_rows_have_the_joint_frequencies() -> None:
    network = random_cliques(UndirectedGraph(3, [(0, 1), (1, 2), (0, 2)]), rng=1)
    codes = network.sample(50_000, 0).codes.astype(int)
    counts = np.bincount(codes @ [4, 2, 1], minlength=8)
    expected = network.probabilities.ravel() * 50_000
    # 24.3 is the .999 quantile of chi-square with 7 degrees of freedom
    assert ((counts - expected) ** 2 / expected).sum() < 24.3


def test_random_cliques_have_a_factor_for_every_maximal_clique() -> None:
    # a triangle, a tail and a variable alone
    graph = UndirectedGraph(5, [(0, 1), (1, 2), (0, 2), (2, 3)])
    network = random_cliques(graph, rng=0)
    assert [f.members for f in network.factors] == [(0, 1, 2), (2, 3), (4,)]
    values = np.concatenate([np.exp(f.log_values).ravel() for f in network.factors])
    assert ((values > 0) & (values < 1)).all()
    again = random_cliques(graph, rng=np.random.default_rng(0))
    np.testing.assert_array_equal(network.probabilities, again.probabilities)


def test_random_cliques_are_independent_where_the_graph_separates() -> None:
    graph = UndirectedGraph(6, [(0, 1), (1, 2), (0, 2), (2, 3), (3, 4), (4, 5), (3, 5)])
    p = random_cliques(graph, rng=2).probabilities
    for x, y in itertools.combinations(range(6), 2):
        tables = np.moveaxis(p, (x, y), (-2, -1)).reshape(-1, 2, 2)
        strongest = max(abs(log_odds_ratio(t)) for t in tables)
        assert (strongest > 1e-10) == graph.has_edge(x, y)


def test_large_random_cliques_are_sampled() -> None:
    table = random_cliques(hub_graph(32), rng=0).sample(500, random_state=1)
    assert table.n_rows == 500
    assert table.name == "random cliques"
    with pytest.raises(SettingsError, match="clique of 21"):
        random_cliques(UndirectedGraph(21, itertools.combinations(range(21), 2)), rng=0)


def test_a_negative_number_of_rows_is_refused() -> None:
    with pytest.raises(SettingsError, match="-1"):
        ising(PAIR, 0.1).sample(-1)
