"""Both estimators keep scikit-learn's contract, and work where its tools are used."""

from __future__ import annotations

import pytest

pytest.importorskip("sklearn")

from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import check_estimator, parametrize_with_checks

import graphoid as gd


@parametrize_with_checks(
    [gd.MarkovNetworkClassifier(), gd.MarkovNetworkClassifier(preset="paper"), gd.MDLPDiscretizer()]
)
def test_scikit_learn_s_own_checks(estimator, check):
    check(estimator)


CLASS = "says which class is made, and no object has it afterwards"
METHOD = "takes the setting 'score' for a method of that name"
DO_NOT_APPLY = {
    "check_dtype_object": "wants a dictionary in a cell to be read as text; it is refused, with its column",
    "check_estimators_empty_data_messages": "wants its own words where there is no column",
    "check_estimators_nan_inf": "wants its own words for a missing cell; the error lists what can be done",
    ("GSMN", "check_do_not_raise_errors_in_init_or_set_params"): f"'preset' {CLASS}",
    ("GSIMN", "check_do_not_raise_errors_in_init_or_set_params"): f"'preset' {CLASS}",
    ("PFMN", "check_do_not_raise_errors_in_init_or_set_params"): f"'method' {CLASS}",
    ("PFMN", "check_parameters_default_constructible"): f"'method' {CLASS}",
    **{
        (learner, check): METHOD
        for learner in ("Search", "TwoPhase", "HillClimb", "ExhaustiveSearch", "Posterior", "DirectedSearch")
        for check in (
            "check_fit_score_takes_y",
            "check_n_features_in_after_fitting",
            "check_pipeline_consistency",
        )
    },
}
"""Checks of scikit-learn that do not apply to what learns a structure, with the reason: by their names, or
for one learner."""

LEARNERS = [
    gd.GSMN(),
    gd.GSIMN(),
    gd.RobustGSMN(),
    gd.PFMN(n_particles=50),
    gd.CSPC(),
    gd.CSGS(),
    gd.Search(gd.MPL()),
    gd.TwoPhase(gd.MPL()),
    gd.HillClimb(gd.MPL(), moves="best"),
    gd.ExhaustiveSearch(gd.MPL()),
    gd.Posterior(gd.MPL(), rounds=10, max_rounds=10, runs=1),  # as little as it takes
    gd.DirectedSearch(),
]


def what_does_not_apply(learner):
    name = type(learner).__name__
    return {
        key[1] if isinstance(key, tuple) else key: reason
        for key, reason in DO_NOT_APPLY.items()
        if isinstance(key, str) or key[0] == name
    }


@pytest.mark.filterwarnings("ignore:Estimator .* does not inherit from")  # it is not loaded for learners
@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: type(learner).__name__)
def test_scikit_learn_s_checks_of_structure_learners(learner):
    done = check_estimator(learner, on_fail=None, on_skip=None)
    failed = {one["check_name"]: str(one["exception"]) for one in done if one["status"] == "failed"}
    applies = what_does_not_apply(learner)
    assert {name: said for name, said in failed.items() if name not in applies} == {}
    assert sum(one["status"] == "passed" for one in done) >= 30


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: type(learner).__name__)
def test_a_clone_has_the_same_settings(learner):
    assert clone(learner).get_params().keys() == learner.get_params().keys()


def test_a_structure_is_learned_at_the_end_of_a_pipeline():
    table = gd.datasets.load("titanic")
    end = make_pipeline("passthrough", gd.GSMN()).fit(table.to_frame(), None)
    assert end[-1].structure_.graph == gd.GSMN().fit(table).structure_.graph
