"""What answers prove: sound on every small graph, and worked by hand where a rule is named."""

from __future__ import annotations

import numpy as np
import pytest

import graphoid as gd
from graphoid.learners.pfmn import proofs
from graphoid.learners.pfmn.population import all_graphs, pairs
from graphoid.learners.pfmn.priors import sample_prior
from graphoid.learners.pfmn.proofs import Bounds
from graphoid.logic.verdict import Fact
from graphoid.structure.separation import separated
from tests.support.tables import needs_kernels


def bounds_of(n: int, *facts: tuple[int, int, tuple[int, ...], bool]) -> Bounds:
    bounds = Bounds.of(n)
    for x, y, given, independent in facts:
        bounds = bounds.add(Fact.of(x, y, given, independent=independent))
    return bounds


def test_nothing_is_known_at_first() -> None:
    bounds = Bounds.of(3)
    assert bounds.undecided == [(0, 1), (0, 2), (1, 2)]
    assert bounds.answer(0, 1, 0) is None


def test_what_is_connected_to_either_side_is_parted() -> None:
    # 0 ~ 1 and 2 ~ 3, and the first of each are apart: so are all four pairs across
    bounds = bounds_of(4, (0, 1, (), False), (2, 3, (), False), (0, 2, (), True))
    assert bounds.answer(1, 3, 0) is True
    assert bounds.answer(1, 3, 0b0001) is True  # Strong Union
    # nothing else can connect them, so both are edges
    assert bounds.undecided == []
    assert bounds.lower == bounds.upper == (0b0010, 0b0001, 0b1000, 0b0100)


def test_dependences_chain() -> None:
    bounds = bounds_of(4, (0, 1, (3,), False), (1, 2, (3,), False))
    assert bounds.answer(0, 2, 0b1000) is False
    assert bounds.answer(0, 2, 0) is False  # given less
    assert bounds.answer(0, 2, 0b0010) is None


def test_a_dependence_given_all_others_is_an_edge() -> None:
    bounds = bounds_of(3, (0, 1, (2,), False))
    assert bounds.lower == (0b010, 0b001, 0)
    assert bounds.reasons == (((0, 1), Fact.of(0, 1, (2,), independent=False)),)


def test_what_is_not_needed_is_left_out() -> None:
    # 3 is apart from all; so 0 and 2, independent given 1 and 3, are so given 1
    bounds = bounds_of(4, (3, 0, (), True), (3, 1, (), True), (3, 2, (), True), (0, 2, (1, 3), True))
    assert bounds.answer(0, 2, 0b0010) is True


def test_a_fact_that_contradicts_what_came_first_proves_nothing() -> None:
    bounds = bounds_of(3, (0, 1, (2,), False), (0, 1, (), True))
    assert bounds.lower[0] == 0b010
    bounds = bounds_of(2, (0, 1, (), True), (0, 1, (), False))
    assert bounds.lower == bounds.upper == (0, 0)


@pytest.mark.parametrize("seed", range(40))
def test_true_answers_never_exclude_the_truth(seed: int) -> None:
    # random graphs and random questions in any order; whatever is inferred is checked against the graph
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 8))
    graph = [int(v) for v in sample_prior(n, 1, rng)[0]]
    bounds = Bounds.of(n)
    for _ in range(60):
        x, y, *rest = rng.permutation(n).tolist()
        given = sum(1 << v for v in rest[: rng.integers(0, n - 1)])
        true = separated(graph, x, y, given)
        inferred = bounds.answer(x, y, given)
        assert inferred in (None, true)
        if inferred is None:
            bounds = bounds.add(Fact(x, y, given, true))
    for v in range(n):
        assert not bounds.lower[v] & ~graph[v]
        assert not graph[v] & ~bounds.upper[v]


@needs_kernels
@pytest.mark.parametrize("lies", [0.0, 0.15])
@pytest.mark.parametrize(("n", "seed"), [(4, 0), (7, 1), (7, 2), (12, 3), (64, 4)])
def test_the_kernel_agrees(n: int, seed: int, lies: float, monkeypatch: pytest.MonkeyPatch) -> None:
    # also where answers contradict each other; all is compared: both graphs, open facts and reasons
    rng = np.random.default_rng(seed)
    graph = gd.datasets.random_graph(n, 2.0, rng).adjacency
    facts = []
    for _ in range(80):
        x, y, *rest = rng.permutation(n).tolist()
        given = sum(1 << v for v in rest[: rng.integers(0, min(n - 1, 6))])
        facts.append(Fact(x, y, given, separated(graph, x, y, given) != (rng.random() < lies)))
    compiled, plain = Bounds.of(n), Bounds.of(n)
    for fact in facts:
        compiled = compiled.add(fact)
        with monkeypatch.context() as without:
            without.setattr(proofs, "kernels", lambda: None)
            plain = plain.add(fact)
        assert compiled == plain


def test_all_answers_prove_every_graph_of_four_variables() -> None:
    for masks in all_graphs(4).tolist():
        bounds = Bounds.of(4)
        for x, y in pairs(4):
            for given in range(16):
                if not (given >> x | given >> y) & 1:
                    bounds = bounds.add(Fact(x, y, given, separated(masks, x, y, given)))
        assert bounds.lower == bounds.upper == tuple(masks)
