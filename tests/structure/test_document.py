"""Canonical models in files: what is saved comes back, and what is broken is refused in a sentence."""

from __future__ import annotations

import json

import numpy as np
import pytest

import graphoid as gd
from graphoid.errors import DataError
from graphoid.structure import document, whole_file
from graphoid.structure.contexts import CanonicalModel


@pytest.fixture(scope="module")
def model():
    return gd.CSGS().fit(gd.datasets.load("titanic")).structure_


def test_a_saved_model_comes_back(model, tmp_path):
    path = tmp_path / "model.json"
    model.save(path)
    again = gd.load(path)
    assert isinstance(again, CanonicalModel)
    assert again.names == model.names
    assert again.states == model.states
    assert again.graphs == model.graphs
    for field in ("assignments", "n_rows", "graph_of"):
        np.testing.assert_array_equal(getattr(again, field), getattr(model, field), strict=True)
    assert again.cost == model.cost
    assert again.settings == model.settings
    assert again.data_id == model.data_id
    assert again.features == model.features
    assert str(again) == str(model)
    assert CanonicalModel.from_json(model.to_json()).to_json() == model.to_json()


def changed(model, **parts):
    body = json.loads(model.to_json())["body"] | parts
    return document.pack(
        CanonicalModel.FORMAT, 1, {key: body[key] for key in body if parts.get(key, "there") is not None}
    )


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (lambda m: m.to_json()[:-20], "is not whole JSON"),
        (lambda m: m.to_json().replace('"crew"', '"cook"'), "damaged or changed"),
        (lambda m: m.to_json().replace('"version":1', '"version":9'), "newer graphoid"),
        (lambda m: changed(m, graphs=None), "has a part that graphoid did not write"),
        (lambda m: changed(m, graphs=[]), "a graph that is not among the 0"),
        (lambda m: changed(m, graph_of=[0]), "as many numbers of rows and graphs"),
        (lambda m: changed(m, states=[["a"]] * 4), "a code that no state has"),
        (lambda m: changed(m, states=[["a"]]), "as many names and sets of states; there are 4 and 1"),
        (lambda m: changed(m, assignments=[["x"]]), "has a part that graphoid did not write"),
        (lambda m: changed(m, cost={"n_tests": 1, "nonsense": 2}), "has a part that graphoid did not write"),
    ],
)
def test_broken_files_get_one_clear_sentence(model, tmp_path, text, says):
    path = tmp_path / "model.json"
    path.write_text(text(model), encoding="utf-8")
    with pytest.raises(DataError, match=says):
        gd.load(path)


def test_a_notebook_shows_it_escaped():
    rows = {"<a>": [0, 1] * 30, "b": [0, 1] * 30}
    html = gd.CSGS().fit(rows).structure_._repr_html_()
    assert html.startswith("<pre>Canonical model of 2 variables")
    assert "<a>" not in html


def test_a_file_is_replaced_at_once_or_not_at_all(tmp_path, monkeypatch):
    path = tmp_path / "any.json"
    document.save("first", path)

    def full(descriptor):
        raise OSError(28, "no space left")

    monkeypatch.setattr(whole_file.os, "fsync", full)
    with pytest.raises(OSError, match="no space left"):
        document.save("second", path)
    assert path.read_text() == "first\n"
    assert list(tmp_path.iterdir()) == [path]
