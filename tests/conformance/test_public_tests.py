"""Every public test, and every engine, behaves like the others of its kind."""

from __future__ import annotations

import contextlib
import dataclasses
import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pytest

import graphoid as gd
from graphoid.counts.engine import CountRequest
from graphoid.counts.native import NativeEngine
from graphoid.counts.reference import ReferenceEngine
from graphoid.errors import SettingsError
from graphoid.independence.base import DiscreteTest
from tests.support.tables import SIMD, needs_kernels, random_table, same_counts, table_of, table_of_numbers
from tests.support.verdicts import CONVENTIONS, name_of, same_verdicts

if TYPE_CHECKING:
    from collections.abc import Callable

    from graphoid.data.table import Table

TESTS = [
    *[gd.ChiSquare(dof=dof) for dof in CONVENTIONS],
    *[gd.GTest(dof=dof) for dof in CONVENTIONS],
    gd.MantelHaenszel(),
    gd.BayesianTest(slices="all"),
    gd.BayesianTest(slices="occurring", pseudo_count=0.5),
    gd.LinearByLinear(),
    gd.LikelihoodRatio(),
    gd.BayesFactor(),
    gd.DegenerateGaussian(),
    gd.RankPartialCorrelation(),
    gd.PartialCorrelation(),
]
COUNTING = [test for test in TESTS if isinstance(test, DiscreteTest)]
OF_STATES = [test for test in TESTS if not isinstance(test, gd.PartialCorrelation)]
every_test = pytest.mark.parametrize("test", TESTS, ids=name_of)
weighted_or_not = pytest.mark.parametrize("weights", [None, "whole", "fractional"])

ARITIES = [2, 3, 2, 4, 3, 2]
QUESTIONS = [(0, 1, ()), (1, 3, (0,)), (4, 0, (1, 3)), (5, 2, (4, 3, 1)), (2, 3, (5, 4, 1, 0)), (3, 4, ())]


def data(n_rows: int = 700, weights: str | None = None) -> Table:
    return random_table(n_rows, ARITIES, seed=3, weights=weights)


def rebuilt(table: Table, rows: Any = slice(None), order: list[int] | None = None) -> Table:
    """Return a table with rows and columns in another order."""
    order = list(range(len(table.variables))) if order is None else order
    weights = None if table.weights is None else table.weights.values[rows]
    return table_of(
        [table.column(i)[rows] for i in order], [table.variables[i].arity for i in order], weights=weights
    )


@every_test
@weighted_or_not
def test_x_and_y_are_alike(test: Any, weights: str | None) -> None:
    ci = gd.Tester(test, data(weights=weights))
    turned = ci.ask([(y, x, given) for x, y, given in QUESTIONS])
    same_verdicts([v._replace(x=v.y, y=v.x) for v in turned], ci.ask(QUESTIONS), 1e-13)
    if not isinstance(test, gd.PartialCorrelation):
        assert [v._replace(x=v.y, y=v.x) for v in turned] == ci.ask(QUESTIONS)


@every_test
@weighted_or_not
def test_the_order_of_given_says_nothing(test: Any, weights: str | None) -> None:
    ci = gd.Tester(test, data(weights=weights))
    turned = ci.ask([(x, y, given[::-1]) for x, y, given in QUESTIONS])
    assert [v._replace(given=v.given[::-1]) for v in turned] == ci.ask(QUESTIONS)


@every_test
@weighted_or_not
def test_the_order_of_rows_says_nothing(test: Any, weights: str | None) -> None:
    table = data(weights=weights)
    rows = np.random.default_rng(0).permutation(table.n_rows)
    expected = gd.Tester(test, table).ask(QUESTIONS)
    found = gd.Tester(test, rebuilt(table, rows)).ask(QUESTIONS)
    if isinstance(test, gd.PartialCorrelation):  # sums of products of numbers round
        same_verdicts(found, expected, 1e-9)
    else:
        assert found == expected


@every_test
@weighted_or_not
def test_the_order_of_columns_says_nothing(test: Any, weights: str | None) -> None:
    table = data(weights=weights)
    order = [3, 5, 0, 2, 1, 4]
    at = [order.index(v) for v in range(6)]
    found = gd.Tester(test, rebuilt(table, order=order)).ask(
        [(at[x], at[y], tuple(at[z] for z in given)) for x, y, given in QUESTIONS]
    )
    named = [v._replace(x=order[v.x], y=order[v.y], given=tuple(order[z] for z in v.given)) for v in found]
    same_verdicts(named, gd.Tester(test, table).ask(QUESTIONS), 1e-9)


