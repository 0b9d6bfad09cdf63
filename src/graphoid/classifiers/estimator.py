"""What the estimators take from scikit-learn, which is an extra."""

from __future__ import annotations

from graphoid.errors import missing_extra

try:
    from sklearn.base import BaseEstimator, ClassifierMixin, OneToOneFeatureMixin, TransformerMixin
    from sklearn.utils.multiclass import check_classification_targets
    from sklearn.utils.validation import (
        _check_sample_weight,
        check_array,
        check_is_fitted,
        column_or_1d,
        validate_data,
    )
except ImportError:
    raise missing_extra("a classifier or discretizer", "sklearn") from None

check_sample_weight = _check_sample_weight

__all__ = [
    "BaseEstimator",
    "ClassifierMixin",
    "OneToOneFeatureMixin",
    "TransformerMixin",
    "check_array",
    "check_classification_targets",
    "check_is_fitted",
    "check_sample_weight",
    "column_or_1d",
    "validate_data",
]
