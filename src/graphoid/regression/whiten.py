"""Columns of every variable made uncorrelated and of variance one."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from graphoid.counts.moments import whiten

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from graphoid.regression.coding import Matrix
    from graphoid.regression.embedding import SecondMoments


class Whitened(NamedTuple):
    """Columns of variables, uncorrelated within each and of variance 1."""

    correlations: Matrix
    first: NDArray[np.int64]
    n_rows: float


_known: WeakKeyDictionary[SecondMoments, Whitened] = WeakKeyDictionary()


def whiten_variables(moments: SecondMoments, order: Sequence[int] | None = None) -> Whitened:
    """Return the correlations of the columns that always act, of variables as they are or in some order."""
    if order is None:
        if moments not in _known:
            _known[moments] = whiten_variables(moments, range(len(moments.main)))
        return _known[moments]
    ends = moments.first.tolist()
    blocks = [range(ends[v], ends[v + 1]) for v in order]
    turns = [whiten(moments.main_covariance[np.ix_(own, own)]) for own in blocks]
    first = np.cumsum([0, *(len(turn) for turn in turns)], dtype=np.int64)
    turned = np.zeros((int(first[-1]), ends[-1]))
    for own, turn, a in zip(blocks, turns, first.tolist(), strict=False):
        turned[a : a + len(turn), list(own)] = turn
    return Whitened(turned @ moments.main_covariance @ turned.T, first, moments.n_rows)
