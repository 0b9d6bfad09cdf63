"""Fisher's z: against the inverse of the correlation matrix, regression residuals and closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

import graphoid as gd
from graphoid.errors import DataError
from tests.support.tables import table_of, table_of_numbers


def columns(n_rows: int, n: int, seed: int = 0) -> np.ndarray:
    """Return correlated columns, one a row."""
    rng = np.random.default_rng(seed)
    mix = np.eye(n) + 0.4 * rng.normal(size=(n, n))
    return mix @ rng.normal(size=(n, n_rows))


def by_inverse(data: np.ndarray, x: int, y: int, given: tuple[int, ...]) -> float:
    """Return the partial correlation from the inverse of the correlation matrix."""
    precision = np.linalg.inv(np.corrcoef(data[[x, y, *given]]))
    return float(-precision[0, 1] / math.sqrt(precision[0, 0] * precision[1, 1]))


def by_regression(data: np.ndarray, x: int, y: int, given: tuple[int, ...]) -> float:
    """Return the correlation of residuals of x and y regressed on the given columns."""
    design = np.vstack([np.ones(data.shape[1]), data[list(given)]]).T
    left = [v - design @ np.linalg.lstsq(design, v, rcond=None)[0] for v in data[[x, y]]]
    return float(np.corrcoef(left)[0, 1])


QUESTIONS = [(0, 1, ()), (1, 0, (2,)), (2, 5, (0, 1)), (3, 4, (0, 1, 2)), (0, 5, (1, 2, 3, 4))]


@pytest.mark.parametrize("n_rows", [10, 100, 5000])
@pytest.mark.parametrize("way", [by_inverse, by_regression])
def test_z_and_p_as_worked_otherwise(n_rows: int, way: object) -> None:
    data = columns(n_rows, 6)
    for verdict in gd.Tester(gd.PartialCorrelation(), table_of_numbers(data)).ask(QUESTIONS):
        r = way(data, verdict.x, verdict.y, verdict.given)
        z = math.sqrt(n_rows - len(verdict.given) - 3) * math.atanh(r)
        assert verdict.statistic == pytest.approx(z, rel=1e-9)
        assert verdict.p_value == pytest.approx(2 * stats.norm.sf(abs(z)), rel=1e-8)
        assert verdict.log_p == pytest.approx(math.log(2) + stats.norm.logsf(abs(z)), rel=1e-8)
        assert verdict.independent == (verdict.p_value > 0.05)
        assert verdict.n_rows == n_rows
        assert not verdict.thin


def test_three_rows_worked_by_hand() -> None:
    # x = -1, 0, 1 and y = -1, 1, 0 have r = 1/2; twice that and a row in the middle: 2 artanh(1/2) = log 3
    x = [-1, 0, 1] * 2 + [0]
    y = [-1, 1, 0] * 2 + [0]
    verdict = gd.Tester(gd.PartialCorrelation(), table_of_numbers([x, y])).ask([(0, 1, ())])[0]
    assert verdict.statistic == pytest.approx(math.log(3), rel=1e-14)
    assert verdict.p_value == pytest.approx(math.erfc(math.log(3) / math.sqrt(2)), rel=1e-13)


def test_so_many_given_that_no_row_is_left() -> None:
    data = columns(8, 7)
    ci = gd.Tester(gd.PartialCorrelation(), table_of_numbers(data))
    last, none = ci.ask([(0, 1, (2, 3, 4, 5)), (0, 1, (2, 3, 4, 5, 6))])
    assert not last.thin  # 8 - 4 - 3 = 1
    assert none.thin
    assert (none.independent, none.p_value, none.statistic) == (True, 1.0, 0.0)


@pytest.mark.parametrize("n_rows", [1, 2, 3])
def test_too_few_rows_for_anything(n_rows: int) -> None:
    verdict = gd.Tester(gd.PartialCorrelation(), table_of_numbers(columns(n_rows, 2))).ask([(0, 1, ())])[0]
    assert verdict.thin
    assert verdict.independent
    assert verdict.p_value == 1.0


def test_no_rows_and_no_weight() -> None:
    for table in (table_of_numbers([[], []]), table_of_numbers([[1.5, 2, 4], [3, 1, 2]], weights=[0, 0, 0])):
        verdict = gd.Tester(gd.PartialCorrelation(), table).ask([(0, 1, ())])[0]
        assert verdict.thin
        assert verdict.p_value == 1.0
        assert verdict.n_rows == 0


@pytest.mark.parametrize("value", [0.0, 0.1, 1e300, -1e-300, 123456.789])
def test_a_constant_column_is_independent_of_all_and_explains_nothing(value: float) -> None:
    data = np.vstack([columns(500, 3), np.full(500, value)])
    ci = gd.Tester(gd.PartialCorrelation(), table_of_numbers(data))
    with_it, alone, without = ci.ask([(0, 1, (2, 3)), (0, 3, ()), (0, 1, (2,))])
    assert alone.thin
    assert alone.p_value == 1.0
    scale = math.sqrt((500 - 2 - 3) / (500 - 1 - 3))
    assert with_it.statistic == pytest.approx(without.statistic * scale, rel=1e-9)


def test_columns_that_determine_each_other() -> None:
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 300))
    data = [a, b, a + b, 3 * a - 7, a - 2 * b]
    ci = gd.Tester(gd.PartialCorrelation(), table_of_numbers(data))
    for verdict in ci.ask([(0, 3, ()), (3, 0, ())]):  # a perfect correlation
        assert not verdict.independent
        assert math.isfinite(verdict.statistic)
        assert math.isfinite(verdict.log_p)
        assert verdict.log_p < -1000
    for verdict in ci.ask(
        [(0, 2, (1, 4)), (0, 1, (3,)), (2, 4, (0, 1))]
    ):  # x is a function of the given columns
        assert verdict.thin
        assert verdict.independent
    # linearly dependent columns given count for one direction
    single, double = ci.ask([(1, 2, (0,)), (1, 2, (0, 3))])
    assert single.independent == double.independent
    other = gd.Tester(gd.PartialCorrelation(), table_of_numbers([*columns(300, 3), rng.normal(size=300)]))
    assert other.ask([(0, 1, (2,))])[0].statistic == pytest.approx(
        gd.Tester(gd.PartialCorrelation(), table_of_numbers([*columns(300, 3), 2 * columns(300, 3)[2] + 1]))
        .ask([(0, 1, (2, 3))])[0]
        .statistic
        * math.sqrt((300 - 4) / (300 - 5)),
        rel=1e-9,
    )


def test_units_and_means_cost_no_digits() -> None:
    data = columns(1000, 4)
    moved = data * [[1e150], [1e-150], [1], [-5]] + [[1e150], [0], [1e6], [3]]
    plain = gd.Tester(gd.PartialCorrelation(), table_of_numbers(data)).ask([(0, 1, (2, 3)), (0, 3, ())])
    other = gd.Tester(gd.PartialCorrelation(), table_of_numbers(moved)).ask([(0, 1, (2, 3)), (0, 3, ())])
    assert other[0].statistic == pytest.approx(plain[0].statistic, rel=1e-8)
    assert other[1].statistic == pytest.approx(-plain[1].statistic, rel=1e-8)


def test_the_far_tail_keeps_its_order() -> None:
    rng = np.random.default_rng(0)
    x, noise = rng.normal(size=(2, 50_000))
    data = [x, x + 0.3 * noise, x + 0.2 * noise, x + 0.1 * noise]
    verdicts = gd.Tester(gd.PartialCorrelation(), table_of_numbers(data)).ask([(0, y, ()) for y in (1, 2, 3)])
    assert [v.p_value for v in verdicts] == [0.0] * 3
    logs = [v.log_p for v in verdicts]
    assert -math.inf < logs[2] < logs[1] < logs[0] < -5000 * math.log(10)


def test_weights_are_repeated_rows() -> None:
    rng = np.random.default_rng(4)
    data, weights = columns(60, 4), rng.integers(0, 5, 60)
    weighted = gd.Tester(gd.PartialCorrelation(), table_of_numbers(data, weights))
    repeated = gd.Tester(gd.PartialCorrelation(), table_of_numbers(np.repeat(data, weights, axis=1)))
    for a, b in zip(
        weighted.ask(questions := [(0, 1, ()), (0, 1, (2, 3))]), repeated.ask(questions), strict=True
    ):
        assert a.statistic == pytest.approx(b.statistic, rel=1e-10)
        assert a.log_p == pytest.approx(b.log_p, rel=1e-10)
        assert a.n_rows == b.n_rows == weights.sum()


def test_states_that_are_numbers_will_do_and_labels_will_not() -> None:
    codes = np.random.default_rng(0).integers(0, 3, (2, 200))
    verdict = gd.Tester(gd.PartialCorrelation(), table_of(codes)).ask([(0, 1, ())])[0]
    assert verdict.statistic == pytest.approx(math.sqrt(197) * math.atanh(np.corrcoef(codes)[0, 1]), rel=1e-9)
    labels = gd.read({"a": ["x", "y"] * 5, "b": [0, 1] * 5})
    with pytest.raises(ValueError, match="'a' has states 'x', 'y', which are not all numbers"):
        gd.Tester(gd.PartialCorrelation(), labels).independent("a", "b")


def test_columns_that_are_no_numbers_are_refused_only_when_asked_for() -> None:
    rng = np.random.default_rng(0)
    table = gd.read({"a": rng.normal(size=50), "b": rng.normal(size=50), "c": ["x", "y"] * 25})
    ci = gd.Tester(gd.PartialCorrelation(), table)
    assert ci.ask([("a", "b", ())])[0].p_value > 0
    with pytest.raises(DataError, match="'c' has states 'x', 'y', which are not all numbers"):
        ci.independent("a", "b", given=["c"])


def test_missing_cells_are_no_numbers() -> None:
    values = np.random.default_rng(0).normal(size=50)
    holes = np.where(np.arange(50) < 3, np.nan, values)
    table = gd.read({"a": values, "b": holes}, missing="category")
    with pytest.raises(DataError, match="'b' has 3 missing cell"):
        gd.Tester(gd.PartialCorrelation(), table).independent("a", "b")
