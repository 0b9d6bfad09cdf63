"""Exact answers, and files, against pyAgrum on random Markov networks of known width."""

from __future__ import annotations

import importlib
import itertools
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import graphoid as gd
from graphoid.models.factors import Factor
from tests.support.networks import random_network, variables_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

WIDTHS = [*range(1, 13)]
NETWORKS = 100


@pytest.fixture(scope="module")
def gum() -> Iterator[Any]:
    """Return pyAgrum; its bindings warn while they are loaded, and cannot bear warnings that are errors."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            module = importlib.import_module("pyagrum")
        except ImportError:
            pytest.skip("pyAgrum is not installed")
        yield module


def k_tree(rng: np.random.Generator, n: int, k: int) -> list[tuple[int, ...]]:
    """Return the cliques of a random k-tree: each further variable is joined to k that are joined already."""
    cliques = [tuple(range(k + 1))]
    for v in range(k + 1, n):
        old = cliques[rng.integers(len(cliques))]
        cliques.append((*sorted(rng.choice(old, k, replace=False).tolist()), v))
    return cliques


def network_of_width(seed: int) -> gd.MarkovNetwork:
    """Return a model whose graph is a k-tree: a factor for every edge, some for larger parts of cliques."""
    rng = np.random.default_rng(seed)
    k = WIDTHS[seed % len(WIDTHS)]
    n = k + 2 + int(rng.integers(6, 12))
    arities = [2 if k > 6 else int(rng.integers(2, 4)) for _ in range(n)]
    cliques = k_tree(rng, n, k)
    scopes = {pair for clique in cliques for pair in itertools.combinations(clique, 2)}
    for clique in cliques[::3]:
        scopes.add(tuple(sorted(rng.choice(clique, min(len(clique), 3), replace=False).tolist())))
    factors = [Factor(s, rng.normal(size=[arities[v] for v in s])) for s in sorted(scopes)]
    return gd.MarkovNetwork(variables_of(arities), factors=tuple(factors))


def theirs(gum: Any, model: gd.MarkovNetwork) -> Any:
    """Return the model built in pyAgrum, factor by factor and cell by cell."""
    mrf = gum.MarkovRandomField()
    for v in model.variables:
        mrf.add(gum.LabelizedVariable(v.name, "", v.arity))
    for members, log_values in model.factors:
        table = mrf.addFactor([model.names[v] for v in members])
        for state in np.ndindex(log_values.shape):
            at = {model.names[v]: s for v, s in zip(members, state, strict=True)}
            table[at] = float(np.exp(log_values[state]))
    return mrf


def joint_of(tensor: Any, names: list[str], arities: list[int]) -> np.ndarray:
    """Return a tensor of pyAgrum as an array with one axis for each name, in order."""
    out = np.empty(arities)
    for state in np.ndindex(*arities):
        out[state] = tensor[dict(zip(names, state, strict=True))]
    return out


def compare(gum: Any, model: gd.MarkovNetwork, mrf: Any, rng: np.random.Generator, atol: float) -> None:
    """Compare all single marginals and a joint one, without evidence and given some."""
    n = len(model.variables)
    observed = rng.choice(n, 3, replace=False).tolist()
    for evidence in ({}, {v: int(rng.integers(model.arities[v])) for v in observed}):
        pair = [v for v in range(n) if v not in evidence][:2]
        inference = gum.ShaferShenoyMRFInference(mrf)
        inference.setEvidence({model.names[v]: s for v, s in evidence.items()})
        inference.addJointTarget({model.names[v] for v in pair})
        for v in range(n):
            inference.addTarget(model.names[v])
        inference.makeInference()
        ours = model.marginals(evidence)
        for v, name in enumerate(model.names):
            expected = joint_of(inference.posterior(name), [name], [model.arities[v]])
            np.testing.assert_allclose(ours[name], expected, rtol=0, atol=atol)
        names = [model.names[v] for v in pair]
        expected = joint_of(inference.jointPosterior(set(names)), names, [model.arities[v] for v in pair])
        np.testing.assert_allclose(model.query(names, evidence), expected, rtol=0, atol=atol)


def check(gum: Any, seeds: range) -> None:
    widths = []
    for seed in seeds:
        model = network_of_width(seed)
        widths.append(model.tree.width)
        compare(gum, model, theirs(gum, model), np.random.default_rng([1, seed]), atol=1e-10)
    assert widths == [WIDTHS[seed % len(WIDTHS)] for seed in seeds]  # min-fill finds the width of a k-tree


def test_answers_of_a_network_of_every_width(gum: Any) -> None:
    check(gum, range(len(WIDTHS)))


@pytest.mark.slow
def test_answers_of_a_hundred_networks(gum: Any) -> None:
    check(gum, range(NETWORKS))


@pytest.mark.parametrize("seed", range(4))
def test_pyagrum_reads_our_uai_files(gum: Any, tmp_path: Path, seed: int) -> None:
    model = random_network(seed, 8)
    path = tmp_path / "ours.uai"
    model.to_uai(path)
    mrf = gum.loadMRF(str(path))
    assert [mrf.variable(v).domainSize() for v in range(8)] == list(model.arities)
    named = gd.MarkovNetwork.from_uai(
        path, [gd.Variable(mrf.variable(v).name(), tuple(range(a))) for v, a in enumerate(model.arities)]
    )
    # pyAgrum reads the numbers of a UAI file in single precision
    compare(gum, named, mrf, np.random.default_rng(seed), atol=1e-6)
    assert model.kl(gd.MarkovNetwork.from_uai(path, model.variables)) == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("seed", [0, 5])
def test_we_read_uai_files_of_pyagrum(gum: Any, tmp_path: Path, seed: int) -> None:
    model = network_of_width(seed)
    path = tmp_path / "theirs.uai"
    theirs(gum, model).saveUAI(str(path))
    back = gd.MarkovNetwork.from_uai(path, model.variables)
    # pyAgrum writes six digits
    assert model.kl(back) == pytest.approx(0, abs=1e-8)
    for members, log_values in back.factors:
        ours = next(f for f in model.factors if set(f.members) == set(members))
        turned = ours.log_values.transpose([ours.members.index(v) for v in members])
        np.testing.assert_allclose(log_values, turned, atol=1e-5)
