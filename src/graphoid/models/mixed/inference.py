r"""Exact answers of a pairwise model of mixed kinds, where they exist.

Given the states :math:`d`, the scores that were not observed are normal with precision :math:`K` and
:math:`K \mu = c + B \varphi(d)`. Integrated out, they leave

.. math:: \tfrac{1}{2} (c + B \varphi(d))^\top K^{-1} (c + B \varphi(d))
          + \tfrac{1}{2} \log \det (2 \pi K^{-1}),

a sum over pairs of states: the states alone are a Markov network of their own, in which all that a connected
part of the scores touches is joined. Its junction tree gives exact answers where it is small; scores are then
mixtures of normal distributions, a component for each configuration of the states that they depend on.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from graphoid.errors import CountsTooLarge, as_option
from graphoid.models.factors import Factor
from graphoid.models.mixed.answers import NormalMixture
from graphoid.models.network import MarkovNetwork

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from graphoid.models.mixed.layout import Layout

    Matrix = NDArray[np.float64]
    Vector = NDArray[np.float64]

MAX_COMPONENTS = 2**16
"""Normal distributions that an exact answer about a number may be a mixture of."""


class Gaussian(NamedTuple):
    """Scores that were not observed, given the states: mean ``constant + slopes @ embedding``."""

    numbers: tuple[int, ...]
    """Positions of their variables."""
    constant: Vector
    slopes: Matrix
    """A line a score, a column for every column of the embedding; zero for those of scores."""
    covariance: Matrix


class Reduced(NamedTuple):
    """What a row of evidence leaves: the states as a network, and the scores given them."""

    network: MarkovNetwork | None
    """Of all variables with states, None where there are none; evidence about them is not entered."""
    codes: NDArray[np.int64]
    """The evidence about them, -1 where there is none."""
    gaussian: Gaussian
    constant: float
    """What the logarithm of the integral has beside what the network adds up to."""

    def log_total(self) -> float:
        """Return the logarithm of the integral over all that was not observed."""
        if self.network is None:
            return self.constant
        return self.constant + float(self.network.exact.log_total(self.codes[None, :])[0])


def reduce(layout: Layout, weights: Vector, row: Vector, max_cells: int) -> Reduced:
    """Return what a row of evidence leaves: codes and scores, NaN where nothing was observed."""
    every, precision = layout.interactions(weights), layout.precision(weights)
    seen = np.array([not math.isnan(row[x]) for x in layout.numbers], dtype=bool)
    columns, z = layout.score_columns, row[list(layout.numbers)][seen]
    free, fixed = columns[~seen], columns[seen]
    covariance = inverse_of_parts(precision[np.ix_(~seen, ~seen)])
    offset = weights[: layout.n_columns] + every[:, fixed] @ z
    of_states = layout.state_columns
    slopes = np.zeros((len(free), layout.n_columns))
    slopes[:, of_states] = covariance @ every[np.ix_(free, of_states)]
    mean = covariance @ offset[free]
    linear = offset.copy()
    linear[of_states] += every[np.ix_(of_states, free)] @ mean
    joint = every.copy()
    joint[np.ix_(of_states, of_states)] += every[np.ix_(of_states, free)] @ slopes[:, of_states]
    constant = (
        0.5 * float(offset[free] @ mean)
        + float(weights[fixed] @ z)
        - 0.5 * float(z @ precision[np.ix_(seen, seen)] @ z)
    )
    constant += 0.5 * len(free) * math.log(2 * math.pi) + 0.5 * float(np.linalg.slogdet(covariance)[1])
    numbers = tuple(x for x, known in zip(layout.numbers, seen, strict=True) if not known)
    codes = np.array([-1 if math.isnan(row[x]) else int(row[x]) for x in layout.states], dtype=np.int64)
    network = _network(layout, linear, joint, max_cells) if layout.states else None
    return Reduced(network, codes, Gaussian(numbers, mean, slopes, covariance), constant)


def inverse_of_parts(precision: Matrix) -> Matrix:
    """Return the inverse, part by part: scores that are not connected have a covariance of exactly zero."""
    from scipy.sparse.csgraph import connected_components

    out = np.zeros_like(precision)
    if not len(precision):
        return out
    n_parts, label = connected_components(precision != 0, directed=False)
    for part in range(n_parts):
        inside = np.ix_(*[np.flatnonzero(label == part)] * 2)
        out[inside] = np.linalg.inv(precision[inside])
    return (out + out.T) / 2


def _network(layout: Layout, linear: Vector, joint: Matrix, max_cells: int) -> MarkovNetwork:
    """Return the network of the states, with a table for every variable and every pair that interacts."""
    factors = []
    for i, x in enumerate(layout.states):
        code, mine = layout.state_codes[x], layout.columns[x]
        bend = 0.5 * ((code @ joint[mine, mine]) * code).sum(axis=1)
        factors.append(Factor((i,), code @ linear[mine] + bend))
        for j, y in enumerate(layout.states[i + 1 :], i + 1):
            block = joint[mine, layout.columns[y]]
            if block.any():
                factors.append(Factor((i, j), code @ block @ layout.state_codes[y].T))
    return MarkovNetwork(
        tuple(layout.variables[x] for x in layout.states), factors=tuple(factors), max_cells=max_cells
    )


def mixture(layout: Layout, reduced: Reduced, x: int) -> NormalMixture:
    """Return the distribution of the score of a variable that was not observed."""
    gaussian = reduced.gaussian
    line = gaussian.numbers.index(x)
    slopes = gaussian.slopes[line]
    deviation = math.sqrt(gaussian.covariance[line, line])
    around = [i for i, y in enumerate(layout.states) if slopes[layout.columns[y]].any()]
    if reduced.network is None or not around:
        return NormalMixture(np.ones(1), gaussian.constant[[line]], deviation)
    unknown = [i for i in around if reduced.codes[i] < 0]
    means = np.full((), gaussian.constant[line])
    size = math.prod(reduced.network.arities[i] for i in unknown)
    if size > MAX_COMPONENTS:
        raise CountsTooLarge(
            f"{layout.variables[x].name!r} depends on {len(unknown):,} variables with {size:,} joint states, "
            f"and at most {MAX_COMPONENTS:,} are mixed. Give more evidence, or sample: "
            f"{as_option('--estimate', 'estimate()')}."
        )
    for i in around:
        y = layout.states[i]
        shift = layout.state_codes[y] @ slopes[layout.columns[y]]
        means = means + shift[reduced.codes[i]] if reduced.codes[i] >= 0 else means[..., None] + shift
    if not unknown:
        return NormalMixture(np.ones(1), means.reshape(1), deviation)
    p = reduced.network.query(unknown, reduced.codes)
    return NormalMixture(p.ravel(), means.ravel(), deviation)


def draw_scores(layout: Layout, gaussian: Gaussian, values: Matrix, rng: np.random.Generator) -> None:
    """Fill in the scores that were not observed, in rows whose states are known."""
    if not gaussian.numbers:
        return
    embedded = layout.embed(np.where(np.isnan(values), 0.0, values))
    means = gaussian.constant + embedded @ gaussian.slopes.T
    root = np.linalg.cholesky(gaussian.covariance)
    values[:, list(gaussian.numbers)] = means + rng.standard_normal(means.shape) @ root.T
