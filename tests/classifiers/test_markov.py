"""The classifier on data of every kind, inside scikit-learn's tools, and what can be read off it."""

from __future__ import annotations

import pickle
import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

pytest.importorskip("sklearn")

from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import graphoid as gd
from graphoid.classifiers import markov
from graphoid.errors import DataError, SettingsError

PRESETS = [None, "paper"]


def board(n_rows=600, seed=0):
    """A frame of mixed kinds: the class is an exclusive or of two columns, with some noise, and a number."""
    rng = np.random.default_rng(seed)
    a, b = rng.choice(["x", "o"], n_rows), rng.integers(0, 2, n_rows)
    c = rng.normal(size=n_rows)
    flip = rng.random(n_rows) < 0.05
    y = np.where(((a == "x") ^ (b == 1)) ^ flip, "yes", "no")
    frame = pd.DataFrame(
        {"a": a, "b": b, "c": np.where(y == "yes", c + 1.0, c), "d": rng.integers(0, 3, n_rows)}
    )
    return frame, y


def log_loss(model, X, y):
    p = model.predict_proba(X)
    return -np.log(p[np.arange(len(y)), np.searchsorted(model.classes_, y)]).mean()


@pytest.mark.parametrize("preset", PRESETS)
def test_an_interaction_without_main_effects_is_found(preset):
    X, y = board()
    model = gd.MarkovNetworkClassifier(preset=preset).fit(X[:400], y[:400])
    assert ("a", "b") in [h.attributes for h in model.hyperedges_]
    assert (model.predict(X[400:]) == y[400:]).mean() > 0.9
    pairs = gd.MarkovNetworkClassifier(max_order=2, preset=preset).fit(X[:400], y[:400])
    assert all(h.order == 2 for h in pairs.hyperedges_)
    assert log_loss(pairs, X[400:], y[400:]) > log_loss(model, X[400:], y[400:]) + 0.2


@pytest.mark.parametrize("preset", PRESETS)
def test_the_same_table_in_every_form_gives_the_same_answer(preset):
    X, y = board(200)
    expected = gd.MarkovNetworkClassifier(preset=preset).fit(X, y).predict_proba(X)
    for form in (pl.from_pandas(X), pa.Table.from_pandas(X), X.astype({"a": "category"})):
        model = gd.MarkovNetworkClassifier(preset=preset).fit(form, y)
        np.testing.assert_allclose(model.predict_proba(form), expected, atol=1e-12)
    plain = gd.MarkovNetworkClassifier(preset=preset).fit(X.to_numpy(dtype=object), y)
    np.testing.assert_allclose(plain.predict_proba(X.to_numpy(dtype=object)), expected, atol=1e-12)


@pytest.mark.parametrize("preset", PRESETS)
def test_the_order_of_rows_does_not_matter(preset):
    X, y = board(300)
    order = np.random.default_rng(1).permutation(300)
    one = gd.MarkovNetworkClassifier(preset=preset).fit(X, y)
    two = gd.MarkovNetworkClassifier(preset=preset).fit(X.iloc[order], y[order])
    assert [h.attributes for h in one.path_] == [h.attributes for h in two.path_]
    np.testing.assert_allclose(one.predict_proba(X), two.predict_proba(X), atol=1e-6)


@pytest.mark.parametrize("preset", PRESETS)
def test_a_missing_value_is_a_value(preset):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 300)
    number = np.where((y == 1) & (rng.random(300) < 0.9), np.nan, rng.normal(size=300))
    text = np.where(np.isnan(number), None, "here")
    for column in (number, text):
        X = pd.DataFrame({"v": column})
        model = gd.MarkovNetworkClassifier(preset=preset).fit(X, y)
        assert model.attributes_[0].values[-1] == "missing"
        assert model.predict(X[pd.isna(X["v"])]).all()
        assert (model.predict(X) == y).mean() > 0.9


@pytest.mark.parametrize("preset", PRESETS)
def test_a_level_that_was_not_seen_says_nothing(preset):
    X, y = board(300)
    model = gd.MarkovNetworkClassifier(preset=preset, averaging=False).fit(X, y)
    unseen = X[:1].assign(a="?", b=9, c=np.nan, d=7)
    shares = np.array([(y == c).mean() for c in model.classes_])
    if preset == "paper":  # nothing is left but the submodel of the class
        np.testing.assert_allclose(model.predict_proba(unseen)[0], (shares * 300 + 0.5) / 301, atol=1e-12)
    explanation = model.explain(unseen)
    assert all(part.log_odds == 0.0 for part in explanation.contributions)
    assert explanation.log_odds == explanation.prior
    # where only one column is unknown, the others still speak: as if no hyperedge had it
    partly = model.explain(X[:1].assign(a="?"))
    whole = {part.attributes: part.log_odds for part in model.explain(X[:1]).contributions}
    predicted, against = partly.predicted, partly.against
    same = model.explain(X[:1], predicted=predicted, against=against)
    whole = {part.attributes: part.log_odds for part in same.contributions}
    for part in partly.contributions:
        if "a" not in part.attributes:
            assert part.log_odds == pytest.approx(whole[part.attributes])


