r"""Marginals of some binary variables given all the others, row by row, by Gibbs sampling.

The other variables of a row are evidence. Chains start from even random states; of a sampled variable
:math:`v` the mean of :math:`P(v = 1 \mid \text{all else})` over its updates is kept, not how often it was 1
(Rao-Blackwell: the same mean, less noise; [Gelfand1990]_).

A row has a key, and word :math:`c` of its stream is SplitMix64's ([Steele2014]_), counted over the chains one
after the other: first the initial states of a chain, then its updates, sweep by sweep. So the marginals
depend on the seed and not on threads, and are the same with the kernel and without.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np

from graphoid.counts.native import available_threads, kernels
from graphoid.errors import DataError, SettingsError
from graphoid.models.pseudo_likelihood import feature_members
from graphoid.settings import Allowed, Number, Settings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from graphoid.data.table import Table
    from graphoid.logic.assertion import Context


@dataclass(frozen=True, kw_only=True)
class ConditionalGibbs(Settings):
    """Samples hidden variables given the rest of each row.

    Parameters
    ----------
    n_chains, burn_in, n_samples
        Chains for each row, sweeps before a chain counts, and sweeps that count. The defaults are those of
        [Lowd2014]_.
    threads
        How many threads; None for all processors. The marginals do not depend on it.
    """

    n_chains: int = 10
    burn_in: int = 100
    n_samples: int = 1_000
    threads: int | None = None

    allowed: ClassVar[Mapping[str, Allowed]] = {
        "n_chains": Number(least=1, whole=True),
        "burn_in": Number(least=0, whole=True),
        "n_samples": Number(least=1, whole=True),
    }

    def marginals(
        self,
        features: Sequence[Context],
        weights: NDArray[np.float64],
        table: Table,
        hidden: Sequence[int],
        rng: np.random.Generator,
    ) -> NDArray[np.float64]:
        """Return the probability of state 1 of each hidden variable given the other columns, a line a row."""
        self._check(table, hidden)
        reduced = _hidden_features(features, weights, table, hidden)
        rows = np.ascontiguousarray(table.codes, dtype=np.uint8)
        keys = rng.integers(0, 2**64, size=table.n_rows, dtype=np.uint64)
        settings = self.n_chains, self.burn_in, self.n_samples
        native = kernels()
        if native is None:
            found = [_sample_row(reduced, row, key, settings) for row, key in zip(rows, keys, strict=True)]
            return np.array(found).reshape(table.n_rows, len(hidden))
        threads = available_threads(self.threads)
        out = native.gibbs_conditional(*reduced, rows, keys, *settings, threads)
        return np.asarray(out).reshape(table.n_rows, len(hidden))

    def _check(self, table: Table, hidden: Sequence[int]) -> None:
        self.check()
        n = len(table.variables)
        if len(set(hidden)) < len(hidden) or not all(0 <= v < n for v in hidden):
            raise SettingsError(f"hidden variables are different positions below {n}; got {tuple(hidden)}.")
        for variable in table.variables:
            if variable.arity != 2:
                raise DataError(
                    f"{variable.name!r} has {variable.arity} states; this sampler is for two. Recode it."
                )


class _HiddenFeatures(NamedTuple):
    """The features that mention hidden variables, their members told apart; the kernel's arguments."""

    n_hidden: int
    weight: NDArray[np.float64]
    first_evidence: NDArray[np.int64]
    evidence: NDArray[np.int32]
    evidence_state: NDArray[np.int32]
    first_hidden: NDArray[np.int64]
    hidden: NDArray[np.int32]
    hidden_state: NDArray[np.int32]


def _hidden_features(
    features: Sequence[Context], weights: NDArray[np.float64], table: Table, hidden: Sequence[int]
) -> _HiddenFeatures:
    members = feature_members(features, [v.arity for v in table.variables])
    number = np.full(len(table.variables), -1, dtype=np.int32)
    number[list(hidden)] = np.arange(len(hidden))
    feature = np.repeat(np.arange(len(features)), np.diff(members.first))
    inside = number[members.variable] >= 0
    touched = np.zeros(len(features), dtype=bool)
    touched[feature[inside]] = True
    touched &= np.asarray(weights) != 0

    def part(
        kept: NDArray[np.bool_], names: NDArray[np.int32]
    ) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32]]:
        kept = kept & touched[feature]
        sizes = np.bincount(feature[kept], minlength=len(features))[touched]
        return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64), names[kept], members.state[kept]

    return _HiddenFeatures(
        len(hidden),
        np.asarray(weights, dtype=np.float64)[touched],
        *part(~inside, members.variable),
        *part(inside, number[members.variable]),
    )


# The kernel's work in plain Python: the specification, and what runs without the kernels.


def _sample_row(
    features: _HiddenFeatures, row: NDArray[np.uint8], key: np.uint64, settings: tuple[int, int, int]
) -> NDArray[np.float64]:
    # what the evidence allows: weight, {hidden variable: state}
    left: list[tuple[float, dict[int, int]]] = []
    for f, weight in enumerate(features.weight):
        given = slice(features.first_evidence[f], features.first_evidence[f + 1])
        hidden = slice(features.first_hidden[f], features.first_hidden[f + 1])
        if (row[features.evidence[given]] == features.evidence_state[given]).all():
            pairs = zip(features.hidden[hidden].tolist(), features.hidden_state[hidden].tolist(), strict=True)
            left.append((float(weight), dict(pairs)))
    of = [[(weight, members) for weight, members in left if v in members] for v in range(features.n_hidden)]
    n_chains, burn_in, n_samples = settings
    means, counter = np.zeros(features.n_hidden), 0
    for _ in range(n_chains):
        states = [int(_uniform(key, counter + v) < 0.5) for v in range(features.n_hidden)]
        counter += features.n_hidden
        for sweep in range(burn_in + n_samples):
            for v in range(features.n_hidden):
                odds = 0.0
                for weight, members in of[v]:
                    if all(states[u] == state for u, state in members.items() if u != v):
                        odds += weight if members[v] else -weight
                p = 1 / (1 + np.exp(-odds))
                if sweep >= burn_in:
                    means[v] += p
                states[v] = int(_uniform(key, counter) < p)
                counter += 1
    return means / (n_chains * n_samples)


def _uniform(key: np.uint64, counter: int) -> float:
    mask = 2**64 - 1
    z = (int(key) + (counter + 1) * 0x9E3779B97F4A7C15) & mask
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
    return ((z ^ (z >> 31)) >> 11) * 2.0**-53
