"""Cochran-Mantel-Haenszel: numbers worked by hand, by enumeration in exact fractions, and by Pearson."""

from __future__ import annotations

import itertools
import math
import re
from fractions import Fraction
from math import factorial, prod
from typing import TYPE_CHECKING

import numpy as np
import pytest
from scipy import stats

import graphoid as gd
from graphoid.counts.reference import ReferenceEngine
from graphoid.errors import CountsTooLarge
from tests.support.tables import random_table, table_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from graphoid.data.table import Table
    from graphoid.logic.verdict import Verdict

Slice = list[list[int]]


def table_from(slices: list[Slice]) -> Table:
    """Return rows of (x, y, z) with these counts."""
    rows = [
        (x, y, z)
        for z, cells in enumerate(slices)
        for x, row in enumerate(cells)
        for y, count in enumerate(row)
        for _ in range(count)
    ]
    return table_of(np.array(rows).T, [len(slices[0]), len(slices[0][0]), len(slices)])


def judged(slices: list[Slice]) -> list[Verdict]:
    """Return the verdict by the kernels and by NumPy."""
    table = table_from(slices)
    return [
        gd.Tester(gd.MantelHaenszel(), data).ask([(0, 1, (2,))])[0]
        for data in (table, ReferenceEngine(table))
    ]


# Two slices of 10 and 20 rows, with the first cell's expectation and variance given the margins:
#     3 1 | 4      5 3 |  8        E = 4*5/10 = 2        V = 4*6*5*5 / (100*9)    = 2/3
#     2 4 | 6      4 8 | 12        E = 8*9/20 = 18/5     V = 8*12*9*11 / (400*19) = 594/475
#     5 5          9 11
# d = (3 - 2) + (5 - 18/5) = 12/5, V = 2/3 + 594/475 = 2732/1425, Q = (144/25) / (2732/1425) = 2052/683
BY_HAND = [[[3, 1], [2, 4]], [[5, 3], [4, 8]]]


def test_two_slices_worked_by_hand() -> None:
    for verdict in judged(BY_HAND):
        assert verdict.statistic == pytest.approx(2052 / 683, rel=1e-13)
        assert verdict.dof == 1
        assert verdict.p_value == pytest.approx(math.erfc(math.sqrt(2052 / 683 / 2)), rel=1e-12)
        assert verdict.independent
        assert verdict.n_rows == 30


def test_a_slice_of_one_row_says_nothing() -> None:
    for verdict in judged([*BY_HAND, [[0, 1], [0, 0]], [[0, 0], [0, 0]]]):
        assert verdict.statistic == pytest.approx(2052 / 683, rel=1e-13)
        assert verdict.dof == 1


def tables_with_margins(rows: list[int], columns: list[int]) -> Iterator[Slice]:
    """Yield every table with these margins."""
    if len(rows) == 1:
        yield [columns]
        return
    for first in itertools.product(*(range(c + 1) for c in columns)):
        if sum(first) == rows[0]:
            left = [c - f for c, f in zip(columns, first, strict=True)]
            for rest in tables_with_margins(rows[1:], left):
                yield [list(first), *rest]


def moments(cells: Slice) -> tuple[list[Fraction], list[list[Fraction]]]:
    """Return mean and covariance of the free cells over all tables with the margins of this one.

    A table is as likely as there are ways to deal the rows: prod(r!) prod(c!) / (n! prod(cells!)).
    """
    rows = [sum(row) for row in cells]
    columns = [sum(column) for column in zip(*cells, strict=True)]
    ways = prod(map(factorial, rows + columns))
    size = (len(rows) - 1) * (len(columns) - 1)
    mean = [Fraction(0)] * size
    second = [[Fraction(0)] * size for _ in range(size)]
    for table in tables_with_margins(rows, columns):
        p = Fraction(ways, factorial(sum(rows)) * prod(factorial(c) for row in table for c in row))
        free = [c for row in table[:-1] for c in row[:-1]]
        for a, one in enumerate(free):
            mean[a] += p * one
            for b, other in enumerate(free):
                second[a][b] += p * one * other
    return mean, [[second[a][b] - mean[a] * mean[b] for b in range(size)] for a in range(size)]


