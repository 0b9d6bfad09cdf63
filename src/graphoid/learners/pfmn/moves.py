"""Moves of a whole population, each graph by its own random numbers; compiled where that is possible.

:mod:`graphoid.learners.pfmn.reference` has every kernel in plain Python; both give the same for the same
keys.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from graphoid.counts.native import available_threads, kernels
from graphoid.learners.pfmn import reference
from graphoid.learners.pfmn.population import columns, ends, log_ratios

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.random import Generator
    from numpy.typing import NDArray

    from graphoid.learners.pfmn.population import Evidence, Graphs, Pair


def flip_moves(
    graphs: Graphs,
    evidence: Sequence[Evidence],
    free: Sequence[Pair],
    prior: NDArray[np.float64],
    rng: Generator,
    *,
    alpha: float,
    steps: int,
    enough: int | None = None,
) -> Graphs:
    """Move every graph by Metropolis steps that flip free pairs (:func:`reference.flip_moves`).

    All make the same number of steps: ``steps``, or as many as it takes until each has had ``enough``
    accepted.
    """
    keys = _keys(graphs, rng)
    native = kernels()

    def move(limit: int, enough: int) -> tuple[Graphs, NDArray[np.int64]]:
        if native is None:
            plain = partial(reference.flip_moves, evidence=evidence, free=free, log_prior=prior.tolist())
            return _change(graphs, keys, partial(plain, alpha=alpha, steps=limit, enough=enough))
        after = graphs.copy()
        return after, native.population_flip_moves(
            after, *columns(evidence), log_ratios(evidence), *ends(free), prior, alpha, limit, enough, keys,
            available_threads(),
        )  # fmt: skip

    never = steps + 1
    if enough is not None:  # the same keys give the same steps: first see how many it takes
        steps = int(move(steps, enough)[1].max(initial=0))
    return move(steps, never)[0]


def edge_moves(
    graphs: Graphs,
    evidence: Sequence[Evidence],
    free: Sequence[Pair],
    prior: NDArray[np.float64],
    rng: Generator,
    *,
    steps: int,
) -> Graphs:
    """Move every graph by steps that remove, add or turn free edges (:func:`reference.edge_moves`)."""
    keys = _keys(graphs, rng)
    native = kernels()
    if native is None:
        plain = partial(reference.edge_moves, evidence=evidence, free=free, log_prior=prior.tolist())
        return _change(graphs, keys, partial(plain, steps=steps))[0]
    after = graphs.copy()
    native.population_edge_moves(
        after, *columns(evidence), log_ratios(evidence), *ends(free), prior, steps, keys, available_threads()
    )
    return after


def repair(
    graphs: Graphs,
    evidence: Sequence[Evidence],
    free: Sequence[Pair],
    rng: Generator,
    *,
    sure: float,
    rounds: int,
) -> tuple[Graphs, NDArray[np.int64]]:
    """Change graphs until no sure answer contradicts them; return them and how many still do each."""
    keys = _keys(graphs, rng)
    native = kernels()
    if native is None:
        plain = partial(reference.repair, evidence=evidence, free=free, sure=sure, rounds=rounds)
        return _change(graphs, keys, plain)
    after = graphs.copy()
    return after, native.population_repair(
        after, *columns(evidence), log_ratios(evidence), *ends(free), sure, rounds, keys, available_threads()
    )


def _keys(graphs: Graphs, rng: Generator) -> NDArray[np.uint64]:
    return rng.integers(0, 2**64, size=len(graphs), dtype=np.uint64)


def _change(
    graphs: Graphs, keys: NDArray[np.uint64], change: Callable[..., int]
) -> tuple[Graphs, NDArray[np.int64]]:
    """Return a copy of every graph changed in plain Python, and the number that comes with each change."""
    lists = graphs.tolist()
    numbers = [change(graph, key=key) for graph, key in zip(lists, keys.tolist(), strict=True)]
    return np.array(lists, dtype=np.uint64).reshape(graphs.shape), np.array(numbers, dtype=np.int64)
