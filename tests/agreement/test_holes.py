"""Missing cells: engines and tests answer from the rows that are complete for a question, and no others."""

from __future__ import annotations

import numpy as np
import pytest

import graphoid as gd
from graphoid.counts.engine import CountRequest
from graphoid.counts.native import NativeEngine, kernels
from graphoid.counts.reference import ReferenceEngine
from graphoid.data.table import Table, Weights
from graphoid.data.variables import Variable
from graphoid.independence.partial_association import CountedProducts

native = pytest.mark.skipif(kernels() is None, reason="needs the compiled kernels")


def table_with_holes(
    seed: int, n_rows: int = 600, arities: tuple[int, ...] = (2, 2, 3, 4, 2, 9, 300), *, weights: bool = False
) -> Table:
    """Return random codes; every column but the second has holes, a fifth of its cells."""
    rng = np.random.default_rng(seed)
    variables, columns = [], []
    base = rng.integers(0, 2, n_rows)
    for i, arity in enumerate(arities):
        codes = (rng.integers(0, arity, n_rows) + base * rng.integers(0, 2, n_rows)) % arity
        if i != 1:
            codes[rng.random(n_rows) < 0.2] = arity
        variables.append(Variable(f"v{i}", tuple(range(arity))))
        columns.append(codes.astype(np.uint8 if arity < 256 else np.uint16))
    own = Weights.of(rng.integers(0, 4, n_rows)) if weights else None
    holes = frozenset(i for i in range(len(arities)) if i != 1)
    return Table(tuple(variables), tuple(columns), n_rows, weights=own, holes=holes)


def requests(rng: np.random.Generator, n: int) -> list[CountRequest]:
    found = []
    for size in range(1, n + 1):
        for _ in range(6):
            chosen = rng.permutation(n)[:size].tolist()
            found.append(CountRequest(tuple(chosen)))
            rest = [v for v in range(n) if v not in chosen]
            if rest:
                found.append(CountRequest(tuple(chosen), ((rest[0], 0),)))
    return found


@pytest.mark.parametrize("weights", [False, True])
def test_the_reference_counts_complete_rows_alone(weights: bool) -> None:
    table = table_with_holes(0, weights=weights)
    for request in requests(np.random.default_rng(1), 6):
        mentioned = [*request.variables, *(v for v, _ in request.context)]
        own = ReferenceEngine(table.complete_rows(mentioned)).counts([request])[0]
        counted = ReferenceEngine(table).counts([request])[0]
        assert np.array_equal(own.dense(), counted.dense())


@native
@pytest.mark.parametrize("weights", [False, True])
@pytest.mark.parametrize("n_rows", [0, 1, 37, 600, 5000])
def test_kernels_count_as_the_reference(weights: bool, n_rows: int) -> None:
    table = table_with_holes(2, n_rows, weights=weights)
    asked = requests(np.random.default_rng(3), len(table.variables))
    plain, fast = ReferenceEngine(table).counts(asked), NativeEngine(table).counts(asked)
    for one, other in zip(plain, fast, strict=True):
        assert one.shape == other.shape
        for a, b in zip(one.occurring(), other.occurring(), strict=True):
            assert np.array_equal(a, b)


TESTS = [
    gd.ChiSquare(),
    gd.ChiSquare(dof="adjusted"),
    gd.GTest(dof="full"),
    gd.BayesianTest(),
    gd.MantelHaenszel(),
]


def questions(rng: np.random.Generator, n: int) -> list[tuple[int, int, tuple[int, ...]]]:
    every = [(x, y, ()) for x in range(n) for y in range(x)]
    for size in range(1, n - 1):
        for _ in range(12):
            x, y, *given = rng.permutation(n)[: size + 2].tolist()
            every.append((x, y, tuple(given)))
    shared = [(x, 0, (1, 2)) for x in range(3, n)] * 3  # one against many, and slices that are kept
    return every + shared


@native
@pytest.mark.parametrize("test", TESTS, ids=repr)
@pytest.mark.parametrize("weights", [False, True])
def test_verdicts_are_those_of_the_complete_rows(test: gd.ChiSquare, weights: bool) -> None:
    arities = (2, 2, 3, 4, 2, 9, 2, 2) if isinstance(test, gd.MantelHaenszel) else (2, 2, 3, 4, 2, 9, 40, 2)
    table = table_with_holes(4, 3000, arities, weights=weights)
    asked = questions(np.random.default_rng(5), len(arities))
    found = gd.Tester(test, NativeEngine(table)).ask(asked)
    for (x, y, given), verdict in zip(asked, found, strict=True):
        own = gd.Tester(test, NativeEngine(table.complete_rows([x, y, *given]))).ask([(x, y, given)])[0]
        plain = test.judge(own.assertion, ReferenceEngine(table).counts([test.needs(own.assertion)])[0])
        assert verdict.n_rows == own.n_rows == plain.n_rows
        assert (verdict.independent, verdict.thin) == (own.independent, own.thin)
        for name in ("statistic", "dof", "log_p", "log_odds"):
            mine, theirs = getattr(verdict, name), getattr(own, name)
            if mine is None:
                continue
            assert mine == pytest.approx(theirs, rel=1e-9, abs=1e-9), name
            assert mine == pytest.approx(getattr(plain, name), rel=1e-7, abs=1e-7), name


@native
@pytest.mark.parametrize("n_rows", [300, 3000])
def test_every_pair_is_screened_by_its_own_rows(n_rows: int) -> None:
    table = table_with_holes(6, n_rows, (2, 2, 3, 2, 2, 5, 2, 20))
    ci = gd.Tester(gd.GTest(), table)
    for x in range(8):
        for y in range(x):
            kept = table.complete_rows([x, y])
            assert ci.ask([(x, y, ())])[0].n_rows == kept.n_rows
            assert ci.ask([(x, y, ())])[0].log_p == pytest.approx(
                gd.Tester(gd.GTest(), kept).ask([(x, y, ())])[0].log_p, rel=1e-9
            )


def test_a_table_without_holes_in_use_answers_to_the_bit() -> None:
    table = table_with_holes(7).complete_rows()
    declared = Table(table.variables, table.columns, table.n_rows, holes=frozenset({0, 2, 3}))
    asked = questions(np.random.default_rng(8), 6)
    ours, theirs = (gd.Tester(gd.GTest(), t).ask(asked) for t in (table, declared))
    assert [v.log_p for v in ours] == [v.log_p for v in theirs]


def test_regressions_by_pairs_rest_on_the_rows_of_the_pairs() -> None:
    table = table_with_holes(9, 4000, (2, 2, 3, 2))
    products = CountedProducts(ReferenceEngine(table))
    products.require([(0, 2)])
    kept = table.complete_rows([0, 2])
    own = CountedProducts(ReferenceEngine(kept))
    own.require([(0, 2)])
    assert products.rows_behind((0, 1, 2)) == kept.n_rows
    assert np.allclose(products.between(0, 2) / 4000, own.between(0, 2) / kept.n_rows)
