"""PFMN: exact on small graphs, within its budget, and the same again after it was stopped."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import graphoid as gd
from graphoid.errors import DataError, SettingsError
from graphoid.learners.pfmn.likelihood import log_ratio
from graphoid.learners.pfmn.population import all_graphs, pairs
from tests.support.kernels import without_kernels

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from graphoid.logic.source import Question

CHAIN = gd.UndirectedGraph(6, [(i, i + 1) for i in range(5)])


class Counted:
    """An oracle that remembers what it was asked, and may fail at some question."""

    def __init__(self, graph: gd.UndirectedGraph, fails_at: int | None = None) -> None:
        self._oracle = gd.Oracle(graph)
        self.names = self._oracle.names
        self.questions: list[tuple[Any, ...]] = []
        self._fails_at = fails_at

    def independent(self, x: int | str, y: int | str, given: Sequence[int | str] = ()) -> bool:
        return self.ask([(x, y, given)])[0].independent

    def ask(self, questions: Sequence[Question]) -> list[gd.Verdict]:
        if self._fails_at is not None and len(self.questions) >= self._fails_at:
            raise KeyboardInterrupt
        self.questions += [tuple(q) for q in questions]
        return self._oracle.ask(questions)


def result_of(found: gd.LearnedStructure) -> tuple[Any, ...]:
    """Everything but times."""
    return found.graph, found.trace, found.cost.weighted, found.edge_probabilities, dict(found.details)


def graphs_of(n: int) -> list[gd.UndirectedGraph]:
    every = all_graphs(n).tolist()
    return [gd.UndirectedGraph(n, [(x, y) for x, y in pairs(n) if masks[x] >> y & 1]) for masks in every]


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_every_small_graph_is_found_and_proved(n: int) -> None:
    for graph in graphs_of(n):
        found = gd.PFMN(n_particles=16, moves=10, random_state=0).learn(gd.Oracle(graph))
        assert found.graph == graph
        assert found.details["verified"]
        assert found.stopped == "converged"
        assert set(found.edge_probabilities.values()) <= {0.0, 1.0}


def test_some_graphs_of_five_and_more() -> None:
    for graph in [*graphs_of(5)[::101], gd.datasets.random_graph(12, 3, 0)]:
        found = gd.PFMN(n_particles=32, moves=20, random_state=1).learn(gd.Oracle(graph))
        assert found.graph == graph
        assert found.details["verified"]


def test_no_question_is_asked_twice_and_none_that_follows() -> None:
    ci = Counted(CHAIN)
    found = gd.PFMN(random_state=0).learn(ci)
    keys = [(min(x, y), max(x, y), frozenset(given)) for x, y, given in ci.questions]
    assert len(set(keys)) == len(keys)
    assert found.cost.n_tests == len(keys)
    assert found.cost.weighted == sum(2 + len(given) for *_, given in ci.questions)
    assert found.cost.weighted < 0.7 * gd.GSIMN().learn(gd.Oracle(CHAIN)).cost.weighted


@pytest.mark.parametrize("method", ["bounds", "paper"])
def test_the_same_seed_gives_the_same_run(method: Any) -> None:
    first, second = (
        gd.PFMN(method=method, n_particles=40, random_state=5).learn(gd.Oracle(CHAIN)) for _ in range(2)
    )
    assert result_of(first) == result_of(second)
    assert first.seed == 5


@pytest.mark.parametrize("method", ["bounds", "paper"])
def test_threads_do_not_matter(method: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    found = []
    for threads in ("1", "3"):
        monkeypatch.setenv("GRAPHOID_THREADS", threads)
        learner = gd.PFMN(method=method, n_particles=40, random_state=5)
        found.append(result_of(learner.learn(gd.Oracle(CHAIN))))
    assert found[0] == found[1]


@pytest.mark.parametrize("method", ["bounds", "paper"])
def test_kernels_do_not_matter(method: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    graph = gd.UndirectedGraph(5, [(0, 1), (1, 2), (0, 2), (3, 4)])
    settings: dict[str, Any] = {"method": method, "n_particles": 12, "moves": 6}
    if method == "paper":
        settings["max_flips"] = 2
    fast = gd.PFMN(**settings, random_state=5).learn(gd.Oracle(graph))
    without_kernels(monkeypatch)
    plain = gd.PFMN(**settings, random_state=5).learn(gd.Oracle(graph))
    assert plain.trace == fast.trace
    assert plain.graph == fast.graph


def test_the_published_filter_finds_sparse_structures() -> None:
    graph = gd.UndirectedGraph(8, [(0, 1), (2, 3), (3, 4)])
    found = gd.PFMN(method="paper", n_particles=200, random_state=0).learn(gd.Oracle(graph))
    assert found.compare(graph).hamming <= 2
    assert found.details["effective_structures"] == pytest.approx(1.0)  # it stops when all agree


@pytest.mark.parametrize("method", ["bounds", "paper"])
@pytest.mark.parametrize(
    ("budget", "spent"),
    [
        (11, lambda c: c.weighted <= 11),
        ({"tests": 3}, lambda c: c.n_tests == 3),
    ],
)
def test_a_budget_is_kept(method: Any, budget: Any, spent: Any) -> None:
    found = gd.PFMN(method=method, n_particles=30, budget=budget, random_state=0).learn(gd.Oracle(CHAIN))
    assert found.stopped == "budget"
    assert spent(found.cost)
    assert set(found.edge_probabilities) == set(pairs(6))
    assert not found.details["verified"]
    upcoming = found.details["next_test"]
    assert upcoming["price"] == 2 + len(upcoming["given"])
    assert "nats" in upcoming["why"]
    assert [len(entry) for entry in found.details["entropy_by_cost"]] == [2] * found.cost.n_tests


@pytest.mark.parametrize("method", ["bounds", "paper"])
@pytest.mark.parametrize("in_steps", [False, True])
def test_without_time_no_test_is_asked_or_chosen(
    method: Any, in_steps: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    # a kernel looks at the clock every now and then: a step may be cut short, or end and find no time left
    if not in_steps:
        monkeypatch.setattr("graphoid.learners.pfmn.base.time_limit", nullcontext)
    learner = gd.PFMN(method=method, n_particles=30, budget={"seconds": 0}, random_state=0)
    found = learner.learn(gd.Oracle(CHAIN))
    assert found.stopped == "budget"
    assert found.cost.n_tests == 0
    assert set(found.edge_probabilities) == set(pairs(6))
    assert not found.details["verified"]
    assert found.details["next_test"] is None


def test_prices_choose_the_tests() -> None:
    # a test that moves a column from one site to the other is dear, so fewer of them are asked
    sites = ["A"] * 3 + ["B"] * 3
    price = gd.SitePrice(sites, per_column=20.0)

    def travelled(cost: Any) -> float:
        total = 0.0
        for seed in range(5):
            ci = Counted(CHAIN)
            gd.PFMN(cost=cost, random_state=seed).learn(ci)
            total += sum(price(gd.Assertion(x, y, tuple(given))) for x, y, given in ci.questions)
        return total

    assert travelled(price) < 0.9 * travelled(None)


def test_a_run_that_was_interrupted_goes_on_and_repeats_nothing(tmp_path: Path) -> None:
    whole = gd.PFMN(random_state=3).learn(gd.Oracle(CHAIN))
    file = tmp_path / "run.json"
    first = Counted(CHAIN, fails_at=4)
    with pytest.raises(KeyboardInterrupt):
        gd.PFMN(random_state=3, checkpoint=file).learn(first)
    second = Counted(CHAIN)
    found = gd.PFMN(random_state=3, checkpoint=file).learn(second)
    assert result_of(found) == result_of(whole)
    assert len(first.questions) == 4
    assert [*first.questions, *second.questions] == [
        (v.x, v.y, v.given) for v in whole.trace[: whole.cost.n_tests]
    ]
    # what ended is not asked again at all
    third = Counted(CHAIN)
    assert result_of(gd.PFMN(random_state=3, checkpoint=file).learn(third)) == result_of(whole)
    assert third.questions == []


def test_more_budget_goes_on_from_the_file(tmp_path: Path) -> None:
    file = tmp_path / "run.json"
    gd.PFMN(random_state=3, budget={"tests": 3}, checkpoint=file).learn(gd.Oracle(CHAIN))
    ci = Counted(CHAIN)
    found = gd.PFMN(random_state=3, checkpoint=file).learn(ci)
    assert found.details["verified"]
    assert len(ci.questions) == found.cost.n_tests - 3


SLOWLY = """
import sys, time
import graphoid as gd
class Slow:
    names = tuple("012345")
    ci = gd.Oracle(gd.UndirectedGraph(list(names), [(i, i + 1) for i in range(5)]))
    def ask(self, questions):
        time.sleep(0.1)
        with open(sys.argv[2], "a") as log:
            log.write(f"{questions}\\n")
        return self.ci.ask(questions)
