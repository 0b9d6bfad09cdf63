"""A graph from every resample.

A learner that has a kernel over resamples, as grow-shrink learners with a classical test do, learns from all
of them at once and shares what is counted (``native/counting/resamples.cpp``,
``native/graphs/grow_shrink.cpp``); any other is given one weighted table after the other. Both ways give the
same graphs.
"""

from __future__ import annotations

import copy
import os
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from graphoid.counts.engine import MOST_COVARIED
from graphoid.counts.native import DOFS, KINDS, kernels
from graphoid.limits import check_time, map_threads, memory_limit
from graphoid.logic.names import name_order, name_rank
from graphoid.uncertainty.inclusion import probabilities

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from graphoid._native import Resamples
    from graphoid.data.table import Table
    from graphoid.learners.base import AnyLearner
    from graphoid.structure.contexts import CanonicalModel
    from graphoid.structure.graph import Edge, UndirectedGraph
    from graphoid.structure.learned import LearnedStructure
    from graphoid.uncertainty.resampling import Resampler


class Found(NamedTuple):
    """What a learner found in some resamples: a line each, a column a pair as :func:`pairs_of` has them."""

    joined: NDArray[np.bool_]
    probability: NDArray[np.float64] | None = None
    """How probable each pair is joined; None for learners that have no posterior over graphs."""

    @classmethod
    def all_of(cls, parts: Sequence[Found]) -> Found:
        """Return the parts one after the other."""
        known = [part.probability for part in parts if part.probability is not None]
        joined = np.concatenate([part.joined for part in parts])
        return cls(joined, np.concatenate(known) if len(known) == len(parts) else None)


def structure_of(learner: AnyLearner, table: Table) -> LearnedStructure | CanonicalModel:
    """Return what a learner finds in a table; the learner itself is left as it is."""
    found: LearnedStructure | CanonicalModel = copy.copy(learner).fit(table).structure_
    check_time()  # a search that the time of somebody outside has cut short returns what it has
    return found


def graph_of(learner: AnyLearner, table: Table) -> UndirectedGraph:
    """Return the graph that a learner finds in a table."""
    return structure_of(learner, table).graph


def learn_resamples(
    learner: AnyLearner, resampler: Resampler, replicates: Sequence[int], n_jobs: int = 1
) -> Found:
    """Return what the learner finds in every resample."""
    n = len(resampler.rows.variables)
    upper, pairs = np.triu_indices(n, 1), pairs_of(n)
    parts = _parts(resampler, replicates, n_jobs)
    settings = kernel_settings(learner, resampler)
    rank = name_rank(resampler.rows.names)

    def one(r: int) -> Found:
        structure = structure_of(learner, resampler.table(r))
        adjacency = np.zeros((n, n), dtype=bool)
        for x, y in structure.graph.edges:
            adjacency[x, y] = True
        probability = probabilities(structure, pairs)
        return Found(adjacency[upper][None], None if probability is None else probability[None])

    def part_of(part: tuple[int, ...]) -> Found:
        if settings is not None and (native := load_resamples(resampler, part)) is not None:
            edges, _ = native.grow_shrink(*settings)
            joined = edges.reshape(len(part), n, n)[:, rank][:, :, rank]
            return Found((joined | joined.transpose(0, 2, 1))[:, *upper].astype(bool))
        return Found.all_of([one(r) for r in part])

    nothing = Found(np.zeros((0, len(pairs)), dtype=bool))
    return Found.all_of(map_threads(part_of, parts, n_jobs) or [nothing])


def native_fits(resampler: Resampler) -> bool:
    """Return whether the kernels can count resamples of these rows together, if weights are whole numbers."""
    return (
        kernels() is not None
        and resampler.rows.weights is None
        and all(1 <= v.arity <= 256 for v in resampler.rows.variables)
    )


def kernel_settings(
    learner: AnyLearner, resampler: Resampler
) -> tuple[int, int, float, bool, bool, bool, bool, float] | None:
    """Return the learner's settings for the kernels, or None where these do not have them."""
    if resampler.kind in ("rows", "bayesian") or not native_fits(resampler):
        return None  # the kernels count whole rows, and repeated ones weigh less
    settings = learner.resample_kernel()
    largest = max((v.arity for v in resampler.rows.variables), default=1)
    if settings is None or (settings.test.kind == "mantel_haenszel" and largest**2 > MOST_COVARIED):
        return None
    return (KINDS[settings.test.kind], DOFS[settings.test.dof], *settings[1:])


def _parts(resampler: Resampler, replicates: Sequence[int], n_jobs: int) -> list[tuple[int, ...]]:
    """Return the resamples in parts, one a thread or more; what the kernels hold of others is let go."""
    # the kernels hold a number for every pair of variables and a byte for every row of each resample, of all
    # parts that are done at once
    held = max(1, n_jobs) * (8 * len(resampler.rows.variables) ** 2 + len(resampler.counts))
    most = max(1, (memory_limit() or 2**63) // max(1, held))
    split = np.array_split(np.array(replicates, dtype=np.int64), max(1, n_jobs, -(-len(replicates) // most)))
    parts = [tuple(part.tolist()) for part in split if len(part)]
    for other in set(resampler.held) - set(parts):
        del resampler.held[other]
    return parts


def load_resamples(resampler: Resampler, replicates: tuple[int, ...]) -> Resamples | None:
    """Return resamples for the kernels to count together, or None if a weight is too large for them."""
    native = kernels()
    if native is None:
        return None
    if replicates not in resampler.held:
        weights = resampler.bytes(replicates)
        resampler.held[replicates] = (
            None if weights is None else native.Resamples(*_for_kernels(resampler, weights))
        )
    held: Resamples | None = resampler.held[replicates]
    return held


def _for_kernels(
    resampler: Resampler, weights: NDArray[np.uint8]
) -> tuple[NDArray[np.uint8], list[int], NDArray[np.uint8], str]:
    """Return the codes of the rows, a line a variable, their states, weights, and the instruction set.

    Variables come in the order of their names, by which learners break ties.
    """
    rows = resampler.rows
    order = name_order(rows.names)
    codes = np.array([rows.column(i) for i in order], dtype=np.uint8)
    return codes, [rows.variables[i].arity for i in order], weights, os.environ.get("GRAPHOID_SIMD", "")


def pairs_of(n: int) -> list[Edge]:
    """Return all pairs x < y in the order of the columns of :func:`learn_resamples`."""
    return [(int(x), int(y)) for x, y in zip(*np.triu_indices(n, 1), strict=True)]
