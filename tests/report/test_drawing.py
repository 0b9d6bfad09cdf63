"""Nothing lies on anything else in a drawing: by geometry, and not with the code that made the drawing.

Names and nodes are boxes, edges two hundred points each.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

import graphoid as gd
from graphoid.errors import DataError
from graphoid.report.labels import label_of, node_sizes, text_width
from graphoid.report.plots import network_drawing
from graphoid.report.svg import to_svg

if TYPE_CHECKING:
    from graphoid.report.drawing import Drawing

pytest.importorskip("matplotlib")

LONG = (
    "feeling {} in the evening",
    "hours_per_week_{}",
    "native.country.{}",
    "mean concave points {}",
    "q{}",
)


def structure_of(n: int, neighbors: float, *, seed: int, long: bool = False) -> gd.LearnedStructure:
    graph = gd.datasets.random_graph(n, neighbors, np.random.default_rng(seed))
    names = [LONG[i % len(LONG)].format(i) if long else f"q{i}" for i in range(n)]
    return gd.LearnedStructure(gd.UndirectedGraph(names, graph.edges))


def boxes(drawing: Drawing) -> tuple[list[tuple[float, ...]], list[tuple[float, ...]]]:
    """The boxes of names and of nodes: left, top, right, bottom."""
    names, nodes = [], []
    for node in drawing.nodes:
        label = label_of(node.name)
        for box, width, height in ((names, label.width, label.height), (nodes, node.width, node.height)):
            box.append((node.x - width / 2, node.y - height / 2, node.x + width / 2, node.y + height / 2))
    return names, nodes


def points_of(line) -> np.ndarray:
    """Two hundred points of an edge, by de Casteljau's rule where it bends."""
    start, end = np.array([line.x1, line.y1]), np.array([line.x2, line.y2])
    middle = (start + end) / 2 if line.bend is None else np.array(line.bend)
    shares = np.linspace(0, 1, 200)[:, None]
    first, second = start + shares * (middle - start), middle + shares * (end - middle)
    return first + shares * (second - first)


def overlaps(drawing: Drawing) -> list[str]:
    """Everything that lies on something else."""
    names, nodes = boxes(drawing)
    found = []
    for v, (name, node) in enumerate(zip(names, nodes, strict=True)):
        if not (name[0] > node[0] and name[1] > node[1] and name[2] < node[2] and name[3] < node[3]):
            found.append(f"the name of {v} is not within its node")
        for w in range(v):
            left, top, right, bottom = nodes[w]
            if node[0] < right and node[2] > left and node[1] < bottom and node[3] > top:
                found.append(f"node {v} lies on node {w}")
    for line in drawing.lines:
        along = points_of(line)
        for v, (left, top, right, bottom) in enumerate(names):
            ends = {(line.x1, line.y1), (line.x2, line.y2)}
            if (drawing.nodes[v].x, drawing.nodes[v].y) in ends:
                continue  # it ends there, below the node
            inside = (along > (left, top)).all(axis=1) & (along < (right, bottom)).all(axis=1)
            if inside.any():
                found.append(f"an edge goes through the name of {v}")
    return found


@pytest.mark.parametrize("long", [False, True])
@pytest.mark.parametrize(("n", "neighbors"), [(4, 2), (24, 3), (24, 5), (60, 2), (60, 4)])
@pytest.mark.parametrize("seed", [1, 2])
def test_no_name_lies_on_a_node_or_an_edge(n, neighbors, seed, long) -> None:
    assert overlaps(network_drawing(structure_of(n, neighbors, seed=seed, long=long))) == []


def scale_free(n: int) -> list[tuple[int, int]]:
    return list(gd.datasets.scale_free_graph(n, 2, np.random.default_rng(5)).edges)


@pytest.mark.parametrize("n", [4, 24, 60])
@pytest.mark.parametrize("edges", [scale_free, lambda n: [(0, v) for v in range(1, n)]], ids=["hubs", "star"])
def test_nor_does_one_around_hubs(n, edges) -> None:
    names = [LONG[i % len(LONG)].format(i) for i in range(n)]
    assert overlaps(network_drawing(gd.LearnedStructure(gd.UndirectedGraph(names, edges(n))))) == []


