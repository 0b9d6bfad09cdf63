"""Several questions at once: still proved, in fewer accesses, and none that another would answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import graphoid as gd
from graphoid.learners.pfmn.batches import Expected, binary_entropy
from graphoid.learners.pfmn.population import Query, all_graphs, pairs
from graphoid.learners.pfmn.proofs import Bounds
from graphoid.structure.separation import separated
from tests.learners.pfmn.test_learner import CHAIN, graphs_of, result_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from graphoid.logic.source import Question


class Batched:
    """An oracle that remembers its batches, and may fail at some of them."""

    def __init__(self, graph: gd.UndirectedGraph, fails_at: int | None = None) -> None:
        self._oracle, self._fails_at = gd.Oracle(graph), fails_at
        self.names = self._oracle.names
        self.batches: list[list[tuple[Any, ...]]] = []

    def independent(self, x: int | str, y: int | str, given: Sequence[int | str] = ()) -> bool:
        return self.ask([(x, y, given)])[0].independent

    def ask(self, questions: Sequence[Question]) -> list[gd.Verdict]:
        if len(self.batches) == self._fails_at:
            raise KeyboardInterrupt
        self.batches.append([tuple(q) for q in questions])
        return self._oracle.ask(questions)


@pytest.mark.parametrize("batch", [2, 5])
@pytest.mark.parametrize("n", [2, 3, 4])
def test_every_small_graph_is_found_and_proved(n: int, batch: int) -> None:
    for graph in graphs_of(n):
        ci = Batched(graph)
        found = gd.PFMN(n_particles=16, moves=10, random_state=0, batch=batch).learn(ci)
        assert found.graph == graph
        assert found.details["verified"]
        assert found.cost.queries == len(ci.batches)
        assert all(len(asked) <= batch for asked in ci.batches)


@pytest.mark.parametrize("seed", range(3))
def test_batches_are_fewer_and_cost_little_more(seed: int) -> None:
    graph = gd.datasets.random_graph(14, 2, seed)
    one, four = (Batched(graph), Batched(graph))
    single, found = (gd.PFMN(random_state=seed, batch=k).learn(ci) for k, ci in ((1, one), (4, four)))
    assert found.graph == single.graph == graph
    assert found.details["verified"]
    assert all(len(asked) == 1 for asked in one.batches)
    assert len(four.batches) < 0.4 * len(one.batches)
    assert found.cost.weighted < 1.4 * single.cost.weighted
    questions = [(min(x, y), max(x, y), frozenset(z)) for asked in four.batches for x, y, z in asked]
    assert len(set(questions)) == len(questions) == found.cost.n_tests


def test_the_first_of_a_batch_is_what_would_be_asked_alone() -> None:
    single, found = (gd.PFMN(random_state=2, batch=k).learn(gd.Oracle(CHAIN)) for k in (1, 3))
    # alone, as nothing is known of who answers; then with others
    assert found.trace[:2] == single.trace[:2]


def test_a_question_that_another_answers_is_worth_next_to_nothing() -> None:
    # All graphs of four variables. Once (0, 1 | 2) is chosen, (1, 0 | 2) tells half a graph's doubt, while
    # a question is worth what its answer leaves open on average over both answers.
    n, graphs = 4, all_graphs(4)
    tests = [Query(0, 1, 0b100), Query(0, 1, 0b100), Query(2, 3, 0b1), Query(0, 1, 0)]
    apart = np.array([[separated(g, *t) for g in graphs.tolist()] for t in tests])
    expected = Expected(apart, Bounds.of(n))
    size = len(graphs)
    half = [binary_entropy((min(k, size - k) + 0.5) / (size + 1)) for k in apart.sum(axis=1).tolist()]
    assert expected.information() == pytest.approx(half)
    expected.add(tests[0], 0)
    by_hand = []
    for line in apart:
        total = 0.0
        for answer in (False, True):
            within = line[apart[0] == answer]
            share, k = len(within) / size, min(within.sum(), (~within).sum())
            total += share * binary_entropy((k + share / 2) / (len(within) + share))
        by_hand.append(total)
    found = expected.information()
    assert found == pytest.approx(by_hand)
    assert found[1] == pytest.approx(binary_entropy(0.5 / (size + 1)))
    assert found[2] > 10 * found[1]
    assert not expected.leaves_open(tests[0])
    assert expected.leaves_open(tests[2])


def test_a_question_whose_answer_would_follow_is_left_out() -> None:
    # every graph of the population has no edge: 0 and 1 apart given nothing are so given anything
    apart = np.ones((3, 8), dtype=bool)
    tests = [Query(0, 1, 0), Query(0, 1, 0b100), Query(0, 2, 0)]
    expected = Expected(apart, Bounds.of(3))
    assert all(expected.leaves_open(t) for t in tests)
    expected.add(tests[0], 0)
    assert [expected.leaves_open(t) for t in tests] == [False, False, True]


@pytest.mark.parametrize(
    ("budget", "spent"), [(23, lambda c: c.weighted <= 23), ({"tests": 7}, lambda c: c.n_tests == 7)]
)
def test_a_budget_is_kept_by_batches(budget: Any, spent: Any) -> None:
    found = gd.PFMN(n_particles=30, budget=budget, random_state=0, batch=4).learn(gd.Oracle(CHAIN))
    assert found.stopped == "budget"
    assert spent(found.cost)
    log = found.details["entropy_by_cost"]
    assert len(log) == found.cost.n_tests
    assert log[-1][0] == found.details["spent"] == found.cost.weighted


def test_a_run_that_was_interrupted_goes_on_and_repeats_nothing(tmp_path: Path) -> None:
    whole = gd.PFMN(random_state=3, batch=3).learn(gd.Oracle(CHAIN))
    file = tmp_path / "run.json"
    first, second = Batched(CHAIN, fails_at=2), Batched(CHAIN)
    with pytest.raises(KeyboardInterrupt):
        gd.PFMN(random_state=3, batch=3, checkpoint=file).learn(first)
    found = gd.PFMN(random_state=3, batch=3, checkpoint=file).learn(second)
    assert result_of(found) == result_of(whole)
    asked = [question for ci in (first, second) for batch in ci.batches for question in batch]
    assert asked == [(v.x, v.y, v.given) for v in whole.trace[: whole.cost.n_tests]]


def test_more_budget_goes_on_within_a_batch(tmp_path: Path) -> None:
    file, whole = tmp_path / "run.json", gd.PFMN(random_state=3, batch=3).learn(gd.Oracle(CHAIN))
    gd.PFMN(random_state=3, batch=3, budget={"tests": 5}, checkpoint=file).learn(gd.Oracle(CHAIN))
    ci = Batched(CHAIN)
    found = gd.PFMN(random_state=3, batch=3, checkpoint=file).learn(ci)
    assert found.trace == whole.trace
    assert [len(asked) for asked in ci.batches][:2] == [2, 3]
    assert sum(map(len, ci.batches)) == found.cost.n_tests - 5


def test_a_file_of_before_batches_is_read(tmp_path: Path) -> None:
    file = tmp_path / "run.json"
    gd.PFMN(random_state=3, checkpoint=file).learn(gd.Oracle(CHAIN))
    assert "batch" not in file.read_text()
    with pytest.raises(gd.errors.DataError, match="its batch is None, here it is 2"):
        gd.PFMN(random_state=3, batch=2, checkpoint=file).learn(gd.Oracle(CHAIN))


def test_a_dense_network_is_still_asked_what_gsimn_asks() -> None:
    table = gd.datasets.pairwise_binary(gd.datasets.random_graph(16, 8, 0), 1.0, 0).sample(5_000, 1)
    single, found = (gd.PFMN(random_state=0, batch=k).fit(table).structure_ for k in (1, 6))
    assert found.graph == single.graph
    assert found.trace == single.trace


def test_a_batch_is_one_access_to_data() -> None:
    table = gd.datasets.pairwise_binary(CHAIN, 2.0, 0).sample(2_000, 0)
    single, found = (gd.PFMN(random_state=0, batch=k).fit(table).structure_ for k in (1, 5))
    assert single.cost.queries == single.cost.n_tests
    assert found.cost.queries <= single.cost.n_tests * 2 // 3
    assert found.compare(CHAIN).hamming <= 1


def test_pairs_that_are_known_are_not_asked_about() -> None:
    ci = Batched(CHAIN)
    known = gd.Knowledge(forbidden=[("0", "5")], required=[("0", "1")])
    found = gd.PFMN(random_state=0, batch=3, knowledge=known).learn(ci)
    assert found.graph == CHAIN
    assert all({x, y} != {0, 1} for asked in ci.batches for x, y, _ in asked)
    assert len(pairs(6)) == 15
