"""A verdict on paper: names where they are known, and nothing else changes for it."""

from __future__ import annotations

import pickle

import graphoid as gd

CHAIN = gd.UndirectedGraph(["age", "bus", "car"], [("age", "bus"), ("bus", "car")])


def test_a_verdict_prints_the_names_of_its_variables() -> None:
    (verdict,) = gd.Oracle(CHAIN).ask([("age", "car", ["bus"])])
    assert str(verdict) == "age ⊥ car | bus  (oracle)"
    assert "age ⊥ car | bus" in verdict._repr_html_()
    assert verdict == gd.Verdict(0, 2, (1,), independent=True, source="oracle")
    again = pickle.loads(pickle.dumps(verdict))  # noqa: S301 - our own
    assert again == verdict
    assert str(again) == "0 ⊥ 2 | 1  (oracle)"  # names stay with who knows them


def test_every_source_of_answers_knows_the_names() -> None:
    table = gd.datasets.load("titanic")
    for test in (gd.GTest(), gd.BayesianTest(), gd.MantelHaenszel()):
        (verdict,) = gd.Tester(test, table).ask([(0, 1, (3,))])
        assert str(verdict).startswith(f"{table.names[0]} ")
    found = gd.GSIMN().fit(table).structure_
    for (x, y), verdict in found.verdicts.items():
        assert table.names[x] in str(verdict)
        assert table.names[y] in str(verdict)


def test_a_rule_that_answered_says_in_names_what_it_followed_from() -> None:
    because = (gd.Oracle(CHAIN).ask([(0, 1, ())])[0],)
    fact = type(because[0])(0, 1, (), independent=False, source="rule")
    assert str(fact).startswith("age ~ bus")
