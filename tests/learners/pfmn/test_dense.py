"""Where everything depends on everything, PFMN asks as GSIMN does, and pays no more."""

from __future__ import annotations

import math

import numpy as np
import pytest

import graphoid as gd
from graphoid.learners.pfmn import dense
from graphoid.learners.pfmn.population import Evidence, Query, edge_frequencies
from graphoid.learners.questions import Questions
from graphoid.logic.verdict import Verdict

DENSE = gd.datasets.random_graph(16, 8, 0)


@pytest.fixture(scope="module")
def table() -> gd.Table:
    return gd.datasets.pairwise_binary(DENSE, 1.0, 0).sample(5_000, 1)


def dependent(x: int, y: int, log_odds: float, given: tuple[int, ...] = ()) -> Verdict:
    return Verdict(x, y, given, log_odds > 0, source="test", log_odds=log_odds)


def test_dependences_of_even_strength_tell_a_dense_network() -> None:
    even = [dependent(0, i, -10.0 * i) for i in (3, 4, 5, 6, 7)]
    assert dense.is_dense(even)
    assert not dense.is_dense(even[:4])  # too few
    assert not dense.is_dense([*even[:4], dependent(1, 2, 0.5)])
    assert not dense.is_dense([*even[:4], dependent(1, 2, -50.0, (3,))])
    uneven = [dependent(0, i, -strength) for i, strength in enumerate((1.0, 2.0, 3.0, 400.0, 500.0), 1)]
    assert not dense.is_dense(uneven)


def test_blankets_need_rows(table: gd.Table) -> None:
    # half of sixteen binary variables have 256 cells
    enough = Questions(gd.Tester(gd.BayesianTest(), table))
    first = {v.name: column[:255] for v, column in zip(table.variables, table.columns, strict=True)}
    few = Questions(gd.Tester(gd.BayesianTest(), gd.read(first)))
    assert dense.enough_rows(enough)
    assert not dense.enough_rows(few)


def test_the_questions_are_those_of_gsimn_one_at_a_time() -> None:
    graph = gd.UndirectedGraph(5, [(0, 1), (1, 2), (2, 3), (3, 4), (4, 0)])
    oracle, answers = gd.Oracle(graph), ()
    gsimn = dense.GSIMNQuestions(oracle.names)
    while isinstance(question := gsimn.next_after(answers), Query):
        given = [v for v in range(5) if question.given >> v & 1]
        answers = (*answers, *oracle.ask([(question.x, question.y, given)]))
    assert question == graph
    # it goes back to any answers of before, and begins again where others were given
    assert gsimn.next_after(answers[:3]) == dense.GSIMNQuestions(oracle.names).next_after(answers[:3])
    expected = [v for v in gd.GSIMN().learn(gd.Oracle(graph)).trace if v.source == "oracle"]
    assert [(min(v.x, v.y), max(v.x, v.y), set(v.given)) for v in expected] == [
        (v.x, v.y, set(v.given)) for v in answers
    ]


def test_a_dense_network_costs_what_gsimn_pays_and_ends_in_its_graph(table: gd.Table) -> None:
    gsimn = gd.GSIMN(test=gd.BayesianTest(), check_below=None).fit(table).structure_
    found = gd.PFMN(random_state=0).fit(table).structure_
    assert found.graph == gsimn.graph
    assert found.cost.weighted == gsimn.cost.weighted
    assert found.stopped == "converged"
    assert not found.details["verified"]
    assert found.details["next_test"] is None


def test_a_budget_ends_it_with_what_is_likelier_than_not(table: gd.Table) -> None:
    found = gd.PFMN(random_state=0, budget=60).fit(table).structure_
    assert found.stopped == "budget"
    assert found.details["spent"] <= 60
    assert found.details["next_test"] is not None
    # all pairs asked depend on each other, and of the rest nothing is known
    assert set(found.graph.edges) == {(min(v.x, v.y), max(v.x, v.y)) for v in found.trace}


def test_the_answer_with_most_given_says_how_probable_a_pair_is() -> None:
    evidence = [Evidence(0, 1, 4, 2.0), Evidence(0, 1, 0, -9.0), Evidence(1, 2, 0, -3.0)]
    found = dense.probabilities(3, evidence)
    assert found == {(0, 1): 1 / (1 + math.exp(2)), (0, 2): 0.5, (1, 2): 1 / (1 + math.exp(-3))}
    graphs = dense.sample(3, evidence, 4_000, np.random.default_rng(0))
    frequencies = edge_frequencies(graphs, np.full(4_000, 1 / 4_000))
    assert frequencies == pytest.approx(found, abs=0.03)
