"""Scores of directed graphs: a sum over variables and their parents, plainly."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from graphoid.counts.engine import CountRequest
from graphoid.independence.bayesian import log_rising
from graphoid.logic.names import name_order
from graphoid.scores.base import configurations_of, family_counts

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from graphoid.counts.contingency import Counts
    from graphoid.counts.engine import CountEngine
    from graphoid.structure.knowledge import KnownPairs

ParentSet = tuple[int, ...]
"""Positions of parents, ascending."""


@dataclass(eq=False)
class FamilyScorer:
    r"""BIC ([Schwarz1978]_) or BDeu ([Heckerman1995]_) of a directed graph, joined to what counts the data.

    A variable with :math:`r` states, whose parents have :math:`q` configurations, has the term

    .. math:: \sum_{jk} N_{jk} \log \frac{N_{jk}}{N_j} - \frac{\log N}{2} (r - 1) q

    by BIC and, for an equivalent sample size :math:`s`,

    .. math:: \sum_j \log \frac{\Gamma(s / q)}{\Gamma(s / q + N_j)}
        + \sum_k \log \frac{\Gamma(s / (r q) + N_{jk})}{\Gamma(s / (r q))}

    by BDeu, with :math:`N_{jk}` the rows in which the parents have configuration j and the variable state k.
    That is the ratio of two marginal likelihoods, of the table of the variable and its parents and of the
    table of the parents. Where several equivalent sample sizes are as likely, either is its mean over them.
    Graphs with the same independences have the same score.

    Parameters
    ----------
    engine
        What counts.
    ess
        Equivalent sample sizes of BDeu, each as likely as the others; none for BIC.
    density
        The probability that two variables have an arc, with which the logarithm of its odds for either
        direction counts for every arc; None where all graphs are as likely.
    known
        What is known of pairs: arcs of those that have a probability of their own count by that.

    Notes
    -----
    States that never occur have no parameters: r and q do not count them. [Heckerman1995]_ has one equivalent
    sample size for all tables. Under one row's worth of prior a table of many cells is all but deterministic,
    and what suits it drowns a small one ([Silander2007]_, [Steck2008]_).
    """

    engine: CountEngine
    ess: tuple[float, ...] = ()
    density: float | None = None
    known: KnownPairs | None = None
    terms: dict[tuple[int, ParentSet], float] = field(default_factory=dict, init=False, repr=False)
    """The terms computed so far."""

    def __post_init__(self) -> None:
        self.names = tuple(v.name for v in self.engine.variables)
        self.n = len(self.names)
        self.order = name_order(self.names)
        """The variables in the order that decides between equals, which is not that of the columns."""
        self.rows = float(self.engine.n_rows)
        margins = self.engine.counts([CountRequest((v,)) for v in range(self.n)])
        occurring = [_positive(counts) for counts in margins]
        self.states = [max(1, len(rows)) for rows in occurring]
        """How many states of each variable occur."""
        self.entropies = [
            _c_log_c([self.rows]) - _c_log_c(rows) if self.rows > 0 else 0.0 for rows in occurring
        ]
        """Of each variable the log-likelihood with its sign turned: the most that parents can explain."""

    @property
    def arc_log_odds(self) -> float:
        """Log odds of every arc a priori."""
        return 0.0 if self.density is None else math.log(self.density / 2) - math.log1p(-self.density)

    @property
    def price(self) -> float:
        """What a parameter costs by BIC."""
        return 0.5 * math.log(self.rows) if self.rows > 1 else 0.0

    def configurations(self, parents: Iterable[int]) -> float:
        """Return how many configurations of states that occur some variables have."""
        return math.prod(float(self.states[p]) for p in parents)

    def local(self, x: int, parents: ParentSet) -> float:
        """Return the term of a variable and its parents."""
        self.prepare([(x, parents)])
        return self.terms[x, parents]

    def prepare(self, families: Iterable[tuple[int, ParentSet]]) -> None:
        """Compute terms that are not held yet, from counts that are asked for together."""
        missing = list(dict.fromkeys(family for family in families if family not in self.terms))
        if missing:
            counted = family_counts(self.engine, missing)
            for (x, parents), counts in zip(missing, counted, strict=True):
                self.terms[x, parents] = self._term(x, parents, counts)

    def value(self, parents: Sequence[Iterable[int]]) -> float:
        """Return the score of the graph in which these are the parents of each variable."""
        families = [(x, tuple(sorted(own))) for x, own in enumerate(parents)]
        self.prepare(families)
        arcs = [(p, x) for x, own in families for p in own]
        stated = {} if self.known is None else self.known.log_odds
        own = [stated[pair] - math.log(2) for pair in map(ascending, arcs) if pair in stated]
        prior = self.arc_log_odds * (len(arcs) - len(own)) + math.fsum(own)
        return math.fsum(self.terms[family] for family in families) + prior

    def _term(self, x: int, parents: ParentSet, counts: Counts) -> float:
        _, table = configurations_of(counts)
        totals, q, r = table.sum(axis=1), self.configurations(parents), self.states[x]
        if self.ess:
            return float(self._log_mean(table, q * r) - self._log_mean(totals, q))
        fit = _c_log_c(table[table > 0].tolist()) - _c_log_c(totals[totals > 0].tolist())
        return fit - self.price * (r - 1) * q

    def _log_mean(self, counts: NDArray[np.float64], cells: float) -> np.longdouble:
        """Return the log of a table's marginal likelihoods, of so many cells, added up over sample sizes."""
        rows = counts.sum(keepdims=True)
        logs = [log_rising(s / cells, counts).sum() - log_rising(s, rows).sum() for s in self.ess]
        return np.longdouble(max(logs) + np.log(np.exp(np.array(logs) - max(logs)).sum()))


def ascending(pair: tuple[int, int]) -> tuple[int, int]:
    """Return two variables, the smaller position first."""
    return (pair[0], pair[1]) if pair[0] < pair[1] else (pair[1], pair[0])


def _positive(counts: Counts) -> list[float]:
    return [float(rows) for rows in counts.occurring()[1] if rows > 0]


def _c_log_c(counts: Iterable[float]) -> float:
    return math.fsum(c * math.log(c) for c in counts)
