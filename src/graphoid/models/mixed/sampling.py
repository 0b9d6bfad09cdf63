"""Rows drawn from a model of mixed kinds, and answers from chains with their errors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from graphoid.errors import CountsTooLarge
from graphoid.models.estimate import CHAINS, SWEEPS, Estimate, estimate_shares
from graphoid.models.gibbs import GibbsSampler
from graphoid.models.mixed.answers import LEVELS, NumberAnswer, known_number
from graphoid.models.mixed.gibbs import run_chains
from graphoid.models.mixed.inference import draw_scores

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from graphoid.models.mixed.network import MixedNetwork

    Matrix = NDArray[np.float64]
    Vector = NDArray[np.float64]


def sample_rows(
    model: MixedNetwork, n: int, row: Vector, sampler: GibbsSampler | None, rng: np.random.Generator
) -> tuple[Matrix, str]:
    """Return ``n`` rows of codes and scores that agree with a row of evidence, and how they were drawn."""
    layout = model.layout
    if sampler is None:
        try:
            return _independent(model, n, row, rng), "independent rows"
        except CountsTooLarge:
            sampler = GibbsSampler()
    n_chains = min(sampler.n_chains, max(n, 1))
    drawn = run_chains(layout, model.weights, row, sampler, -(-n // n_chains), n_chains, rng)
    rows = drawn.reshape(len(layout.variables), -1)[:, :n].T
    return rows, f"Gibbs sampling, {sampler.burn_in:,} sweeps burn-in, every {sampler.thin:,}th sweep kept"


def _independent(model: MixedNetwork, n: int, row: Vector, rng: np.random.Generator) -> Matrix:
    """Return rows whose states are drawn by the junction tree, and whose scores given these."""
    reduced = model.reduce(row)
    values = np.repeat(row[None, :], n, axis=0)
    if reduced.network is not None:
        codes = np.repeat(reduced.codes[None, :], n, axis=0)
        values[:, list(model.layout.states)] = reduced.network.exact.draw(codes, rng)
    draw_scores(model.layout, reduced.gaussian, values, rng)
    return values


def estimate(
    model: MixedNetwork,
    over: tuple[int, ...],
    row: Vector,
    given: Vector,
    sampler: GibbsSampler | None,
    rng: np.random.Generator,
) -> Estimate:
    """Return the joint distribution of states and the distribution of each number among ``over``.

    ``row`` has codes and scores, ``given`` what was observed as it was.
    """
    chosen = sampler or CHAINS
    drawn = run_chains(model.layout, model.weights, row, chosen, SWEEPS, chosen.n_chains, rng)
    states = [x for x in over if x not in model.scales]
    shape = tuple(model.arities[x] for x in states)
    cell = np.zeros(drawn.shape[1:], dtype=np.int64)
    for x in states:
        cell = cell * model.arities[x] + drawn[x].astype(np.int64)
    found = estimate_shares(cell, shape)
    numbers, r_hat, size = {}, found.r_hat, found.effective_size
    for x in over:
        if x not in model.scales:
            continue
        name, scale = model.names[x], model.scales[x]
        if not np.isnan(row[x]):
            numbers[name] = known_number(float(given[x]))
            continue
        r_hat = max(r_hat, _r_hat(drawn[x]))
        numbers[name], worth = _number(scale.decode(drawn[x]))
        size = min(size, worth)
    return Estimate(found.probabilities, found.standard_error, r_hat, size, cell.size, numbers)


def _number(values: Matrix) -> tuple[NumberAnswer, float]:
    """Return mean and quantiles of values, a line a time, a column a chain, and what they are worth."""
    by_chain = values.mean(axis=0)
    error = _error(by_chain)
    found = np.quantile(values, LEVELS)
    each = np.quantile(values, LEVELS, axis=0)
    errors = {level: _error(line) for level, line in zip(LEVELS, each, strict=True)}
    quantiles = dict(zip(LEVELS, found.tolist(), strict=True))
    size = float(values.var() / error**2) if error > 0 else float(values.size)
    return NumberAnswer(float(by_chain.mean()), quantiles, error, errors), min(size, float(values.size))


def _error(by_chain: Vector) -> float:
    """Return the standard error of a mean from the spread of the chains, which are independent."""
    return float(by_chain.std(ddof=1) / np.sqrt(len(by_chain))) if len(by_chain) > 1 else 0.0


def _r_hat(values: Matrix) -> float:
    r"""Return the potential scale reduction of split chains: see :func:`graphoid.models.estimate.r_hat`."""
    length = len(values) // 2
    halves = np.concatenate([values[:length], values[len(values) - length :]], axis=1)
    within = float(halves.var(axis=0, ddof=1).mean())
    between = float(halves.mean(axis=0).var(ddof=1))
    return float(np.sqrt((length - 1) / length + between / within)) if within > 0 else 1.0
