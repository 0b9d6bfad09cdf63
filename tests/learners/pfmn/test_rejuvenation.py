"""What becomes of a population after an answer: within bounds, in agreement, and towards the posterior."""

from __future__ import annotations

import numpy as np
import pytest

from graphoid.learners.pfmn.population import Evidence, Graphs, Query, all_graphs, log_posterior, separations
from graphoid.learners.pfmn.priors import sample_sparse_prior, sparse_log_prior
from graphoid.learners.pfmn.proofs import Bounds
from graphoid.learners.pfmn.rejuvenation import MOST_LOG_RATIO, repair_and_move, temper_and_move
from graphoid.logic.verdict import Fact
from graphoid.structure.separation import separated

N = 6
PRIOR = sparse_log_prior(N)


@pytest.fixture
def answered() -> tuple[list[int], list[Evidence], Bounds]:
    """A chain of six, and answers about it: two that the bounds keep, and others."""
    chain = [sum(1 << w for w in (v - 1, v + 1) if 0 <= w < N) for v in range(N)]
    tests = [(0, 2, 0b000010), (3, 5, 0b010000), (0, 5, 0), (1, 4, 0b000100), (0, 3, 0b110000), (2, 4, 0)]
    bounds, evidence = Bounds.of(N), []
    for i, (x, y, given) in enumerate(tests):
        apart = separated(chain, x, y, given)
        evidence.append(Evidence(x, y, given, 23.0 if apart else -23.0))
        if i < 2:
            bounds = bounds.add(Fact(x, y, given, apart))
    return chain, evidence, bounds


def population(size: int = 400) -> Graphs:
    return sample_sparse_prior(N, size, np.random.default_rng(0))


def within(graphs: Graphs, bounds: Bounds) -> bool:
    lower, upper = (np.array(masks, dtype=np.uint64) for masks in (bounds.lower, bounds.upper))
    return bool((graphs & lower == lower).all() and (graphs & ~upper == 0).all())


def test_both_ways_stay_within_bounds(answered: tuple[list[int], list[Evidence], Bounds]) -> None:
    _, evidence, bounds = answered
    graphs = population()
    assert not within(graphs, bounds)
    assert within(
        temper_and_move(graphs, evidence, bounds, PRIOR, np.random.default_rng(1), moves=20), bounds
    )
    after = repair_and_move(graphs, evidence, bounds, PRIOR, np.random.default_rng(1), sure=1.5, moves=20)
    assert within(after, bounds)


def test_sure_answers_are_forced_upon_all(answered: tuple[list[int], list[Evidence], Bounds]) -> None:
    _, evidence, bounds = answered
    after = repair_and_move(
        population(),
        evidence,
        bounds,
        sparse_log_prior(N),
        np.random.default_rng(1),
        sure=1.5,
        moves=0,
    )
    agree = separations(after, evidence)
    assert (agree == np.array([t.log_ratio > 0 for t in evidence])[:, None]).all()


def test_a_doubtful_answer_is_weighed_only() -> None:
    # the graphs that agree are taken exp(1) times as often, and none is changed
    evidence, graphs = [Evidence(0, 1, 0, 1.0)], population(20_000)
    after = repair_and_move(
        graphs,
        evidence,
        Bounds.of(N),
        sparse_log_prior(N),
        np.random.default_rng(1),
        sure=1.5,
        moves=0,
    )
    before, now = (separations(g, [Query(0, 1, 0)]).mean() for g in (graphs, after))
    assert now == pytest.approx(before * np.e / (before * np.e + 1 - before), abs=0.01)


def test_tempered_graphs_come_to_the_tempered_posterior() -> None:
    # four variables, all graphs known: after some answers frequencies are prior times likelihood, which an
    # exact answer raises by no more than exp(6)
    n, prior, rng = 4, sparse_log_prior(4), np.random.default_rng(2)
    evidence: list[Evidence] = []
    graphs = sample_sparse_prior(n, 20_000, rng)
    for test, apart in (((0, 1, 0), False), ((0, 2, 0b0010), True), ((1, 3, 0), False)):
        evidence.append(Evidence(*test, 23.0 if apart else -23.0))
        graphs = temper_and_move(graphs, evidence, Bounds.of(n), prior, rng, moves=60)
    everything = all_graphs(n)
    light = [t._replace(log_ratio=np.sign(t.log_ratio) * MOST_LOG_RATIO) for t in evidence]
    log = log_posterior(everything, prior, light)
    exact = np.exp(log) / np.exp(log).sum()
    counts = [(graphs == graph).all(axis=1).mean() for graph in everything]
    assert counts == pytest.approx(exact, abs=0.01)