@pytest.mark.parametrize("preset", PRESETS)
def test_whole_weights_are_repeated_rows(preset):
    X, y = board(200)
    weights = np.random.default_rng(2).integers(0, 4, 200)
    again = np.repeat(np.arange(200), weights)
    one = gd.MarkovNetworkClassifier(preset=preset).fit(X, y, sample_weight=weights)
    two = gd.MarkovNetworkClassifier(preset=preset).fit(X.iloc[again], y[again])
    assert [h.attributes for h in one.path_] == [h.attributes for h in two.path_]
    np.testing.assert_allclose(
        [h.log_posterior for h in one.path_], [h.log_posterior for h in two.path_], rtol=1e-10
    )
    np.testing.assert_allclose(one.predict_proba(X), two.predict_proba(X), atol=1e-5)


@pytest.mark.parametrize("preset", PRESETS)
def test_a_hundred_classes(preset):
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(100), 12)
    X = np.stack([y // 10, y % 10, rng.integers(0, 3, len(y))], axis=1)
    model = gd.MarkovNetworkClassifier(preset=preset).fit(X, y)
    p = model.predict_proba(X)
    assert p.shape == (1200, 100)
    np.testing.assert_allclose(p.sum(axis=1), 1.0)
    if preset is None:  # a single attribute has more degrees of freedom than the counted potentials may have
        assert (model.predict(X) == y).mean() > 0.95


def test_fewer_rows_than_classes():
    X, y = [["a"], ["b"], ["a"]], ["p", "q", "r"]
    p = gd.MarkovNetworkClassifier(preset="paper").fit(X, y).predict_proba(X)
    np.testing.assert_allclose(p, 1 / 3)  # no structure has a prior: the class alone


@pytest.mark.parametrize("preset", PRESETS)
def test_inside_scikit_learn_s_tools(preset):
    X, y = board(240)
    model = gd.MarkovNetworkClassifier(preset=preset)
    search = GridSearchCV(model, {"max_order": [2, 3], "theta": [0.1, 1.0]}, scoring="neg_log_loss", cv=3)
    assert search.fit(X, y).best_params_["max_order"] == 3
    pipeline = make_pipeline(FunctionTransformer(lambda frame: frame.drop(columns="d")), model)
    assert (cross_val_predict(pipeline, X, y, cv=3) == y).mean() > 0.85
    calibrated = CalibratedClassifierCV(model, cv=3).fit(X, y)
    np.testing.assert_allclose(calibrated.predict_proba(X).sum(axis=1), 1.0)
    kept = pickle.loads(pickle.dumps(model.fit(X, y)))  # noqa: S301 - written a moment ago
    np.testing.assert_array_equal(kept.predict_proba(X), model.predict_proba(X))


def test_numbers_are_cut_by_the_rows_learned_from_only():
    X, y = load_iris(return_X_y=True)
    model = gd.MarkovNetworkClassifier().fit(X[::2], y[::2])
    cuts = [a.cuts for a in model.attributes_]
    own = gd.MDLPDiscretizer().fit(X[::2], y[::2]).cuts_
    for got, expected in zip(cuts, own, strict=True):
        np.testing.assert_array_equal(got, expected)
    assert any(
        not np.array_equal(a, b) for a, b in zip(own, gd.MDLPDiscretizer().fit(X, y).cuts_, strict=True)
    )


def test_which_numbers_are_cut():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 100)
    X = pd.DataFrame(
        {"few": rng.integers(0, 10, 100), "many": rng.integers(0, 50, 100), "real": rng.random(100)}
    )
    kinds = {
        setting: [
            type(a).__name__ for a in gd.MarkovNetworkClassifier(discretize=setting).fit(X, y).attributes_
        ]
        for setting in ("auto", "mdlp", None)
    }
    assert kinds["auto"] == ["Levels", "Intervals", "Intervals"]
    assert kinds["mdlp"] == ["Intervals"] * 3
    assert kinds[None] == ["Levels"] * 3


@pytest.mark.parametrize("preset", PRESETS)
def test_an_explanation_adds_up_to_the_prediction(preset):
    X, y = board()
    model = gd.MarkovNetworkClassifier(preset=preset, averaging=False).fit(X, y)
    for i in range(5):
        explanation = model.explain(X.iloc[[i]], predicted="yes", against="no")
        total = explanation.prior + sum(part.log_odds for part in explanation.contributions)
        assert explanation.log_odds == pytest.approx(total)
        p = model.predict_proba(X.iloc[[i]])[0]
        assert explanation.log_odds == pytest.approx(np.log(p[1] / p[0]))
    assert "log-odds of yes against no" in str(explanation)
    assert model.explain(X.iloc[0].tolist()) == model.explain(X.iloc[[0]])


def test_explaining_says_what_it_needs():
    X, y = board(50)
    model = gd.MarkovNetworkClassifier().fit(X, y)
    with pytest.raises(DataError, match="explain takes one row, not 2"):
        model.explain(X[:2])
    with pytest.raises(DataError, match="'maybe' is not a class"):
        model.explain(X[:1], predicted="maybe")
    with pytest.raises(DataError, match="explain was given 2 values; the model has 4 attributes"):
        model.explain(["x", 1])
    with pytest.raises(DataError, match="explain was given no value of 'c'"):
        model.explain({"a": "x", "b": 1, "d": 0})


def test_a_row_is_explained_in_whatever_form_it_comes():
    X, y = board(200)
    model = gd.MarkovNetworkClassifier().fit(X, y)
    expected = model.explain(X.iloc[[7]])
    for row in (X.iloc[7], dict(X.iloc[7]), tuple(X.iloc[7]), pl.from_pandas(X)[7]):
        assert model.explain(row) == expected
    array = gd.MarkovNetworkClassifier().fit(X.to_numpy(), y)
    assert array.explain(X.to_numpy()[7]) == array.explain(X.to_numpy()[7:8])


@pytest.mark.parametrize("preset", PRESETS)
def test_chunks_and_threads_change_nothing(preset, monkeypatch):
    X, y = board(500)
    model = gd.MarkovNetworkClassifier(preset=preset).fit(X, y)
    expected = model.predict_proba(X)
    monkeypatch.setattr(markov, "CHUNK", 64)
    for form in (X, pl.from_pandas(X), pa.Table.from_pandas(X)):
        np.testing.assert_array_equal(model.predict_proba(form), expected)
    threaded = gd.MarkovNetworkClassifier(preset=preset, n_jobs=2).fit(X, y)
    np.testing.assert_array_equal(threaded.predict_proba(X), expected)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"max_order": 1}, "max_order is 1; it must be a whole number of at least 2"),
        ({"max_order": 99}, "max_order is 99; the most is 8"),
        ({"max_order": "four"}, "max_order is 'four'"),
        ({"candidates": 0}, "candidates is 0"),
        ({"prior": "bic"}, "prior is 'bic'; expected one of 'aicc', 'exp'"),
        ({"theta": 0.0}, "theta is 0.0; it must be a positive number"),
        ({"discretize": "scott"}, "discretize is 'scott'"),
        ({"preset": "papers"}, "preset is 'papers'; expected one of None, 'paper'"),
        ({"n_jobs": 0}, "n_jobs is 0"),
        ({"n_jobs": "all"}, "n_jobs is 'all'"),
    ],
)
def test_settings_are_checked(settings, message):
    with pytest.raises(SettingsError, match=message):
        gd.MarkovNetworkClassifier(**settings).fit([["a"], ["b"]], [0, 1])


