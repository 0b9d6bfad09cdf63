"""Groups compared as pictures and as a page: one layout, one scale, and what differs stands out."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import TYPE_CHECKING

import numpy as np
import pytest

import graphoid as gd
from graphoid.errors import SettingsError
from graphoid.report.group_pictures import cells, panels, write

if TYPE_CHECKING:
    from pathlib import Path

    from graphoid.uncertainty.group_result import GroupComparison


def rows(seed: int = 5, n: int = 600) -> dict[str, np.ndarray]:
    """Return a, b & <c> in three countries; a and b have opposite signs in Kenya."""
    rng = np.random.default_rng(seed)
    country = np.array(["Chile", "Kenya", "Peru"])[np.arange(n) % 3]
    a = rng.normal(size=n)
    b = np.where(country == "Kenya", -1, 1) * a + rng.normal(size=n)
    return {
        "country": country,
        "age": rng.uniform(20, 80, n),
        "a": a,
        "b &": b,
        "<c>": 0.7 * b + rng.normal(size=n),
    }


@pytest.fixture(scope="module")
def found() -> GroupComparison:
    return gd.compare_groups(rows(), "country", covariates=["age"], n=99, random_state=1)


def test_groups_have_one_layout_and_one_scale(found: GroupComparison) -> None:
    shown = panels(found)
    assert [panel.title.split(";")[0] for panel in shown] == [
        "country = Chile, 200 rows",
        "country = Kenya, 200 rows",
        "country = Peru, 200 rows",
    ]
    places = [[(node.name, node.x, node.y) for node in panel.drawing.nodes] for panel in shown]
    assert places[0] == places[1] == places[2]
    strongest = [max(line.width for line in panel.drawing.lines) for panel in shown]
    effects = [max(abs(row.effects[g]) for row in found.pairs) for g in range(3)]
    assert int(np.argmax(strongest)) == int(np.argmax(effects))
    assert len(set(strongest)) == 3  # on scales of their own all would be the thickest


def test_what_differs_is_in_full_color(found: GroupComparison) -> None:
    kenya = panels(found)[1].drawing.lines
    drawn = sorted((line.sign, line.certainty) for line in kenya)
    assert drawn == [("negative", "sure"), ("positive", "likely")]


def test_the_heat_map_frames_what_differs(found: GroupComparison) -> None:
    drawn = {(cell.x, cell.y): cell for cell in cells(found)}
    assert [pair for pair, cell in drawn.items() if cell.differs] == [(0, 1)]
    row = next(row for row in found.pairs if (row.x, row.y) == ("a", "b &"))
    assert drawn[0, 1].text == f"{row.difference:.2f}"
    two = {name: column[np.arange(600) % 3 < 2] for name, column in rows().items()}
    signed = cells(gd.compare_groups(two, "country", n=99, random_state=1))
    assert (
        max(signed, key=lambda cell: cell.differs).color == "#1f6fae"
    )  # positive in Chile, negative in Kenya


def test_pictures_are_written_by_their_ending(found: GroupComparison, tmp_path: Path) -> None:
    for kind in ("networks", "differences"):
        for ending, start in (("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")):
            write(found, tmp_path / f"p.{ending}", kind)
            assert (tmp_path / f"p.{ending}").read_bytes().startswith(start)
    assert found.plot("differences").get_title() == "the largest effect minus the smallest, by country"
    with pytest.raises(SettingsError, match="networks, differences"):
        found.plot("heatmap")


class Text(HTMLParser):
    """Collects what a page says, its tags, and what it refers to."""

    def __init__(self) -> None:
        super().__init__()
        self.said, self.tags, self.links = "", [], []

    def handle_data(self, data: str) -> None:
        self.said += data

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.links += [value for name, value in attrs if name in ("href", "src") and value]


def test_the_page_says_all_and_asks_nobody(found: GroupComparison, tmp_path: Path) -> None:
    found.report(tmp_path / "g.html", title="Three <countries>")
    page = Text()
    page.feed((tmp_path / "g.html").read_text(encoding="utf-8"))
    assert "Three <countries>" in page.said
    assert "1 of 3 pairs differs: a – b & (adjusted p" in page.said
    assert "country = Kenya, 200 rows" in page.said
    assert (
        "conditional on the other variables of the Markov blanket, taken from the graphs of all groups and "
        "of all rows, and age" in page.said
    )
    assert page.tags.count("svg") == 3 + 1
    assert "script" not in page.tags
    assert all(link.startswith("#") for link in page.links)
    assert page.said.count("<c>") >= 3 + 2  # in every network and on both sides of the heat map


def test_a_moderator_has_a_network_at_each_value(tmp_path: Path) -> None:
    table = rows()
    found = gd.compare_groups(
        table, "age", covariates=["country"], learner=gd.RobustGSMN(), n=99, random_state=1
    )
    assert [panel.title.split(";")[0] for panel in panels(found)] == [found.label(g) for g in range(3)]
    assert {len(panel.drawing.lines) for panel in panels(found)} == {found.graph.n_edges}
    found.report(tmp_path / "m.html")
    assert "linear in age" in (tmp_path / "m.html").read_text(encoding="utf-8")
