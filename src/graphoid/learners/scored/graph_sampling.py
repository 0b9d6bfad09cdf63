r"""Graphs drawn from their posterior by second moments alone: how dense they are, and how large effects are.

Every variable is a few columns of numbers, uncorrelated and of variance 1, and has a linear model of those of
its neighbors (:class:`graphoid.regression.gaussian.LinearEvidence`, with a moment prior). What a pair of
variables is joined by is drawn anew in turn, given all other pairs: its log odds are the mean of what
the evidence gains at both its ends, and the log of the number of other edges by that of pairs without, which
a uniform prior of the density gives. So are, after every sweep, the standard deviations of effects.

For variables with states this is a first look; their own models come after it. It takes one matrix, and so
is next to nothing beside them.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from graphoid.counts.native import kernels
from graphoid.limits import check_time
from graphoid.regression.gaussian import LinearEvidence
from graphoid.regression.whiten import Whitened, whiten_variables
from graphoid.structure.graph import UndirectedGraph

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from graphoid.regression.coding import Matrix
    from graphoid.regression.embedding import SecondMoments

DEVIATIONS = tuple(2.0 ** (-k / 2) for k in range(8))
"""Standard deviations that effects of columns may have a priori, in those of what is left: 1 to 0.09."""

START = 2
"""The first of them: one half, as the effects of :class:`LogLinearEvidence` have it."""

SWEEPS, BURN_IN = 60, 20
FEW = 50_000
"""Visits to pairs that a chain makes at least: few pairs are swept over more often."""

MOST_COLUMNS = 96
"""Of a blanket: beyond, an edge is not drawn."""

SURE = 700.0
"""Log odds beyond which probabilities are 0 or 1."""


_samples: WeakKeyDictionary[SecondMoments, GraphSample] = WeakKeyDictionary()


class GraphSample(NamedTuple):
    """What graphs drawn from their posterior have in common."""

    probabilities: Matrix
    """Of every pair, symmetric."""
    log_odds: Matrix
    """Their means."""
    density: float
    scale: float
    """Standard deviation of effects, as :class:`LogLinearEvidence` has it."""

    def graph(self, names: Sequence[str]) -> UndirectedGraph:
        """Return the graph of the pairs that are more likely joined than not."""
        likely = np.argwhere(np.triu(self.probabilities > 0.5, 1)).tolist()
        return UndirectedGraph(names, [(x, y) for x, y in likely])


def second_moment_strengths(moments: SecondMoments) -> Matrix:
    """Return minus the log p-value of the independence of any two variables, by canonical correlations.

    With N rows, N times their squares add up to a chi-square variable of as many degrees of freedom as there
    are pairs of columns.
    """
    n = len(moments.main)
    white = whiten_variables(moments)
    starts, widths = white.first[:-1], np.diff(white.first)
    if not widths.all():  # a variable that does not vary depends on nothing
        varied = np.flatnonzero(widths)
        strengths = np.zeros((n, n))
        strengths[np.ix_(varied, varied)] = _log_p(white, starts[varied], widths[varied])
        return strengths
    return _log_p(white, starts, widths)


def _log_p(white: Whitened, starts: NDArray[np.int64], widths: NDArray[np.int64]) -> Matrix:
    from scipy.stats import chi2  # not at the top: `import graphoid` stays light

    squares = np.add.reduceat(np.add.reduceat(white.correlations**2, starts, axis=0), starts, axis=1)
    found: Matrix = -chi2.logsf(white.n_rows * squares, np.outer(widths, widths))
    return found


def sample_graphs(moments: SecondMoments) -> GraphSample:
    """Draw graphs; the same ones whenever asked, in whatever order rows and columns are."""
    if moments not in _samples:
        _samples[moments] = _sample(moments, moments.order)
    return _samples[moments]


def _sample(moments: SecondMoments, order: Sequence[int], key: int = 0) -> GraphSample:
    n, white = len(order), whiten_variables(moments, order)
    n_pairs = n * (n - 1) // 2
    place = np.argsort(order)
    if n_pairs == 0:
        return GraphSample(np.zeros((n, n)), np.zeros((n, n)), 0.5, 2 * DEVIATIONS[START])
    sweeps = max(SWEEPS, min(1000, FEW // n_pairs))
    burn_in = sweeps * BURN_IN // SWEEPS
    precisions = [deviation**-2 for deviation in DEVIATIONS]
    native = kernels()
    if native is None:
        found = run_chain(white, precisions, sweeps, burn_in, key)
    else:
        found = native.sample_graphs(*white, precisions, START, sweeps, burn_in, key, MOST_COLUMNS)
    matrices = []
    for pairs in found[:2]:
        matrix = np.zeros((n, n))
        matrix[np.triu_indices(n, 1)] = pairs
        matrices.append((matrix + matrix.T)[np.ix_(place, place)])
    probabilities, log_odds = matrices
    return GraphSample(probabilities, log_odds, found[2], 2 * math.exp(-found[3] / 2))


def run_chain(
    white: Whitened, precisions: Sequence[float], sweeps: int, burn_in: int, key: int
) -> tuple[Matrix, Matrix, float, float]:
    """Return mean probabilities and log odds of pairs, mean density and mean log precision: the plain way."""
    chain = _Chain(white, precisions, key)
    n = chain.n
    probabilities, log_odds = np.zeros(n * (n - 1) // 2), np.zeros(n * (n - 1) // 2)
    density = log_precision = 0.0
    for sweep in range(sweeps):
        check_time()
        odds = np.array([chain.visit(x, y) for x in range(n) for y in range(x + 1, n)])
        chain.draw_precision()
        if sweep >= burn_in:
            probabilities += 1 / (1 + np.exp(-odds))
            log_odds += odds
            density += chain.edges / len(odds)
            log_precision += math.log(chain.evidence.precision)
    kept = sweeps - burn_in
    return probabilities / kept, log_odds / kept, density / kept, log_precision / kept


class _Chain:
    """A graph of which one pair after the other is drawn anew."""

    def __init__(self, white: Whitened, precisions: Sequence[float], key: int) -> None:
        self.n, self.edges = len(white.first) - 1, 0
        self.evidence = LinearEvidence(
            white.correlations, white.first.tolist(), white.n_rows, precisions[START], moment=True
        )
        self._widths = np.diff(white.first)
        self._precisions = precisions
        self._blankets: list[set[int]] = [set() for _ in range(self.n)]
        self._key, self._counter = key, 0

    def visit(self, x: int, y: int) -> float:
        """Draw whether two variables are joined, and return the log odds of it."""
        u, bx, by = self._uniform(), self._blankets[x], self._blankets[y]
        joined = y in bx
        with_edge = sorted(bx | {y}), sorted(by | {x})
        if not joined and max(int(self._widths[b].sum()) for b in with_edge) > MOST_COLUMNS:
            return -SURE
        gained = sum(
            self.evidence(a, blanket) - self.evidence(a, [v for v in blanket if v != b])
            for (a, b), blanket in zip(((x, y), (y, x)), with_edge, strict=True)
        )
        others, n_pairs = self.edges - joined, self.n * (self.n - 1) // 2
        odds = min(SURE, max(-SURE, 0.5 * gained + math.log((others + 1) / (n_pairs - others))))
        if (u < 1 / (1 + math.exp(-odds))) != joined:
            bx.symmetric_difference_update({y})
            by.symmetric_difference_update({x})
            self.edges += -1 if joined else 1
        return odds

    def draw_precision(self) -> None:
        """Draw how large effects are a priori, given the graph."""
        logs = []
        for precision in self._precisions:
            self.evidence.precision = precision
            logs.append(0.5 * sum(self.evidence(x, sorted(b)) for x, b in enumerate(self._blankets)))
        weights = np.exp(np.array(logs) - max(logs))
        left, chosen = self._uniform() * float(weights.sum()), 0
        while chosen + 1 < len(weights) and left >= weights[chosen]:
            left -= weights[chosen]
            chosen += 1
        self.evidence.precision = self._precisions[chosen]

    def _uniform(self) -> float:
        """Return the next number of SplitMix64's stream of the key, by its upper 53 bits."""
        self._counter += 1
        word = (self._key + self._counter * 0x9E3779B97F4A7C15) % 2**64
        word = ((word ^ (word >> 30)) * 0xBF58476D1CE4E5B9) % 2**64
        word = ((word ^ (word >> 27)) * 0x94D049BB133111EB) % 2**64
        return ((word ^ (word >> 31)) >> 11) * 2.0**-53