def test_data_that_cannot_be_used_are_refused_in_a_sentence():
    X, y = board(50)
    model = gd.MarkovNetworkClassifier().fit(X, y)
    with pytest.raises(DataError, match="'a' held text when it was learned from and holds numbers now"):
        model.predict(X.assign(a=1))
    with pytest.raises(DataError, match="'c' held numbers when it was learned from and holds text now"):
        model.predict(X.assign(c="low"))
    with pytest.raises(DataError, match="infinite"):
        model.predict(X.assign(c=np.inf))
    with pytest.raises(DataError, match="'e' holds list"):
        model.fit(X.assign(e=[[1]] * 50), y)
    with pytest.raises(DataError, match=r"0 feature\(s\)"):
        model.fit(X[[]], y)
    with pytest.raises(DataError, match="3 rows have no class"):
        model.fit(X, np.where(np.arange(50) < 3, None, y))


@pytest.mark.parametrize("preset", PRESETS)
def test_columns_that_say_nothing_change_nothing(preset):
    X, y = board(300)
    model = gd.MarkovNetworkClassifier(preset=preset).fit(X, y)
    more = X.assign(constant="same", gone=np.nan, none=None)
    wider = gd.MarkovNetworkClassifier(preset=preset).fit(more, y)
    np.testing.assert_allclose(wider.predict_proba(more), model.predict_proba(X), atol=1e-12)
    met_later = more.assign(constant="other", gone=1.0, none="some")
    np.testing.assert_allclose(wider.predict_proba(met_later), model.predict_proba(X), atol=1e-12)


@pytest.mark.parametrize("preset", PRESETS)
def test_a_class_with_one_row(preset):
    X, y = board(300)
    y = y.astype(object)
    y[0] = "perhaps"
    p = gd.MarkovNetworkClassifier(preset=preset).fit(X, y).predict_proba(X)
    np.testing.assert_allclose(p.sum(axis=1), 1.0)
    assert (p[1:, 1] < 0.2).all()


