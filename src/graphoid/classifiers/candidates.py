"""Which hyperedges a stage of the climb looks at: all of them, or the most promising."""

from __future__ import annotations

import math
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from graphoid.classifiers.regions import subsets
from graphoid.errors import SettingsError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


class Sets:
    """Sets of attributes, all of one size, a line each in ascending order.

    Parameters
    ----------
    members
        The attributes.
    n
        How many attributes there are in all.
    """

    def __init__(self, members: NDArray[np.int32], n: int) -> None:
        self.members = members
        self.n = n
        self.size = members.shape[1]
        if (n + 1) ** self.size >= 2**63:
            raise SettingsError(
                f"max_order={self.size + 1} with {n:,} attributes gives too many hyperedges to be numbered; "
                f"lower max_order or leave out attributes."
            )

    def __len__(self) -> int:
        return len(self.members)

    def keys(self, positions: Sequence[int] | None = None) -> NDArray[np.int64]:
        """Return a number for each set, or for the subset that some positions make of each."""
        key = np.zeros(len(self.members), dtype=np.int64)
        for position in range(self.size) if positions is None else positions:
            key = key * (self.n + 1) + self.members[:, position] + 1
        return key

    def subset_keys(self) -> NDArray[np.int64]:
        """Return a line for every set: the numbers of its subsets, in the order of ``subsets``."""
        return np.stack([self.keys(part) for part in subsets(tuple(range(self.size)))], axis=1)


def promising_sets(
    attributes: Sequence[int],
    n: int,
    size: int,
    most: int,
    smaller: Sets | None,
    gains: NDArray[np.float64],
) -> Sets:
    """Return sets of attributes: all if there are few, else those with the highest promise.

    The promise of a set is the sum over its subsets with one attribute less of what each gained when its own
    stage began; subsets that were not evaluated count as the worst of those that were. Ties go by position.

    Parameters
    ----------
    attributes
        The attributes to choose from.
    n
        How many there are in all.
    size
        How many a set has.
    most
        How many sets to return at most; single attributes are always all looked at.
    smaller, gains
        The sets of the stage before, and what the log posterior gained by each.

    Notes
    -----
    [Jakulin2006]_ only says that the promise is calculated from the results of the subsets.
    """
    if smaller is None or math.comb(len(attributes), size) <= most:
        members = np.array(list(combinations(attributes, size)), dtype=np.int32).reshape(-1, size)
        return Sets(members, n)
    sets = Sets(_extensions(smaller, gains, most), n)
    order = np.argsort(smaller.keys(), kind="stable")
    known, worth = smaller.keys()[order], gains[order]
    finite = worth[np.isfinite(worth)]
    worst = float(finite.min()) if finite.size else 0.0
    promise = np.zeros(len(sets))
    for left_out in range(size):
        keys = sets.keys([i for i in range(size) if i != left_out])
        at = np.minimum(np.searchsorted(known, keys), len(known) - 1)
        promise += np.where(known[at] == keys, np.maximum(worth[at], worst), worst)
    best = np.argsort(-promise, kind="stable")[:most]
    return Sets(sets.members[np.sort(best)], n)


def _extensions(smaller: Sets, gains: NDArray[np.float64], most: int) -> NDArray[np.int32]:
    """Return the best sets extended by every attribute that one of them has, each once, in order.

    A set is promising by its subsets: the best ``most`` extensions need no more than ``most`` + 1 of these.
    """
    best = np.sort(np.argsort(-gains, kind="stable")[: most + 1])
    members = smaller.members[best]
    pool = np.unique(members)
    grown = np.concatenate(
        [np.repeat(members, len(pool), axis=0), np.tile(pool, len(members))[:, None]], axis=1
    )
    grown.sort(axis=1)
    sets = Sets(grown[(np.diff(grown, axis=1) > 0).all(axis=1)], smaller.n)
    _, once = np.unique(sets.keys(), return_index=True)
    return sets.members[once]
