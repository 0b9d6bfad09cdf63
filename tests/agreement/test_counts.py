"""The kernels count exactly what NumPy counts: every instruction set, one thread and two."""

from __future__ import annotations

from itertools import combinations, permutations
from typing import TYPE_CHECKING

import numpy as np
import pytest

import graphoid as gd
from graphoid.counts.engine import CountRequest
from graphoid.counts.native import NativeEngine
from graphoid.counts.reference import ReferenceEngine
from tests.support.tables import native_engines, needs_kernels, random_table, same_counts, table_of
from tests.support.verdicts import same_verdicts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graphoid.data.table import Table

pytestmark = needs_kernels

# Around the widths of vectors (32, 64), planes (512), chunks (4,096) and beyond one chunk of everything.
ROWS = [1, 2, 31, 33, 63, 64, 65, 511, 513, 4095, 4097, 20_001]
WEIGHTS = [None, "whole", "fractional"]


def check(table: Table, requests: Sequence[CountRequest]) -> None:
    """Compare all engines on a batch, on the batch turned round, and on each request by itself."""
    expected = ReferenceEngine(table).counts(requests)
    for engine in native_engines(table):
        for found, right in zip(engine.counts(requests), expected, strict=True):
            same_counts(found, right)
        for found, right in zip(engine.counts(requests[::-1]), expected[::-1], strict=True):
            same_counts(found, right)
        for request, right in zip(requests, expected, strict=True):
            same_counts(engine.counts([request])[0], right)


def check_tests(table: Table, questions: list[tuple[int, int, tuple[int, ...]]]) -> None:
    """Compare what all engines make of the counts of a batch, which they need not write out."""
    expected = gd.Tester(gd.ChiSquare(), ReferenceEngine(table)).ask(questions)
    for engine in native_engines(table):
        same_verdicts(gd.Tester(gd.ChiSquare(), engine).ask(questions), expected)


@pytest.mark.parametrize("n_rows", ROWS)
@pytest.mark.parametrize("weights", WEIGHTS)
def test_any_number_of_rows(n_rows: int, weights: str | None) -> None:
    table = random_table(n_rows, [2, 3, 2, 4, 2, 7], weights=weights)
    check(table, [CountRequest(v) for v in [(0,), (0, 2), (0, 1), (4, 0, 2), (1, 3, 5), (0, 1, 2, 3, 4, 5)]])


@pytest.mark.parametrize("weights", WEIGHTS)
def test_axes_come_in_the_order_asked_for(weights: str | None) -> None:
    table = random_table(1000, [2, 3, 4, 5], weights=weights)
    requests = [CountRequest(order) for k in (1, 2, 3, 4) for order in permutations(range(4), k)]
    check(table, requests)


@pytest.mark.parametrize("arity", [1, 2, 3, 4, 5, 8, 9, 16, 17, 127, 128, 181, 182, 255, 256])
def test_narrow_columns_of_any_arity(arity: int) -> None:
    # 127 and 32,767 = 181 * 181 are limits of the fused tables, 8 of bit planes, 16 of row-major blocks
    table = random_table(3001, [arity, 2, arity, 3])
    check(
        table,
        [CountRequest(v) for v in [(0,), (0, 2), (2, 0), (0, 1), (1, 0), (1, 0, 3), (3, 1, 2), (0, 1, 2, 3)]],
    )


@pytest.mark.parametrize("arity", [257, 300, 4096, 65_536])
@pytest.mark.parametrize("weights", WEIGHTS)
def test_wide_columns_of_any_arity(arity: int, weights: str | None) -> None:
    table = random_table(2500, [arity, 2, arity, 256], weights=weights)
    check(
        table,
        [CountRequest(v) for v in [(0,), (0, 1), (1, 0), (1, 2), (0, 2), (3, 0), (2, 1, 3), (0, 1, 2, 3)]],
    )


