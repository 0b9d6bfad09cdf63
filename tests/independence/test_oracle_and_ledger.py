"""Answers from a known graph, and the book of what was asked."""

from __future__ import annotations

from itertools import combinations

import networkx as nx
import pytest

import graphoid as gd
from tests.support.tables import random_table

CHAIN = gd.UndirectedGraph(["a", "b", "c", "d"], [("a", "b"), ("b", "c"), ("c", "d")])


def test_an_oracle_says_what_separation_in_the_graph_says() -> None:
    graph = gd.UndirectedGraph(6, [(0, 1), (1, 2), (2, 3), (3, 0), (4, 5)])
    other = nx.Graph([(0, 1), (1, 2), (2, 3), (3, 0), (4, 5)])
    ci = gd.Oracle(graph)
    for x, y in combinations(range(6), 2):
        rest = [v for v in range(6) if v not in (x, y)]
        for k in range(5):
            for given in combinations(rest, k):
                left = other.subgraph(set(other) - set(given))
                verdict = ci.ask([(x, y, given)])[0]
                assert verdict.independent == (not nx.has_path(left, x, y))
                assert verdict.source == "oracle"
                assert verdict.p_value is verdict.log_odds is verdict.statistic is None


def test_an_oracle_knows_the_names_of_its_graph() -> None:
    ci = gd.Oracle(CHAIN)
    assert ci.names == ("a", "b", "c", "d")
    assert not ci.independent("a", "d")
    assert ci.independent("d", "a", given=["c"])


def test_a_ledger_answers_as_its_source_and_writes_it_down() -> None:
    table = random_table(300, [2, 2, 3, 2])
    ci = gd.Tester(gd.GTest(), table)
    ledger = gd.Ledger(ci)
    questions = [(0, 1, ()), (0, 2, (1, 3)), (2, 3, (0,))]
    assert ledger.ask(questions) == ci.ask(questions)
    assert ledger.independent(0, 3, (1,)) == ci.independent(0, 3, (1,))
    assert [(v.x, v.y, v.given) for v in ledger.records] == [*questions, (0, 3, (1,))]
    assert (ledger.n_tests, ledger.n_inferred, ledger.n_batches) == (4, 0, 2)
    assert ledger.weighted == 2 + 4 + 3 + 3
    assert ledger.spent == 12.0


def test_a_price_of_ones_own_is_what_is_spent() -> None:
    ledger = gd.Ledger(gd.Oracle(CHAIN), price=lambda a: 10.0 ** len(a.given))
    ledger.ask([("a", "b", ()), ("a", "c", ("b",)), ("a", "d", ("b", "c"))])
    assert ledger.spent == 111.0
    assert ledger.weighted == 9


class Axiom:
    """A source that infers every other answer."""

    names = ("a", "b", "c", "d")

    def __init__(self) -> None:
        self._oracle = gd.Oracle(CHAIN)

    def ask(self, questions: list[tuple[int, int, tuple[int, ...]]]) -> list[gd.Verdict]:
        verdicts = self._oracle.ask(questions)
        return [v._replace(source="strong union") if i % 2 else v for i, v in enumerate(verdicts)]


def test_what_was_inferred_costs_nothing() -> None:
    ledger = gd.Ledger(Axiom())
    ledger.ask([(0, 1, ()), (0, 2, (1,)), (0, 3, (1, 2)), (1, 3, (2,))])
    assert (ledger.n_tests, ledger.n_inferred) == (2, 2)
    assert ledger.weighted == 2 + 4
    assert [v.source for v in ledger.executed] == ["oracle", "oracle"]
    assert len(ledger.records) == 4


def test_a_ledger_of_a_ledger_counts_the_same() -> None:
    inner = gd.Ledger(gd.Oracle(CHAIN))
    outer = gd.Ledger(inner)
    outer.ask([(0, 1, ()), (1, 2, ())])
    assert inner.records == outer.records
    assert outer.names == CHAIN.names


def test_records_cannot_be_changed_from_outside() -> None:
    ledger = gd.Ledger(gd.Oracle(CHAIN))
    ledger.ask([(0, 1, ())])
    assert isinstance(ledger.records, tuple)


def test_an_error_is_not_written_down() -> None:
    ledger = gd.Ledger(gd.Oracle(CHAIN))
    with pytest.raises(LookupError):
        ledger.ask([(0, 1, ()), (0, 17, ())])
    assert ledger.records == ()
    assert ledger.n_batches == 0
