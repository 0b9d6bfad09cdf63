"""Strengths of the edges of a context: known ones come out, and the choice of rows makes none."""

from __future__ import annotations

import numpy as np
import pytest

import graphoid as gd
from graphoid.counts.reference import ReferenceEngine
from graphoid.errors import DataError
from graphoid.structure.contexts import CanonicalContext

N = 5


def true_contexts(table, graph_for):
    """Return the contexts of a table whose graph for each assignment is known."""
    codes = np.unique(np.stack([table.column(v) for v in range(len(table.variables))], axis=1), axis=0)
    rows = [tuple(row) for row in codes.tolist()]
    graphs = sorted({graph_for(row) for row in rows}, key=lambda graph: -graph.n_edges)
    return [
        CanonicalContext(graph, tuple(row for row in rows if graph_for(row) == graph), 0.0)
        for graph in graphs
    ]


def test_age_and_bus_of_the_survey_depend_in_the_city_only():
    table = gd.datasets.load("survey")
    model = gd.CSGS().fit(table).structure_
    in_context = {
        context: {(e.x, e.y): e for e in gd.strengths(context, table)} for context in model.contexts
    }
    joined = {
        context: found[("age", "bus")] for context, found in in_context.items() if ("age", "bus") in found
    }
    region = table.names.index("region")
    states = table.variables[region].states
    assert joined
    assert len(joined) < len(in_context)
    for context, edge in joined.items():
        assert {states[row[region]] for row in context.assignments} == {"city"}
        assert edge.weight_high < -0.2  # the older, the fewer
    for found in in_context.values():
        for edge in found.values():
            assert edge.size is None or edge.low <= edge.size <= edge.high > edge.low


@pytest.mark.parametrize("n_rows", [500, 2_000])
def test_intervals_contain_the_truth(n_rows):
    """All pairs have log odds ratio 1 where the switch is 0; where it is 1, a false edge has weight 0."""
    inside = {"switch 0": [], "switch 1": []}
    for seed in range(40):
        network = gd.datasets.context_model(N, rng=seed)
        table = network.sample(n_rows, random_state=seed)
        joint = network.probabilities[0] / network.probabilities[0].sum()
        ones = [np.moveaxis(joint, v, 0)[1].sum() for v in range(N - 1)]
        spread = [np.nan, *(np.sqrt(p * (1 - p)) for p in ones)]
        complete, star = true_contexts(table, network.graph_for)
        false = star._replace(graph=gd.UndirectedGraph(star.graph.names, [*star.graph.edges, (1, 2)]))
        for name, context in (("switch 0", complete), ("switch 1", false)):
            for (x, y), edge in zip(context.graph.edges, gd.strengths(context, table), strict=True):
                if x and (name == "switch 0" or (x, y) == (1, 2)):
                    truth = spread[x] * spread[y] if name == "switch 0" else 0.0
                    inside[name].append(edge.weight_low <= truth <= edge.weight_high)
    assert 0.92 <= np.mean(inside["switch 0"]) <= 0.99
    assert np.mean(inside["switch 1"]) >= 0.85  # of forty


def test_rows_chosen_by_the_two_show_no_dependence_of_that_choice():
    rng = np.random.default_rng(0)
    table = gd.read({name: rng.integers(2, size=4_000) for name in ("x", "y", "z")})
    joined, apart = gd.UndirectedGraph(table.names, [(0, 1)]), gd.UndirectedGraph(table.names, [])
    context, _ = true_contexts(table, lambda row: joined if row[0] == row[1] else apart)
    (edge,) = gd.strengths(context, table)
    assert edge.weight_low < 0 < edge.weight_high
    assert edge.weight_high - edge.weight_low < 0.1  # of all rows


def test_rows_of_which_none_is_alike_are_too_few():
    table = gd.read({"x": [0, 1, 1, 0], "y": [0, 0, 1, 1], "z": ["a", "b", "c", "d"]})
    context = CanonicalContext(gd.UndirectedGraph(table.names, [(0, 1)]), ((0, 0, 0), (1, 0, 1)), 2.0)
    (edge,) = gd.strengths(context, table)
    assert edge.size is None
    assert "cannot be estimated: no two rows of the context agree" in edge.sentence


def test_few_rows_give_no_number():
    network = gd.datasets.context_model(N, rng=0)
    table = network.sample(30, random_state=0)
    for context in true_contexts(table, network.graph_for):
        for edge in gd.strengths(context, table):
            assert edge.size is not None or "cannot be estimated" in edge.sentence
    assert any(
        e.size is None for c in true_contexts(table, network.graph_for) for e in gd.strengths(c, table)
    )


def test_any_engine_gives_the_same():
    network = gd.datasets.context_model(N, rng=1)
    table = network.sample(800, random_state=1)
    context = true_contexts(table, network.graph_for)[0]
    plain = [edge.effect for edge in gd.strengths(context, table)]
    assert [edge.effect for edge in gd.strengths(context, ReferenceEngine(table))] == plain


def test_another_table_is_refused():
    context = CanonicalContext(gd.UndirectedGraph(("a", "b"), [(0, 1)]), ((0, 0),), 1.0)
    with pytest.raises(DataError, match="give the table that it was learned from"):
        gd.strengths(context, gd.datasets.load("survey"))
