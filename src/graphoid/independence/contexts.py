r"""Independence in a context: :math:`I(X_a, X_b \mid x_W)`, for every assignment of the data at once.

In the context :math:`x_W` only the rows that agree with it count, and X and Y are tested there as if nothing
else were known. All assignments that say the same of W share an answer, and all that share W share a count:
one table of (W, X, Y), whose every slice is judged by itself.
"""

from __future__ import annotations

import math
from collections import OrderedDict
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple, cast

import numpy as np

from graphoid.counts.assignments import Assignments
from graphoid.counts.engine import Columns, CountEngine
from graphoid.counts.native import KINDS, engine_for, kernels
from graphoid.data.table import Table, with_states
from graphoid.errors import DataError, SettingsError, setting
from graphoid.independence.base import DiscreteTest, KernelTest, Test
from graphoid.independence.classical import ClassicalTest
from graphoid.limits import check_time
from graphoid.logic.assertion import Assertion, Context

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from graphoid._native import Contexts

HELD_BYTES = 2**27
"""What answers kept for later questions may take: 128 MB; older ones are counted again."""

_MERGED = 2**20
"""Questions noted before those asked twice are taken out: 8 MB."""


def within_context(test: Test) -> DiscreteTest:
    """Return a test as it is used in a context: states that do not occur there cost no degrees of freedom."""
    if isinstance(test, type):
        raise SettingsError(f"the test must be an object: {test.__name__}(), not {test.__name__}.")
    if not isinstance(test, DiscreteTest):
        raise SettingsError(
            f"{test!r} does not judge tables of counts, and contexts are made of states; use ChiSquare, "
            f"GTest or BayesianTest."
        )
    return replace(test, dof="adjusted") if isinstance(test, ClassicalTest) else test


class Answers(NamedTuple):
    """What is known of X and Y in all configurations of W."""

    key: int
    """A number for (X, Y, W)."""
    slice_of: NDArray[np.integer]
    """The configuration of W that each assignment has."""
    independent: NDArray[np.bool_]
    """For every configuration."""
    n_rows: NDArray[np.float64]
    """For every configuration."""