def test_lazy_frames_are_collected():
    X, y = board(100)
    model = gd.MarkovNetworkClassifier().fit(X, y)
    lazy = pl.from_pandas(X).lazy()
    np.testing.assert_array_equal(
        gd.MarkovNetworkClassifier().fit(lazy, y).predict_proba(lazy), model.predict_proba(X)
    )


def test_only_the_most_promising_hyperedges_are_looked_at():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (300, 9))
    y = (X[:, 2] & X[:, 5]) ^ (rng.random(300) < 0.1)
    model = gd.MarkovNetworkClassifier(preset="paper", max_order=3, candidates=5).fit(X, y)
    whole = gd.MarkovNetworkClassifier(preset="paper", max_order=3).fit(X, y)
    assert ("X2", "X5") in [h.attributes for h in model.hyperedges_]
    assert max(len(s.faces) for s in model._climb.steps if s.faces.shape[1] == 2) == 5
    assert max(len(s.faces) for s in whole._climb.steps if s.faces.shape[1] == 2) == 36


def test_hypertrees_only():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (2000, 4))
    score = X[:, 0] * X[:, 1] + X[:, 1] * X[:, 2] + X[:, 0] * X[:, 2]
    y = score + rng.normal(0, 0.4, 2000) > 0.8
    pairs = [
        h.attributes for h in gd.MarkovNetworkClassifier(max_order=3).fit(X, y).hyperedges_ if h.order == 3
    ]
    tree = gd.MarkovNetworkClassifier(max_order=3, acyclic=True).fit(X, y)
    assert {("X0", "X1"), ("X1", "X2"), ("X0", "X2")} <= set(pairs)  # a cycle
    assert len([h for h in tree.hyperedges_ if h.order == 3 and "X3" not in h.attributes]) == 2


def test_a_drawing():
    pytest.importorskip("matplotlib")
    X, y = board(400)
    model = gd.MarkovNetworkClassifier().fit(X, y)
    ax = model.draw()
    shown = {text.get_text() for text in ax.texts}
    assert {"a", "b", "c", "d"} <= shown
    assert len(ax.lines) == sum(h.order > 2 for h in model.hyperedges_)
    for hyperedge in model.hyperedges_:
        assert f"{hyperedge.step}: {hyperedge.information:+.1%}" in shown
    with pytest.raises(DataError, match="positions has no place for 'a'"):
        model.draw(positions={})


def test_importing_graphoid_needs_no_scikit_learn():
    code = (
        "import sys; sys.modules['sklearn'] = None\n"
        "import graphoid as gd; print(sorted({'pandas', 'matplotlib', 'scipy'} & set(sys.modules)))\n"
        "try: gd.MarkovNetworkClassifier\n"
        "except ImportError as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [
        "[]",
        "a classifier or discretizer needs an optional library: pip install 'graphoid[sklearn]'.",
    ]


def test_a_table_with_numbers_is_learned_from():
    rng = np.random.default_rng(8)
    age = rng.normal(50, 10, 300)
    columns = {
        "age": age,
        "town": rng.choice(["a", "b"], 300).tolist(),
        "visits": rng.poisson(3, 300),
        "ill": np.where(age + rng.normal(0, 3, 300) > 50, "yes", "no").tolist(),
    }
    table = gd.read(columns)
    by_name = gd.MarkovNetworkClassifier().fit(table, "ill")
    frame = table.to_frame()
    by_frame = gd.MarkovNetworkClassifier().fit(frame.drop(columns="ill"), columns["ill"])
    expected = by_frame.predict_proba(frame.drop(columns="ill"))
    np.testing.assert_array_equal(by_name.predict_proba(table), expected)
    np.testing.assert_array_equal(by_name.predict_proba(frame.drop(columns="ill")), expected)
    assert (by_name.predict(table) == columns["ill"]).mean() > 0.85
    with pytest.raises(DataError, match="'age' holds numbers; a class has states"):
        gd.MarkovNetworkClassifier().fit(table, "age")


def test_weights_of_a_table_are_those_of_its_rows():
    rng = np.random.default_rng(9)
    columns = {
        "x": rng.normal(size=200),
        "y": rng.choice(["a", "b"], 200).tolist(),
        "w": rng.integers(0, 4, 200),
    }
    table = gd.read(columns, weights="w")
    rows = gd.read(columns, columns=["x", "y"])
    weighted = gd.MarkovNetworkClassifier().fit(rows, "y", sample_weight=columns["w"])
    np.testing.assert_array_equal(
        gd.MarkovNetworkClassifier().fit(table, "y").predict_proba(rows), weighted.predict_proba(rows)
    )
