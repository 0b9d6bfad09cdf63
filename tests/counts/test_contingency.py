"""Counts, written out or listed: the same face, the same numbers."""

from __future__ import annotations

import numpy as np
import pytest

from graphoid.counts.contingency import Counts, size_in_words
from graphoid.counts.engine import CountRequest
from graphoid.counts.reference import ReferenceEngine
from graphoid.errors import CountsTooLarge, GraphoidError, UnknownVariable
from tests.support.tables import random_table, same_counts, table_of

ROWS = [(0, 0, 1), (0, 0, 1), (1, 2, 0), (1, 2, 0), (1, 2, 0), (0, 1, 1)]


def written() -> Counts:
    return ReferenceEngine(table_of(np.array(ROWS).T, [2, 3, 2])).counts([CountRequest((0, 1, 2))])[0]


def listed() -> Counts:
    """Return counts of three rare configurations among 10**12."""
    columns = [[0, 7, 7, 9999], [0, 7, 7, 9999], [0, 7, 7, 9999]]
    return ReferenceEngine(table_of(columns, [10_000] * 3)).counts([CountRequest((0, 1, 2))])[0]


def test_cells_are_the_rows_counted() -> None:
    counts = written()
    assert not counts.sparse
    assert counts.total == 6
    expected = np.zeros((2, 3, 2), dtype=int)
    expected[0, 0, 1], expected[1, 2, 0], expected[0, 1, 1] = 2, 3, 1
    np.testing.assert_array_equal(counts.dense(), expected)


def test_occurring_lists_what_dense_holds() -> None:
    configurations, cells = written().occurring()
    np.testing.assert_array_equal(configurations, [(0, 0, 1), (0, 1, 1), (1, 2, 0)])
    np.testing.assert_array_equal(cells, [2, 1, 3])
    configurations, cells = listed().occurring()
    np.testing.assert_array_equal(configurations, [(0, 0, 0), (7, 7, 7), (9999, 9999, 9999)])
    np.testing.assert_array_equal(cells, [1, 2, 1])


def test_a_table_too_large_is_not_written_out_and_its_size_is_said() -> None:
    with pytest.raises(CountsTooLarge, match=r"3 variables would take 7\.3 TiB") as caught:
        listed().dense()
    assert isinstance(caught.value, MemoryError)
    assert isinstance(caught.value, GraphoidError)


def test_a_table_of_more_cells_than_a_double_can_count_is_refused_too() -> None:
    counts = ReferenceEngine(random_table(3, [2] * 1100)).counts([CountRequest(tuple(range(1100)))])[0]
    with pytest.raises(CountsTooLarge, match=r"2\*\*1103 bytes"):
        counts.dense()


def test_marginals_add_up() -> None:
    table = random_table(500, [2, 3, 4, 5])
    whole, *parts = ReferenceEngine(table).counts([CountRequest((0, 1, 2, 3)), CountRequest((3, 1))])
    same_counts(whole.marginal((3, 1)), parts[0])
    np.testing.assert_array_equal(whole.marginal((2,)).dense(), np.bincount(table.column(2), minlength=4))


@pytest.mark.parametrize("kept", [(), (1,), (2, 0), (0, 1, 2), (2, 1, 0)])
def test_marginals_of_listed_counts_are_those_of_the_data(kept: tuple[int, ...]) -> None:
    table = random_table(300, [200, 300, 50])
    engine = ReferenceEngine(table)
    whole = engine.counts([CountRequest((0, 1, 2))])[0]
    assert whole.sparse
    same_counts(whole.marginal(kept), engine.counts([CountRequest(kept)])[0])


def test_a_marginal_over_everything_is_the_total() -> None:
    for counts in (written(), listed()):
        nothing = counts.marginal(())
        assert nothing.shape == ()
        assert nothing.total == counts.total
        configurations, cells = nothing.occurring()
        assert configurations.shape == (1, 0)
        assert cells.tolist() == [counts.total]


def test_a_marginal_of_another_variable_is_refused() -> None:
    with pytest.raises(UnknownVariable, match="no variable 7"):
        written().marginal((0, 7))


def test_fractional_weights_come_out_as_numbers() -> None:
    table = table_of([[0, 0, 1], [1, 1, 0]], [2, 2], weights=[0.25, 0.5, 3.0])
    counts = ReferenceEngine(table).counts([CountRequest((0, 1))])[0]
    assert counts.total == 3.75
    np.testing.assert_array_equal(counts.dense(), [[0, 0.75], [3, 0]])


@pytest.mark.parametrize("scale", [1e-300, 1e-30, 1e-9, 0.1, 1e9, 1e17])
def test_weights_keep_their_digits_at_any_scale(scale: float) -> None:
    weights = np.array([0.25, 0.5, 3.1, 0.7]) * scale
    counts = ReferenceEngine(table_of([[0, 0, 1, 1]], [2], weights=weights)).counts([CountRequest((0,))])[0]
    np.testing.assert_allclose(counts.dense(), [0.75 * scale, 3.8 * scale], rtol=1e-15)
    assert counts.total == pytest.approx(4.55 * scale, rel=1e-15)


def test_rows_of_weight_zero_do_not_occur() -> None:
    for arities in ([2, 2], [60_000, 60_000]):
        table = table_of([[0, 0, 1], [1, 1, 0]], arities, weights=[2, 0, 0])
        configurations, cells = ReferenceEngine(table).counts([CountRequest((0, 1))])[0].occurring()
        assert configurations.tolist() == [[0, 1]]
        assert cells.tolist() == [2]


def test_a_context_counts_only_its_rows() -> None:
    table = table_of(np.array(ROWS).T, [2, 3, 2])
    counts = ReferenceEngine(table).counts([CountRequest((1,), ((0, 0), (2, 1)))])[0]
    np.testing.assert_array_equal(counts.dense(), [2, 1, 0])


def test_counts_say_what_they_are() -> None:
    assert "written out" in repr(written())
    assert "listed" in repr(listed())


@pytest.mark.parametrize(
    ("n_bytes", "words"),
    [
        (0, "0 bytes"),
        (12, "12 bytes"),
        (1023, "1,023 bytes"),
        (1024, "1.0 KiB"),
        (3.2 * 2**20, "3.2 MiB"),
        (2**46, "64.0 TiB"),
        (2**79, "524,288.0 EiB"),
        (2**2000, "2**2000 bytes"),
    ],
)
def test_sizes_for_people(n_bytes: float, words: str) -> None:
    assert size_in_words(n_bytes) == words
