"""Graphs whose shape is known."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

from graphoid.datasets import hub_graph, random_graph, scale_free_graph
from graphoid.errors import SettingsError


@pytest.mark.parametrize(
    ("n", "tau", "edges"), [(10, 0, 0), (10, 2, 10), (7, 3, 10), (100, 8, 400), (5, 8, 10)]
)
def test_random_graphs_have_the_stated_average_degree(n: int, tau: float, edges: int) -> None:
    assert random_graph(n, tau, np.random.default_rng(0)).n_edges == edges


def test_random_graphs_follow_their_seed_and_leave_no_pair_out() -> None:
    assert random_graph(20, 2, 3) == random_graph(20, 2, np.random.default_rng(3))
    assert random_graph(20, 2, 3) != random_graph(20, 2, 4)
    rng = np.random.default_rng(0)
    seen = {edge for _ in range(60) for edge in random_graph(6, 2, rng).edges}
    assert len(seen) == 15


def test_hubs_are_joined_in_a_path_and_have_seven_leaves() -> None:
    graph = hub_graph(32)
    assert nx.is_tree(graph.to_networkx())
    assert [len(graph.blanket(x)) for x in range(0, 32, 8)] == [8, 9, 9, 8]
    assert graph.has_edge(8, 16)
    assert nx.is_tree(hub_graph(21).to_networkx())


def test_scale_free_graphs_grow_by_m_edges() -> None:
    graph = scale_free_graph(50, 2, 0)
    assert graph.n_edges == 2 + 2 * 47
    assert nx.is_connected(graph.to_networkx())
    assert graph == scale_free_graph(50, 2, 0)
    degrees = [max(map(len, map(scale_free_graph(200, 2, seed).blanket, range(200)))) for seed in range(5)]
    assert min(degrees) > 12  # a random graph of that density has hardly more than 11


def test_impossible_graphs_are_refused() -> None:
    with pytest.raises(SettingsError, match="cannot be -1"):
        random_graph(5, -1, 0)
    with pytest.raises(SettingsError, match="got m=5, n=5"):
        scale_free_graph(5, 5, 0)
