"""Panels are drawn with the kinds of their edges: dashes, waves as groups, and a legend."""

from __future__ import annotations

import numpy as np
import pytest

import graphoid as gd
from graphoid.report.plots import network_drawing
from graphoid.report.svg import to_svg


@pytest.fixture(scope="module")
def panel():
    rng = np.random.default_rng(1)
    mood, columns = rng.normal(size=600), {"sex": rng.integers(0, 2, 600)}
    for wave in (1, 2):
        before, mood = mood, 0.7 * mood + rng.normal(size=600)
        columns |= {f"mood_t{wave}": mood, f"sleep_t{wave}": 0.5 * mood + 0.6 * before + rng.normal(size=600)}
    return gd.learn(gd.read(columns), knowledge=gd.Knowledge(waves="{item}_t{wave}"))


def test_a_frame_says_the_kind(panel):
    frame = panel.to_frame(pairs=True)
    kinds = dict(zip(zip(frame["x"], frame["y"], strict=True), frame["kind"], strict=True))
    assert kinds["mood_t1", "mood_t2"] == "autoregressive"
    assert kinds["mood_t1", "sleep_t2"] == "lag 1"
    assert kinds["mood_t1", "sleep_t1"] == "contemporaneous"
    assert kinds["sex", "mood_t1"] is None
    assert "kind" not in gd.learn(gd.datasets.load("titanic")).to_frame()


def test_a_drawing_tells_them_apart(panel):
    drawing = network_drawing(panel)
    lines = {line.kind: line for line in drawing.lines}
    assert set(drawing.kinds) >= {"autoregressive", "lag 1", "contemporaneous"}
    assert len({lines[kind].dashes for kind in drawing.kinds}) == len(drawing.kinds)
    assert [group.label for group in drawing.groups] == ["wave 1", "wave 2"]


def test_every_format_has_a_legend_of_them(panel, tmp_path):
    pytest.importorskip("matplotlib")
    words = [f"{kind} edge" for kind in ("autoregressive", "lag 1", "contemporaneous")]
    svg = to_svg(network_drawing(panel))
    assert all(word in svg for word in words)
    legend = panel.plot().get_legend()
    assert set(words) <= {text.get_text() for text in legend.get_texts()}
    panel.report(tmp_path / "panel.html")
    page = (tmp_path / "panel.html").read_text(encoding="utf-8")
    assert all(word in page for word in words)


def test_other_networks_have_none(panel):
    drawing = network_drawing(gd.GSMN().fit(gd.datasets.load("titanic")).structure_)
    assert drawing.kinds == []
    assert {line.dashes for line in drawing.lines} <= {(), (7.0, 6.0)}
