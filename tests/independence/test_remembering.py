"""Answers that are remembered are not asked for again, in whatever words the question comes."""

from __future__ import annotations

import numpy as np
import pytest

import graphoid as gd
from graphoid.independence.remembering import Remembering

CHAIN = gd.UndirectedGraph(["a", "b", "c", "d"], [(0, 1), (1, 2), (2, 3)])


def test_only_what_is_new_is_asked():
    ledger = gd.Ledger(gd.Oracle(CHAIN))
    known = gd.Oracle(CHAIN).ask([("a", "c", ["b"]), ("a", "b", [])])
    ci = Remembering(ledger, known)
    answers = ci.ask([("c", "a", ["b"]), ("b", "d", ["c"]), ("b", "a", ())])
    assert [v.independent for v in answers] == [True, True, False]
    assert [(v.x, v.y, v.given) for v in answers] == [(2, 0, (1,)), (1, 3, (2,)), (1, 0, ())]
    assert ledger.n_tests == 1
    assert ci.ask([("b", "d", ["c"])])[0].independent
    assert (ledger.n_tests, ledger.n_batches) == (1, 1)


def test_the_order_of_what_is_given_does_not_matter():
    ledger = gd.Ledger(gd.Oracle(CHAIN))
    ci = Remembering(ledger, gd.Oracle(CHAIN).ask([(0, 3, (1, 2))]))
    assert ci.ask([(3, 0, (2, 1))])[0].given == (2, 1)
    assert ledger.n_tests == 0


def test_what_was_inferred_is_not_remembered():
    ledger = gd.Ledger(gd.Oracle(CHAIN))
    wrong = gd.Verdict(0, 1, (), True, source="Strong Union")
    assert not Remembering(ledger, [wrong]).independent(0, 1)


@pytest.mark.parametrize(
    "learner",
    [gd.GSMN(), gd.GSIMN(), gd.GSIMN(preset="robust"), gd.PFMN(random_state=0), gd.GSMN(fdr=0.05, regrow=1)],
    ids=["gsmn", "gsimn", "robust", "pfmn", "fdr"],
)
@pytest.mark.parametrize("share", [0.3, 1.0])
def test_a_run_that_starts_from_answers_of_another_ends_like_it(learner, share):
    table = gd.datasets.load("survey")
    whole = learner.fit(table).structure_
    known = whole.trace[: int(share * len(whole.trace))]
    again = learner.fit(table, known=known).structure_
    assert again.graph == whole.graph
    assert again.trace == whole.trace
    assert again.cost.n_tests == whole.cost.n_tests


@pytest.mark.parametrize(
    "learner",
    [gd.GSMN(), gd.GSIMN(preset="robust"), gd.PFMN(random_state=0)],
    ids=["gsmn", "robust", "pfmn"],
)
def test_listeners_hear_the_answers_so_far(learner):
    heard = []
    found = learner.fit(gd.datasets.load("survey"), progress=heard.append).structure_
    assert heard
    assert tuple(heard[-1].so_far)[: len(found.trace)] == found.trace
    assert all(step.total is None or step.done <= step.total for step in heard)


@pytest.mark.parametrize(
    "learner",
    [
        gd.HillClimb(gd.BJP()),
        gd.Search(gd.MPL(), effort=0.1, random_state=0),
        gd.Posterior(gd.MPL(), random_state=0),
    ],
    ids=["climb", "search", "posterior"],
)
def test_listeners_hear_the_graph_so_far(learner):
    table = gd.datasets.load("survey")
    heard = []
    found = learner.fit(table, progress=heard.append).structure_
    graphs = [step.so_far for step in heard if step.so_far is not None]
    assert graphs
    value = learner.score.value
    assert value(graphs[-1], table) <= value(found.graph, table) + 1e-9
    assert value(graphs[-1], table) > value(gd.UndirectedGraph(table.names), table)


def test_the_recommended_learner_starts_where_it_is_told():
    rng = np.random.default_rng(0)
    table = gd.read({f"v{i}": rng.integers(0, 2, 200).tolist() for i in range(13)})
    start = gd.UndirectedGraph(table.names, [(0, 1)])
    assert "v0" in gd.learn(table, start=start).settings["start"]
