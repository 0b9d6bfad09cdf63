r"""What a test is expected to tell about a population: entropies and information gain, in nats."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from graphoid.learners.pfmn.population import Pair


def entropy(weights: NDArray[np.float64]) -> float:
    """Return the entropy of a distribution."""
    some = weights[weights > 0]
    return float(-(some * np.log(some)).sum()) + 0.0


def edge_entropy(probabilities: Mapping[Pair, float]) -> float:
    """Return the sum of the entropies of all pairs: at least the entropy of the structure."""
    p = np.array(list(probabilities.values()))
    return entropy(p) + entropy(1 - p)


def answer_classes(apart: NDArray[np.bool_]) -> NDArray[np.int32]:
    """Return for every graph the number of its class: graphs that give the same answers to all tests."""
    if not len(apart):
        return np.zeros(apart.shape[1], dtype=np.int32)
    found = np.unique(apart.T, axis=0, return_inverse=True)[1]
    return found.reshape(-1).astype(np.int32)


def conditional_entropy(weights: NDArray[np.float64], group: NDArray[np.int32]) -> float:
    r"""Return the entropy of the structure given the class it is in, :math:`H(X \mid Y_{1:t})`."""
    return max(0.0, entropy(weights) - entropy(np.bincount(group, weights).astype(np.float64)))


def information_gains(
    apart: NDArray[np.bool_], weights: NDArray[np.float64], group: NDArray[np.int32]
) -> NDArray[np.float64]:
    r"""Return the information gain of tests (Eq. 9 and 10).

    .. math:: IG(Y) = - \sum_x \Pr(x) \log \frac{\Pr(\{y^x, y_{1:t}^x\})}{\Pr(\{y_{1:t}^x\})}

    Parameters
    ----------
    apart
        For every test (a line) and graph, whether the graph separates its variables.
    weights
        :math:`\Pr(x)` of every graph.
    group
        Its class :math:`\{y_{1:t}^x\}` by the answers it gives to the tests so far.
    """
    n_groups = int(group.max(initial=0)) + 1
    member = np.zeros((len(weights), n_groups))
    member[np.arange(len(weights)), group] = weights
    yes = apart @ member
    no = ~apart @ member
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = [np.where(part > 0, part * np.log(part / (yes + no)), 0.0) for part in (yes, no)]
    return np.asarray(np.maximum(0.0, -(terms[0] + terms[1]).sum(axis=1)))
