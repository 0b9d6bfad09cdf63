"""Sensitivity and power: each against a case whose answer is known."""

import numpy as np
import pytest

import graphoid as gd
from graphoid.errors import SettingsError
from graphoid.uncertainty.power import rows_to_reach


def chain(seed, n=1_000):
    """a and b go together, and b and c."""
    rng = np.random.default_rng(seed)
    a = rng.integers(2, size=n)
    b = np.where(rng.random(n) < 0.4, a, rng.integers(2, size=n))
    c = np.where(rng.random(n) < 0.4, b, rng.integers(2, size=n))
    return gd.read({"a": a, "b": b, "c": c})


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
    table = chain(0)
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
