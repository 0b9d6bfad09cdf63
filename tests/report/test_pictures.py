"""What a page draws of an edge with a number."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import numpy as np
import pytest

import graphoid as gd
from graphoid.report.pictures import LEAST_POINTS, MOST_POINTS, Boxes, Scatter, pictures_of, scatter
from tests.support.mixed import MIXED_GRAPH, mixed_table

if TYPE_CHECKING:
    from pathlib import Path

TABLE = mixed_table(1_000, 0)


def test_edges_have_the_picture_of_their_kinds():
    found = pictures_of(TABLE, MIXED_GRAPH.edges)
    kinds = {pair: type(picture) for pair, picture in found.items()}
    assert kinds == {(0, 2): Boxes, (1, 2): Boxes, (2, 3): Scatter, (1, 4): Boxes}
    assert pictures_of(TABLE, ((0, 1),)) == {}  # states alone have a table of counts
    assert pictures_of(None, ((0, 1),)) == {}


def test_a_scatter_shows_few_rows_and_the_line_of_all():
    x, y = TABLE.numbers("age"), TABLE.numbers("size")
    found = pictures_of(TABLE, ((2, 3),))[2, 3]
    assert isinstance(found, Scatter)
    assert len(found.x) == len(found.y) == MOST_POINTS
    assert found.rows == 1_000
    slope, constant = np.polyfit(x, y, 1)
    assert found.line is not None
    for at, height in found.line:
        assert height == pytest.approx(constant + slope * at, rel=2e-3)
    order = np.random.default_rng(1).permutation(1_000)
    assert scatter(x[order], y[order]) == found
    many = pictures_of(TABLE, ((2, 3),) * 50_000)
    assert len(many[2, 3].x) == LEAST_POINTS


def test_constant_or_absent_numbers_have_no_line():
    assert scatter(np.ones(3), np.arange(3.0)).line is None
    nothing = scatter(np.array([np.nan]), np.ones(1))
    assert (nothing.rows, nothing.x) == (0, [])


def test_boxes_are_quantiles_of_a_state_and_rare_states_have_none():
    found = pictures_of(TABLE, ((0, 2),))[0, 2]
    assert isinstance(found, Boxes)
    assert (found.number, found.states, found.more) == (2, ["red", "green", "blue"], 0)
    red = TABLE.numbers("age")[TABLE.column("color") == 0]
    assert found.boxes[0] == pytest.approx(np.quantile(red, [0.05, 0.25, 0.5, 0.75, 0.95]), rel=1e-3)
    assert sum(found.rows) == 1_000
    few = mixed_table(8, 3)
    rare = pictures_of(few, ((0, 2),))[0, 2]
    assert [box is None for box in rare.boxes] == [n < 5 for n in rare.rows]
    assert None in rare.boxes


def test_pages_have_them(tmp_path: Path):
    learned = gd.GSMN(test=gd.PartialCorrelation()).learn(gd.Oracle(MIXED_GRAPH))
    learned.report(tmp_path / "r.html", TABLE)
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    data = json.loads(re.search(r'<script type="application/json"[^>]*>(.*?)</script>', page, re.DOTALL)[1])
    by_pair = {(e["x"], e["y"]): e for e in data["edges"]}
    assert len(by_pair[2, 3]["scatter"]["x"]) == MOST_POINTS
    assert by_pair[0, 2]["boxes"]["states"] == ["red", "green", "blue"]
    assert all(("scatter" in e) + ("boxes" in e) + ("meeting" in e) <= 1 for e in data["edges"])
