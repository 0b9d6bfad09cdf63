r"""Messages in a junction tree, in logarithms, for many rows of evidence at once.

What a cluster is told or tells is a :class:`Part`: a table over a few variables in as many versions as there
are different rows of evidence *behind it*. A message from a corner of the tree that two observed binary
variables can reach has four versions, whether a hundred rows ask or a hundred thousand; rows meet as distinct
combinations only where their evidence comes together. Versions are the last axis, so that sums over states
run along whole vectors.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from graphoid.limits import check_time
from graphoid.models.factors import spread

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

    from graphoid.models.junction_tree import JunctionTree

CHUNK = 2**17
"""Cells that are added up at a time: 1 MB, which stays in the second cache."""


class Part(NamedTuple):
    """A table over some variables, one version for each distinct evidence behind it."""

    over: tuple[int, ...]
    values: NDArray[np.float64]
    """An axis for each variable, and the last one for versions."""
    version: NDArray[np.int64] | None = None
    """The version of every row; None where there is one for all."""

    def given(self, known: Iterable[int], states: NDArray[np.integer]) -> Part:
        """Return the part for known ``states[row, variable]`` of some variables: more versions of less."""
        fixed = set(known)
        inside = [k for k, v in enumerate(self.over) if v in fixed]
        if not inside:
            return self
        outside = [k for k, v in enumerate(self.over) if v not in fixed]
        shape = self.values.shape
        values = self.values.transpose([*outside, *inside, len(self.over)])
        at = np.zeros(len(states), dtype=np.int64)
        for k in inside:
            at *= shape[k]
            at += states[:, self.over[k]]
        at *= shape[-1]
        at += 0 if self.version is None else self.version
        return Part(
            tuple(self.over[k] for k in outside), values.reshape(*(shape[k] for k in outside), -1), at
        )


def log_sum_exp(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the logarithm of the sum over the middle axis; uses ``values`` up."""
    if values.shape[1] == 1:
        return values[:, 0]
    top = values.max(axis=1, keepdims=True)
    top[np.isneginf(top)] = 0.0  # nothing is possible there: the sum is zero, not undefined
    values -= top
    np.exp(values, out=values)
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(values.sum(axis=1)) + top[:, 0])


