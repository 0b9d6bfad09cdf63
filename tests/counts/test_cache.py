"""Counts that are kept: fewer trips to the rows, the same integers, bounded memory."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import pytest

import graphoid as gd
from graphoid.counts.cache import CachedEngine
from graphoid.counts.engine import CountRequest
from graphoid.counts.reference import ReferenceEngine
from graphoid.errors import SettingsError
from tests.support.tables import random_table, same_counts
from tests.support.verdicts import same_verdicts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graphoid.counts.contingency import Counts
    from graphoid.data.table import Table


class Counted(ReferenceEngine):
    """An engine that writes down what it is asked."""

    def __init__(self, table: Table) -> None:
        super().__init__(table)
        self.asked: list[tuple[int, ...]] = []

    def counts(self, requests: Sequence[CountRequest]) -> list[Counts]:
        self.asked += [r.variables for r in requests]
        return super().counts(requests)


def request(*variables: int) -> CountRequest:
    return CountRequest(variables)


def test_asking_again_does_not_count_again() -> None:
    engine = Counted(random_table(100, [2, 3, 4]))
    cached = CachedEngine(engine)
    first = cached.counts([request(0, 1)])[0]
    same_counts(cached.counts([request(0, 1)])[0], first)
    assert engine.asked == [(0, 1)]
    assert (cached.hits, cached.misses) == (1, 1)


def test_a_larger_table_answers_for_all_its_parts_in_any_order() -> None:
    table = random_table(200, [2, 3, 4, 2])
    engine, plain = Counted(table), ReferenceEngine(table)
    cached = CachedEngine(engine)
    cached.counts([request(0, 1, 2, 3)])
    for k in range(4):
        for part in combinations((3, 1, 0, 2), k):
            same_counts(cached.counts([CountRequest(part)])[0], plain.counts([CountRequest(part)])[0])
    assert engine.asked == [(0, 1, 2, 3)]
    assert cached.misses == 1


def test_listed_tables_answer_for_their_parts_too() -> None:
    table = random_table(300, [300, 200, 100, 3], weights="fractional")
    engine, plain = Counted(table), ReferenceEngine(table)
    cached = CachedEngine(engine)
    cached.counts([request(0, 1, 2, 3)])
    for part in ((0, 1), (3, 2), (3,), (2, 1, 0)):
        same_counts(cached.counts([CountRequest(part)])[0], plain.counts([CountRequest(part)])[0])
    assert len(engine.asked) == 1


def test_the_smallest_table_that_holds_the_answer_is_summed() -> None:
    cached = CachedEngine(ReferenceEngine(random_table(50, [2, 2, 5, 7])))
    cached.counts([request(0, 1, 2, 3), request(0, 1, 2)])
    cached.counts([request(0, 1)])
    # the one that was summed is now the most recently used
    assert next(reversed(cached._held))[0] == {0, 1, 2}


def test_a_context_is_answered_from_its_own_tables_only() -> None:
    table = random_table(200, [2, 3, 4])
    engine, plain = Counted(table), ReferenceEngine(table)
    cached = CachedEngine(engine)
    cached.counts([request(0, 1, 2)])
    within = CountRequest((1,), ((0, 1),))
    same_counts(cached.counts([within])[0], plain.counts([within])[0])
    assert cached.misses == 2
    swapped = [CountRequest((2,), context) for context in (((0, 1), (1, 2)), ((1, 2), (0, 1)))]
    cached.counts(swapped[:1])
    cached.counts(swapped[1:])
    assert cached.hits == 1


def test_what_is_not_held_goes_to_the_engine_as_one_batch_in_order() -> None:
    table = random_table(100, [2, 3, 4])
    engine = Counted(table)
    cached = CachedEngine(engine)
    cached.counts([request(1)])
    requests = [request(2, 0), request(1), request(0, 1), request(2)]
    for found, right in zip(cached.counts(requests), ReferenceEngine(table).counts(requests), strict=True):
        same_counts(found, right)
    assert engine.asked == [(1,), (2, 0), (0, 1), (2,)]


def test_memory_stays_within_its_bound_and_the_oldest_goes_first() -> None:
    engine = Counted(random_table(100, [10, 10, 10, 10]))
    cached = CachedEngine(engine, max_bytes=2000)  # two tables of 100 cells
    cached.counts([request(0, 1)])
    cached.counts([request(2, 3)])
    assert cached.held_bytes == 1600
    cached.counts([request(0, 1)])  # now (2, 3) is the oldest
    cached.counts([request(1, 2)])
    assert cached.held_bytes == 1600
    engine.asked.clear()
    cached.counts([request(0, 1)])
    assert engine.asked == []
    cached.counts([request(2, 3)])
    assert engine.asked == [(2, 3)]


def test_a_table_larger_than_the_bound_is_answered_and_not_kept() -> None:
    table = random_table(100, [10, 10])
    cached = CachedEngine(ReferenceEngine(table), max_bytes=100)
    same_counts(cached.counts([request(0, 1)])[0], ReferenceEngine(table).counts([request(0, 1)])[0])
    assert cached.held_bytes == 0
    nothing = CachedEngine(ReferenceEngine(table), max_bytes=0)
    nothing.counts([request(0), request(0)])
    assert nothing.misses == 2


def test_listed_tables_count_with_their_configurations() -> None:
    cached = CachedEngine(ReferenceEngine(random_table(100, [300, 300])))
    counts = cached.counts([request(0, 1)])[0]
    assert counts.sparse
    assert cached.held_bytes == counts.cells.nbytes + counts.configurations.nbytes


def test_a_negative_bound_is_refused() -> None:
    with pytest.raises(SettingsError, match="max_bytes is -1"):
        CachedEngine(ReferenceEngine(random_table(2, [2])), max_bytes=-1)


def test_tests_answer_through_a_cache_as_without_one() -> None:
    table = random_table(500, [2, 3, 2, 4])
    cached = CachedEngine(ReferenceEngine(table))
    questions = [(0, 1, (2, 3)), (0, 1, (3,)), (2, 1, ()), (1, 0, (2, 3))]
    same_verdicts(gd.Tester(gd.GTest(), cached).ask(questions), gd.Tester(gd.GTest(), table).ask(questions))
    assert cached.variables == table.variables
    assert cached.n_rows == 500
