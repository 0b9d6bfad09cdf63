"""Multiple imputation: what was seen stays, draws know the other columns, and pooling follows the rules."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import graphoid as gd
from graphoid.errors import SettingsError
from graphoid.structure.effect import Effect
from graphoid.uncertainty.imputation import impute, pool_effects


def chain(n, seed):
    """Rows of a chain a - b - c - d, numbers at its ends and states within; a fifth of all cells is gone."""
    rng = np.random.default_rng(seed)
    a = rng.standard_normal(n)
    b = np.where(a + rng.logistic(size=n) * 0.4 > 0, "y", "n")
    c = np.where((b == "y") ^ (rng.random(n) < 0.15), 1, 0)
    d = c + 0.7 * rng.standard_normal(n)
    frame = pd.DataFrame({"a": a, "b": b, "c": c.astype(float), "d": d})
    return frame, frame.mask(rng.random(frame.shape) < 0.2)


def test_completed_tables_keep_what_was_seen_and_follow_the_seed():
    frame, gone = chain(600, 0)
    table = gd.read(gone, missing="impute")
    first, second = impute(table, n=2, random_state=3)
    again = impute(table, n=2, random_state=3)[1]
    assert first.data_id != second.data_id == again.data_id
    for done in (first, second):
        assert done.n_missing == 0
        assert done.variables == table.variables
        for name in frame:
            seen = gone[name].notna().to_numpy()
            assert (done.to_frame()[name].to_numpy()[seen] == gone[name].to_numpy()[seen]).all()
    with pytest.raises(SettingsError, match="n is 0"):
        impute(table, n=0)


def test_draws_know_the_other_columns():
    _, gone = chain(1500, 1)
    done = impute(gd.read(gone, missing="impute"), n=1, random_state=0)[0].to_frame()
    hidden = (gone["c"].isna() & gone["b"].notna()).to_numpy()
    agree = (done["b"] == "y").to_numpy() == (done["c"].astype(float) == 1).to_numpy()
    # they agree in 85 % of the rows; draws regardless of b would in a half
    assert agree[hidden].mean() == pytest.approx(0.85, abs=0.08)


def test_learners_pool_what_they_find():
    _, gone = chain(1200, 2)
    table = gd.read(gone, missing="impute")
    found = gd.learn(table, random_state=0)
    assert set(found.graph.edges) == {(0, 1), (1, 2), (2, 3)}
    assert found.settings["imputation"]["n"] == 5
    assert found.data_id == table.data_id
    rows = {(row.x, row.y): row for row in found.edges()}
    edge = rows["b", "c"]
    assert edge.weight_low < edge.weight < edge.weight_high
    assert edge.probability > 0.9
    assert gd.learn(table, random_state=0).pairs() == found.pairs()
    with pytest.raises(SettingsError, match="Bootstrap resamples rows as they are"):
        gd.Bootstrap(gd.RobustGSMN(), n=5).fit(table)


def test_effects_are_pooled_by_the_rules():
    graph = gd.UndirectedGraph(2, [(0, 1)])
    # estimates 1, 2, 3 with standard error .5: U = .25, B = 1, T = .25 + 4/3,
    # dof = 2 (1 + .25 / (4/3))^2 = 2.8203
    half = 1.959964 * 0.5
    effects = [{(0, 1): Effect(w, w - half, w + half, w, w - half, w + half)} for w in (1.0, 2.0, 3.0)]
    pooled = pool_effects(graph, effects)[0, 1]
    assert pooled.weight == pytest.approx(2)
    # the t quantile of .975 with 2.8203 degrees of freedom is 3.3003
    assert pooled.weight_high - 2 == pytest.approx(3.3003 * np.sqrt(0.25 + 4 / 3), rel=1e-4)
    same = pool_effects(graph, effects[:1] * 3)[0, 1]
    assert (same.low, same.high) == pytest.approx((1 - half, 1 + half))
