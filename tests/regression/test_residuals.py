"""What blankets leave, and what pairs have in common beyond them."""

from __future__ import annotations

import numpy as np
import pytest

from graphoid.regression import residuals
from graphoid.regression.residuals import Residuals


def draw(rows: int = 400) -> list[np.ndarray]:
    rng = np.random.default_rng(0)
    widths = (1, 2, 1, 3, 1)
    shared = rng.normal(size=(rows, 1))
    return [rng.normal(size=(rows, width)) + 0.5 * shared for width in widths]


def plain_statistic(columns: list[np.ndarray], blankets: list[tuple[int, ...]], x: int, y: int) -> float:
    """N times the sum of squared canonical correlations of what least squares leave, one pair at a time."""
    left = []
    for v in (x, y):
        given = np.concatenate([np.ones((len(columns[v]), 1)), *(columns[b] for b in blankets[v])], axis=1)
        rest = columns[v] - given @ np.linalg.lstsq(given, columns[v], rcond=None)[0]
        left.append(np.linalg.qr(rest)[0])
    return float(len(columns[x]) * (np.linalg.svd(left[0].T @ left[1], compute_uv=False) ** 2).sum())


@pytest.mark.parametrize("block_bytes", [2**25, 64])
def test_statistics_are_those_of_canonical_correlations(block_bytes, monkeypatch):
    monkeypatch.setattr(residuals, "BLOCK_BYTES", block_bytes)
    columns, blankets = draw(), [(1,), (0, 2), (1,), (), (3,)]
    found = Residuals(columns.__getitem__, None).pairs(blankets, lambda dof: np.zeros(dof.shape))
    assert len(found.x) == 10
    for x, y, statistic, dof in zip(*found, strict=True):
        assert statistic == pytest.approx(plain_statistic(columns, blankets, x, y), rel=1e-4, abs=1e-4)
        assert dof == columns[x].shape[1] * columns[y].shape[1]


def test_only_pairs_that_stand_out_are_kept():
    columns, blankets = draw(), [()] * 5
    every = Residuals(columns.__getitem__, None).pairs(blankets, lambda dof: np.zeros(dof.shape))
    some = Residuals(columns.__getitem__, None).pairs(blankets, lambda dof: 8.0 * dof)
    kept = every.statistic >= 8.0 * every.dof
    assert 0 < kept.sum() < 10
    assert np.array_equal(some.x, every.x[kept])
    assert np.array_equal(some.y, every.y[kept])


def test_weights_count_as_repeated_rows():
    columns, blankets = draw(), [(1,), (0,), (), (), ()]
    times = np.random.default_rng(1).integers(1, 4, size=400)
    repeated = [np.repeat(column, times, axis=0) for column in columns]
    weighted = Residuals(columns.__getitem__, times.astype(float)).pairs(
        blankets, lambda d: np.zeros(d.shape)
    )
    plain = Residuals(repeated.__getitem__, None).pairs(blankets, lambda d: np.zeros(d.shape))
    np.testing.assert_allclose(weighted.statistic, plain.statistic, rtol=1e-4)


def test_a_column_that_its_blanket_says_has_nothing_left():
    columns = draw()
    columns[1] = columns[0] * 2 + 1
    found = Residuals(columns.__getitem__, None).pairs(
        [(), (0,), (), (), ()], lambda dof: np.zeros(dof.shape)
    )
    assert sorted(zip(found.x.tolist(), found.y.tolist(), strict=True)) == [
        (x, y) for x in range(5) for y in range(x + 1, 5) if 1 not in (x, y)
    ]


@pytest.mark.parametrize("block_bytes", [2**25, 64])
def test_asked_again_it_looks_at_what_has_changed(block_bytes, monkeypatch):
    monkeypatch.setattr(residuals, "BLOCK_BYTES", block_bytes)
    columns, before, after = draw(), [()] * 5, [(), (3,), (), (1,), ()]
    looks = Residuals(columns.__getitem__, None)
    looks.pairs(before, lambda dof: np.zeros(dof.shape))
    again = looks.pairs(after, lambda dof: np.zeros(dof.shape))
    fresh = Residuals(columns.__getitem__, None).pairs(after, lambda dof: np.zeros(dof.shape))
    expected = {(x, y): s for x, y, s, _ in zip(*fresh, strict=True) if x in (1, 3) or y in (1, 3)}
    found = {(x, y): s for x, y, s, _ in zip(*again, strict=True)}
    assert len(again.x) == len(found) == 7
    assert found == pytest.approx(expected, rel=1e-5)
