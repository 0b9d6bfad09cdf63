"""Density: the losses against enumeration, and the experiment on small files."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import numpy as np
import pytest

import graphoid as gd
from graphoid.errors import DataError
from graphoid.experiments.density import MEASURES, Density, conditional_losses, parts
from graphoid.experiments.papers.lowd2014 import DENSITY
from graphoid.models.gibbs_conditional import ConditionalGibbs
from tests.models.test_density import TRUE, N, sampled
from tests.models.test_gibbs_conditional import enumerated
from tests.support.tables import needs_kernels

QUICK = Density(
    names=("nltcs",),
    learner=gd.DensityLearner(strengths=(30.0, 10.0), max_rounds=1),
    sampler=ConditionalGibbs(n_chains=2, burn_in=5, n_samples=20),
    n_queried=20,
)


@pytest.fixture
def data(tmp_path):
    (tmp_path / "debd").mkdir()
    for seed, (part, n_rows) in enumerate({"train": 1_500, "valid": 600, "test": 400}.items()):
        text = "\n".join(",".join(map(str, row)) for row in sampled(n_rows, seed).codes.tolist()) + "\n"
        (tmp_path / "debd" / f"nltcs.{part}.csv.gz").write_bytes(gzip.compress(text.encode()))
    return tmp_path


def test_files_become_tables(data):
    train, valid, test = parts(data / "debd", "nltcs")
    assert (train.n_rows, valid.n_rows, test.n_rows) == (1_500, 600, 400)
    np.testing.assert_array_equal(valid.codes, sampled(600, 1).codes)


@needs_kernels
def test_conditional_losses_are_those_of_enumeration():
    table = sampled(15, 3)
    model = gd.MarkovNetwork(table.variables, tuple(TRUE), np.array(list(TRUE.values())))
    groups = [np.array([4, 0, 1]), np.array([2, 3]), np.array([5, 6])]
    found = conditional_losses(
        model, table, groups, ConditionalGibbs(n_samples=5_000), np.random.default_rng(0)
    )
    for row, loss in zip(table.codes.tolist(), found, strict=True):
        p = np.concatenate([enumerated(model.features, model.weights, row, group) for group in groups])
        seen = np.array([row[v] for group in groups for v in group])
        assert loss == pytest.approx(-np.log(np.where(seen == 1, p, 1 - p)).mean(), abs=0.01)


@needs_kernels
def test_our_figures_stand_beside_the_printed_ones(data):
    found = QUICK.run(data=data)
    assert found.column("measure") == list(MEASURES)
    assert found.column("L1") == [0.309, 0.327]
    assert found.column("n") == [N, N]
    train, valid, test = parts(data / "debd", "nltcs")
    model = QUICK.learner.fit(train, valid).model_
    # each variable given all others, by enumeration
    expected = np.mean(
        [
            -np.log(p[0] if row[v] else 1 - p[0])
            for row in test.codes[:100].tolist()
            for v in range(N)
            for p in [enumerated(model.features, model.weights, row, [v])]
        ]
    )
    pseudo, marginal = found.column("graphoid")
    assert pseudo == pytest.approx(expected, abs=0.03)  # a quarter of the rows
    assert pseudo - 0.01 < marginal < pseudo + 0.1
    assert found.column("graphoid - best printed")[0] == pytest.approx(pseudo - 0.308)
    assert QUICK.run(data=data).column("graphoid") == found.column("graphoid")


def test_what_is_missing_or_not_binary_is_said(data):
    with pytest.raises(DataError, match=r"no file dna\.train\.csv"):
        Density(names=("dna",)).run(data=data)
    for text in ("0,1\n0,2\n", "a,b\n0,1\n"):
        (data / "debd" / "nltcs.valid.csv.gz").write_bytes(gzip.compress(text.encode()))
        with pytest.raises(DataError, match="rows of 0 and 1"):
            QUICK.run(data=data)
    (data / "debd" / "nltcs.valid.csv.gz").write_bytes(b"")
    with pytest.raises(DataError, match="cannot be read"):
        QUICK.run(data=data)


REAL = os.environ.get("GRAPHOID_DATA")


@pytest.mark.slow
@pytest.mark.skipif(not REAL, reason="set GRAPHOID_DATA to the folder that holds debd/")
def test_nltcs_is_explained_better_than_printed():
    found = Density(names=("nltcs",), repetitions=3).run(data=Path(REAL))
    pseudo, marginal = found.column("graphoid")
    assert pseudo <= min(DENSITY["nltcs"].pseudo) + 0.002
    assert marginal <= min(DENSITY["nltcs"].conditional_marginal) + 0.003