@pytest.mark.parametrize("test", OF_STATES, ids=name_of)
@weighted_or_not
def test_what_states_are_called_says_nothing(test: Any, weights: str | None) -> None:
    table = data(weights=weights)
    rng = np.random.default_rng(1)
    columns = [rng.permutation(arity)[table.column(i)] for i, arity in enumerate(ARITIES)]
    other = table_of(columns, ARITIES, None if table.weights is None else table.weights.values)
    exact = 1e-12 if test in COUNTING else 1e-9  # fits end where nothing is to be gained any more
    same_verdicts(gd.Tester(test, other).ask(QUESTIONS), gd.Tester(test, table).ask(QUESTIONS), exact)


@every_test
def test_other_columns_say_nothing(test: Any) -> None:
    table = data()
    rng = np.random.default_rng(1)
    other = table_of([table.column(0), table.column(1), *rng.integers(0, 2, (70, 700))], [2, 3, *[2] * 70])
    same_verdicts(gd.Tester(test, other).ask(QUESTIONS[:1]), gd.Tester(test, table).ask(QUESTIONS[:1]), 1e-13)


@every_test
@weighted_or_not
def test_fields_are_plain_numbers(test: Any, weights: str | None) -> None:
    for settings in ({}, {"alpha": np.float64(0.1)}, {"threshold": np.float64(0.4)}):
        if any(not hasattr(test, name) for name in settings):
            continue
        tuned = dataclasses.replace(test, **settings)
        engines = [data(weights=weights)]
        if test in COUNTING:
            engines.append(ReferenceEngine(engines[0]))
        for engine in engines:
            for verdict in gd.Tester(tuned, engine).ask(QUESTIONS):
                assert isinstance(verdict, gd.Verdict)
                assert type(verdict.x) is type(verdict.y) is int
                assert type(verdict.given) is tuple
                assert type(verdict.independent) is type(verdict.thin) is bool
                assert type(verdict.n_rows) in (int, float)
                assert verdict.source == "test"
                for number in (
                    verdict.statistic,
                    verdict.dof,
                    verdict.p_value,
                    verdict.log_p,
                    verdict.log_odds,
                ):
                    assert number is None or (type(number) is float and math.isfinite(number))
                if verdict.p_value is None:
                    assert verdict.log_odds is not None
                    assert 0 <= verdict.posterior <= 1
                else:
                    assert verdict.log_odds is verdict.posterior is None
                    assert verdict.p_value == math.exp(verdict.log_p)


@every_test
def test_one_row_is_answered_and_thin(test: Any) -> None:
    table = table_of_numbers([[1.5], [2.0], [3.0]])
    if not isinstance(test, gd.PartialCorrelation):
        table = table_of([[0], [1], [2]], [2, 2, 3])
    for verdict in gd.Tester(test, table).ask([(0, 1, ()), (0, 1, (2,)), (2, 1, (0,))]):
        assert verdict.thin
        assert verdict.n_rows == 1


@every_test
def test_settings_cannot_be_changed(test: Any) -> None:
    field = dataclasses.fields(test)[0].name
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(test, field, 0.01)
    assert test == dataclasses.replace(test)
    assert hash(test) == hash(dataclasses.replace(test))
    with pytest.raises(TypeError):
        type(test)(0.05)  # settings go by name


@pytest.mark.parametrize("value", [0, 1, -0.1, 1.5, math.nan, math.inf])
@pytest.mark.parametrize(
    ("kind", "setting"),
    [
        (gd.ChiSquare, "alpha"),
        (gd.GTest, "alpha"),
        (gd.MantelHaenszel, "alpha"),
        (gd.PartialCorrelation, "alpha"),
        (gd.RankPartialCorrelation, "alpha"),
        (gd.LinearByLinear, "alpha"),
        (gd.LikelihoodRatio, "alpha"),
        (gd.DegenerateGaussian, "alpha"),
        (gd.BayesFactor, "threshold"),
        (gd.BayesFactor, "prior"),
        (gd.BayesianTest, "threshold"),
        (gd.BayesianTest, "prior"),
    ],
)
def test_a_probability_lies_between_0_and_1(kind: type, setting: str, value: float) -> None:
    with pytest.raises(SettingsError, match=f"{setting} is .*; it must be a number between 0 and 1."):
        kind(**{setting: value})


