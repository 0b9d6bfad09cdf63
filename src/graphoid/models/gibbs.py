r"""Gibbs sampling of binary variables, compiled where that is possible.

Chains run side by side in groups of 64, each group from its own stream of random words. The sample depends on
the seed and the settings, never on the number of threads, and is the same with the kernel and without.

The stream of a group with key :math:`k` is counted, not carried along: word :math:`c` is SplitMix64's mixing
of :math:`k + (c + 1) \gamma` ([Steele2014]_). Sweep :math:`s` (the initial states are sweep 0) takes for
variable :math:`v` of :math:`n` the 32 words from :math:`32 (s n + v)` on; chain :math:`2j` gets the lower and
chain :math:`2j + 1` the upper half of the :math:`j`-th of them as a number :math:`u` below :math:`2^{32}`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np

from graphoid.counts.native import available_threads, kernels
from graphoid.models.factors import Factor, check_factors, log_odds, spread
from graphoid.settings import Allowed, Number, Settings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

GROUP = 64
"""Chains that share a stream; the kernel is written for this number."""

FUSED = 10
"""Most neighbors whose conditional is one table: 1,024 thresholds of four bytes stay in the nearest cache."""

BLOCK = 8
"""Neighbors in one table of log-odds where there are more than that: 256 numbers."""

_GAMMA = np.uint64(0x9E3779B97F4A7C15)  # the odd integer nearest 2**64 divided by the golden ratio
_MIX = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))  # SplitMix64's multipliers


@dataclass(frozen=True, kw_only=True)
class GibbsSampler(Settings):
    """Draws rows by updating one variable after the other given all others.

    Rows are taken from all chains in turn: with ``n_chains`` chains, rows ``r`` and ``r + n_chains`` come
    from the same chain, ``thin`` sweeps apart.

    Parameters
    ----------
    burn_in
        Sweeps over all variables before the first row of a chain.
    thin
        Sweeps from one row of a chain to its next.
    n_chains
        How many chains, rounded up to a multiple of 64; never more than there are rows.
    threads
        How many threads; None for all processors. The sample does not depend on it.

    Notes
    -----
    The defaults are from measured autocorrelation (``benchmarks/gibbs.py``): in Ising models of 75 and 200
    variables of degree 3 with couplings between .3 and .6, the slowest variable has an integrated
    autocorrelation time of 13 to 27 sweeps and a correlation of .45 after 10 sweeps, .04 after 50. The
    burn-in is some twenty times that time.

    Chains start from even random states. Where the distribution has modes that single updates do not leave
    (strong dependences of one sign on a dense graph), each chain stays near the mode it fell into, and the
    weights of the modes are those of their basins: no burn-in mends that.
    """

    burn_in: int = 500
    thin: int = 50
    n_chains: int = 1024
    threads: int | None = None

    allowed: ClassVar[Mapping[str, Allowed]] = {
        "burn_in": Number(least=0, whole=True),
        "thin": Number(least=1, whole=True),
        "n_chains": Number(least=1, whole=True),
        "threads": Number(least=1, whole=True, optional=True),
    }

    def draw(
        self, n: int, factors: Sequence[Factor], n_rows: int, rng: np.random.Generator
    ) -> NDArray[np.uint8]:
        """Return rows drawn from a product of factors over ``n`` variables, one line for each variable."""
        self.check()
        groups = -(-min(self.n_chains, max(n_rows, 1)) // GROUP)
        keys = rng.integers(0, 2**64, size=groups, dtype=np.uint64)
        times = -(-n_rows // (groups * GROUP))
        return self.chains(n, check_factors(n, factors), keys, times)[:, :n_rows]

    def chains(
        self, n: int, factors: Sequence[Factor], keys: NDArray[np.uint64], times: int
    ) -> NDArray[np.uint8]:
        """Return ``times`` rows of 64 chains for each key, all chains in turn, one line for each variable."""
        plan = conditionals(n, factors)
        native = kernels()
        if native is None:
            return _draw(plan, keys, times, self.burn_in, self.thin)
        threads = available_threads(self.threads)
        out: NDArray[np.uint8] = native.gibbs(*plan, keys, times, self.burn_in, self.thin, threads)
        return out


class Conditionals(NamedTuple):
    r"""The distribution of every variable given the others, as tables ready to be looked up.

    Variable ``v`` has terms ``first_term[v]`` to ``first_term[v + 1] - 1``. Term ``t`` looks at the variables
    ``members[first_member[t] : first_member[t + 1]]``, whose states, the first as the lowest bit, are an
    index into its table, which starts at ``first_cell[t]``: of ``thresholds`` where it is the only term, so
    that :math:`v = 1` where :math:`u` is below the threshold :math:`2^{32} P(v = 1 \mid \cdot)`; of
    ``log_odds`` where there are several, to be summed.
    """

    first_term: NDArray[np.int64]
    first_member: NDArray[np.int64]
    first_cell: NDArray[np.int64]
    members: NDArray[np.int32]
    thresholds: NDArray[np.uint32]
    log_odds: NDArray[np.float64]


def conditionals(n: int, factors: Sequence[Factor]) -> Conditionals:
    """Return the conditional distributions of a product of factors."""
    of: list[list[Factor]] = [[] for _ in range(n)]
    for factor in factors:
        for v in factor.members:
            of[v].append(factor)
    first_term, first_member, first_cell = [0], [0], []
    members: list[int] = []
    thresholds: list[NDArray[np.uint32]] = []
    odds: list[NDArray[np.float64]] = []
    cells = [0, 0]  # so far: thresholds, log-odds
    for v in range(n):
        terms = _terms([log_odds(v, factor) for factor in of[v]])
        for looked_at, values in terms:
            flat = values.transpose().ravel()  # the first member varies fastest: the lowest bit
            if len(terms) == 1:
                thresholds.append(threshold(flat))
            else:
                odds.append(flat)
            members += looked_at
            first_member.append(len(members))
            first_cell.append(cells[len(terms) > 1])
            cells[len(terms) > 1] += flat.size
        first_term.append(len(first_member) - 1)
    return Conditionals(
        np.array(first_term, dtype=np.int64),
        np.array(first_member, dtype=np.int64),
        np.array(first_cell, dtype=np.int64),
        np.array(members, dtype=np.int32),
        np.concatenate([np.empty(0, dtype=np.uint32), *thresholds]),
        np.concatenate([np.empty(0), *odds]),
    )


def threshold(log_odds: NDArray[np.float64]) -> NDArray[np.uint32]:
    r"""Return :math:`2^{32} p` for the probability of given log-odds; never 0 and never all of it."""
    with np.errstate(over="ignore"):
        p = 1.0 / (1.0 + np.exp(-log_odds))
    return np.clip(np.rint(p * 2.0**32), 1, 2**32 - 1).astype(np.uint32)


def _terms(
    parts: list[tuple[tuple[int, ...], NDArray[np.float64]]],
) -> list[tuple[tuple[int, ...], NDArray[np.float64]]]:
    """Return parts of a sum of log-odds added up: into one table for few neighbors, into several for many."""
    neighbors = sorted({v for looked_at, _ in parts for v in looked_at})
    most = FUSED if len(neighbors) <= FUSED else BLOCK
    blocks: list[tuple[set[int], list[tuple[tuple[int, ...], NDArray[np.float64]]]]] = [(set(), [])]
    for part in sorted(parts, key=lambda part: sorted(part[0])):
        union = blocks[-1][0] | set(part[0])
        if len(union) > most and blocks[-1][1]:
            blocks.append((set(part[0]), [part]))
        else:
            blocks[-1] = (union, [*blocks[-1][1], part])
    terms = []
    for union, inside in blocks:
        over = tuple(sorted(union))
        total = np.zeros((2,) * len(over))
        for looked_at, values in inside:
            total += spread(looked_at, values, over)
        terms.append((over, total))
    return terms


def _draw(
    plan: Conditionals, keys: NDArray[np.uint64], times: int, burn_in: int, thin: int
) -> NDArray[np.uint8]:
    """Return what the kernel does, in NumPy: ``times`` rows of every chain, one line for each variable."""
    n, chains = len(plan.first_term) - 1, len(keys) * GROUP
    out = np.empty((n, times, chains), dtype=np.uint8)
    states = (uniforms(keys, 0, n) < 2**31).astype(np.uint8)
    sweep = 0
    for row in range(times):
        for _ in range(thin if row else burn_in):
            sweep += 1
            _sweep(plan, states, uniforms(keys, sweep, n))
        out[:, row] = states
    return out.reshape(n, times * chains)


def _sweep(plan: Conditionals, states: NDArray[np.uint8], uniforms: NDArray[np.uint32]) -> None:
    for v in range(len(states)):
        first, last = plan.first_term[v], plan.first_term[v + 1]
        if last - first == 1:
            states[v] = uniforms[v] < plan.thresholds[_cells(plan, first, states)]
            continue
        total = np.zeros(states.shape[1])
        for t in range(first, last):
            total += plan.log_odds[_cells(plan, t, states)]
        with np.errstate(over="ignore"):
            states[v] = (uniforms[v] + 0.5) * 2.0**-32 < 1.0 / (1.0 + np.exp(-total))


def _cells(plan: Conditionals, term: int, states: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Return for every chain the cell of a term's table that its states point to."""
    at = np.full(states.shape[1], plan.first_cell[term], dtype=np.int64)
    for bit, v in enumerate(plan.members[plan.first_member[term] : plan.first_member[term + 1]]):
        at += states[v].astype(np.int64) << bit
    return at


def uniforms(keys: NDArray[np.uint64], sweep: int, n: int) -> NDArray[np.uint32]:
    """Return the numbers of one sweep, one line of ``n`` for all chains of a variable."""
    words = GROUP // 2
    counter = np.arange(n * words, dtype=np.uint64) + np.uint64(sweep * n * words + 1)
    z = keys[None, :, None] + (counter * _GAMMA).reshape(n, 1, words)
    z = (z ^ (z >> np.uint64(30))) * _MIX[0]
    z = (z ^ (z >> np.uint64(27))) * _MIX[1]
    z ^= z >> np.uint64(31)
    halves: NDArray[np.uint32] = z.astype("<u8", copy=False).view("<u4").astype(np.uint32, copy=False)
    return halves.reshape(n, len(keys) * GROUP)
