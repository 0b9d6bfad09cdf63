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


def context_model(n: int, rng: Generator | int | None = None, theta: float = 1.0) -> ContextNetwork:
    r"""Return a binary network whose variables all depend on each other in one context, and not in the other.

    .. math:: \log P(v) = \lambda_w v_w + \sum_a \left(\lambda_a^{v_w} v_a + \frac{\theta}{4} s_a s_w\right)
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
        Where the log-odds :math:`\lambda` come from, uniform on (-1, 1), those of the others drawn for each
        state of the switch. None for different ones each time.
    theta
        The log-odds ratio of a pair.

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
    the weights. The range of :math:`\lambda` is our choice, and so are two things that make the star visible
    and the structure faithful: pairs with the switch interact too, and :math:`\lambda_a` differs between the
    contexts. Without them the switch and a variable are independent given the others wherever these are
    evenly split.
    """
    if isinstance(n, bool) or not isinstance(n, int) or n < 3:
        raise SettingsError(f"a context model has three variables or more; n is {n!r}.")
    rng = np.random.default_rng(rng)
    others = [v for v in range(n) if v != SWITCH]
    switched = np.stack([theta * _SPINS, np.zeros((2, 2))])
    factors = [Factor((SWITCH,), np.array([0.0, rng.uniform(-1.0, 1.0)]))]
    for a in others:
        nodes = np.stack([np.zeros(2), rng.uniform(-1.0, 1.0, 2)], axis=1)
        factors.append(Factor((SWITCH, a), nodes + theta * _SPINS))
    factors += [Factor((SWITCH, a, b), switched) for a, b in combinations(others, 2)]
    graph = UndirectedGraph(n, combinations(range(n), 2))
    return ContextNetwork(graph, tuple(factors), "context model")
