"""Asking questions: names, positions, and one clear sentence for what is no question."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import graphoid as gd
from graphoid.counts.engine import CountRequest
from graphoid.counts.reference import ReferenceEngine
from graphoid.errors import GraphoidError, SettingsError, UnknownVariable
from graphoid.logic.verdict import Verdict
from tests.support.tables import random_table, table_of_numbers

if TYPE_CHECKING:
    from graphoid.counts.contingency import Counts
    from graphoid.logic.assertion import Assertion


def sources() -> dict[str, Any]:
    """Return everything that answers questions, over four variables v0 to v3."""
    table = random_table(200, [2, 3, 2, 2])
    numbers = table_of_numbers(np.random.default_rng(0).normal(size=(4, 50)))
    return {
        "engine of its own": gd.Tester(gd.ChiSquare(), table),
        "plain engine": gd.Tester(gd.ChiSquare(), ReferenceEngine(table)),
        "partial correlation": gd.Tester(gd.PartialCorrelation(), numbers),
        "oracle": gd.Oracle(gd.UndirectedGraph(["v0", "v1", "v2", "v3"], [(0, 1), (1, 2)])),
        "ledger": gd.Ledger(gd.Tester(gd.ChiSquare(), table)),
    }


@pytest.fixture(params=sources())
def ci(request: pytest.FixtureRequest) -> Any:
    return sources()[request.param]


@pytest.mark.parametrize(
    "question",
    [
        ("v0", "v1", ["v2", "v3"]),
        (0, 1, [2, 3]),
        (0, "v1", ("v2", 3)),
        (np.int64(0), np.uint8(1), np.array([2, 3])),
        (0, 1, iter([2, 3])),
        (0, 1, {3, 2}),
        (0, 1, frozenset({"v3", "v2"})),
        (0, 1, {2: "x", 3: "y"}.keys()),
        [0, 1, [2, 3]],
        gd.Assertion(0, 1, (2, 3)),
    ],
    ids=["names", "lists", "mixed", "numpy", "iterator", "set", "frozenset", "keys", "list", "assertion"],
)
def test_variables_by_name_position_or_any_integer(ci: Any, question: Any) -> None:
    if hasattr(question[2], "__next__"):
        question = (0, 1, iter([2, 3]))  # an iterator serves once, and this test runs for every source
    verdict = ci.ask([question])[0]
    assert (verdict.x, verdict.y, verdict.given) == (0, 1, (2, 3))
    assert [type(v) for v in (verdict.x, verdict.y, *verdict.given)] == [int] * 4
    assert verdict == ci.ask([(0, 1, (2, 3))])[0]


def test_given_comes_back_in_the_order_asked_unless_it_had_none(ci: Any) -> None:
    assert ci.ask([(0, 1, (3, 2))])[0].given == (3, 2)
    assert ci.ask([(0, 1, {3, 2})])[0].given == (2, 3)


def test_a_question_without_given_is_unconditional(ci: Any) -> None:
    assert ci.ask([(0, 3)])[0].given == ()
    assert ci.independent(0, 3) == ci.ask([(0, 3, ())])[0].independent
    assert ci.independent("v0", "v3", given=["v1"]) == ci.ask([(0, 3, (1,))])[0].independent


def test_an_empty_batch_has_no_answers(ci: Any) -> None:
    assert ci.ask([]) == []
    assert ci.ask(()) == []


def test_answers_come_in_the_order_of_the_questions(ci: Any) -> None:
    asked = [(2, 1, (0,)), (0, 3, ()), (1, 2, (3, 0)), (2, 1, (0,))]
    assert [(v.x, v.y, v.given) for v in ci.ask(asked)] == asked
    assert ci.ask(tuple(asked)) == ci.ask(asked)


def test_names_are_those_of_the_data(ci: Any) -> None:
    assert tuple(ci.names) == ("v0", "v1", "v2", "v3")


@pytest.mark.parametrize(
    ("question", "error", "message"),
    [
        (("v9", "v1", ()), UnknownVariable, "no variable is named 'v9'; there are 'v0', 'v1', 'v2', 'v3'."),
        ((0, 9, ()), UnknownVariable, "there is no variable 9: positions go from 0 to 3."),
        ((-1, 1, ()), UnknownVariable, "there is no variable -1: positions go from 0 to 3."),
        ((0, 10**30, ()), UnknownVariable, "there is no variable 1000"),
        ((0, 1, (9,)), UnknownVariable, "there is no variable 9"),
        ((0, 1, ("v",)), UnknownVariable, "no variable is named 'v'"),
        ((0, 1.0, ()), UnknownVariable, "1.0 is neither a position nor a name"),
        ((0, None, ()), UnknownVariable, "None is neither a position nor a name"),
        ((2, 2, ()), SettingsError, "asked whether 'v2' is independent of itself"),
        (("v2", 2, ()), SettingsError, "asked whether 'v2' is independent of itself"),
        ((0, 1, (0,)), SettingsError, "'v0' is asked about and also given"),
        ((0, 1, ("v1",)), SettingsError, "'v1' is asked about and also given"),
        ((0, 1, (2, "v2")), SettingsError, "'v2' is given twice"),
        ((0, 1, "v2"), SettingsError, "given is 'v2'; it must be a list of variables, such as ['v2']."),
        ((0, 1, 2), SettingsError, "given is 2; it must be a list of variables, such as [2]."),
        ((0, 1, None), SettingsError, "given is None"),
        ((0,), SettingsError, "(0,) is not a question; ask (x, y, given)."),
        ((0, 1, (), ()), SettingsError, "is not a question"),
        (7, SettingsError, "7 is not a question"),
        (gd.Assertion(0, 1, (), ((2, 1),)), SettingsError, "is not a question"),
    ],
    ids=lambda value: repr(value) if isinstance(value, tuple) else None,
)
def test_what_is_no_question_gets_one_clear_sentence(
    ci: Any, question: Any, error: type, message: str
) -> None:
    for batch in ([question], [(0, 1, (2,)), question]):
        with pytest.raises(error) as caught:
            ci.ask(batch)
        said = str(caught.value)
        assert message in said
        assert "\n" not in said
        assert isinstance(caught.value, GraphoidError)
    assert ci.ask([(0, 1, (2,))])[0].given == (2,)  # and the next question is answered


@pytest.mark.parametrize(
    ("test", "data", "message"),
    [
        (gd.ChiSquare, random_table(5, [2, 2]), "must be an object: ChiSquare(), not ChiSquare."),
        ("g", random_table(5, [2, 2]), "'g' is no test: it has no needs() and judge()."),
        (gd.ChiSquare(), [[0, 1], [1, 0]], "the data are of type list; give a table: graphoid.read(...)."),
        (gd.PartialCorrelation(), ReferenceEngine(random_table(5, [2, 2])), "give it a table, not an engine"),
    ],
)
def test_a_tester_takes_a_test_and_data(test: Any, data: Any, message: str) -> None:
    with pytest.raises(SettingsError) as caught:
        gd.Tester(test, data)
    assert message in str(caught.value)


class SameTotal:
    """The least a test can be: it needs counts and judges them."""

    def needs(self, a: Assertion) -> CountRequest:
        return CountRequest((a.x, a.y, *a.given))

    def judge(self, a: Assertion, counts: Counts) -> Verdict:
        return Verdict(a.x, a.y, a.given, independent=True, statistic=float(counts.total))


def test_a_test_of_ones_own_needs_only_needs_and_judge() -> None:
    table = random_table(321, [2, 3, 2])
    assert gd.Tester(SameTotal(), table).ask([(0, 1, (2,))] * 300)[299].statistic == 321
