r"""Gibbs sampling of variables with any number of states, compiled where that is possible.

The streams of random numbers are those of :mod:`graphoid.models.gibbs`, whose sampler for binary variables is
used where it fits; of each number below :math:`2^{32}` the upper 31 bits count, so that cumulative
probabilities from 0 to 1 are whole numbers that 32 bits hold. A chain starts from states that are equally
probable.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from graphoid.counts.native import available_threads, kernels
from graphoid.errors import SettingsError
from graphoid.models.factors import Factor, spread
from graphoid.models.gibbs import FUSED, GROUP, GibbsSampler, uniforms
from graphoid.models.potentials import Given, Potential

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

FUSED_CELLS = 2**FUSED * 4
"""Most cells of a conditional distribution that is one table: 16 KB of levels stay in the nearest cache."""


def run_chains(
    potentials: Sequence[Potential],
    arities: Sequence[int],
    sampler: GibbsSampler,
    times: int,
    rng: np.random.Generator,
    *,
    n_chains: int | None = None,
) -> NDArray[np.uint16]:
    """Return the states of Gibbs chains: an axis for variables, one for times, one for chains.

    Parameters
    ----------
    potentials
        What is added up to the logarithm of a probability; all finite.
    arities
        How many states each variable has.
    sampler
        Burn-in, thinning, threads.
    times
        Rows of each chain.
    rng
        Where the streams of the chains come from.
    n_chains
        How many chains, rounded up to a multiple of 64; None for the sampler's number.
    """
    sampler.check()
    for potential in potentials:
        if not np.isfinite(potential.values).all():
            raise SettingsError(
                f"the factor of {potential.members} makes states impossible, and Gibbs sampling may not find "
                f"its way around them. Use a model without zeros, or one small enough to sample exactly."
            )
    groups = -(-(n_chains or sampler.n_chains) // GROUP)
    keys = rng.integers(0, 2**64, size=groups, dtype=np.uint64)
    if all(arity == 2 for arity in arities) and all(p.log_values is not None for p in potentials):
        factors = [Factor(p.members, p.log_values) for p in potentials if p.log_values is not None]
        drawn = sampler.chains(len(arities), factors, keys, times).astype(np.uint16)
    else:
        plan = state_conditionals(potentials, arities)
        native = kernels()
        if native is None:
            drawn = _run(plan, keys, times, sampler.burn_in, sampler.thin)
        else:
            threads = available_threads(sampler.threads)
            drawn = native.gibbs_multistate(*plan, keys, times, sampler.burn_in, sampler.thin, threads)
    return drawn.reshape(len(arities), times, groups * GROUP)


class StateConditionals(NamedTuple):
    """The conditional of every variable, laid out as ``native/models/gibbs_multistate.hpp`` says."""

    arity: NDArray[np.int32]
    fused: NDArray[np.uint8]
    first_term: NDArray[np.int64]
    first_member: NDArray[np.int64]
    first_listed: NDArray[np.int64]
    first_cell: NDArray[np.int64]
    members: NDArray[np.int32]
    strides: NDArray[np.int64]
    listed: NDArray[np.int64]
    levels: NDArray[np.uint32]
    values: NDArray[np.float64]


def state_conditionals(potentials: Sequence[Potential], arities: Sequence[int]) -> StateConditionals:
    """Return the conditional distributions of a sum of potentials."""
    of: list[list[Potential]] = [[] for _ in arities]
    for potential in potentials:
        for v in potential.members:
            of[v].append(potential)
    fused: list[bool] = []
    first_term, first_member, first_listed, first_cell = [0], [0], [0], []
    members: list[int] = []
    strides: list[NDArray[np.int64]] = [np.empty(0, dtype=np.int64)]
    listed: list[NDArray[np.int64]] = [np.empty(0, dtype=np.int64)]
    levels: list[NDArray[np.uint32]] = [np.empty(0, dtype=np.uint32)]
    values: list[NDArray[np.float64]] = [np.empty(0)]
    n_levels = n_values = 0
    for v, inside in enumerate(of):
        terms = [potential.given(set(potential.members) - {v}) for potential in inside]
        one = _fuse(v, terms, arities)
        fused.append(one is not None)
        for term in [one] if one is not None else terms:
            lines = term.tables.T  # a line of log-potentials for each configuration
            if one is not None:
                first_cell.append(n_levels)
                levels.append(_levels(lines).ravel())
                n_levels += levels[-1].size
            else:
                first_cell.append(n_values)
                values.append(np.ascontiguousarray(lines).ravel())
                n_values += lines.size
            members += term.known
            strides.append(term.strides)
            listed += [] if term.listed is None else [term.listed]
            first_member.append(len(members))
            first_listed.append(first_listed[-1] + (0 if term.listed is None else len(term.listed)))
        first_term.append(len(first_cell))
    return StateConditionals(
        np.array(arities, dtype=np.int32),
        np.array(fused, dtype=np.uint8),
        np.array(first_term, dtype=np.int64),
        np.array(first_member, dtype=np.int64),
        np.array(first_listed, dtype=np.int64),
        np.array(first_cell, dtype=np.int64),
        np.array(members, dtype=np.int32),
        np.concatenate(strides),
        np.concatenate(listed),
        np.concatenate(levels),
        np.concatenate(values),
    )


def _fuse(v: int, terms: Sequence[Given], arities: Sequence[int]) -> Given | None:
    """Return the terms of a variable added up to one table, or None where it would be too large."""
    around = tuple(sorted({u for term in terms for u in term.known}))
    shape = tuple(arities[u] for u in around)
    if math.prod(shape) * arities[v] > FUSED_CELLS or any(term.listed is not None for term in terms):
        return None
    total = np.zeros((*shape, arities[v]))
    over = (*around, v)
    for term in terms:
        values = term.tables.reshape(arities[v], *(arities[u] for u in term.known))
        total += spread((v, *term.known), values, over)
    return Potential(over, (*shape, arities[v]), total).given(around)


def _levels(lines: NDArray[np.float64]) -> NDArray[np.uint32]:
    r"""Return the cumulative probabilities of lines of logarithms, but the last, times :math:`2^{31}`."""
    p = np.exp(lines - lines.max(axis=1, keepdims=True))
    cumulative = np.cumsum(p, axis=1)
    return np.asarray(np.rint(cumulative[:, :-1] / cumulative[:, -1:] * 2.0**31), dtype=np.uint32)


def _run(
    plan: StateConditionals, keys: NDArray[np.uint64], times: int, burn_in: int, thin: int
) -> NDArray[np.uint16]:
    """Return what the kernel does, in NumPy: ``times`` rows of every chain, one line for each variable."""
    n, chains = len(plan.arity), len(keys) * GROUP
    out = np.empty((n, times, chains), dtype=np.uint16)
    start = uniforms(keys, 0, n).astype(np.uint64) * plan.arity.astype(np.uint64)[:, None]
    states = (start >> np.uint64(32)).astype(np.uint16)
    sweep = 0
    for row in range(times):
        for _ in range(thin if row else burn_in):
            sweep += 1
            u = uniforms(keys, sweep, n) >> np.uint32(1)
            for v in range(n):
                states[v] = _next(plan, v, states, u[v])
        out[:, row] = states
    return out.reshape(n, times * chains)


def _next(
    plan: StateConditionals, v: int, states: NDArray[np.uint16], u: NDArray[np.uint32]
) -> NDArray[np.int64]:
    """Return the new state of a variable in every chain."""
    arity = int(plan.arity[v])
    first, last = int(plan.first_term[v]), int(plan.first_term[v + 1])
    if plan.fused[v]:
        cells = (
            plan.first_cell[first] + _lines(plan, first, states)[:, None] * (arity - 1) + np.arange(arity - 1)
        )
        return np.asarray((u[:, None] >= plan.levels[cells]).sum(axis=1))
    total = np.zeros((len(u), arity))
    for t in range(first, last):
        total += plan.values[plan.first_cell[t] + _lines(plan, t, states)[:, None] * arity + np.arange(arity)]
    cumulative = np.cumsum(np.exp(total - total.max(axis=1, keepdims=True)), axis=1)
    aim = (u + 0.5) * 2.0**-31 * cumulative[:, -1]
    return np.asarray((aim[:, None] >= cumulative[:, :-1]).sum(axis=1))


def _lines(plan: StateConditionals, t: int, states: NDArray[np.uint16]) -> NDArray[np.int64]:
    """Return for every chain the line of a term's table that its states point to."""
    line = np.zeros(states.shape[1], dtype=np.int64)
    for m in range(plan.first_member[t], plan.first_member[t + 1]):
        line += states[plan.members[m]] * plan.strides[m]
    listed = plan.listed[plan.first_listed[t] : plan.first_listed[t + 1]]
    if not len(listed):
        return line
    at = np.searchsorted(listed, line)
    found = (at < len(listed)) & (listed[np.minimum(at, len(listed) - 1)] == line)
    return np.where(found, at, len(listed))
