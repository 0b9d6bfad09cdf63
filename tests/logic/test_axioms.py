"""The rules conclude what the paper says, and nothing that is false in a graph."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np
import pytest

import graphoid as gd
from graphoid.errors import SettingsError
from graphoid.logic import closure as closures, knowledge as knowledges
from graphoid.logic.axioms import (
    RULES,
    strong_union_dependence,
    strong_union_independence,
    triangle_dependence,
    triangle_independence,
)
from graphoid.logic.closure import INTERSECTION, STRONG_UNION, TRANSITIVITY, Closure
from graphoid.logic.knowledge import Knowledge
from graphoid.logic.sets import mask, members
from graphoid.logic.verdict import Fact

if TYPE_CHECKING:
    from collections.abc import Iterator

N = 8


def known(*facts: Fact) -> Knowledge:
    base = Knowledge(N)
    for fact in facts:
        base.add(fact)
    return base


def dependent(x: int, y: int, *given: int) -> Fact:
    return Fact.of(x, y, given, independent=False)


def independent(x: int, y: int, *given: int) -> Fact:
    return Fact.of(x, y, given, independent=True)


def test_strong_union_goes_down_for_dependence_and_up_for_independence() -> None:
    base = known(dependent(0, 1, 2, 3), independent(4, 5, 6))
    assert strong_union_dependence(base, 1, 0, mask([3])) == (mask([2, 3]), (dependent(0, 1, 2, 3),), None)
    assert strong_union_dependence(base, 0, 1, mask([3, 4])) is None
    assert strong_union_independence(base, 5, 4, mask([6, 7])) == (mask([6]), (independent(4, 5, 6),), None)
    assert strong_union_independence(base, 5, 4, mask([7])) is None


def test_the_d_triangle_of_figure_4() -> None:
    # 4 and 7 depend on each other given {3}, by 5: 5 ~ 4 | 3 and 5 ~ 7 | 3, 4, 6
    facts = (dependent(5, 4, 3), dependent(5, 7, 3, 4, 6))
    base = known(*facts)
    assert triangle_dependence(base, 4, 7, mask([3])) == (mask([3]), facts, None)
    assert triangle_dependence(base, 7, 4, 0) == (mask([3]), facts[::-1], None)
    assert triangle_dependence(base, 4, 7, mask([3, 6])) is None


def test_the_i_triangle_of_figure_4() -> None:
    # 1 and 7 are independent given {3, 4}, by 5: 5 _ 1 | 3, 4 and 5 ~ 7 | 3, 4, 6; asked given {3, 4, 5}
    facts = (independent(5, 1, 3, 4), dependent(5, 7, 3, 4, 6))
    base = known(*facts)
    for x, y in ((1, 7), (7, 1)):  # both roles
        assert triangle_independence(base, x, y, mask([3, 4, 5])) == (mask([3, 4]), facts, None)
    assert triangle_independence(base, 1, 7, mask([3, 4])) is None  # W is taken from S
    assert triangle_independence(base, 1, 7, mask([3, 5])) is None


def all_facts(graph: gd.UndirectedGraph) -> list[Fact]:
    return [
        Fact.of(x, y, given, independent=graph.separated(x, y, given))
        for x, y in itertools.combinations(range(graph.n), 2)
        for size in range(graph.n - 1)
        for given in itertools.combinations([w for w in range(graph.n) if w not in (x, y)], size)
    ]


def graphs_and_facts(n: int, seeds: int) -> Iterator[tuple[gd.UndirectedGraph, list[Fact], list[Fact]]]:
    for seed in range(seeds):
        rng = np.random.default_rng(seed)
        graph = gd.datasets.random_graph(n, rng.integers(1, n), rng)
        facts = all_facts(graph)
        some = [facts[i] for i in rng.permutation(len(facts))[: len(facts) // 6]]
        yield graph, facts, some


@pytest.mark.parametrize("most_rows", [256, 0])
def test_every_conclusion_is_true_and_has_true_antecedents(
    most_rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(knowledges, "_MOST_ROWS", most_rows)
    concluded = dict.fromkeys((name for name, _, _ in RULES), 0)
    for graph, facts, some in graphs_and_facts(6, 20):
        base = Knowledge(6)
        for fact in some:
            base.add(fact)
        for fact in facts:
            for name, answer, rule in RULES:
                found = rule(base, fact.x, fact.y, mask(fact.given))
                if found is not None:
                    holds, antecedents, _ = found
                    assert answer == fact.independent == graph.separated(fact.x, fact.y, list(members(holds)))
                    assert all(a in some for a in antecedents)
                    concluded[name] += 1
    assert min(concluded.values()) > 50


def test_comparing_all_rows_at_once_finds_the_same_as_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    for graph, facts, some in graphs_and_facts(7, 10):
        together = Knowledge(graph.n)
        monkeypatch.setattr(knowledges, "_MOST_ROWS", 0)
        apart = Knowledge(graph.n)
        monkeypatch.undo()
        for fact in some:
            together.add(fact)
            apart.add(fact)
        for f in facts:
            s = mask(f.given)
            assert triangle_dependence(together, f.x, f.y, s) == triangle_dependence(apart, f.x, f.y, s)


def test_knowledge_lists_each_fact_once() -> None:
    base = known(dependent(0, 1), independent(0, 1, 2), dependent(1, 0))
    assert base.facts() == [dependent(0, 1), independent(0, 1, 2)]
    assert base
    assert not Knowledge(3)


def close(n: int, *facts: Fact, axioms: tuple[str, ...] = closures.AXIOMS) -> Closure:
    closure = Closure(n, axioms)
    for fact in facts:
        closure.add(fact.x, fact.y, mask(fact.given), independent=fact.independent)
    return closure


def test_intersection_and_its_contrapositives() -> None:
    one, other = independent(0, 1, 2), independent(0, 2, 1)
    both = close(3, one, other)
    assert both.find(0, 1, 0) == (True, INTERSECTION, (other, one))
    assert both.find(2, 0, 0) == (True, INTERSECTION, (other, one))
    assert close(3, one, dependent(0, 1)).find(0, 2, mask([1])) == (
        (False, INTERSECTION, (dependent(0, 1), one))
    )
    assert close(3, one, other, axioms=(STRONG_UNION, TRANSITIVITY)).find(0, 1, 0) is None


def test_transitivity_one_of_three_is_never_independent_alone() -> None:
    assert close(3, dependent(0, 1), dependent(1, 2)).find(0, 2, 0) == (
        (False, TRANSITIVITY, (dependent(1, 2), dependent(0, 1)))
    )
    found = close(3, independent(0, 1), dependent(1, 2)).find(0, 2, 0)
    assert found == (True, TRANSITIVITY, (independent(0, 1), dependent(1, 2)))
    assert close(3, independent(0, 1), independent(1, 2)).find(0, 2, 0) is None


def test_all_that_forward_chaining_concludes_is_true() -> None:
    inferred = 0
    for graph, facts, some in graphs_and_facts(5, 30):
        closure = close(5, *some)
        for fact in facts:
            found = closure.find(fact.x, fact.y, mask(fact.given))
            if found is not None:
                independent_, axiom, because = found
                assert independent_ == fact.independent
                assert axiom in closures.AXIOMS
                assert all(b.independent == graph.separated(b.x, b.y, b.given) for b in because)
                inferred += 1
        assert len(closure) <= len(facts)
    assert inferred > 1_000


def test_of_two_that_contradict_each_other_the_first_stays() -> None:
    closure = close(3, independent(0, 1), dependent(0, 1, 2))
    assert closure.find(0, 1, mask([2])) == (True, STRONG_UNION, (independent(0, 1),))


def test_forward_chaining_refuses_many_variables() -> None:
    with pytest.raises(SettingsError, match=r"at most 13 variables. Use chaining='backward'"):
        Closure(14)