def largest(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the maximum over the middle axis."""
    return np.asarray(values.max(axis=1))


class Propagation:
    """Messages between the clusters of a tree.

    Parameters
    ----------
    tree
        The clusters.
    arities
        How many states each variable has.
    parts
        What is added up, each with all its variables inside some cluster.
    n_rows
        How many rows of evidence the versions are for.
    reduce
        How states go away, the middle of three axes (kept states, dropped states, versions):
        :func:`log_sum_exp` for probabilities, :func:`largest` for the most probable states.
    """

    def __init__(
        self,
        tree: JunctionTree,
        arities: Sequence[int],
        parts: Iterable[Part],
        n_rows: int,
        reduce: Callable[[NDArray[np.float64]], NDArray[np.float64]] = log_sum_exp,
    ) -> None:
        self.tree, self.arities, self.n_rows, self.reduce = tree, arities, n_rows, reduce
        self.own: list[list[Part]] = [[] for _ in tree.clusters]
        self.constants: list[Part] = []
        for part in parts:
            (self.own[tree.holding(part.over, arities)] if part.over else self.constants).append(part)
        self.children: list[list[int]] = [[] for _ in tree.clusters]
        for k, parent in enumerate(tree.parents):
            if parent >= 0:
                self.children[parent].append(k)
        self.up: dict[int, Part] = {}
        self.down: dict[int, Part] = {}

    def collect(self) -> None:
        """Send messages from the leaves to the roots; a root's own is what its whole tree adds up to."""
        for k in reversed(range(len(self.tree.clusters))):
            self.up[k] = self.message(self._below(k), self.tree.clusters[k], self.tree.separator(k))

    def distribute(self) -> None:
        """Send messages from the roots to the leaves, after :meth:`collect`."""
        for k, parent in enumerate(self.tree.parents):
            if parent >= 0:
                parts = self._below(parent, without=k) + self._above(parent)
                self.down[k] = self.message(parts, self.tree.clusters[parent], self.tree.separator(k))

    def total(self) -> NDArray[np.float64]:
        """Return for every row the logarithm of everything added up, after :meth:`collect`."""
        found = np.zeros(self.n_rows)
        roots = [self.up[k] for k, parent in enumerate(self.tree.parents) if parent < 0]
        for part in [*roots, *self.constants]:
            found += part.values[0 if part.version is None else part.version]
        return found

    def belief(self, k: int, over: tuple[int, ...]) -> Part:
        """Return what is known of variables in a cluster: of all rows once :meth:`distribute` was called."""
        return self.message(self._below(k) + self._above(k), self.tree.clusters[k], over)

    def descend(
        self,
        states: NDArray[np.integer],
        choose: Callable[[NDArray[np.float64], NDArray[np.int64]], NDArray[np.int64]],
    ) -> None:
        """Fill in states from the roots to the leaves, after :meth:`collect`.

        ``choose`` gets a table (joint states of a cluster's new variables, versions) and the version of every
        row, and returns a joint state for every row.
        """
        for k, cluster in enumerate(self.tree.clusters):
            check_time()
            known = self.tree.separator(k)
            new = tuple(v for v in cluster if v not in set(known))
            parts = [part.given(known, states) for part in self._below(k)]
            found = self.message(parts, new, new)
            table = found.values.reshape(-1, found.values.shape[-1])
            version = np.zeros(self.n_rows, dtype=np.int64) if found.version is None else found.version
            at = np.unravel_index(choose(table, version), [self.arities[v] for v in new])
            for v, state in zip(new, at, strict=True):
                states[:, v] = state

    def message(self, parts: list[Part], cluster: tuple[int, ...], keep: tuple[int, ...]) -> Part:
        """Add parts up over a cluster and return what is left of it over ``keep``."""
        kept = set(keep)
        over = (*keep, *(v for v in cluster if v not in kept))
        shape = tuple(self.arities[v] for v in over)
        n_kept = math.prod(shape[: len(keep)])
        version, versions, n_versions = combine_versions(parts, self.n_rows)
        tables = [
            spread((*part.over, -1), part.values, (*over, -1)) for part in parts
        ]  # -1: versions, the last axis
        out = np.empty((n_kept, n_versions))
        step = max(1, CHUNK // math.prod(shape))
        for start in range(0, n_versions, step):
            check_time()
            stop = min(start + step, n_versions)
            sum_ = np.zeros((*shape, stop - start))
            for table, which in zip(tables, versions, strict=True):
                sum_ += table if which is None else table[..., which[start:stop]]
            out[:, start:stop] = self.reduce(sum_.reshape(n_kept, -1, stop - start))
        return Part(keep, out.reshape(*shape[: len(keep)], n_versions), version)

    def _below(self, k: int, without: int = -1) -> list[Part]:
        return self.own[k] + [self.up[child] for child in self.children[k] if child != without]

    def _above(self, k: int) -> list[Part]:
        return [self.down[k]] if k in self.down else []


def combine_versions(
    parts: Sequence[Part], n_rows: int
) -> tuple[NDArray[np.int64] | None, list[NDArray[np.int64] | None], int]:
    """Return which combination of versions each row has, which version each part has in each, and how many.

    A part with one version for all rows has None in place of its versions.
    """
    varying = [part for part in parts if part.version is not None]
    if not varying:
        return None, [None] * len(parts), 1
    number, n_numbers = np.zeros(n_rows, dtype=np.int64), 1
    for part in varying:
        n_versions = part.values.shape[-1]
        if n_numbers * n_versions > 2**62:
            number, n_numbers = renumber(number, n_numbers)
        number = number * n_versions + part.version
        n_numbers *= n_versions
    number, n_numbers = renumber(number, n_numbers)
    example = np.empty(n_numbers, dtype=np.int64)  # a row for every combination
    example[number] = np.arange(n_rows)
    versions = [None if part.version is None else part.version[example] for part in parts]
    return number, versions, n_numbers


def renumber(number: NDArray[np.int64], n_numbers: int) -> tuple[NDArray[np.int64], int]:
    """Return numbers replaced by 0, 1, ... in their order without gaps, and how many there are."""
    if n_numbers > 8 * len(number) + 1024:  # a table of all numbers would cost more than sorting them
        distinct, place = np.unique(number, return_inverse=True)
        return place.astype(np.int64, copy=False), len(distinct)
    there = np.zeros(n_numbers, dtype=np.int64)
    there[number] = 1
    n_distinct = int(there.sum())
    return (np.cumsum(there) - 1)[number], n_distinct
