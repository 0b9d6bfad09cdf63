"""Communities: the kernel against networkx, and by hand."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from graphoid.counts.native import kernels
from graphoid.scores.communities import by_size, communities, greedy_modularity


def test_two_triangles_on_a_string_are_two_communities() -> None:
    weights = dict.fromkeys([(0, 1), (0, 2), (1, 2), (3, 4), (3, 5), (4, 5), (2, 3)], 1.0)
    assert communities(range(7), weights) == [[0, 1, 2], [3, 4, 5], [6]]


def test_without_edges_every_node_is_one() -> None:
    assert communities([2, 0, 1], {}) == [[2], [0], [1]]


@pytest.mark.skipif(kernels() is None, reason="the kernels are switched off")
@pytest.mark.parametrize("seed", range(12))
def test_the_kernel_agrees_with_networkx(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, weighted = int(rng.integers(3, 60)), seed % 2 == 0
    pairs = [pair for pair in combinations(range(n), 2) if rng.random() < 3 / n]
    weights = {pair: float(rng.uniform(0.1, 1)) if weighted else 1.0 for pair in pairs}
    order = rng.permutation(n).tolist()
    if weights:
        plain = by_size(greedy_modularity(order, list(weights), list(weights.values())))
        assert communities(order, weights) == plain
