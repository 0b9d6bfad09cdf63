"""The kernels judge as NumPy does, whichever kernel a batch calls for and in whatever company."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import pytest

import graphoid as gd
from graphoid.counts.engine import MOST_COVARIED
from graphoid.counts.native import NativeEngine
from graphoid.counts.reference import ReferenceEngine
from tests.support.tables import SIMD, needs_kernels, random_table, table_of
from tests.support.verdicts import CLASSICAL, DISCRETE, differences, name_of, same_verdicts

if TYPE_CHECKING:
    from graphoid.data.table import Table
    from graphoid.logic.verdict import Verdict

pytestmark = needs_kernels
every_test = pytest.mark.parametrize("test", DISCRETE, ids=name_of)

Question = tuple[int, int, tuple[int, ...]]


def sets(n: int, sizes: range, first: int = 2) -> list[tuple[int, ...]]:
    """Return a few conditioning sets of each size among the variables from ``first`` on."""
    rng = np.random.default_rng([n, first])
    drawn = [rng.choice(np.arange(first, n), size=k, replace=False) for k in sizes for _ in range(2)]
    return [tuple(map(int, z)) for z in drawn]


def check(test: object, table: Table, questions: list[Question]) -> None:
    """Compare one batch on every instruction set with NumPy, and the batch with single questions."""
    if isinstance(test, gd.MantelHaenszel):  # which refuses more than so many covariances
        arities = [v.arity for v in table.variables]
        questions = [q for q in questions if (arities[q[0]] - 1) * (arities[q[1]] - 1) <= MOST_COVARIED]
    expected = gd.Tester(test, ReferenceEngine(table)).ask(questions)
    answers: list[list[Verdict]] = []
    for simd in SIMD:
        batch = gd.Tester(test, NativeEngine(table, simd=simd, threads=2)).ask(questions)
        same_verdicts(batch, expected)
        answers.append(batch)
        lone = gd.Tester(test, NativeEngine(table, simd=simd, threads=1))
        answers.append([lone.ask([q])[0] for q in questions])
        order = np.random.default_rng(0).permutation(len(questions))
        shuffled = lone.ask([questions[i] for i in order])
        answers.append([shuffled[i] for i in np.argsort(order)])
        answers.append(lone.ask(questions))
    for other in answers[1:]:
        assert other == answers[0], "the last bit depends on company, threads or the instruction set"


@every_test
@pytest.mark.parametrize("n_rows", [1, 63, 513, 5001])
def test_bit_planes_of_single_questions(test: object, n_rows: int) -> None:
    table = random_table(n_rows, [2] * 8)
    check(test, table, [(0, 1, z) for z in sets(8, range(5))])


@every_test
def test_bit_planes_of_many_questions_with_one_set(test: object) -> None:
    table = random_table(4097, [2, 3, 2, 2, 4, 2, 2])
    questions = [(x, y, z) for z in ((), (5,), (6, 5)) for x, y in combinations(range(5), 2)]
    check(test, table, questions)


@every_test
@pytest.mark.parametrize("arity", [3, 4, 5])
def test_fused_tables_of_single_questions(test: object, arity: int) -> None:
    table = random_table(3001, [arity] * 9)
    check(test, table, [(1, 0, z) for z in sets(9, range(2, 7))])


@every_test
@pytest.mark.parametrize("arity", [5, 9])
def test_slice_ids_shared_by_few_questions(test: object, arity: int) -> None:
    table = random_table(2001, [arity] * 7)
    questions = [(x, y, z) for z in ((4,), (5, 4), (6, 4, 5)) for x, y in ((0, 1), (2, 1), (3, 0))]
    check(test, table, questions)


@every_test
@pytest.mark.parametrize("arity", [2, 3, 5, 8, 9, 16])
def test_hubs(test: object, arity: int) -> None:
    table = random_table(4001, [arity] * 12 + [3, 2])
    others = [(5, y, z) for z in ((), (12,), (13, 12)) for y in range(12) if y != 5]
    check(test, table, [*others, *[(y, 0, (12,)) for y in range(1, 12)]])


@every_test
def test_hubs_of_many_states_and_mixed_others(test: object) -> None:
    table = random_table(9001, [300, 2, 3, 17, 16, 4, 2, 9, 5, 8, 256, 6])
    questions = [(0, y, ()) for y in range(1, 12)] + [(3, y, (1,)) for y in range(12) if y not in (1, 3)]
    check(test, table, questions)


@every_test
def test_listing_two_columns_of_many_states(test: object) -> None:
    table = random_table(3000, [700, 600, 3])  # 420,000 cells: far more than rows
    check(test, table, [(0, 1, ()), (2, 0, ()), (0, 1, (2,))])


def test_listing_two_columns_of_thousands_of_states() -> None:
    table = random_table(3000, [5000, 5000])
    check(gd.ChiSquare(), table, [(0, 1, ())])


@every_test
def test_listing_large_conditioning_sets(test: object) -> None:
    table = random_table(1500, [3] * 15)
    z = tuple(range(2, 14))
    check(test, table, [(0, 1, z), (1, 0, z[::-1]), (0, 14, z), (0, 1, z[1:]), (0, 1, z[:-1])])


@every_test
@pytest.mark.parametrize("weights", ["whole", "fractional"])
def test_weights(test: object, weights: str) -> None:
    table = random_table(2001, [2, 2, 3, 4, 300, 2, 2, 2, 2, 5], weights=weights)
    questions = [(x, y, z) for z in ((), (2,), (3, 2)) for x, y in ((0, 1), (0, 5), (1, 6), (7, 8), (4, 0))]
    check(test, table, [*questions, (0, 1, (2, 3, 5, 6, 7, 8, 9)), (4, 9, (2, 3))])


@every_test
@pytest.mark.parametrize("weights", ["whole", "fractional"])
def test_weights_of_listed_cells(test: object, weights: str) -> None:
    table = random_table(1001, [700, 600, 3, 2, 2, 9, 9, 9], weights=weights)
    check(test, table, [(0, 1, ()), (0, 1, (2,)), (3, 4, (5, 6, 7, 0)), (5, 6, (7, 2, 1))])


@pytest.mark.parametrize("test", [gd.ChiSquare(), gd.GTest(dof="adjusted"), gd.BayesianTest()], ids=name_of)
def test_more_slices_than_two_bytes_and_a_column_of_as_many_states(test: object) -> None:
    # slices times states need more than four bytes: pairs of them are ranked by sorting
    n = 140_000
    rng = np.random.default_rng(3)
    columns = [rng.integers(0, 3, n), rng.integers(0, 2, n), np.arange(n) // 2 % 65_536, np.arange(n) % 3]
    table = table_of([*columns, rng.integers(0, 65_536, n) // 30_000], [3, 2, 65_536, 3, 65_536])
    check(test, table, [(0, 1, (2, 3, 4)), (1, 0, (4, 2))])


@every_test
def test_wide_columns(test: object) -> None:
    table = random_table(2500, [300, 257, 2, 3, 1000])
    check(test, table, [(0, 1, ()), (2, 3, (0,)), (0, 2, (3,)), (2, 3, (0, 1)), (0, 4, (2, 3)), (3, 2, (4,))])


@every_test
def test_constants_states_that_never_occur_and_copies(test: object) -> None:
    rng = np.random.default_rng(2)
    x = rng.integers(0, 3, 800)
    columns = [x, x, np.zeros(800), np.full(800, 2), rng.integers(0, 2, 800), 2 * (x > 1)]
    table = table_of(columns, [3, 3, 1, 4, 5, 3])
    pairs = list(combinations(range(6), 2))
    check(
        test,
        table,
        [(a, b, z) for a, b in pairs for z in ((), *((v,) for v in range(6))) if {a, b}.isdisjoint(z)],
    )


@pytest.mark.parametrize("test", [gd.ChiSquare(), gd.GTest(), gd.BayesianTest()], ids=name_of)
def test_a_set_grown_from_a_smaller_one_answers_to_the_same_bit(test: object) -> None:
    # slice ids come from whatever subset was asked for before, in another order
    rng = np.random.default_rng(1)
    table = table_of([rng.integers(0, 2, 4000) for _ in range(13)], [2] * 13)
    z = tuple(range(2, 13))
    fresh = gd.Tester(test, NativeEngine(table)).ask([(0, 1, z)])
    for left_out in z:
        ci = gd.Tester(test, NativeEngine(table))
        smaller = tuple(v for v in z if v != left_out)
        ci.ask([(0, 1, smaller), (0, left_out, smaller), (1, left_out, smaller)])
        assert ci.ask([(0, 1, z)]) == fresh


@pytest.mark.parametrize("test", [gd.ChiSquare(), gd.GTest(), gd.BayesianTest()], ids=name_of)
def test_whether_cells_are_listed_does_not_depend_on_what_was_asked_before(test: object) -> None:
    rng = np.random.default_rng(1)
    n = 2000
    for _ in range(20):
        columns = [
            rng.integers(0, 6, n),
            rng.integers(0, 6, n),
            rng.integers(0, 50, n),
            np.minimum(rng.geometric(0.3, n) - 1, 99),
            np.minimum(rng.geometric(0.7, n) - 1, 4),
        ]
        table = table_of(columns, [6, 6, 50, 100, 5])
        fresh = gd.Tester(test, NativeEngine(table)).ask([(0, 1, (2, 3, 4))])
        ci = gd.Tester(test, NativeEngine(table))
        ci.ask([(0, 1, (2, 3)), (0, 4, (2, 3)), (1, 4, (2, 3))])
        assert ci.ask([(0, 1, (2, 3, 4))]) == fresh


@pytest.mark.parametrize("test", CLASSICAL, ids=name_of)
def test_more_configurations_than_a_double_can_hold(test: object) -> None:
    table = random_table(20, [2] * 1102)
    verdicts = [
        gd.Tester(test, engine).ask([(0, 1, tuple(range(2, 1102)))])[0]
        for engine in (NativeEngine(table), ReferenceEngine(table))
    ]
    assert verdicts[0] == verdicts[1]
    assert verdicts[0].p_value == 1.0
    assert verdicts[0].thin


def test_a_long_batch_over_many_sets_on_two_threads() -> None:
    table = random_table(20_001, [2, 3, 2, 4, 2, 2, 5, 2, 3, 2])
    questions = [
        (x, y, z) for k in (0, 1, 2) for z in combinations(range(10), k) for x, y in ((0, 1), (9, 4), (3, 8))
    ]
    questions = [q for q in questions if {q[0], q[1]}.isdisjoint(q[2])]
    check(gd.ChiSquare(), table, questions)
    check(gd.BayesianTest(), table, questions[::3])


def test_many_python_threads_may_ask_one_engine() -> None:
    table = random_table(5001, [2, 2, 3, 2, 5, 2, 4, 2, 2, 2])
    pairs = list(combinations((0, 1, 3, 5, 7, 8, 9), 2))
    questions = [(x, y, z) for z in ((), (2,), (4, 6), (2, 4, 6)) for x, y in pairs]
    batches = [questions[k:] + questions[:k] for k in range(0, 80, 10)]
    for _ in range(5):
        ci = gd.Tester(gd.GTest(), NativeEngine(table, threads=2))
        with ThreadPoolExecutor(4) as pool:
            answers = list(pool.map(ci.ask, batches))
        alone = gd.Tester(gd.GTest(), NativeEngine(table, threads=1))
        assert answers == [alone.ask(batch) for batch in batches]


def test_the_comparison_can_fail() -> None:
    table = random_table(500, [2, 2, 3])
    one = gd.Tester(gd.ChiSquare(), table).ask([(0, 1, (2,))])[0]
    assert not differences(one, one)
    for field, value in (
        ("statistic", 1.0),
        ("dof", 7.0),
        ("log_p", -1.0),
        ("thin", True),
        ("log_odds", 0.0),
    ):
        assert differences(one._replace(**{field: value}), one)
    assert differences(one._replace(statistic=one.statistic * (1 + 1e-10)), one)
    assert differences(one._replace(independent=not one.independent), one)
