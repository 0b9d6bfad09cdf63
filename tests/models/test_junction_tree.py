"""Junction trees: what makes one, on many graphs; and what is too large is refused with its size."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING

import networkx as nx
import numpy as np
import pytest

from graphoid.datasets import random_graph, scale_free_graph
from graphoid.errors import CountsTooLarge
from graphoid.models.junction_tree import JunctionTree, junction_tree
from tests.support.networks import grid

if TYPE_CHECKING:
    from collections.abc import Iterable


def is_junction_tree(tree: JunctionTree, scopes: Iterable[tuple[int, ...]]) -> bool:
    """Check the definition: scopes are held, clusters form a forest, a variable's clusters hang together."""
    clusters = [set(c) for c in tree.clusters]
    held = all(any(set(scope) <= c for c in clusters) for scope in scopes)
    ordered = all(parent < k for k, parent in enumerate(tree.parents))
    minimal = not any(a <= b for a, b in itertools.permutations(clusters, 2))
    connected = True
    for v in set().union(*clusters):
        inside = [k for k, c in enumerate(clusters) if v in c]
        # a connected part of a forest has exactly one cluster whose parent is not in the part
        connected &= sum(tree.parents[k] not in inside for k in inside) == 1
    return held and ordered and minimal and connected


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize(("n", "tau"), [(6, 2), (14, 3), (25, 2)])
def test_trees_of_random_graphs(n: int, tau: int, seed: int) -> None:
    edges = random_graph(n, tau, seed).edges
    tree = junction_tree(edges, [2] * n)
    assert is_junction_tree(tree, [*edges, *((v,) for v in range(n))])


def test_a_tree_that_is_none_is_told() -> None:
    assert is_junction_tree(JunctionTree(((0, 1), (1, 2)), (-1, 0)), [(0, 1), (1, 2)])
    assert not is_junction_tree(JunctionTree(((0, 1), (1, 2)), (-1, -1)), [(0, 1), (1, 2)])
    assert not is_junction_tree(JunctionTree(((0, 1), (2,)), (-1, 0)), [(0, 1), (1, 2)])
    assert not is_junction_tree(JunctionTree(((0, 1), (1,)), (-1, 0)), [(0, 1)])


@pytest.mark.parametrize(
    ("edges", "n", "width"),
    [
        ([(k, k + 1) for k in range(9)], 10, 1),  # a chain
        ([(0, k) for k in range(1, 10)], 10, 1),  # a star
        ([(k, (k + 1) % 10) for k in range(10)], 10, 2),  # a circle
        (grid(4, 4), 16, 4),
        (list(itertools.combinations(range(6), 2)), 6, 5),
        ([], 3, 0),
    ],
)
def test_widths_that_are_known(edges: list[tuple[int, int]], n: int, width: int) -> None:
    assert junction_tree(edges, [2] * n).width == width


@pytest.mark.parametrize("seed", range(5))
def test_chordal_graphs_get_no_new_edges(seed: int) -> None:
    graph = nx.random_labeled_tree(12, seed=seed)
    chordal = nx.complete_to_chordal_graph(nx.compose(graph, nx.cycle_graph(12)))[0]
    tree = junction_tree([tuple(e) for e in chordal.edges], [2] * 12)
    expected = {tuple(sorted(c)) for c in nx.chordal_graph_cliques(chordal)}
    assert set(tree.clusters) == expected


@pytest.mark.parametrize("seed", range(10))
def test_the_root_holds_what_is_asked_and_nothing_else_is_kept(seed: int) -> None:
    graph = random_graph(20, 1, seed)
    rng = np.random.default_rng(seed)
    asked = tuple(rng.choice(20, 3, replace=False).tolist())
    tree = junction_tree(graph.edges, [2] * 20, root=asked)
    assert set(asked) <= set(tree.clusters[0])
    whole = nx.Graph(list(graph.edges))
    whole.add_nodes_from(range(20))
    whole.add_edges_from(itertools.combinations(asked, 2))
    assert set().union(*tree.clusters) == nx.node_connected_component(whole, asked[0])


def test_variables_left_out_take_their_edges_with_them() -> None:
    tree = junction_tree([(0, 1), (1, 2), (2, 3)], [2] * 4, variables=[0, 1, 3])
    assert set(tree.clusters) == {(0, 1), (3,)}


def test_too_large_is_refused_with_its_size() -> None:
    complete = list(itertools.combinations(range(30), 2))
    with pytest.raises(CountsTooLarge, match=r"30 variables with 1,073,741,824 joint states \(8,192 MB\)"):
        junction_tree(complete, [2] * 30)
    with pytest.raises(CountsTooLarge, match=f"{math.prod(range(2, 8)):,} joint states"):
        junction_tree(itertools.combinations(range(6), 2), range(2, 8), max_cells=5_000)


def test_a_hopeless_graph_is_refused_at_once() -> None:
    dense = scale_free_graph(400, 40, 0)  # would take minutes to triangulate to the end
    with pytest.raises(CountsTooLarge, match="max_cells"):
        junction_tree(dense.edges, [2] * 400)
