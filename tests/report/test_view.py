"""The live view without a notebook: traits, what they refuse, and what is shown where nothing is live."""

from __future__ import annotations

import importlib.util
import re

import numpy as np
import pytest

import graphoid as gd
from graphoid.errors import DataError, UnknownVariable
from graphoid.report.evidence import MOST_FEATURES, fit_model, from_positions, marginals, to_positions
from graphoid.report.page import compose
from graphoid.report.view import still_picture
from tests.report.test_page import Read
from tests.support.hostile_names import hostile_table


@pytest.fixture(scope="module")
def found():
    return gd.learn(gd.datasets.load("survey"))


@pytest.fixture
def view(found):
    pytest.importorskip("anywidget", reason="needs graphoid[notebook]")
    return gd.view(found)


def test_traits_are_said_by_name_and_by_position(view):
    view.selected = ("age", "income")
    assert view._selected == [1, 2]
    view._selected = [3]
    assert view.selected == ("bus",)
    view.evidence = {"region": "city"}
    assert view._evidence == [[0, 0]]
    view._evidence = [[0, 1], [1, 2]]
    assert view.evidence == {"region": "country", "age": view._table.variables[1].states[2]}
    view._evidence = []
    assert view.evidence == {}


def test_evidence_is_answered_as_the_model_answers(view, found):
    view.evidence = {"region": "city", "age": "young"}
    expected = gd.MarkovNetwork.fit(found, gd.datasets.load("survey")).query("bus", view.evidence)
    assert view.marginals["bus"] == pytest.approx(expected)
    assert view._marginals[3] == pytest.approx(expected, abs=1e-6)
    assert view._note == ""


@pytest.mark.parametrize(
    ("trait", "value", "error", "words"),
    [
        ("selected", ("nobody",), UnknownVariable, "no variable is named 'nobody'"),
        ("selected", ("age", "bus", "car"), DataError, "select one, or two"),
        ("evidence", {"region": "moon"}, DataError, "it has the states 'city', 'country'"),
        ("evidence", {"moon": "city"}, UnknownVariable, "'moon'"),
    ],
)
def test_what_cannot_be_is_refused_and_changes_nothing(view, trait, value, error, words):
    view.selected, view.evidence = ("bus",), {"car": "yes"}
    with pytest.raises(error, match=words):
        setattr(view, trait, value)
    assert (view.selected, view.evidence) == (("bus",), {"car": "yes"})


def test_without_its_table_a_result_says_so(found, tmp_path):
    pytest.importorskip("anywidget", reason="needs graphoid[notebook]")
    found.save(tmp_path / "survey.json")
    view = gd.view(gd.load(tmp_path / "survey.json"))
    view._request += 1
    assert "evidence needs the table" in view._note
    with pytest.raises(DataError, match="evidence needs the table"):
        view.evidence = {"region": "city"}


def test_the_picture_is_in_every_bundle(view):
    data, _ = view._repr_mimebundle_()
    assert "application/vnd.jupyter.widget-view+json" in data
    assert "<svg" in data["text/html"]
    assert "content depends on bus alone" in data["text/html"]


def test_a_notebook_keeps_the_picture_for_where_nothing_runs(view, monkeypatch):
    notebook = pytest.importorskip("IPython.display")
    shown = []
    monkeypatch.setattr(notebook, "display", lambda data, raw: shown.append(data))
    view._ipython_display_()
    still, live = shown
    assert f'data-graphoid="{view._key}"' in still["text/html"]
    assert "<svg" in still["text/html"]
    assert set(live) == {"text/plain", "application/vnd.jupyter.widget-view+json"}


def test_without_anywidget_there_is_the_picture(found, monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    shown = gd.view(found)
    text = shown._repr_html_()
    assert "<svg" in text
    assert "graphoid[notebook]" in text
    shown.selected = ("bus",)  # what runs with widgets runs without


def test_nothing_in_a_name_is_markup():
    table = hostile_table()
    page = compose(gd.GSMN().fit(table).structure_, title="<script>window.broken = 2</script>")
    read = Read(still_picture(page))
    assert not [tag for tag, _ in read.tags if tag in ("script", "img")]


def test_a_file_has_nothing_of_the_live_page(found, tmp_path):
    found.report(tmp_path / "still.html")
    text = (tmp_path / "still.html").read_text(encoding="utf-8")
    assert "postMessage" not in text
    assert len(re.findall(r"<script>", text)) == 1


def test_positions_and_names_are_one_another(found):
    variables = found.table.variables
    known = {"region": "country", "bus": "yes"}
    assert from_positions(variables, to_positions(variables, known)) == known


def test_large_cliques_are_fitted_by_pairs():
    rng = np.random.default_rng(0)
    hidden = rng.normal(size=2_000)
    table = gd.read({f"x{v}": np.digitize(hidden + rng.normal(size=2_000), [-1, 0, 1]) for v in range(8)})
    graph = gd.UndirectedGraph(table.names, [(x, y) for x in range(8) for y in range(x + 1, 8)])
    complete = gd.GSMN().learn(gd.Oracle(graph))
    assert MOST_FEATURES < 4**8
    model = fit_model(complete, table)
    assert len(model.weights) == 8 * 4 + 28 * 16
    shares = np.bincount(table.column(0), minlength=4) / table.n_rows
    assert marginals(model, {})[0] == pytest.approx(shares, abs=0.01)


def test_rows_with_holes_are_left_out_of_the_model():
    frame = gd.datasets.load("survey").to_frame().astype(object)
    frame.loc[:200, "income"] = None
    table = gd.read(frame, missing="available")
    found = gd.learn(table)
    assert len(marginals(fit_model(found, table), {})) == 6


@pytest.mark.parametrize("kind", ["contexts", "classifier", "numbers"])
def test_whatever_has_a_report_has_a_view(kind):
    pytest.importorskip("anywidget", reason="needs graphoid[notebook]")
    survey = gd.datasets.load("survey")
    rng = np.random.default_rng(3)
    x = rng.normal(size=400)
    if kind == "contexts":
        view = gd.view(gd.CSGS().fit(survey).structure_)
    elif kind == "classifier":
        frame = survey.to_frame()
        view = gd.view(gd.MarkovNetworkClassifier().fit(frame.drop(columns="bus"), frame["bus"]))
    else:
        view = gd.view(gd.learn(gd.read({"x": x, "y": x + rng.normal(size=400)})))
    view._request += 1
    if kind == "contexts":
        assert (view._note, len(view._marginals)) == ("", 6)
    elif kind == "classifier":
        assert "evidence needs the table" in view._note
    else:
        before = view.marginals["y"].mean
        view._evidence = [[0, 2.0]]
        assert view.evidence == {"x": 2.0}
        assert view.marginals["y"].mean > before + 1
