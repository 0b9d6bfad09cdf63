"""Gibbs sampling against enumeration, and the kernel against NumPy."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np
import pytest

from graphoid.counts.native import kernels
from graphoid.datasets import (
    hub_graph,
    ising,
    pairwise_binary,
    random_cliques,
    random_graph,
    scale_free_graph,
)
from graphoid.errors import SettingsError
from graphoid.models import gibbs
from graphoid.models.factors import Factor, joint
from graphoid.models.gibbs import GibbsSampler, conditionals
from graphoid.structure.graph import UndirectedGraph

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from graphoid.datasets.networks import BinaryNetwork

STAR = UndirectedGraph(14, [(0, x) for x in range(1, 14)])  # too many neighbors for a table of thresholds
CLIQUE = UndirectedGraph(13, itertools.combinations(range(12), 2))  # one factor with eleven others


def signed(rng: np.random.Generator) -> float:
    return float(rng.choice([-1, 1]) * rng.uniform(0.3, 0.6))


NETWORKS = {
    "ising": ising(random_graph(12, 3, 0), signed, fields=np.linspace(-0.4, 0.4, 12), rng=1),
    "pairwise": pairwise_binary(random_graph(10, 2, 1), 1.5, rng=2),
    "star": pairwise_binary(STAR, 0.7, rng=3),
    "cliques": random_cliques(scale_free_graph(12, 2, 4), rng=5),
    "clique": random_cliques(CLIQUE, rng=6),
}


def z_scores(probabilities: NDArray[np.float64], codes: NDArray[np.uint8]) -> NDArray[np.float64]:
    """Return how many standard errors the frequency of every state of every pair is off its probability."""
    n, found = probabilities.ndim, []
    for x, y in itertools.combinations(range(n), 2):
        others = tuple(v for v in range(n) if v not in (x, y))
        expected = probabilities.sum(axis=others).ravel()
        counts = np.bincount(codes[x] * 2 + codes[y], minlength=4)
        found.append(
            (counts / codes.shape[1] - expected) / np.sqrt(expected * (1 - expected) / codes.shape[1])
        )
    return np.concatenate(found)


@pytest.mark.parametrize("name", NETWORKS)
def test_every_pair_has_the_frequencies_of_its_distribution(name: str) -> None:
    network = NETWORKS[name]
    codes = GibbsSampler().draw(network.graph.n, network.factors, 40_000, np.random.default_rng(0))
    z = z_scores(network.probabilities, codes)
    # about 300 correlated scores; rows of a chain are not quite independent, which the factor allows for
    assert np.abs(z).max() < 5
    assert np.sqrt((z**2).mean()) < 1.6


def test_frequencies_of_another_distribution_are_told() -> None:
    right, wrong = NETWORKS["ising"], ising(random_graph(12, 3, 0), 0.4)
    codes = GibbsSampler().draw(12, wrong.factors, 10_000, np.random.default_rng(0))
    assert np.abs(z_scores(right.probabilities, codes)).max() > 10


@pytest.mark.parametrize("name", NETWORKS)
def test_pair_odds_ratios_match_enumeration(name: str) -> None:
    network = NETWORKS[name]
    codes = GibbsSampler().draw(network.graph.n, network.factors, 60_000, np.random.default_rng(1))
    for x, y in network.graph.edges[:15]:
        others = tuple(v for v in range(network.graph.n) if v not in (x, y))
        p = network.probabilities.sum(axis=others)
        counts = np.bincount(codes[x] * 2 + codes[y], minlength=4).reshape(2, 2)
        expected = np.log(p[0, 0] * p[1, 1] / (p[0, 1] * p[1, 0]))
        found = np.log(counts[0, 0] * counts[1, 1] / (counts[0, 1] * counts[1, 0]))
        assert abs(found - expected) < 5 * np.sqrt((1 / counts).sum())


@pytest.mark.parametrize("name", NETWORKS)
def test_conditionals_are_those_of_the_joint(name: str) -> None:
    network = NETWORKS[name]
    n, p = network.graph.n, network.probabilities
    plan = conditionals(n, network.factors)
    every = (np.arange(2**n)[None, :] >> np.arange(n - 1, -1, -1)[:, None] & 1).astype(np.uint8)
    for v in range(n):
        expected = (p.take(1, v) / p.sum(axis=v)).ravel()
        states = every[:, every[v] == 0]
        first, last = plan.first_term[v], plan.first_term[v + 1]
        cells = [gibbs._cells(plan, t, states) for t in range(first, last)]
        if len(cells) == 1:
            np.testing.assert_allclose(plan.thresholds[cells[0]] / 2**32, expected, rtol=0, atol=2**-32)
        else:
            total = sum(plan.log_odds[cell] for cell in cells)
            np.testing.assert_allclose(1 / (1 + np.exp(-total)), expected, rtol=1e-12)


@pytest.mark.skipif(kernels() is None, reason="the compiled kernels are not there")
@pytest.mark.parametrize(
    "network",
    [*NETWORKS.values(), pairwise_binary(random_graph(30, 12, 0), 0.5, rng=0), ising(hub_graph(20), -0.5)],
    ids=[*NETWORKS, "dense", "hubs"],
)
@pytest.mark.parametrize("n_rows", [1, 64, 301])
def test_the_kernel_and_numpy_draw_the_same_sample(
    network: BinaryNetwork, n_rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    sampler = GibbsSampler(burn_in=7, thin=3, n_chains=128)

    def draw() -> NDArray[np.uint8]:
        return sampler.draw(network.graph.n, network.factors, n_rows, np.random.default_rng(5))

    by_kernel = draw()
    monkeypatch.setattr(gibbs, "kernels", lambda: None)
    np.testing.assert_array_equal(by_kernel, draw())


def test_the_sample_depends_on_the_seed_and_not_on_threads() -> None:
    network = NETWORKS["ising"]

    def draw(seed: int, threads: int | None) -> NDArray[np.uint8]:
        sampler = GibbsSampler(burn_in=5, threads=threads)
        return sampler.draw(12, network.factors, 500, np.random.default_rng(seed))

    np.testing.assert_array_equal(draw(0, 1), draw(0, 3))
    np.testing.assert_array_equal(draw(0, 1), draw(0, None))
    assert (draw(0, 1) != draw(1, 1)).any()


def test_the_random_words_are_those_of_splitmix64() -> None:
    # the first outputs of the reference implementation for the seed 0, widely published
    first = [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F]
    u = gibbs.uniforms(np.array([0], dtype=np.uint64), 0, 1)[0]
    assert [int(u[2 * j]) | int(u[2 * j + 1]) << 32 for j in range(3)] == first
    # sweep 2 of 3 variables goes on where sweep 1 ended
    keys = np.array([7, 9], dtype=np.uint64)
    np.testing.assert_array_equal(gibbs.uniforms(keys, 1, 6)[:3], gibbs.uniforms(keys, 2, 3))


def test_chains_are_taken_in_turn() -> None:
    # a factor so strong that a chain keeps its state, and starts that are even
    factors = [Factor((0, 1), np.array([[40.0, -40.0], [-40.0, 40.0]]))]
    codes = GibbsSampler(burn_in=50, n_chains=64).draw(2, factors, 640, np.random.default_rng(0))
    np.testing.assert_array_equal(codes[0], codes[1])
    np.testing.assert_array_equal(codes.reshape(2, 10, 64)[:, 0], codes.reshape(2, 10, 64)[:, 9])
    assert 0 < codes[0, :64].mean() < 1


@pytest.mark.parametrize(("n", "n_rows"), [(0, 5), (3, 0), (1, 1)])
def test_nothing_is_sampled_without_trouble(n: int, n_rows: int) -> None:
    assert GibbsSampler().draw(n, [], n_rows, np.random.default_rng(0)).shape == (n, n_rows)


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"burn_in": -1}, "burn_in is -1"),
        ({"thin": 0}, "thin is 0"),
        ({"n_chains": 0.5}, "n_chains"),
        ({"threads": 0}, "threads"),
    ],
)
def test_settings_are_checked(settings: dict[str, int], named: str) -> None:
    with pytest.raises(SettingsError, match=named):
        GibbsSampler(**settings).draw(2, [], 5, np.random.default_rng(0))


@pytest.mark.parametrize(
    "factor",
    [
        Factor((0, 0), np.zeros((2, 2))),
        Factor((0, 5), np.zeros((2, 2))),
        Factor((0, 1), np.zeros(2)),
        Factor((0,), np.array([0.0, -np.inf])),
    ],
)
def test_factors_are_checked(factor: Factor) -> None:
    with pytest.raises(SettingsError, match="factor"):
        GibbsSampler().draw(3, [factor], 5, np.random.default_rng(0))


def test_many_variables_are_not_enumerated() -> None:
    with pytest.raises(SettingsError, match=r"2\*\*17"):
        joint(17, [])
