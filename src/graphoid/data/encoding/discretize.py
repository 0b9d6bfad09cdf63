"""Numbers become bins: which columns are cut, where, and what the bins are called."""

from __future__ import annotations

import copy
import itertools
import math
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from graphoid.errors import DataError, sentence

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from graphoid.data.options import Transformer

FEW = 20
"""A number with at most this many different values is left alone: rating scales, ages in classes and small
counts end below, and a table of two such columns (400 cells) can still be filled by a few thousand rows."""

AUTO_BINS = 5
"""Bins of a column cut by "auto". Fewer hide a relation that is not monotone; with more, a table of three
such columns (125 cells) asks for more rows than most data have."""


@dataclass(frozen=True, eq=False, slots=True)
class Bins:
    """Where a column is cut."""

    cuts: tuple[float, ...]
    """Inner cut points; bin ``k`` holds values above ``cuts[k-1]`` up to and including ``cuts[k]``."""
    labels: tuple[str, ...]
    """One a bin."""
    codes: NDArray[np.int64]
    """The bin of every level."""
    note: str
    """A sentence on what was done, without the column's name."""


def most_states(discretize: str | Transformer | None, n_rows: int) -> int:
    """Return how many different numbers a column may have and be left alone."""
    return scott_bins(n_rows) if isinstance(discretize, str) and discretize == "scott" else FEW


def scott_bins(n_rows: int) -> int:
    r"""Return :math:`\lfloor 1 + \log_2 N \rfloor`, the number of bins for ``n_rows`` rows."""
    return int(1 + math.log2(n_rows)) if n_rows else 1


def bins(
    levels: NDArray[np.number],
    counts: NDArray[np.int64],
    discretize: str | Transformer,
    n_rows: int,
    name: str,
) -> Bins:
    """Return bins for a column.

    Parameters
    ----------
    levels
        Its different numbers, ascending.
    counts
        How many rows have each.
    discretize
        "auto", "scott" or a transformer.
    n_rows
        Rows of the table, missing cells of this column included.
    name
        For error messages.
    """
    numbers = np.asarray(levels, dtype=np.float64)
    if not isinstance(discretize, str):
        return _by_transformer(numbers, counts, discretize, name)
    if discretize == "auto":
        cuts = equal_frequency(numbers, counts, AUTO_BINS)
        return _right_closed(numbers, cuts, f"{len(cuts) + 1} bins of about equal frequency")
    cuts = equal_width(numbers, scott_bins(n_rows))
    return _right_closed(numbers, cuts, f"{len(cuts) + 1} bins of equal width")


def equal_frequency(
    levels: NDArray[np.float64], counts: NDArray[np.int64], n_bins: int
) -> NDArray[np.float64]:
    """Return inner cut points between ``n_bins`` bins with about the same number of rows in each.

    Cut ``k`` is the smallest level up to which at least ``k / n_bins`` of the rows lie. Equal cuts are
    merged, so that a level with many rows makes fewer bins; no bin is empty and there are at least two.
    """
    upto = np.cumsum(counts)
    # Whole numbers on both sides: a cut does not depend on how k / n_bins is rounded.
    places = np.searchsorted(upto * n_bins, np.arange(1, n_bins) * upto[-1])
    places = np.unique(np.minimum(places, len(levels) - 2))
    return np.asarray(levels[places[places >= 0]])


def equal_width(levels: NDArray[np.float64], n_bins: int) -> NDArray[np.float64]:
    """Return inner cut points between ``n_bins`` bins of the same width; some of the bins may be empty."""
    share = np.arange(1, n_bins) / n_bins
    # Not low + share * (high - low): the difference of two large numbers may be infinite.
    return np.unique(levels[0] * (1 - share) + levels[-1] * share)


def _right_closed(levels: NDArray[np.float64], cuts: NDArray[np.float64], how: str) -> Bins:
    codes = np.searchsorted(cuts, levels, side="left")
    shown = format_cuts(cuts)
    note = f"cut into {how}" + (f" at {', '.join(shown)}" if shown else "")
    return Bins(tuple(cuts.tolist()), bin_labels(shown, right_closed=True), codes, note)


