"""Weights on merged rows: what every kind of resample promises."""

import numpy as np
import pytest

import graphoid as gd
from graphoid.errors import DataError, SettingsError
from graphoid.uncertainty.resampling import MOST_MERGED, Resampler, seed_of, split
from tests.support.tables import table_of

TABLE = gd.datasets.load("titanic")


@pytest.mark.parametrize("kind", ["halves", "rows", "bayesian", "cases"])
def test_rows_are_merged_and_every_state_stays(kind):
    resampler = Resampler(TABLE, kind, 1)
    assert len(resampler.counts) < 100 < TABLE.n_rows
    assert resampler.counts.max() <= MOST_MERGED
    assert resampler.counts.sum() == TABLE.n_rows
    for r in range(5):
        table = resampler.table(r)
        assert table.variables == TABLE.variables
        assert table.n_rows == len(resampler.counts)


def test_rows_draw_as_many_as_there_are():
    resampler = Resampler(TABLE, "rows", 1)
    weights = [resampler.weights(r) for r in range(50)]
    assert {int(w.sum()) for w in weights} == {TABLE.n_rows}
    # the mean weight of a row is how often it is there; 50 resamples know it to within a few percent
    assert np.allclose(
        np.mean(weights, axis=0), resampler.counts, atol=5 * np.sqrt(resampler.counts.max() / 50)
    )


def test_bayesian_weights_are_never_zero():
    resampler = Resampler(TABLE, "bayesian", 1)
    for r in range(20):
        weights = resampler.weights(r)
        assert weights.min() > 0
        assert weights.sum() == pytest.approx(TABLE.n_rows)


def test_cases_are_kept_or_not():
    resampler = Resampler(TABLE, "cases", 1, shares=(0.5, 0.25))
    for r in range(6):
        weights = resampler.weights(r)
        assert (weights <= resampler.counts).all()
        assert weights.sum() == round(resampler.share(r) * TABLE.n_rows)
    assert [resampler.share(r) for r in range(3)] == [0.5, 0.25, 0.5]


@pytest.mark.parametrize("distinct", [4, 4_000])
def test_variances_are_those_of_drawing_with_replacement(distinct):
    # of n rows, a row that is there c times is drawn with mean c and variance c (1 - c / n)
    rng = np.random.default_rng(0)
    table = table_of([rng.integers(2, size=4_000), np.arange(4_000) % distinct])
    resampler = Resampler(table, "rows", 3)
    drawn = np.array([resampler.weights(r) for r in range(400)])
    expected = resampler.counts * (1 - resampler.counts / 4_000)
    assert drawn.var(axis=0).sum() == pytest.approx(expected.sum(), rel=0.1)


def test_streams_depend_on_the_seed_and_the_number_alone():
    first, again, other = (
        Resampler(TABLE, "rows", 7),
        Resampler(TABLE, "rows", 7),
        Resampler(TABLE, "rows", 8),
    )
    assert np.array_equal(first.weights(3), again.weights(3))
    assert not np.array_equal(first.weights(3), first.weights(4))
    assert not np.array_equal(first.weights(3), other.weights(3))


def test_weighted_tables_keep_their_weights():
    table = table_of([[0, 0, 1, 1], [0, 1, 0, 1]], weights=[1.5, 2.0, 0.0, 3.0])
    resampler = Resampler(table, "rows", 1)
    drawn = resampler.weights(0)
    assert resampler.table(0).weights.values == pytest.approx(drawn * np.array([1.5, 2.0, 0.0, 3.0]) / 2)


@pytest.mark.parametrize("kind", ["halves", "rows", "bayesian"])
def test_where_there_is_nothing_to_find_resamples_find_no_more_than_all_rows(kind):
    """At a significance of .05 a pair of independent columns is joined in one resample of twenty."""
    table = gd.read(np.random.default_rng(0).integers(0, 2, (1_000, 20)))
    found = gd.Bootstrap(gd.GSMN(), n=40, kind=kind, random_state=1).fit(table).result_
    assert 0.02 < found.frequencies.mean() < 0.07
    assert "present" not in found.verdicts


def test_a_half_has_half_of_the_rows():
    weights = Resampler(TABLE, "halves", 1).weights(0)
    assert weights.sum() == round(TABLE.n_rows / 2)
    assert (weights <= Resampler(TABLE, "halves", 1).counts).all()


def test_parts_add_up():
    units = np.array([1, 64, 65, 1_000, 7])
    parts = split(units)
    assert parts.max() <= MOST_MERGED
    assert parts.sum() == units.sum()
    assert len(parts) == 1 + 1 + 2 + 16 + 1


def test_seeds():
    assert seed_of(5) == 5
    assert seed_of(np.random.default_rng(1)) == seed_of(np.random.default_rng(1))
    assert seed_of(None) != seed_of(None)
    with pytest.raises(SettingsError, match="-1"):
        seed_of(-1)
    with pytest.raises(DataError, match="empty"):
        Resampler(table_of([[], []], [2, 2]), "rows", 1)
