"""Inferring: the paper's four rules before the source, in their order, with what they followed from."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import graphoid as gd
from graphoid.errors import SettingsError, UnknownVariable
from graphoid.independence import inferring
from graphoid.independence.inferring import Chaining, OneStep
from graphoid.logic.verdict import Fact
from tests.support.inference import PlainInference
from tests.support.tables import NATIVE


@pytest.fixture(params=["native", "plain"], autouse=True)
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Every test with the compiled rules and with those in Python."""
    if request.param == "plain":
        monkeypatch.setattr(inferring, "kernels", lambda: None)
    elif not NATIVE:
        pytest.skip("the compiled kernels are not there")
    return str(request.param)


CHAIN = gd.UndirectedGraph(["a", "b", "c", "d"], [("a", "b"), ("b", "c"), ("c", "d")])


def test_each_rule_answers_and_says_from_what() -> None:
    ledger = gd.Ledger(gd.Oracle(CHAIN))
    ci = gd.Inferring(ledger)
    ci.ask([("a", "b", ["c"]), ("b", "c", ["d"]), ("a", "c", ["b"])])
    assert ledger.n_tests == 3
    answers = ci.ask([("b", "a", []), ("a", "c", []), ("c", "a", ["b", "d"])])
    assert [(v.x, v.y, v.given, v.independent, v.source, v.because) for v in answers] == [
        (1, 0, (), False, "D-SU", (Fact.of(0, 1, [2], independent=False),)),
        (
            0,
            2,
            (),
            False,
            "D-triangle",
            (Fact.of(0, 1, [2], independent=False), Fact.of(1, 2, [3], independent=False)),
        ),
        (2, 0, (1, 3), True, "I-SU", (Fact.of(0, 2, [1], independent=True),)),
    ]
    assert ledger.n_tests == 3
    # a ⊥ c | b and c ~ d | b: so a ⊥ d | b, asked given {b, c}
    ci.ask([("c", "d", ["b"])])
    (last,) = ci.ask([("a", "d", ["b", "c"])])
    assert (last.independent, last.source) == (True, "I-triangle")
    assert last.because == (Fact.of(0, 2, [1], independent=True), Fact.of(2, 3, [1], independent=False))
    assert ledger.n_tests == 4
    assert str(last) == "0 ⊥ 3 | 1, 2  (I-triangle from 0 ⊥ 2 | 1 and 2 ~ 3 | 1)"


def test_both_ways_are_taken(way: str) -> None:
    assert isinstance(gd.Inferring(gd.Oracle(CHAIN))._rules, OneStep) == (way == "plain")


def test_conclusions_of_triangles_are_remembered_and_those_of_strong_union_are_not() -> None:
    ci = gd.Inferring(gd.Oracle(CHAIN))
    ci.ask([("a", "b", []), ("b", "c", ["d"])])
    before = ci.known
    ci.independent("b", "c")
    assert ci.known == before
    ci.independent("a", "c")
    assert set(ci.known) - set(before) == {Fact.of(0, 2, [], independent=False)}


def test_dependence_rules_come_first() -> None:
    class Contradicting:
        names = ("x", "y", "w")

        def independent(self, x: object, y: object, given: object = ()) -> bool:
            raise NotImplementedError  # whoever is tested asks in batches only

        def ask(self, questions: list[tuple[int, int, tuple[int, ...]]]) -> list[gd.Verdict]:
            return [gd.Verdict(x, y, z, not z) for x, y, z in questions]  # independent given nothing only

    ci = gd.Inferring(Contradicting())
    ci.ask([(0, 1, ()), (0, 1, (2,))])
    assert ci.ask([(0, 1, (2,))])[0].source == "D-SU"
    assert ci.ask([(0, 1, ())])[0].source == "D-SU"


def test_a_batch_is_answered_from_what_was_known_before_it_and_asked_in_one_trip() -> None:
    ledger = gd.Ledger(gd.Oracle(CHAIN))
    ci = gd.Inferring(ledger)
    verdicts = ci.ask([(x, y, ()) for x, y in itertools.combinations(range(4), 2)])
    assert {v.source for v in verdicts} == {"oracle"}  # though each later one follows from two before it
    assert (ledger.n_tests, ledger.n_batches) == (6, 1)
    mixed = ci.ask([(0, 1, ()), (0, 2, (1,)), (0, 3, (2,))])
    assert [v.source for v in mixed] == ["D-SU", "oracle", "oracle"]
    assert ledger.n_batches == 2
    assert ci.ask([]) == []
    assert ledger.n_batches == 2


