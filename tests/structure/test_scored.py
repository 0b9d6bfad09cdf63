"""Structures that a score decided: what they say of pairs, and that files keep all of it."""

from __future__ import annotations

import dataclasses
import itertools
import math
from typing import TYPE_CHECKING

import pytest

import graphoid as gd
from graphoid.structure.scored import Move, Scored, bayes_factor, verdict

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def learned() -> gd.LearnedStructure:
    survey = gd.datasets.load("survey")
    score = gd.BJP(prior=gd.EdgePrior({("age", "bus"): 0.75}, density=0.2))
    return gd.HillClimb(score, moves="best", random_state=4).fit(survey).structure_


@pytest.fixture
def probable() -> gd.LearnedStructure:
    """A structure with a probability for each of its three pairs, made by hand."""
    return gd.LearnedStructure(
        graph=gd.UndirectedGraph(["a", "b", "c"], [("a", "b")]),
        settings={"learner": "Search", "score": {"name": "BJP"}},
        seed=1,
        scored=Scored(
            -12.5,
            {(0, 1): -2.0, (0, 2): -3.0, (1, 2): 0.25},
            (Move(0, 1, True, -12.5),),
            7,
            {(0, 2): math.log(4)},
        ),
        edge_probabilities={(0, 1): 0.95, (0, 2): 0.02, (1, 2): 0.5},
    )


def test_a_file_keeps_everything(
    learned: gd.LearnedStructure, probable: gd.LearnedStructure, tmp_path: Path
) -> None:
    for structure in (learned, probable):
        structure.save(tmp_path / "s.json")
        again = gd.load(tmp_path / "s.json")
        assert again == structure
        assert again.scored == structure.scored
        assert again.edge_probabilities == structure.edge_probabilities
        assert again.edges() == structure.edges()
        assert again.pairs() == structure.pairs()
        assert str(again) == str(structure)
        assert gd.LearnedStructure.from_json(structure.to_json()) == structure


def test_what_an_edge_is_worth_is_the_difference_of_two_scores(learned: gd.LearnedStructure) -> None:
    survey = gd.datasets.load("survey")
    score = gd.BJP(prior=gd.EdgePrior({("age", "bus"): 0.75}, density=0.2))
    assert learned.scored.value == pytest.approx(score.value(learned.graph, survey), rel=1e-12)
    for x, y in itertools.combinations(range(6), 2):
        with_edge, without = learned.graph.with_edge(x, y), learned.graph.without_edge(x, y)
        expected = score.value(with_edge, survey) - score.value(without, survey)
        assert learned.worth(x, y) == pytest.approx(expected, rel=1e-9, abs=1e-9)
        assert learned.worth(y, x) == learned.worth(x, y)
        assert (learned.worth(x, y) > 0) == learned.graph.has_edge(x, y)
        row = next(r for r in learned.pairs() if (r.x, r.y) == (learned.names[x], learned.names[y]))
        assert row.strength == pytest.approx(expected / math.log(10), rel=1e-9, abs=1e-9)
        assert row.verdict == ("present" if learned.graph.has_edge(x, y) else "absent")
        assert row.probability is None
        assert row.bayes_factor is None


def test_rows_of_edges_and_of_all_pairs(probable: gd.LearnedStructure) -> None:
    (edge,) = probable.edges()
    assert (edge.x, edge.y, edge.evidence) == ("a", "b", "log Bayes factor 2.00")
    assert edge.strength == pytest.approx(2 / math.log(10))
    assert (edge.probability, edge.verdict) == (0.95, "present")
    assert edge.bayes_factor == pytest.approx(19)
    pairs = probable.pairs()
    assert [(p.x, p.y, p.verdict) for p in pairs] == [
        ("a", "b", "present"),
        ("a", "c", "absent"),
        ("b", "c", "undecided"),
    ]
    assert pairs[1].bayes_factor == pytest.approx(0.02 / 0.98 / 4)  # its prior odds were 4
    assert pairs[1].evidence == "log Bayes factor -3.00"
    assert pairs[2].bayes_factor == pytest.approx(1)


def test_why_speaks_of_the_score(probable: gd.LearnedStructure) -> None:
    assert probable.why("b", "a") == (
        "b and a are joined: the log Bayes factor for the edge (BJP) is 2.00. "
        "The inclusion probability of the edge is 0.95."
    )
    assert "a and c are not joined: the log Bayes factor for an edge (BJP) is -3.00." in probable.why(
        "a", "c"
    )
    assert "the log Bayes factor for an edge (BJP) is 0.25" in probable.why("b", "c")
    assert probable.why("a", "a") == "a is one variable; ask about two."
    silent = dataclasses.replace(probable, scored=Scored(-12.5), edge_probabilities={})
    assert silent.why("a", "b") == "a and b are joined. No question about them was recorded."
    assert silent.edges()[0].evidence == "no record"
    assert silent.edges()[0].strength is None


def test_texts_name_the_score_and_escape_names(probable: gd.LearnedStructure) -> None:
    text = str(probable)
    assert text.startswith("Markov network of 3 variables, 1 edge, learned by Search with BJP()")
    assert "a – b  log Bayes factor 2.00" in text
    assert "isolated: c" in text
    assert "score -12.50, 7 terms of it computed" in text
    assert "tests" not in text
    awkward = dataclasses.replace(probable, graph=gd.UndirectedGraph(["<b>", "&", "c"], [(0, 1)]))
    assert "<td>&lt;b&gt;</td><td>&amp;</td>" in awkward._repr_html_()


def test_a_graph_without_edges_explains_itself() -> None:
    table = gd.read({"a": [0, 1] * 10, "b": [0, 0, 1, 1] * 5})
    found = gd.HillClimb(gd.BJP()).fit(table).structure_
    assert found.graph.n_edges == 0
    assert "No edge: none would make the score higher." in str(found)
    assert "none would make the score higher" in found._repr_html_()


def test_edges_reach_networkx(learned: gd.LearnedStructure) -> None:
    graph = learned.to_networkx()
    assert set(graph.nodes) == set(learned.names)
    for row in learned.edges():
        assert graph.edges[row.x, row.y]["strength"] == row.strength


@pytest.mark.parametrize(
    ("probability", "word"),
    [
        (0.0, "absent"),
        (0.05, "absent"),
        (0.0501, "undecided"),
        (0.9499, "undecided"),
        (0.95, "present"),
        (1.0, "present"),
    ],
)
def test_verdicts_of_probabilities(probability: float, word: str) -> None:
    assert verdict(probability) == word


def test_bayes_factors_of_certain_edges() -> None:
    assert bayes_factor(1.0) == math.inf
    assert bayes_factor(0.0) == 0.0
    assert bayes_factor(0.8, math.log(4)) == pytest.approx(1.0)


def test_files_of_certain_edges_are_valid_json(probable: gd.LearnedStructure) -> None:
    sure = dataclasses.replace(probable, edge_probabilities={(0, 1): 1.0, (0, 2): 0.0})
    again = gd.LearnedStructure.from_json(sure.to_json())
    assert again.edges()[0].bayes_factor == math.inf
    assert again.edge_probabilities == {(0, 1): 1.0, (0, 2): 0.0}


def test_structures_that_tests_decided_have_no_score() -> None:
    found = gd.GSMN().fit(gd.datasets.load("titanic")).structure_
    again = gd.LearnedStructure.from_json(found.to_json())
    assert again.scored is None
    assert again.edge_probabilities == {}
    assert again.worth(0, 1) is None
