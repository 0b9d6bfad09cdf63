"""The robust preset: exact with an oracle, right on data, and no dearer than what it replaces."""

from __future__ import annotations

import dataclasses
import itertools
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np
import pytest

import graphoid as gd
from graphoid.counts.native import NativeEngine
from graphoid.errors import SettingsError
from graphoid.independence.pooled import ROWS_PER_CELL, Pooled
from graphoid.learners.grow_shrink.robust import evidence, one_end_first
from graphoid.logic.source import rows_per_cell
from graphoid.logic.verdict import Verdict
from tests.support.tables import NATIVE

if TYPE_CHECKING:
    from collections.abc import Iterator

LEARNERS = [gd.GSMN(preset="robust"), gd.GSIMN(preset="robust")]
every_learner = pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: type(learner).__name__)


def all_graphs(n: int) -> Iterator[gd.UndirectedGraph]:
    pairs = list(itertools.combinations(range(n), 2))
    for size in range(len(pairs) + 1):
        for edges in itertools.combinations(pairs, size):
            yield gd.UndirectedGraph(n, edges)


@every_learner
def test_every_graph_on_up_to_five_nodes_is_found_exactly(learner: Any) -> None:
    number = 0
    for n in range(6):
        for graph in all_graphs(n):
            assert learner.learn(gd.Oracle(graph)).graph == graph
            number += 1
    assert number == 1 + 1 + 2 + 8 + 64 + 1024


@every_learner
@pytest.mark.parametrize("tau", [1, 2, 4, 8])
def test_larger_graphs_are_found_exactly(learner: Any, tau: int) -> None:
    graph = gd.datasets.random_graph(50, tau, tau)
    assert learner.learn(gd.Oracle(graph)).graph == graph


@pytest.mark.slow
@every_learner
@pytest.mark.parametrize("tau", [1, 2, 4, 8])
def test_fifty_larger_graphs_are_found_exactly(learner: Any, tau: int) -> None:
    for seed in range(50):
        graph = gd.datasets.random_graph(50, tau, [tau, seed])
        assert learner.learn(gd.Oracle(graph)).graph == graph


def ising(seed: int, n_rows: int, kind: str = "random") -> tuple[gd.UndirectedGraph, gd.Table]:
    """Return 75 variables of three neighbors, on average or nearly all of them, couplings .3 to .6."""
    if kind == "random":
        graph = gd.datasets.random_graph(75, 3, seed)
    else:  # three each is impossible: one of them has two
        edges = nx.random_degree_sequence_graph([3] * 74 + [2], seed=seed, tries=1000).edges
        graph = gd.UndirectedGraph(75, list(edges))
    model = gd.datasets.ising(graph, lambda rng: rng.choice([-1, 1]) * rng.uniform(0.3, 0.6), rng=seed)
    return graph, model.sample(n_rows, seed)


@every_learner
def test_right_where_the_published_learner_is_not_and_no_dearer(learner: Any) -> None:
    graph, table = ising(0, 2_000)
    published = gd.GSMN().fit(table).structure_
    found = learner.fit(table).structure_
    assert published.compare(graph).f1 < 0.85
    assert found.compare(graph).f1 > 0.98
    assert found.cost.weighted < published.cost.weighted


@pytest.mark.slow
@every_learner
@pytest.mark.parametrize(
    ("kind", "n_rows", "least"),
    # Mean F1 of ten data sets. With three neighbors on average, seeds 0-9 fall short of .97 at 300 rows
    # (.966); there a logistic regression on the true blankets, which no learner knows, has .973.
    [
        ("near-regular", 300, 0.97),
        ("near-regular", 2_000, 0.99),
        ("random", 300, 0.96),
        ("random", 2_000, 0.99),
    ],
)
def test_ten_data_sets(learner: Any, kind: str, n_rows: int, least: float) -> None:
    scores, costs, published = [], [], []
    for seed in range(10):
        graph, table = ising(seed, n_rows, kind)
        found = learner.fit(table).structure_
        scores.append(found.compare(graph).f1)
        costs.append(found.cost.weighted)
        published.append(gd.GSMN().fit(table).structure_.cost.weighted)
    assert np.mean(scores) >= least
    assert np.mean(costs) <= np.mean(published)


