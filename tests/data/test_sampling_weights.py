"""Survey weights: scaled to the effective number of rows, tests keep their level."""

import numpy as np
import pytest

import graphoid as gd
from graphoid.errors import DataError, SettingsError


def rejections(scale, n_tables=150, n=400):
    """Return how often chi-square at .05 rejects independence with lognormal weights of variation 1."""
    rejected = 0
    for seed in range(n_tables):
        rng = np.random.default_rng(seed)
        w = rng.lognormal(0, np.sqrt(np.log(2)), n)
        columns = {"x": rng.integers(2, size=n), "y": rng.integers(2, size=n), "w": w * scale(w)}
        kind = "frequency" if scale is to_rows else "sampling"
        table = gd.read(columns, weights="w", weighting=kind)
        rejected += not gd.Tester(gd.ChiSquare(alpha=0.05), table).independent("x", "y")
    return rejected / n_tables


def to_rows(w):
    return len(w) / w.sum()


def to_a_population(w):
    return 1e6 / w.sum()


def test_the_effective_number_of_rows_keeps_the_level():
    assert rejections(to_a_population) <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / 150)
    assert rejections(to_rows) > 0.1  # what the guide advised


def test_it_is_the_square_of_the_sum_over_the_sum_of_squares():
    table = gd.read({"x": [0, 1, 0], "w": [900.0, 300.0, 300.0]}, weights="w", weighting="sampling")
    assert table.weights.total == pytest.approx(1500**2 / (900**2 + 2 * 300**2))
    assert table.weights.values / table.weights.total == pytest.approx([0.6, 0.2, 0.2])
    assert table.notes[-1].startswith("3 rows with sampling weights count as 2, ")
    again = gd.read(gd.read({"x": [0, 1, 0]}), weights=[9, 3, 3], weighting="sampling")
    assert again.weights.total == pytest.approx(table.weights.total)


def test_what_cannot_be_is_said(tmp_path):
    with pytest.raises(SettingsError, match="expected 'frequency' or 'sampling'"):
        gd.read({"x": [0, 1]}, weights=[1, 2], weighting="survey")
    with pytest.raises(SettingsError, match="give them with weights="):
        gd.read({"x": [0, 1]}, weighting="sampling")
    duckdb = pytest.importorskip("duckdb")
    relation = duckdb.sql("select 1 as x, 2.0 as w union all select 2, 3.0")
    with pytest.raises(DataError, match="where='memory'"):
        gd.read(relation, weights="w", weighting="sampling", where="source")
