"""CSGS and CSPC: graphs, questions and features as in plain Python; what must not matter does not."""

from __future__ import annotations

from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import graphoid as gd
from graphoid.errors import DataError, DiscretizedWarning, SettingsError
from graphoid.independence import contexts
from graphoid.independence.contexts import ContextTester, PlainContexts
from graphoid.learners.contexts.base import CanonicalGraphs, one_by_one
from graphoid.learners.contexts.csgs import csgs, gs_strategy
from graphoid.learners.contexts.cspc import cspc, pc_strategy
from tests.support import canonical
from tests.support.tables import table_of

LEARNERS = [(gd.CSGS, canonical.csgs), (gd.CSPC, canonical.cspc)]
TABLES = [
    *[(n_rows, (2, 2, 2, 2)) for n_rows in (1, 2, 7, 40, 300)],
    (60, (2, 2, 2, 2, 2, 2)),
    (500, (2, 2, 2, 2, 2)),
    (80, (3, 2, 4)),
    (400, (2, 3, 2, 5)),
    (250, (4, 1, 3, 2)),
    (30, (9, 2, 2)),
    (1000, (3, 3, 3)),
]


def fitted(learner, rows, arities, **settings):
    return learner(**settings).fit(table_of(rows.T, arities)).structure_


@pytest.mark.parametrize(("learner", "strategy"), LEARNERS)
@pytest.mark.parametrize(("n_rows", "arities"), TABLES)
@pytest.mark.parametrize("seed", range(3))
def test_as_in_plain_python(learner, strategy, n_rows, arities, seed):
    rows = canonical.dependent_rows(n_rows, arities, seed)
    expected = canonical.learned(strategy, rows, canonical.chi_square())
    canonical.same(fitted(learner, rows, arities), expected)


@pytest.mark.parametrize(("learner", "strategy"), LEARNERS)
@pytest.mark.parametrize(("n_rows", "arities"), TABLES)
def test_with_the_bayesian_test(learner, strategy, n_rows, arities):
    rows = canonical.dependent_rows(n_rows, arities, 5)
    expected = canonical.learned(strategy, rows, canonical.bayesian(arities))
    canonical.same(fitted(learner, rows, arities, test=gd.BayesianTest()), expected)


@pytest.mark.parametrize(("n_rows", "arities"), TABLES)
def test_repeated_as_in_plain_python(n_rows, arities):
    rows = canonical.dependent_rows(n_rows, arities, 6)
    expected = canonical.learned(partial(canonical.csgs, repeat=True), rows, canonical.chi_square())
    canonical.same(fitted(gd.CSGS, rows, arities, repeat=True), expected)


@pytest.mark.parametrize(("learner", "strategy"), LEARNERS)
def test_on_the_context_model(learner, strategy):
    table = gd.datasets.context_model(5, rng=3).sample(400, random_state=3)
    expected = canonical.learned(strategy, table.codes, canonical.chi_square(0.01))
    canonical.same(learner(test=gd.ChiSquare(alpha=0.01)).fit(table).structure_, expected)


def test_a_table_worked_by_hand():
    # b copies a where w = 0 and is independent of it where w = 1; columns w, a, b.
    # All pairs with w nothing given: a and b are even in both halves, so w is independent of both.
    rows = np.array([[0, s, s] for s in (0, 1)] * 40 + [[1, s, t] for s in (0, 1) for t in (0, 1)] * 20)
    model = fitted(gd.CSGS, rows, [2, 2, 2])
    # a - b with nothing given: 60 + 20 + 20 + 60 rows, chi-square 160 (120 * 40 ...) far above 3.84.
    # Every assignment: w grows 2 questions, nothing joins; a asks w given {} (no), b given {} (yes, joined),
    # shrinks b given {} (stays); b asks w given its blanket {a}: within a = 0 the table of (b, w) is
    # [[40, 20], [0, 20]]: dependent, so b - w joins; b shrinks w given {a} (stays) and a given {w}:
    # where w = 0 a and b copy each other (stays), where w = 1 they are independent: a - b goes.
    joined = {0: ((0, 2), (1, 2)), 1: ((0, 2),)}
    for w, a, b in [(0, 0, 0), (0, 1, 1), (1, 0, 0), (1, 0, 1), (1, 1, 0), (1, 1, 1)]:
        assert model.graph_for((w, a, b)).edges == joined[w]
    assert model.cost.n_tests == 6 * (2 + 3 + 3)
    # different: (w,a), (w,b), (a,b) with nothing given; (b,w) given a = 0, 1; (a,b) given w = 0, 1
    assert model.cost.n_distinct == 3 + 2 + 2
    # weights: 2 + |W|: 2 questions of w, then 3 of a, then (w | a), (w | a), (a | w)
    assert model.cost.weighted == 6 * (2 + 2 + 2 + 2 + 2 + 3 + 3 + 3)
    assert model.features == (
        *(((0, 0), (2, 0)), ((0, 0), (2, 1))),
        *(((0, 1), (2, 0)), ((0, 1), (2, 1))),
        *(((1, 0),), ((1, 0), (2, 0)), ((1, 1),), ((1, 1), (2, 1))),
    )


