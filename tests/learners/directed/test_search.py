"""The search over directed graphs, by what it promises."""

from __future__ import annotations

import itertools
import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import graphoid as gd
from graphoid.counts.native import engine_for
from graphoid.errors import Interrupted, SettingsError
from graphoid.learners.directed.equivalence import compelled_arcs, cpdag_of
from graphoid.scores.families import FamilyScorer
from graphoid.structure.moral import moral_graph
from tests.support.clock import Seconds, usual

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from graphoid.progress import Step

Graph = tuple[tuple[int, ...], ...]


def directed_graphs(n: int) -> Iterator[Graph]:
    """Return all directed acyclic graphs of so many variables, as the parents of each."""
    choices = [
        [c for k in range(n) for c in itertools.combinations([p for p in range(n) if p != v], k)]
        for v in range(n)
    ]
    for parents in itertools.product(*choices):
        if acyclic(parents):
            yield parents


def acyclic(parents: Sequence[Sequence[int]]) -> bool:
    left = {v: set(own) for v, own in enumerate(parents)}
    while left:
        free = [v for v, own in left.items() if not own & left.keys()]
        if not free:
            return False
        for v in free:
            del left[v]
    return True


def signature(parents: Sequence[Sequence[int]]) -> tuple[frozenset[frozenset[int]], frozenset[Any]]:
    """Return who is joined, and parents of the same child that are not."""
    joined = frozenset(frozenset((p, v)) for v, own in enumerate(parents) for p in own)
    open_ = frozenset(
        (frozenset(pair), v)
        for v, own in enumerate(parents)
        for pair in itertools.combinations(own, 2)
        if frozenset(pair) not in joined
    )
    return joined, open_


GRAPHS = list(directed_graphs(4))


def test_there_are_as_many_graphs_as_counted_by_robinson() -> None:
    assert len(GRAPHS) == 543


def test_compelled_arcs_are_those_of_all_equivalent_graphs() -> None:
    classes: dict[Any, list[Graph]] = {}
    for graph in GRAPHS:
        classes.setdefault(signature(graph), []).append(graph)
    assert len(classes) == 185  # as counted by Gillispie and Perlman
    for graphs in classes.values():
        common = set.intersection(*({(p, v) for v, own in enumerate(g) for p in own} for g in graphs))
        assert all(compelled_arcs(graph) == common for graph in graphs)


@pytest.mark.parametrize("score", ["bic", "bdeu"])
@pytest.mark.parametrize("seed", range(6))
def test_the_best_of_all_graphs_of_four_variables(score: str, seed: int) -> None:
    table = gd.datasets.random_tables(4, seed, states=(2, 3)).sample(250, seed)
    found = gd.DirectedSearch(score, random_state=0).fit(table).structure_
    scorer = FamilyScorer(engine_for(table), (1.0,) if score == "bdeu" else ())
    assert found.scored is not None
    assert found.scored.value == pytest.approx(max(map(scorer.value, GRAPHS)), rel=1e-12)


def test_reinsertions_lead_higher_than_climbing() -> None:
    table = gd.datasets.noisy_gates(60, 4).sample(3_000, 4)
    climbed, searched = (
        gd.DirectedSearch(reinsertions=k, random_state=0).fit(table).structure_.scored for k in (0, 5)
    )
    assert climbed is not None
    assert searched is not None
    assert searched.value > climbed.value + 1


def test_the_result_has_the_graph_in_every_form(tmp_path: Any) -> None:
    table = gd.datasets.noisy_gates(12, 5).sample(2_000, 5)
    search = gd.DirectedSearch(random_state=0).fit(table)
    found, dag = search.structure_, search.dag_
    assert list(dag) == list(table.names)
    assert found.graph == moral_graph(table.names, [dag[name] for name in table.names])
    arcs = {(p, child) for child, own in dag.items() for p in own}
    directed, undirected = search.cpdag_
    assert {*directed} <= arcs
    assert {frozenset(arc) for arc in arcs} == {frozenset(edge) for edge in (*directed, *undirected)}
    assert search.cpdag_ == cpdag_of(dag)
    found.save(tmp_path / "found.json")
    again = gd.load(tmp_path / "found.json")
    assert again.details["parents"] == {child: list(own) for child, own in dag.items() if own}
    assert again == found
    assert json.loads(found.to_json())


def test_why_tells_arcs_from_common_children() -> None:
    rng = np.random.default_rng(0)
    x, y = rng.integers(0, 2, (2, 2_000))
    z = np.where(rng.random(2_000) < 0.1, 1 - (x | y), x | y)
    search = gd.DirectedSearch(random_state=0).fit({"x": x.tolist(), "y": y.tolist(), "z": z.tolist()})
    found = search.structure_
    assert search.dag_["z"] == ("x", "y")
    assert search.cpdag_.directed == (("x", "z"), ("y", "z"))
    assert found.why("x", "y") == (
        "x and y are joined. Both are parents of z, given which they depend on each other."
    )
    assert "x is a parent of z in the directed graph." in found.why("x", "z")
    assert found.worth("x", "z") > 0
    assert found.worth("x", "y") is None
    assert [row.evidence for row in found.edges() if {row.x, row.y} == {"x", "y"}] == ["no record"]


def test_every_gain_is_a_difference_of_scores() -> None:
    table = gd.datasets.random_tables(6, 2).sample(400, 2)
    search = gd.DirectedSearch("bdeu", ess=2.0, random_state=0).fit(table)
    scorer, scored = FamilyScorer(engine_for(table), (2.0,)), search.structure_.scored
    parents = [{table.position(p) for p in search.dag_[name]} for name in table.names]
    assert scored is not None
    arcs = [(p, v) for v, own in enumerate(parents) for p in own]
    assert arcs
    for p, v in arcs:
        without = [own - {p} if u == v else own for u, own in enumerate(parents)]
        gain = scored.gains[min(p, v), max(p, v)]
        assert scorer.value(without) - scored.value == pytest.approx(gain, abs=1e-8)


