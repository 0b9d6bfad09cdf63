"""Arcs for required edges: some orientation is found whenever there is one, and else it is refused."""

from __future__ import annotations

from itertools import combinations

import networkx as nx
import numpy as np
import pytest

import graphoid as gd
from graphoid.errors import SettingsError
from graphoid.learners.directed.known import orient
from graphoid.structure.knowledge import KnownPairs
from graphoid.structure.moral import moral_graph

CIRCLE = gd.Knowledge(
    required=[("class", "sex"), ("sex", "age"), ("age", "survived"), ("survived", "class")],
    forbidden=[("class", "age"), ("sex", "survived")],
)


@pytest.mark.parametrize("seed", range(60))
def test_arcs_make_no_circle_and_join_no_forbidden_pair(seed: int) -> None:
    """Where none is found there is none: all other pairs forbidden, only chordal graphs have one."""
    rng = np.random.default_rng(seed)
    names = tuple("abcdef")
    pairs = list(combinations(range(6), 2))
    joined = rng.random(len(pairs)) < 0.5
    required = gd.UndirectedGraph(names, [pair for pair, yes in zip(pairs, joined, strict=True) if yes])
    rest = gd.UndirectedGraph(names, [pair for pair, yes in zip(pairs, joined, strict=True) if not yes])
    known = KnownPairs(required, rest, {})
    if not nx.is_chordal(required.to_networkx()):
        with pytest.raises(SettingsError, match="no directed graph has all required edges"):
            orient(known, range(6))
        return
    parents: list[list[int]] = [[] for _ in names]
    for parent, child in orient(known, range(6)):
        parents[child].append(parent)
    assert nx.is_directed_acyclic_graph(nx.DiGraph([(p, v) for v in range(6) for p in parents[v]]))
    assert moral_graph(names, parents) == required


def test_where_there_is_none_it_is_refused_and_not_tried() -> None:
    table = gd.datasets.load("titanic")
    with pytest.raises(SettingsError, match="some variable would be the child of both"):
        gd.DirectedSearch(knowledge=CIRCLE).fit(table)
    found = gd.learn(table, knowledge=CIRCLE)
    assert found.graph == gd.UndirectedGraph(table.names, CIRCLE.required)
    assert "directed graphs were not tried, since none agrees with what is known" in found.settings["reason"]


def test_a_probability_is_that_of_an_arc_in_either_direction() -> None:
    table = gd.datasets.random_tables(5, 2).sample(80, 2)
    pair = (table.names[0], table.names[3])
    low, high = (
        gd.DirectedSearch("bdeu", density=0.3, random_state=0, knowledge=gd.Knowledge(prior={pair: p}))
        .fit(table)
        .structure_
        for p in (1e-9, 1 - 1e-9)
    )
    assert low.probability(*pair) < 0.1 < 0.9 < high.probability(*pair)
