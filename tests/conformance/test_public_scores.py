"""Every public score behaves like the others: gains, priors, batches, names and errors."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import graphoid as gd
from graphoid.counts.reference import ReferenceEngine
from graphoid.errors import DataError, DiscretizedWarning, GraphoidError, SettingsError, UnknownVariable
from graphoid.learners.scored.exhaustive import all_graphs
from tests.support.scored_tables import TABLES, graph_of, graphs
from tests.support.tables import random_table, table_of, table_of_numbers

KINDS = [gd.MPL, gd.IBScore, gd.BJP, gd.LogLinearScore]
PRIORS = [
    gd.UniformPrior(),
    gd.SparsePrior(),
    gd.SparsePrior(0.1),
    gd.EdgePrior({("v0", "v1"): 0.9, (2, 3): 0.05}, density=0.3),
]
every_kind = pytest.mark.parametrize("kind", KINDS)
every_prior = pytest.mark.parametrize("prior", PRIORS, ids=lambda prior: type(prior).__name__)


@every_kind
@every_prior
@pytest.mark.parametrize("name", ["binary", "many states", "few rows", "unobserved", "fractional weights"])
def test_a_gain_is_the_difference_of_two_values(kind: Any, prior: Any, name: str) -> None:
    table = TABLES[name]
    scorer = kind(prior=prior).on(table)
    pairs = list(itertools.combinations(range(4), 2))
    for edges in graphs(4):
        graph = graph_of(table, edges)
        before = scorer.value(graph)
        expected = [scorer.value(graph_of(table, edges ^ {pair})) - before for pair in pairs]
        np.testing.assert_allclose(scorer.gains(graph, pairs), expected, rtol=1e-9, atol=1e-9)
        for pair, difference in zip(pairs, expected, strict=True):
            assert scorer.gain(graph, pair[::-1]) == pytest.approx(difference, rel=1e-9, abs=1e-9)
            names = (f"v{pair[0]}", f"v{pair[1]}")
            fresh = kind(prior=prior).gain(graph, names, table)
            assert fresh == pytest.approx(difference, rel=1e-9, abs=1e-9)


@every_kind
@every_prior
def test_many_graphs_at_once_have_the_values_of_each(kind: Any, prior: Any) -> None:
    table = TABLES["many states"]
    score = kind(prior=prior)
    blankets = all_graphs(4)
    assert len(blankets) == 64
    assert len({tuple(line) for line in blankets.tolist()}) == 64
    found = score.on(table).values(blankets)
    scorer = score.on(table)
    for line, value in zip(blankets.tolist(), found, strict=True):
        edges = [(x, y) for x, y in itertools.combinations(range(4), 2) if line[x] >> y & 1]
        assert value == pytest.approx(scorer.value(graph_of(table, edges)), rel=1e-12, abs=1e-12)


@every_kind
def test_a_prior_adds_its_log_odds_for_every_edge(kind: Any) -> None:
    table = TABLES["binary"]
    times = 1 if kind is gd.BJP else 2  # as often as the evidence for an edge enters
    for edges in graphs(4):
        graph = graph_of(table, edges)
        plainly = kind().value(graph, table)
        sparse = kind(prior=gd.SparsePrior(0.1)).value(graph, table)
        assert sparse - plainly == pytest.approx(times * len(edges) * np.log(1 / 9), abs=1e-9)
        single = kind(prior=gd.EdgePrior({("v0", "v2"): 0.8})).value(graph, table)
        assert single - plainly == pytest.approx(times * np.log(4) if (0, 2) in edges else 0.0, abs=1e-9)


def test_without_a_density_a_variable_has_three_neighbors_and_none_is_likelier_than_not() -> None:
    for n in (2, 3, 5, 50):
        odds = gd.SparsePrior().log_odds([f"v{i}" for i in range(n)])[0, 1]
        assert 1 / (1 + np.exp(-odds)) == pytest.approx(min(0.5, 3 / (n - 1)))


@every_kind
def test_anything_that_can_be_read_can_be_scored(kind: Any) -> None:
    columns = {"a": ["x", "y", "x", "y"], "b": [0, 1, 1, 1]}
    graph = gd.UndirectedGraph(["a", "b"], [("a", "b")])
    table = gd.read(columns)
    expected = kind().value(graph, table)
    assert kind().value(graph, columns) == expected
    assert kind().value(graph, ReferenceEngine(table)) == pytest.approx(expected, rel=1e-9)


@every_kind
def test_terms_are_computed_once(kind: Any) -> None:
    table = TABLES["binary"]
    scorer = kind().on(table)
    scorer.value(graph_of(table, [(0, 1)]))
    terms = scorer.n_terms
    assert terms == 4
    scorer.value(graph_of(table, [(0, 1)]))
    assert scorer.n_terms == terms
    scorer.value(graph_of(table, [(0, 1), (0, 2)]))
    assert scorer.n_terms == terms + 2  # the blankets of two variables changed


@every_kind
def test_labels_of_states_and_their_order_say_nothing(kind: Any) -> None:
    table = random_table(300, [2, 3, 4, 2], seed=21)
    turned = table_of(
        [[[1, 0], [2, 0, 1], [3, 1, 0, 2], [0, 1]][i][code] for code in table.column(i)] for i in range(4)
    )
    for edges in graphs(4):
        graph = graph_of(table, edges)
        assert kind().value(graph, turned) == pytest.approx(kind().value(graph, table), rel=1e-9)


@pytest.mark.parametrize("kind", [gd.MPL, gd.IBScore, gd.LogLinearScore])
def test_the_order_of_variables_says_nothing_but_to_bjp(kind: Any) -> None:
    table = random_table(300, [2, 3, 4, 2], seed=22)
    order = [2, 0, 3, 1]  # the old place of each new column
    turned = table_of([table.column(v) for v in order], [table.variables[v].arity for v in order])
    for edges in graphs(4):
        moved = [tuple(sorted((order.index(x), order.index(y)))) for x, y in edges]
        found = kind().value(graph_of(turned, moved), turned)
        assert found == pytest.approx(kind().value(graph_of(table, edges), table), rel=1e-9)


@every_kind
@pytest.mark.parametrize(
    ("graph", "edge", "error", "says"),
    [
        (gd.UndirectedGraph(3), (0, 1), DataError, "the graph has 3 variables and the data 4"),
        (gd.UndirectedGraph(4), (1, 1), DataError, "to itself"),
        (graph_of(TABLES["binary"], []), ("v0", "nobody"), UnknownVariable, "nobody"),
        (gd.UndirectedGraph(4), (0, 9), UnknownVariable, "9"),
    ],
)
def test_what_cannot_be_scored_is_said(kind: Any, graph: Any, edge: Any, error: type, says: str) -> None:
    with pytest.raises(error, match=says):
        kind().gain(graph, edge, TABLES["binary"])


@every_kind
def test_of_numbers_the_bins_are_counted(kind: Any) -> None:
    rng = np.random.default_rng(0)
    numbers = rng.normal(size=60)
    table = table_of_numbers([numbers, numbers + rng.normal(size=60)])
    joined = gd.UndirectedGraph(table.names, [(0, 1)])
    if kind().takes_numbers:
        with pytest.raises(DataError, match="'v0' is continuous, and ReferenceEngine counts states"):
            kind().value(joined, ReferenceEngine(table))
        return
    with pytest.warns(DiscretizedWarning, match="'v0', 'v1' hold numbers, and .* 5 bins"):
        value = kind().value(joined, table)
    assert value == kind().value(joined, table.discretized)


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: gd.MPL(ess=0), "ess is 0; it must be a positive number"),
        (lambda: gd.MPL(ess=float("nan")), "ess is nan"),
        (lambda: gd.MPL(ess="much"), "ess"),
        (lambda: gd.LogLinearScore(order=4), "order is 4; it must be 2"),
        (lambda: gd.LogLinearScore(gamma=-1), "gamma is -1; it must be a number of at least 0"),
        (lambda: gd.LogLinearScore(gamma=float("inf")), "gamma is inf"),
        (lambda: gd.LogLinearScore(gamma="some"), "gamma"),
        (lambda: gd.SparsePrior(0.0), "density"),
        (lambda: gd.SparsePrior(1.0), "density"),
        (lambda: gd.SparsePrior("thin"), "density"),
        (lambda: gd.EdgePrior({("a", "b"): 1.5}), r"\('a', 'b'\)"),
        (lambda: gd.EdgePrior(density=2), "density"),
        (lambda: gd.MPL(prior=0.5).on(TABLES["binary"]), r"prior must be UniformPrior\(\)"),
        (lambda: gd.BJP(prior=gd.EdgePrior({("v0", "w"): 0.5})).on(TABLES["binary"]), "'w'"),
        (lambda: gd.BJP(prior=gd.EdgePrior({("v0", "v0"): 0.9})).on(TABLES["binary"]), "v0"),
        (lambda: gd.BJP(prior=gd.EdgePrior({("v0",): 0.9})).on(TABLES["binary"]), "no pair"),
        (lambda: gd.BJP(test=gd.ChiSquare()).on(TABLES["binary"]), "BayesianTest"),
        (lambda: gd.IBScore(test="bayes").on(TABLES["binary"]), "BayesianTest"),
    ],
)
def test_wrong_settings_are_told_in_a_sentence(make: Any, says: str) -> None:
    with pytest.raises(SettingsError, match=says) as told:
        make()
    assert isinstance(told.value, GraphoidError)
    assert str(told.value).endswith(".")
