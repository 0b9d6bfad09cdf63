"""A constant column gets no edge, and the others are learned as if it were not there."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import graphoid as gd
from graphoid.errors import DataError, Interrupted
from graphoid.learners.scored.base import Task
from graphoid.learners.scored.local_search import improves
from tests.support.damage import mixed_columns
from tests.support.learners import EVERY_LEARNER, named_edges

if TYPE_CHECKING:
    from collections.abc import Mapping

    from graphoid.learners.base import Learner
    from graphoid.progress import Step


@pytest.fixture(params=EVERY_LEARNER)
def learner(request: pytest.FixtureRequest) -> Learner[Any, Any]:
    return copy.copy(EVERY_LEARNER[request.param])


def chain(seed: int, n: int = 5, rows: int = 400) -> dict[str, list[str]]:
    """Return columns a - b - c ..., each like the one before with some noise."""
    rng = np.random.default_rng(seed)
    columns = [rng.integers(0, 2, rows)]
    while len(columns) < n:
        columns.append(np.where(rng.random(rows) < 0.15, rng.integers(0, 2, rows), columns[-1]))
    return {"abcdefgh"[i]: [str(v) for v in column] for i, column in enumerate(columns)}


def with_constants(columns: Mapping[str, list[str]]) -> dict[str, list[str]]:
    """Return the same with a constant first, in the middle, and last."""
    (first, column), *rest = columns.items()
    same = ["k"] * len(column)
    return {"k1": same, first: column, "k2": same, **dict(rest), "k3": same}


@pytest.mark.parametrize("seed", [1, 2])
def test_the_others_are_learned_as_without_it(learner: Learner[Any, Any], seed: int) -> None:
    columns = chain(seed)
    without = copy.copy(learner).fit(gd.read(columns)).structure_
    found = learner.fit(gd.read(with_constants(columns))).structure_
    assert named_edges(found) == named_edges(without)
    assert found.names == ("k1", "a", "k2", "b", "c", "d", "e", "k3")
    assert found.settings["constant"] == ["k1", "k2", "k3"]
    if isinstance(found, gd.LearnedStructure):
        assert gd.LearnedStructure.from_json(found.to_json()) == found


def test_nothing_but_constants_is_a_graph_without_edges(learner: Learner[Any, Any]) -> None:
    for columns in (
        {"k": ["1"] * 9, "l": ["2"] * 9, "m": ["3"] * 9},
        {"k": ["1"] * 9, "a": list("010101011")},
    ):
        assert learner.fit(gd.read(columns)).structure_.graph.edges == ()


def test_the_recommended_learner_takes_nothing_but_constants() -> None:
    assert gd.learn(gd.read({"k": ["1"] * 9, "l": ["2"] * 9})).graph.edges == ()


def test_positions_are_those_of_the_whole_table() -> None:
    table = gd.read(with_constants(chain(1)))
    found = gd.GSIMN().fit(table).structure_
    for v in (*found.trace, *gd.PFMN(random_state=0).fit(table).structure_.trace):
        assert not {0, 2, 7} & {v.x, v.y, *v.given, *(z for f in v.because for z in (f.x, f.y, *f.given))}
    executed = [v for v in found.trace if v.source == "test"]
    answers = gd.Tester(gd.ChiSquare(), table).ask([(v.x, v.y, v.given) for v in executed])
    assert [v.log_p for v in answers] == [v.log_p for v in executed]
    scored = gd.HillClimb(gd.BJP(), moves="best").fit(table).structure_
    assert scored.worth("a", "b") == -scored.scored.gains[1, 3] > 0
    assert all((move.x, move.y) in scored.scored.gains for move in scored.scored.path)
    probabilities = gd.learn(table).edge_probabilities
    assert (1, 3) in probabilities
    assert (0, 1) not in probabilities


def test_what_is_given_by_position_means_the_whole_table() -> None:
    columns = chain(1)
    table = gd.read(with_constants(columns))
    start = gd.UndirectedGraph(table.names, [("a", "c"), ("k1", "a")])
    assert named_edges(gd.Search(gd.MPL(), start=start, random_state=0).fit(table).structure_) == named_edges(
        gd.Search(gd.MPL(), random_state=0).fit(gd.read(columns)).structure_
    )
    prior = gd.EdgePrior({(1, 5): 1 - 1e-12, ("k1", "a"): 0.9})  # a and d
    found = gd.HillClimb(gd.MPL(prior=prior), moves="best").fit(table).structure_
    assert found.graph.has_edge("a", "d")
    asked = []

    def price(test: gd.Assertion) -> float:
        asked.extend([test.x, test.y, *test.given])
        return 1.0

    gd.PFMN(random_state=0, cost=price).fit(table)
    assert set(asked) <= {1, 3, 4, 5, 6}
    trace = gd.GSMN().fit(table).structure_.trace
    assert gd.GSMN().fit(table, known=trace).structure_.trace == trace
    steps: list[Step] = []
    found = gd.GSMN().fit(table, progress=steps.append).structure_
    assert list(steps[-1].so_far) == list(found.trace[: len(steps[-1].so_far)])


def test_what_ctrl_c_leaves_is_about_the_whole_table() -> None:
    def stop(step: Step) -> None:
        if isinstance(step.so_far, gd.UndirectedGraph) and step.so_far.n_edges:
            raise KeyboardInterrupt

    with pytest.raises(Interrupted) as ended:
        gd.HillClimb(gd.MPL(), moves="best").fit(gd.read(with_constants(chain(1))), progress=stop)
    found = ended.value.structure
    assert isinstance(found, gd.LearnedStructure)
    assert found.names == ("k1", "a", "k2", "b", "c", "d", "e", "k3")
    assert found.graph.n_edges == 1


def test_it_says_why_a_constant_is_alone() -> None:
    found = gd.GSMN().fit(gd.read(with_constants(chain(1)))).structure_
    assert found.why("a", "k2") == "a and k2 are not joined: k2 is constant."
    assert "constant, so isolated: k1, k2 and k3" in str(found)


def test_a_state_that_does_not_occur_is_no_other_state() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(chain(3))
    frame["k"] = pandas.Categorical(["x"] * len(frame), categories=["x", "y"])
    weights = np.ones(len(frame))
    weights[:3] = 0
    frame["l"] = ["u"] * 3 + ["v"] * (len(frame) - 3)
    found = gd.RobustGSMN().fit(gd.read(frame, weights=weights)).structure_
    assert set(found.settings["constant"]) >= {"l"}


def test_rounding_is_no_improvement() -> None:
    assert not improves(1e-16, 0.0)
    assert not improves(1e-10, -1e6)
    assert improves(1e-3, -1e6)
    assert improves(1e-8, -10.0)


@pytest.mark.parametrize(
    ("learner", "seed"),
    [
        (gd.HillClimb(gd.IBScore()), 22),
        (gd.HillClimb(gd.IBScore()), 48),
        (gd.HillClimb(gd.BJP()), 33),
        (gd.HillClimb(gd.BJP()), 39),
        (gd.ExhaustiveSearch(gd.IBScore()), 3),
        (gd.ExhaustiveSearch(gd.BJP()), 3),
    ],
    ids=["ib-22", "ib-48", "bjp-33", "bjp-39", "all graphs by ib", "all graphs by bjp"],
)
def test_a_gain_by_rounding_joins_no_constant(learner: gd.HillClimb, seed: int) -> None:
    """The scorer is asked itself, constants and all, as an engine of one's own would be."""
    rng = np.random.default_rng(seed)
    rows, n = int(rng.integers(5, 300)), int(rng.integers(1, 4))
    columns = {f"v{i}": rng.integers(0, int(rng.integers(2, 5)), rows).astype(str).tolist() for i in range(n)}
    table = gd.read({**columns, "k": ["k"] * rows, "l": ["l"] * rows, "m": ["m"] * rows})
    graph = learner.search(Task(learner.score.on(table), rng)).graph
    assert not any(graph.blanket(name) for name in "klm")


