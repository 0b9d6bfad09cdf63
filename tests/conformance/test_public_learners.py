"""Every public learner behaves like the others, and as scikit-learn expects of an estimator."""

from __future__ import annotations

import copy
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import graphoid as gd
from graphoid.errors import SettingsError

if TYPE_CHECKING:
    from graphoid.learners.base import Learner

LEARNERS: dict[str, Learner[Any, Any]] = {
    "GSMN": gd.GSMN(test=gd.ChiSquare(alpha=0.01)),
    "GSIMN": gd.GSIMN(test=gd.GTest(), skip_independent=True),
    "GSMN, robust": gd.GSMN(preset="robust"),
    "PFMN": gd.PFMN(random_state=3),
    "PublishedPFMN": gd.PublishedPFMN(random_state=3, n_particles=20, budget={"tests": 8}),
    "HillClimb": gd.HillClimb(gd.BJP()),
    "TwoPhase": gd.TwoPhase(gd.MPL(ess=2.0)),
    "ExhaustiveSearch": gd.ExhaustiveSearch(gd.IBScore()),
    "Search": gd.Search(gd.LogLinearScore(), effort=0, random_state=1),
    "Posterior": gd.Posterior(gd.MPL(), precision=0.1, random_state=1),
    "DirectedSearch": gd.DirectedSearch(random_state=2),
    "CSPC": gd.CSPC(),
    "CSGS": gd.CSGS(repeat=True),
}


@pytest.fixture(params=LEARNERS)
def learner(request: pytest.FixtureRequest) -> Learner[Any, Any]:
    return copy.copy(LEARNERS[request.param])


def test_fit_returns_self_and_names_the_columns(learner: Learner[Any, Any]) -> None:
    table = gd.datasets.load("titanic")
    before = learner.get_params()
    assert learner.fit(table) is learner
    assert learner.structure_.table is table
    assert learner.structure_.settings["learner"] == type(learner).__name__
    assert learner.structure_.data_id == table.data_id
    assert learner.feature_names_in_.dtype == object
    assert learner.feature_names_in_.tolist() == [v.name for v in table.variables]
    assert learner.n_features_in_ == len(table.variables)
    assert learner.get_params() == before


def test_there_is_no_result_before_fit(learner: Learner[Any, Any]) -> None:
    with pytest.raises(AttributeError, match=r"has no structure_ yet; call fit\(table\) first"):
        _ = learner.structure_


def test_anything_that_can_be_read_will_do(learner: Learner[Any, Any]) -> None:
    columns = {"a": ["x", "y", "x", "y"], "b": ["u", "v", "u", "u"]}
    assert learner.fit(columns).feature_names_in_.tolist() == ["a", "b"]


def test_parameters_are_the_settings(learner: Learner[Any, Any]) -> None:
    params = learner.get_params(deep=False)
    assert list(params) == [f.name for f in fields(learner)]
    for name, value in params.items():
        inner = {key: v for key, v in learner.get_params().items() if key.startswith(f"{name}__")}
        if inner:
            assert is_dataclass(value)
            assert {key.count("__") for key in inner} <= {1, 2, 3}
    assert learner.set_params(**params) is learner
    assert learner.get_params(deep=False) == params


def test_parameters_of_parts_can_be_changed(learner: Learner[Any, Any]) -> None:
    deep = {name: v for name, v in learner.get_params().items() if "__" in name and isinstance(v, float)}
    for name, value in deep.items():
        part, before = name.split("__")[0], learner.get_params(deep=False)
        learner.set_params(**{name: value / 2})
        assert learner.get_params()[name] == value / 2
        assert before[part] is not learner.get_params(deep=False)[part]  # the caller's own is left alone


def test_unknown_parameters_are_refused(learner: Learner[Any, Any]) -> None:
    with pytest.raises(SettingsError, match=f"{type(learner).__name__} has no setting 'nothing'; it has"):
        learner.set_params(nothing=1)
    with pytest.raises(ValueError, match="has no"):
        learner.set_params(nothing__inside=1)


def test_parts_that_have_no_settings_are_named() -> None:
    with pytest.raises(SettingsError, match="GSMN: test is None, which has no 'alpha'"):
        gd.GSMN().set_params(test__alpha=0.1)


def test_a_part_and_its_settings_can_change_together() -> None:
    learner = gd.GSMN().set_params(test__alpha=0.2, test=gd.GTest())
    assert learner.test == gd.GTest(alpha=0.2)


def test_clone_gives_the_same_learner_unfitted(learner: Learner[Any, Any]) -> None:
    base = pytest.importorskip("sklearn.base")
    table = gd.datasets.load("titanic")
    found = learner.fit(table).structure_
    twin = base.clone(learner)
    assert type(twin) is type(learner)
    assert twin is not learner
    assert "structure_" not in vars(twin)
    with pytest.raises(AttributeError):
        _ = twin.structure_
    again = twin.fit(table).structure_
    assert again.settings == found.settings
    if isinstance(found, gd.LearnedStructure):
        assert again.graph == found.graph


def test_learn_passes_progress_on_and_leaves_the_learner_alone(learner: Learner[Any, Any]) -> None:
    table = gd.datasets.load("titanic")
    heard: list[Any] = []
    found = gd.learn(table, learner, progress=heard.append)
    assert found.settings["learner"] == type(learner).__name__
    assert heard or isinstance(learner, gd.HillClimb)  # which has no step to tell of where nothing helps
    with pytest.raises(AttributeError):
        _ = learner.structure_


@pytest.mark.parametrize(("name", "value"), [("start", gd.UndirectedGraph(4)), ("seconds", 9.0)])
def test_learn_passes_settings_on_or_refuses_them(learner: Learner[Any, Any], name: str, value: Any) -> None:
    table = gd.datasets.load("titanic")
    if name not in learner.get_params(deep=False):
        with pytest.raises(SettingsError, match=f"{type(learner).__name__} has no setting '{name}'"):
            gd.learn(table, learner, **{name: value})
        return
    if name == "start" and isinstance(learner, gd.CSGS | gd.CSPC):  # from graphs of contexts alone
        with pytest.raises(SettingsError, match="start must be what was kept of an interrupted"):
            gd.learn(table, learner, start=value)
        return
    found = gd.learn(table, learner, **{name: value})
    assert found.settings[name] == (value if name == "seconds" else repr(value))
    assert learner.get_params()[name] is None


def test_learn_passes_a_seed_on_or_refuses_it(learner: Learner[Any, Any]) -> None:
    table = gd.datasets.load("titanic")
    if "random_state" not in learner.get_params(deep=False):
        with pytest.raises(SettingsError, match="has no setting 'random_state'"):
            gd.learn(table, learner, random_state=7)
        return
    before = learner.get_params()["random_state"]
    assert gd.learn(table, learner, random_state=7).seed == 7
    assert learner.get_params()["random_state"] == before
    if before is not None:
        assert gd.learn(table, learner).seed == before


def test_settings_may_be_numbers_of_numpy() -> None:
    learner = gd.GSMN(fdr=np.float32(0.5), max_given=np.int64(2))
    assert learner.learn(gd.Oracle(gd.UndirectedGraph(3))).graph.n == 3
