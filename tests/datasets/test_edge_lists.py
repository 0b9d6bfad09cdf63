"""Graphs from files of edges, and random distributions over graphs with large cliques."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import pytest

import graphoid as gd
from graphoid.errors import DataError, SettingsError

if TYPE_CHECKING:
    from pathlib import Path


def written(folder: Path, text: str) -> Path:
    path = folder / "graph.csv"
    path.write_text(text, encoding="utf-8")
    return path


def test_numbers_are_positions(tmp_path: Path) -> None:
    graph = gd.datasets.read_graph(written(tmp_path, "u,v\n10,2\n0,1\n2,10\n"))
    assert graph.n == 11
    assert graph.edges == ((0, 1), (2, 10))


def test_names_come_in_the_order_they_are_met(tmp_path: Path) -> None:
    graph = gd.datasets.read_graph(written(tmp_path, "from,to\nwet,rain\nrain, cloud\n\n"))
    assert graph.names == ("wet", "rain", "cloud")
    assert graph.has_edge("rain", "cloud")
    assert graph.n_edges == 2


def test_a_file_without_edges_is_a_graph_without_variables(tmp_path: Path) -> None:
    assert gd.datasets.read_graph(written(tmp_path, "u,v\n")).n == 0


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("u,v\n0\n", "line 2: expected the two ends"),
        ("u,v\n0,1\n3,3\n", "line 3: .* to itself"),
        ("u,v\n,1\n", "line 2"),
    ],
)
def test_broken_lines_are_named(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(DataError, match=says):
        gd.datasets.read_graph(written(tmp_path, text))


def test_a_file_that_is_no_text(tmp_path: Path) -> None:
    path = tmp_path / "graph.csv"
    path.write_bytes(b"\xff\xfe\x00\x81")
    with pytest.raises(DataError, match="not a text file"):
        gd.datasets.read_graph(path)


def test_large_cliques_are_split_into_pairs_when_asked() -> None:
    clique = gd.UndirectedGraph(25, [*itertools.combinations(range(22), 2), (22, 23), (23, 24), (22, 24)])
    with pytest.raises(SettingsError, match="split_beyond=20"):
        gd.datasets.random_cliques(clique, 0)
    network = gd.datasets.random_cliques(clique, 0, split_beyond=20)
    sizes = [len(factor.members) for factor in network.factors]
    assert sizes.count(2) == 231  # the pairs of 22
    assert sizes.count(3) == 1
    assert network.sample(10, 0).n_rows == 10
    plain = gd.UndirectedGraph(3, [(0, 1), (1, 2)])
    for beyond in (None, 5):  # nothing to split, nothing changes
        first = gd.datasets.random_cliques(plain, 3, split_beyond=beyond)
        assert [f.members for f in first.factors] == [(0, 1), (1, 2)]
