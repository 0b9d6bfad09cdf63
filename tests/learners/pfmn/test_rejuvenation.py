"""What becomes of a population after an answer: within bounds, in agreement, and towards the posterior."""

from __future__ import annotations

import numpy as np
import pytest

from graphoid.learners.pfmn import population as particles
from graphoid.learners.pfmn import rejuvenation as renewal
from graphoid.learners.pfmn.proofs import Bounds
from graphoid.learners.pfmn.reference import Asked
from graphoid.logic.verdict import Fact
from graphoid.structure.separation import separated

N = 6
PRIOR = particles.sparse_log_prior(N)


@pytest.fixture
def answered() -> tuple[list[int], list[Asked], Bounds]:
    """A chain of six, and answers about it: two that the bounds keep, and others."""
    chain = [sum(1 << w for w in (v - 1, v + 1) if 0 <= w < N) for v in range(N)]
    tests = [(0, 2, 0b000010), (3, 5, 0b010000), (0, 5, 0), (1, 4, 0b000100), (0, 3, 0b110000), (2, 4, 0)]
    bounds, asked = Bounds.of(N), []
    for i, (x, y, given) in enumerate(tests):
        apart = separated(chain, x, y, given)
        asked.append(Asked(x, y, given, 23.0 if apart else -23.0))
        if i < 2:
            bounds = bounds.adding(Fact(x, y, given, apart))
    return chain, asked, bounds


def population(size: int = 400) -> particles.Graphs:
    return particles.sparsely_drawn(N, size, np.random.default_rng(0))


def within(graphs: particles.Graphs, bounds: Bounds) -> bool:
    lower, upper = (np.array(masks, dtype=np.uint64) for masks in (bounds.lower, bounds.upper))
    return bool((graphs & lower == lower).all() and (graphs & ~upper == 0).all())


def test_both_ways_stay_within_bounds(answered: tuple[list[int], list[Asked], Bounds]) -> None:
    _, asked, bounds = answered
    graphs = population()
    assert not within(graphs, bounds)
    assert within(renewal.tempered(graphs, asked, bounds, PRIOR, np.random.default_rng(1), moves=20), bounds)
    after = renewal.mended(graphs, asked, bounds, PRIOR, np.random.default_rng(1), sure=1.5, moves=20)
    assert within(after, bounds)


def test_sure_answers_are_forced_upon_all(answered: tuple[list[int], list[Asked], Bounds]) -> None:
    _, asked, bounds = answered
    after = renewal.mended(
        population(),
        asked,
        bounds,
        particles.sparse_log_prior(N),
        np.random.default_rng(1),
        sure=1.5,
        moves=0,
    )
    agree = particles.separations(after, [particles.Test(*t[:3]) for t in asked])
    assert (agree == np.array([t.gain > 0 for t in asked])[:, None]).all()


def test_a_doubtful_answer_is_weighed_only() -> None:
    # the graphs that agree are taken exp(1) times as often, and none is changed
    asked, graphs = [Asked(0, 1, 0, 1.0)], population(20_000)
    after = renewal.mended(
        graphs,
        asked,
        Bounds.of(N),
        particles.sparse_log_prior(N),
        np.random.default_rng(1),
        sure=1.5,
        moves=0,
    )
    before, now = (particles.separations(g, [particles.Test(0, 1, 0)]).mean() for g in (graphs, after))
    assert now == pytest.approx(before * np.e / (before * np.e + 1 - before), abs=0.01)


def test_tempered_graphs_come_to_the_tempered_posterior() -> None:
    # four variables, all graphs known: after some answers frequencies are prior times likelihood, which an
    # exact answer raises by no more than exp(6)
    n, prior, rng = 4, particles.sparse_log_prior(4), np.random.default_rng(2)
    asked: list[Asked] = []
    graphs = particles.sparsely_drawn(n, 20_000, rng)
    for test, apart in (((0, 1, 0), False), ((0, 2, 0b0010), True), ((1, 3, 0), False)):
        asked.append(Asked(*test, 23.0 if apart else -23.0))
        graphs = renewal.tempered(graphs, asked, Bounds.of(n), prior, rng, moves=60)
    everything = particles.all_graphs(n)
    light = [t._replace(gain=np.sign(t.gain) * renewal.MOST_GAIN) for t in asked]
    log = particles.log_posterior(everything, prior, light)
    exact = np.exp(log) / np.exp(log).sum()
    counts = [(graphs == graph).all(axis=1).mean() for graph in everything]
    assert counts == pytest.approx(exact, abs=0.01)