def test_resamples_of_every_kind_of_column_take_constants() -> None:
    columns = {**mixed_columns(), "always": [2.5] * 60, "never": ["x"] * 60, "zero": [0] * 60}
    table = gd.read(columns, kinds={"always": "continuous", "zero": "count"})
    found = gd.Bootstrap(n=3, random_state=0).fit(table).result_.to_frame("edges")
    constant = found[
        found["x"].isin(["always", "never", "zero"]) | found["y"].isin(["always", "never", "zero"])
    ]
    assert len(constant)
    assert not constant["joined"].any()
    assert constant["size"].isna().all()


@pytest.mark.parametrize("always", [["x"] * 60, [2.5] * 60, [0] * 60])
def test_groups_are_compared_whatever_is_constant(always: list[object]) -> None:
    columns = {**mixed_columns(), "always": always, "other": ["y"] * 60}
    found = gd.compare_groups(columns, "color", n=20, random_state=0)
    usual = gd.compare_groups(mixed_columns(), "color", n=20, random_state=0)
    differences = {(p.x, p.y): p.difference for p in found.pairs}
    assert all(
        difference is None for pair, difference in differences.items() if {"always", "other"} & {*pair}
    )
    for pair in usual.pairs:
        assert differences[pair.x, pair.y] == pytest.approx(pair.difference, rel=1e-6)


def test_groups_of_nothing_are_refused() -> None:
    with pytest.raises(DataError, match="beside 'g' there is no column"):
        gd.compare_groups({"g": ["a", "b"] * 30}, "g")
