"""Holes drawn from a model: what was seen stays, and what is drawn has the distribution of the model."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import graphoid as gd
from graphoid.errors import SettingsError


@pytest.fixture(scope="module")
def titanic():
    table = gd.datasets.load("titanic")
    graph = gd.UndirectedGraph(table.names, [(0, 1), (0, 2), (0, 3), (1, 3), (2, 3)])
    return gd.MarkovNetwork.fit(graph, table), table


def test_draws_have_the_probabilities_of_exact_inference(titanic):
    model, _ = titanic
    rows = pd.DataFrame({"class": ["1st"] * 4000, "sex": ["female"] * 4000, "age": [None] * 4000})
    done = model.impute(rows, random_state=1)
    joint = model.query(["age", "survived"], {"class": "1st", "sex": "female"})
    shares = np.zeros((2, 2))
    np.add.at(shares, (done.column("age"), done.column("survived")), 1 / 4000)
    # four standard errors of a share of a half in 4,000 rows
    np.testing.assert_allclose(shares, joint, atol=4 * 0.5 / np.sqrt(4000))
    assert set(done.column("class").tolist()) == {model.variables[0].states.index("1st")}


def test_what_was_seen_stays_and_the_seed_decides(titanic):
    model, table = titanic
    rng = np.random.default_rng(0)
    codes = table.codes.astype(int)
    holes = rng.random(codes.shape) < 0.3
    one, same, other = (model.impute(np.where(holes, -1, codes), random_state=s) for s in (3, 3, 4))
    assert one.data_id == same.data_id != other.data_id
    np.testing.assert_array_equal(one.codes[~holes], codes[~holes])
    frame = one.to_frame()
    assert not frame.isna().any().any()
    assert f"{holes.sum():,} missing cell(s) were drawn" in one.notes[0]
    whole = model.impute(codes, random_state=0)
    np.testing.assert_array_equal(whole.codes, codes)
    with pytest.raises(SettingsError, match="sweeps is 0"):
        model.impute(codes, sweeps=0)


def test_numbers_and_states_together():
    rng = np.random.default_rng(5)
    n = 3000
    z = rng.standard_normal(n)
    frame = pd.DataFrame(
        {
            "a": z,
            "b": 0.8 * z + 0.6 * rng.standard_normal(n),
            "c": np.where(z + rng.logistic(size=n) > 0, "y", "n"),
        }
    )
    table = gd.read(frame)
    graph = gd.UndirectedGraph(table.names, [("a", "b"), ("a", "c")])
    model = gd.MarkovNetwork.fit(graph, table)
    gone = frame.mask(rng.random(frame.shape) < 0.3)
    done = model.impute(gone, random_state=0).to_frame()
    seen = gone["a"].notna()
    np.testing.assert_array_equal(done["a"][seen], frame["a"][seen])
    # drawn pairs are as correlated as observed ones: .8; a mean fill would give .45
    assert np.corrcoef(done["a"], done["b"])[0, 1] == pytest.approx(0.8, abs=0.04)
    drawn = done.loc[~seen, "a"]
    assert drawn.std() == pytest.approx(1, abs=0.1)
    gap = done.groupby("c", observed=True)["a"].mean()
    assert gap["y"] - gap["n"] == pytest.approx(frame.groupby("c")["a"].mean().diff().iloc[-1], abs=0.1)