@pytest.mark.slow
@pytest.mark.skipif(not os.environ.get("GRAPHOID_DATA"), reason="GRAPHOID_DATA names no directory of data")
@every_learner
@pytest.mark.parametrize("seed", range(5))
def test_alarm(learner: Any, seed: int) -> None:
    path = Path(os.environ["GRAPHOID_DATA"], "bif", "alarm.bif")
    if not path.exists():
        pytest.skip("alarm.bif is not in the bif folder of GRAPHOID_DATA")
    network = gd.datasets.bayesian_network(path)
    table = network.sample(20_000, random_state=seed)
    found = learner.fit(table).structure_
    assert found.compare(network.graph).hamming_normalized <= 0.03
    assert found.cost.weighted <= gd.GSMN().fit(table).structure_.cost.weighted


@every_learner
def test_nothing_is_found_where_nothing_depends(learner: Any) -> None:
    rng = np.random.default_rng(7)
    found = [learner.fit(gd.read(rng.integers(0, 2, (300, 12)))).structure_.graph.n_edges for _ in range(30)]
    # without a true edge the rate is the chance of any: .04 each; 30 tables, 6 is beyond the .999 quantile
    assert sum(k > 0 for k in found) <= 6


@every_learner
def test_parents_of_a_child_are_joined_though_they_are_independent_without_it(learner: Any) -> None:
    rng = np.random.default_rng(3)
    a, b = rng.integers(0, 2, (2, 4_000))
    c = ((a + b + rng.random(4_000)) > 1.5).astype(int)
    found = learner.fit(gd.read({"a": a, "b": b, "c": c})).structure_
    assert found.graph.edges == ((0, 1), (0, 2), (1, 2))
    assert found.trace[0].independent  # a and b, with nothing given
    assert "given c" in found.why("a", "b")


@every_learner
def test_no_question_is_asked_that_the_rows_cannot_bear(learner: Any) -> None:
    _, table = ising(1, 300)
    bears = Pooled(gd.MantelHaenszel(), table).rows_per_cell
    for v in learner.fit(table).structure_.trace:
        assert bears((v.x, v.y, *v.given)) >= ROWS_PER_CELL


def test_max_given_is_kept_to_and_fdr_decides() -> None:
    graph, table = ising(1, 2_000)
    found = gd.GSMN(preset="robust", max_given=1).fit(table).structure_
    assert max(len(v.given) for v in found.trace) == 1
    lenient = gd.GSMN(preset="robust", fdr=0.5).fit(table).structure_
    strict = gd.GSMN(preset="robust", fdr=1e-6).fit(table).structure_
    assert strict.compare(graph).precision == 1
    assert strict.graph.n_edges < lenient.graph.n_edges
    assert (strict.settings["fdr"], found.settings["fdr"]) == (1e-6, 0.04)


def test_no_question_is_asked_twice() -> None:
    for learner in LEARNERS:
        _, table = ising(2, 300)
        found = learner.fit(table).structure_
        executed = [(*sorted((v.x, v.y)), v.given) for v in found.trace if v.source == "test"]
        assert len(set(executed)) == len(executed) == found.cost.n_tests


def test_gsimn_infers_from_sure_dependences_alone() -> None:
    _, table = ising(1, 2_000)
    asked = gd.GSMN(preset="robust").fit(table).structure_
    found = gd.GSIMN(preset="robust").fit(table).structure_
    inferred = [v for v in found.trace if v.source == "D-SU"]
    assert inferred
    assert found.cost.weighted < asked.cost.weighted
    by_question = {(*sorted((v.x, v.y)), v.given): v for v in found.trace if v.source == "test"}
    for v in inferred:
        (fact,) = v.because
        sure = by_question[(*sorted((fact.x, fact.y)), fact.given)]
        assert not v.independent
        assert set(v.given) < set(fact.given)
        assert sure.p_value <= 0.04 / (75 * 74 / 2)


@every_learner
def test_every_pair_is_explained_and_saved(learner: Any) -> None:
    _, table = ising(3, 300)
    found = learner.fit(table).structure_
    pairs = list(itertools.combinations(range(75), 2))
    assert sorted(found.verdicts) == pairs
    for x, y in pairs[:200]:
        joined = found.graph.has_edge(x, y)
        assert found.why(x, y).startswith(f"{x} and {y} are {'joined' if joined else 'not joined'}: ")
    taken = next(v for v in found.trace if v.source == "false discovery rate")
    assert "does not survive the control of false discoveries at 0.04 over 2,775 pairs" in found.why(
        taken.x, taken.y
    )
    assert gd.LearnedStructure.from_json(found.to_json()) == found
    assert found.cost.n_initial == 2_775
    assert found.cost.n_tests + found.cost.n_inferred == len(found.trace)


