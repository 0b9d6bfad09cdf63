"""Networks whose dependences hold in one context and not in another."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations, product
from typing import TYPE_CHECKING

import numpy as np

from graphoid.datasets.networks import BinaryNetwork
from graphoid.errors import SettingsError
from graphoid.models.factors import Factor
from graphoid.structure.cliques import maximal_cliques
from graphoid.structure.graph import UndirectedGraph

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.random import Generator

    from graphoid.logic.assertion import Context

SWITCH = 0
"""The position of the variable that makes the contexts."""

_SPINS = np.array([[0.25, -0.25], [-0.25, 0.25]])  # a log-odds ratio of 1


@dataclass(frozen=True, eq=False)
class ContextNetwork(BinaryNetwork):
    """A binary network in which one variable, the switch, says whether the others depend on each other.

    Made by :func:`context_model`. ``graph`` is the one single graph that is true of it: the complete one.
    """

    switch: int = SWITCH

    def graph_for(self, assignment: Sequence[int]) -> UndirectedGraph:
        """Return the true graph in the context of an assignment: complete, or a star around the switch."""
        if assignment[self.switch] == 0:
            return self.graph
        rest = (v for v in range(self.graph.n) if v != self.switch)
        return UndirectedGraph(self.graph.names, [(self.switch, v) for v in rest])

    @property
    def features(self) -> tuple[Context, ...]:
        """The features of the true structure: maximal cliques with the states of every assignment."""
        features = set()
        for assignment in product((0, 1), repeat=self.graph.n):
            for clique in maximal_cliques(self.graph_for(assignment)):
                features.add(tuple((v, assignment[v]) for v in clique))
        return tuple(sorted(features))

    @property
    def terms(self) -> tuple[Context, ...]:
        """Features for the terms of the log-linear model, which has no interactions of more than a pair."""
        return tuple(
            sorted(
                tuple(zip(factor.members, states, strict=True))
                for factor in self.factors
                for states in product((0, 1), repeat=len(factor.members))
                if factor.log_values[states] != 0
            )
        )


def context_model(
    n: int, rng: Generator | int | None = None, theta: float = 1.0, *, pull: float | None = None
) -> ContextNetwork:
    r"""Return a binary network whose variables all depend on each other in one context, and not in the other.

    .. math:: \log P(v) = \lambda'_w v_w + \sum_a \bigl(\lambda_a v_a - \rho \, v_w (1 - v_a)\bigr)
              + [v_w = 0] \, \frac{\theta}{4} \sum_{a < b} s_a s_b + \text{const},
              \qquad s_x = 2 v_x - 1, \quad a, b \ne w

    Where the switch w (the first variable) is 0, every pair of the others has log-odds ratio ``theta`` given
    the rest; where it is 1, they are independent: :math:`I(X_a, X_b \mid x_w = 1)`. So the structure is a
    complete graph in one context, and in the other a star around the switch.

    Parameters
    ----------
    n
        How many variables, three or more.
    rng
        Where the log-odds :math:`\lambda` come from, uniform on (-1, 1). That of the switch is its marginal
        one, so that either context is common, whatever n. None for different ones each time.
    theta
        The log-odds ratio of a pair.
    pull
        :math:`\rho`: how the switch pulls at each of the others. Given the rest, a pair with the switch has
        log-odds ratio :math:`\rho - \frac{\theta}{2} \sum_b s_b`. None takes :math:`|\theta| (n - 1) / 2`,
        one half of theta more than all n - 2 others together can pull the other way.

    Examples
    --------
    >>> from graphoid import datasets
    >>> network = datasets.context_model(6, rng=0)
    >>> network.sample(1000, random_state=1)
    <Table 'context model': 1,000 rows x 6 variables>
    >>> network.graph_for([0, 1, 1, 1, 1, 1]).n_edges, network.graph_for([1, 1, 1, 1, 1, 1]).n_edges
    (15, 5)

    Notes
    -----
    The distributions of [Edera2014]_, section 4.1, which describes the two graphs and refers to a report for
    the weights. The range of :math:`\lambda` is our choice, and so is the pull: without it the switch and a
    variable are independent given the others wherever these are evenly split, and with a weak one wherever
    they balance it. Then the two graphs are not those of the distribution, and no learner finds them.
    """
    if isinstance(n, bool) or not isinstance(n, int) or n < 3:
        raise SettingsError(f"a context model has three variables or more; n is {n!r}.")
    rng = np.random.default_rng(rng)
    rho = abs(theta) * (n - 1) / 2 if pull is None else pull
    switch, *nodes = rng.uniform(-1.0, 1.0, n)
    balanced = switch + _log_sum_dependent(nodes, theta) - float(np.logaddexp(nodes, -rho).sum())
    switched = np.stack([theta * _SPINS, np.zeros((2, 2))])
    others = range(1, n)
    factors = [Factor((SWITCH,), np.array([0.0, balanced]))]
    factors += [
        Factor((SWITCH, a), np.array([[0.0, node], [-rho, node]]))
        for a, node in zip(others, nodes, strict=True)
    ]
    factors += [Factor((SWITCH, a, b), switched) for a, b in combinations(others, 2)]
    graph = UndirectedGraph(n, combinations(range(n), 2))
    return ContextNetwork(graph, tuple(factors), "context model")


def _log_sum_dependent(nodes: Sequence[float], theta: float) -> float:
    """Return the logarithm of the sum over all states of the others where the switch is 0.

    What pairs add depends on how many ones there are alone, so states are summed by that.
    """
    n = len(nodes)
    by_ones = np.ones(1)
    for node in nodes:
        by_ones = np.convolve(by_ones, [1.0, np.exp(node)])
    spins = 2.0 * np.arange(n + 1) - n
    return float(np.logaddexp.reduce(np.log(by_ones) + theta / 8 * (spins**2 - n)))
