"""Wherever the data live, the answer is the one from memory: structure, trace and every number."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import graphoid as gd
from graphoid.counts.engine import CountRequest
from graphoid.counts.native import engine_for
from graphoid.counts.reference import ReferenceEngine
from graphoid.regression.sums import sum_engine
from graphoid.uncertainty import resampling
from tests.support.places import DATA, NUMBERS, PLACES
from tests.support.tables import needs_kernels, same_counts

if TYPE_CHECKING:
    from graphoid.data.table import Table
    from tests.support.places import Place

pytestmark = pytest.mark.parametrize("place", PLACES, indirect=True)


@pytest.fixture(params=DATA)
def both(request: Any, place: Place) -> tuple[Table, Table]:
    """The data in memory, and at a place."""
    return place.both(request.param)


def test_variables_rows_and_notes_are_the_same(both: tuple[Table, Table]) -> None:
    here, there = both
    assert there.variables == here.variables
    assert there.n_rows == here.n_rows
    assert there.notes == here.notes


def test_counts_are_the_same_integers(both: tuple[Table, Table]) -> None:
    here, there = both
    n = len(here.variables)
    requests = [
        CountRequest(()),
        CountRequest((1, 0)),
        CountRequest((0, 1, 2)),
        CountRequest((n - 1,), ((0, 1),)),
    ]
    requests += [CountRequest(tuple(range(n))), CountRequest((2, 1), ((0, 0), (n - 1, 1)))]
    for found, right in zip(
        engine_for(there).counts(requests), ReferenceEngine(here).counts(requests), strict=True
    ):
        same_counts(found, right)


# without the kernels, tests judge counts one by one: the same counts, and slowly
@needs_kernels
@pytest.mark.parametrize(
    "learner",
    [
        gd.GSIMN(),
        gd.GSMN(test=gd.GTest(alpha=0.01)),
        gd.GSIMN(preset="robust"),
        gd.PFMN(random_state=3, n_particles=32, moves=20),
    ],
    ids=["GSIMN", "GSMN", "robust", "PFMN"],
)
def test_learners_ask_and_hear_the_same(both: tuple[Table, Table], learner: Any) -> None:
    here, there = both
    expected, found = learner.fit(here).structure_, learner.fit(there).structure_
    assert found.graph == expected.graph
    assert found.trace == expected.trace
    assert found.verdicts == expected.verdicts
    assert found.settings == expected.settings
    assert found.cost.n_tests == expected.cost.n_tests


@needs_kernels
def test_searches_score_the_same(both: tuple[Table, Table]) -> None:
    here, there = both
    search = gd.Search(gd.LogLinearEvidence(), effort=0.2, random_state=5)
    expected, found = search.fit(here).structure_, search.fit(there).structure_
    assert found.graph == expected.graph
    assert found.scored == expected.scored


@pytest.mark.parametrize("label", NUMBERS)
@pytest.mark.parametrize("ordered", [True, False])
def test_sums_of_numbers_are_the_same(place: Place, label: str, ordered: bool) -> None:
    here, there = place.both(label)
    assert there.variables == here.variables
    assert any(v.continuous for v in there.variables)
    expected, found = (sum_engine(table).moments(ordered=ordered) for table in (here, there))
    np.testing.assert_array_equal(found.means, expected.means)
    np.testing.assert_array_equal(found.products, expected.products)
    assert found.n_rows == pytest.approx(expected.n_rows, rel=1e-15)


@pytest.mark.parametrize("label", NUMBERS)
def test_numbers_that_stay_there_are_learned_from(place: Place, label: str) -> None:
    here, there = place.both(label)
    found = gd.learn(there, random_state=5)
    assert found.learner is not None
    expected = gd.learn(here, found.learner)
    assert found.graph == expected.graph
    assert found.graph.n_edges >= 2
    assert found.edge_probabilities == expected.edge_probabilities
    assert {row.x: row.weight for row in found.pairs() if row.joined} != {}
    test = gd.GSMN(test=gd.DegenerateGaussian())
    assert test.fit(there).structure_.graph == test.fit(here).structure_.graph


def test_bins_of_numbers_are_the_same(place: Place) -> None:
    here, there = place.both("mixed")
    assert there.discretized.variables == here.discretized.variables
    requests = [CountRequest((0, 1)), CountRequest((3, 5, 2))]
    for found, right in zip(
        engine_for(there.discretized).counts(requests),
        ReferenceEngine(here.discretized).counts(requests),
        strict=True,
    ):
        same_counts(found, right)


@needs_kernels
@pytest.mark.slow
def test_the_recommended_learner_finds_the_same(both: tuple[Table, Table]) -> None:
    here, there = both
    found = gd.learn(there, random_state=5)
    expected = gd.learn(here, found.learner)  # left to choose, it would try directed graphs as well
    assert found.graph == expected.graph
    assert found.scored == expected.scored
    assert found.edge_probabilities == expected.edge_probabilities


@needs_kernels
def test_few_trips_are_made(both: tuple[Table, Table]) -> None:
    there: Any = replace(both[1])  # with an engine of its own, which holds nothing yet
    cost = gd.GSIMN().fit(there).structure_.cost
    assert 1 <= cost.queries <= 4 < cost.n_tests
    assert cost.rows_read >= there.n_rows
    assert cost.bytes_read > 0
    assert cost.bytes_moved > 0
    assert gd.GSIMN(test=gd.ChiSquare(alpha=0.01)).fit(there).structure_.cost.queries <= 2


@needs_kernels
@pytest.mark.parametrize("kind", ["halves", "rows", "bayesian", "cases"])
@pytest.mark.parametrize("learner", [gd.GSIMN(), gd.GSMN(test=gd.BayesianTest())], ids=["GSIMN", "GSMN"])
def test_a_bootstrap_is_the_same(place: Place, learner: Any, kind: Any) -> None:
    here, there = place.both("survey")
    run = gd.Bootstrap(learner, n=9, kind=kind, random_state=4)
    found, right = run.fit(there).result_, run.fit(here).result_
    assert found.edges() == right.edges()
    assert found.given == right.given
    for part in ("found", "followed", "effects", "weights"):
        np.testing.assert_array_equal(getattr(found, part), getattr(right, part))


def test_a_bootstrap_says_what_it_cannot_fetch(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    weighted = place.both("network")[1]
    with pytest.raises(gd.errors.DataError, match="rows have weights"):
        gd.Bootstrap(gd.GSIMN(), n=2).fit(weighted)
    monkeypatch.setattr(resampling, "MOST_FETCHED", 100)
    there = place.both("survey")[1]
    with pytest.raises(gd.errors.DataError, match=r"may be [\d,]+ of them \(.*KiB\), the most is 100"):
        gd.Bootstrap(gd.GSIMN(), n=2).fit(there)