@every_learner
def test_rows_and_threads_change_nothing(learner: Any) -> None:
    _, table = ising(4, 500)
    rows = np.random.default_rng(0).permutation(table.n_rows)
    shuffled = gd.Table(
        table.variables,
        tuple(np.ascontiguousarray(table.column(i)[rows]) for i in range(75)),
        table.n_rows,
    )
    first = learner.fit(table).structure_
    others = [learner.fit(shuffled).structure_]
    if NATIVE:
        test = gd.MantelHaenszel()
        others += [learner.learn(Pooled(test, NativeEngine(table, threads=k))) for k in (1, 2)]
    for other in others:
        assert (other.graph, other.trace) == (first.graph, first.trace)


@every_learner
@pytest.mark.parametrize(
    ("test", "used"),
    [
        (None, "MantelHaenszel"),
        (gd.ChiSquare(alpha=0.01), "MantelHaenszel"),
        (gd.GTest(dof="adjusted"), "MantelHaenszel"),
        (gd.MantelHaenszel(), "MantelHaenszel"),
        (gd.BayesianTest(), "BayesianTest"),
        (gd.PartialCorrelation(), "PartialCorrelation"),
    ],
)
def test_any_test_will_do(learner: Any, test: Any, used: str) -> None:
    rng = np.random.default_rng(0)
    a = rng.integers(0, 2, 2_000)
    b, c = (np.where(rng.random(2_000) < 0.8, a, 1 - a) for _ in range(2))
    table = gd.read({"a": a, "b": b, "c": c, "d": rng.integers(0, 2, 2_000)})
    found = dataclasses.replace(learner, test=test).fit(table).structure_
    assert found.graph.edges == ((0, 1), (0, 2))
    assert found.settings["test"]["name"] == used
    if isinstance(test, gd.ChiSquare):
        assert found.settings["test"]["alpha"] == 0.01


def test_many_states_are_merged_where_rows_are_few() -> None:
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 40, (2, 500))
    table = gd.read(
        {"a": a, "b": b, "c": np.where(rng.random(500) < 0.5, a, b)}, kinds=dict.fromkeys("abc", "ordered")
    )
    found = gd.GSMN(preset="robust").fit(table).structure_
    assert found.settings["test"]["name"] == "MantelHaenszel"
    assert {(0, 2), (1, 2)} <= set(found.graph.edges)


@pytest.mark.parametrize(("states", "ordered"), [(5, True), (4, False), (20, False)])
def test_false_edges_stay_few_where_slices_would_be_too_many(states: int, *, ordered: bool) -> None:
    # chains of eight, 300 rows: nothing could be given in slices, and neighbors of neighbors were joined
    rng = np.random.default_rng(states)
    variables = tuple(gd.Variable(name, tuple(range(states)), ordered=ordered) for name in "abcdefgh")
    wrong = []
    for _ in range(15):
        columns = [rng.integers(0, states, 300)]
        for _ in range(7):
            columns.append(np.where(rng.random(300) < 0.6, columns[-1], rng.integers(0, states, 300)))
        table = gd.Table(variables, tuple(c.astype(np.uint8) for c in columns), 300)
        chain = gd.UndirectedGraph(table.names, [(i, i + 1) for i in range(7)])
        same = gd.RobustGSMN().fit(table).structure_.compare(chain)
        assert same.recall == 1
        wrong.append(1 - same.precision)
    assert np.mean(wrong) < 0.04 + 0.03  # two standard errors


@pytest.mark.parametrize(
    ("learner", "setting"),
    [
        (lambda: gd.GSMN(preset="robust", propagate=False), "propagate, which is False"),
        (lambda: gd.GSMN(preset="robust", rule="both"), "rule, which is 'both'"),
        (lambda: gd.GSMN(preset="robust", regrow=1), "regrow, which is 1"),
        (lambda: gd.GSIMN(preset="robust", skip_independent=True), "skip_independent, which is True"),
        (lambda: gd.GSIMN(preset="robust", chaining="forward"), "chaining, which is 'forward'"),
    ],
)
def test_settings_that_do_not_go_with_it_are_refused(learner: Any, setting: str) -> None:
    with pytest.raises(SettingsError, match=f"preset='robust' leaves no choice of {setting}"):
        learner()


