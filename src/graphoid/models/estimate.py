"""Answers by Gibbs sampling, with their errors and signs that the chains have met."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from graphoid.models.gibbs import GibbsSampler
from graphoid.models.gibbs_multistate import run_chains
from graphoid.models.potentials import Potential, condition

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from graphoid.models.mixed.answers import NumberAnswer


SWEEPS = 1_000
"""Rows of each of 64 chains behind an estimate: errors of half a percent where chains forget quickly."""

CHAINS = GibbsSampler(burn_in=500, thin=1, n_chains=64)
"""Many chains: their means are independent, which is what errors are taken from."""


@dataclass(frozen=True, eq=False)
class Estimate:
    """A distribution estimated from Gibbs chains."""

    probabilities: NDArray[np.float64]
    """An axis for each variable asked about."""
    standard_error: NDArray[np.float64]
    """Of each probability: the spread of the chains' means, over the root of their number."""
    r_hat: float
    """How far halves of chains are from saying the same, at worst over states: near 1 when they do."""
    effective_size: float
    """Independent rows that would be as good, at worst over states."""
    n_rows: int
    """Rows of all chains together."""
    numbers: Mapping[str, NumberAnswer] = field(default_factory=dict)
    """Mean and quantiles of each continuous variable or count asked about, by name."""

    def __repr__(self) -> str:
        return (
            f"<Estimate from {self.n_rows:,} rows worth {self.effective_size:,.0f}, standard error at most "
            f"{self.standard_error.max(initial=0.0):.2g}, R-hat {self.r_hat:.3f}>"
        )


def estimate(
    potentials: Sequence[Potential],
    arities: Sequence[int],
    over: tuple[int, ...],
    row: NDArray[np.int64],
    sampler: GibbsSampler | None,
    rng: np.random.Generator,
) -> Estimate:
    """Return the joint distribution of ``over`` given a row of evidence, from the shares of chains."""
    chosen = sampler or CHAINS
    unknown, left = condition(potentials, row)
    states = run_chains(left, [arities[v] for v in unknown], chosen, SWEEPS, rng)
    shape = tuple(arities[v] for v in over)
    cell = np.zeros(states.shape[1:], dtype=np.int64)
    for v in over:
        cell *= arities[v]
        cell += states[unknown.index(v)] if v in unknown else row[v]
    return estimate_shares(cell, shape)


def estimate_shares(cell: NDArray[np.int64], shape: tuple[int, ...]) -> Estimate:
    """Return the distribution over cells of a table from the cell of each chain at each time."""
    shares = _shares(cell, int(np.prod(shape)))
    by_chain = shares.mean(axis=0)
    p = by_chain.mean(axis=0)
    error = by_chain.std(axis=0, ddof=1) / np.sqrt(len(by_chain))
    moving = error > 0
    size = float((p[moving] * (1 - p[moving]) / error[moving] ** 2).min(initial=cell.size))
    return Estimate(p.reshape(shape), error.reshape(shape), r_hat(shares, len(cell) // 2), size, cell.size)


def _shares(cell: NDArray[np.int64], n_cells: int) -> NDArray[np.float64]:
    """Return the share of every cell in each half of each chain: (halves, chains, cells)."""
    n_times, n_chains = cell.shape
    at = cell + n_cells * np.arange(n_chains)
    halves = (at[: n_times // 2], at[n_times // 2 :])
    counts = [np.bincount(half.ravel(), minlength=n_cells * n_chains) / len(half) for half in halves]
    return np.stack(counts).reshape(2, n_chains, n_cells)


def r_hat(shares: NDArray[np.float64], length: int) -> float:
    r"""Return the potential scale reduction of split chains ([Gelman2013]_, section 11.4), at its worst.

    .. math:: \hat R = \sqrt{\frac{(l - 1) W / l + B / l}{W}}

    for halves of chains of length :math:`l`, with :math:`W` the mean of the variances within them and
    :math:`B` the variance of their means times :math:`l`. What is followed is whether a chain is in a cell;
    ``shares`` has how often each half was, the cells as its last axis.
    """
    means = shares.reshape(-1, shares.shape[-1])
    within = (means * (1 - means)).mean(axis=0) * length / (length - 1)
    between = means.var(axis=0, ddof=1)
    still = within == 0  # no half ever left or entered the cell
    ratio = np.where(between > 0, np.inf, 0.0)
    ratio[~still] = between[~still] / within[~still]
    return float(np.sqrt((length - 1) / length + ratio.max()))
