"""Effects of pairs in all rows, with their intervals, and in resamples.

A resample moves an effect, to first order, by what each of its rows adds to it more or less often: one
product of weights and influences in place of a fit for every resample.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from graphoid.data.table import Weights
from graphoid.limits import check_time
from graphoid.uncertainty.effects import NORMAL_95, Effects, sample_of
from graphoid.uncertainty.strength import Crossing, gaussian_bits

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from graphoid.structure.graph import UndirectedGraph
    from graphoid.uncertainty.resampling import Resampler

    Matrix = NDArray[np.float64]

NUMBERS = (
    *("size", "low", "high", "weight", "weight_low", "weight_high", "value", "value_low", "value_high"),
    *("p_value", "bits"),
)
"""Of a pair: effect size and edge weight; log odds ratio of two binary columns, or partial correlation; how
probable such an effect, or a larger one, is where there is none; bits."""

AT_ONCE = 10_000_000
"""Influences held in one go."""


class PairEffects(NamedTuple):
    """Effects of some pairs."""

    numbers: Matrix
    """A line a pair: :data:`NUMBERS`; not a number where there is none."""
    replicates: Matrix
    """A line a resample, a column a pair: the weight, or the size where there is no weight."""


def measure_effects(
    graph: UndirectedGraph, resampler: Resampler, crossings: Sequence[Crossing], n: int
) -> PairEffects:
    """Return the effects of some pairs in all rows and in so many resamples."""
    rows = resampler.rows
    weights = np.asarray(resampler.counts, dtype=np.float64)
    if rows.weights is not None:
        weights = weights * rows.weights.values
    counted = weights > 0
    effects = Effects(graph, rows.variables, sample_of(replace(rows, weights=Weights.of(weights))))
    found = PairEffects(np.full((len(crossings), len(NUMBERS)), np.nan), np.full((n, len(crossings)), np.nan))
    block = max(1, AT_ONCE // max(1, len(weights)))
    for start in range(0, len(crossings), block):
        part = range(start, min(len(crossings), start + block))
        influences = np.zeros((len(weights), len(part)))
        for k, i in enumerate(part):
            found.numbers[i], own = _measure(crossings[i], effects, resampler)
            if own is not None:
                influences[counted, k] = own
        for r in range(n):
            check_time()
            drawn = resampler.weights(r) * (1.0 if rows.weights is None else rows.weights.values)
            changed = drawn * (weights.sum() / max(drawn.sum(), 1e-300)) - weights
            found.replicates[r, part] = changed @ influences
    return found._replace(replicates=_replicates(found))


def _replicates(found: PairEffects) -> Matrix:
    """Return the effects of resamples from by how much they differ."""
    size, weight = found.numbers[:, 0], found.numbers[:, 3]
    squared = np.maximum(np.nan_to_num(size) ** 2 + found.replicates, 0.0)
    lines: Matrix = np.where(np.isnan(weight), np.sqrt(squared), weight + found.replicates)
    lines[:, np.isnan(size)] = np.nan
    return lines


def _measure(crossing: Crossing, effects: Effects, resampler: Resampler) -> tuple[Matrix, Matrix | None]:
    """Return the numbers of a pair, and what each row that counts adds to its weight or squared size."""
    x, y, given = crossing
    pair, variables, out = (x, y), resampler.rows.variables, np.full(len(NUMBERS), np.nan)
    if (odds := effects.log_odds(pair, given)) is not None:
        out[6:9] = odds[0] + NORMAL_95 * odds[1] * np.array([0.0, -1.0, 1.0])
    bits = effects.bits_of_slices(pair, given)
    out[10] = np.nan if bits is None else bits
    estimate = effects.estimate(pair)
    if estimate is None:
        return out, None
    out[:6] = [np.nan if value is None else value for value in estimate.effect]
    out[9] = estimate.p_value
    if variables[x].continuous and variables[y].continuous:
        out[6:9], out[10] = out[3:6], gaussian_bits(out[3])
    return out, estimate.influence
