"""Experiments that simulate: small versions have the right shape, and are the same for the same seed."""

from __future__ import annotations

import dataclasses

import pytest

from graphoid.experiments.catalog import EXPERIMENTS
from graphoid.experiments.experiment import Run
from graphoid.experiments.gsimn_comparison import ALGORITHMS, ROBUST
from graphoid.experiments.gsimn_exact import Exact
from graphoid.experiments.gsimn_fch import ForwardChaining
from graphoid.experiments.gsimn_networks import Networks
from graphoid.experiments.gsimn_sampled import Sampled
from graphoid.experiments.results import Spread
from graphoid.experiments.tables import select_rows

BIF = """\
network small { }
variable a { type discrete [ 2 ] { no, yes }; }
variable b { type discrete [ 2 ] { no, yes }; }
variable c { type discrete [ 3 ] { low, mid, high }; }
probability ( a ) { table 0.4, 0.6; }
probability ( b ) { table 0.5, 0.5; }
probability ( c | a, b ) {
  (no, no) 0.8, 0.1, 0.1;
  (no, yes) 0.1, 0.8, 0.1;
  (yes, no) 0.1, 0.1, 0.8;
  (yes, yes) 0.4, 0.3, 0.3;
}
"""


def names(results):
    return [column.name for column in results.columns]


def test_exact_learning_is_exact_and_inference_saves():
    found = Exact(sizes=(10, 20), degrees=(1, 2), repetitions=3).run(seed=1)
    assert names(found) == [
        "tau",
        "n",
        "cost GSIMN",
        "/ without propagation",
        "printed without",
        "/ with propagation",
        "printed with",
        "wrong graphs",
    ]
    assert [row[:2] for row in found.rows] == [(1, 10), (1, 20), (2, 10), (2, 20)]
    assert found.column("wrong graphs") == [0, 0, 0, 0]
    for without, with_ in zip(
        found.column("/ without propagation"), found.column("/ with propagation"), strict=True
    ):
        assert without.mean < with_.mean <= 1
        assert without.sd is not None


@pytest.mark.slow
def test_exact_learning_at_the_size_that_the_text_speaks_of():
    # The paper prints about .25 and .60; at most .23 and .60 for n = 100, tau = 8.
    (row,) = Exact(sizes=(100,), degrees=(8,), repetitions=5).run().rows
    assert row[3].mean <= 0.23
    assert row[4] == 0.25
    assert row[5].mean <= 0.60


def test_forward_chaining_never_needs_more_tests():
    found = ForwardChaining(sizes=(4, 5), degrees=(1, 2), repetitions=2).run()
    assert names(found)[:2] == ["tau", "n"]
    assert len(found.rows) == 4
    assert all(ratio.mean <= 1 for ratio in found.column("ratio"))
    assert set(found.column("matches")) <= {"yes", "no"}


def test_sampled_has_a_row_for_every_algorithm_and_size():
    found = Sampled(sizes=(6,), degrees=(1,), thetas=(1.0, 2.0), n_rows=(50, 20_000), repetitions=2).run()
    assert names(found) == [
        "n",
        "theta",
        "tau",
        "rows",
        "algorithm",
        "Hamming",
        "cost",
        "seconds",
        "GSIMN's cost / this",
        "printed",
        "matches",
    ]
    assert found.column("algorithm") == [*ALGORITHMS, ROBUST] * 4
    assert found.column("printed")[:8] == ["", "", "", "", "< 0.50", "< 0.50", "", ""]
    assert all(0 <= distance.mean <= 1 for distance in found.column("Hamming"))


def test_networks_come_from_bif_files(tmp_path):
    (tmp_path / "bif").mkdir()
    (tmp_path / "bif" / "small.bif").write_text(BIF, encoding="utf-8")
    found = Networks(names=("small",), n_rows=(100, 2_000), repetitions=2).run(data=tmp_path)
    assert names(found)[:4] == ["network", "degrees of freedom", "rows", "algorithm"]
    assert found.column("network") == ["small"] * 16 + ["average"] * 4
    assert found.column("degrees of freedom")[7:9] == ["slices", "adjusted"]
    assert found.column("printed")[-2:] == [0.28, 0.66]
    assert found.rows[4][4] == Spread(0.0, 0.0)  # 2,000 rows of three variables: the moral graph


@pytest.mark.parametrize(
    "experiment",
    [
        Exact(sizes=(8,), degrees=(2,), repetitions=2),
        ForwardChaining(sizes=(5,), degrees=(1,), repetitions=2),
        Sampled(sizes=(5,), degrees=(2,), thetas=(1.0,), n_rows=(200,), repetitions=2),
    ],
    ids=lambda experiment: type(experiment).__name__,
)
def test_the_seed_decides_and_progress_is_told(experiment):
    def timeless(results):
        at = [i for i, name in enumerate(names(results)) if name != "seconds"]
        return [[row[i] for i in at] for row in results.rows]

    heard = []
    first = experiment.run(seed=3, progress=heard.append)
    assert timeless(experiment.run(seed=3)) == timeless(first)
    assert timeless(experiment.run(seed=4)) != timeless(first)
    assert (heard[0].done, heard[-1].done, heard[-1].total) == (0, 1, 1)


def test_a_repetition_draws_the_same_whichever_others_are_run():
    one = Exact(sizes=(8,), degrees=(2,), repetitions=2).run()
    more = Exact(sizes=(6, 8), degrees=(1, 2), repetitions=2).run()
    assert one.rows[0] == more.rows[-1]
    assert Run(0).stream(1, 2).random() == Run(0).stream(1, 2).random() != Run(0).stream(2, 1).random()


def test_every_experiment_is_on_the_command_line_and_quick_is_smaller():
    from graphoid.cli.reproduce import Reproducible

    assert [name.value for name in Reproducible] == list(EXPERIMENTS)
    for full, quick in EXPERIMENTS.values():
        assert type(full) is type(quick)
        assert dataclasses.asdict(quick)["repetitions"] < dataclasses.asdict(full)["repetitions"]


def test_rows_taken_keep_all_states_or_those_that_occur():
    from graphoid import read

    table = read({"a": ["x", "y", "z", "z"], "b": [1, 1, 2, 2]})
    first = select_rows(table, slice(2))
    assert (first.n_rows, first.variables) == (2, table.variables)
    seen = select_rows(table, slice(2, None), occurring=True)
    assert [v.states for v in seen.variables] == [("z",), (2,)]
    assert seen.codes.tolist() == [[0, 0], [0, 0]]
