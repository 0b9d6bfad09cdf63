"""PFMN as published on few variables, against sums over all structures written out in plain Python.

Nothing of the learner is used on the expected side: structures are sets of pairs, separation is a search in
them, and each formula of the paper is its own sum.
"""

from __future__ import annotations

import math
from itertools import combinations
from typing import Any

import numpy as np
import pytest

import graphoid as gd
from graphoid.learners.pfmn.population import Evidence, Query, all_graphs, separations

Structure = frozenset[tuple[int, int]]
Answers = list[tuple[int, int, tuple[int, ...], float]]  # x, y, given, log likelihood ratio


def structures(n: int) -> list[Structure]:
    pairs = list(combinations(range(n), 2))
    return [frozenset(p for i, p in enumerate(pairs) if code >> i & 1) for code in range(2 ** len(pairs))]


def apart(s: Structure, x: int, y: int, given: tuple[int, ...]) -> bool:
    reached, todo = {x}, [x]
    while todo:
        v = todo.pop()
        for a, b in s:
            for u, w in ((a, b), (b, a)):
                if u == v and w not in reached and w not in given:
                    reached.add(w)
                    todo.append(w)
    return y not in reached


def posterior(n: int, answered: Answers) -> list[float]:
    """Eq. 4 and 5."""
    m = n * (n - 1) // 2
    weights = []
    for s in structures(n):
        w = 1 / math.comb(m, len(s))
        for x, y, given, gain in answered:
            w *= math.exp(gain) if apart(s, x, y, given) else 1.0
        weights.append(w)
    return [w / sum(weights) for w in weights]


def information_gain(n: int, answered: Answers, test: tuple[int, int, tuple[int, ...]]) -> float:
    """Eq. 9 and 10, structure by structure."""
    everything, pr = structures(n), posterior(n, answered)
    answers = [tuple(apart(s, *t[:3]) for t in answered) for s in everything]
    outcome = [apart(s, *test) for s in everything]
    total = 0.0
    for i, p in enumerate(pr):
        same = [j for j in range(len(pr)) if answers[j] == answers[i]]
        mass = sum(pr[j] for j in same)
        agreeing = sum(pr[j] for j in same if outcome[j] == outcome[i])
        total -= p * math.log(agreeing / mass)
    return total


def candidates(n: int) -> list[tuple[int, int, tuple[int, ...]]]:
    found = []
    for x, y in combinations(range(n), 2):
        others = [v for v in range(n) if v not in (x, y)]
        found += [(x, y, g) for size in range(n - 1) for g in combinations(others, size)]
    return found


ANSWERED: list[tuple[int, Answers]] = [
    (3, []),
    (3, [(0, 1, (), 1.3)]),
    (3, [(0, 1, (2,), -0.7), (0, 2, (), 2.1), (1, 2, (), -3.0)]),
    (4, []),
    (4, [(0, 1, (), -1.1), (2, 3, (0,), 0.4)]),
    (4, [(0, 1, (2, 3), 2.0), (1, 2, (), -0.3), (0, 3, (1,), -2.5), (0, 2, (), 0.9)]),
]


def begin(n: int, answered: Answers) -> tuple[Any, Any]:
    """Return the filter over all structures after some answers."""
    learner = gd.PublishedPFMN(all_graphs=True, random_state=0)
    search, rng = learner.begin(gd.Oracle(gd.UndirectedGraph(n)))
    state = search.init(rng)
    for x, y, given, gain in answered:
        state = search.update(rng, state, Evidence(x, y, sum(1 << v for v in given), gain))
    return search, state


@pytest.mark.parametrize(("n", "answered"), ANSWERED)
def test_posterior_over_structures(n: int, answered: Answers) -> None:
    _, state = begin(n, answered)
    assert state.weights == pytest.approx(posterior(n, answered), abs=1e-12)


@pytest.mark.parametrize(("n", "answered"), ANSWERED)
def test_information_gain_of_every_candidate(n: int, answered: Answers) -> None:
    search, state = begin(n, answered)
    tests = [Query(x, y, sum(1 << v for v in given)) for x, y, given in candidates(n)]
    expected = [information_gain(n, answered, test) for test in candidates(n)]
    assert search.information_gains(state, tests) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(("n", "answered"), ANSWERED)
def test_chosen_test(n: int, answered: Answers) -> None:
    # on these cases the climbs end in the best of all candidates, which the sum above finds without climbing
    search, state = begin(n, answered)
    scores = {t: information_gain(n, answered, t) / (2 + len(t[2])) ** 2 for t in candidates(n)}
    best = max(scores.values())
    first = next(t for t in sorted(scores) if scores[t] > best - 1e-12)
    test, score = search.optimal_test(state)
    assert score == pytest.approx(best, abs=1e-12)
    assert (test.x, test.y, test.given) == (first[0], first[1], sum(1 << v for v in first[2]))


def test_entropy_that_stops_it_by_hand() -> None:
    # three variables, nothing answered: four numbers of edges, of which two have three structures each
    search, state = begin(3, [])
    assert search.entropy(state) == pytest.approx(math.log(4) + 0.5 * math.log(3))


def test_eq_7_as_printed_prefers_the_most_expensive_of_equals() -> None:
    learner = gd.PublishedPFMN(all_graphs=True, score="printed", random_state=0)
    search, rng = learner.begin(gd.Oracle(gd.UndirectedGraph(4)))
    test, score = search.optimal_test(search.init(rng))
    h = search.entropy(search.init(rng))
    tests = [Query(x, y, sum(1 << v for v in given)) for x, y, given in candidates(4)]
    gains = search.information_gains(search.init(rng), tests)
    expected = max(-(h - g) / (2 + t.size) ** 2 for g, t in zip(gains, tests, strict=True))
    assert test.size == 2
    assert score == pytest.approx(expected)


def test_all_structures_come_in_the_order_of_the_sums() -> None:
    tests = [Query(x, y, sum(1 << v for v in given)) for x, y, given in candidates(4)]
    found = separations(all_graphs(4), tests)
    expected = [[apart(s, *t) for s in structures(4)] for t in candidates(4)]
    np.testing.assert_equal(found, np.array(expected))
