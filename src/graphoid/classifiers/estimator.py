"""What the estimators take from scikit-learn, which is an extra."""

from __future__ import annotations

from graphoid.errors import missing_extra

try:
    from sklearn.base import BaseEstimator, ClassifierMixin, OneToOneFeatureMixin, TransformerMixin
    from sklearn.utils.multiclass import check_classification_targets
    from sklearn.utils.validation import (
        _check_sample_weight,
        _check_y,
        check_consistent_length,
        check_is_fitted,
        validate_data,
    )
except ImportError:
    raise missing_extra("a classifier or discretizer", "sklearn") from None

# scikit-learn names these for its own estimators; what they check is what its estimator checks ask for
check_sample_weight, check_y = _check_sample_weight, _check_y

__all__ = [
    "BaseEstimator",
    "ClassifierMixin",
    "OneToOneFeatureMixin",
    "TransformerMixin",
    "check_classification_targets",
    "check_consistent_length",
    "check_is_fitted",
    "check_sample_weight",
    "check_y",
    "validate_data",
]
