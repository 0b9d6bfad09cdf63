"""Counting on a GPU what takes long elsewhere: all pairs, and one variable against all others given some."""

from __future__ import annotations

import math
import warnings
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar, cast

import numpy as np
import torch

from graphoid.counts.engine import MOST_COVARIED, Columns, Kernel, Screen, ScreenRequest
from graphoid.counts.gpu.planes import NOWHERE, DevicePlanes
from graphoid.counts.gpu.products import strong_pairs
from graphoid.counts.gpu.screen import PairFilter
from graphoid.counts.gpu.tables import AT_ONCE, count_groups, wide_groups
from graphoid.counts.native import DOFS, KINDS, NativeEngine, available_threads
from graphoid.errors import SlowWarning

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from graphoid.counts.engine import Resolve
    from graphoid.data.table import Table
    from graphoid.logic.source import Question

T = TypeVar("T")

SHARE = 0.8
"""Of the memory of a device that is free, what is taken."""

ON_PROCESSOR = 2**28
"""Bytes taken where the device is the processor itself, for tests."""


def device_there() -> torch.device | None:
    """Return the GPU that would count; None where there is none."""
    return torch.device("cuda") if torch.cuda.is_available() else None


class GpuEngine(NativeEngine):
    """Counts as :class:`NativeEngine` does, with all pairs of variables looked at on a GPU before.

    The device works out counts, exact whole numbers, and which pairs cannot be among the strongest; the
    native engine judges those that are left. So every answer is that of the native engine, to the last digit.

    Parameters
    ----------
    table
        What to count.
    threads, simd
        As of the native engine.
    device
        A PyTorch device; None for the GPU, or the processor where there is none.
    memory
        Bytes to take there; most of what is free by default. Tables that need more are sent block by block,
        at least the counts of 32 variables with all others at a time.
    """

    def __init__(
        self,
        table: Table,
        *,
        threads: int | None = None,
        simd: str | None = None,
        device: torch.device | str | None = None,
        memory: int | None = None,
    ) -> None:
        super().__init__(table, threads=threads, simd=simd)
        self.device = torch.device(device) if device is not None else device_there() or torch.device("cpu")
        self._memory = memory
        self._filter: PairFilter | None = None
        self._full = False

    def screen(self, kernel: Kernel, rank: Sequence[int], keep: ScreenRequest) -> Screen:
        """Return what to keep of a test of all pairs."""
        only, known = None, kernel.kind in ("g", "chi_square") and kernel.dof != "adjusted"
        if known and not keep.totals and self._on_device:
            only = self._try_there(lambda: self.pair_filter(kernel.kind).pairs(keep.partners, keep.limit))
        return self._screen(kernel, rank, keep, only)

    def judge(self, kernel: Kernel, questions: list[Question], resolve: Resolve) -> Columns:
        """Return the numbers of a test for every question, in order."""
        arities = np.array(self._arities)
        counts_here = kernel.kind != "mantel_haenszel" or int(arities.max(initial=0)) ** 2 <= MOST_COVARIED
        plain = self._table.weights is None and not self._table.holes
        if len(questions) < AT_ONCE or not (counts_here and plain and self._on_device):
            return super().judge(kernel, questions, resolve)
        found = self._try_there(lambda: self._judge_there(kernel, questions, resolve))
        return super().judge(kernel, questions, resolve) if found is None else found

    def _judge_there(self, kernel: Kernel, questions: list[Question], resolve: Resolve) -> Columns:
        """Return the numbers of a test, those of wide groups from counts of the device."""
        arities = np.array(self._arities)
        positions = [resolve(question) for question in questions]
        groups = wide_groups(positions, arities)
        wide = np.zeros(len(questions), dtype=bool)
        for group in groups:
            wide[group.places] = True
        rest = np.flatnonzero(~wide)
        numbers = np.zeros((5, len(questions)))
        if len(rest):
            found = super().judge(kernel, [questions[i] for i in rest.tolist()], resolve)
            numbers[:, rest] = found.statistic, found.dof, found.log_p, found.log_odds, found.cells
        settings = KINDS[kernel.kind], DOFS[kernel.dof], *kernel[2:]
        for places, shape, tables in count_groups(self._planes, groups, arities):
            numbers[:, places] = self._data.judge_tables(
                *settings, *shape, tables, available_threads(self.threads)
            )
        statistic, dof, log_p, log_odds, cells = numbers.tolist()
        x, y, given = (list(part) for part in zip(*positions, strict=True))
        return Columns(x, y, given, statistic, dof, list(map(math.exp, log_p)), log_p, log_odds, cells)

    def strong_pairs(
        self,
        lines: NDArray[np.float32],
        widths: NDArray[np.int64],
        limits: NDArray[np.float32],
        changed: NDArray[np.bool_],
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return pairs of variables whose lines have large products."""
        given = lines, widths, limits, changed
        found = self._try_there(lambda: strong_pairs(*given, self.device, self._free_memory()))
        return strong_pairs(*given, torch.device("cpu"), ON_PROCESSOR) if found is None else found

    def _try_there(self, work: Callable[[], T]) -> T | None:
        """Return what the device finds; None, also of all that follows, where its memory is not enough."""
        if self._full:
            return None
        try:
            return work()
        except torch.cuda.OutOfMemoryError:
            self._full = True
            self._filter = None
            self.__dict__.pop("_planes", None)
            lacks = "the native engine counts, since the GPU has too little memory left."
            warnings.warn(lacks, SlowWarning, stacklevel=4)
            return None

    def pair_filter(self, kind: str) -> PairFilter:
        """Return what looks at all pairs, with the table on the device."""
        if self._filter is None or self._filter.kind != kind:
            counts = self.table_cells([(v,) for v in range(len(self.variables))])
            self._filter = PairFilter(
                self._planes,
                np.array(self._arities),
                counts,
                kind=kind,
                complete=not self._table.holes,
                unit=self._unit,
            )
        return self._filter

    @property
    def _on_device(self) -> bool:
        """Whether the codes are of one byte, with one to spare."""
        return not self._continuous and max(self._arities, default=0) < NOWHERE

    @cached_property
    def _planes(self) -> DevicePlanes:
        weights, columns = self._table.weights, cast("Sequence[NDArray[np.uint8]]", self._table.columns)
        return DevicePlanes(
            columns, None if weights is None else weights.units, self.device, self._free_memory()
        )

    def _free_memory(self) -> int:
        """Return the bytes that may be taken on the device."""
        if self._memory is not None:
            return self._memory
        if self.device.type != "cuda":
            return ON_PROCESSOR
        return int(SHARE * torch.cuda.mem_get_info(self.device)[0])