def test_what_a_small_blanket_hides_by_hand():
    # c = a or b: a and b depend on each other only where c is known, and a asks about b before it knows c.
    rows = np.array([[a, b, a | b] for a in (0, 1) for b in (0, 1)] * 40)
    once, again = (fitted(gd.CSGS, rows, [2, 2, 2], repeat=repeat) for repeat in (False, True))
    # Where b = 1, c does not vary, so a - c goes when c shrinks; b - c stays, given nothing.
    assert once.graph_for((0, 1, 1)).edges == ((1, 2),)
    # Repeated, a asks about b given c = 1, too: chi-square of [[0, 40], [40, 40]] is 30. Then a - c goes as
    # above, b takes c given a = 0 (they are the same), and c finds nothing to change.
    assert again.graph_for((0, 1, 1)).edges == ((0, 1), (1, 2))
    # a: (b), (c), (b | c = 1), shrinks (b | c), (c | b); b: (c | a), shrinks (a | c), (c | a);
    # c: (a | b = 1), shrinks (b)
    alone = gs_strategy(plain := PlainContexts(gd.ChiSquare(), table_of(rows.T)), (0, 1, 1), repeat=True)
    assert (alone, plain.n_questions) == ({0: {1}, 1: {0, 2}, 2: {1}}, 10)


@pytest.mark.parametrize(
    ("together", "strategy", "seed"),
    [
        (csgs, gs_strategy, 1),
        (partial(csgs, repeat=True), partial(gs_strategy, repeat=True), 4),
        (cspc, pc_strategy, 2),
        (cspc, pc_strategy, 3),
    ],
)
@pytest.mark.parametrize("test", [gd.ChiSquare(), gd.GTest(alpha=0.2), gd.BayesianTest(prior=0.3)])
def test_together_is_as_one_by_one(together, strategy, seed, test):
    table = table_of(canonical.dependent_rows(200, (2, 3, 2, 2), seed).T)
    ci, plain = ContextTester(test, table), PlainContexts(test, table)
    graphs = CanonicalGraphs(len(ci.assignments), len(ci.names), complete=together is cspc)
    together(ci, graphs)
    np.testing.assert_array_equal(graphs.adjacency, one_by_one(strategy, plain, ci.assignments.codes))
    assert ci.n_questions == plain.n_questions
    assert ci.n_distinct == len(plain.distinct)


@pytest.mark.parametrize("learner", [gd.CSGS, gd.CSPC])
def test_the_order_of_rows_does_not_matter(learner):
    rows = canonical.dependent_rows(300, (2, 3, 2, 2), 0)
    shuffled = np.random.default_rng(1).permutation(rows)
    one, other = (fitted(learner, r, (2, 3, 2, 2)) for r in (rows, shuffled))
    assert one.graphs == other.graphs
    assert one.features == other.features
    np.testing.assert_array_equal(one.graph_of, other.graph_of)
    assert (one.cost.n_tests, one.cost.n_distinct) == (other.cost.n_tests, other.cost.n_distinct)


@pytest.mark.parametrize("learner", [gd.CSGS, gd.CSPC])
@pytest.mark.parametrize("unit", [1, 0.25])
def test_weights_are_repeated_rows(learner, unit):
    rows = canonical.dependent_rows(60, (2, 2, 3), 4)
    weights = np.random.default_rng(0).integers(0, 5, 60)
    repeated = table_of(np.repeat(rows, weights, axis=0).T, (2, 2, 3))
    test = gd.ChiSquare(alpha=0.1)
    one = learner(test=test).fit(table_of(rows.T, (2, 2, 3), weights)).structure_
    other = learner(test=test).fit(repeated).structure_
    assert one.graphs == other.graphs
    assert one.cost.n_tests == other.cost.n_tests
    np.testing.assert_array_equal(one.n_rows, other.n_rows)
    fractional = learner(test=test).fit(table_of(rows.T, (2, 2, 3), weights * unit)).structure_
    assert fractional.n_rows.sum() == pytest.approx(unit * weights.sum())


def test_degrees_of_freedom_are_of_the_states_that_occur():
    rows = canonical.dependent_rows(400, (2, 3, 5), 1)
    plain, full = (fitted(gd.CSGS, rows, (2, 3, 9), test=gd.ChiSquare(dof=dof)) for dof in ("slices", "full"))
    assert plain.graphs == full.graphs
    assert plain.settings["test"]["dof"] == "adjusted"


