"""Moral graphs worked by hand."""

from __future__ import annotations

import pytest

from graphoid.errors import UnknownVariable
from graphoid.structure.moral import moral_graph


def test_parents_of_a_child_are_joined() -> None:
    graph = moral_graph(["a", "b", "c"], [[], [], ["a", "b"]])
    assert graph.edges == ((0, 1), (0, 2), (1, 2))
    assert graph.names == ("a", "b", "c")


@pytest.mark.parametrize(
    ("parents", "edges"),
    [
        ([[], [0], [1]], ((0, 1), (1, 2))),  # a chain stays a chain
        ([[], [0], [0]], ((0, 1), (0, 2))),  # a fork stays a fork
        ([[1, 2, 3], [], [], []], ((0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3))),
        ([[], [], []], ()),
        # Lauritzen and Spiegelhalter's chest clinic: asia, smoke, tub, lung, bronc, either, xray, dysp
        (
            [[], [], [0], [1], [1], [2, 3], [5], [4, 5]],
            ((0, 2), (1, 3), (1, 4), (2, 3), (2, 5), (3, 5), (4, 5), (4, 7), (5, 6), (5, 7)),
        ),
    ],
)
def test_known_moral_graphs(parents: list[list[int]], edges: tuple[tuple[int, int], ...]) -> None:
    assert moral_graph(len(parents), parents).edges == edges


def test_unknown_parents_are_named() -> None:
    with pytest.raises(UnknownVariable, match="nobody"):
        moral_graph(["a", "b"], [[], ["nobody"]])