gd.PFMN(random_state=3, checkpoint=sys.argv[1]).learn(Slow())
"""


@pytest.mark.slow
@pytest.mark.parametrize("how", ["SIGKILL", "SIGINT"])
def test_a_run_that_was_killed_goes_on_and_repeats_nothing(tmp_path: Path, how: str) -> None:
    file, log = tmp_path / "run.json", tmp_path / "log"
    command = [sys.executable, "-c", SLOWLY, str(file), str(log)]
    run = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    until = time.monotonic() + 60
    while not (file.exists() and len(json.loads(file.read_text())["body"]["verdicts"]) >= 3):
        assert time.monotonic() < until
        time.sleep(0.01)
    os.kill(run.pid, getattr(signal, how))
    assert run.wait(60) != 0
    answered = len(json.loads(file.read_text())["body"]["verdicts"])
    subprocess.run(command, check=True)
    whole = gd.PFMN(random_state=3).learn(gd.Oracle(CHAIN))
    verdicts = json.loads(file.read_text())["body"]["verdicts"]
    assert [row[:2] for row in verdicts] == [[v.x, v.y] for v in whole.trace[: len(verdicts)]]
    # at most the test that was under way when it was killed was asked again
    assert len(log.read_text().splitlines()) - len(verdicts) in (0, 1)
    assert answered < len(verdicts)


def test_another_runs_file_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "run.json"
    gd.PFMN(random_state=3, checkpoint=file).learn(gd.Oracle(CHAIN))
    with pytest.raises(DataError, match="another run: its seed is 3, here it is 4"):
        gd.PFMN(random_state=4, checkpoint=file).learn(gd.Oracle(CHAIN))
    file.write_text(file.read_text().replace("oracle", "orakel"))
    with pytest.raises(DataError, match="damaged"):
        gd.PFMN(random_state=3, checkpoint=file).learn(gd.Oracle(CHAIN))
    file.write_text("no json")
    with pytest.raises(DataError, match="not a checkpoint"):
        gd.PFMN(random_state=3, checkpoint=file).learn(gd.Oracle(CHAIN))


def test_the_result_says_why_and_survives_json() -> None:
    found = gd.PFMN(random_state=0).learn(gd.Oracle(CHAIN))
    again = gd.LearnedStructure.from_json(found.to_json())
    assert again == found
    inferred = [v for v in found.trace if v.source == "proof"]
    assert inferred
    assert "since" in found.why(inferred[0].x, inferred[0].y)
    assert all(row.probability == 1.0 for row in found.edges())


def test_on_data_strong_dependences_are_found() -> None:
    network = gd.datasets.pairwise_binary(CHAIN, 2.5, 0)
    found = gd.PFMN(random_state=0).fit(network.sample(4_000, 0)).structure_
    assert found.compare(CHAIN).hamming <= 1
    assert not found.details["verified"]  # data never prove anything
    assert found.edge_probabilities[0, 1] > 0.9
    assert found.edge_probabilities[0, 5] < 0.1


@pytest.mark.parametrize("test", [gd.ChiSquare(), gd.PartialCorrelation()])
def test_p_values_are_weighed(test: Any) -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=500)
    columns = {"x": x, "y": x + rng.normal(size=500), "z": rng.normal(size=500)}
    if isinstance(test, gd.ChiSquare):
        columns = {name: (values > 0).astype(int) for name, values in columns.items()}
        table = gd.read(columns)
    else:
        table = gd.read(columns, discretize=None)
    found = gd.PFMN(test=test, random_state=0).fit(table).structure_
    assert found.graph.edges == ((0, 1),)


def test_the_weight_of_an_answer() -> None:
    # a Bayesian answer: posterior odds over prior odds
    answer = gd.Verdict(0, 1, (), True, log_odds=2.0)
    assert log_ratio(answer, gd.BayesianTest(prior=0.5)) == pytest.approx(2.0)
    assert log_ratio(answer, gd.BayesianTest(prior=0.8)) == pytest.approx(2.0 - np.log(4))
    # a p-value at alpha speaks for neither, above it for independence
    for alpha in (0.05, 0.01, 0.3):
        at = gd.Verdict(0, 1, (), False, p_value=alpha, log_p=float(np.log(alpha)))
        assert log_ratio(at, gd.ChiSquare(alpha=alpha)) == pytest.approx(0.0, abs=1e-9)
        assert log_ratio(at._replace(log_p=0.0), gd.ChiSquare(alpha=alpha)) > 0
        assert log_ratio(at._replace(log_p=-30.0), gd.ChiSquare(alpha=alpha)) < -5
    certain = gd.Verdict(0, 1, (), False, source="oracle")
    assert log_ratio(certain, None, 1e-10) == pytest.approx(np.log(1e-10), abs=1e-6)


def test_steps_can_be_watched() -> None:
    seen = list(gd.PFMN(random_state=0).steps(gd.Oracle(CHAIN)))
    assert seen[-1].spent == gd.PFMN(random_state=0).learn(gd.Oracle(CHAIN)).cost.weighted
    assert seen[0].entropy > seen[-1].entropy == 0.0


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"method": "best"}, "'bounds' or 'paper'"),
        ({"n_particles": 1}, "n_particles must be a whole number of at least 2"),
        ({"moves": 2.5}, "moves must be a whole number"),
        ({"budget": -1}, "price is -1"),
        ({"budget": {"euros": 3}}, "no limit 'euros'"),
        ({"cost": 3}, "function of a test"),
        ({"method": "paper", "score": "H"}, "'gain' or 'printed'"),
        ({"max_flips": 3}, "PFMN has no setting 'max_flips', which is one of PublishedPFMN"),
        ({"method": "paper", "doubt": 0.1}, "PublishedPFMN has no setting 'doubt', which is one of PFMN"),
        ({"soften": 0}, "between 0 and 1"),
        ({"checkpoint": "run.json"}, "needs a seed"),
    ],
)
def test_settings_are_checked(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        gd.PFMN(**settings).learn(gd.Oracle(CHAIN))


def test_too_many_variables_are_refused_in_a_sentence() -> None:
    with pytest.raises(SettingsError, match="up to 64 variables; there are 65"):
        gd.PFMN().learn(gd.Oracle(gd.UndirectedGraph(65)))
