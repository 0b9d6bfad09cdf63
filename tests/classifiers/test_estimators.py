"""Both estimators keep scikit-learn's contract, and work where its tools are used."""

from __future__ import annotations

import pytest

pytest.importorskip("sklearn")

from sklearn.base import clone
from sklearn.utils import estimator_checks
from sklearn.utils.estimator_checks import parametrize_with_checks

import graphoid as gd


@parametrize_with_checks(
    [gd.MarkovNetworkClassifier(), gd.MarkovNetworkClassifier(preset="paper"), gd.MDLPDiscretizer()]
)
def test_scikit_learn_s_own_checks(estimator, check):
    check(estimator)


OF_SETTINGS = (
    "check_no_attributes_set_in_init",
    "check_get_params_invariance",
    "check_set_params",
    "check_estimator_cloneable",
    "check_estimator_repr",
)
"""Checks that apply to what learns a structure; the others call ``fit(X, y)`` and want predictions."""


@pytest.mark.parametrize("name", OF_SETTINGS)
@pytest.mark.parametrize(
    "learner",
    [gd.GSMN(), gd.GSIMN(), gd.RobustGSMN(), gd.Search(gd.MPL()), gd.DirectedSearch(), gd.CSGS(), gd.PFMN()],
    ids=lambda learner: type(learner).__name__,
)
def test_structure_learners_keep_the_contract_of_settings(learner, name):
    getattr(estimator_checks, name)(type(learner).__name__, learner)
    assert clone(learner).get_params().keys() == learner.get_params().keys()
