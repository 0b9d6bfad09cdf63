"""Regions, degrees of freedom, posterior, path and probabilities against a plain implementation, to 1e-8."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

pytest.importorskip("sklearn")

import graphoid as gd
from graphoid.classifiers.regions import acyclic, region_graph
from graphoid.classifiers.search import log_prior
from tests.support import plain_classifier as plain


def random_hyperedges(rng, n=6, most=7):
    return [
        frozenset(rng.choice(n, rng.integers(1, 4), replace=False).tolist()) | {plain.Y}
        for _ in range(rng.integers(1, most))
    ]


def random_rows(seed, n_rows=120, n_classes=2, sizes=(2, 3, 2, 4)):
    """Rows whose class depends on the first two attributes together, and weakly on the third."""
    rng = np.random.default_rng(seed)
    x = np.stack([rng.integers(0, size, n_rows) for size in sizes], axis=1)
    score = (x[:, 0] ^ (x[:, 1] > 0)) * 2.0 + 0.7 * x[:, 2] + rng.normal(0, 0.6, n_rows)
    y = np.clip(np.digitize(score, np.quantile(score, np.arange(1, n_classes) / n_classes)), 0, n_classes - 1)
    return x, y


def as_plain(x, y, **settings):
    names = [f"X{v}" for v in range(x.shape[1])]
    rows = [
        {**dict(zip(names, map(int, r), strict=True)), plain.Y: int(c)} for r, c in zip(x, y, strict=True)
    ]
    return plain.Plain(rows, **settings)


@pytest.mark.parametrize("seed", range(40))
def test_regions_and_counting_numbers(seed):
    rng = np.random.default_rng(seed)
    edges = random_hyperedges(rng)
    expected = plain.regions(edges)
    assert region_graph(edges) == expected
    assert region_graph(edges[::-1]) == expected  # whatever the order
    # every attribute is counted once in the end
    assert all(sum(c for r, c in expected.items() if v in r) == 1 for e in edges for v in e)


@pytest.mark.parametrize("seed", range(60))
def test_hypertrees(seed):
    rng = np.random.default_rng(seed)
    edges = random_hyperedges(rng, n=5, most=6)
    masks = [sum(1 << v for v in edge if v != plain.Y) for edge in edges]
    assert acyclic(masks) == plain.hypertree(edges)


def test_the_prior():
    # by hand: m = 100, df = 9: -100 * 9 / 90; at df = m - 1 and beyond there is no prior
    assert log_prior(np.array([9.0, 98.0, 99.0, 150.0]), 100.0).tolist() == [-10.0, -9800.0, -np.inf, -np.inf]
    assert log_prior(np.array([9.0]), 100.0, "exp").tolist() == [-9.0]


CASES = [
    ("binary", {}, {}),
    ("three classes", {"n_classes": 3}, {}),
    ("pairs only", {}, {"max_order": 2}),
    ("up to three", {"n_rows": 200}, {"max_order": 3}),
    ("hypertrees", {"n_rows": 300, "sizes": (2, 2, 2, 2)}, {"max_order": 3, "acyclic": True}),
    ("exp", {"n_rows": 80}, {"prior": "exp", "max_order": 3}),
    ("weak prior", {}, {"theta": 0.01}),
    ("few rows", {"n_rows": 12, "n_classes": 3}, {}),
    ("more attributes", {"n_rows": 90, "sizes": (2, 3, 2, 2, 2)}, {"max_order": 3}),
]


@pytest.mark.parametrize(("data", "settings"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
@pytest.mark.parametrize("seed", range(2))
def test_path_posterior_and_probabilities(seed, data, settings):
    x, y = random_rows(seed, **data)
    reference = as_plain(x, y, **settings)
    path = reference.climb()
    model = gd.MarkovNetworkClassifier(preset="paper", **settings).fit(x, y)
    assert [h.attributes for h in model.path_] == [members for members, _ in path]
    np.testing.assert_allclose([h.log_posterior for h in model.path_], [v for _, v in path], atol=1e-8)

    value, df, graph = reference.best()
    assert model.log_posterior_ == pytest.approx(value, abs=1e-8)
    assert model.dof_ == df
    assert {frozenset(r) | {plain.Y}: c for r, c in model.regions_.items()} == graph

    possible = {key: v for key, v in reference.evaluated.items() if v[0] > -np.inf}
    found = {
        frozenset(frozenset(e) | {plain.Y} for e in s.hyperedges) or frozenset({frozenset({plain.Y})}): s
        for s in model.posterior_
    }
    assert found.keys() == possible.keys()
    for key, structure in found.items():
        assert structure.log_posterior == pytest.approx(possible[key][0], abs=1e-8)
        assert structure.dof == possible[key][1]
    assert sum(s.probability for s in model.posterior_) == pytest.approx(1.0)

    names = reference.attributes
    rows = [dict(zip(names, map(int, r), strict=True)) for r in x[:25]]
    np.testing.assert_allclose(model.predict_proba(x[:25]), [reference.average(r) for r in rows], atol=1e-8)
    single = gd.MarkovNetworkClassifier(preset="paper", averaging=False, **settings).fit(x, y)
    np.testing.assert_allclose(
        single.predict_proba(x[:25]), [reference.predict(graph, r) for r in rows], atol=1e-8
    )


def test_cells_that_did_not_occur():
    x, y = random_rows(3, n_rows=40)
    reference = as_plain(x, y)
    reference.climb()
    model = gd.MarkovNetworkClassifier(preset="paper").fit(x, y)
    every = np.array(np.meshgrid(*(np.unique(column) for column in x.T))).reshape(x.shape[1], -1).T
    expected = [reference.average(dict(zip(reference.attributes, map(int, r), strict=True))) for r in every]
    np.testing.assert_allclose(model.predict_proba(every), expected, atol=1e-8)


def test_interaction_information_is_that_of_entropies():
    x, y = random_rows(5, n_rows=400)
    model = gd.MarkovNetworkClassifier(preset="paper").fit(x, y)
    reference = as_plain(x, y)

    def entropy(members):
        total = 0.0
        values = [reference.values[v] for v in members]
        for cell in np.array(np.meshgrid(*values)).reshape(len(members), -1).T if members else [()]:
            p = reference.probability(frozenset(members), dict(zip(members, map(int, cell), strict=True)))
            total -= p * np.log(p)
        return total if members else 0.0

    assert any(h.order > 2 for h in model.hyperedges_)
    for hyperedge in model.hyperedges_:
        members = [*hyperedge.attributes, plain.Y]
        expected = -sum(
            (-1) ** (len(members) - size) * entropy(part)
            for size in range(1, len(members) + 1)
            for part in combinations(members, size)
        )
        assert hyperedge.information == pytest.approx(expected / entropy([plain.Y]), abs=1e-10)