class ContextTester:
    """Answers questions about contexts by a test on data.

    Parameters
    ----------
    test
        A :class:`~graphoid.ChiSquare`, :class:`~graphoid.GTest` or :class:`~graphoid.BayesianTest`, or
        anything with ``needs`` and ``judge``.
    table
        The data. Its distinct rows are the canonical assignments.

    Notes
    -----
    Where X or Y does not vary, they are independent, whatever the test. A chi-square or likelihood-ratio test
    counts the states that occur in the context, whatever its ``dof`` ("adjusted").
    """

    def __init__(self, test: Test, table: Table) -> None:
        self.test = within_context(test)
        table = with_states(table)
        if table.holes:
            raise DataError(
                f"{table.n_missing:,} cell(s) are missing, and contexts are rows without a hole; read the "
                f"table with {setting('missing', 'drop')}, or {setting('missing', 'category')}."
            )
        self.names = table.names
        self.states = tuple(variable.states for variable in table.variables)
        self.assignments = Assignments.of(engine_for(table))
        self.n_questions = 0
        """Questions so far, one for each assignment that one is about."""
        self.weighted = 0
        """Sum of 2 + |W| over the questions."""
        self.rows_read = 0.0
        """Rows behind the answers, added up over the questions."""
        self.n_counted = 0
        """Tables of (W, X, Y) counted."""
        self._keys: dict[tuple[int, int, tuple[int, ...]], int] = {}
        self._held: OrderedDict[int, Answers] = OrderedDict()
        self._held_bytes = 0
        self._distinct: NDArray[np.int64] = np.empty(0, dtype=np.int64)
        self._noted: list[NDArray[np.int64]] = []
        self._n_noted = 0
        self._native = self._next_to_kernel()

    def independent(self, x: int, y: int, given: Sequence[int], at: NDArray[np.intp]) -> NDArray[np.bool_]:
        """Return for some of the assignments whether X and Y are independent, each in its own context of W.

        Parameters
        ----------
        x, y
            Positions of X and Y.
        given
            Positions of W, the same for all.
        at
            Which assignments are asked about, by number.
        """
        check_time()
        answers = self._answers(x, y, tuple(sorted(given)))
        slices = answers.slice_of[at]
        self.n_questions += at.size
        self.weighted += at.size * (2 + len(given))
        self.rows_read += float(answers.n_rows[slices].sum())
        self._note(answers.key, slices)
        independent: NDArray[np.bool_] = answers.independent[slices]
        return independent

    @property
    def n_distinct(self) -> int:
        """How many different questions (X, Y, x_W) were asked; X and Y may change places."""
        self._merge()
        return self._distinct.size

    def distinct_so_far(self) -> Callable[[], int]:
        """Return what counts the different questions asked until now, when it is called."""
        distinct, noted = self._distinct, tuple(self._noted)
        return lambda: np.unique(np.concatenate([distinct, *noted])).size

    def _answers(self, x: int, y: int, given: tuple[int, ...]) -> Answers:
        """Return the answers for all assignments, counted now or kept."""
        key = self._keys.setdefault((min(x, y), max(x, y), given), len(self._keys))
        if key in self._held:
            self._held.move_to_end(key)
            return self._held[key]
        question = min(x, y), max(x, y), given
        answers = Answers(
            key, *(self._judge(*question) if self._native is None else self._judge_native(*question))
        )
        self.n_counted += 1
        self._held[key] = answers
        self._held_bytes += _size(answers)
        while self._held_bytes > HELD_BYTES and len(self._held) > 1:
            self._held_bytes -= _size(self._held.popitem(last=False)[1])
        return answers

    def _judge(
        self, x: int, y: int, given: tuple[int, ...]
    ) -> tuple[NDArray[np.integer], NDArray[np.bool_], NDArray[np.float64]]:
        """Judge every slice by the test itself: what the kernel is held to."""
        slice_of, n = self.assignments.slices(given)
        independent, n_rows = np.empty(n, dtype=bool), np.empty(n)
        groups = np.split(np.argsort(slice_of, kind="stable"), np.cumsum(np.bincount(slice_of))[:-1])
        for s, among in enumerate(groups):
            counts = self.assignments.counts((x, y), among)
            some = varies(self.assignments.codes[among][:, [x, y]])
            independent[s] = not some or self.test.judge(Assertion(x, y), counts).independent
            n_rows[s] = counts.total
        return slice_of, independent, n_rows

    def _judge_native(
        self, x: int, y: int, given: tuple[int, ...]
    ) -> tuple[NDArray[np.integer], NDArray[np.bool_], NDArray[np.float64]]:
        """Judge every slice next to its counts."""
        contexts, test = cast("tuple[Contexts, KernelTest]", self._native)
        slice_of, statistic, dof, log_p, log_odds, n_rows, some = contexts.judge(x, y, given)
        n, arities = len(n_rows), self.assignments.arities
        p_value = [math.exp(value) for value in log_p]
        cells = [float(arities[x] * arities[y])] * n
        columns = Columns([x] * n, [y] * n, [()] * n, statistic, dof, p_value, log_p, log_odds, cells)
        independent, _ = test.decisions(columns, n_rows)
        return slice_of, np.array(independent) | ~np.array(some), np.array(n_rows)

    def _next_to_kernel(self) -> tuple[Contexts, KernelTest] | None:
        """Return the assignments next to the kernel, and the test; None where there is none for it."""
        native = kernels()
        if native is None or not isinstance(self.test, KernelTest):
            return None
        held, kernel = self.assignments, self.test.kernel
        contexts = native.Contexts(
            np.ascontiguousarray(held.codes.T, dtype=np.uint16),
            list(held.arities),
            held.units,
            held.unit,
            KINDS[kernel.kind],
            kernel.log_prior,
            kernel.pseudo_count,
        )
        return contexts, self.test

    def _note(self, key: int, slices: NDArray[np.integer]) -> None:
        """Keep which questions were asked, as numbers: there are at most as many slices as assignments."""
        self._noted.append(key * len(self.assignments) + slices.astype(np.int64))
        self._n_noted += slices.size
        if self._n_noted > _MERGED:
            self._merge()

    def _merge(self) -> None:
        """Take out the questions that were asked before."""
        self._distinct = np.unique(np.concatenate([self._distinct, *self._noted]))
        self._noted, self._n_noted = [], 0


class PlainContexts:
    """Answers one question about one context after the other, each from its own count of the rows.

    The plain counterpart of :class:`ContextTester`, which gives the same answers.

    Parameters
    ----------
    test
        As in :class:`ContextTester`.
    data
        A table, or any engine that counts.
    """

    def __init__(self, test: Test, data: Table | CountEngine) -> None:
        self.test = within_context(test)
        self.engine: CountEngine = engine_for(with_states(data)) if isinstance(data, Table) else data
        self.n_questions = 0
        """Questions so far."""
        self.distinct: set[tuple[int, int, Context]] = set()
        """The different ones."""

    def independent(self, x: int, y: int, context: Context) -> bool:
        """Return whether X and Y are independent among the rows that agree with a context."""
        question = Assertion(x, y, (), context).canonical()
        self.n_questions += 1
        self.distinct.add((question.x, question.y, question.context))
        (counts,) = self.engine.counts([self.test.needs(question)])
        return not varies(counts.occurring()[0]) or self.test.judge(question, counts).independent


def varies(codes: NDArray[np.uint16]) -> bool:
    """Return whether no column of an array of codes has the same state throughout."""
    return bool(len(codes) and (codes != codes[0]).any(axis=0).all())


def _size(answers: Answers) -> int:
    return answers.slice_of.nbytes + answers.independent.nbytes + answers.n_rows.nbytes
