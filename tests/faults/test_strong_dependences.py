"""On data no rule takes apart what a test found to depend on each other beyond doubt."""

from __future__ import annotations

import numpy as np
import pytest

import graphoid as gd
from graphoid.independence.inferring import Inferring
from graphoid.logic.verdict import Verdict


def untested_absences(found: gd.LearnedStructure, below: float = 1e-6) -> list[tuple[str, str]]:
    """Return pairs that are not joined, strongly dependent by a test given nothing, independent by none."""
    strong, apart = set(), set()
    for v in found.trace:
        pair = (min(v.x, v.y), max(v.x, v.y))
        number = v.log_p if v.log_p is not None else v.log_odds
        if v.source == "test" and not v.given and not v.independent and number <= np.log(below):
            strong.add(pair)
        if v.source == "test" and v.independent:
            apart.add(pair)
    return [
        (found.names[x], found.names[y]) for x, y in sorted(strong - apart) if not found.graph.has_edge(x, y)
    ]


@pytest.mark.parametrize(
    "learner",
    [gd.GSIMN(), gd.GSIMN(chaining="forward"), gd.GSIMN(test=gd.BayesianTest())],
    ids=["GSIMN", "GSIMN-FCH", "GSIMN, Bayesian"],
)
@pytest.mark.parametrize("name", ["survey", "titanic", "balance-scale", "tic-tac-toe"])
def test_what_depends_beyond_doubt_is_not_taken_apart_untested(learner: gd.GSIMN, name: str) -> None:
    table = gd.datasets.load(name)
    assert untested_absences(learner.fit(table).structure_) == []


def test_the_edge_of_the_survey_is_found() -> None:
    survey = gd.datasets.load("survey")
    assert gd.GSIMN().fit(survey).structure_.graph.has_edge("bus", "content")
    published = gd.GSIMN(check_below=None).fit(survey).structure_
    assert not published.graph.has_edge("bus", "content")
    assert ("bus", "content") in untested_absences(published)


class Source:
    """All depends on all beyond doubt, but a and c, and b and c given a and d."""

    names = ("a", "b", "c", "d", "e")
    independent = frozenset({(0, 2, ()), (1, 2, (0, 3))})

    def __init__(self) -> None:
        self.asked: list[object] = []

    def ask(self, questions: list[tuple[int, int, tuple[int, ...]]]) -> list[Verdict]:
        self.asked += questions
        apart = [question in self.independent for question in questions]
        return [Verdict(*q, i, log_p=-0.1 if i else -99.0) for q, i in zip(questions, apart, strict=True)]


def test_a_separation_is_believed_once_a_test_has_found_it() -> None:
    def asked(check_below: float | None) -> list[object]:
        source = Source()
        ci = Inferring(source, check_below=check_below)
        ci.ask([(x, y, ()) for x in range(5) for y in range(x + 1, 5)])
        del source.asked[:]
        for question in [(0, 1, (3,)), (1, 2, (0, 3)), (1, 2, (0, 3, 4))]:
            ci.ask([question])
        return source.asked

    assert asked(None) == [(0, 1, (3,))]  # the others by I-triangle, from a and c
    assert asked(1e-6) == [(0, 1, (3,)), (1, 2, (0, 3))]  # the last by I-SU, from the test itself


def test_an_oracle_is_asked_what_was_asked_before() -> None:
    graph = gd.UndirectedGraph(6, [(0, 1), (1, 2), (2, 3), (3, 4), (1, 4)])
    one, other = (gd.GSIMN(check_below=limit).learn(gd.Oracle(graph)) for limit in (1e-6, None))
    assert one.trace == other.trace


def test_the_filter_names_pairs_that_it_parts_by_proof() -> None:
    found = [gd.PFMN(random_state=seed).fit(gd.datasets.load("survey")).structure_ for seed in range(4)]
    for one in found:
        for x, y in one.details["overruled"]:
            assert f"{x} and {y} were parted by proof" in str(one)
        by_proof = {frozenset((one.names[v.x], one.names[v.y])) for v in one.trace if v.source == "proof"}
        assert by_proof & set(map(frozenset, untested_absences(one))) <= set(
            map(frozenset, one.details["overruled"])
        )
    assert any(one.details["overruled"] for one in found)
