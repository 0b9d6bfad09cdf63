"""Counting with the compiled kernels, and the choice between them and NumPy."""

from __future__ import annotations

import math
import os
import warnings
from dataclasses import replace
from functools import cache, cached_property, partial
from typing import TYPE_CHECKING, cast
from weakref import WeakKeyDictionary

import numpy as np

from graphoid.counts.contingency import Counts, is_dense
from graphoid.counts.engine import (
    MOST_COVARIED,
    SMALL,
    Blanket,
    ChainSettings,
    Columns,
    CountEngine,
    CountRequest,
    DirectedSettings,
    Kernel,
    Logistic,
    Screen,
    ScreenRequest,
    logistic_bytes,
    model_too_large,
    refuse_if_too_large,
    refuse_if_too_many_states,
    refuse_large_models,
)
from graphoid.counts.gpu.choice import gpu_engine
from graphoid.counts.reference import ReferenceEngine
from graphoid.counts.weighted import WeightedEngine, WeightedJudge
from graphoid.data.remote.table import RemoteTable
from graphoid.errors import DataError, SettingsError, SlowWarning
from graphoid.limits import check_time, memory_limit

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from graphoid._native import Dataset, Directed, Kernels
    from graphoid.counts.engine import Resolve
    from graphoid.data.table import Codes, Table
    from graphoid.logic.source import Question

KINDS = {"chi_square": 0, "g": 1, "bayesian": 2, "mantel_haenszel": 3}
DOFS = {"slices": 0, "adjusted": 1, "full": 2}

_SMALL_BATCH = 2**20
"""Cells of a batch that can be counted without asking whether they fit into memory: 8 MB."""

_engines: WeakKeyDictionary[Table, CountEngine] = WeakKeyDictionary()
_said_slow = False


@cache
def kernels() -> Kernels | None:
    """Return the compiled module, or None where it is missing or switched off by GRAPHOID_NATIVE=0."""
    if os.environ.get("GRAPHOID_NATIVE", "1").lower() in {"0", "off", "false", "no"}:
        return None
    try:
        from graphoid import _native
    except ImportError:
        return None
    native = cast("Kernels", _native)
    native.set_poll(check_time)
    return native


def available_threads(wanted: int | None = None) -> int:
    """Return how many threads to use: as wanted, GRAPHOID_THREADS, or the processors there are."""
    if wanted is not None:
        return wanted
    setting = os.environ.get("GRAPHOID_THREADS", "")
    if setting:
        if not setting.isdecimal() or int(setting) < 1:
            raise SettingsError(f"GRAPHOID_THREADS is {setting!r}; it must be a whole number of at least 1.")
        return int(setting)
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else (os.cpu_count() or 1)


def engine_for(table: Table) -> CountEngine:
    """Return the fastest engine there is for a table; the same one when asked again."""
    engine = _engines.get(table)
    if engine is None and isinstance(table, RemoteTable):
        from graphoid.counts.remote.engine import remote_engine

        engine = _engines[table] = remote_engine(table)
    elif engine is None:
        # the same columns: an engine that held its own key would keep it forever
        engine = _engines[table] = _engine_in_memory(replace(table))
    return engine


def _engine_in_memory(table: Table) -> CountEngine:
    weighted = table.holes and table.missing == "weighted"
    if kernels() is not None:
        on_gpu = gpu_engine(table, available_threads())
        if weighted:
            return WeightedJudge(table, NativeEngine)
        return on_gpu or NativeEngine(table)
    _say_slow_once()
    return WeightedEngine(table, ReferenceEngine) if weighted else ReferenceEngine(table)


def _say_slow_once() -> None:
    global _said_slow  # noqa: PLW0603 - once a process is what is meant
    if not _said_slow:
        _said_slow = True
        warnings.warn(
            "graphoid runs without its compiled kernels: answers are the same and come slower. "
            "Install it where a C++ compiler is, and leave GRAPHOID_NATIVE unset.",
            SlowWarning,
            stacklevel=4,
        )


