"""The divergence of models: against all joint states, and each way against the exact one."""

from __future__ import annotations

import copy

import numpy as np
import pytest

import graphoid as gd
from graphoid import datasets
from graphoid.errors import DataError
from graphoid.models import divergence
from graphoid.models.factors import Factor
from tests.support.networks import enumerated, grid, random_network, variables_of

MODELS = [random_network(seed, 6, strength=1.0) for seed in range(6)]
PAIRS = [(p, gd.MarkovNetwork(p.variables, p.features, 0.5 * p.weights)) for p in MODELS]


def by_enumeration(p: gd.MarkovNetwork, q: gd.MarkovNetwork) -> float:
    a, b = enumerated(p), enumerated(q)
    return float((a[a > 0] * np.log(a[a > 0] / b[a > 0])).sum())


@pytest.mark.parametrize(("p", "q"), PAIRS)
def test_exact_divergence(p: gd.MarkovNetwork, q: gd.MarkovNetwork) -> None:
    for one, other in ((p, q), (q, p)):
        found = one.kl(other)
        assert found == pytest.approx(by_enumeration(one, other), abs=1e-10)
        assert found.method == "exact"
        assert found.standard_error == 0
    assert p.kl(p) == pytest.approx(0, abs=1e-12)
    assert p.kl(p) >= 0


@pytest.mark.parametrize("way", [divergence._sampling, divergence._along_path])
@pytest.mark.parametrize(("p", "q"), PAIRS[:3])
def test_sampled_divergence_is_within_its_error(p: gd.MarkovNetwork, q: gd.MarkovNetwork, way) -> None:
    found = way(p, q, 60_000, np.random.default_rng(0))
    assert found.standard_error < 0.1 * max(float(p.kl(q)), 0.1)
    assert abs(found - p.kl(q)) < 4.5 * found.standard_error


def test_the_way_follows_from_the_size() -> None:
    def model(edges: list[tuple[int, int]], strength: float, **more: int) -> gd.MarkovNetwork:
        factors = tuple(Factor(e, strength * np.eye(2)) for e in edges)
        return gd.MarkovNetwork(variables_of([2] * 16), factors=factors, **more)

    rows = [(a, b) for a, b in grid(4, 4) if b == a + 1]
    columns = [(a, b) for a, b in grid(4, 4) if b == a + 4]
    along, across = model(rows, 1.0, max_cells=16), model(columns, 1.0, max_cells=16)
    found = along.kl(across, n_samples=50_000, random_state=0)  # each is a set of chains, both are a grid
    assert found.method == "sampling"
    exact = model(rows, 1.0).kl(model(columns, 1.0))
    assert exact.method == "exact"
    assert abs(found - exact) < 4.5 * found.standard_error
    whole = model(grid(4, 4), 0.6, max_cells=16)
    by_path = whole.kl(along, n_samples=60_000, random_state=0)
    assert by_path.method == "path"
    assert abs(by_path - model(grid(4, 4), 0.6).kl(model(rows, 1.0))) < 4.5 * by_path.standard_error
    assert "±" in str(by_path)


def test_models_that_fall_apart() -> None:
    rng = np.random.default_rng(0)
    variables = variables_of([2, 3, 2, 2, 2])
    p = gd.MarkovNetwork(
        variables, factors=(Factor((0, 1), rng.normal(size=(2, 3))), Factor((2, 3), rng.normal(size=(2, 2))))
    )
    q = gd.MarkovNetwork(variables, (((4, 1),), ((0, 1), (2, 1))), [0.7, -1.2])
    assert p.kl(q) == pytest.approx(by_enumeration(p, q), abs=1e-12)
    assert q.kl(p) == pytest.approx(by_enumeration(q, p), abs=1e-12)


def test_what_the_other_rules_out_is_infinitely_far() -> None:
    p = gd.MarkovNetwork(variables_of([2]), factors=(Factor((0,), np.zeros(2)),))
    q = gd.MarkovNetwork(variables_of([2]), factors=(Factor((0,), np.array([0.0, -np.inf])),))
    assert p.kl(q) == np.inf
    assert q.kl(p) == pytest.approx(np.log(2))


def test_order_of_variables_and_states_does_not_matter() -> None:
    p = random_network(3, 5)
    turned = [4, 2, 0, 1, 3]
    place = [turned.index(v) for v in range(5)]
    variables = tuple(gd.Variable(p.names[v], p.variables[v].states[::-1]) for v in turned)
    q = gd.MarkovNetwork(
        variables,
        tuple(tuple((place[v], p.arities[v] - 1 - s) for v, s in f) for f in p.features),
        p.weights,
        tuple(Factor(tuple(place[v] for v in f.members), np.flip(f.log_values)) for f in p.factors),
    )
    assert p.kl(q) == pytest.approx(0, abs=1e-12)
    assert q.kl(p) == pytest.approx(0, abs=1e-12)
    other = random_network(4, 5)
    reordered = gd.MarkovNetwork(other.variables, other.features, other.weights, other.factors)
    with pytest.raises(DataError, match="same variables"):
        p.kl(gd.MarkovNetwork(variables_of([2, 2])))
    with pytest.raises(DataError, match="has states"):
        gd.MarkovNetwork(variables_of([2])).kl(gd.MarkovNetwork(variables_of([3])))
    assert reordered.kl(other) == pytest.approx(0, abs=1e-12)


def test_networks_of_the_datasets_can_be_compared() -> None:
    network = datasets.pairwise_binary(datasets.random_graph(8, 2, 0), 1.5, rng=1)
    model = network.to_markov_network()
    np.testing.assert_allclose(enumerated(model), network.probabilities, atol=1e-12)
    assert model.kl(network) == pytest.approx(0, abs=1e-12)


def test_a_divergence_is_a_number() -> None:
    found = PAIRS[0][0].kl(PAIRS[0][1])
    assert found + 1 == float(found) + 1
    again = copy.deepcopy(found)
    assert (again, again.method) == (found, "exact")
    assert repr(found).endswith("(exact)")
