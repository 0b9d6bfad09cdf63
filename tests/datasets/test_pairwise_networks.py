"""Networks of several kinds of variables: the density that is said is the one that is sampled."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from graphoid.datasets import ordinal_field, pairwise_mixed, random_graph
from graphoid.datasets.pairwise import PairwiseNetwork
from graphoid.errors import SettingsError
from graphoid.structure.graph import UndirectedGraph

PAIR = UndirectedGraph(2, [(0, 1)])


def test_ordered_fields_are_sampled_from_their_potentials():
    network = ordinal_field(UndirectedGraph(3, [(0, 1), (1, 2)]), 0, n_states=3)
    log_p = np.zeros((3, 3, 3))
    for states in itertools.product(range(3), repeat=3):
        log_p[states] = sum(network.nodes[v][s] for v, s in enumerate(states))
        log_p[states] += sum(network.terms[x, y][states[x], states[y]] for x, y in network.graph.edges)
    expected = np.exp(log_p) / np.exp(log_p).sum() * 30_000
    codes = network.sample(30_000, 1).codes.astype(int)
    counts = np.bincount(codes @ [9, 3, 1], minlength=27)
    # 54.1 is the .999 quantile of chi-square with 26 degrees of freedom
    assert ((counts - expected.ravel()) ** 2 / expected.ravel()).sum() < 54.1


def test_terms_of_ordered_fields_are_linear_by_linear():
    network = ordinal_field(PAIR, 3, weight=0.25)
    term = network.terms[0, 1]
    weight = term[4, 4] / 4  # states 2 and 2, counted from the middle
    assert 0.175 <= abs(weight) <= 0.325
    np.testing.assert_allclose(term, weight * np.outer(np.arange(-2, 3), np.arange(-2, 3)))


def test_continuous_variables_given_a_nominal_one_are_gaussian():
    effects = np.array([[-1.0], [0.2], [0.8]])
    graph = UndirectedGraph(3, [(0, 1), (1, 2)])
    network = PairwiseNetwork(
        graph,
        ("nominal", "continuous", "continuous"),
        (np.array([0.1, 0.0, -0.1]), np.array([2.0]), np.array([1.0])),
        {(0, 1): effects, (1, 2): np.array([[0.6]])},
    )
    np.testing.assert_allclose(network.precision, [[2.0, -0.6], [-0.6, 1.0]])
    table = network.sample(60_000, 0)
    y = np.array([table.numbers(1), table.numbers(2)])
    covariance = np.linalg.inv(network.precision)
    # integrating the continuous variables out leaves a factor exp(h' Sigma h / 2) for each state
    weight = np.exp(network.nodes[0] + 0.5 * covariance[0, 0] * effects[:, 0] ** 2)
    shares = np.bincount(table.column(0), minlength=3) / 60_000
    np.testing.assert_allclose(shares, weight / weight.sum(), atol=0.01)
    for state in range(3):
        rows = y[:, table.column(0) == state]
        np.testing.assert_allclose(np.cov(rows), covariance, atol=0.03)
        np.testing.assert_allclose(rows.mean(axis=1), covariance @ [effects[state, 0], 0.0], atol=0.03)


def test_terms_have_the_sizes_asked_for():
    kinds = ["nominal", "ordered", "continuous", "count"] * 5
    network = pairwise_mixed(random_graph(20, 6, 0), kinds, 0, weakest=0.2, strongest=0.3)
    for (x, y), term in network.terms.items():
        assert term.shape == (len(network.nodes[x]), len(network.nodes[y]))
        square = term**2
        for axis, v in ((0, x), (1, y)):
            scored = kinds[v] in {"ordered", "count"}
            share = np.exp(network.nodes[v]) if scored else np.ones(len(network.nodes[v]))
            if kinds[v] != "continuous":
                centered = np.tensordot(share / share.sum(), term, (0, axis))
                np.testing.assert_allclose(centered, 0, atol=1e-12)
            square = np.expand_dims(np.tensordot(share / share.sum(), square, (0, axis)), axis)
        assert 0.2 <= np.sqrt(square.item()) <= 0.3


def test_tables_have_the_kinds_asked_for():
    kinds = ["nominal", "ordered", "continuous", "count"] * 2
    table = pairwise_mixed(random_graph(8, 2, 1), kinds, 1, n_states=(3, 7)).sample(200, 2)
    assert [v.kind for v in table.variables] == kinds
    assert [v.arity for v in table.variables[:3]] == [3, 7, 0]
    assert table.variables[0].states == ("a", "b", "c")
    assert set(table.variables[3].states) == set(table.numbers(3))


def test_dense_continuous_networks_keep_a_density():
    network = pairwise_mixed(random_graph(30, 10, 0), ["continuous"] * 30, 0)
    assert np.linalg.eigvalsh(network.precision)[0] == pytest.approx(0.4)
    assert pairwise_mixed(random_graph(8, 2, 0), ["nominal"] * 8, 0).precision.size == 0


def test_chains_forget_where_they_began():
    network = pairwise_mixed(random_graph(20, 3, 0), ["nominal", "continuous"] * 10, 0)
    short, long = network.sample(5_000, 0, sweeps=40), network.sample(5_000, 1, sweeps=160)
    for v in range(1, 20, 2):
        assert short.numbers(v).std() == pytest.approx(long.numbers(v).std(), rel=0.08)


def test_the_same_seed_gives_the_same_table():
    graph = random_graph(12, 3, 0)
    network, again = (pairwise_mixed(graph, ["ordered", "count", "continuous"] * 4, 5) for _ in range(2))
    assert network.sample(50, 1).data_id == again.sample(50, np.random.default_rng(1)).data_id
    assert network.sample(50, 1).data_id != network.sample(50, 2).data_id
    assert network.sample(0, 1).n_rows == 0


def test_what_is_no_network_is_refused():
    with pytest.raises(SettingsError, match="kinds must be 2 of"):
        pairwise_mixed(PAIR, ["nominal"], 0)
    with pytest.raises(SettingsError, match="kinds must be 2 of"):
        pairwise_mixed(PAIR, ["nominal", "categorical"], 0)
    with pytest.raises(SettingsError, match=r"shape \(2, 2\); expected \(2, 3\)"):
        PairwiseNetwork(PAIR, ("ordered",) * 2, (np.zeros(2), np.zeros(3)), {(0, 1): np.zeros((2, 2))})
    with pytest.raises(SettingsError, match="positive definite"):
        PairwiseNetwork(PAIR, ("continuous",) * 2, (np.ones(1), np.ones(1)), {(0, 1): np.array([[1.5]])})
    with pytest.raises(SettingsError, match="-1"):
        ordinal_field(PAIR, 0).sample(-1)