def bin_labels(cuts: Sequence[str], *, right_closed: bool) -> tuple[str, ...]:
    """Return a label a bin from its cut points as text.

    >>> bin_labels(["1.5", "3"], right_closed=True)
    ('<= 1.5', '(1.5, 3]', '> 3')
    """
    if not cuts:
        return ("all",)
    inner = itertools.pairwise(cuts)
    if right_closed:
        return (f"<= {cuts[0]}", *(f"({low}, {high}]" for low, high in inner), f"> {cuts[-1]}")
    return (f"< {cuts[0]}", *(f"[{low}, {high})" for low, high in inner), f">= {cuts[-1]}")


def format_cuts(numbers: NDArray[np.float64]) -> list[str]:
    """Return numbers as text, with as few digits (six at least, as printf's %g) as keep them different."""
    for digits in range(6, 18):  # 17 digits tell any two floating-point numbers apart
        # whole: %g would write 1234567 as 1.23457e+06
        whole = (numbers == np.rint(numbers)) & (np.abs(numbers) < 1e15)
        text = [f"{x:.0f}" if short else f"{x:.{digits}g}" for x, short in zip(numbers, whole, strict=True)]
        if len(set(text)) == len(text):
            break
    return text if len(numbers) else []


def _by_transformer(
    levels: NDArray[np.float64], counts: NDArray[np.int64], transformer: Transformer, name: str
) -> Bins:
    """Return the bins that a copy of a scikit-learn transformer finds for one column."""
    fitted = _clone(transformer)
    rows = np.repeat(np.arange(len(levels)), counts)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            out = fitted.fit_transform(levels[rows].reshape(-1, 1))
        except (ValueError, TypeError, ArithmeticError, LookupError, AttributeError) as error:
            raise DataError(f"{type(transformer).__name__} cannot cut {name!r}: {sentence(error)}") from error
    out = np.asarray(out)
    if out.ndim != 2 or out.shape != (len(rows), 1) or out.dtype == object:
        raise DataError(
            f"{type(transformer).__name__} did not give one column of bins for {name!r}. "
            f"Use a transformer that does, such as KBinsDiscretizer(encode='ordinal')."
        )
    out = out[:, 0].astype(np.float64)
    if not np.array_equal(out, np.rint(out)):
        raise DataError(f"{type(transformer).__name__} gave {out[0]} for {name!r}; a bin is a whole number.")
    codes = np.zeros(len(levels), dtype=np.int64)
    codes[rows] = out.astype(np.int64)
    remarks = "".join(
        f" ({' '.join(str(w.message).split())})" for w in said if issubclass(w.category, UserWarning)
    )
    return _named_bins(levels, codes, fitted, f"by {type(transformer).__name__}", remarks)


def _named_bins(
    levels: NDArray[np.float64], codes: NDArray[np.int64], fitted: Transformer, how: str, remarks: str
) -> Bins:
    edges = getattr(fitted, "bin_edges_", None)
    if edges is not None and len(edges) == 1:
        inner = np.asarray(edges[0], dtype=np.float64)[1:-1]
        if codes.min() >= 0 and codes.max() <= len(inner):
            # scikit-learn's bins are closed on the left. The number just below an edge is the same cut,
            # closed on the right as all our cuts are.
            text = format_cuts(inner)
            note = f"cut {how} into {len(inner) + 1} bins at {', '.join(text)}{remarks}"
            cuts = np.nextafter(inner, -np.inf)
            return Bins(tuple(cuts.tolist()), bin_labels(text, right_closed=False), codes, note)
    different, codes = np.unique(codes, return_inverse=True)
    note = f"cut {how} into {len(different)} bins{remarks}"
    if np.all(np.diff(codes) >= 0):  # bins are intervals: the largest number of each is where it is cut
        cuts = levels[np.flatnonzero(np.diff(codes))]
        text = format_cuts(cuts)
        return Bins(tuple(cuts.tolist()), bin_labels(text, right_closed=True), codes, note)
    return Bins((), tuple(f"bin {value}" for value in different.tolist()), codes, note)


def _clone(transformer: Transformer) -> Transformer:
    """Return an unfitted copy, so that the caller's transformer stays as it is."""
    try:
        from sklearn.base import clone
    except ImportError:
        return copy.deepcopy(transformer)
    try:
        fresh: Transformer = clone(transformer)
    except TypeError:  # not a scikit-learn estimator, only shaped like one
        return copy.deepcopy(transformer)
    return fresh
