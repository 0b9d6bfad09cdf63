"""The kernels of the classifier give what NumPy gives."""

from __future__ import annotations

import numpy as np
import pytest

from graphoid.classifiers.conditional import LookUps, NativeConditional, PlainConditional
from graphoid.classifiers.likelihood import NativeLikelihood, PlainLikelihood
from graphoid.classifiers.mixture import NativePredictor, PlainPredictor, averaged, best_structure
from graphoid.classifiers.search import Settings, climb
from graphoid.classifiers.submodels import Submodels
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
    plain = climb(of, PlainLikelihood(of), settings)
    assert fast.log_posterior == pytest.approx(plain.log_posterior, rel=1e-12)
    assert len(fast.steps) == len(plain.steps)
    for a, b in zip(fast.steps, plain.steps, strict=True):
        np.testing.assert_array_equal(a.faces, b.faces)
        np.testing.assert_allclose(a.log_posterior, b.log_posterior, rtol=1e-11)
        assert a.taken == b.taken


@pytest.mark.parametrize("case", CASES, ids=str)
@pytest.mark.parametrize("write", [averaged, best_structure])
def test_predictions_also_of_levels_that_were_not_seen(case, write):
    of = submodels(2, **case)
    mixture = write(climb(of, PlainLikelihood(of), Settings()), of)
    rng = np.random.default_rng(3)
    rows = [rng.integers(0, size + 1, 1000).astype(np.uint16) for size in of.sizes]
    expected = PlainPredictor(mixture).predict(rows, 1000)
    np.testing.assert_allclose(expected.sum(axis=1), 1.0)
    one, three = (NativePredictor(mixture, native, threads).predict(rows, 1000) for threads in (1, 3))
    np.testing.assert_allclose(one, expected, atol=1e-12)
    np.testing.assert_array_equal(one, three)


def test_codes_beyond_the_values_are_refused():
    of = submodels(0)
    columns = [np.full(700, 99, dtype=np.uint16), *of.columns[1:]]
    with pytest.raises(ValueError, match="a code beyond the values"):
        NativeLikelihood(Submodels(columns, of.sizes, of.classes, 2), native, 1)
    predictor = NativePredictor(averaged(climb(of, PlainLikelihood(of), Settings()), of), native, 1)
    with pytest.raises(ValueError, match="a code beyond the values"):
        predictor.predict(columns, 700)


@pytest.mark.parametrize("n_classes", [2, 3, 11])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_conditional_likelihood_and_its_derivatives(n_classes, weighted):
    rng = np.random.default_rng(n_classes)
    n_rows, n_faces, n_cells = 500, 4, 30
    rows = LookUps(
        rng.integers(0, n_cells, (n_rows, n_faces)).astype(np.int32),
        rng.normal(size=(n_rows, 5)),
        rng.integers(0, n_classes, n_rows),
        rng.exponential(size=n_rows) if weighted else None,
        n_cells,
        n_classes,
    )
    asked = rng.normal(size=n_classes), 30 * rng.normal(size=(n_cells, n_classes)), rng.normal(size=5)
    fast, plain = NativeConditional(rows, native).loss(*asked), PlainConditional(rows).loss(*asked)
    for a, b in zip(fast, plain, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-10)


def test_look_ups_beyond_the_tables_are_refused():
    def made(at, classes):
        rows = LookUps(np.array([at], dtype=np.int32), np.zeros((1, 1)), np.array([classes]), None, 4, 2)
        return NativeConditional(rows, native)

    made([0, 3], 1)
    for at in ([0, 4], [-1, 0]):
        with pytest.raises(ValueError, match="a cell beyond the tables"):
            made(at, 0)
    with pytest.raises(ValueError, match="a code beyond the classes"):
        made([0, 1], 2)
    with pytest.raises(ValueError, match="scores for every class and cell"):
        made([0, 3], 1).loss(np.zeros(2), np.zeros((3, 2)), np.zeros(1))
