"""Verdicts in columns are the verdicts that came in, in their order."""

from __future__ import annotations

import pickle

import pytest

import graphoid as gd
from graphoid.logic import trace as module
from graphoid.logic.trace import Trace, places_about, tallies_of
from graphoid.structure.decisions import Decisions
from graphoid.structure.learned import Cost


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_OBJECTS", 20)
    monkeypatch.setattr(module, "BLOCK", 7)


def traces() -> list[tuple[gd.Verdict, ...]]:
    graph = gd.datasets.random_graph(9, 2, 1)
    table = gd.datasets.pairwise_binary(graph, 1.0, 0).sample(300, 0)
    fitted = [
        learner.fit(table) for learner in (gd.GSIMN(), gd.RobustGSMN(), gd.GSMN(test=gd.BayesianTest()))
    ]
    found = [learner.structure_ for learner in fitted] + [gd.GSIMN().learn(gd.Oracle(graph))]
    return [tuple(one.trace) for one in found]


@pytest.mark.usefixtures("small_blocks")
def test_columns_give_back_what_came_in() -> None:
    for verdicts in traces():
        one_by_one, at_once = Trace(), Trace(verdicts)
        for i, v in enumerate(verdicts):
            one_by_one.append(v)
            assert one_by_one[i] == v
        copy = pickle.loads(pickle.dumps(at_once))  # noqa: S301 - our own
        for trace in (one_by_one, at_once, copy):
            assert trace.done() is trace  # in columns
            assert len(trace) == len(verdicts)
            assert [*map(repr, trace)] == [*map(repr, map(trace.__getitem__, range(len(trace))))]
            assert [*map(tuple, trace)] == [*map(tuple, verdicts)]
            assert [[type(part) for part in v] for v in trace] == [
                [type(part) for part in v] for v in verdicts
            ]
            assert trace[-3:] == verdicts[-3:]
            assert trace == verdicts
            assert verdicts == trace
            assert trace != verdicts[1:]
        assert [*map(str, one_by_one)] == [*map(str, verdicts)]
        with pytest.raises(IndexError, match=f"no verdict {len(verdicts)} of"):
            one_by_one[len(verdicts)]


@pytest.mark.usefixtures("small_blocks")
def test_costs_and_places_are_those_of_objects() -> None:
    for verdicts in traces():
        trace = Trace(verdicts)
        assert Cost.of(trace) == Cost.of(verdicts)
        assert sum(t.times for t in tallies_of(trace)) == len(verdicts)
        assert trace.about(3, 1) == places_about(verdicts, 1, 3) != []


def test_few_verdicts_stay_a_tuple() -> None:
    (verdicts, *_) = traces()
    assert Trace(verdicts).done() == verdicts
    assert isinstance(Trace(verdicts).done(), tuple)


@pytest.mark.usefixtures("small_blocks")
def test_what_decided_each_pair_is_found_in_columns() -> None:
    table = gd.datasets.pairwise_binary(gd.datasets.random_graph(9, 3, 1), 1.0, 0).sample(200, 0)
    found = gd.RobustGSMN().fit(table).structure_
    plainly = gd.LearnedStructure(graph=found.graph, trace=tuple(found.trace)).verdicts
    decisions = Decisions(Trace(found.trace), found.graph)
    assert isinstance(found.verdicts, Decisions)
    assert [*decisions.items()] == [*plainly.items()]
    assert len(decisions) == len(plainly) == 36
    assert (1, 0) not in decisions
    assert str(decisions[0, 1]) == str(plainly[0, 1])
    nothing = gd.UndirectedGraph(9, [(x, y) for x in range(9) for y in range(x + 1, 9)])
    assert len(Decisions(Trace(v for v in found.trace if v.independent), nothing)) == 0
