"""A search for the evidence starts from a directed graph, too: never below it, and there if time is short."""

import pytest

import graphoid as gd
from graphoid.counts.native import engine_for
from graphoid.learners.directed.search import moral_start
from graphoid.learners.scored import search
from graphoid.limits import OutOfTime
from tests.support.tables import needs_kernels

pytestmark = needs_kernels


@pytest.fixture(scope="module")
def table():
    return gd.datasets.random_tables(20, 5).sample(1_500, 5)


def test_what_is_found_scores_as_much_as_the_start(table):
    score = gd.LogLinearEvidence()
    found = gd.Search(score, effort=0.1, directed_start=True, random_state=0).fit(table).structure_
    start = moral_start(engine_for(table))
    assert start.n_edges > 10
    assert found.scored.value >= score.value(start, table)


def test_where_time_is_up_at_once_the_start_is_kept(table, monkeypatch):
    def out_of_time(*_):
        raise OutOfTime

    monkeypatch.setattr(search, "steepest_ascent", out_of_time)
    found = (
        gd.Search(gd.LogLinearEvidence(), seconds=60, directed_start=True, random_state=0)
        .fit(table)
        .structure_
    )
    assert found.stopped == "budget"
    assert found.graph == moral_start(engine_for(table))


def test_only_where_it_is_asked_for(table, monkeypatch):
    monkeypatch.setattr(search, "moral_start", lambda _: pytest.fail("asked for a directed graph"))
    gd.Search(gd.MPL(), effort=0, random_state=0).fit(table)
