"""Rows drawn from a model: independent ones by the junction tree where it fits, else by Gibbs chains."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from graphoid.errors import CountsTooLarge
from graphoid.models.gibbs import GROUP, GibbsSampler
from graphoid.models.gibbs_multistate import run_chains
from graphoid.models.potentials import condition

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from graphoid.models.network import MarkovNetwork


def sample_codes(
    model: MarkovNetwork,
    n: int,
    row: NDArray[np.int64],
    sampler: GibbsSampler | None,
    rng: np.random.Generator,
) -> tuple[NDArray[np.int64], str]:
    """Return ``n`` rows that agree with a row of evidence, and in words how they were drawn."""
    if sampler is None:
        try:
            return model.exact.draw(np.repeat(row[None, :], n, axis=0), rng), "independent rows"
        except CountsTooLarge:
            sampler = GibbsSampler()
    chains = -(-min(sampler.n_chains, max(n, 1)) // GROUP) * GROUP
    unknown, left = condition(model.potentials, row)
    arities = [model.arities[v] for v in unknown]
    states = run_chains(left, arities, sampler, -(-n // chains), rng, n_chains=chains)
    rows = np.repeat(row[None, :], n, axis=0)
    rows[:, list(unknown)] = states.reshape(len(unknown), -1)[:, :n].T
    return rows, f"Gibbs sampling, {sampler.burn_in:,} sweeps burn-in, every {sampler.thin:,}th sweep kept"
