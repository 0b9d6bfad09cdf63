"""Moves of a whole population, each graph by its own random numbers; compiled where that is possible.

:mod:`graphoid.learners.pfmn.reference` has every kernel in plain Python; both give the same for the same
keys.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from graphoid.counts.native import available_threads, kernels
from graphoid.learners.pfmn import reference
from graphoid.learners.pfmn.population import Evidence, Graphs, Pair, columns, ends, log_ratios
from graphoid.limits import within_time

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.random import Generator


I32: TypeAlias = NDArray[np.int32]
F64: TypeAlias = NDArray[np.float64]


class Target(NamedTuple):
    """The posterior that moves aim at, and the pairs that they may change."""

    evidence: Sequence[Evidence]
    free: Sequence[Pair]
    log_prior: F64
    """By the number of edges."""

    @property
    def columns(self) -> tuple[I32, I32, NDArray[np.uint64], F64, I32, I32]:
        """Evidence and free pairs as kernels take them."""
        return *columns(self.evidence), log_ratios(self.evidence), *ends(self.free)


def flip_moves(
    graphs: Graphs, target: Target, rng: Generator, *, alpha: float, steps: int, enough: int | None = None
) -> Graphs:
    """Move every graph by Metropolis steps that flip free pairs (:func:`reference.flip_moves`).

    All make the same number of steps: ``steps``, or as many as it takes until each has had ``enough``
    accepted.
    """
    keys, native = _keys(graphs, rng), kernels()

    def move(limit: int, enough: int) -> tuple[Graphs, NDArray[np.int64]]:
        if native is None:
            plain = partial(reference.flip_moves, target=target, alpha=alpha, steps=limit, enough=enough)
            return _change(graphs, keys, plain)
        after = graphs.copy()
        return after, native.population_flip_moves(
            after, *target.columns, target.log_prior, alpha, limit, enough, keys, available_threads()
        )

    never = steps + 1
    if enough is not None:  # the same keys give the same steps: first see how many it takes
        steps = int(move(steps, enough)[1].max(initial=0))
    return move(steps, never)[0]


def edge_moves(graphs: Graphs, target: Target, rng: Generator, *, steps: int) -> Graphs:
    """Move every graph by steps that remove, add or turn free edges (:func:`reference.edge_moves`)."""
    keys, native = _keys(graphs, rng), kernels()
    if native is None:
        return _change(graphs, keys, partial(reference.edge_moves, target=target, steps=steps))[0]
    after = graphs.copy()
    native.population_edge_moves(after, *target.columns, target.log_prior, steps, keys, available_threads())
    return after


def repair(
    graphs: Graphs, target: Target, rng: Generator, *, sure: float, rounds: int
) -> tuple[Graphs, NDArray[np.int64]]:
    """Change graphs until no sure answer contradicts them; return them and how many still do each."""
    keys, native = _keys(graphs, rng), kernels()
    if native is None:
        return _change(graphs, keys, partial(reference.repair, target=target, sure=sure, rounds=rounds))
    after = graphs.copy()
    return after, native.population_repair(after, *target.columns, sure, rounds, keys, available_threads())


def _keys(graphs: Graphs, rng: Generator) -> NDArray[np.uint64]:
    return rng.integers(0, 2**64, size=len(graphs), dtype=np.uint64)


def _change(
    graphs: Graphs, keys: NDArray[np.uint64], change: Callable[..., int]
) -> tuple[Graphs, NDArray[np.int64]]:
    """Return a copy of every graph changed in plain Python, and the number that comes with each change."""
    lists = graphs.tolist()
    numbers = [change(graph, key=key) for graph, key in within_time(zip(lists, keys.tolist(), strict=True))]
    return np.array(lists, dtype=np.uint64).reshape(graphs.shape), np.array(numbers, dtype=np.int64)
