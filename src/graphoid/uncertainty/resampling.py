r"""Resamples of a table: weights on its distinct rows, one random stream for each.

A resample is never a copy of the data. Rows that are alike are merged, and a resample says how much each of
them weighs; the variables keep all their states, so that a level may get the weight zero and is not lost.
Of data that stay where they are the distinct rows are fetched, by one count of all variables; they give the
same resamples as all rows in memory.

======== ============================================================================================
kind     weights
======== ============================================================================================
halves   one for half of the rows, drawn without replacement, else zero
rows     how often each row is drawn when as many rows as there are are drawn with replacement
bayesian Dirichlet with all parameters one, times the number of rows: none is zero ([Rubin1981]_)
cases    one for the rows that are kept when a share of them is drawn without replacement, else zero
======== ============================================================================================

A row that is drawn twice is no second row. What differs by chance in the sample differs once more by chance
in a resample of "rows" or "bayesian": where columns are independent a chi-square statistic there is on
average twice its degrees of freedom, so that tests find what is not there. A learner therefore gets these
weights halved (:data:`INFLATION`), which halves every statistic and every gain of a score. Halves of the rows
are as far from the sample as that and need no correction ([Politis1999]_).
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np

from graphoid.counts.assignments import Assignments
from graphoid.counts.contingency import size_in_words
from graphoid.counts.native import engine_for, kernels
from graphoid.data.remote.table import RemoteTable
from graphoid.data.table import Table, Weights, code_columns
from graphoid.errors import DataError, SettingsError, setting
from graphoid.limits import check_time
from graphoid.settings import Number, RandomState

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from graphoid._native import Resamples

Kind = Literal["halves", "rows", "bayesian", "cases"]

INFLATION = 2.0
"""By how much a statistic is larger in a resample with repeated rows where there is nothing to find."""

MOST_MERGED = 64
"""Rows that are merged into one: a weight stays far below 256, what the kernels hold in a byte."""

MOST_FETCHED = 2**21
"""Distinct rows that are fetched of data that stay where they are; 200 resamples of them take some 0.8 GB."""

SHARES = (0.95, 0.85, 0.75, 0.65, 0.55, 0.45, 0.35, 0.25)
"""Shares of the rows that case-dropping keeps, in turn."""


class Resampler:
    """Draws the resamples of a table.

    Parameters
    ----------
    table
        What to resample.
    kind
        "halves", "rows", "bayesian" or "cases".
    seed
        The stream of resample ``r`` is derived from this and ``r`` alone.
    shares
        Of the rows kept, for "cases": resample ``r`` keeps ``shares[r % len(shares)]``.
    merge
        Whether rows that are alike become one. Not where the numbers behind the codes are needed.
    """

    def __init__(
        self,
        table: Table,
        kind: Kind = "halves",
        seed: int = 0,
        shares: Sequence[float] = SHARES,
        *,
        merge: bool = True,
    ) -> None:
        if table.n_rows < 1:
            raise DataError("the table is empty: there are no rows to resample.")
        self.kind, self.seed, self.shares = kind, seed, tuple(shares)
        self._n_rows = table.n_rows
        if isinstance(table, RemoteTable):
            refuse_if_out_of_reach(table)
        merge = merge and table.weights is None and not any(v.continuous for v in table.variables)
        if merge:
            distinct = Assignments.of(engine_for(table))
            self.counts = split(distinct.units)
            codes = np.repeat(distinct.codes, -(-distinct.units // MOST_MERGED), axis=0)
            columns = code_columns(codes, table.variables)
            self.rows = Table(table.variables, columns, len(codes), name=table.name)
        else:
            self.counts = np.ones(table.n_rows, dtype=np.int64)
            self.rows = table
        # about what a binomial number costs beside drawing a row
        self._by_row = kind == "rows" and 20 * len(self.counts) >= self._n_rows
        self.held: dict[tuple[int, ...], Resamples | None] = {}
        """What the kernels made of some resamples, for whoever asks about the same ones next."""

    @cached_property
    def _row_of(self) -> NDArray[np.int32]:
        """For every row of the table the distinct row that it is."""
        return np.repeat(np.arange(len(self.counts), dtype=np.int32), self.counts)

    def share(self, r: int) -> float:
        """Return the share of the rows that a resample keeps."""
        if self.kind == "halves":
            return 0.5
        return self.shares[r % len(self.shares)] if self.kind == "cases" else 1.0

    def weights(self, r: int) -> NDArray[np.number]:
        """Return the weight of every row of :attr:`rows` in a resample: whole numbers unless "bayesian"."""
        n, distinct = self._n_rows, len(self.counts)
        if self._by_row:
            return draw_rows(self._key(r), self._row_of, distinct)
        rng = np.random.Generator(np.random.PCG64(self._stream(r)))
        if self.kind == "bayesian":
            drawn = rng.standard_gamma(self.counts.astype(np.float64))
            return np.asarray(drawn * (n / drawn.sum()))
        if self.kind in ("halves", "cases"):
            kept = rng.choice(n, max(1, round(self.share(r) * n)), replace=False, shuffle=False)
            return np.bincount(self._row_of[kept], minlength=distinct)
        return rng.multinomial(n, self.counts / n)

    def bytes(self, replicates: Sequence[int]) -> NDArray[np.uint8] | None:
        """Return a line of :meth:`weights` for each of some resamples; None if one does not fit into a byte.

        Not for "bayesian", whose weights are no whole numbers.
        """
        native, shape = kernels(), (len(replicates), len(self.counts))
        if native is not None and self._by_row:
            drawn = native.draw_together([self._key(r) for r in replicates], self._row_of, shape[1])
            return drawn.reshape(shape) if len(drawn) == shape[0] * shape[1] else None
        out = np.empty(shape, dtype=np.uint8)
        for line, r in zip(out, replicates, strict=True):
            check_time()
            weights = self.weights(r)
            if weights.max(initial=0) > 255:
                return None
            line[:] = weights
        return out

    def _stream(self, r: int) -> np.random.SeedSequence:
        return np.random.SeedSequence(self.seed, spawn_key=(r,))

    def _key(self, r: int) -> int:
        return int(self._stream(r).generate_state(1, np.uint64)[0])

    def table(self, r: int) -> Table:
        """Return a resample as a table with weights, from which a learner may learn."""
        drawn = self.weights(r) / (1.0 if self.kind in ("halves", "cases") else INFLATION)
        before = self.rows.weights
        return replace(self.rows, weights=Weights.of(drawn if before is None else drawn * before.values))


def refuse_if_out_of_reach(table: RemoteTable) -> None:
    """Raise before anything is fetched if the distinct rows of a table may be too many, or have weights."""
    if table.weighing is not None:
        raise DataError(
            f"{table.name!r} stays where it is and its rows have weights, which merged rows would lose; "
            f"resample it in memory: read it with {setting('where', 'memory')}."
        )
    most = min(table.n_rows, math.prod([v.arity for v in table.variables]))
    if most > MOST_FETCHED:
        size = size_in_words(most * (len(table.variables) + 8))
        raise DataError(
            f"to resample {table.name!r} its distinct rows are fetched: there may be {most:,} of them "
            f"({size}), the most is {MOST_FETCHED:,}. Read fewer columns, or all rows with "
            f"{setting('where', 'memory')}."
        )


def draw_rows(key: int, row_of: NDArray[np.int32], distinct: int) -> NDArray[np.number]:
    """Return how often each distinct row is drawn when as many rows as there are are drawn with replacement.

    Row ``i`` takes half a word of SplitMix64's stream of the key, the lower half where i is even; times the
    number of rows, its upper 32 bits say which row.
    """
    native = kernels()
    if native is not None:
        return np.asarray(native.draw_rows(key, row_of, distinct))
    n = len(row_of)
    with np.errstate(over="ignore"):  # all is meant modulo 2**64
        z = np.uint64(key) + np.arange(1, (n + 1) // 2 + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        z ^= z >> np.uint64(31)
    halves = np.stack([z & np.uint64(0xFFFFFFFF), z >> np.uint64(32)], axis=1).ravel()[:n]
    return np.bincount(row_of[(halves * np.uint64(n)) >> np.uint64(32)], minlength=distinct)


def split(units: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return whole numbers as sums of equal parts of at most :data:`MOST_MERGED`, one after the other.

    >>> split(np.array([3, 130, 1]))
    array([ 3, 44, 43, 43,  1])
    """
    parts = -(-units // MOST_MERGED)
    part_of = np.repeat(np.arange(len(units)), parts)
    place = np.arange(len(part_of)) - np.repeat(np.cumsum(parts) - parts, parts)
    split: NDArray[np.int64] = units[part_of] // parts[part_of] + (place < (units % parts)[part_of])
    return split


def seed_of(random_state: RandomState) -> int:
    """Return the seed that a ``random_state`` stands for: an integer itself, else one that is drawn."""
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**63))
    if random_state is None:
        return int(np.random.SeedSequence().generate_state(1, np.uint64)[0] >> np.uint64(1))
    if random_state not in Number(least=0, whole=True):
        raise SettingsError(
            f"random_state is {random_state!r}; it must be a whole number of at least 0, a Generator or None."
        )
    return int(random_state)
