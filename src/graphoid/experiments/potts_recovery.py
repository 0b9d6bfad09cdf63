"""Rows needed to find Potts networks without an error: grids with 2, 4 and 6 states ([Wu2019]_)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from graphoid.data.variables import Variable
from graphoid.datasets.graphs import grid_graph
from graphoid.experiments.recovery import (
    OURS,
    Network,
    Recovery,
    all_edges,
    by_graph,
    recommended_graph,
    robust_graph,
    strong_pairs,
)
from graphoid.experiments.spins import ERROR
from graphoid.learners.scored.two_phase import TwoPhase
from graphoid.models.factors import Factor
from graphoid.models.network import MarkovNetwork
from graphoid.scores.mpl import MPL

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from graphoid.data.table import Table
    from graphoid.experiments.experiment import Run
    from graphoid.experiments.recovery import Method
    from graphoid.structure.graph import Edge, UndirectedGraph

    Array = NDArray[np.float64]

WEIGHT = 0.2
"""Of every pair of states of an edge, positive or negative; [Wu2019]_ has the same."""

PENALTY = 0.2
"""Of a pair's weights, times sqrt(log(p^2 k^2 / .05) / n): that of RPLE, for all k^2 pairs of states."""

ROUNDS = 1_000
"""Of proximal gradient steps at the most; some tens are usual."""

SMALLEST_CHANGE = 1e-5
"""Of a weight, at which the steps end; what is decided are sizes of some tenths."""


def potts(graph: UndirectedGraph, n_states: int, rng: np.random.Generator) -> MarkovNetwork:
    """Return a network in which half of the pairs of states of an edge have the weight .2, and half -.2.

    Each end of an edge calls half of its states positive, at random; the weight is that of the two signs.
    """
    half = np.repeat([1.0, -1.0], n_states // 2)
    factors = [
        Factor(edge, WEIGHT * np.outer(rng.permutation(half), rng.permutation(half))) for edge in graph.edges
    ]
    variables = tuple(Variable(name, tuple(range(n_states))) for name in graph.names)
    return MarkovNetwork(
        variables, factors=tuple(factors), provenance={"network": f"Potts, {n_states} states"}
    )


def norms(table: Table, neighbors: Sequence[Sequence[int]], penalty: float) -> Array:
    r"""Return the norm of the weights of every pair, by pseudo-likelihood with a penalty on each pair.

    The conditional distribution of a variable is multinomial logistic in the states of its neighbors. The
    mean of its negative logarithm plus :math:`\lambda \sum_j \lVert W_j \rVert_F` is minimized by proximal
    gradient steps with momentum. Weights are centered, so that they do not hang on how the model is written;
    of the norms of the two ends the mean is taken.
    """
    p, k = len(table.names), len(table.variables[0].states)
    states = np.array([table.column(i) for i in range(p)], dtype=np.int64)
    found = np.zeros((p, p))
    for i, of in enumerate(neighbors):
        keys, counts = np.unique(
            np.ravel_multi_index(states[[i, *of]], (k,) * (1 + len(of))), return_counts=True
        )
        onehot = np.eye(k)[np.array(np.unravel_index(keys, (k,) * (1 + len(of))))]
        design = np.concatenate([np.ones((len(keys), 1)), *onehot[1:]], axis=1)
        fitted = _multinomial(design, onehot[0], counts / table.n_rows, k, penalty)
        for j, block in zip(of, fitted[1:].reshape(-1, k, k), strict=True):
            found[i, j] = np.linalg.norm(_double_center(block))
    return (found + found.T) / 2


def _double_center(block: Array) -> Array:
    return np.asarray(block - block.mean(0) - block.mean(1, keepdims=True) + block.mean())


def _multinomial(design: Array, target: Array, shares: Array, k: int, penalty: float) -> Array:
    """Return constants, and weights with a penalty for each block of k rows; lines are shares of the rows."""
    at, weighted = np.zeros((design.shape[1], k)), design.T * shares
    # of the log of a sum of exponentials the curvature is at most a half; every row has a one in each block
    step = 2 / max(1 + (design.shape[1] - 1) / k, 1.0)
    extrapolated, momentum = at, 1.0
    for _ in range(ROUNDS):
        logits = design @ extrapolated
        logits -= logits.max(1, keepdims=True)
        odds = np.exp(logits)
        gradient = weighted @ (odds / odds.sum(1, keepdims=True) - target)
        descent = extrapolated - step * gradient
        blocks = descent[1:].reshape(-1, k, k)
        norms = np.sqrt((blocks**2).sum((1, 2), keepdims=True))
        blocks = blocks * np.maximum(1 - step * penalty / np.maximum(norms, 1e-300), 0.0)
        new = np.concatenate([descent[:1], blocks.reshape(-1, k)])
        change, next_momentum = new - at, (1 + math.sqrt(1 + 4 * momentum**2)) / 2
        if ((extrapolated - new) * change).sum() > 0:  # momentum that points uphill is dropped
            next_momentum = 1.0
        extrapolated = new + (momentum - 1) / next_momentum * change
        at, momentum = new, next_momentum
        if np.abs(change).max() < SMALLEST_CHANGE:
            break
    return at


def _by_penalty(table: Table, least: float) -> list[Edge]:
    """Join pairs whose weights are large enough by penalized pseudo-likelihood."""
    p, k = len(table.names), len(table.variables[0].states)
    penalty = PENALTY * math.sqrt(math.log(p**2 * k**2 / ERROR) / table.n_rows)
    return strong_pairs(norms(table, [[j for j in range(p) if j != i] for i in range(p)], penalty), least)


def _refit(table: Table, graph: UndirectedGraph) -> Array:
    return norms(table, [graph.blanket(x) for x in range(graph.n)], 0.0)


def _mpl(table: Table) -> UndirectedGraph:
    return TwoPhase(MPL()).fit(table).structure_.graph


@dataclass(frozen=True, kw_only=True)
class PottsRecovery(Recovery):
    """Three by three grids with more and more states."""

    NAME = "potts-recovery"
    TITLE = "Rows needed to find a Potts network in 45 of 45 data sets"
    METHODS: ClassVar[Mapping[str, Method]] = {
        OURS: by_graph(recommended_graph, _refit),
        f"{OURS}, all edges": all_edges,
        "RobustGSMN": by_graph(robust_graph, _refit),
        "MPL two-phase": by_graph(_mpl, _refit),
        "group l1 logistic": _by_penalty,
    }

    side: int = 3
    arities: tuple[int, ...] = (2, 4, 6)
    """Numbers of states, all even."""

    def networks(self, run: Run) -> Mapping[str, Network]:
        """Return a grid for every number of states."""
        graph = grid_graph(self.side)
        return {
            f"grid of {graph.n}, {k} states": Network(
                graph, potts(graph, k, run.stream(k)).sample, WEIGHT * k / 2
            )
            for k in self.arities
        }

    def about(self) -> str:
        """Return what the methods are."""
        return """Every pair of states of an edge has the weight .2 or -.2, half of them each; the size of an
            edge is the norm of its weights. Group l1 logistic regressions judge by their own estimates; the
            others choose a graph first, and judge by estimates without a penalty given that graph."""