def by_enumeration(slices: list[Slice]) -> tuple[float, int]:
    """Return the statistic and the rank of the covariance, in exact fractions."""
    parts = [moments(cells) for cells in slices]
    observed = [
        sum(cells) for cells in zip(*([c for r in s[:-1] for c in r[:-1]] for s in slices), strict=True)
    ]
    d = [o - sum(mean[a] for mean, _ in parts) for a, o in enumerate(observed)]
    v = [[sum(cov[a][b] for _, cov in parts) for b in range(len(d))] for a in range(len(d))]
    statistic, rank = Fraction(0), 0
    left = list(range(len(d)))
    while (a := next((a for a in left if v[a][a]), None)) is not None:
        statistic += d[a] ** 2 / v[a][a]
        rank += 1
        left.remove(a)
        for b in left:
            factor = v[b][a] / v[a][a]
            d[b] -= factor * d[a]
            v[b] = [x - factor * y for x, y in zip(v[b], v[a], strict=True)]
    return float(statistic), rank


@pytest.mark.parametrize(
    "slices",
    [
        BY_HAND,
        [[[2, 1, 0], [1, 2, 1], [0, 1, 3]], [[1, 0, 2], [2, 1, 0], [0, 2, 1]]],
        [[[3, 0], [1, 2], [0, 2]], [[1, 1], [2, 0], [1, 3]], [[0, 2], [1, 1], [2, 1]]],
        # the third state of x is alone in its slice, where it can vary with nothing: one degree is lost
        [[[3, 1], [1, 3], [0, 0]], [[2, 1], [1, 2], [0, 0]], [[0, 0], [0, 0], [2, 2]]],
    ],
)
def test_enumeration_of_all_tables_with_the_same_margins(slices: list[Slice]) -> None:
    statistic, rank = by_enumeration(slices)
    for verdict in judged(slices):
        assert verdict.statistic == pytest.approx(statistic, rel=1e-12)
        assert verdict.dof == rank


@pytest.mark.parametrize("arities", [(2, 2), (3, 4), (4, 2)])
def test_without_slices_it_is_pearsons(arities: tuple[int, int]) -> None:
    table = random_table(400, arities, seed=1)
    counts = np.zeros(arities)
    np.add.at(counts, (table.column(0), table.column(1)), 1)
    chi_square, _, dof, _ = stats.chi2_contingency(counts, correction=False)
    for data in (table, ReferenceEngine(table)):
        verdict = gd.Tester(gd.MantelHaenszel(), data).ask([(0, 1, ())])[0]
        assert verdict.statistic == pytest.approx(chi_square * 399 / 400, rel=1e-11)
        assert verdict.dof == dof


def test_an_association_that_turns_round_escapes_it() -> None:
    slices = [[[20, 5], [5, 20]], [[5, 20], [20, 5]]]
    table = table_from(slices)
    assert abs(gd.Tester(gd.MantelHaenszel(), table).ask([(0, 1, (2,))])[0].statistic) < 1e-20
    assert not gd.Tester(gd.ChiSquare(), table).independent(0, 1, [2])


def test_too_many_states_are_refused_in_one_sentence() -> None:
    table = random_table(100, [40, 40, 2])
    for data in (table, ReferenceEngine(table)):
        with pytest.raises(CountsTooLarge, match=re.escape("1,521 cells (40 x 40 states) are too many")):
            gd.Tester(gd.MantelHaenszel(), data).ask([(0, 1, (2,))])
        assert gd.Tester(gd.MantelHaenszel(), data).ask([(0, 2, (1,))])[0].dof > 0
