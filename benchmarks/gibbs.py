"""The Gibbs sampler: updates a second on one core, whole samples, and how far apart rows must be.

The bar is 30 million updates of a variable a second for a sparse pairwise network. The table of
autocorrelation is where the defaults of ``GibbsSampler`` come from.

    python benchmarks/gibbs.py
"""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

import numpy as np

from graphoid import datasets
from graphoid.counts.native import kernels
from graphoid.data.variables import Variable
from graphoid.models.factors import Factor
from graphoid.models.gibbs import GROUP, GibbsSampler, conditionals
from graphoid.models.gibbs_multistate import run_chains
from graphoid.models.network import MarkovNetwork
from measure import N_ROWS, best, closing_line, word

if TYPE_CHECKING:
    from graphoid.datasets.networks import BinaryNetwork

BAR = 30e6  # updates a second on one core
SWEEPS = 500
GROUPS = 4


def ising(n: int, tau: int, seed: int = 0) -> BinaryNetwork:
    """Return an Ising model with couplings between .3 and .6 of random sign."""
    graph = datasets.random_graph(n, tau, seed)
    return datasets.ising(graph, lambda rng: rng.choice([-1, 1]) * rng.uniform(0.3, 0.6), rng=seed)


def uniform(tau: int, theta: float) -> BinaryNetwork:
    """Return a network of 50 variables with the same log-odds ratio on every edge."""
    return datasets.pairwise_binary(datasets.random_graph(50, tau, 0), theta, rng=0)


NETWORKS = {
    "Ising, n = 75, degree 3": (ising(75, 3), True),
    "Ising, n = 200, degree 3": (ising(200, 3), True),
    "Ising, n = 1,000, degree 3": (ising(1000, 3), True),
    "Ising, n = 50, degree 8": (ising(50, 8), False),
    "theta 1, n = 50, degree 2": (uniform(2, 1), True),
    "theta 2, n = 50, degree 2": (uniform(2, 2), True),
    "theta 1, n = 50, degree 8": (uniform(8, 1), False),
    "cliques, scale-free, n = 32": (datasets.random_cliques(datasets.scale_free_graph(32, 2, 0), 0), False),
}


def chains(network: BinaryNetwork, times: int, burn_in: int) -> np.ndarray:
    """Return the states of a few hundred chains after every sweep: variable, sweep, chain."""
    native = kernels()
    if native is None:
        sys.exit("the compiled kernels are not there")
    keys = np.random.default_rng(0).integers(0, 2**64, size=GROUPS, dtype=np.uint64)
    plan = conditionals(network.graph.n, network.factors)
    states: np.ndarray = native.gibbs(*plan, keys, times, burn_in, 1, 1)
    return states.reshape(network.graph.n, times, GROUPS * GROUP)


def speed() -> None:
    """Time sweeps, and whole samples with the settings as they come."""
    print(f"{'':<28} {'M updates/s':>12} {f'{N_ROWS:,} rows, CPU s':>20}")
    for name, (network, sparse) in NETWORKS.items():
        n = network.graph.n
        updates = n * GROUPS * GROUP * SWEEPS
        rate = updates / best(lambda: chains(network, 1, SWEEPS), clock=time.process_time) * 1e6
        one = GibbsSampler(threads=1)
        whole = best(lambda: network.sample(N_ROWS, 0, sampler=one), clock=time.process_time, seconds=0)
        how = word(name, holds=rate >= BAR) if sparse else ""
        print(f"{name:<28} {rate / 1e6:>12.0f} {whole / 1e6:>20.2f} {how}")


def states_of(arity: int, tau: int, n: int = 100) -> MarkovNetwork:
    """Return a network of variables with several states and a random table for every edge."""
    rng = np.random.default_rng(0)
    variables = tuple(Variable(f"v{k}", tuple(range(arity))) for k in range(n))
    edges = datasets.random_graph(n, tau, 0).edges
    return MarkovNetwork(variables, factors=tuple(Factor(e, rng.normal(size=(arity, arity))) for e in edges))


def many_states() -> None:
    """Time sweeps over variables with more than two states; there is no bar for these."""
    print(f"\n{'100 variables with':<28} {'M updates/s':>12}")
    one = GibbsSampler(burn_in=SWEEPS, threads=1, n_chains=GROUPS * GROUP)
    for arity, tau in ((3, 3), (4, 3), (8, 3), (4, 8)):
        model = states_of(arity, tau)
        rng = np.random.default_rng(0)
        seconds = best(
            lambda: run_chains(model.potentials, model.arities, one, 1, rng), clock=time.process_time
        )
        rate = len(model.variables) * GROUPS * GROUP * SWEEPS / seconds
        print(f"{f'{arity} states, degree {tau}':<28} {rate:>12.0f}")


def autocorrelation(series: np.ndarray) -> np.ndarray:
    """Return the autocorrelation of a variable by lag, over many chains with one mean."""
    x = series - series.mean()
    length = len(x)
    spectrum = np.fft.rfft(x, 2 * length, axis=0)
    covariance = np.fft.irfft(spectrum * spectrum.conj(), axis=0)[:length].mean(axis=1)
    covariance /= np.arange(length, 0, -1)
    return np.asarray(covariance / covariance[0])


def integrated(correlations: np.ndarray) -> float:
    """Return the integrated autocorrelation time; the sum ends at five times itself, where noise begins."""
    total = 1.0
    for lag in range(1, len(correlations)):
        total += 2 * correlations[lag]
        if lag >= 5 * total:
            break
    return total


def mixing() -> None:
    """Print how long variables remember, the slowest of each network."""
    print("\nAutocorrelation of the slowest variable; the time is integrated, in sweeps")
    print(f"{'':<28} {'time':>6} {'lag 1':>6} {'10':>5} {'20':>5} {'50':>5}")
    for name, (network, _) in NETWORKS.items():
        states = chains(network, 500, SWEEPS).astype(np.float32)
        by_variable = [autocorrelation(series) for series in states]
        slowest = max(by_variable, key=integrated)
        time_ = integrated(slowest)
        shown = f"{time_:>6.1f}" if time_ < 100 else "  >100"
        print(
            f"{name:<28} {shown} {slowest[1]:>6.2f} " + " ".join(f"{slowest[k]:>5.2f}" for k in (10, 20, 50))
        )


if __name__ == "__main__":
    speed()
    many_states()
    mixing()
    sys.exit(closing_line())
