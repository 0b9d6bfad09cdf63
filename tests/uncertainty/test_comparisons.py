"""Groups, sensitivity and power: each against a case whose answer is known."""

import math

import numpy as np
import pytest

import graphoid as gd
from graphoid.errors import DataError, SettingsError
from graphoid.uncertainty.groups import bayes_factor
from graphoid.uncertainty.power import rows_to_reach
from tests.support.tables import table_of


def two_groups(seed, differ, n=1_000):
    """a and b go together in the first group, and in the second unless they differ; b and c in both."""
    rng = np.random.default_rng(seed)
    group = rng.integers(2, size=n)
    a = rng.integers(2, size=n)
    follow = (rng.random(n) < 0.4) & ~(differ & (group == 1))
    b = np.where(follow, a, rng.integers(2, size=n))
    c = np.where(rng.random(n) < 0.4, b, rng.integers(2, size=n))
    return gd.read({"group": group, "a": a, "b": b, "c": c})


def test_a_difference_is_found_where_it_is():
    found = gd.compare_groups(two_groups(3, differ=True), "group", learner=gd.GSMN(), n=200, random_state=1)
    rows = {(row.x, row.y): row for row in found.pairs}
    assert rows["a", "b"].p_adjusted < 0.05
    assert rows["a", "b"].bayes_factor > 100
    assert rows["a", "b"].first > 1 > abs(rows["a", "b"].second)
    assert rows["b", "c"].p_value > 0.05
    assert rows["b", "c"].bayes_factor < 1
    assert found.p_value < 0.05
    assert found.groups == (0, 1)
    assert sum(found.rows) == 1_000


def test_numbers_of_a_group_are_those_of_its_rows():
    table = two_groups(3, differ=True)
    found = gd.compare_groups(table, "group", learner=gd.GSMN(), n=5, random_state=1)
    group, a, b, _ = table.codes.T
    row = found.pairs[0]
    graph = found.graph
    given = min((set(graph.blanket(x)) - {0, 1} for x in (0, 1)), key=len)
    assert given == set()  # a has b alone
    cells = [[np.sum((group == 0) & (a == i) & (b == j)) for j in (0, 1)] for i in (0, 1)]
    expected = math.log(cells[0][0] * cells[1][1] / (cells[0][1] * cells[1][0]))
    assert row.first == pytest.approx(expected)
    assert row.difference == pytest.approx(row.first - row.second)


@pytest.mark.slow
def test_p_values_are_level_where_nothing_differs():
    p = [
        gd.compare_groups(
            two_groups(seed, differ=False, n=400), "group", learner=gd.GSMN(), n=99, random_state=1
        )
        for seed in range(100)
    ]
    rate = np.mean([min(row.p_adjusted for row in found.pairs) <= 0.05 for found in p])
    assert rate <= 0.12  # .05 and three standard errors of 100 tries
    assert np.mean([found.p_value <= 0.05 for found in p]) <= 0.12


def test_groups_that_cannot_be_compared():
    table = two_groups(0, differ=True, n=50)
    with pytest.raises(DataError, match="3 states"):
        gd.compare_groups(table_of([[0, 1, 2], [0, 1, 0]]), "v0")
    with pytest.raises(DataError, match="nothing to compare"):
        gd.compare_groups(table_of([[0, 0, 0], [0, 1, 0]], [2, 2]), "v0")
    with pytest.raises(SettingsError, match="n is 0"):
        gd.compare_groups(table, "group", n=0)


def test_groups_do_not_depend_on_threads():
    table = two_groups(1, differ=True, n=300)
    one, two = (
        gd.compare_groups(table, "group", learner=gd.GSMN(), n=30, n_jobs=jobs, random_state=2).pairs
        for jobs in (1, 2)
    )
    assert one == two


def test_bayes_factor_is_that_of_a_normal_prior():
    # the likelihood N(d; 0, s^2) against the marginal N(d; 0, s^2 + s^2 n), by the densities themselves
    z, n = 2.5, 50.0

    def density(x, variance):
        return math.exp(-x * x / (2 * variance)) / math.sqrt(2 * math.pi * variance)

    assert bayes_factor(z, (50, 50)) == pytest.approx(density(z, 1 + n) / density(z, 1))


def test_sensitivity_varies_one_setting_at_a_time():
    rng = np.random.default_rng(0)
    a = rng.normal(size=400)
    b = a + 2 * rng.normal(size=400)
    columns = {"a": a, "b": b, "c": rng.integers(2, size=400)}
    found = gd.sensitivity(columns, gd.GSMN(), alpha=(0.01, 1e-300), discretize=("auto", "scott"))
    assert [(s.name, s.value) for s in found.settings] == [
        ("as given", ""),
        ("alpha", 0.01),
        ("alpha", 1e-300),
        ("discretize", "auto"),
        ("discretize", "scott"),
    ]
    (row,) = [row for row in found.edges() if (row.x, row.y) == ("a", "b")]
    assert row.joined
    assert "alpha = 1e-300" in row.flips
    assert row.share == pytest.approx(1 - len(row.flips) / 5)


def test_sensitivity_to_a_prior():
    table = gd.datasets.load("titanic")
    found = gd.sensitivity(table, gd.GSMN(test=gd.BayesianTest()), prior=(0.2, 0.8))
    assert [s.name for s in found.settings] == ["as given", "prior", "prior"]
    found = gd.sensitivity(table, gd.HillClimb(gd.IBScore(), moves="best"), prior=(0.2,))
    assert [s.name for s in found.settings] == ["as given", "prior"]
    with pytest.raises(SettingsError, match="must be a learner"):
        gd.sensitivity(table, "gsmn")


def test_power_rises_with_the_rows():
    table = two_groups(0, differ=False)
    graph = gd.UndirectedGraph(table.names, [("a", "b"), ("b", "c")])
    found = gd.power(graph, table, learner=gd.GSMN(), rows=(20, 100, 600), n=15, random_state=1)
    for row in found.edges:
        assert row.found[0] < row.found[-1] == 1.0
        assert 20 < row.rows_needed <= 600
    assert found.rows_needed == max(row.rows_needed for row in found.edges)
    again = gd.power(graph, table, learner=gd.GSMN(), rows=(20, 100, 600), n=15, random_state=1)
    assert again == found
    few = gd.power(graph, table, learner=gd.GSMN(), rows=(5, 10), n=5, random_state=1)
    assert few.rows_needed is None
    with pytest.raises(SettingsError, match="ascending"):
        gd.power(graph, table, rows=(100, 50))


def test_rows_needed_between_sizes():
    # halfway from .5 to .9 is .7: the geometric mean of 100 and 400
    assert rows_to_reach((100, 400), np.array([0.5, 0.9]), 0.7) == 200
    assert rows_to_reach((100, 400), np.array([0.9, 0.5]), 0.8) == 100
    assert rows_to_reach((100, 400), np.array([0.1, 0.5]), 0.8) is None
