"""The fewest contexts that cover some configurations and none of others.

A context that covers none of the forbidden configurations is an implicant; one from which no variable can be
dropped is a prime implicant. A smallest set of contexts can always be had from primes alone (Quine and
McCluskey, here for any number of states). Configurations that are neither wanted nor forbidden may be covered
or not, whichever needs fewer contexts.
"""

from __future__ import annotations

import math
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from graphoid.limits import check_time
from graphoid.structure.configurations import pack

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from graphoid.logic.assertion import Context

MOST_LOOKS = 2**20
"""Rows times sets of variables that are looked through for primes: all sets of ten variables, 1,024 rows."""

MOST_SETS = 2**12
"""Sets of variables that are looked through at most: all sets of twelve. Each takes as long as 256 rows."""

MOST_CELLS = 2**18
"""Primes times rows for which a smallest cover is searched; a hundred times that is a minute's work."""

MOST_NODES = 200
"""Nodes of the search for a smallest cover, after which the greedy one is taken."""


MOST_SPAN = 2**16
"""Numbers of configurations up to which those are marked in a table of flags: 64 KB."""


class Cover(NamedTuple):
    """Contexts that together cover what is wanted."""

    contexts: tuple[Context, ...]
    smallest: bool
    """Whether there is no smaller set; else it is at most 1 + log k times as large for k configurations,
    if contexts of so many variables as were looked through are compared."""


def fewest_contexts(wanted: NDArray[np.uint16], forbidden: NDArray[np.uint16]) -> Cover:
    """Return the fewest contexts that cover every wanted configuration and no forbidden one.

    Parameters
    ----------
    wanted, forbidden
        Configurations of the same variables, one a row; no row is in both. Contexts name variables by column.

    Examples
    --------
    >>> north_or_old = np.array([[0, 0], [0, 1], [1, 1]])
    >>> fewest_contexts(north_or_old, np.array([[1, 0]])).contexts
    (((0, 0),), ((1, 1),))
    """
    if not len(wanted):
        return Cover((), smallest=True)
    if not len(forbidden):
        return Cover(((),), smallest=True)
    primes, complete = prime_implicants(wanted, forbidden)
    contexts = sorted(primes, key=lambda context: (len(context), context))
    covers = np.stack([primes[context] for context in contexts])
    chosen = _smallest_cover(covers, np.array([len(context) for context in contexts]))
    smallest = chosen is not None and complete
    if chosen is None:
        chosen = _greedy_cover(covers)
    return Cover(tuple(contexts[i] for i in sorted(chosen)), smallest=smallest)


