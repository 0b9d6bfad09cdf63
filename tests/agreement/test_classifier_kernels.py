"""The kernels of the classifier give what NumPy gives."""

from __future__ import annotations

import numpy as np
import pytest

from graphoid.classifiers.discriminative import (
    Conditional,
    NativeConditional,
    Potentials,
    potentials,
)
from graphoid.classifiers.likelihood import Likelihood, NativeLikelihood
from graphoid.classifiers.mixture import NativePredictor, average_structures, best_structure
from graphoid.classifiers.search import Settings, climb
from graphoid.classifiers.submodels import NativeSubmodels, Submodels
from graphoid.counts.native import kernels

native = kernels()
pytestmark = pytest.mark.skipif(native is None, reason="the kernels are not compiled or switched off")


def submodels(seed, *, n_classes=2, weighted=False, n_rows=700, theta=1.0):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(2, 5, 5).tolist()
    columns = [rng.integers(0, size, n_rows).astype(np.uint16) for size in sizes]
    score = columns[0] * columns[1] + columns[2] + rng.normal(0, 1.0, n_rows)
    classes = np.digitize(score, np.quantile(score, np.arange(1, n_classes) / n_classes))
    weights = rng.exponential(size=n_rows) if weighted else None
    return Submodels(columns, sizes, classes, n_classes, weights=weights, theta=theta)


CASES = [
    {},
    {"n_classes": 3},
    {"n_classes": 11},
    {"weighted": True},
    {"n_rows": 3},
    {"theta": 1e-6},
    {"n_classes": 3, "weighted": True, "theta": 20.0},
]


@pytest.mark.parametrize("case", CASES, ids=str)
@pytest.mark.parametrize("threads", [1, 3])
def test_the_climb(case, threads):
    of = submodels(1, **case)
    settings = Settings(max_order=4)
    fast = climb(of, NativeLikelihood(of, native, threads), settings)
    plain = climb(of, Likelihood(of), settings)
    assert fast.log_posterior == pytest.approx(plain.log_posterior, rel=1e-12)
    assert len(fast.steps) == len(plain.steps)
    for a, b in zip(fast.steps, plain.steps, strict=True):
        np.testing.assert_array_equal(a.faces, b.faces)
        np.testing.assert_allclose(a.log_posterior, b.log_posterior, rtol=1e-11)
        assert a.chosen == b.chosen


@pytest.mark.parametrize("case", CASES, ids=str)
@pytest.mark.parametrize("write", [average_structures, best_structure])
def test_predictions_also_of_levels_that_were_not_seen(case, write):
    of = submodels(2, **case)
    mixture = write(climb(of, Likelihood(of), Settings()), of)
    rng = np.random.default_rng(3)
    rows = [rng.integers(0, size + 1, 1000).astype(np.uint16) for size in of.sizes]
    expected = mixture.predict(rows, 1000)
    np.testing.assert_allclose(expected.sum(axis=1), 1.0)
    one, three = (NativePredictor(mixture, native, threads).predict(rows, 1000) for threads in (1, 3))
    np.testing.assert_allclose(one, expected, atol=1e-12)
    np.testing.assert_array_equal(one, three)


def test_codes_beyond_the_values_are_refused():
    of = submodels(0)
    columns = [np.full(700, 99, dtype=np.uint16), *of.columns[1:]]
    with pytest.raises(ValueError, match="a code beyond the values"):
        NativeLikelihood(Submodels(columns, of.sizes, of.classes, 2), native, 1)
    predictor = NativePredictor(average_structures(climb(of, Likelihood(of), Settings()), of), native, 1)
    with pytest.raises(ValueError, match="a code beyond the values"):
        predictor.predict(columns, 700)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_submodels(case):
    plain = submodels(4, **case)
    fast = NativeSubmodels(plain, native)
    for face in [(), (1,), (0, 3), (0, 2, 4), (0, 1, 2, 3)]:
        same = {"rtol": 1e-10, "atol": 1e-10}
        np.testing.assert_allclose(fast.potential(face), plain.potential(face), **same)
        np.testing.assert_allclose(fast.own_potential(face), plain.own_potential(face), **same)
        assert fast.information(face) == pytest.approx(plain.information(face), rel=1e-9, abs=1e-12)
    for face, new in [((0, 2), [(0,), (0, 2)]), ((1, 2, 4), [(2,), (1, 4), (1, 2, 4)]), ((3,), [])]:
        np.testing.assert_allclose(fast.term(face, new), plain.term(face, new), **same)
    with pytest.raises(IndexError, match="no such attribute"):
        fast.potential((5,))


def random_potentials(n_classes, *, weighted):
    rng = np.random.default_rng(n_classes)
    n_rows, n_faces, n_cells = 500, 5, 30
    return Potentials(
        at=rng.integers(0, n_cells, (n_rows, n_faces)).astype(np.int32),
        classes=rng.integers(0, n_classes, n_rows),
        row_weights=rng.exponential(size=n_rows) if weighted else None,
        start=rng.normal(size=n_classes),
        start_own=rng.random(n_classes),
        counted=10 * rng.normal(size=(n_cells, n_classes)),
        own=rng.random((n_cells, n_classes)),
        face=np.sort(rng.integers(0, n_faces, n_cells)).astype(np.int32),
        relevance=rng.random(n_faces),
    )


@pytest.mark.parametrize("n_classes", [2, 3, 11])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_conditional_likelihood_and_its_derivatives(n_classes, weighted):
    of = random_potentials(n_classes, weighted=weighted)
    at = np.random.default_rng(0).normal(size=1 + len(of.relevance) + of.counted.size)
    (value, slope), (expected, expected_slope) = (
        way.loss(at) for way in (NativeConditional(of, native), Conditional(of))
    )
    assert value == pytest.approx(expected, rel=1e-12)
    np.testing.assert_allclose(slope, expected_slope, rtol=1e-12, atol=1e-9)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_minimum(case):
    # Strictly convex, so there is one. Both ways end when a step gains less than 1e-8 of the loss: what is
    # then left to gain is of that order, and by the priors' precision (2) weights are off by less than 1e-2.
    counted = submodels(5, **case)
    of = potentials(counted, [(0,), (1,), (2,), (0, 1), (0, 1, 2)], np.array([1.0, 1.0, 1.0, 0.8, 0.3]))
    plain = Conditional(of)
    fast, slow = NativeConditional(of, native).minimum(), plain.minimum()
    least, reached = plain.loss(slow)[0], plain.loss(fast)[0]
    assert reached == pytest.approx(least, rel=1e-6)
    np.testing.assert_allclose(fast, slow, atol=1e-2)


def test_potentials_that_do_not_fit_together_are_refused():
    of = random_potentials(2, weighted=False)
    for wrong, message in [
        ({"at": of.at + 1}, "a cell beyond the tables"),
        ({"at": of.at - 1}, "a cell beyond the tables"),
        ({"at": of.at[:, 1:]}, "a line of cells for every row"),
        ({"classes": of.classes + 1}, "a code beyond the classes"),
        ({"own": of.own[1:]}, "scores for every class and cell"),
        ({"face": of.face + 1}, "a face for every cell"),
        ({"row_weights": np.ones(3)}, "one weight a row"),
    ]:
        with pytest.raises(ValueError, match=message):
            NativeConditional(of._replace(**wrong), native)
    with pytest.raises(ValueError, match="a number for every scale and weight"):
        NativeConditional(of, native).loss(np.zeros(3))
