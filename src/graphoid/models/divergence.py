r"""How far one model is from another: the Kullback-Leibler divergence, exactly where that is possible.

With :math:`\tilde p` and :math:`\tilde q` the exponentials of what the models add up, before they are made to
sum to one,

.. math:: KL(P \| Q) = \mathrm{E}_P[\log \tilde p - \log \tilde q] - \log Z_P + \log Z_Q .

*exact*: the mean is a sum over the scopes of both models, whose distributions under :math:`P` come from one
junction tree that holds them all. *sampling*: each model has a junction tree of its own, but not both
together; the mean is taken over independent rows from :math:`P`. *path*: not even that. Along :math:`P_t
\propto \tilde p^{1-t} \tilde q^t` ([Gelman1998]_),

.. math:: KL(P \| Q) = \int_0^1 \mathrm{E}_{P_t}[d] - \mathrm{E}_{P_0}[d] \; dt,
          \qquad d = \log \tilde q - \log \tilde p,

by Gauss's rule, each mean from Gibbs chains: neither :math:`Z` is needed.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal, Self

import numpy as np

from graphoid.errors import CountsTooLarge, DataError
from graphoid.logic.names import quote
from graphoid.models.estimate import CHAINS
from graphoid.models.factors import Factor
from graphoid.models.gibbs import GROUP
from graphoid.models.gibbs_multistate import run_chains

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from graphoid.models.network import MarkovNetwork
    from graphoid.models.potentials import Potential

NODES = 8
"""Points of Gauss's rule: exact for polynomials of degree 15, and the means are smooth in t."""


class Divergence(float):
    """A divergence in nats: a number, with the error it has and how it was found."""

    standard_error: float
    """Zero where it is exact."""
    method: Literal["exact", "sampling", "path"]

    def __new__(
        cls, value: float, standard_error: float, method: Literal["exact", "sampling", "path"]
    ) -> Self:
        """Return the number with what is known of it."""
        number = super().__new__(cls, value)
        number.standard_error = standard_error
        number.method = method
        return number

    def __reduce__(self) -> tuple[type[Divergence], tuple[float, float, str]]:  # for copies and pickles
        return type(self), (float(self), self.standard_error, self.method)

    def __repr__(self) -> str:
        return f"{float(self):.6g} ({self.method})" if self.method == "exact" else str(self)

    def __str__(self) -> str:
        error = "" if self.method == "exact" else f" ± {self.standard_error:.2g}"
        return f"{float(self):.6g}{error} ({self.method})"


def divergence(p: MarkovNetwork, q: MarkovNetwork, n_samples: int, rng: np.random.Generator) -> Divergence:
    """Return the divergence of ``q`` from ``p``, by the first of the three ways that is possible."""
    q = align(q, p)
    try:
        return _exact(p, q)
    except CountsTooLarge:
        pass
    try:
        return _sampling(p, q, n_samples, rng)
    except CountsTooLarge:
        return _along_path(p, q, n_samples, rng)


def _exact(p: MarkovNetwork, q: MarkovNetwork) -> Divergence:
    log_z_p, log_z_q = p.log_partition, q.log_partition
    scopes = list(dict.fromkeys(potential.members for potential in (*p.potentials, *q.potentials)))
    none = np.full((1, len(p.variables)), -1, dtype=np.int64)
    under_p = {scope: found[0] for scope, found in zip(scopes, p.exact.marginals(none, scopes), strict=True)}
    mean = math.fsum(potential.mean(under_p[potential.members]) for potential in p.potentials)
    mean -= math.fsum(potential.mean(under_p[potential.members]) for potential in q.potentials)
    return Divergence(max(0.0, mean - log_z_p + log_z_q), 0.0, "exact")


def _sampling(p: MarkovNetwork, q: MarkovNetwork, n_samples: int, rng: np.random.Generator) -> Divergence:
    log_z = p.log_partition, q.log_partition  # refused here where a tree is too large
    rows = p.exact.draw(np.full((n_samples, len(p.variables)), -1, dtype=np.int64), rng)
    each = p.log_potential(rows) - log_z[0] - q.log_potential(rows) + log_z[1]
    return Divergence(float(each.mean()), float(each.std(ddof=1) / math.sqrt(n_samples)), "sampling")


def _along_path(p: MarkovNetwork, q: MarkovNetwork, n_samples: int, rng: np.random.Generator) -> Divergence:
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    times = max(1, n_samples // ((NODES + 1) * GROUP))
    value = variance = 0.0
    for t, weight in [(0.0, -1.0), *zip((nodes + 1) / 2, weights / 2, strict=True)]:
        mixed = [f.scale(1 - t) for f in p.potentials] + [f.scale(t) for f in q.potentials]
        by_chain = _difference(p, q, mixed, times, rng).mean(axis=0)
        value += weight * float(by_chain.mean())
        variance += weight**2 * float(by_chain.var(ddof=1)) / len(by_chain)
    return Divergence(value, math.sqrt(variance), "path")


def _difference(
    p: MarkovNetwork, q: MarkovNetwork, mixed: Sequence[Potential], times: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Return the difference of what the models add up, for rows from a mixture: (times, chains)."""
    states = run_chains(mixed, p.arities, CHAINS, times, rng)
    rows = states.reshape(len(p.variables), -1).T.astype(np.int64)
    return (q.log_potential(rows) - p.log_potential(rows)).reshape(states.shape[1:])


def align(model: MarkovNetwork, to: MarkovNetwork) -> MarkovNetwork:
    """Return a model with its variables and their states in the order of another's."""
    if model.variables == to.variables:
        return model
    if sorted(model.names) != sorted(to.names):
        raise DataError(
            f"the models must have the same variables; one has {quote(to.names)}, the other "
            f"{quote(model.names)}."
        )
    place = [to.position(name) for name in model.names]
    code: list[list[int]] = []  # of our states, in theirs
    for v, ours in enumerate(model.variables):
        theirs = to.variables[place[v]]
        if sorted(map(repr, ours.states)) != sorted(map(repr, theirs.states)):
            states = [quote([str(s) for s in x.states]) for x in (ours, theirs)]
            raise DataError(
                f"{ours.name!r} has states {states[0]} in one model and {states[1]} in the other."
            )
        index = {repr(state): k for k, state in enumerate(theirs.states)}
        code.append([index[repr(state)] for state in ours.states])
    factors = []
    for members, log_values in model.factors:
        for axis, v in enumerate(members):
            log_values = log_values.take(np.argsort(code[v]), axis)  # noqa: PLW2901 - one axis after the other
        factors.append(Factor(tuple(place[v] for v in members), log_values))
    features = tuple(tuple((place[v], code[v][s]) for v, s in feature) for feature in model.features)
    return type(model)(to.variables, features, model.weights, tuple(factors), max_cells=model.max_cells)
