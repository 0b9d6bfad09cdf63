"""Learners that ask for independences run on columns of every kind, by a test that fits them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import graphoid as gd
from graphoid.errors import DiscretizedWarning

KINDS = ["continuous", "nominal", "ordered", "count", "continuous", "nominal"]
CHAIN = gd.UndirectedGraph(6, [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5)])


def chain(rows: int = 3000, seed: int = 0) -> gd.Table:
    """Return rows of a chain through all kinds."""
    network = gd.datasets.pairwise_mixed(CHAIN, KINDS, seed, n_states=3, weakest=0.4, strongest=0.5)
    return network.sample(rows, random_state=seed)


@pytest.mark.parametrize(
    ("learner", "test"),
    [
        (gd.GSMN(), "LikelihoodRatio"),
        (gd.GSIMN(), "LikelihoodRatio"),
        (gd.RobustGSMN(), "DegenerateGaussian"),
    ],
)
def test_a_test_that_takes_numbers_is_chosen_and_recorded(learner: Any, test: str) -> None:
    found = learner.fit(chain()).structure_
    assert found.settings["test"]["name"] == test
    assert found.graph.edges == CHAIN.edges
    assert "discretized" not in found.settings


def test_pfmn_weighs_columns_of_any_kinds() -> None:
    found = gd.PFMN(random_state=0).fit(chain(seed=1)).structure_
    assert found.settings["test"]["name"] == "BayesFactor"
    assert found.compare(CHAIN).f1 > 0.8
    assert any(v.log_odds is not None for v in found.trace)


@pytest.mark.parametrize("learner", [gd.GSMN(), gd.GSIMN(), gd.RobustGSMN(), gd.PFMN(random_state=0)])
def test_tables_of_states_have_the_test_they_had(learner: Any) -> None:
    found = learner.fit(gd.datasets.load("titanic")).structure_
    usual = {"PFMN": "BayesianTest", "RobustGSMN": "MantelHaenszel"}.get(type(learner).__name__, "ChiSquare")
    assert found.settings["test"]["name"] == usual


def test_a_test_that_counts_sees_bins_and_says_so() -> None:
    with pytest.warns(DiscretizedWarning):
        found = gd.GSMN(test=gd.ChiSquare()).fit(chain(400)).structure_
    assert found.settings["test"]["name"] == "ChiSquare"
    assert found.settings["discretized"]


@pytest.mark.parametrize("learner", [gd.RobustGSMN(), gd.GSMN()])
def test_neither_rows_nor_monotone_maps_of_numbers_matter(learner: Any) -> None:
    table = chain(400)
    order = np.random.default_rng(1).permutation(table.n_rows)
    columns: dict[str, Any] = {}
    kinds = {v.name: v.kind for v in table.variables}
    for v in table.variables:
        column = table.numbers(v.name) if v.continuous else np.array(v.states)[table.column(v.name)]
        columns[v.name] = (np.exp(column / 2) if v.kind == "continuous" else column)[order]
    other = gd.read(columns, kinds=kinds)
    assert [v.kind for v in other.variables] == [v.kind for v in table.variables]
    one, again = learner.fit(table).structure_, learner.fit(other).structure_
    assert one.graph == again.graph
    ours, theirs = ([v.p_value for v in s.trace if v.source == "test"] for s in (one, again))
    assert ours == pytest.approx(theirs, rel=1e-9)


def test_a_bootstrap_learns_mixed_resamples() -> None:
    boot = gd.Bootstrap(gd.GSMN(), n=6, random_state=0).fit(chain(600))
    often = {(row.x, row.y) for row in boot.edges() if row.frequency > 0.8}
    names = chain(5).names
    assert {(names[x], names[y]) for x, y in CHAIN.edges} <= often


def test_pairs_are_closed_forms_of_one_matrix() -> None:
    # no Z and two columns of numbers: the F test of a correlation of normal scores
    from scipy import stats

    table = chain(300)
    scores = [stats.norm.ppf(stats.rankdata(table.numbers(v)) / 301) for v in (0, 4)]
    r, p = stats.pearsonr(*scores)
    verdict = gd.Tester(gd.DegenerateGaussian(), table).ask([(0, 4, ())])[0]
    assert verdict.p_value == pytest.approx(p, rel=1e-9)
    assert verdict.statistic == pytest.approx(299 * r**2, rel=1e-9)
    # a number and names: one-way analysis of variance
    groups = [scores[0][table.column(1) == k] for k in range(3)]
    f = stats.f_oneway(*groups)
    verdict = gd.Tester(gd.DegenerateGaussian(), table).ask([(0, 1, ())])[0]
    assert (verdict.p_value, verdict.dof) == (pytest.approx(f.pvalue, rel=1e-7), 2)


def test_states_alone_are_answered_as_from_their_counts() -> None:
    from graphoid.counts.native import engine_for
    from graphoid.independence.partial_association import CountedProducts, PartialAssociation
    from tests.support.tables import random_table
    from tests.support.verdicts import same_verdicts

    for weights in (None, "whole", "fractional"):
        table = random_table(400, [2, 3, 4, 3, 2], seed=2, weights=weights)
        questions = [(0, 1, ()), (1, 2, (0,)), (2, 3, (0, 1, 4)), (4, 2, (3,))]
        counted = PartialAssociation(CountedProducts(engine_for(table)), 0.05).ask(questions)
        embedded = gd.Tester(gd.DegenerateGaussian(), table).ask(questions)
        same_verdicts(embedded, counted, 1e-7)


def test_false_discoveries_of_a_mixed_network_are_few() -> None:
    false = found = 0
    for seed in range(6):
        graph = gd.datasets.random_graph(20, 2, rng=seed)
        network = gd.datasets.pairwise_mixed(graph, (KINDS * 4)[:20], seed)
        same = gd.RobustGSMN().fit(network.sample(600, random_state=seed)).structure_.compare(graph)
        false, found = false + same.false_positives, found + same.true_positives
    assert found > 30
    assert false <= 0.08 * (false + found)  # promised .04; of so few, two standard errors above
