"""Scores of numbers by straight lines, and exact sums of them."""

from __future__ import annotations

import numpy as np
import pytest

import graphoid as gd
from graphoid.counts.engine import CountRequest
from graphoid.counts.remote.number_sums import GRID, LinearScore, add_scores
from graphoid.errors import DataChanged, DataError
from graphoid.regression.coding import standard_scores
from graphoid.regression.embedding import SecondMoments
from graphoid.regression.gaussian import LinearEvidence
from graphoid.regression.sums import MOST_KNOTS, linear_score, sum_engine
from graphoid.regression.whiten import whiten_variables

UNIT = 2.0**-GRID


def score(numbers: np.ndarray) -> LinearScore:
    """Return the score of a column of numbers."""
    found, rows = np.unique(numbers, return_counts=True)
    return linear_score("x", found, rows)


def test_few_numbers_have_their_normal_scores():
    numbers = np.random.default_rng(1).poisson(40, 500).astype(float)
    assert len(np.unique(numbers)) <= MOST_KNOTS
    np.testing.assert_allclose(score(numbers)(numbers) * UNIT, standard_scores(numbers), atol=UNIT)


@pytest.mark.parametrize("shape", [np.sinh, np.exp, lambda z: z])
def test_between_knots_scores_are_close(shape):
    numbers = shape(np.random.default_rng(2).normal(size=20_000))
    found = score(numbers)(numbers) * UNIT
    assert len(score(numbers).knots) <= MOST_KNOTS
    # but for the tails, where a knot is one of few numbers
    assert np.sqrt(np.mean((found - standard_scores(numbers)) ** 2)) < 0.004
    assert (np.diff(found[np.argsort(numbers)]) >= 0).all()


def test_a_number_that_was_not_there_is_told():
    with pytest.raises(DataChanged, match="'x' has numbers that were not there"):
        score(np.arange(5.0))(np.array([2.0, 5.5]))


def test_sums_are_exact():
    rng = np.random.default_rng(3)
    columns = [rng.integers(-(2**30), 2**30, 300) for _ in range(3)]
    codes, units = rng.integers(0, 3, 300), rng.integers(0, 2**50, 300)
    for weights in (None, units):
        found = add_scores(columns, {7: codes}, {7: 3}, weights, 300)
        w = [1] * 300 if weights is None else weights.tolist()
        assert found.total == sum(w)
        for a in range(3):
            assert found.sums[a] == sum(u * int(s) for u, s in zip(w, columns[a], strict=True))
            for b in range(3):
                assert found.products[a, b] == sum(
                    u * int(s) * int(t) for u, s, t in zip(w, columns[a], columns[b], strict=True)
                )
            for state in range(3):
                assert found.by_state[7][state, a] == sum(
                    u * int(s) for u, s, c in zip(w, columns[a], codes, strict=True) if c == state
                )


def mixed_columns() -> dict[str, object]:
    """Return a chain of columns of several kinds."""
    rng = np.random.default_rng(4)
    a = rng.normal(size=400)
    b = np.where(a + rng.normal(size=400) > 0, "high", "low")
    c = np.clip(np.rint(2 * (b == "high") + rng.normal(size=400)), 0, 3).astype(int)
    town = np.array(["x", "y", "z"])[rng.integers(0, 3, 400)]
    return {"a": a.round(1), "b": b, "c": c, "town": town}


def test_moments_are_those_of_the_rows():
    table = gd.read(mixed_columns())
    by_rows, by_sums = SecondMoments(table), sum_engine(table).moments()
    np.testing.assert_allclose(by_sums.means, by_rows.means, atol=1e-9)
    np.testing.assert_allclose(by_sums.products, by_rows.products, atol=1e-9)


def test_the_evidence_is_that_of_the_plain_formula():
    table = gd.read(mixed_columns())
    scorer = gd.GaussianEvidence(scale=0.8).on(table)
    white = whiten_variables(sum_engine(table).moments())
    plain = LinearEvidence(white.correlations, white.first.tolist(), white.n_rows, 4 / 0.8**2, moment=True)
    for x, blanket in ((0, (1, 2)), (1, (0, 3)), (3, (0, 1, 2)), (2, ())):
        mask = sum(1 << v for v in blanket)
        assert scorer.local(x, mask) == pytest.approx(plain(x, blanket), rel=1e-9, abs=1e-9)


def test_what_counts_states_is_refused():
    engine = sum_engine(gd.read(mixed_columns()))
    with pytest.raises(DataError, match="'a' holds numbers without states"):
        engine.counts([CountRequest((0, 1))])