def test_no_more_parents_than_allowed_or_than_rows_can_carry() -> None:
    table = gd.datasets.random_tables(12, 3, states=(2, 4), most_parents=4).sample(600, 3)
    for most in (0, 1, 2):
        dag = gd.DirectedSearch(max_parents=most, random_state=0).fit(table).dag_
        assert max(map(len, dag.values())) == most
    rows = 40
    rng = np.random.default_rng(1)
    same = rng.integers(0, 6, rows)
    columns = {f"v{i}": np.where(rng.random(rows) < 0.2, rng.integers(0, 6, rows), same) for i in range(6)}
    small = gd.read({name: column.tolist() for name, column in columns.items()})
    dag = gd.DirectedSearch("bdeu", ess=1_000.0, random_state=0).fit(small).dag_
    arity = {v.name: v.arity for v in small.variables}
    assert all(np.prod([arity[p] for p in own]) <= rows for own in dag.values())


def test_a_seed_repeats_the_search_and_rows_in_any_order_change_nothing() -> None:
    table = gd.datasets.noisy_gates(40, 1).sample(1_000, 1)
    first = gd.DirectedSearch(random_state=3).fit(table)
    assert gd.DirectedSearch(random_state=3).fit(table).dag_ == first.dag_
    order = np.random.default_rng(0).permutation(1_000)
    shuffled = {name: table.column(name)[order].tolist() for name in table.names}
    assert gd.DirectedSearch(random_state=3).fit(shuffled).dag_ == first.dag_


def test_time_is_kept_and_the_best_so_far_is_there() -> None:
    table = gd.datasets.noisy_gates(150, 1).sample(2_000, 1)
    for limit in (0.3, 3, 30):  # on a machine that others keep busy, little is done in the first
        with Seconds() as seconds:
            learner = gd.DirectedSearch(seconds=usual(limit), reinsertions=1e6, random_state=0)
            found = learner.fit(table).structure_
        assert seconds.taken < limit + 2
        assert found.stopped == "budget"
        if found.graph.n_edges > 50:
            break
    assert found.graph.n_edges > 50
    at_once = gd.DirectedSearch(seconds=0, random_state=0).fit(table).structure_
    assert (at_once.stopped, at_once.graph.n_edges) == ("budget", 0)


def test_an_interrupt_keeps_the_best_so_far() -> None:
    table = gd.datasets.noisy_gates(40, 1).sample(1_000, 1)

    def press(step: Step) -> None:
        if step.phase == "reinserting":
            raise KeyboardInterrupt

    with pytest.raises(Interrupted) as stop:
        gd.DirectedSearch(random_state=0).fit(table, progress=press)
    found = stop.value.structure
    assert isinstance(found, gd.LearnedStructure)
    assert found.stopped == "interrupted"
    assert found.graph.n_edges > 10
    assert found.details["parents"]


def test_progress_comes_with_graphs() -> None:
    heard: list[Step] = []
    table = gd.datasets.noisy_gates(15, 1).sample(500, 1)
    found = gd.DirectedSearch(random_state=0).fit(table, progress=heard.append).structure_
    assert {step.phase for step in heard} == {"climbing", "reinserting"}
    assert heard[-1].done == heard[-1].total
    assert heard[-1].so_far == found.graph


def test_many_variables_have_candidates_and_the_result_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    from graphoid.learners.directed import search

    table = gd.datasets.noisy_gates(40, 1).sample(2_000, 1)
    whole = gd.DirectedSearch(random_state=0).fit(table).structure_
    assert "partners" not in whole.settings
    monkeypatch.setattr(search, "ALL_PARTNERS", 30)
    monkeypatch.setattr(search, "PARTNERS", 10)
    few = gd.DirectedSearch(random_state=0).fit(table).structure_
    assert few.settings["partners"] == 10
    assert few.scored is not None
    assert whole.scored is not None
    assert few.scored.value >= whole.scored.value - 0.01 * abs(whole.scored.value)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"score": "aic"}, "DirectedSearch: score must be 'bic' or 'bdeu', not 'aic'"),
        ({"ess": 0}, "DirectedSearch: ess must be a positive number, or None, not 0"),
        ({"max_parents": -1}, "max_parents must be a whole number of at least 0, or None, not -1"),
        ({"tabu": 1.5}, "tabu must be a whole number of at least 0, not 1.5"),
        ({"reinsertions": -1}, "reinsertions must be a number of at least 0, not -1"),
        ({"seconds": -1}, "seconds must be a number of at least 0, or None, not -1"),
    ],
)
def test_settings_that_make_no_sense(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        gd.DirectedSearch(**settings).fit(gd.datasets.load("titanic"))


def test_where_no_sample_size_is_given_arcs_between_columns_of_many_states_are_found() -> None:
    network = gd.datasets.random_tables(20, 1, states=(2, 40), most_parents=1)
    table = network.sample(400, 9)
    one, many = (
        gd.DirectedSearch("bdeu", ess=ess, random_state=0).fit(table).structure_.graph for ess in (1.0, None)
    )
    assert gd.compare(one, network.graph).f1 < 0.6
    assert gd.compare(many, network.graph).f1 > 0.9


def test_independent_columns_stay_apart_whatever_the_prior() -> None:
    rng = np.random.default_rng(5)
    table = gd.read({f"v{i}": rng.choice(12, 600, p=np.arange(1, 13) / 78).astype(str) for i in range(8)})
    assert gd.DirectedSearch("bdeu", ess=None, random_state=0).fit(table).structure_.graph.n_edges == 0
