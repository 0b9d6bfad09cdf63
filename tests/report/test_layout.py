import numpy as np
import pytest

import graphoid as gd
from graphoid.report.layout import EDGE, GAP, layout, majorize


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


def stress(places, distance):
    """Gansner2005, equation 1, pair by pair."""
    n = len(distance)
    return sum(
        (np.linalg.norm(places[i] - places[j]) - distance[i, j]) ** 2 / distance[i, j] ** 2
        for i in range(n)
        for j in range(i)
    )


def least_stress(places, distance):
    """The same minimum by a method of others: BFGS on the coordinates."""
    from scipy.optimize import minimize

    x, y = np.tril_indices(len(distance), -1)

    def value(flat):
        at = flat.reshape(-1, 2)
        across = at[x] - at[y]
        apart = np.linalg.norm(across, axis=1)
        off = (apart - distance[x, y]) / distance[x, y] ** 2
        slope = np.zeros_like(at)
        pull = 2 * (off / apart)[:, None] * across
        np.add.at(slope, x, pull)
        np.add.at(slope, y, -pull)
        return (off**2 * distance[x, y] ** 2).sum(), slope.ravel()

    return minimize(value, places.ravel(), jac=True, method="BFGS").fun


def distances(graph):
    import networkx as nx

    length = dict(nx.all_pairs_shortest_path_length(graph.to_networkx()))
    return np.array([[float(length[a][b]) for b in graph.names] for a in graph.names])


@pytest.mark.parametrize(
    "edges",
    [
        [(i, (i + 1) % 12) for i in range(12)],
        [(4 * r + c, 4 * r + c + 1) for r in range(4) for c in range(3)] + [(i, i + 4) for i in range(12)],
        [(i, i + 1) for i in range(11)] + [(0, 5), (2, 9), (3, 11)],
    ],
    ids=["ring", "grid", "chords"],
)
def test_majorization_reaches_the_least_stress(edges):
    graph = graph_of(edges, 1 + max(map(max, edges)))
    distance = distances(graph)
    start = np.random.default_rng(0).normal(size=(graph.n, 2))
    found = majorize(start, distance)
    assert stress(start, distance) > 5 * stress(found, distance)
    # it stops where a step gains less than one in ten thousand, which leaves a little
    assert stress(found, distance) < 1.02 * least_stress(found, distance)


def test_a_drawing_has_little_more_than_the_least_stress():
    # a ring of eight: all have two neighbors, so that every edge is as long, the fourth root of two
    graph = graph_of([(i, (i + 1) % 8) for i in range(8)], 8)
    distance = 2**0.25 * distances(graph)
    places = layout(graph) / EDGE
    assert stress(places, distance) < 1.01 * least_stress(places, distance)


def test_known_places_are_kept_and_newcomers_stand_beside_their_neighbors():
    graph = graph_of([(0, 1), (1, 2), (2, 3)], 5)
    known = {"v0": (0.0, 0.0), "v1": (100.0, 0.0), "v2": (200.0, 0.0)}
    places = layout(graph, known=known)
    assert places[:3].tolist() == [[0, 0], [100, 0], [200, 0]]
    assert np.linalg.norm(places[3] - places[2]) < 200
    assert places[4, 1] > 0  # joined to nothing known: below


def test_isolated_variables_stand_in_a_row_and_rows_in_the_middle():
    places = layout(graph_of([(i, i + 1) for i in range(9)], 16))
    alone, joined = places[10:], places[:10]
    assert np.ptp(alone[:, 1]) == 0
    assert alone[0, 1] > joined[:, 1].max()
    assert abs(np.ptp(alone[:, 0]) / 2 + alone[:, 0].min() - joined[:, 0].mean()) < EDGE
