"""Distributions of discrete variables as products of factors."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from graphoid.errors import SettingsError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

MAX_ENUMERATED = 16
"""Variables whose joint states are written out: 65,536 numbers, made in milliseconds."""


class Factor(NamedTuple):
    r"""A function of a few variables; factors :math:`\phi_c` make up the distribution

    .. math:: P(v) = \frac{1}{Z} \prod_c \phi_c(v_c).
    """  # noqa: D400 - the sentence ends in the formula

    members: tuple[int, ...]
    """Positions of the variables, all different."""
    log_values: NDArray[np.float64]
    r""":math:`\log \phi_c`, one axis for each member, in their order, as long as it has states."""


def check_factors(
    n: int,
    factors: Sequence[Factor],
    arities: Sequence[int] | None = None,
    *,
    zeros: bool = False,
) -> tuple[Factor, ...]:
    """Return factors whose members are among ``n`` variables and whose values fit their states, or raise.

    ``arities`` are the numbers of states, None where all are binary; ``zeros`` allows states to be
    impossible.
    """
    for members, log_values in factors:
        if len(set(members)) < len(members) or not all(0 <= v < n for v in members):
            raise SettingsError(f"a factor's members must be different positions below {n}; got {members}.")
        shape = tuple(2 if arities is None else arities[v] for v in members)
        if log_values.shape != shape:
            raise SettingsError(
                f"the factor of {members} needs {math.prod(shape):,} values in an array of shape {shape}, "
                f"one axis for each member; got an array of shape {log_values.shape}."
            )
        usable = np.isfinite(log_values) | (np.isneginf(log_values) if zeros else False)
        if not usable.all():
            wrong = "are not finite" if zeros else "are zero or not finite"
            raise SettingsError(f"the factor of {members} has values that {wrong}.")
    return tuple(factors)


def log_odds(x: int, factor: Factor) -> tuple[tuple[int, ...], NDArray[np.float64]]:
    r"""Return what a factor adds to :math:`\log P(x=1 \mid \cdot) / P(x=0 \mid \cdot)`.

    The other members, and an array with one axis for each of them.
    """
    axis = factor.members.index(x)
    others = factor.members[:axis] + factor.members[axis + 1 :]
    return others, np.asarray(factor.log_values.take(1, axis) - factor.log_values.take(0, axis))


def spread(
    members: tuple[int, ...], values: NDArray[np.float64], over: tuple[int, ...]
) -> NDArray[np.float64]:
    """Return values with axes ``members`` as an array that broadcasts over the axes ``over``."""
    order = sorted(range(len(members)), key=lambda k: over.index(members[k]))
    length = dict(zip(members, values.shape, strict=True))
    return values.transpose(order).reshape([length.get(v, 1) for v in over])


def joint(n: int, factors: Sequence[Factor]) -> NDArray[np.float64]:
    """Return the probability of every joint state of ``n`` binary variables, one axis of two for each."""
    if n > MAX_ENUMERATED:
        raise SettingsError(
            f"{n} variables have 2**{n} joint states; at most {MAX_ENUMERATED} are enumerated."
        )
    log_p, every = np.zeros((2,) * n), tuple(range(n))
    for members, log_values in factors:
        log_p += spread(members, log_values, every)
    p: NDArray[np.float64] = np.exp(log_p - log_p.max())
    p /= p.sum()
    return p


def draw_from_joint(
    probabilities: NDArray[np.float64], n_rows: int, rng: np.random.Generator
) -> NDArray[np.uint8]:
    """Return independent rows drawn from :func:`joint`, one line of the array for each variable."""
    cumulative = np.cumsum(probabilities.ravel())
    cells = np.searchsorted(cumulative, rng.random(n_rows) * cumulative[-1], side="right")
    n = probabilities.ndim
    bits: NDArray[np.uint8] = (cells >> np.arange(n - 1, -1, -1)[:, None] & 1).astype(np.uint8)
    return bits
