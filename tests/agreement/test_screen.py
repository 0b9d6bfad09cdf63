"""All pairs at once: the kernel keeps what asking about every pair keeps, to the bit."""

from __future__ import annotations

import math

import numpy as np
import pytest

import graphoid as gd
from graphoid.counts.engine import ScreenRequest
from graphoid.counts.native import NativeEngine, kernels
from graphoid.counts.reference import ReferenceEngine
from graphoid.independence.screening import screen_by_asking, screen_pairs
from graphoid.independence.tester import Tester
from graphoid.logic.names import name_rank

pytestmark = pytest.mark.skipif(kernels() is None, reason="the kernels are switched off")

KEEP = ScreenRequest(partners=5, limit=math.log(0.2), totals=True)
TESTS = [gd.GTest(), gd.GTest(dof="adjusted"), gd.ChiSquare(), gd.MantelHaenszel(), gd.BayesianTest()]


def table(kind: str) -> gd.Table:
    rng = np.random.default_rng(7)
    n, rows = 150 if kind == "binary" else 30, 300
    field = rng.normal(size=(rows, n // 3)).repeat(3, axis=1) + rng.normal(size=(rows, n))
    cuts = {"binary": [0.2], "rare": [2.6], "few": [-1.0, 0.5], "many": np.linspace(-3, 3, 11), "same": [0.0]}
    codes = np.digitize(field, cuts.get(kind, [0.0]))
    if kind in ("mixed", "weighted"):
        codes = np.stack([np.digitize(field[:, i], np.linspace(-2, 2, 1 + i % 11)) for i in range(n)], axis=1)
    if kind == "same":  # columns that are copies: equals, whose names decide
        codes = codes[:, np.arange(n) % 4]
    columns = {f"v{(37 * i) % n}": codes[:, i].astype(str) for i in range(n)}
    weights = rng.choice([0.5, 1.0, 2.0], size=rows) if kind == "weighted" else None
    return gd.read(columns, weights=weights)


@pytest.mark.parametrize("kind", ["binary", "rare", "few", "many", "mixed", "weighted", "same"])
@pytest.mark.parametrize("test", TESTS, ids=lambda test: f"{type(test).__name__}-{getattr(test, 'dof', '')}")
def test_the_kernel_keeps_what_asking_keeps(kind: str, test: gd.GTest) -> None:
    data = table(kind)
    rank = name_rank(data.names)
    keep = KEEP._replace(limit=100.0) if isinstance(test, gd.BayesianTest) else KEEP
    expected = screen_by_asking(Tester(test, NativeEngine(data, threads=1)), rank, keep)
    for threads in (1, 3):
        for simd in (None, "plain"):
            engine = NativeEngine(data, threads=threads, simd=simd)
            found = screen_pairs(Tester(test, engine), rank, keep)
            for name, one, other in zip(found._fields, found, expected, strict=True):
                assert np.array_equal(one, other), name
            quick = screen_pairs(Tester(test, engine), rank, keep._replace(totals=False))
            for name, one, other in list(zip(quick._fields, quick, expected, strict=True))[:-1]:
                assert np.array_equal(one, other), name
    assert len(expected.x) > 0
    assert (expected.partners >= 0).all()


def test_the_kernel_agrees_with_counts_in_numpy() -> None:
    data = table("few")
    rank = name_rank(data.names)
    plain = screen_by_asking(Tester(gd.GTest(), ReferenceEngine(data)), rank, KEEP)
    found = screen_pairs(Tester(gd.GTest(), NativeEngine(data)), rank, KEEP)
    assert np.array_equal(found.partners, plain.partners)
    assert np.array_equal(found.x, plain.x)
    np.testing.assert_allclose(found.value, plain.value, rtol=1e-9)
    np.testing.assert_allclose(found.total, plain.total, rtol=1e-6)


def test_few_variables_have_few_partners() -> None:
    data = gd.read({"a": ["0", "1"] * 10, "b": ["0", "1"] * 10})
    found = screen_pairs(Tester(gd.GTest(), NativeEngine(data)), [0, 1], ScreenRequest(partners=12))
    assert found.partners.tolist() == [[1], [0]]
    assert found.x.size == found.total.size == 0
