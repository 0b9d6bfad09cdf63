r"""Cutting numbers where the class changes: entropy and minimum description length ([Fayyad1993]_)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

import numpy as np

from graphoid.classifiers.estimator import (
    BaseEstimator,
    OneToOneFeatureMixin,
    TransformerMixin,
    check_classification_targets,
    check_is_fitted,
    check_sample_weight,
    validate_data,
)
from graphoid.limits import check_time

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray
    from sklearn.utils import Tags

TIE = 1e-12
"""Entropies (in bits) this close differ by rounding only; the lowest of such cuts is taken."""


def mdlp_cuts(
    values: NDArray[np.float64],
    classes: NDArray[np.intp],
    n_classes: int,
    weights: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    r"""Return where to cut a column, ascending.

    A set :math:`S` of :math:`N` rows is cut where the class entropy of both sides, weighted by their rows, is
    least; and only if that gains more than describing the cut costs ([Fayyad1993]_, section 3.3):

    .. math::

        \mathrm{Gain} > \frac{\log_2(N - 1) + \log_2(3^k - 2)
                        - [k H(S) - k_1 H(S_1) - k_2 H(S_2)]}{N}

    with :math:`k, k_1, k_2` the number of classes present. Then both sides in turn. A cut lies half-way
    between two neighboring values.

    Parameters
    ----------
    values
        Numbers, none of them missing.
    classes
        The class of every row, as a code.
    n_classes
        How many codes there are.
    weights
        How many rows each row stands for.

    Notes
    -----
    Sorted once; what lies below every candidate is then a difference of running counts. Only values where the
    class changes are candidates: the best cut is always one of them (Theorem 1).
    """
    levels, at = np.unique(values, return_inverse=True)
    cells = np.bincount(at * n_classes + classes, weights, len(levels) * n_classes)
    counts = cells.reshape(len(levels), n_classes).astype(np.float64)
    pure = (counts > 0).sum(axis=1) == 1
    label = counts.argmax(axis=1)
    # neighbors of one and the same class are never parted
    starts = np.flatnonzero(np.append(True, ~(pure[1:] & pure[:-1] & (label[1:] == label[:-1]))))
    blocks = np.add.reduceat(counts, starts, axis=0) if len(levels) else counts
    upto = np.concatenate([np.zeros((1, n_classes)), np.cumsum(blocks, axis=0)])
    cuts: list[int] = []
    open_ranges = [(0, len(blocks))]
    while open_ranges:
        check_time()
        low, high = open_ranges.pop()
        cut = _best_cut(upto[low : high + 1])
        if cut is not None:
            cuts.append(low + cut)
            open_ranges += [(low, low + cut), (low + cut, high)]
    places = starts[np.sort(np.array(cuts, dtype=np.int64))]
    # not (a + b) / 2: the sum of two large numbers may be infinite
    return levels[places - 1] / 2 + levels[places] / 2


def _best_cut(upto: NDArray[np.float64]) -> int | None:
    """Return after how many of some blocks to cut, or None if no cut is worth its description."""
    total = upto[-1] - upto[0]
    n = total.sum()
    if len(upto) < 3 or n <= 1:
        return None
    left = upto[1:-1] - upto[0]
    right = total - left
    n_left = left.sum(axis=1)
    h_left, h_right = _entropy(left), _entropy(right)
    within = (n_left * h_left + (n - n_left) * h_right) / n
    best = int(np.argmax(within <= within.min() + TIE))
    h = float(_entropy(total[None])[0])
    k, k_left, k_right = (int(np.count_nonzero(c)) for c in (total, left[best], right[best]))
    # log2(3^k - 2), for any k
    delta = (
        k * np.log2(3)
        + np.log1p(-2.0 * 3.0**-k) / np.log(2)
        - (k * h - k_left * h_left[best] - k_right * h_right[best])
    )
    return best + 1 if h - within[best] > (np.log2(n - 1) + delta) / n else None


def _entropy(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the entropy of each line, in bits."""
    p = counts / np.maximum(counts.sum(axis=1, keepdims=True), np.finfo(float).tiny)
    bits: NDArray[np.float64] = -(p * np.log2(np.where(p > 0, p, 1.0))).sum(axis=1)
    return bits


class MDLPDiscretizer(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Cuts every column of numbers where the class changes, as often as it pays ([Fayyad1993]_).

    A column that says nothing about the class gets no cut and becomes constant. Missing numbers (NaN) take no
    part in finding cuts and stay missing.

    Attributes
    ----------
    cuts_ : list of ndarray
        The cuts of every column, ascending. A number belongs to the interval that ends at the first cut not
        below it.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    Examples
    --------
    >>> X = [[1.0], [2.0], [3.0], [10.0], [11.0], [12.0]]
    >>> mdlp = MDLPDiscretizer().fit(X, list("aaabbb"))
    >>> mdlp.cuts_, mdlp.transform([[0.0], [6.5], [7.0]]).ravel()
    ([array([6.5])], array([0., 0., 1.]))
    """

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Find the cuts.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_columns)
            Numbers.
        y : array-like of shape (n_rows,)
            Classes.
        sample_weight : array-like of shape (n_rows,), optional
            How many rows each row stands for.
        """
        rows, target = validate_data(self, X, y, dtype=np.float64, ensure_all_finite="allow-nan")
        check_classification_targets(target)
        weights = None
        if sample_weight is not None:
            weights = check_sample_weight(sample_weight, rows, dtype=np.float64)
        labels, classes = np.unique(target, return_inverse=True)
        self.cuts_ = []
        for column in rows.T:
            known = ~np.isnan(column)
            if weights is not None:
                known &= weights > 0
            self.cuts_.append(
                mdlp_cuts(
                    column[known], classes[known], len(labels), None if weights is None else weights[known]
                )
            )
        return self

    def transform(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return the interval of every number, counted from 0; NaN where it is missing."""
        check_is_fitted(self)
        rows = validate_data(self, X, dtype=np.float64, ensure_all_finite="allow-nan", reset=False)
        out = np.empty(rows.shape)
        for i, cuts in enumerate(self.cuts_):
            out[:, i] = np.searchsorted(cuts, rows[:, i])
        out[np.isnan(rows)] = np.nan
        return out

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.allow_nan = True
        return tags