def test_answers_that_are_not_kept_are_counted_again(monkeypatch):
    rows = canonical.dependent_rows(300, (2, 2, 2, 2, 2), 2)
    kept = fitted(gd.CSPC, rows, (2,) * 5)
    monkeypatch.setattr(contexts, "HELD_BYTES", 0)
    monkeypatch.setattr(contexts, "_MERGED", 10)
    again = fitted(gd.CSPC, rows, (2,) * 5)
    assert again.graphs == kept.graphs
    assert (again.cost.n_tests, again.cost.n_distinct) == (kept.cost.n_tests, kept.cost.n_distinct)
    assert again.cost.queries > kept.cost.queries


def test_one_count_answers_all_that_share_it():
    table = gd.datasets.context_model(6, rng=0).sample(2_000, random_state=0)
    cost = gd.CSPC().fit(table).structure_.cost
    assert cost.queries <= 15 * 2**4  # pairs, and subsets of the other four
    assert cost.queries < cost.n_distinct < cost.n_tests
    assert cost.rows_read > cost.n_tests


def test_what_is_recorded():
    table = gd.datasets.load("titanic")
    model = gd.CSGS(test=gd.ChiSquare(alpha=0.01)).fit(table).structure_
    assert model.settings["learner"] == "CSGS"
    assert model.settings["test"]["name"] == "ChiSquare"
    assert model.settings["test"]["alpha"] == 0.01
    assert model.settings["repeat"] is False
    assert model.data_id == table.data_id
    assert model.cost.seconds > 0
    assert model.n_rows.sum() == table.n_rows


def test_rows_that_stay_where_they_are_are_counted_in_one_trip(tmp_path):
    columns = {name: gd.datasets.load("titanic").column(i) for i, name in enumerate("abcd")}
    pq.write_table(pa.table(columns), tmp_path / "rows.parquet")
    there = gd.read(tmp_path / "rows.parquet", where="source", cache=tmp_path / "kept")
    here = gd.CSGS().fit(gd.read(tmp_path / "rows.parquet", where="memory")).structure_
    model = gd.CSGS().fit(there).structure_
    assert model.graphs == here.graphs
    assert (model.cost.n_tests, model.cost.queries) == (here.cost.n_tests, 1)
    assert model.cost.bytes_read > 0
    again = gd.read(tmp_path / "rows.parquet", where="source", cache=tmp_path / "kept")
    assert gd.CSPC().fit(again).structure_.cost.queries == 0


def test_repeat_is_true_or_false():
    with pytest.raises(SettingsError, match="CSGS: repeat must be True or False, not 'yes'"):
        gd.CSGS(repeat="yes").fit({"a": ["x", "y"]})


def test_anything_that_can_be_read_can_be_fitted():
    columns = {"a": ["x", "y"] * 20, "b": ["x", "y"] * 20, "c": ["u", "u", "v", "v"] * 10}
    model = gd.CSGS().fit(columns).structure_
    assert model.names == ("a", "b", "c")
    assert model.graph_for({"a": "x", "b": "x", "c": "u"}).edges == ((0, 1),)


@pytest.mark.parametrize("learner", [gd.CSGS, gd.CSPC])
def test_a_listener_hears_of_it_and_may_fail(learner):
    table = gd.datasets.load("titanic")
    heard = []
    learner().fit(table, progress=heard.append)
    assert heard
    assert [step.done for step in heard] == sorted(step.done for step in heard)

    def failing(step):
        raise ValueError(step)

    learner().fit(table, progress=failing)


@pytest.mark.parametrize("learner", [gd.CSGS, gd.CSPC])
def test_what_cannot_be_used_is_refused_in_a_sentence(learner):
    table = gd.datasets.load("titanic")
    with pytest.raises(SettingsError, match="must be an object"):
        learner(test=gd.ChiSquare).fit(table)
    with pytest.raises(SettingsError, match="contexts are made of states"):
        learner(test=gd.PartialCorrelation()).fit(table)
    with pytest.raises(SettingsError, match="contexts are made of states"):
        learner(test="chi-square").fit(table)
    with pytest.raises(DataError, match="empty"):
        learner().fit(table_of([[], []], [2, 2]))
    numbers = gd.read({"x": np.linspace(0, 1, 50), "y": [0, 1] * 25})
    with pytest.warns(DiscretizedWarning, match="'x' holds numbers"):
        model = learner().fit(numbers).structure_
    assert model.states[0] == numbers.discretized.variables[0].states
    assert model.settings["discretized"] == ["x"]
    with pytest.raises(AttributeError, match="call fit"):
        _ = learner().structure_


def test_more_variables_than_bits_in_a_word():
    rng = np.random.default_rng(0)
    rows = rng.integers(0, 2, (12, 70))
    model = fitted(gd.CSGS, rows, (2,) * 70, test=gd.ChiSquare(alpha=0.001))
    expected = canonical.learned(canonical.csgs, rows[:, :12], canonical.chi_square(0.001))
    assert len(model.assignments) == 12
    canonical.same(fitted(gd.CSGS, rows[:, :12], (2,) * 12, test=gd.ChiSquare(alpha=0.001)), expected)
