"""The fewest contexts: against every possible set of contexts on small tables, and sound on large ones."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from graphoid.structure import implicants
from graphoid.structure.implicants import (
    _generalize_rows,
    fewest_contexts,
    generalize_plainly,
    prime_implicants,
)


def covers(context, row):
    return all(row[column] == state for column, state in context)


def all_contexts(arities):
    for states in itertools.product(*([None, *range(arity)] for arity in arities)):
        yield tuple((c, state) for c, state in enumerate(states) if state is not None)


def by_trying(wanted, forbidden, arities):
    """The size of a smallest cover, from all sets of contexts that cover nothing forbidden."""
    allowed = [c for c in all_contexts(arities) if not any(covers(c, row) for row in forbidden)]
    masks = {tuple(covers(c, row) for row in wanted) for c in allowed}
    for size in range(len(wanted) + 1):
        for chosen in itertools.combinations(masks, size):
            if all(any(mask[i] for mask in chosen) for i in range(len(wanted))):
                return size
    raise AssertionError


@pytest.mark.parametrize("seed", range(25))
def test_no_smaller_set_says_the_same(seed):
    rng = np.random.default_rng(seed)
    arities = [(2, 2, 2), (3, 2, 2), (2, 2, 2, 2)][seed % 3]
    rows = np.array(list(itertools.product(*map(range, arities))))
    kind = rng.choice(3, len(rows), p=[0.4, 0.4, 0.2])  # wanted, forbidden, never seen
    wanted, forbidden = rows[kind == 0], rows[kind == 1]
    found = fewest_contexts(wanted, forbidden)
    assert found.smallest
    assert all(any(covers(c, row) for c in found.contexts) for row in wanted)
    assert not any(covers(c, row) for c in found.contexts for row in forbidden)
    assert len(found.contexts) == by_trying(wanted, forbidden, arities)


def test_edges_of_the_problem():
    row = np.array([[0, 1]])
    nothing = row[:0]
    assert fewest_contexts(nothing, row).contexts == ()
    assert fewest_contexts(row, nothing).contexts == ((),)
    no_variables = np.empty((1, 0), dtype=np.uint16)
    assert fewest_contexts(no_variables, no_variables[:0]).contexts == ((),)
    assert fewest_contexts(no_variables[:0], no_variables).contexts == ()


def test_primes_are_all_there_are_and_cannot_be_shortened():
    rows = np.array(list(itertools.product((0, 1), repeat=4)))
    odd = rows.sum(axis=1) % 2 == 1
    primes, complete = prime_implicants(rows[odd], rows[~odd])
    assert complete
    assert set(primes) == {tuple(enumerate(row)) for row in rows[odd].tolist()}  # parity has no shorter ones
    primes, _ = prime_implicants(rows[rows[:, 1] == 1], rows[rows[:, 1] == 0])
    assert list(primes) == [((1, 1),)]


@pytest.mark.parametrize("n", [13, 40])
def test_many_variables_are_covered_soundly(n):
    rng = np.random.default_rng(n)
    rows = np.unique(rng.integers(0, 3, (120, n)), axis=0)
    wanted, forbidden = rows[rows[:, 2] == 1], rows[rows[:, 2] != 1]
    assert fewest_contexts(wanted, forbidden).contexts == (((2, 1),),)
    kind = rng.integers(0, 2, len(rows)) == 0
    found = fewest_contexts(rows[kind], rows[~kind])
    assert not found.smallest  # not all sets of variables were looked through
    assert all(any(covers(c, row) for c in found.contexts) for row in rows[kind])
    assert not any(covers(c, row) for c in found.contexts for row in rows[~kind])


def test_a_search_that_takes_too_long_gives_way_to_the_greedy_cover(monkeypatch):
    rng = np.random.default_rng(0)
    rows = np.array(list(itertools.product((0, 1), repeat=5)))
    kind = rng.integers(0, 2, len(rows)) == 0
    exact = fewest_contexts(rows[kind], rows[~kind])
    monkeypatch.setattr(implicants, "_smallest_cover", lambda *_: None)
    greedy = fewest_contexts(rows[kind], rows[~kind])
    assert not greedy.smallest
    assert all(any(covers(c, row) for c in greedy.contexts) for row in rows[kind])
    assert len(exact.contexts) <= len(greedy.contexts) <= len(exact.contexts) * (1 + np.log(kind.sum()))


@pytest.mark.parametrize("seed", range(6))
def test_rows_are_generalize_rows_as_variable_by_variable(seed):
    rng = np.random.default_rng(seed)
    rows = np.unique(rng.integers(0, rng.integers(2, 6, 9), (150, 9)), axis=0).astype(np.uint16)
    kind = rng.random(len(rows)) < 0.6
    covered = rng.random(kind.sum()) < 0.2
    fast, plain = (way(rows[kind], rows[~kind], covered) for way in (_generalize_rows, generalize_plainly))
    assert list(fast) == list(plain)
    assert all(np.array_equal(fast[context], plain[context]) for context in plain)