@pytest.mark.parametrize(
    ("kind", "settings", "message"),
    [
        (gd.ChiSquare, {"dof": "none"}, "dof is 'none'; it must be 'slices', 'adjusted' or 'full'."),
        (gd.GTest, {"dof": None}, "dof is None"),
        (gd.BayesianTest, {"slices": "some"}, "slices is 'some'; it must be 'all' or 'occurring'."),
        (gd.BayesianTest, {"pseudo_count": 0}, "pseudo_count is 0; it must be a positive number."),
        (gd.BayesianTest, {"pseudo_count": math.inf}, "pseudo_count is inf"),
        (gd.BayesianTest, {"pseudo_count": math.nan}, "pseudo_count is nan"),
    ],
)
def test_other_settings_are_checked_where_they_are_made(kind: type, settings: Any, message: str) -> None:
    with pytest.raises(SettingsError) as caught:
        kind(**settings)
    assert message in str(caught.value)


def test_alpha_decides_and_equality_means_dependent() -> None:
    table = data()
    for kind in (type(test) for test in TESTS if hasattr(test, "alpha")):
        p = gd.Tester(kind(), table).ask([(0, 5, ())])[0].p_value
        assert not gd.Tester(kind(alpha=p), table).independent(0, 5)
        assert gd.Tester(kind(alpha=math.nextafter(p, 0)), table).independent(0, 5)
    posterior = gd.Tester(gd.BayesianTest(), table).ask([(0, 5, ())])[0].posterior
    assert gd.Tester(gd.BayesianTest(threshold=posterior - 1e-9), table).independent(0, 5)
    assert not gd.Tester(gd.BayesianTest(threshold=posterior + 1e-9), table).independent(0, 5)


class Kind(NamedTuple):
    name: str
    make: Callable[[Table], Any]


ENGINES = [
    Kind("reference", ReferenceEngine),
    *[Kind(f"native-{s}", lambda table, s=s: NativeEngine(table, simd=s)) for s in SIMD],
]
every_engine = pytest.mark.parametrize("kind", ENGINES, ids=lambda kind: kind.name)

REQUESTS = [
    CountRequest((0, 1, 2)),
    CountRequest((2, 0)),
    CountRequest(()),
    CountRequest((5, 4, 3, 2, 1, 0)),
    CountRequest((3, 1), ((0, 1), (5, 0))),
    CountRequest((0, 1, 2)),
]


@every_engine
@weighted_or_not
def test_engines_give_the_same_integers(kind: Kind, weights: str | None) -> None:
    table = data(weights=weights)
    engine = kind.make(table)
    for _ in range(2):
        for found, right in zip(
            engine.counts(REQUESTS), ReferenceEngine(table).counts(REQUESTS), strict=True
        ):
            same_counts(found, right)


@every_engine
@weighted_or_not
def test_engines_know_their_variables_and_rows(kind: Kind, weights: str | None) -> None:
    table = data(weights=weights)
    engine = kind.make(table)
    assert engine.variables == table.variables
    assert engine.n_rows == (700 if weights is None else table.weights.total)
    assert engine.counts([]) == []
    assert engine.counts([CountRequest(())])[0].total == pytest.approx(engine.n_rows, rel=1e-15)


@every_engine
@pytest.mark.parametrize("test", COUNTING, ids=name_of)
def test_every_test_runs_on_every_engine(kind: Kind, test: Any) -> None:
    for weights in (None, "fractional"):
        table = data(weights=weights)
        expected = gd.Tester(test, ReferenceEngine(table)).ask(QUESTIONS)
        same_verdicts(gd.Tester(test, kind.make(table)).ask(QUESTIONS), expected)


@every_engine
def test_counts_handed_out_do_not_change_what_comes_next(kind: Kind) -> None:
    table = data()
    engine = kind.make(table)
    right = ReferenceEngine(table).counts([CountRequest((0, 1))])[0]
    with contextlib.suppress(ValueError):  # read-only is as good
        engine.counts([CountRequest((0, 1))])[0].cells[...] = -7
    same_counts(engine.counts([CountRequest((0, 1))])[0], right)


@needs_kernels
def test_all_instruction_sets_are_in_the_table() -> None:
    assert {f"native-{s}" for s in SIMD} <= {kind.name for kind in ENGINES}