def test_every_cell_of_the_largest_codes_is_told_apart() -> None:
    states = np.arange(65_536)
    table = table_of([states, states // 256, states % 256], [65_536, 256, 256])
    check(table, [CountRequest(v) for v in [(0,), (1, 2), (2, 1), (0, 1), (0, 1, 2)]])


@pytest.mark.parametrize("arity", [2, 8])
def test_the_last_cell_counts_as_the_first_does(arity: int) -> None:
    for n_rows in (1, 64, 100, 512, 4096, 5000):
        for state in (0, arity - 1):
            table = table_of([np.full(n_rows, state)] * 4, [arity] * 4)
            check(table, [CountRequest(v) for v in [(0,), (0, 1), (0, 1, 2), (0, 1, 2, 3)]])


@pytest.mark.parametrize("weights", WEIGHTS)
def test_many_variables_are_listed(weights: str | None) -> None:
    table = random_table(3000, [3] * 40, weights=weights)
    requests = [CountRequest(tuple(range(k))) for k in (9, 10, 11, 17, 21, 40)]
    requests.append(CountRequest(tuple(range(39, -1, -2))))
    assert ReferenceEngine(table).counts(requests)[-1].sparse
    check(table, requests)


@pytest.mark.parametrize("n_rows", [1, 5, 700])
def test_ranks_survive_more_configurations_than_four_bytes_hold(n_rows: int) -> None:
    table = random_table(n_rows, [65_536, 65_536, 65_536, 2, 300, 256])
    check(table, [CountRequest(v) for v in [(0, 1), (0, 1, 2), (2, 1, 0, 3), (5, 4, 3, 2, 1, 0)]])


def test_pairs_of_ranks_too_large_for_four_bytes_are_sorted() -> None:
    # more than 65,536 configurations occur before a column of 65,536 states joins them
    rng = np.random.default_rng(3)
    n_rows = 140_000
    columns = [
        rng.permutation(n_rows) % 65_536,
        np.arange(n_rows) // 3 % 65_536,
        rng.integers(0, 65_536, n_rows),
    ]
    table = table_of(columns, [65_536] * 3)
    expected = ReferenceEngine(table).counts([CountRequest((0, 1, 2))])[0]
    same_counts(NativeEngine(table).counts([CountRequest((0, 1, 2))])[0], expected)


@pytest.mark.parametrize("weights", WEIGHTS)
def test_a_context_selects_rows(weights: str | None) -> None:
    table = random_table(2000, [2, 3, 4, 300, 1, 3], weights=weights)
    contexts = [
        ((0, 1),),
        ((0, 0), (1, 2)),
        ((1, 2), (0, 0)),
        ((3, 299),),
        ((4, 0),),
        ((0, 0), (0, 1)),  # no row has both
        ((2, 3), (1, 1), (5, 0)),
    ]
    requests = [CountRequest((1, 2), c) for c in contexts] + [
        CountRequest((5, 3, 2, 1, 0), c) for c in contexts
    ]
    check(table, requests)


def test_nothing_asked_for_counts_all_rows() -> None:
    for weights in WEIGHTS:
        table = random_table(77, [2, 3], weights=weights)
        check(table, [CountRequest(()), CountRequest((), ((0, 1),))])


def test_a_batch_mixes_all_kinds_of_tables() -> None:
    table = random_table(60_000, [2, 2, 3, 5, 16, 40, 300, 2, 2, 2, 2, 2])
    requests = [
        CountRequest((0, 1)),
        CountRequest((6, 5)),
        CountRequest((0, 1), ((7, 1),)),
        CountRequest(tuple(range(12))),
        CountRequest((0, 1, 7, 8, 9)),
        CountRequest(()),
        CountRequest((4, 5, 2)),
        CountRequest((0, 1)),
    ] * 4
    check(table, requests)


@pytest.mark.parametrize("n_rows", [1, 65, 513, 4097])
@pytest.mark.parametrize("weights", WEIGHTS)
def test_all_pairs(n_rows: int, weights: str | None) -> None:
    table = random_table(n_rows, [2, 3, 2, 8, 9, 1, 2, 16, 17, 300, 2], weights=weights)
    some = [10, 3, 9, 0, 5, 7]
    for chosen in (list(range(11)), some, [4], []):
        check(table, [CountRequest(pair) for pair in combinations(chosen, 2)])


def test_pairs_of_columns_with_thousands_of_states_are_listed() -> None:
    table = random_table(100, [65_536, 2, 65_536, 300])  # written out, the largest would take 32 GiB
    check(table, [CountRequest(pair) for pair in combinations(range(4), 2)])


@pytest.mark.parametrize("arity", [1, 2, 3, 4, 8, 9, 10, 16, 17, 300])
@pytest.mark.parametrize("weights", [None, "fractional"])
def test_one_against_all(arity: int, weights: str | None) -> None:
    # 70 others fill one row-major block of 64 columns and begin the next
    table = random_table(3000, [4, 3, 2, *[arity] * 70, 5, 300], weights=weights)
    others = list(range(3, 75))
    for x, given in [(0, ()), (0, (1,)), (2, (1, 0)), (74, (1, 2)), (0, (74,)), (1, (0, 74))]:
        asked = [y for y in others if y != x and y not in given]
        check(table, [CountRequest((*given, x, y)) for y in asked])
        check_tests(table, [(x, y, given) for y in asked])


def test_one_against_all_of_mixed_arities_and_long_runs_of_a_state() -> None:
    # more than 255 rows of one state in a row overflow a counter of one byte unless it is emptied in time
    arities = [2, 3, 16, 4, 2, 9, 1, 5, 2, 2, 7, 8]
    columns = [np.repeat(np.arange(20) % arity, 300) for arity in arities]
    table = table_of(columns, arities)
    for given in ((), (1,), (0, 1)):
        check(table, [CountRequest((*given, 2, y)) for y in range(3, 12)])
        check_tests(table, [(2, y, given) for y in range(3, 12)])


def test_asking_again_counts_again() -> None:
    table = random_table(5000, [2, 3, 4, 2, 2])
    requests = [CountRequest((0, 1, 2)), CountRequest((3, 4))]
    expected = ReferenceEngine(table).counts(requests)
    engine = NativeEngine(table)
    for _ in range(5):
        answer = engine.counts(requests)
        for found, right in zip(answer, expected, strict=True):
            same_counts(found, right)
            found.cells[...] = -1  # what was handed out is the caller's


def test_the_comparison_can_fail() -> None:
    a = random_table(100, [2, 3])
    b = random_table(100, [2, 3], seed=1)
    one, other = (ReferenceEngine(t).counts([CountRequest((0, 1))])[0] for t in (a, b))
    with pytest.raises(AssertionError):
        same_counts(one, other)