def test_the_preset_is_another_name() -> None:
    assert type(gd.GSMN(preset="robust")) is type(gd.GSIMN(preset="robust")) is gd.RobustGSMN
    assert gd.GSMN(preset="robust").get_params() == gd.RobustGSMN().get_params()
    assert gd.GSIMN(preset="robust", fdr=0.1).get_params() == gd.RobustGSMN(infer=True, fdr=0.1).get_params()
    assert dataclasses.replace(gd.GSMN(), preset="robust", max_given=2).max_given == 2
    with pytest.raises(SettingsError, match="GSMN: preset must be None"):
        gd.GSMN().set_params(preset="robust").fit(gd.datasets.load("survey"))
    with pytest.raises(TypeError, match="unheard"):
        gd.GSMN(preset="robust", unheard=1)


def test_an_unknown_preset_is_refused() -> None:
    with pytest.raises(SettingsError, match="preset must be 'robust' or None, not 'fast'"):
        gd.GSMN(preset="fast").fit(gd.datasets.load("survey"))


def test_evidence_of_each_kind_of_answer() -> None:
    known = Verdict(0, 1, (), False)
    assert evidence(known._replace(log_p=-3.0)) == -3.0
    # odds of 1 to 3 for independence: a probability of 1/4
    assert evidence(known._replace(log_odds=np.log(1 / 3))) == pytest.approx(np.log(1 / 4))
    assert evidence(known._replace(log_odds=np.log(3))) == pytest.approx(np.log(3 / 4))
    assert evidence(known) + evidence(known._replace(independent=True)) == 0  # a contradiction says nothing


def test_one_end_first() -> None:
    first, second = one_end_first([(2, 0), (0, 2), (1, 0), (2, 1), (1, 2)], range(3))
    assert (first, second) == ([(0, 2), (1, 0), (1, 2)], [(2, 0), (2, 1)])


def test_rows_per_cell_are_known_before_anything_is_counted() -> None:
    table = gd.read({"a": [0, 1, 2] * 20, "b": [0, 1] * 30})
    ci = gd.Tester(gd.ChiSquare(), table)
    for source in (ci, gd.Ledger(ci), gd.Inferring(ci)):
        assert rows_per_cell(source, (0, 1)) == 10
    assert rows_per_cell(gd.Tester(gd.PartialCorrelation(), table), (0, 1)) == 30
    assert rows_per_cell(gd.Oracle(gd.UndirectedGraph(2, [])), (0, 1)) == np.inf


@pytest.mark.parametrize(
    "learner",
    [gd.RobustGSMN(), gd.RobustGSMN(infer=True), gd.GSMN(), gd.GSMN(fdr=0.05), gd.GSIMN()],
    ids=["robust", "robust, infers", "gsmn", "gsmn, fdr", "gsimn"],
)
@pytest.mark.parametrize("known", [None, gd.Knowledge(required=[("0", "5")], forbidden=[("1", "2")])])
def test_a_trace_in_columns_changes_nothing(
    monkeypatch: pytest.MonkeyPatch, known: gd.Knowledge | None, learner: gd.RobustGSMN | gd.GSMN | gd.GSIMN
) -> None:
    from graphoid.learners import questions
    from graphoid.learners.grow_shrink import robust
    from graphoid.logic import trace

    graph = gd.datasets.random_graph(14, 3, 1)
    tables = [
        gd.datasets.pairwise_binary(graph, 0.8, 0).sample(400, 0),
        gd.datasets.load("titanic"),
    ][: 1 if known else 2]
    learner = learner.with_params(knowledge=known)
    plainly = [learner.fit(table).structure_ for table in tables]
    monkeypatch.setattr(trace, "MOST_OBJECTS", 30)
    for module in (trace, questions, robust):
        monkeypatch.setattr(module, "BLOCK", 11)
    for table, expected in zip(tables, plainly, strict=True):
        found = learner.fit(table).structure_
        assert found.graph == expected.graph
        assert found.trace == expected.trace
        assert dataclasses.replace(found.cost, seconds=0.0) == dataclasses.replace(expected.cost, seconds=0.0)
        assert found.pairs() == expected.pairs()
        assert dict(found.verdicts) == expected.verdicts
        assert [found.why(x, y) for x, y in found.verdicts] == [expected.why(x, y) for x, y in found.verdicts]
        assert str(dataclasses.replace(found, cost=expected.cost)) == str(expected)
        again = gd.LearnedStructure.from_json(found.to_json())
        assert again == found
        assert again.to_json() == found.to_json()