def test_execute_asks_whatever_the_rules_know() -> None:
    ledger = gd.Ledger(gd.Oracle(CHAIN))
    ci = gd.Inferring(ledger)
    assert [v.source for v in ci.execute([(0, 1, ())]) + ci.execute([(0, 1, ())])] == ["oracle", "oracle"]
    assert ci.ask([(0, 1, ())])[0].source == "D-SU"


def test_what_was_asked_before_has_the_numbers_of_then() -> None:
    ci = gd.Inferring(gd.Tester(gd.ChiSquare(), gd.datasets.load("titanic")))
    (first,) = ci.ask([("class", "sex", ["age", "survived"])])
    (again,) = ci.ask([("sex", "class", ["survived", "age"])])
    assert again.source == "D-SU"
    assert (again.x, again.y, again.given) == (first.y, first.x, first.given[::-1])
    assert again[4:11] == first[4:11]


@pytest.mark.parametrize("kind", [gd.Inferring, Chaining])
def test_questions_are_checked_as_everywhere(kind: type[gd.Inferring]) -> None:
    ci = kind(gd.Oracle(CHAIN))
    assert ci.names == ("a", "b", "c", "d")
    assert ci.independent("a", 2, given={"b"})
    assert ci.independent(np.int64(0), 2, given=[np.int64(1)])
    assert ci.ask([gd.Assertion(0, 2, (1,))])[0].independent
    with pytest.raises(UnknownVariable):
        ci.independent(0, 9)
    with pytest.raises(UnknownVariable):
        ci.ask([(0, 1, (9,))])
    with pytest.raises(UnknownVariable):
        ci.ask([(0, 1, (-2,))])
    with pytest.raises(SettingsError, match="given twice"):
        ci.ask([(0, 1, (2, 2))])
    with pytest.raises(SettingsError, match="independent of itself"):
        ci.ask([(0, 0, ())])
    with pytest.raises(SettingsError, match="also given"):
        ci.ask([(0, 1, (1,))])
    with pytest.raises(SettingsError, match="not a question"):
        ci.ask([(0,)])


@pytest.mark.parametrize("skip_independent", [False, True])
@pytest.mark.parametrize(("n", "tau"), [(8, 2), (12, 3), (20, 4), (30, 8), (70, 2), (130, 1)])
def test_the_fast_way_equals_the_plain_way(n: int, tau: int, skip_independent: bool) -> None:
    learner = gd.GSMN(skip_independent=skip_independent)
    for seed in range(3 if n < 50 else 1):
        oracle = gd.Oracle(gd.datasets.random_graph(n, tau, seed))
        fast, plain = learner.learn(gd.Inferring(oracle)), learner.learn(PlainInference(oracle))
        assert [v[:12] for v in fast.trace] == [v[:12] for v in plain.trace]


@pytest.mark.parametrize("name", ["survey", "balance-scale", "titanic"])
def test_the_fast_way_equals_the_plain_way_on_data(name: str) -> None:
    ci = gd.Tester(gd.ChiSquare(), gd.datasets.load(name))
    fast, plain = gd.GSMN().learn(gd.Inferring(ci)), gd.GSMN().learn(PlainInference(ci))
    assert [(v.assertion, v.independent, v.source) for v in fast.trace] == [
        (v.assertion, v.independent, v.source) for v in plain.trace
    ]
    assert any(v.because for v in fast.trace)


def test_forward_chaining_without_intersection_knows_what_one_backward_step_does() -> None:
    for seed in range(20):
        oracle = gd.Oracle(gd.datasets.random_graph(7, 1 + seed % 4, seed))
        backward = gd.GSMN().learn(gd.Inferring(oracle))
        forward = gd.GSMN().learn(Chaining(oracle, ("Strong Union", "Transitivity")))
        assert forward.cost.n_tests == backward.cost.n_tests
        assert gd.GSMN().learn(Chaining(oracle)).cost.n_tests <= backward.cost.n_tests
