"""An answer of a model: an array in all it does, with names and states where it is shown."""

from __future__ import annotations

import numpy as np
import pytest

import graphoid as gd
from graphoid.errors import DataError


@pytest.fixture(scope="module")
def model() -> gd.MarkovNetwork:
    table = gd.datasets.load("survey")
    return gd.MarkovNetwork.fit(gd.datasets.simulated.survey_graph(), table)


def test_an_answer_is_an_array_and_prints_as_a_table(model) -> None:
    answer = model.query("bus", {"region": "city"})
    assert isinstance(answer, np.ndarray)
    assert answer.sum() == pytest.approx(1)
    assert str(answer.round(3)).splitlines()[0].split() == ["bus", "probability"]
    assert [line.split()[0] for line in repr(answer).splitlines()[1:]] == ["no", "yes"]
    assert "<td>yes</td>" in answer._repr_html_()
    assert answer[1] == np.asarray(answer)[1]
    assert repr(answer[:1]).startswith("array")  # no longer a distribution
    assert np.allclose(answer * 1.0, np.asarray(answer))


def test_states_are_an_index_where_they_are_text(model) -> None:
    answer, joint = model.query("bus"), model.query(["region", "age"])
    assert answer["yes"] == np.asarray(answer)[1]
    assert joint["country", "old"] == np.asarray(joint)[1, 2]
    assert joint["city"].shape == (3,)
    many = model.query("bus", {"region": ["city", "country"]})
    assert many[1, "no"] == np.asarray(many)[1, 0]
    with pytest.raises(DataError, match="no state is named 'maybe' here; there are 'no', 'yes'"):
        answer["maybe"]
    with pytest.raises(DataError, match="no state is named 'city'"):
        many["city"]  # rows of evidence have numbers


def test_a_frame_has_a_row_for_every_combination(model) -> None:
    pytest.importorskip("pandas")
    frame = model.query(["region", "age"]).to_frame()
    assert list(frame.columns) == ["region", "age", "probability"]
    assert len(frame) == 6
    city = frame[(frame.region == "city") & (frame.age == "young")].probability.item()
    assert city == pytest.approx(model.query(["region", "age"])[0, 0])
    many = model.query("bus", {"region": ["city", "country"]}).to_frame()
    assert list(many.columns) == ["row", "bus", "probability"]
    assert many.groupby("row").probability.sum().tolist() == pytest.approx([1, 1])


def test_samples_and_edges_are_frames_too(model) -> None:
    pytest.importorskip("pandas")
    assert model.sample(5, random_state=0).to_frame().shape == (5, 6)
    found = gd.learn(gd.datasets.load("survey"))
    edges, pairs = found.to_frame(), found.to_frame(pairs=True)
    assert (len(edges), len(pairs)) == (7, 15)
    assert found.to_pandas().equals(edges)
    assert {"x", "y", "weight", "weight_low", "weight_high", "size", "probability", "verdict"} <= set(edges)
    assert edges.weight.notna().all()
