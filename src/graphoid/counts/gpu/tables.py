"""Tables of one variable against many others given some, on a device: what growing blankets asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from graphoid.counts.gpu.planes import DevicePlanes, Lines, align
from graphoid.limits import check_time

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from graphoid.counts.engine import Positions

AT_ONCE = 512
"""Questions about one variable given the same others from which on they are counted together."""

MOST_SLICES = 256
"""Configurations of what is given up to which they are: each is some lines of a product of matrices."""

MOST_BYTES = 2**30
"""Of the tables that are counted at a time, and of what that takes."""

SHARE = 32
"""A product is with all variables; where it is about fewer than one of so many, nothing is gained."""


class Group(NamedTuple):
    """Questions about one variable given the same others."""

    x: int
    given: tuple[int, ...]
    others: NDArray[np.int64]
    places: NDArray[np.int64]
    """Of the questions in their batch."""


class Counted(NamedTuple):
    """Tables of some questions, all of the same shape."""

    places: NDArray[np.int64]
    shape: tuple[int, int]
    """States of either variable, that of the smaller position first, as the native engine has them: turned
    round, a sum may differ in its last digit."""
    tables: NDArray[np.uint32]
    """A line for each: the slices one after the other."""


def wide_groups(positions: Sequence[Positions], arities: NDArray[np.int64]) -> list[Group]:
    """Return the questions that are worth counting together."""
    groups: dict[tuple[int, tuple[int, ...]], list[int]] = {}
    for place, (x, _, given) in enumerate(positions):
        groups.setdefault((x, tuple(sorted(given))), []).append(place)
    least, found = max(AT_ONCE, len(arities) // SHARE), []
    for (x, given), own in groups.items():
        if len(own) >= least and arities[list(given)].prod(dtype=np.float64) <= MOST_SLICES:
            places = np.array(own)
            found.append(Group(x, given, np.array([positions[i][1] for i in own]), places))
    return found


def count_groups(
    planes: DevicePlanes, groups: Sequence[Group], arities: NDArray[np.int64]
) -> Iterator[Counted]:
    """Yield the tables of all questions, group by group."""
    for group in groups:
        slices = tuple(int(arities[v]) for v in group.given)
        n_slices, states = int(np.prod(slices, dtype=np.int64)), tuple(range(int(arities[group.x])))
        among = _slices(planes, group.given, slices)
        kinds = np.stack([group.x < group.others, arities[group.others]])
        for before, arity in np.unique(kinds, axis=1).T.tolist():
            same = (kinds == [[before], [arity]]).all(axis=0)
            others, places = group.others[same], group.places[same]
            step = max(1, min(planes.memory // 3, MOST_BYTES) // (16 * len(states) * align(n_slices) * arity))
            for first in range(0, len(others), step):
                check_time()
                some = slice(first, first + step)
                left = Lines(np.full(n_slices, group.x), states)
                counts = planes.counts(left, Lines(others[some], tuple(range(arity))), among)
                axes = (3, 1, 0, 2) if before else (3, 1, 2, 0)
                kept = counts[:, :n_slices, :, : len(others[some])].permute(axes)
                tables = kept.reshape(len(kept), -1).cpu().numpy().astype(np.uint32)
                yield Counted(places[some], (kept.shape[2], kept.shape[3]), np.ascontiguousarray(tables))


def _slices(planes: DevicePlanes, given: tuple[int, ...], shape: tuple[int, ...]) -> NDArray[np.int16]:
    """Return the configuration of what is given in every row, in order."""
    found = np.zeros(planes.n_rows, dtype=np.int16)
    for v, arity in zip(given, shape, strict=True):
        found = found * np.int16(arity) + planes.column(v)
    return found
