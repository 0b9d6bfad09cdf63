"""Experiments behind PFMN: small versions have the right shape and say what they should."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from graphoid.experiments.pfmn_comparison import DEFAULT, GSIMN_NAME, GSMN_NAME, PAPER
from graphoid.experiments.pfmn_exact import PFMNExact
from graphoid.experiments.pfmn_sampled import PFMNSampled
from graphoid.experiments.pfmn_uci import PFMNUCI, TABLE_1

if TYPE_CHECKING:
    from pathlib import Path


def test_exact_learning_is_verified_and_cheaper() -> None:
    experiment = PFMNExact(n=8, degrees=(1,), n_particles=(20,), budgets=(10,), repetitions=2, n_triplets=70)
    found = experiment.run(seed=1)
    algorithms = found.column("algorithm")
    assert algorithms == [GSMN_NAME, GSIMN_NAME, DEFAULT, f"{PAPER}, N = 20", f"{DEFAULT} for 10"]
    row = dict(zip(algorithms, found.records(), strict=True))
    assert row[DEFAULT]["verified"] == 2
    assert row[DEFAULT]["accuracy"] == 1.0
    assert row[DEFAULT]["Hamming"] == 0.0
    assert row[DEFAULT]["cost / GSIMN's"] < 1
    assert row[f"{DEFAULT} for 10"]["cost"] <= 10
    assert experiment.run(seed=1).rows == found.rows


def test_sampled_data_have_a_row_for_each_size_and_algorithm() -> None:
    found = PFMNSampled(
        n=6, degrees=(1,), n_rows=(100, 400), n_particles=10, repetitions=1, n_triplets=50
    ).run(seed=0)
    assert [row[:3] for row in found.rows] == [
        (1, size, name) for size in (100, 400) for name in (GSMN_NAME, GSIMN_NAME, PAPER, DEFAULT)
    ]


def test_real_data_stand_beside_the_printed_figures(tmp_path: Path) -> None:
    (tmp_path / "uci").mkdir()
    lines = ["a,b,c,d,e", *(f"{i % 2},{i % 2},{i % 3},{i // 7 % 2},{i // 5 % 2}" for i in range(90))]
    (tmp_path / "uci" / "balance-scale.csv").write_text("\n".join(lines) + "\n")
    experiment = PFMNUCI(names=("balance-scale",), repetitions=2, n_triplets=40)
    found = experiment.run(seed=0, data=tmp_path)
    assert found.column("algorithm") == [GSMN_NAME, GSIMN_NAME, PAPER, DEFAULT]
    assert found.column("printed cost") == [61.143, 23.429, 29.429, None]
    assert "of 1 sets" in found.notes[-1]


def test_the_printed_table_is_whole() -> None:
    assert len(TABLE_1) == 16
    # as the text has it: PFMN is cheaper than GSMN on all sets and than GSIMN on 13
    assert sum(line.weighted[0] < line.weighted[1] for line in TABLE_1.values()) == 16
    assert sum(line.weighted[0] < line.weighted[2] for line in TABLE_1.values()) == 13


@pytest.mark.slow
def test_the_bars_of_exact_learning() -> None:
    found = PFMNExact(n_particles=(), budgets=(), repetitions=2).run(seed=0)
    rows = [record for record in found.records() if record["algorithm"] == DEFAULT]
    assert [row["verified"] for row in rows] == [2, 2, 2, 2]
    ratios = [row["cost / GSIMN's"] for row in rows]
    assert all(ratio < most for ratio, most in zip(ratios, (0.5, 0.7, 0.85, 0.95), strict=True))
