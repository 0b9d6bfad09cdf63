"""Fitted potentials: the derivatives, the minimum, and rows that do not score themselves."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from scipy.optimize import approx_fprime

pytest.importorskip("sklearn")

from graphoid.classifiers.discriminative import (
    SCALE_PRECISION,
    WEIGHT_PRECISION,
    conditional,
    fit_potentials,
    potentials,
)
from graphoid.classifiers.likelihood import likelihood
from graphoid.classifiers.search import Settings, climb
from graphoid.classifiers.submodels import Submodels

FACES = [(0,), (1,), (2,), (0, 1), (0, 1, 2)]


def submodels(*, n_classes=3, weighted=False, n_rows=150):
    rng = np.random.default_rng(0)
    sizes = [2, 3, 2]
    columns = [rng.integers(0, size, n_rows).astype(np.uint16) for size in sizes]
    classes = (columns[0] * columns[1] + (rng.random(n_rows) < 0.3)) % n_classes
    return Submodels(
        columns, sizes, classes, n_classes, weights=rng.integers(1, 4, n_rows) * 1.0 if weighted else None
    )


@pytest.mark.parametrize("weighted", [False, True])
def test_the_gradient_is_that_of_the_loss(weighted):
    of = potentials(submodels(weighted=weighted), FACES, np.array([1.0, 1.0, 1.0, 0.9, 0.4]))
    fit = conditional(of)
    at = np.random.default_rng(1).normal(size=1 + len(FACES) + of.counted.size)
    expected = approx_fprime(at, lambda x: fit.loss(x)[0], 1e-6)
    np.testing.assert_allclose(fit.loss(at)[1], expected, rtol=1e-3, atol=1e-3)


def test_a_row_is_scored_without_itself():
    # By hand: the potential of (x, y) is log P(x, y) - log P(y); leaving the row out takes one from both
    # counts, and of nothing there remains the prior's share, theta over the number of cells.
    of = submodels()
    counts = Counter(zip(of.columns[1].tolist(), of.classes.tolist(), strict=True))
    by_class = Counter(of.classes.tolist())
    prior, class_prior = 1 / 9, 1 / 3
    expected = [
        np.log((counts[x, y] + prior) / (counts[x, y] - 1 + prior))
        - np.log((by_class[y] + class_prior) / (by_class[y] - 1 + class_prior))
        for x, y in zip(of.columns[1].tolist(), of.classes.tolist(), strict=True)
    ]
    np.testing.assert_allclose(of.own_potential((1,))[of.columns[1], of.classes], expected, rtol=1e-12)


def test_the_posterior_written_out_row_by_row():
    of = submodels()
    relevance = np.array([1.0, 1.0, 1.0, 0.9, 0.4])
    counted = potentials(of, FACES, relevance)
    at = 0.5 * np.random.default_rng(2).normal(size=1 + len(FACES) + counted.counted.size)
    scales, weights = at[: len(FACES) + 1], at[len(FACES) + 1 :]
    expected = 0.5 * SCALE_PRECISION * ((scales[0] - 1) ** 2 + scales[1:] @ scales[1:])
    expected += 0.5 * WEIGHT_PRECISION * weights @ weights
    own_shares = [of.own_potential(face) for face in [(), *FACES]]
    for i, own in enumerate(of.classes):
        scores = scales[0] * of.potential(())
        scores[own] -= scales[0] * own_shares[0][own]
        first = 0
        for k, face in enumerate(FACES):
            shape = [of.sizes[v] for v in face]
            cell = tuple(of.columns[v][i] for v in face)
            line = first + int(np.ravel_multi_index(cell, shape))
            w = weights.reshape(-1, 3)[line]
            phi = of.potential(face)[cell].copy()
            phi[own] -= own_shares[k + 1][(*cell, own)]
            scores = scores + relevance[k] * (scales[k + 1] * phi + w)
            first += int(np.prod(shape))
        expected -= scores[own] - np.log(np.exp(scores).sum())
    assert conditional(counted).loss(at)[0] == pytest.approx(expected, rel=1e-12)


def test_what_is_returned_is_the_minimum():
    of = submodels(n_rows=400)
    found = fit_potentials(climb(of, likelihood(of), Settings()), of)
    faces = [term.face for term in found.terms]
    assert {(0,), (1,), (2,), (0, 1)} <= set(faces)
    for term in found.terms:  # levels that were not seen say nothing
        assert not term.table[(-1,) * len(term.face)].any()
    fit = conditional(potentials(of, faces, np.ones(len(faces))))
    at = fit.minimum()
    least, slope = fit.loss(at)
    assert np.abs(slope).max() < 0.05  # of a sum over 400 rows
    rng = np.random.default_rng(3)
    assert all(fit.loss(at + 0.03 * rng.normal(size=at.size))[0] > least for _ in range(20))