class NativeEngine:
    """Counts a table in memory with vectorised kernels.

    Parameters
    ----------
    table
        What to count. Its codes are used in place.
    threads
        How many threads a batch may use; None for all processors. The answers do not depend on it.
    simd
        "plain", "avx2" or "avx512"; None for the widest that the processor has.
    """

    def __init__(self, table: Table, *, threads: int | None = None, simd: str | None = None) -> None:
        native = kernels()
        if native is None:
            raise SettingsError("the compiled kernels are not there; use ReferenceEngine.")
        if table.n_rows >= 2**31:  # counts are 32 bits wide in the kernels, one of them for the sign
            raise DataError(f"{table.n_rows:,} rows are more than 2**31 - 1; split the table.")
        if threads is not None and threads < 1:
            raise SettingsError(f"threads is {threads}; it must be at least 1, or None for all processors.")
        limit = memory_limit()
        native.set_memory(2**63 if limit is None else limit)
        weights = table.weights
        self.variables = table.variables
        self.n_rows = table.n_rows if weights is None else weights.total
        self.threads = threads
        self._table = table
        self._unit = 1.0 if weights is None else weights.unit
        # continuous columns have no codes; a column of zeros keeps their place and is refused when asked for
        self._arities = tuple(v.arity for v in table.variables)
        self._index = {name: i for i, name in enumerate(table.names)}
        zeros = np.zeros(table.n_rows, dtype=np.uint8)
        self._scores: list[NDArray[np.float64] | None] = [None] * len(table.variables)
        self._continuous = frozenset(i for i, column in enumerate(table.columns) if column is None)
        self._native = native
        self._simd = simd or os.environ.get("GRAPHOID_SIMD", "")
        if self._simd and self._simd not in native.simd_names():
            raise SettingsError(
                f"this processor has no instruction set {self._simd!r}; "
                f"it has {', '.join(native.simd_names())}."
            )
        columns: list[Codes] = [
            zeros if column is None else column if column.flags.c_contiguous else column.copy()
            for column in table.columns
        ]
        arities = [max(1, arity) for arity in self._arities]
        try:
            units = None if weights is None else np.ascontiguousarray(weights.units)
            holes = sorted(table.holes - self._continuous)
            self._data = native.Dataset(columns, arities, table.n_rows, units, self._unit, self._simd, holes)
        except ValueError:  # a code without a state would be counted outside its table
            beyond = [arity + (i in table.holes) for i, arity in enumerate(arities)]
            at = next(i for i, column in enumerate(columns) if column.max(initial=0) >= beyond[i])
            raise DataError(
                f"{table.variables[at].name!r} has codes up to {columns[at].max()} and {arities[at]} states: "
                f"codes go from 0 to {arities[at] - 1}."
            ) from None

    @property
    def simd(self) -> str:
        """The instruction set in use."""
        return self._data.simd

    def counts(self, requests: Sequence[CountRequest]) -> list[Counts]:
        """Return the counts for every request, in order."""
        n_rows, unit, arities = self._table.n_rows, self._unit, self._arities
        shapes = [tuple([arities[v] for v in request[0]]) for request in requests]
        cells = [math.prod(shape) for shape in shapes]
        if sum(cells) > _SMALL_BATCH:
            refuse_if_too_large(requests, self, n_rows)
        plain = [i for i, n in enumerate(cells) if not requests[i][1] and is_dense(n, n_rows)]
        flat = self.table_cells([requests[i][0] for i in plain])
        answers: list[Counts | None] = [None] * len(requests)
        start = 0
        for i in plain:
            stop = start + cells[i]
            answers[i] = Counts(
                requests[i][0], shapes[i], flat[start:stop].reshape(shapes[i]), None, unit, n_rows
            )
            start = stop
        return [
            self._count(requests[i], shapes[i]) if answer is None else answer
            for i, answer in enumerate(answers)
        ]

    def codes(self, variable: int) -> Codes:
        """Return the code of every row."""
        return self._table.column(variable)

    def row_weights(self) -> NDArray[np.float64] | None:
        """Return the weight of every row; None where all count alike."""
        return None if self._table.weights is None else self._table.weights.values

    def table_cells(self, requests: list[tuple[int, ...]]) -> NDArray[np.int64]:
        """Return tables of tuples of variables as one flat array, for callers that want no objects."""
        if self._continuous:
            self._refuse_continuous({v for variables in requests for v in variables})
        return self._data.tables(requests, available_threads(self.threads))

    def judge(self, kernel: Kernel, questions: list[Question], resolve: Resolve) -> Columns:
        """Return the numbers of a test for every question, in order."""
        if kernel.kind == "mantel_haenszel" and max(self._arities, default=0) ** 2 > MOST_COVARIED:
            for question in questions:
                x, y, _ = resolve(question)
                refuse_if_too_many_states(self._arities[x], self._arities[y])
        columns = Columns(
            *self._data.judge(
                questions,
                self._index,
                resolve,
                KINDS[kernel.kind],
                DOFS[kernel.dof],
                *kernel[2:],
                available_threads(self.threads),
            )
        )
        if self._continuous:
            self._refuse_continuous({*columns.x, *columns.y, *(v for given in columns.given for v in given)})
        return columns

    def screen(self, kernel: Kernel, rank: Sequence[int], keep: ScreenRequest) -> Screen:
        """Return what to keep of a test of all pairs."""
        return self._screen(kernel, rank, keep)

    def _screen(
        self,
        kernel: Kernel,
        rank: Sequence[int],
        keep: ScreenRequest,
        only: NDArray[np.int32] | None = None,
    ) -> Screen:
        """Return what to keep of a test of all pairs, or of those with a line x < y in an array."""
        if self._continuous:
            self._refuse_continuous(set(self._continuous))
        if kernel.kind == "mantel_haenszel":
            most = sorted(self._arities)[-2:]
            refuse_if_too_many_states(most[0], most[-1])
        n = len(self._arities)
        partners = min(keep.partners, max(0, n - 1))
        kind, dof = KINDS[kernel.kind], DOFS[kernel.dof]
        threads = available_threads(self.threads)
        found = self._data.screen(
            kind, dof, *kernel[2:], partners, keep.limit, keep.totals, list(rank), threads, only
        )
        lines, strength, x, y, value, total = found
        return Screen(lines.reshape(n, partners), strength.reshape(n, partners), x, y, value, total)

    def closure_log_odds(self, kernel: Kernel, blankets: list[Blanket]) -> NDArray[np.float64]:
        """Return a line for every (x, blanket): for each y the log odds of X ⊥ Y | blanket without y."""
        flat = self._data.closures(
            blankets, kernel.log_prior, kernel.pseudo_count, kernel.occurring, available_threads(self.threads)
        )
        return flat.reshape(len(blankets), len(self._arities))

    def marginal_likelihoods(self, ess: float, blankets: list[Blanket]) -> NDArray[np.float64]:
        """Return the log marginal likelihood of every variable given its blanket."""
        return self._data.marginal_likelihood(blankets, ess, available_threads(self.threads))

    def directed_walk(self, order: Sequence[int], settings: DirectedSettings) -> Directed:
        """Return a walk over directed graphs from the one of the known arcs."""
        if self._continuous:
            self._refuse_continuous(set(order))
        threads = available_threads(self.threads)
        return self._native.Directed(self._data, list(order), *settings[:-1], *settings.known, threads)

    def directed_chain(
        self,
        order: Sequence[int],
        parents: Sequence[Sequence[int]],
        pairs: Sequence[tuple[int, int]],
        settings: ChainSettings,
    ) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float64], float]:
        """Draw directed graphs; return pairs with how probable they are joined, and the density of arcs."""
        if self._continuous:
            self._refuse_continuous(set(order))
        threads = available_threads(self.threads)
        return self._native.directed_chain(
            self._data, list(order), parents, list(pairs), *settings[:-1], *settings.known, threads
        )

    def logistic_terms(self, model: Logistic, blankets: list[Blanket]) -> NDArray[np.float64]:
        """Return what the best logistic model of every variable given its blanket is worth."""
        return self._fit_logistic(
            model,
            blankets,
            lambda margins, threads: self._data.logistic(
                blankets, *model[:3], model.moment, margins, self._scores, threads
            ),
        )

    def evidence_terms(self, model: Logistic, ess: float, blankets: list[Blanket]) -> NDArray[np.float64]:
        """Return a line for every blanket, of rows counted once: its logistic term, and that of its table."""
        flat = self._fit_logistic(
            model,
            blankets,
            lambda margins, threads: self._data.evidence(
                blankets, model.interactions, model.scale, model.moment, margins, ess, threads
            ),
        )
        return flat.reshape(len(blankets), 2)

    def _fit_logistic(
        self,
        model: Logistic,
        blankets: list[Blanket],
        fit: Callable[[list[list[float]], int], NDArray[np.float64]],
    ) -> NDArray[np.float64]:
        """Return what a kernel makes of the margins of ordered variables, so many threads, and the memory."""
        most = max(self._arities, default=0)
        if logistic_bytes(most + most**2 * max((len(b) for _, b in blankets), default=0)) > SMALL:
            refuse_large_models(self.variables, blankets, ordered=model.ordered)
        margins = self._ordered_margins if model.ordered else [[] for _ in self.variables]
        try:
            return fit(margins, available_threads(self.threads))
        except MemoryError as error:
            if len(error.args) != 2:  # the system's own
                raise
            at, n_bytes = error.args
            x, blanket = blankets[at]
            states = [(self.variables[v].name, self._arities[v]) for v in (x, *blanket)]
            raise model_too_large(states, n_bytes) from None

    @cached_property
    def _ordered_margins(self) -> list[list[float]]:
        """For ordered variables of more than two states how many rows each of them has; [] for others."""
        ordered = [i for i, v in enumerate(self.variables) if v.ordered and v.arity > 2]
        counted = self.counts([CountRequest((v,)) for v in ordered])
        margins: list[list[float]] = [[] for _ in self.variables]
        for v, counts in zip(ordered, counted, strict=True):
            margins[v] = counts.dense().tolist()
        return margins

    def _refuse_continuous(self, variables: set[int]) -> None:
        for v in sorted(self._continuous & variables):
            self._table.codes_of(v)  # raises, and says what to do

    def _count(self, request: CountRequest, shape: tuple[int, ...]) -> Counts:
        """Count in a context, or list the configurations that occur."""
        variables = tuple(request.variables)
        self._refuse_continuous({*variables, *(v for v, _ in request.context)})
        columns = [self._table.codes_of(v) for v in variables]
        data, positions = self._data, list(variables)
        if request.context:
            columns, data = self._within(request, columns)
            positions = list(range(len(variables)))
        if is_dense(math.prod(shape), self._table.n_rows):
            cells = data.tables([tuple(positions)], available_threads(self.threads)).reshape(shape)
            return Counts(variables, shape, cells, None, self._unit, self._table.n_rows)
        codes, rows, cells = data.occurring(positions)
        if self._table.weights is not None:
            rows, cells = rows[cells > 0], cells[cells > 0]  # rows of weight zero do not occur

        def configurations() -> NDArray[np.uint16]:
            if codes.size:
                return np.stack(np.unravel_index(codes, shape), axis=1).astype(np.uint16)
            return np.stack([column[rows] for column in columns], axis=1).astype(np.uint16)

        return Counts(variables, shape, cells, configurations, self._unit, self._table.n_rows)

    def __reduce__(self) -> tuple[partial[NativeEngine], tuple[Table]]:
        # for copies and pickles: what the kernels hold is made again, where it comes back
        return partial(type(self), threads=self.threads), (self._table,)

    def _within(self, request: CountRequest, columns: list[Codes]) -> tuple[list[Codes], Dataset]:
        """Return the columns of the rows in the context, and a data set of them alone."""
        kept = np.ones(self._table.n_rows, dtype=bool)
        for variable, state in request.context:
            kept &= self._table.codes_of(variable) == state
        rows = np.flatnonzero(kept)
        columns = [column[rows] for column in columns]
        weights = self._table.weights
        units = None if weights is None else weights.units[rows]
        arities = [self._arities[v] for v in request.variables]
        holes = [k for k, v in enumerate(request.variables) if v in self._table.holes]
        return columns, self._native.Dataset(
            columns, arities, len(rows), units, self._unit, self._simd, holes
        )
