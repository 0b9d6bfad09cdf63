"""The experiments behind CSGS: small versions have the right shape, and are the same for the same seed."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import graphoid as gd
from graphoid.experiments.csgs import Divergence, Tests, divergence


def cells(results, column, **where):
    names = [c.name for c in results.columns]
    return [
        row[names.index(column)]
        for row in results.rows
        if all(row[names.index(key)] == value for key, value in where.items())
    ]


def test_divergences_have_a_row_for_every_structure():
    found = Divergence(sizes=(4,), n_rows=(50, 2_000), repetitions=2).run(seed=1)
    learned = ["CSGS", "CSGS repeated", "CSPC", "GSMN*", "IBMAP-HC"]
    names = [*learned, "true structure", "true terms", "saturated", "independent"]
    assert [row[:3] for row in found.rows] == [(4, size, name) for size in (50, 2_000) for name in names]
    assert cells(found, "/ true structure", structure="true structure") == [1.0, 1.0]
    assert all(spread.mean > 0 for spread in cells(found, "KL"))
    # more rows help whoever can learn from them, and not a model that says too little
    for name in ("CSGS", "saturated", "true terms"):
        few, many = cells(found, "KL", structure=name)
        assert many.mean < few.mean / 3
    assert cells(found, "KL", structure="independent")[1].mean > 0.05
    again = Divergence(sizes=(4,), n_rows=(50, 2_000), repetitions=2).run(seed=1)
    assert again.to_csv() == found.to_csv()


def test_the_divergence_of_a_saturated_model_by_hand():
    # With every state a feature and almost no rows missing, fitting tends to the frequencies themselves.
    network = gd.datasets.context_model(3, rng=0)
    table = network.sample(200_000, random_state=0)
    complete = gd.UndirectedGraph(3, itertools.combinations(range(3), 2))
    n_features, found = divergence(network, table, complete)
    frequencies = np.zeros((2, 2, 2))
    np.add.at(frequencies, tuple(table.codes.T.astype(int)), 1 / table.n_rows)
    p = network.probabilities
    assert n_features == 8
    assert found == pytest.approx(float((p * np.log(p / frequencies)).sum()), rel=0.05)


def test_numbers_of_tests():
    found = Tests(sizes=(4, 5), n_rows=(30, 1_000), repetitions=2).run(seed=2)
    assert [row[:2] for row in found.rows] == [(4, 30), (4, 1_000), (5, 30), (5, 1_000)]
    for row in found.records():
        assert row["CSPC / CSGS"] == pytest.approx(row["CSPC"] / row["CSGS"])
        assert row["CSGS different"] < row["CSGS"]
        assert row["assignments"] <= min(row["rows"], 2 ** row["n"])
        # one grow and one shrink question at most for every ordered pair
        assert row["CSGS"] <= row["assignments"] * 2 * row["n"] * (row["n"] - 1)


@pytest.mark.slow
def test_the_bars_of_the_paper():
    tests = Tests(sizes=(6, 8), n_rows=(100, 1_000)).run()
    assert all(ratio > 1 for ratio in cells(tests, "CSPC / CSGS"))
    kl = Divergence(sizes=(6, 7), n_rows=(1_000, 10_000, 100_000)).run()
    for name in ("CSGS", "CSGS repeated", "CSPC"):
        assert all(ratio <= 2 for ratio in cells(kl, "/ true structure", structure=name))


@pytest.mark.slow
def test_what_is_hidden_by_small_blankets_is_found_by_repeating():
    # Without a pull the switch and a variable balance in some contexts, and first questions see nothing.
    kl = Divergence(sizes=(6,), n_rows=(100_000,), pull=0.0).run()
    (once,), (again,) = (cells(kl, "KL", structure=name) for name in ("CSGS", "CSGS repeated"))
    assert again.mean < once.mean / 2


def test_processes_change_nothing():
    alone, spread = (
        Tests(sizes=(4, 3), n_rows=(30, 100), repetitions=2, processes=processes).run(seed=4).to_csv()
        for processes in (1, 2)
    )
    assert alone == spread
