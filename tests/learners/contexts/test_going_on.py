"""A search in contexts that ended between any two rounds goes on to where it would have come."""

from dataclasses import replace

import numpy as np
import pytest

import graphoid as gd
from graphoid.errors import Interrupted

LEARNERS = [gd.CSGS(), gd.CSGS(repeat=True), gd.CSPC()]


@pytest.fixture(scope="module")
def table():
    return gd.datasets.context_model(5, rng=0).sample(2_000, random_state=0)


@pytest.mark.parametrize("learner", LEARNERS, ids=["CSGS", "CSGS repeat", "CSPC"])
def test_from_every_round_the_end_is_the_same(table, learner):
    heard = []
    whole = learner.fit(table, progress=heard.append).structure_
    kept = [step.so_far.model() for step in heard if step.so_far is not None]
    assert len(kept) > 3
    for model in kept:
        assert model.stopped == "interrupted"
        resumed = learner.with_params(start=model).fit(table).structure_
        assert (resumed.graphs, resumed.stopped) == (whole.graphs, "converged")
        assert np.array_equal(resumed.graph_of, whole.graph_of)
        assert resumed.cost.n_tests == whole.cost.n_tests
        assert resumed.cost.weighted == whole.cost.weighted
        assert resumed.cost.n_distinct >= whole.cost.n_distinct


def test_ctrl_c_gives_what_there_is_to_go_on_from(table, tmp_path, monkeypatch):
    asked = gd.CSGS().fit(table).structure_.cost.n_tests
    from graphoid.independence.contexts import ContextTester

    answer, calls = ContextTester.independent, []

    def pressed(self, *question):
        calls.append(question)
        if len(calls) == 40:
            raise KeyboardInterrupt
        return answer(self, *question)

    monkeypatch.setattr(ContextTester, "independent", pressed)
    with pytest.raises(Interrupted) as stop:
        gd.CSGS().fit(table)
    stop.value.structure.save(tmp_path / "kept.json")
    resumed = gd.CSGS(start=gd.load(tmp_path / "kept.json")).fit(table).structure_
    assert 0 < stop.value.structure.cost.n_tests < resumed.cost.n_tests == asked


@pytest.mark.parametrize("learner", LEARNERS, ids=["CSGS", "CSGS repeat", "CSPC"])
def test_limits_of_time_and_what_was_kept_go_together(table, learner):
    heard = []
    whole = learner.with_params(seconds=600).fit(table, progress=heard.append).structure_
    kept = heard[3].so_far.model()
    stopped = learner.with_params(start=kept, seconds=0).fit(table).structure_
    assert (stopped.graphs, stopped.stopped) == (kept.graphs, "budget")
    assert stopped.cost.n_tests >= kept.cost.n_tests > 0
    resumed = learner.with_params(start=kept, seconds=600).fit(table).structure_
    assert (resumed.graphs, resumed.stopped) == (whole.graphs, "converged")


def test_what_is_not_of_such_a_run_is_refused(table):
    whole = gd.CSGS().fit(table).structure_
    with pytest.raises(gd.errors.SettingsError, match="kept of an interrupted CSGS"):
        gd.CSGS(start=whole).fit(table)
    heard = []
    gd.CSGS().fit(table, progress=heard.append)
    model = heard[2].so_far.model()
    with pytest.raises(gd.errors.SettingsError, match="kept of an interrupted CSPC"):
        gd.CSPC(start=model).fit(table)
    with pytest.raises(gd.errors.DataError, match="another table"):
        gd.CSGS(start=model).fit(gd.datasets.context_model(4, rng=0).sample(100, random_state=0))
    with pytest.raises(gd.errors.SettingsError, match="kept of an interrupted CSGS"):
        gd.CSGS(start=replace(model, settings={"learner": "CSGS", "rounds": "2"})).fit(table)
