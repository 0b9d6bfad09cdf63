"""Gibbs chains of a pairwise model of mixed kinds: states one after the other, all scores at once."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from graphoid.limits import check_time
from graphoid.models.mixed.inference import inverse_of_parts
from graphoid.models.quasi_newton import one_thread

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from graphoid.models.gibbs import GibbsSampler
    from graphoid.models.mixed.layout import Layout

    Matrix = NDArray[np.float64]
    Vector = NDArray[np.float64]


def run_chains(
    layout: Layout,
    weights: Vector,
    row: Vector,
    sampler: GibbsSampler,
    times: int,
    n_chains: int,
    rng: np.random.Generator,
) -> Matrix:
    """Return codes and scores of chains: an axis for variables, one for times, one for chains.

    A sweep draws every variable with states given all others, by position, and then all scores together from
    their normal distribution given the states: scores that are tied to each other do not slow it down.

    Parameters
    ----------
    layout, weights
        The model.
    row
        Evidence, codes and scores; NaN where nothing was observed.
    sampler
        Burn-in and thinning.
    times
        Rows of each chain.
    n_chains
        How many chains.
    rng
        Where all random numbers come from.
    """
    sampler.check()
    chains = Chains(layout, weights, row, n_chains, rng)
    out = np.empty((len(layout.variables), times, n_chains))
    with one_thread():
        for time in range(times):
            for _ in range(sampler.thin if time else max(sampler.burn_in, 1)):
                check_time()
                chains.sweep()
            out[:, time] = chains.values
    return out


class Chains:
    """Chains side by side, each in a state of its own."""

    def __init__(
        self, layout: Layout, weights: Vector, row: Vector, n_chains: int, rng: np.random.Generator
    ) -> None:
        self.layout, self.rng = layout, rng
        self.weights = np.append(weights, 0.0)
        self.values = np.repeat(row[:, None], n_chains, axis=1)
        self.hidden = [x for x in layout.states if math.isnan(row[x])]
        for x in self.hidden:  # every state is as probable
            self.values[x] = rng.integers(0, layout.variables[x].arity, n_chains)
        seen = np.array([not math.isnan(row[x]) for x in layout.numbers], dtype=bool)
        self.numbers = [x for x, known in zip(layout.numbers, seen, strict=True) if not known]
        self.scores = layout.score_columns[~seen]
        for x in self.numbers:
            self.values[x] = rng.standard_normal(n_chains)
        self.embedded = layout.embed(self.values.T)
        precision = layout.precision(weights)[np.ix_(~seen, ~seen)]
        covariance = inverse_of_parts(precision)
        self.root = np.linalg.cholesky(covariance) if len(covariance) else covariance
        slopes = layout.interactions(weights)[:, self.scores] @ covariance
        slopes[self.scores] = 0.0
        self.slopes, self.means = slopes, covariance @ weights[self.scores]

    def sweep(self) -> None:
        """Draw everything that was not observed once."""
        layout, n_chains = self.layout, self.values.shape[1]
        uniforms = self.rng.random((len(self.hidden), n_chains))
        for x, u in zip(self.hidden, uniforms, strict=True):
            code, mine = layout.state_codes[x], layout.columns[x]
            columns, which = layout.partners[x]
            predictors = self.weights[mine] + self.embedded[:, columns] @ self.weights[which]
            eta = code @ predictors.T  # a line a state
            eta -= eta.max(axis=0)
            cumulative = np.cumsum(np.exp(eta, out=eta), axis=0, out=eta)
            state = (u * cumulative[-1] >= cumulative[:-1]).sum(axis=0)
            self.values[x] = state
            self.embedded[:, mine] = code[state]
        if self.numbers:
            noise = self.rng.standard_normal((n_chains, len(self.numbers)))
            scores = self.means + self.embedded @ self.slopes + noise @ self.root.T
            self.embedded[:, self.scores] = scores
            self.values[self.numbers] = scores.T
