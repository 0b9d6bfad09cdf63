"""The network comparison test: two groups by permutation, written from its paper for comparison.

Networks of both groups are estimated with an l1 penalty chosen by the extended BIC: of binary columns by a
logistic regression of every column on the others (eLasso: a pair is joined if both ends say so, by the mean
of both weights, gamma .25), of others by the graphical lasso of correlations (gamma .5). Statistics are the
largest difference of a weight and the difference of the sums of absolute weights; rows are dealt to groups
at random, and networks estimated again.

van Borkulo, van Bork, Boschloo, Kossakowski, Tio, Schoevers, Borsboom and Waldorp (2022), "Comparing network
structures on three aspects: a permutation test", Psychological Methods; van Borkulo et al. (2014), "A new
method for constructing networks from binary data", Scientific Reports 4.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Matrix = NDArray[np.float64]

PENALTIES = np.geomspace(1.0, 0.01, 20)
"""Of the smallest penalty without an edge."""

STEPS = 60
"""Of the climb at each penalty, which begins where the one before ended."""

AT_ONCE = 12
"""Orders whose networks are estimated together."""


def compare(
    codes: Matrix, member: Matrix, *, n: int, rng: np.random.Generator, level: float = 1.0
) -> tuple[float, float]:
    """Return the p-values that no weight differs, and that global strength does not.

    Parameters
    ----------
    codes
        A line a row.
    member
        The group of each row, 0 or 1.
    n
        Permutations.
    level
        Permuting ends early where neither p-value can be so small any more; those that are so far are
        returned, on the same side of the level.
    """
    orders = [member, *(rng.permutation(member) for _ in range(n))]
    groups = [np.array([codes[of == g] for of in orders], dtype=np.float64) for g in (0, 1)]
    estimate = ising if np.isin(codes, (0, 1)).all() else gaussian
    figures = np.zeros((0, 2))
    for first in range(0, len(orders), AT_ONCE):
        weights = [estimate(rows[first : first + AT_ONCE]) for rows in groups]
        largest = np.abs(weights[0] - weights[1]).max(axis=(1, 2))
        sums = np.abs(np.abs(weights[0]).sum(axis=(1, 2)) - np.abs(weights[1]).sum(axis=(1, 2)))
        figures = np.vstack([figures, np.column_stack([largest, sums])])
        above = (figures >= figures[0] - 1e-12).sum(axis=0)
        if (above > level * len(orders)).all():
            break
    share, strength = (above / len(figures)).tolist()
    return share, strength


def ising(samples: Matrix, gamma: float = 0.25) -> Matrix:
    """Return the weights of every sample, of as many rows each, of columns of 0 and 1."""
    n_samples, n, p = samples.shape
    patterns = np.array(list(np.ndindex(*(2,) * (p - 1))), dtype=np.float64)
    powers = 2 ** np.arange(p - 2, -1, -1)
    weights = np.zeros((n_samples, p, p))
    for y in range(p):
        others = [x for x in range(p) if x != y]
        at = (samples[:, :, others] @ powers).astype(int) + len(patterns) * np.arange(n_samples)[:, None]
        size = n_samples * len(patterns)
        total = np.bincount(at.ravel(), minlength=size).reshape(n_samples, -1) / n
        ones = np.bincount(at.ravel(), samples[:, :, y].ravel(), size).reshape(n_samples, -1) / n
        weights[:, y, others] = _lasso(patterns, total, ones, n, gamma)
    both = (weights != 0) & (weights.transpose(0, 2, 1) != 0)
    return np.where(both, (weights + weights.transpose(0, 2, 1)) / 2, 0.0)


def _lasso(patterns: Matrix, total: Matrix, ones: Matrix, n: int, gamma: float) -> Matrix:
    """Return logistic weights of every sample, by accelerated proximal gradients along the penalties."""
    k = patterns.shape[1]
    mean = total @ patterns
    spread = np.sqrt(np.maximum(total @ patterns**2 - mean**2, 1e-12))
    columns = (patterns - mean[:, None]) / spread[:, None]
    columns = np.concatenate([np.ones((*total.shape, 1)), columns], axis=2)
    share = np.clip(ones.sum(axis=1), 1e-6, 1 - 1e-6)
    w = np.zeros((len(total), k + 1))
    w[:, 0] = np.log(share / (1 - share))
    start = np.abs(np.einsum("sc,scj->sj", ones - total * share[:, None], columns))[:, 1:].max(axis=1)
    best, found = np.full(len(total), np.inf), np.zeros((len(total), k))
    step = 4.0 / (
        1 + k
    )  # a quarter of the second moments, whose eigenvalues are k at most, and the constant's
    for share_of in PENALTIES:
        penalty = step * share_of * start[:, None]
        at, t = w, 1.0
        for _ in range(STEPS):
            eta = np.matmul(columns, at[:, :, None])[:, :, 0]
            slope = np.matmul((total / (1 + np.exp(-eta)) - ones)[:, None], columns)[:, 0]
            new = at - step * slope
            new[:, 1:] = np.sign(new[:, 1:]) * np.maximum(np.abs(new[:, 1:]) - penalty, 0.0)
            t, before = (1 + np.sqrt(1 + 4 * t * t)) / 2, t
            at, w = new + (before - 1) / t * (new - w), new
        eta = np.matmul(columns, w[:, :, None])[:, :, 0]
        log_likelihood = n * (ones * eta - total * np.logaddexp(0, eta)).sum(axis=1)
        size = np.count_nonzero(w[:, 1:], axis=1)
        ebic = -2 * log_likelihood + size * (np.log(n) + 2 * gamma * np.log(k))
        better = ebic < best
        best[better], found[better] = ebic[better], (w[:, 1:] / spread)[better]
    return found


def gaussian(samples: Matrix, gamma: float = 0.5) -> Matrix:
    """Return the partial correlations of every sample, by the graphical lasso (ADMM) along the penalties."""
    n_samples, n, p = samples.shape
    centered = samples - samples.mean(axis=1, keepdims=True)
    scaled = centered / np.sqrt(np.maximum((centered**2).mean(axis=1, keepdims=True), 1e-12))
    s = np.matmul(scaled.transpose(0, 2, 1), scaled) / n
    off = ~np.eye(p, dtype=bool)
    start = np.abs(s[:, off]).max(axis=1)
    z, u = np.broadcast_to(np.eye(p), s.shape).copy(), np.zeros_like(s)
    best, found = np.full(n_samples, np.inf), np.zeros_like(s)
    for share in PENALTIES:
        penalty = share * start[:, None, None] * off
        for _ in range(STEPS):
            sizes, axes = np.linalg.eigh(z - u - s)
            sizes = (sizes + np.sqrt(sizes**2 + 4)) / 2
            theta = np.matmul(axes * sizes[:, None], axes.transpose(0, 2, 1))
            z = np.sign(theta + u) * np.maximum(np.abs(theta + u) - penalty, 0.0)
            u += theta - z
        edges = np.count_nonzero(z[:, off], axis=1) / 2
        sign, log_det = np.linalg.slogdet(z)
        log_likelihood = n / 2 * (log_det - np.einsum("sij,sji->s", s, z))
        ebic = -2 * log_likelihood + edges * (np.log(n) + 4 * gamma * np.log(p))
        better = (sign > 0) & (ebic < best)
        root = np.sqrt(np.maximum(np.einsum("sii->si", z), 1e-12))
        best[better], found[better] = ebic[better], (-z / (root[:, None] * root[:, :, None]) * off)[better]
    return found
