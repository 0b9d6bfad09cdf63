"""GSMN*: exact with an oracle, its order and cost as the paper counts them."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING

import numpy as np
import pytest

import graphoid as gd
from graphoid.errors import SettingsError
from graphoid.learners.grow_shrink.loop import examination_order, grow_order, grow_shrink, log_p, promote
from graphoid.learners.questions import Questions
from graphoid.logic.verdict import Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from graphoid.logic.source import Question

SETTINGS = list(itertools.product([True, False], repeat=2))


class Exact:
    """Answers from a graph and counts the trips; kept apart from gd.Oracle, which is tested elsewhere."""

    def __init__(self, graph: gd.UndirectedGraph) -> None:
        self.graph = graph
        self.names = graph.names
        self.batches: list[int] = []

    def independent(self, x: int | str, y: int | str, given: Sequence[int | str] = ()) -> bool:
        return self.graph.separated(x, y, given)

    def ask(self, questions: Sequence[Question]) -> list[Verdict]:
        self.batches.append(len(questions))
        return [
            Verdict(x, y, tuple(z), self.graph.separated(x, y, z), source="oracle") for x, y, z in questions
        ]


def all_graphs(n: int) -> Iterator[gd.UndirectedGraph]:
    pairs = list(itertools.combinations(range(n), 2))
    for size in range(len(pairs) + 1):
        for edges in itertools.combinations(pairs, size):
            yield gd.UndirectedGraph(n, edges)


@pytest.mark.parametrize(("propagate", "skip_independent"), SETTINGS)
def test_every_graph_on_three_to_five_nodes_is_found_exactly(propagate: bool, skip_independent: bool) -> None:
    learner = gd.GSMN(propagate=propagate, skip_independent=skip_independent)
    number = 0
    for n in (3, 4, 5):
        for graph in all_graphs(n):
            found = learner.learn(Exact(graph))
            number += 1
            assert found.graph == graph
            # initial tests, and at most one grow and one shrink test for each ordered pair
            assert found.cost.n_tests <= n * (n - 1) // 2 + 2 * n * (n - 1)
    assert number == 1_096


@pytest.mark.parametrize(("propagate", "skip_independent"), SETTINGS)
@pytest.mark.parametrize("tau", [1, 4])
def test_larger_random_graphs_are_found_exactly(propagate: bool, skip_independent: bool, tau: int) -> None:
    graph = gd.datasets.random_graph(30, tau, np.random.default_rng(tau))
    learner = gd.GSMN(propagate=propagate, skip_independent=skip_independent)
    assert learner.learn(Exact(graph)).graph == graph


def asked(found: gd.LearnedStructure) -> list[str]:
    """The trace after the initial tests: 'x~y|given' dependent, 'x_y|given' not, propagated in brackets."""
    entries = []
    for v in found.trace[found.cost.n_initial :]:
        entry = f"{v.x}{'_' if v.independent else '~'}{v.y}|{''.join(map(str, v.given))}"
        entries.append(f"({entry})" if v.source == "propagation" else entry)
    return entries


def test_a_chain_worked_by_hand() -> None:
    # 0 - 1 - 2, all dependent unconditionally, so every order is by position at first.
    # Examine 0: grow 1 given {}, 2 given {1} (independent); S = [1]; 0 goes to the front of 1's grow order;
    #   next to examine is 1. Shrink: 1 given {} (executed again).
    # Examine 1: 0 is known (T); grow 2 given {0}; S = [0, 2]; shrink 2 given {0}, then 0 is known.
    #   2's grow order becomes [0, 1].
    # Examine 2: 0 is known to be out (F, moved to the end), 1 known to be in.
    found = gd.GSMN().learn(Exact(gd.UndirectedGraph(3, [(0, 1), (1, 2)])))
    assert asked(found) == [
        *("0~1|", "0_2|1", "0~1|"),
        *("(1~0|)", "1~2|0", "1~2|0", "(1~0|2)"),
        *("(2~1|)", "(2_0|1)", "(2~1|)"),
    ]
    # 3 initial tests of weight 2; 2 + 3 + 2 and 3 + 3 for the others
    assert (found.cost.n_initial, found.cost.n_tests, found.cost.n_inferred) == (3, 8, 5)
    assert found.cost.weighted == 3 * 2 + (2 + 3 + 2) + (3 + 3)


def test_without_propagation_everything_is_asked() -> None:
    found = gd.GSMN(propagate=False).learn(Exact(gd.UndirectedGraph(3, [(0, 1), (1, 2)])))
    assert asked(found) == [
        *("0~1|", "0_2|1", "0~1|"),
        *("1~0|", "1~2|0", "1~2|0", "1~0|2"),
        *("2~0|", "2~1|0", "2~1|0", "2_0|1"),
    ]
    assert found.cost.n_inferred == 0


def test_unconditionally_independent_pairs_are_asked_again_unless_skipped() -> None:
    empty = gd.UndirectedGraph(5)
    # the paper's 60 / 40 / ... of a table of five independent variables: 10 initial tests of weight 2, then
    # 20 grow tests without and 10 with propagation, of weight 2 each, since every blanket stays empty
    assert gd.GSMN(propagate=False).learn(Exact(empty)).cost.weighted == 60
    assert gd.GSMN().learn(Exact(empty)).cost.weighted == 40
    assert gd.GSMN(skip_independent=True).learn(Exact(empty)).cost.weighted == 20
    assert len(gd.GSMN(skip_independent=True).learn(Exact(empty)).trace) == 10


def test_all_initial_tests_go_out_as_one_batch() -> None:
    source = Exact(gd.UndirectedGraph(6, [(0, 1), (2, 3)]))
    found = gd.GSMN().learn(source)
    assert source.batches[0] == 15
    assert [(v.x, v.y, v.given) for v in found.trace[:15]] == [
        (x, y, ()) for x, y in itertools.combinations(range(6), 2)
    ]
    assert found.cost.queries == len(source.batches)
    assert {v.source for v in found.trace[:15]} == {"oracle"}


def test_grow_order_after_promotion_is_that_of_figure_5() -> None:
    # 5 had the grow order [3, 4, 1, 6, 2, 7, 0] and found 3, 4, 6, 7: X = 5 and S without 7 go first
    assert promote([2, 6, 3, 0, 4, 1, 5], [3, 4, 6, 5]) == [3, 4, 6, 5, 2, 0, 1]


def test_the_last_grown_is_examined_next() -> None:
    # star with center 3: it has most dependences, but all are dependent, so 0 comes first by position
    found = gd.GSMN().learn(Exact(gd.UndirectedGraph(4, [(0, 3), (1, 3), (2, 3)])))
    examined = list(dict.fromkeys(v.x for v in found.trace[6:]))
    # 0 grows 1, then 2 given {1}, then 3 given {1, 2}; the last grown, 3, is next; it grows 0, 1, 2; then 2
    assert examined == [0, 3, 2, 1]


def test_orders_go_by_log_p_and_ties_by_position() -> None:
    strength = [[0, -5, -1, -1], [-5, 0, -1, -1], [-1, -1, 0, -9], [-1, -1, -9, 0]]
    assert examination_order(strength, range(4)) == [2, 3, 0, 1]
    assert grow_order(strength, 0, range(4)) == [1, 2, 3]
    assert grow_order(strength, 3, range(4)) == [2, 0, 1]


def test_what_stands_for_a_p_value_where_there_is_none() -> None:
    assert log_p(Verdict(0, 1, (), False, p_value=0.0, log_p=-5000.0)) == -5000.0
    assert log_p(Verdict(0, 1, (), False, log_odds=-3.0)) == -3.0
    assert log_p(Verdict(0, 1, (), False, source="oracle")) == -1.0
    assert log_p(Verdict(0, 1, (), True, source="oracle")) == 0.0


class Told:
    """Answers by a list of strengths; pairs not in it are independent whatever is given."""

    def __init__(self, n: int, log_ps: dict[tuple[int, int], float]) -> None:
        self.names = tuple("abcdefgh"[:n])
        self.log_ps = log_ps

    def independent(self, x: int | str, y: int | str, given: Sequence[int | str] = ()) -> bool:
        raise NotImplementedError  # whoever is tested asks in batches only

    def ask(self, questions: Sequence[Question]) -> list[Verdict]:
        verdicts = []
        for x, y, given in questions:
            value = self.log_ps.get((min(x, y), max(x, y)), math.log(0.5))
            verdicts.append(Verdict(x, y, tuple(given), value > math.log(0.05), log_p=value, n_rows=100))
        return verdicts


def test_strong_dependences_whose_p_value_underflows_keep_their_order() -> None:
    source = Told(4, {(0, 1): -4_000.0, (0, 2): -5_000.0, (0, 3): -3_000.0})
    blankets = Questions(source).run(grow_shrink(4))
    assert blankets[0] == (2, 1, 3)
    found = gd.GSMN().learn(source)
    assert [row.strength for row in found.edges()] == pytest.approx(
        [x / math.log(10) for x in (4000, 5000, 3000)]
    )
    assert found.cost.rows_read == 100 * found.cost.n_tests


@pytest.mark.parametrize("n", [0, 1, 2])
def test_hardly_any_variables(n: int) -> None:
    graph = gd.UndirectedGraph(n, [(0, 1)] if n == 2 else [])
    assert gd.GSMN().learn(Exact(graph)).graph == graph


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"propagate": 1}, "GSMN: propagate must be True or False, not 1"),
        ({"skip_independent": None}, "GSMN: skip_independent must be True or False, not None"),
        ({"test": "chi2"}, r"'chi2' is no test"),
        ({"test": gd.ChiSquare}, r"ChiSquare\(\), not ChiSquare"),
    ],
)
def test_settings_are_stored_as_given_and_checked_when_used(settings: dict[str, object], says: str) -> None:
    learner = gd.GSMN(**settings)
    assert all(getattr(learner, name) == value for name, value in settings.items())
    with pytest.raises(SettingsError, match=says):
        learner.fit(gd.datasets.load("titanic"))


def test_before_fit_there_is_no_structure() -> None:
    assert not hasattr(gd.GSMN(), "structure_")
    with pytest.raises(AttributeError, match=r"GSMN has no structure_ yet; call fit\(table\) first"):
        _ = gd.GSMN().structure_


def test_the_result_says_how_it_came_about() -> None:
    found = gd.GSMN(skip_independent=True).learn(Exact(gd.UndirectedGraph(3, [(0, 1)])))
    assert found.settings == {
        "learner": "GSMN",
        "answers": "Exact",
        "propagate": True,
        "skip_independent": True,
        "rule": "either",
        "fdr": None,
        "max_given": None,
        "regrow": 0,
        "preset": None,
        "seconds": None,
    }
    assert found.stopped == "converged"
    assert found.seed is None
    assert found.data_id is None
    assert found.cost.seconds > 0


def test_fit_learns_from_a_table() -> None:
    table = gd.datasets.load("survey")
    learner = gd.GSMN(test=gd.GTest(alpha=0.01))
    assert learner.fit(table) is learner
    found = learner.structure_
    assert found.data_id == table.data_id
    assert found.settings["test"]["name"] == "GTest"
    assert found.settings["test"]["alpha"] == 0.01
    assert found.cost.rows_read == table.n_rows * found.cost.n_tests
    assert {v.source for v in found.trace} == {"test", "propagation"}
    assert gd.LearnedStructure.from_json(found.to_json()) == found
    same = learner.learn(gd.Tester(gd.GTest(alpha=0.01), table))
    assert (same.graph, same.trace) == (found.graph, found.trace)


def test_fit_takes_whatever_read_takes_and_chi_square_is_the_default() -> None:
    found = gd.GSMN().fit({"a": [0, 0, 1, 1] * 30, "b": [0, 0, 1, 1] * 30, "c": [0, 1] * 60}).structure_
    assert found.edges()[0][:2] == ("a", "b")
    assert found.graph.n_edges == 1
    assert found.settings["test"]["name"] == "ChiSquare"
    assert "c" in str(found)


def test_the_simulated_survey_is_found_exactly() -> None:
    from graphoid.datasets.simulated import survey_graph

    found = gd.GSMN(test=gd.ChiSquare(alpha=0.001)).fit(gd.datasets.load("survey")).structure_
    assert found.compare(survey_graph()).hamming == 0


@pytest.mark.parametrize("test", [gd.ChiSquare(), gd.GTest(), gd.BayesianTest(), gd.PartialCorrelation()])
def test_every_test_can_be_used_and_recorded(test: object) -> None:
    found = gd.GSMN(test=test).fit(gd.datasets.load("balance-scale").codes).structure_
    assert found.settings["test"]["name"] == type(test).__name__
    assert gd.LearnedStructure.from_json(found.to_json()) == found
    assert str(found)


def test_shuffled_rows_change_nothing() -> None:
    table = gd.datasets.load("survey")
    rows = np.random.default_rng(0).permutation(table.n_rows)
    columns = tuple(np.ascontiguousarray(table.column(i)[rows]) for i in range(len(table.variables)))
    shuffled = gd.Table(table.variables, columns, table.n_rows)
    one, other = gd.GSMN().fit(table).structure_, gd.GSMN().fit(shuffled).structure_
    assert one.graph == other.graph
    assert [v.assertion for v in one.trace] == [v.assertion for v in other.trace]


def test_the_oracle_answers_as_separation_does() -> None:
    graph = gd.datasets.random_graph(12, 3, 1)
    assert gd.GSMN().learn(gd.Oracle(graph)).trace == gd.GSMN().learn(Exact(graph)).trace


@pytest.mark.parametrize("learner", [gd.GSMN(fdr=0.05), gd.GSIMN(fdr=0.05)], ids=["GSMN", "GSIMN"])
def test_what_the_search_has_chosen_is_no_discovery(learner: gd.GSMN) -> None:
    rng = np.random.default_rng(11)
    tables = [gd.read(rng.integers(0, 2, (300, 30))) for _ in range(20)]
    # .05 of 20; 4 is beyond the .98 quantile. Of p-values that the search had selected, 57 in 100 were false
    assert sum(learner.fit(table).structure_.graph.n_edges > 0 for table in tables) < 4