def prime_implicants(
    wanted: NDArray[np.uint16], forbidden: NDArray[np.uint16]
) -> tuple[dict[Context, NDArray[np.bool_]], bool]:
    """Return prime implicants with the wanted rows that each covers, and whether these are all there are.

    Where there are too many sets of variables, small ones are looked through, and rows that none of those
    covers are described in full and then generalized, one variable after the other.
    """
    n_wanted, n = wanted.shape
    primes: dict[Context, NDArray[np.bool_]] = {}
    valid: dict[tuple[int, ...], NDArray[np.bool_]] = {}
    covered = np.zeros(n_wanted, dtype=bool)
    projected = Projections(np.concatenate([wanted, forbidden]))
    for columns in _sets(n, min(MOST_SETS, MOST_LOOKS // (len(wanted) + len(forbidden)))):
        check_time()
        by_fewer = np.zeros(n_wanted, dtype=bool)
        for dropped in range(len(columns)):
            by_fewer |= valid[columns[:dropped] + columns[dropped + 1 :]]
        if by_fewer.all():  # and so are all larger sets
            valid[columns] = by_fewer
            continue
        number, span = projected.numbers(columns)
        is_forbidden = np.zeros(span, dtype=bool)
        is_forbidden[number[n_wanted:]] = True
        valid[columns] = by_fewer | ~is_forbidden[number[:n_wanted]]
        new = np.flatnonzero(valid[columns] & ~by_fewer)
        for value, first in zip(*np.unique(number[new], return_index=True), strict=True):
            context = tuple((c, int(wanted[new[first], c])) for c in columns)
            primes[context] = number[:n_wanted] == value
            covered |= primes[context]
    if not covered.all():
        primes.update(_generalize_rows(wanted, forbidden, covered))
    return primes, len(valid) == 2**n


def _sets(n: int, most: int) -> Iterator[tuple[int, ...]]:
    """Yield sets of columns, small ones first, as long as all of a size can be looked through."""
    n_sets = 0
    for size in range(n + 1):
        n_sets += math.comb(n, size)
        if n_sets > most:
            return
        yield from combinations(range(n), size)


class Projections:
    """What rows say of some columns, as a number: the same for rows that say the same."""

    def __init__(self, rows: NDArray[np.uint16]) -> None:
        self._columns = [np.unique(column, return_inverse=True) for column in rows.T]
        self._known: dict[tuple[int, ...], tuple[NDArray[np.intp], int]] = {
            (): (np.zeros(len(rows), dtype=np.intp), 1)
        }
        self._most = max(MOST_SPAN, len(rows))

    def numbers(self, columns: tuple[int, ...]) -> tuple[NDArray[np.intp], int]:
        """Return a number for every row and one that is above all; from the set without its last column."""
        if columns not in self._known:
            states, codes = self._columns[columns[-1]]
            number, span = self.numbers(columns[:-1])
            number, span = number * len(states) + codes, span * len(states)
            if span > self._most:  # by rank, then
                different, number = np.unique(number, return_inverse=True)
                span = len(different)
            self._known[columns] = number, span
        return self._known[columns]


def _generalize_rows(
    wanted: NDArray[np.uint16], forbidden: NDArray[np.uint16], covered: NDArray[np.bool_]
) -> dict[Context, NDArray[np.bool_]]:
    """Return prime implicants for the rows that are not covered, each with those that it covers."""
    from graphoid.counts.native import kernels

    native, packed = kernels(), pack(np.concatenate([wanted, forbidden]))
    if native is None or packed is None:
        return generalize_plainly(wanted, forbidden, covered)
    codes, shifts = packed
    mine = codes[: len(wanted)]
    found = {}
    rows, fields = native.generalize(mine, codes[len(wanted) :], shifts, covered.astype(np.uint8))
    for row, kept in zip(rows.tolist(), fields, strict=True):
        columns = [c for c, shift in enumerate(shifts) if int(kept) >> shift & 1]
        context = tuple((c, int(wanted[row, c])) for c in columns)
        found[context] = (mine & kept) == (mine[row] & kept)
    return found


def generalize_plainly(
    wanted: NDArray[np.uint16], forbidden: NDArray[np.uint16], covered: NDArray[np.bool_]
) -> dict[Context, NDArray[np.bool_]]:
    """Return them one after the other, variable by variable: what the kernel is held to."""
    found, covered = {}, covered.copy()
    for row in np.flatnonzero(~covered):
        if not covered[row]:
            check_time()
            context = _generalize(wanted[row], forbidden)
            found[context] = _matching(wanted, context)
            covered |= found[context]
    return found


def _matching(rows: NDArray[np.uint16], context: Context) -> NDArray[np.bool_]:
    kept = np.ones(len(rows), dtype=bool)
    for column, state in context:
        kept &= rows[:, column] == state
    return kept


def _generalize(row: NDArray[np.uint16], forbidden: NDArray[np.uint16]) -> Context:
    """Return a prime implicant that covers a row: variables go, the last first, while none is forbidden."""
    differs = forbidden != row
    n_differences = differs.sum(axis=1)  # in the variables that are left; a row without one is covered
    kept = []
    for column in reversed(range(len(row))):
        without = n_differences - differs[:, column]
        if without.min() > 0:
            n_differences = without
        else:
            kept.append((column, int(row[column])))
    return tuple(reversed(kept))


def _smallest_cover(covers: NDArray[np.bool_], lengths: NDArray[np.intp]) -> list[int] | None:
    """Return the fewest contexts (a row each) that cover every column; of these the shortest.

    By integer programming; None if that takes too long.
    """
    if covers.size > MOST_CELLS:
        return None
    from scipy.optimize import Bounds, LinearConstraint, milp

    n_contexts, n_rows = covers.shape
    one_more = 1 + int(lengths.max()) * min(n_contexts, n_rows)  # dearer than any saving in length
    solved = milp(
        (one_more + lengths).astype(float),
        integrality=np.ones(n_contexts),
        bounds=Bounds(0, 1),
        constraints=LinearConstraint(covers.T.astype(float), 1, np.inf),
        options={"node_limit": MOST_NODES, "mip_rel_gap": 0.0},
    )
    return np.flatnonzero(solved.x > 0.5).tolist() if solved.status == 0 else None


def _greedy_cover(covers: NDArray[np.bool_]) -> list[int]:
    """Return contexts that cover every column: always the one that covers most of what is left."""
    left, chosen = np.ones(covers.shape[1], dtype=bool), []
    n_left = covers.sum(axis=1)
    while left.any():
        best = int(n_left.argmax())
        chosen.append(best)
        now = np.flatnonzero(covers[best] & left)
        n_left -= covers[:, now].sum(axis=1)
        left[now] = False
    return chosen