def test_the_check_can_fail() -> None:
    drawing = network_drawing(structure_of(4, 2, seed=1))
    first = drawing.nodes[0]
    moved = [
        node._replace(x=first.x + 1, y=first.y) if i == 1 else node for i, node in enumerate(drawing.nodes)
    ]
    assert any("lies on node" in said for said in overlaps(drawing._replace(nodes=moved)))
    third = drawing.nodes[2]
    line = drawing.lines[0]._replace(x1=third.x - 50, y1=third.y, x2=third.x + 50, y2=third.y)
    assert any("goes through" in said for said in overlaps(drawing._replace(lines=[line])))


@pytest.mark.parametrize("n", [4, 24, 60, 200])
def test_a_drawing_fills_its_page_and_is_the_same_every_time(n) -> None:
    found = structure_of(n, 2, seed=3)
    drawing = network_drawing(found)
    _, _, width, height = drawing.box
    inner = np.array([(node.x, node.y) for node in drawing.nodes])
    extent = inner.max(axis=0) - inner.min(axis=0)
    assert (extent > 0.45 * np.array([width, height])).all()
    assert 0.6 < width / height < 2.6
    assert network_drawing(found) == drawing


def test_parts_of_a_graph_are_not_far_from_each_other() -> None:
    names = ["Zufriedenheit", "Einkommen (EUR)", "Alter", "Größe", "Geschlecht", "Straße"]
    drawing = network_drawing(gd.LearnedStructure(gd.UndirectedGraph(names, [(0, 1), (1, 2), (3, 4)])))
    assert overlaps(drawing) == []
    for low, high in ((1, 3), (0, 2)):  # bands across and down
        spans = sorted((node[low], node[high]) for node in boxes(drawing)[1])
        spans += [tuple(sorted((e.y1, e.y2) if low == 1 else (e.x1, e.x2))) for e in drawing.lines]
        reached = -np.inf
        for begin, end in sorted(spans):
            assert reached == -np.inf or begin - reached <= 90.5
            reached = max(reached, end)


def test_widths_colors_and_dashes_say_what_was_measured() -> None:
    rng = np.random.default_rng(0)
    a = rng.integers(1, 6, 600)
    columns = {
        "a": a,
        "b": np.clip(a + rng.integers(-1, 2, 600), 1, 5),
        "c": np.clip(6 - a + rng.integers(-2, 3, 600), 1, 5),
    }
    found = gd.learn(gd.read(columns))
    drawing = network_drawing(found)
    weights = found.weights()
    for (x, y), line in zip(found.graph.edges, drawing.lines, strict=True):
        assert line.sign == ("positive" if weights[x, y] > 0 else "negative")
        assert line.certainty == ("sure" if found.verdict(x, y) == "present" else "doubtful")
    order = sorted(found.graph.edges, key=lambda e: abs(weights[e]))
    widths = dict(zip(found.graph.edges, (line.width for line in drawing.lines), strict=True))
    assert [widths[e] for e in order] == sorted(widths.values())


def test_blocks_that_are_given_have_a_color_each_and_others_are_refused() -> None:
    found = structure_of(6, 2, seed=1)
    drawing = network_drawing(found, groups={"mood": ["q0", "q1"], "sleep": ["q2", "q3"]}, highlight=["q5"])
    assert [node.group for node in drawing.nodes] == [0, 0, 1, 1, None, None]
    assert [node.highlighted for node in drawing.nodes] == [False] * 5 + [True]
    assert "mood" in to_svg(drawing)
    with pytest.raises(DataError, match="no variable 'nobody' to draw"):
        network_drawing(found, groups=[["nobody"]])


def test_communities_are_found_where_none_are_given() -> None:
    edges = [(i, j) for block in (range(5), range(5, 10)) for i in block for j in block if i < j]
    found = gd.LearnedStructure(gd.UndirectedGraph(10, [*edges, (4, 5)]))
    assert [node.group for node in network_drawing(found).nodes] == [0] * 5 + [1] * 5


@pytest.mark.parametrize(
    "name", ["age", "I feel calm and relaxed most of the time", "x" * 80, "漢字の名前", "WWWWWWWW"]
)
def test_letters_are_no_wider_than_the_room_that_is_kept_for_them(name) -> None:
    from matplotlib.textpath import TextPath

    label = label_of(name)
    if name.isascii():  # other letters are not in the font that matplotlib brings
        drawn = max(TextPath((0, 0), line, size=12.5).get_extents().width for line in label.lines)
        assert drawn <= label.width
    assert label.width == max(map(text_width, label.lines))
    assert (node_sizes([label])[0] > (label.width, label.height)).all()
