"""Comparing graphs: values worked by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from graphoid import LearnedStructure, UndirectedGraph, accuracy, compare
from graphoid.errors import DataError, SettingsError
from graphoid.logic.verdict import Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graphoid.logic.source import Question


def test_differences_worked_by_hand() -> None:
    # true 01 12 23 34; learned 01 12 13: two right, one too many, two missing, of ten pairs
    true = UndirectedGraph(5, [(0, 1), (1, 2), (2, 3), (3, 4)])
    learned = UndirectedGraph(5, [(0, 1), (1, 2), (1, 3)])
    result = compare(learned, true)
    assert (result.false_positives, result.false_negatives, result.hamming) == (1, 2, 3)
    assert result.hamming_normalized == pytest.approx(3 / 10)
    assert result.precision == pytest.approx(2 / 3)
    assert result.recall == pytest.approx(2 / 4)
    assert result.f1 == pytest.approx(4 / 7)
    assert result.extra == (("1", "3"),)
    assert result.missing == (("2", "3"), ("3", "4"))
    assert str(result) == "2 edges right, 1 too many, 2 missing: precision 0.667, recall 0.500, F1 0.571"
    assert compare(true, learned).false_positives == 2


def test_equal_graphs_differ_in_nothing() -> None:
    graph = UndirectedGraph(4, [(0, 1)])
    result = compare(graph, graph)
    assert (result.hamming, result.precision, result.recall, result.f1) == (0, 1.0, 1.0, 1.0)


@pytest.mark.parametrize(
    ("learned", "true", "values"),
    [
        ([], [], (1.0, 1.0, 1.0)),  # nothing to find, nothing found
        ([], [(0, 1)], (1.0, 0.0, 0.0)),  # nothing found, hence nothing wrong
        ([(0, 1)], [], (0.0, 1.0, 0.0)),  # nothing to find, hence nothing missing
    ],
)
def test_empty_graphs(learned: list, true: list, values: tuple[float, float, float]) -> None:
    result = compare(UndirectedGraph(3, learned), UndirectedGraph(3, true))
    assert (result.precision, result.recall, result.f1) == values


def test_one_variable_has_no_pair_to_differ_on() -> None:
    assert compare(UndirectedGraph(1), UndirectedGraph(1)).hamming_normalized == 0.0


def test_variables_are_matched_by_name_whatever_their_order() -> None:
    true = UndirectedGraph(["a", "b", "c"], [("a", "b")])
    assert compare(UndirectedGraph(["c", "b", "a"], [("b", "a")]), true).hamming == 0
    assert compare(UndirectedGraph(["c", "b", "a"], [(0, 1)]), true).hamming == 2
    assert compare(UndirectedGraph(3, [(0, 1)]), true).hamming == 0  # numbers for names: by position


def test_results_are_compared_by_their_graph() -> None:
    graph = UndirectedGraph(3, [(0, 1)])
    found = LearnedStructure(graph)
    assert compare(found, graph).hamming == 0
    assert found.compare(found).hamming == 0


def test_other_variables_cannot_be_compared() -> None:
    with pytest.raises(DataError, match="'x' is in one graph only"):
        compare(UndirectedGraph(["x", "b"]), UndirectedGraph(["a", "b"]))
    with pytest.raises(DataError, match="3 variables cannot be compared with 2"):
        compare(UndirectedGraph(3), UndirectedGraph(2))
    with pytest.raises(DataError, match="not str"):
        compare("a graph", UndirectedGraph(2))  # type: ignore[arg-type]


class Counting:
    """Answers from a graph, or always the same, and keeps what it was asked."""

    def __init__(self, graph: UndirectedGraph, always: bool | None = None) -> None:
        self.graph, self.names, self.always = graph, graph.names, always
        self.batches: list[list[Question]] = []

    def independent(self, x: int | str, y: int | str, given: Sequence[int | str] = ()) -> bool:
        raise NotImplementedError  # whoever is tested asks in batches only

    def ask(self, questions: Sequence[Question]) -> list[Verdict]:
        self.batches.append(list(questions))
        return [
            Verdict(x, y, tuple(z), self.graph.separated(x, y, z) if self.always is None else self.always)
            for x, y, z in questions
        ]


def test_triplets_are_spread_evenly_over_sizes_and_asked_at_once() -> None:
    source = Counting(UndirectedGraph(5, [(0, 1), (1, 2)]))
    assert accuracy(source.graph, source, 402, np.random.default_rng(0)) == 1.0
    assert len(source.batches) == 1
    sizes = np.bincount([len(given) for _, _, given in source.batches[0]])
    assert sizes.tolist() == [101, 101, 100, 100]
    assert all(len({x, y, *given}) == 2 + len(given) for x, y, given in source.batches[0])


def test_accuracy_is_the_share_of_agreement() -> None:
    # in an empty graph all are separated: the opposite answer agrees never, the complete graph's never
    empty, complete = UndirectedGraph(3), UndirectedGraph(3, [(0, 1), (0, 2), (1, 2)])
    assert accuracy(empty, Counting(empty, always=True), 10, 0) == 1.0
    assert accuracy(complete, Counting(empty, always=True), 10, 0) == 0.0
    # a chain 0-1-2: of the questions of size 1 only (0, 2 | 1) is a separation, of size 0 none; ask 6,000
    chain = UndirectedGraph(3, [(0, 1), (1, 2)])
    assert accuracy(chain, Counting(empty, always=True), 6_000, 0) == pytest.approx(1 / 6, abs=0.02)
    assert accuracy(LearnedStructure(chain), Counting(chain), 60, 0) == 1.0


def test_accuracy_matches_names_and_follows_its_seed() -> None:
    chain = UndirectedGraph(["a", "b", "c", "d"], [("a", "b"), ("b", "c"), ("c", "d")])
    turned = UndirectedGraph(["d", "b", "c", "a"], [("a", "b"), ("b", "c"), ("c", "d")])
    assert accuracy(turned, Counting(chain), 300, 0) == 1.0
    star = Counting(UndirectedGraph(["a", "b", "c", "d"], [("a", "b"), ("a", "c"), ("a", "d")]))
    assert accuracy(chain, star, 300, 7) == accuracy(chain, star, 300, np.random.default_rng(7))


def test_accuracy_needs_something_to_ask() -> None:
    one = Counting(UndirectedGraph(1))
    with pytest.raises(DataError, match="needs two variables"):
        accuracy(one.graph, one, 10, 0)
    two = Counting(UndirectedGraph(2))
    with pytest.raises(SettingsError, match="at least 1, not 0"):
        accuracy(two.graph, two, 0, 0)
