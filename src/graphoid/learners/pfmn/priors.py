r"""Priors over graphs, which hang on the number of edges alone: that of the paper, and sparser ones."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from graphoid.learners.pfmn.population import Graphs, from_indicators

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import NDArray


def log_prior(n: int, *, empty: bool = True) -> NDArray[np.float64]:
    r"""Return the log prior of a graph by its number of edges, uniform over these numbers (Eq. 5).

    .. math:: \Pr(x) \propto \binom{m}{h}^{-1}, \quad m = \binom{n}{2}

    for a graph of h edges; ``empty`` says whether the graph without edges is one of them.
    """
    m = math.comb(n, 2)
    of = [-math.log(m + empty) - math.log(math.comb(m, h)) for h in range(m + 1)]
    if not empty:
        of[0] = -math.inf
    return np.array(of)


def sparse_log_prior(n: int) -> NDArray[np.float64]:
    r"""Return the log prior of a graph by its number of edges, with any density up to a half alike.

    .. math:: \Pr(x) \propto \int_0^{1/2} p^h (1 - p)^{m - h} \, dp
        \propto \binom{m}{h}^{-1} P(B > h), \quad B \sim \text{Binomial}(m + 1, 1/2)

    Integrated up to 1 it is Eq. 5, under which the complete graph, one alone of its number of edges, is as
    probable as all graphs of any other number together: where answers are vague it then wins.
    """
    m = math.comb(n, 2)
    above, of = 0, [0.0] * (m + 1)
    for h in range(m, -1, -1):
        above += math.comb(m + 1, h + 1)
        of[h] = math.log(above) - math.log(math.comb(m, h)) - math.log(m + 1) - m * math.log(2)
    return np.array(of)


def broad_log_prior(n: int) -> NDArray[np.float64]:
    """Return the mean of Eq. 5 and the sparse prior: dense graphs have a share, and no more."""
    return np.asarray(np.logaddexp(log_prior(n), sparse_log_prior(n)) - math.log(2))


def sample_prior(n: int, size: int, rng: Generator, *, empty: bool = True) -> Graphs:
    """Draw graphs from the paper's prior (Algorithm 1, line 1)."""
    joined = np.zeros((size, math.comb(n, 2)), dtype=bool)
    for graph in joined:
        h = rng.integers(0 if empty else 1, len(graph) + 1)
        graph[rng.permutation(len(graph))[:h]] = True
    return from_indicators(n, joined)


def sample_sparse_prior(n: int, size: int, rng: Generator) -> Graphs:
    """Draw graphs from the sparse prior: a density up to a half, and edges with this probability."""
    return from_indicators(n, rng.random((size, math.comb(n, 2))) < rng.uniform(0, 0.5, (size, 1)))
