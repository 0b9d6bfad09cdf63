"""Bayesian networks drawn at random have the tables that they are named for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from graphoid.datasets import noisy_gates, pedigree, random_tables
from graphoid.errors import SettingsError


def test_gates_are_ors_and_ands() -> None:
    network = noisy_gates(200, 0, most_parents=3)
    kinds = []
    for parents, table in zip(network.parents, network.tables, strict=True):
        assert len(parents) <= 3
        if len(parents) > 1:
            kinds.append((multiplies(table[..., 0]), multiplies(np.flip(table[..., 1]))))
    assert set(kinds) == {(True, False), (False, True)}  # ors, and ands


def multiplies(fails: Any) -> bool:
    """Say whether causes fail independently: of none, of each alone, and of all together."""
    n, none = fails.ndim, fails.flat[0]
    single = [fails[tuple(int(i == k) for i in range(n))] for k in range(n)]
    return bool(none >= 0.9 and np.isclose(fails.flat[-1], np.prod(single) / none ** (n - 1)))


def test_a_child_has_one_copy_of_each_parent() -> None:
    network = pedigree(60, 1)
    table = next(t for t in network.tables if t.ndim == 3)
    assert table[0, 2].tolist() == [0, 1, 0]  # none and two: always one
    assert table[1, 1].tolist() == [0.25, 0.5, 0.25]
    assert table[0, 1].tolist() == [0.5, 0.5, 0]
    assert {len(parents) for parents in network.parents} == {0, 2}
    sample = network.sample(20_000, 0)
    np.testing.assert_allclose([sample.column(name).mean() for name in sample.names], 1.0, atol=0.03)
    for couple in filter(None, network.parents):  # no brother and sister
        assert not {*network.parents[couple[0]]} & {*network.parents[couple[1]]}
    mutated = next(t for t in pedigree(9, 1, mutation=0.1).tables if t.ndim == 3)
    np.testing.assert_allclose(mutated[0, 0], [0.81, 0.18, 0.01])


def test_tables_have_the_states_and_parents_asked_for() -> None:
    network = random_tables(80, 2, states=(3, 5), most_parents=2)
    assert {v.arity for v in network.variables} == {3, 4, 5}
    assert max(map(len, network.parents)) == 2
    assert all(np.allclose(table.sum(axis=-1), 1) for table in network.tables)


@pytest.mark.parametrize("make", [noisy_gates, random_tables, pedigree])
def test_a_seed_repeats_them_and_no_variable_is_refused(make: Any) -> None:
    first, again, other = make(20, 1), make(20, 1), make(20, 2)
    assert first.parents == again.parents
    assert first.parents != other.parents
    assert make(1, 0).graph.n == 1
    with pytest.raises(SettingsError, match="n is 0; it must be a whole number of at least 1"):
        make(0, 0)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: random_tables(5, states=(1, 3)),
            r"states is \(1, 3\); it must be two numbers of at least 2",
        ),
        (lambda: random_tables(5, concentration=0), "concentration is 0; it must be a positive number"),
        (lambda: pedigree(5, mutation=1), "mutation is 1; it must be a number between 0 and 1"),
        (
            lambda: noisy_gates(5, most_parents=0),
            "most_parents is 0; it must be a whole number of at least 1",
        ),
    ],
)
def test_settings_that_make_no_sense(call: Any, message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        call()
