"""Every public learner keeps to what is known: required edges are in, forbidden ones out, on any table."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import graphoid as gd
from graphoid.errors import Interrupted, SettingsError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graphoid.learners.base import Learner

LEARNERS: dict[str, Learner[Any, Any]] = {
    "GSMN": gd.GSMN(),
    "GSMN, both ends, few given": gd.GSMN(rule="both", max_given=1, regrow=1),
    "GSMN, fdr": gd.GSMN(fdr=0.05),
    "GSMN, Bayesian": gd.GSMN(test=gd.BayesianTest()),
    "GSIMN": gd.GSIMN(skip_independent=True),
    "GSIMN-FCH": gd.GSIMN(chaining="forward"),
    "GSIMN, fdr": gd.GSIMN(fdr=0.05),
    "RobustGSMN": gd.RobustGSMN(),
    "RobustGSMN, infer": gd.RobustGSMN(infer=True),
    "PFMN": gd.PFMN(random_state=3, n_particles=20, budget={"tests": 12}),
    "PublishedPFMN": gd.PublishedPFMN(random_state=3, n_particles=20, budget={"tests": 6}),
    "HillClimb": gd.HillClimb(gd.BJP()),
    "HillClimb, best": gd.HillClimb(gd.IBScore(), moves="best"),
    "TwoPhase": gd.TwoPhase(gd.MPL()),
    "ExhaustiveSearch": gd.ExhaustiveSearch(gd.MPL()),
    "Search": gd.Search(gd.LogLinearEvidence(), effort="quick"),
    "Search, BJP": gd.Search(gd.BJP(), effort="quick"),
    "Posterior": gd.Posterior(gd.MPL(), rounds=20, max_rounds=40, runs=1, random_state=1),
    "DirectedSearch": gd.DirectedSearch(random_state=2),
    "DirectedSearch, BDeu": gd.DirectedSearch("bdeu", ess=None, density=0.3, random_state=2),
    "CSPC": gd.CSPC(),
    "CSGS": gd.CSGS(repeat=True),
}

NAMES = ("a", "b", "c", "d", "e")


def random_table(seed: int, rows: int = 150) -> gd.Table:
    """Return five columns of which some depend on others, without rhyme or reason."""
    rng = np.random.default_rng(seed)
    columns: dict[str, Any] = {}
    for i, name in enumerate(NAMES):
        signal = sum(columns[other] for other in NAMES[:i] if rng.random() < 0.4) if i else 0
        columns[name] = (signal + rng.integers(0, 2 + i % 2, rows)) % (2 + i % 2)
    return gd.read({name: column.tolist() for name, column in columns.items()})


def random_knowledge(seed: int) -> gd.Knowledge:
    """Return facts about some pairs, true or not."""
    rng = np.random.default_rng(seed)
    pairs = [(x, y) for x, y in combinations(NAMES, 2)]
    order = [pairs[int(i)] for i in rng.permutation(len(pairs))]
    # a tree of required edges, so that a directed graph has them without joining others
    required = [pair for pair in order[:3] if pair[0] == order[0][0]]
    rest = [pair for pair in order if pair not in required]
    return gd.Knowledge(required=required, forbidden=rest[:3], prior={rest[3]: 0.9, rest[4]: 0.1})


def graphs_of(found: gd.LearnedStructure | gd.CanonicalModel) -> tuple[gd.UndirectedGraph, ...]:
    return found.graphs if isinstance(found, gd.CanonicalModel) else (found.graph,)


def check(found: gd.LearnedStructure | gd.CanonicalModel, known: gd.Knowledge) -> None:
    for graph in graphs_of(found):
        assert all(graph.has_edge(*pair) for pair in known.required)
        assert not any(graph.has_edge(*pair) for pair in known.forbidden)
    assert found.settings["knowledge"] == known.to_values()


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", LEARNERS)
def test_required_edges_are_in_and_forbidden_ones_out(name: str, seed: int) -> None:
    table, known = random_table(seed), random_knowledge(seed)
    found = gd.learn(table, LEARNERS[name], knowledge=known)
    check(found, known)
    if isinstance(found, gd.LearnedStructure) and found.edge_probabilities:
        assert all(found.probability(*pair) == 1 for pair in known.required)
        assert all(found.probability(*pair) == 0 for pair in known.forbidden)
        assert all(found.verdict(*pair) == "present" for pair in known.required)
        assert all(found.verdict(*pair) == "absent" for pair in known.forbidden)


@pytest.mark.parametrize("name", LEARNERS)
def test_so_they_are_without_kernels(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    table, known = random_table(7), random_knowledge(7)
    found = gd.learn(table, LEARNERS[name], knowledge=known)
    monkeypatch.setenv("GRAPHOID_NATIVE", "0")
    plain = gd.learn(table, LEARNERS[name], knowledge=known)
    check(plain, known)
    assert graphs_of(plain) == graphs_of(found)


@pytest.mark.parametrize("seconds", [0.0, 0.001, 0.01])
@pytest.mark.parametrize("name", [name for name, own in LEARNERS.items() if "seconds" in own.get_params()])
def test_so_they_are_when_the_time_is_up(name: str, seconds: float) -> None:
    known = random_knowledge(8)
    try:
        found = gd.learn(random_table(8), LEARNERS[name], seconds=seconds, knowledge=known)
    except SettingsError:  # before anything was found
        return
    check(found, known)


class Stopping:
    """An oracle whose caller presses Ctrl-C after some batches."""

    def __init__(self, graph: gd.UndirectedGraph, after: int) -> None:
        self.names, self.left, self._oracle = graph.names, after, gd.Oracle(graph)

    def ask(self, questions: Sequence[Any]) -> list[Any]:
        if not self.left:
            raise KeyboardInterrupt
        self.left -= 1
        return self._oracle.ask(questions)


@pytest.mark.parametrize("after", range(4))
@pytest.mark.parametrize("name", ["GSMN", "GSIMN", "GSIMN-FCH", "RobustGSMN"])
def test_what_is_known_is_decided_when_a_search_is_stopped(name: str, after: int) -> None:
    graph = gd.UndirectedGraph(NAMES, [("a", "b"), ("b", "c"), ("c", "d"), ("a", "d"), ("d", "e")])
    known = gd.Knowledge(required=[("a", "b"), ("a", "e")], forbidden=[("a", "c"), ("c", "d")])
    with pytest.raises(Interrupted) as stop:
        LEARNERS[name].with_params(knowledge=known).learn(Stopping(graph, after))
    found = stop.value.structure
    assert isinstance(found, gd.LearnedStructure)
    check(found, known)
    assert all(found.verdict(*pair) == "present" for pair in known.required)
    assert found.cost.n_initial == (6 if after else 0)
    if after:
        assert all(found.verdict(*pair) == "absent" for pair in known.forbidden)
        assert found.verdict("d", "e") == "undecided"


@pytest.mark.parametrize("name", LEARNERS)
def test_every_fact_is_held_against_the_data(name: str) -> None:
    known = random_knowledge(0)
    found = gd.learn(random_table(0), LEARNERS[name], knowledge=known)
    facts = {(row.fact, row.x, row.y) for row in found.knowledge}
    assert {("required", *pair) for pair in known.required} <= facts
    assert {("forbidden", *pair) for pair in known.forbidden} <= facts
    assert {(f"probability {p:g}", *pair) for pair, p in known.prior.items()} <= facts
    assert all(row.log_bayes_factor is not None for row in found.knowledge)


@pytest.mark.parametrize("seed", range(3))
def test_the_recommended_learner_keeps_to_it(seed: int) -> None:
    table, known = random_table(seed, rows=400), random_knowledge(seed)
    check(gd.learn(table, knowledge=known), known)


@pytest.mark.parametrize("name", LEARNERS)
def test_blocks_keep_edges_within_neighbors(name: str) -> None:
    known = gd.Knowledge(blocks={"first": ["a", "b"], "second": ["c"], "third": ["d", "e"]})
    found = gd.learn(random_table(5), LEARNERS[name], knowledge=known)
    far = [("a", "d"), ("a", "e"), ("b", "d"), ("b", "e")]
    assert not any(graph.has_edge(*pair) for graph in graphs_of(found) for pair in far)


@pytest.mark.parametrize("name", LEARNERS)
def test_a_file_has_what_was_known_and_what_the_data_say(name: str) -> None:
    known = random_knowledge(1)
    found = gd.learn(random_table(1), LEARNERS[name], knowledge=known)
    again = type(found).from_json(found.to_json())
    assert again.knowledge == found.knowledge
    assert gd.Knowledge.from_values(again.settings["knowledge"]) == known


@pytest.mark.parametrize("name", LEARNERS)
def test_the_order_of_the_rows_changes_nothing(name: str) -> None:
    table, known = random_table(2), random_knowledge(2)
    order = np.random.default_rng(0).permutation(table.n_rows)
    shuffled = gd.read(table.to_frame().iloc[order])
    found, again = (gd.learn(data, LEARNERS[name], knowledge=known) for data in (table, shuffled))
    assert graphs_of(found) == graphs_of(again)
    assert found.knowledge == again.knowledge


@pytest.mark.parametrize("name", [n for n, one in LEARNERS.items() if not isinstance(one, gd.CSPC | gd.CSGS)])
def test_resamples_keep_to_it(name: str) -> None:
    known = random_knowledge(3)
    learner = LEARNERS[name].with_params(knowledge=known)
    run = gd.Bootstrap(learner, n=3, random_state=0).fit(random_table(3))
    frequency = {frozenset((row.x, row.y)): row.frequency for row in run.edges()}
    assert all(frequency[frozenset(pair)] == 1 for pair in known.required)
    assert all(frequency[frozenset(pair)] == 0 for pair in known.forbidden)


@pytest.mark.parametrize("name", LEARNERS)
def test_a_required_edge_of_a_constant_is_there(name: str) -> None:
    table = random_table(4)
    columns = {name: table.to_frame()[name].tolist() for name in NAMES} | {"one": ["same"] * table.n_rows}
    known = gd.Knowledge(required=[("a", "one")], forbidden=[("b", "one"), ("a", "c")])
    found = gd.learn(gd.read(columns), LEARNERS[name], knowledge=known)
    check(found, known)
    assert [row.verdict for row in found.knowledge[:2]] == ["not measured", "not measured"]


def test_tests_are_not_asked_where_the_answer_is_given() -> None:
    table, known = random_table(6), random_knowledge(6)
    decided = {frozenset(pair) for pair in (*known.required, *known.forbidden)}
    for name in ("GSMN", "GSIMN", "GSIMN-FCH", "RobustGSMN"):
        found = gd.learn(table, LEARNERS[name], knowledge=known)
        asked = {frozenset((NAMES[v.x], NAMES[v.y])) for v in found.trace if v.source == "test"}
        assert asked
        assert not asked & decided
        assert found.cost.n_initial == 10 - len(decided)


@pytest.mark.parametrize("name", ["GSMN", "GSIMN", "GSIMN-FCH", "RobustGSMN", "PFMN"])
def test_true_knowledge_leaves_an_oracle_exact(name: str) -> None:
    graph = gd.UndirectedGraph(NAMES, [("a", "b"), ("b", "c"), ("c", "d"), ("a", "d"), ("d", "e")])
    known = gd.Knowledge(required=[("a", "b")], forbidden=[("a", "c"), ("b", "e")])
    learner = gd.PFMN(random_state=0, knowledge=known) if name == "PFMN" else LEARNERS[name]
    assert learner.with_params(knowledge=known).learn(gd.Oracle(graph)).graph == graph


def test_all_graphs_of_a_population_agree_with_what_is_known() -> None:
    graph = gd.UndirectedGraph(NAMES[:4], [("a", "b"), ("b", "c")])
    known = gd.Knowledge(required=[("a", "b")], forbidden=[("a", "d")])
    learner = gd.PublishedPFMN(all_graphs=True, budget={"tests": 12}, random_state=0, knowledge=known)
    found = learner.learn(gd.Oracle(graph))
    assert (found.probability("a", "b"), found.probability("a", "d")) == (1, 0)
