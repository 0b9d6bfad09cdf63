"""The settings beyond the paper, each by the property it is named for, on both learners."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import graphoid as gd
from graphoid.errors import SettingsError
from graphoid.learners.grow_shrink.discoveries import largest_discovery

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graphoid.logic.source import Question

LEARNERS = [gd.GSMN, gd.GSIMN]


class Told:
    """Answers by a list of dependences (x, y, given), all others are independent; 0 is examined first."""

    names = ("a", "b", "c", "d")

    def __init__(self, *dependences: tuple[int, int, tuple[int, ...]]) -> None:
        self.dependences = {(min(x, y), max(x, y), tuple(sorted(z))) for x, y, z in dependences}

    def independent(self, x: int | str, y: int | str, given: Sequence[int | str] = ()) -> bool:
        raise NotImplementedError  # whoever is tested asks in batches only

    def ask(self, questions: Sequence[Question]) -> list[gd.Verdict]:
        return [
            gd.Verdict(x, y, tuple(z), (min(x, y), max(x, y), tuple(sorted(z))) not in self.dependences)
            for x, y, z in questions
        ]


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("settings", [{"rule": "both"}, {"fdr": 0.05}, {"max_given": 9}, {"regrow": 3}])
def test_with_an_oracle_every_setting_is_exact(learner: Any, settings: dict[str, Any]) -> None:
    for seed in range(10):
        graph = gd.datasets.random_graph(10, 1 + seed % 4, seed)
        assert learner(**settings).learn(gd.Oracle(graph)).graph == graph


class OneSided:
    """a finds b, but b does not find a: answers depend on who asks, as they may on data."""

    names = ("a", "b")

    def independent(self, x: int | str, y: int | str, given: Sequence[int | str] = ()) -> bool:
        raise NotImplementedError  # whoever is tested asks in batches only

    def ask(self, questions: Sequence[Question]) -> list[gd.Verdict]:
        return [gd.Verdict(x, y, tuple(z), x > y) for x, y, z in questions]


def test_where_blankets_disagree_the_rule_decides() -> None:
    assert gd.GSMN(propagate=False, rule="either").learn(OneSided()).graph.n_edges == 1
    assert gd.GSMN(propagate=False, rule="both").learn(OneSided()).graph.n_edges == 0
    assert gd.GSMN(rule="either").learn(OneSided()).graph.n_edges == 1
    assert gd.GSMN(rule="both").learn(OneSided()).graph.n_edges == 0  # presence is not propagated


@pytest.mark.parametrize("learner", LEARNERS)
def test_both_never_adds_an_edge(learner: Any) -> None:
    table = gd.datasets.load("survey")
    either = learner(test=gd.ChiSquare(alpha=0.2)).fit(table).structure_
    both = learner(test=gd.ChiSquare(alpha=0.2), rule="both").fit(table).structure_
    assert both.graph.n_edges <= either.graph.n_edges


@pytest.mark.parametrize("learner", LEARNERS)
def test_false_discoveries_are_rare_where_nothing_depends(learner: Any) -> None:
    rng = np.random.default_rng(7)
    tables = [gd.read(rng.integers(0, 2, (300, 12))) for _ in range(30)]
    plain = [learner().fit(t).structure_.graph.n_edges for t in tables]
    controlled = [learner(fdr=0.05).fit(t).structure_.graph.n_edges for t in tables]
    assert sum(plain) > 30  # 66 pairs at alpha = .05: about three each
    # without a true edge the rate is the chance of any: .05 each; 30 tables, 6 is beyond the .999 quantile
    assert sum(k > 0 for k in controlled) <= 6


def test_an_edge_taken_back_says_so() -> None:
    rng = np.random.default_rng(0)
    table = gd.read(rng.integers(0, 2, (300, 12)))
    found = gd.GSIMN(fdr=0.01).fit(table).structure_
    taken = [v for v in found.trace if v.source == "false discovery rate"]
    assert taken
    x, y = taken[0].x, taken[0].y
    assert not found.graph.has_edge(x, y)
    assert "does not survive the control of false discoveries at 0.01 over 66 pairs" in found.why(x, y)
    assert taken[0].because[0].independent is False
    assert gd.LearnedStructure.from_json(found.to_json()) == found


@pytest.mark.parametrize("learner", LEARNERS)
def test_strong_edges_survive_and_inferred_ones_are_tested(learner: Any) -> None:
    table = gd.datasets.load("survey")
    plain = learner(test=gd.ChiSquare(alpha=0.001)).fit(table).structure_
    found = learner(test=gd.ChiSquare(alpha=0.001), fdr=0.05).fit(table).structure_
    assert set(found.graph.edges) <= set(plain.graph.edges)
    assert len(found.graph.edges) >= 0.8 * len(plain.graph.edges)
    for x, y in found.graph.edges:
        assert any({v.x, v.y} == {x, y} and v.log_p is not None and not v.independent for v in found.trace)


def test_benjamini_hochberg_worked_by_hand() -> None:
    # m = 10, q = .1: limits .01, .02, .03, .04; the third fails, but the fourth holds and takes it along
    log_ps = np.log([0.005, 0.02, 0.035, 0.04])
    assert np.exp(largest_discovery(log_ps, 10, 0.1)) == pytest.approx(0.04)
    assert largest_discovery(np.log([0.5]), 10, 0.1) == -np.inf
    assert largest_discovery([], 10, 0.1) == -np.inf


def test_fdr_needs_p_values() -> None:
    with pytest.raises(SettingsError, match="fdr needs p-values, and this test gives log odds"):
        gd.GSMN(test=gd.BayesianTest(), fdr=0.05).fit(gd.datasets.load("titanic"))


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("most", [0, 1, 2])
def test_no_question_has_more_given_than_the_cap(learner: Any, most: int) -> None:
    found = learner(max_given=most).fit(gd.datasets.load("survey")).structure_
    asked = [v for v in found.trace if v.source != "propagation"]
    assert max(len(v.given) for v in asked) == most


def test_the_members_given_are_those_between_the_two() -> None:
    from graphoid.learners.grow_shrink.loop import Examination

    # log p with 0 and with 1: 2 is strong with 0 only, 3 and 4 with both
    strength = [[0.0, 0, -90, -20, -30], [0, 0, -1, -25, -20], *[[0.0] * 5] * 3]
    assert Examination(0, {}, strength, 2, bool).given(1, (2, 3, 4)) == (3, 4)
    assert Examination(0, {}, strength, 1, bool).given(1, (2, 3, 4)) == (3,)  # -20 both: by place
    assert Examination(0, {}, strength, 3, bool).given(1, (2, 3, 4)) == (2, 3, 4)


@pytest.mark.parametrize("learner", LEARNERS)
def test_a_dependence_that_only_shows_given_others_is_found_by_growing_again(learner: Any) -> None:
    # a, b and c depend on each other whatever is given; d depends on a given b and c only, and comes before
    # them in the grow order: no undirected graph does that
    given = {(0, 1): [2, 3], (0, 2): [1, 3], (1, 2): [0, 3]}
    always = [
        (x, y, z)
        for (x, y), others in given.items()
        for k in range(3)
        for z in itertools.combinations(others, k)
    ]
    source = DFirst(*always, (0, 3, (1, 2)))
    assert learner().learn(source).graph.edges == ((0, 1), (0, 2), (1, 2))
    found = learner(regrow=1).learn(source)
    assert found.graph.has_edge(0, 3)
    if learner is gd.GSMN:  # what GSIMN infers from such answers is not to be relied on
        assert found.graph.edges == ((0, 1), (0, 2), (0, 3), (1, 2))
        # the second time nothing changes, and it stops
        assert learner(regrow=2).learn(source).trace == learner(regrow=9).learn(source).trace


class DFirst(Told):
    """The same answers, with strengths that put d first in the order of a."""

    def ask(self, questions: Sequence[Question]) -> list[gd.Verdict]:
        strength = {(0, 3): -9.0, (0, 1): -8.0, (0, 2): -7.0}
        return [
            v._replace(log_p=strength.get((min(v.x, v.y), max(v.x, v.y)), -1.0))
            for v in super().ask(questions)
        ]
