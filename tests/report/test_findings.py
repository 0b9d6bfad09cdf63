"""The first sentences of a report: what was found, and no longer than it takes."""

from __future__ import annotations

import graphoid as gd
from graphoid.report.drawing import groups_of
from graphoid.report.edges import edges_of
from graphoid.report.findings import finding, summary
from graphoid.report.subject import subject_of


def sentences(graph: gd.UndirectedGraph) -> tuple[str, str]:
    subject = subject_of(gd.LearnedStructure(graph))
    edges = edges_of(subject)
    groups = groups_of(subject, edges)
    return finding(subject, edges, groups), summary(subject, edges, groups).isolated


def blocks(n_blocks: int, size: int) -> gd.UndirectedGraph:
    starts = range(0, n_blocks * size, size)
    edges = [(a + i, a + j) for a in starts for i in range(size) for j in range(i)]
    return gd.UndirectedGraph([f"v{i}" for i in range(n_blocks * size)], edges)


def test_who_hangs_together_and_who_depends_on_one_alone() -> None:
    graph = gd.UndirectedGraph(
        ["region", "age", "income", "bus", "content", "pet"],
        [(0, 1), (1, 2), (0, 2), (0, 3), (1, 3), (3, 4)],
    )
    said, isolated = sentences(graph)
    assert said.startswith("region, age, income and bus hang together; content depends on bus alone.")
    assert isolated == "pet"


def test_parts_without_an_edge_between_them_are_said_apart() -> None:
    names = ["sex", "height", "age", "income", "content", "street"]
    said, isolated = sentences(gd.UndirectedGraph(names, [(0, 1), (2, 3), (3, 4)]))
    assert said.startswith("sex and height depend on each other; age and content depend on income alone. ")
    assert isolated == "street"
    triangles = gd.UndirectedGraph(6, [(0, 1), (0, 2), (1, 2), (3, 4), (3, 5), (4, 5)])
    subject = subject_of(gd.LearnedStructure(triangles))
    assert finding(subject, edges_of(subject)).startswith(
        "0, 1 and 2 hang together; 3, 4 and 5 hang together. "
    )
    pairs = gd.UndirectedGraph(14, [(v, v + 1) for v in range(0, 14, 2)])
    assert "; so do the variables of 3 smaller parts. " in sentences(pairs)[0]


def test_groups_are_named_and_many_are_counted() -> None:
    assert sentences(blocks(2, 4))[0].startswith("The variables form 2 groups: v0, v1, v2 and v3; v4, v5")
    said, _ = sentences(blocks(9, 6))
    assert said.startswith("The variables form 9 groups, the largest of them v0, v1, v2 and 3 more; ")
    assert len(said) < 250


def test_no_edge_is_a_finding_too() -> None:
    said, isolated = sentences(gd.UndirectedGraph(["a", "b"], []))
    assert said == "No edge was found: the 2 variables are independent as far as the data show."
    assert isolated == "a and b"
