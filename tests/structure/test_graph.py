"""The undirected graph, and separation in it."""

from __future__ import annotations

import copy
import itertools
import pickle

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from graphoid import UndirectedGraph
from graphoid.errors import DataError, GraphoidError, SettingsError, UnknownVariable
from graphoid.structure.separation import mask, members, reachable


@st.composite
def graphs(draw: st.DrawFn, most: int = 9) -> UndirectedGraph:
    n = draw(st.integers(2, most))
    pairs = list(itertools.combinations(range(n), 2))
    return UndirectedGraph(n, draw(st.lists(st.sampled_from(pairs), max_size=2 * n)))


def test_positions_names_and_repeated_edges_mean_the_same_graph() -> None:
    by_name = UndirectedGraph(["a", "b", "c"], [("c", "a"), ("a", "c"), (1, "a")])
    by_position = UndirectedGraph(["a", "b", "c"], [(0, 1), (0, 2)])
    assert by_name == by_position
    assert hash(by_name) == hash(by_position)
    assert by_name.edges == ((0, 1), (0, 2))
    assert by_name.blanket("a") == (1, 2)
    assert by_name.has_edge("c", 0)
    assert not by_name.has_edge("b", "c")
    assert by_name.n_edges == 2


def test_names_default_to_positions_and_numpy_integers_are_positions() -> None:
    graph = UndirectedGraph(np.int64(3), [(np.int64(0), np.uint8(2))])
    assert graph.names == ("0", "1", "2")
    assert graph.edges == ((0, 2),)


def test_a_graph_does_not_change_but_gives_new_ones() -> None:
    empty = UndirectedGraph(3)
    one = empty.with_edge(2, 0)
    assert empty.edges == ()
    assert one.edges == ((0, 2),)
    assert one.with_edge(0, 2) == one
    assert one.without_edge(0, 2) == empty
    with pytest.raises(AttributeError, match="does not change"):
        one._names = ()  # type: ignore[misc]


def test_copies_and_pickles_are_equal() -> None:
    graph = UndirectedGraph(["a", "b"], [("a", "b")])
    assert copy.deepcopy(graph) == graph
    assert pickle.loads(pickle.dumps(graph)) == graph  # noqa: S301 - our own bytes


def test_equality_tells_graphs_apart() -> None:
    graph = UndirectedGraph(["a", "b"], [("a", "b")])
    assert graph != UndirectedGraph(["a", "b"])
    assert graph != UndirectedGraph(["b", "a"], [("a", "b")])
    assert graph != "a graph"


@pytest.mark.parametrize(
    ("make", "error", "says"),
    [
        (lambda: UndirectedGraph(3, [(1, 1)]), DataError, "from '1' to itself"),
        (lambda: UndirectedGraph(3, [(0, 3)]), UnknownVariable, "no variable 3: positions go from 0 to 2"),
        (lambda: UndirectedGraph(3, [(0, -1)]), UnknownVariable, "no variable -1"),
        (lambda: UndirectedGraph(["a", "b"], [("a", "z")]), UnknownVariable, "named 'z'; there are 'a', 'b'"),
        (lambda: UndirectedGraph(["a", "b", "a"]), DataError, "two variables are named 'a'"),
        (lambda: UndirectedGraph(["a", 1]), DataError, "a name must be a string; got 1"),
        (lambda: UndirectedGraph("abc"), DataError, "one string 'abc'"),
        (lambda: UndirectedGraph(-1), DataError, "cannot have -1 variables"),
        (lambda: UndirectedGraph(2.5), DataError, "not 2.5"),
        (lambda: UndirectedGraph(3, [(0, 1, 2)]), DataError, "a pair of variables"),
        (lambda: UndirectedGraph(3, [7]), DataError, "a pair of variables, not 7"),
        (lambda: UndirectedGraph(3, [(0, 1.5)]), UnknownVariable, "1.5 is neither"),
        (lambda: UndirectedGraph(3).separated(0, 1, "2"), SettingsError, "must be a list of variables"),
        (lambda: UndirectedGraph(3).separated(0, 0), SettingsError, "from itself"),
        (lambda: UndirectedGraph(3).separated(0, 1, [1]), SettingsError, "given at once"),
        (lambda: UndirectedGraph.from_blankets({0: [1], 2: []}), DataError, "one entry for each position"),
        (
            lambda: UndirectedGraph.from_blankets({0: [], 1: []}, rule="any"),
            SettingsError,
            "'either' or 'both'",
        ),
        (lambda: UndirectedGraph.from_networkx(nx.DiGraph([(0, 1)])), DataError, "directed"),
    ],
)
def test_bad_input_gets_one_clear_sentence(make, error: type[GraphoidError], says: str) -> None:
    with pytest.raises(error, match=says) as caught:
        make()
    assert "\n" not in str(caught.value)


def test_blankets_that_disagree_are_joined_by_the_named_rule() -> None:
    blankets = {0: [1, 2], 1: [0], 2: []}
    assert UndirectedGraph.from_blankets(blankets).edges == ((0, 1), (0, 2))
    assert UndirectedGraph.from_blankets(blankets, rule="both").edges == ((0, 1),)
    assert UndirectedGraph.from_blankets(blankets, ["a", "b", "c"]).names == ("a", "b", "c")


def test_networkx_and_back() -> None:
    graph = UndirectedGraph(["b", "a", "alone"], [("a", "b")])
    there = graph.to_networkx()
    assert list(there.nodes) == ["b", "a", "alone"]
    assert UndirectedGraph.from_networkx(there) == graph
    assert UndirectedGraph.from_networkx(nx.path_graph(3)).edges == ((0, 1), (1, 2))


def test_a_graph_shows_its_edges_and_not_all_of_very_many() -> None:
    assert repr(UndirectedGraph(["a", "b"], [(0, 1)])) == "<UndirectedGraph, 2 variables, 1 edge: a–b>"
    assert repr(UndirectedGraph(0)) == "<UndirectedGraph, 0 variables, 0 edges>"
    assert repr(UndirectedGraph.from_networkx(nx.path_graph(100))).endswith("and 87 more>")


def test_masks() -> None:
    assert list(members(mask([5, 0, 200]))) == [0, 5, 200]
    assert reachable([0b010, 0b101, 0b010], 0, removed=0b010) == 0b001
    assert reachable([0b010, 0b101, 0b010], 0) == 0b111


@given(graphs(), st.data())
@settings(max_examples=200, deadline=None)
def test_separation_agrees_with_networkx(graph: UndirectedGraph, data: st.DataObject) -> None:
    x, y = data.draw(st.permutations(range(graph.n)))[:2]
    others = [v for v in range(graph.n) if v not in (x, y)]
    given = data.draw(st.lists(st.sampled_from(others), unique=True)) if others else []
    rest = nx.Graph()
    rest.add_nodes_from(range(graph.n))
    rest.add_edges_from(graph.edges)
    rest.remove_nodes_from(given)
    assert graph.separated(x, y, given) == (not nx.has_path(rest, x, y))
    assert graph.separated(y, x, [graph.names[z] for z in given]) == graph.separated(x, y, given)


@given(graphs())
@settings(deadline=None)
def test_edges_rebuild_the_graph_and_every_blanket_separates(graph: UndirectedGraph) -> None:
    assert UndirectedGraph(graph.n, graph.edges) == graph
    for x in range(graph.n):
        blanket = graph.blanket(x)
        assert all(graph.separated(x, y, blanket) for y in range(graph.n) if y != x and y not in blanket)
