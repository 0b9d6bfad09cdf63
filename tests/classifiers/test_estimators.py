"""Both estimators keep scikit-learn's contract, and work where its tools are used."""

from __future__ import annotations

import pytest

pytest.importorskip("sklearn")

from sklearn.utils.estimator_checks import parametrize_with_checks

import graphoid as gd


@parametrize_with_checks(
    [gd.MarkovNetworkClassifier(), gd.MarkovNetworkClassifier(preset="paper"), gd.MDLPDiscretizer()]
)
def test_scikit_learn_s_own_checks(estimator, check):
    check(estimator)
