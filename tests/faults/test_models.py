"""Models answer what can be answered: impossible evidence, weights and states that are none are refused."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import graphoid as gd
from graphoid.data.variables import Variable
from graphoid.errors import DataError, SettingsError
from graphoid.models.factors import Factor
from graphoid.models.gibbs import GibbsSampler


@pytest.fixture
def contradictory():
    """Three variables; b is never 1 where a is 0."""
    names = tuple(Variable(name, (0, 1)) for name in "abc")
    joint = np.array([[0.0, -np.inf], [0.0, 0.0]])
    return gd.MarkovNetwork(names, factors=(Factor((0, 1), joint), Factor((1, 2), np.zeros((2, 2)))))


@pytest.mark.parametrize(
    "ask",
    [
        lambda model, evidence: model.query("c", evidence),
        lambda model, evidence: model.estimate("c", evidence, random_state=0),
        lambda model, evidence: model.sample(5, 0, evidence=evidence),
        lambda model, evidence: model.sample(5, 0, evidence=evidence, sampler=GibbsSampler()),
    ],
    ids=["query", "estimate", "sample", "sample by chains"],
)
def test_impossible_evidence_is_refused_by_all_who_answer(contradictory, ask):
    with pytest.raises(DataError, match=r"the evidence \(a = 0, b = 1\) has probability zero"):
        ask(contradictory, {"a": 0, "b": 1})


def test_the_conditionals_of_an_impossible_row_are_refused():
    names = tuple(Variable(name, (0, 1)) for name in "ab")
    model = gd.MarkovNetwork(names, factors=(Factor((0, 1), np.array([[-np.inf, -np.inf], [0.0, -np.inf]])),))
    assert model.log_conditionals("b", [[1, 1]]).tolist() == [[0.0], [-np.inf]]
    with pytest.raises(DataError, match=r"the evidence \(a = 0\) has probability zero"):
        model.log_conditionals("b", [[1, 0], [0, 1]])


def test_a_model_with_a_factor_of_nothing_is_like_itself():
    model = gd.MarkovNetwork((Variable("a", (0, 1)),), factors=(Factor((), np.array(1.0)),))
    assert model.kl(model) == pytest.approx(0)


def test_possible_evidence_is_estimated(contradictory):
    found = contradictory.estimate("c", {"a": 1, "b": 1}, random_state=0)
    assert found.probabilities.sum() == pytest.approx(1)


def test_weights_that_are_all_zero_are_refused():
    rows = {"a": [0, 1] * 4, "b": [0, 0, 1, 1] * 2, "w": [0.0] * 8}
    with pytest.raises(DataError, match="all weights are 0"):
        gd.read(rows, weights="w")
    with pytest.raises(DataError, match="all weights are 0"):
        gd.read({"a": [0, 1] * 4}, weights=[0] * 8)


@pytest.mark.parametrize(
    ("states", "value", "message"),
    [
        ((0, 1), "0", r"'0' \(text\) is not a state of 'b'; its states are the numbers 0, 1\."),
        (("0", "1"), 0.5, r"0\.5 \(number\) is not a state of 'b'; its states are '0', '1'\."),
        ((False, True), "no", r"'no' \(text\) is not a state of 'b'; its states are the truth values False"),
        (("x", "y"), "z", r"'z' is not a state of 'b'; its states are 'x', 'y'\."),
        ((0, 1), 2, r"2 is not a state of 'b'; its states are the numbers 0, 1\."),
    ],
)
def test_a_state_that_is_none_is_told_by_its_kind(states, value, message):
    model = gd.MarkovNetwork((Variable("a", (0, 1)), Variable("b", states)))
    with pytest.raises(DataError, match=message):
        model.query("a", {"b": value})


COPIES = {
    "pickle": lambda thing: pickle.loads(pickle.dumps(thing)),  # noqa: S301 - it is ours
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
}


@pytest.mark.parametrize("how", list(COPIES))
@pytest.mark.parametrize("test", [gd.ChiSquare(), gd.BayesianTest()])
def test_a_copy_of_a_tester_answers_the_same(how, test):
    tester = gd.Tester(test, gd.datasets.load("titanic"))
    assert COPIES[how](tester).ask([(0, 1, [2])]) == tester.ask([(0, 1, [2])])
    assert COPIES[how](gd.Ledger(tester)).ask([("class", "sex")]) == tester.ask([("class", "sex")])


@pytest.mark.parametrize("how", list(COPIES))
def test_what_rules_know_says_why_it_cannot_be_copied(how):
    rules = gd.Inferring(gd.Tester(gd.ChiSquare(), gd.datasets.load("titanic")))
    with pytest.raises(DataError, match="an Inferring cannot be copied or pickled"):
        COPIES[how](rules)


@pytest.fixture
def database(tmp_path):
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect(str(tmp_path / "rows.duckdb")) as connection:
        connection.execute("CREATE TABLE rows AS SELECT i % 2 AS a, i % 3 AS b FROM range(60) AS r(i)")
    return tmp_path / "rows.duckdb"


@pytest.mark.parametrize("how", list(COPIES))
def test_a_copy_of_a_table_in_a_database_file_is_read_there(how, database):
    table = gd.read(database)
    again = COPIES[how](table)
    assert again.data_id == table.data_id
    tester = gd.Tester(gd.ChiSquare(), table)
    answers = tester.ask([("a", "b")])
    assert gd.Tester(gd.ChiSquare(), again).ask([("a", "b")]) == answers
    assert COPIES[how](tester).ask([("a", "b")]) == answers


def test_a_table_of_a_connection_says_why_it_cannot_be_pickled(database):
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect(str(database)) as connection:
        table = gd.read(connection.table("rows"), where="source")
        with pytest.raises(DataError, match="cannot be pickled: its connection lives in this process"):
            pickle.dumps(table)
        assert copy.deepcopy(table).data_id == table.data_id


def test_a_mixed_model_of_a_table_without_numbers_is_one_of_states() -> None:
    table = gd.datasets.load("titanic")
    graph = gd.UndirectedGraph(table.names, [(0, 3), (1, 3)])
    found, usual = gd.MixedNetwork.fit(graph, table), gd.MarkovNetwork.fit(graph, table)
    assert type(found) is gd.MarkovNetwork
    assert found.to_json() == usual.to_json()


def test_what_is_no_learner_and_no_graph_is_refused() -> None:
    table = gd.datasets.load("titanic")
    with pytest.raises(SettingsError, match="must be a learner such as"):
        gd.compare_groups(table, "sex", learner="gsmn")
    with pytest.raises(DataError, match="expected an UndirectedGraph"):
        gd.strengths("sex", table)


@pytest.mark.parametrize("parents", [3, {"a": 3}, {"a": [{}]}, ["a"]])
def test_a_directed_graph_in_a_file_is_one(parents: object) -> None:
    body = gd.DirectedSearch(random_state=0).fit(gd.datasets.load("titanic")).structure_.to_body()
    assert body["details"]["parents"]
    body["details"] = {"parents": parents}
    with pytest.raises(ValueError, match=r"^expected "):
        gd.LearnedStructure.from_body(body)
