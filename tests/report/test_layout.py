import numpy as np
import pytest

import graphoid as gd
from graphoid.report.layout import GAP, layout


def graph_of(edges, n):
    return gd.UndirectedGraph([f"v{i}" for i in range(n)], edges)


def test_the_same_seed_gives_the_same_places_and_another_seed_others():
    graph = gd.datasets.random_graph(20, 3, np.random.default_rng(0))
    assert (layout(graph, seed=1) == layout(graph, seed=1)).all()
    assert (layout(graph, seed=1) != layout(graph, seed=2)).any()


@pytest.mark.parametrize("n", [0, 1, 2, 3, 30])
def test_every_graph_has_places_that_are_apart(n):
    edges = (
        [(i, j) for i in range(n) for j in range(i + 1, n)] if n < 10 else [(0, i) for i in range(1, n, 2)]
    )
    places = layout(graph_of(edges, n))
    assert places.shape == (n, 2)
    assert np.isfinite(places).all()
    distance = np.sqrt(((places[:, None] - places[None]) ** 2).sum(axis=2)) + 1e9 * np.eye(n)
    assert n < 2 or distance.min() > 0.8 * GAP


def test_a_path_is_drawn_as_a_line():
    places = layout(graph_of([(i, i + 1) for i in range(9)], 10))
    across = places[:, 0]
    assert (np.diff(across) > 0).all() or (np.diff(across) < 0).all()


def test_neighbors_are_drawn_near_each_other():
    graph = gd.UndirectedGraph(30, [(i, i + 1) for i in range(29)] + [(0, 29)])
    places = layout(graph)
    distance = np.sqrt(((places[:, None] - places[None]) ** 2).sum(axis=2))
    joined = [distance[edge] for edge in graph.edges]
    apart = [distance[x, (x + 15) % 30] for x in range(30)]
    assert max(joined) < min(apart)


def test_known_places_are_kept_and_newcomers_stand_beside_their_neighbors():
    graph = graph_of([(0, 1), (1, 2), (2, 3)], 5)
    known = {"v0": (0.0, 0.0), "v1": (100.0, 0.0), "v2": (200.0, 0.0)}
    places = layout(graph, known=known)
    assert places[:3].tolist() == [[0, 0], [100, 0], [200, 0]]
    assert np.linalg.norm(places[3] - places[2]) < 200
    assert places[4, 1] > 0  # joined to nothing known: below
