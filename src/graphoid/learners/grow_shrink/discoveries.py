r"""Control of false discoveries: of all edges found, how many may be there by chance.

The procedure of [Benjamini1995]_ over all pairs of variables: of m p-values in ascending order the first k
are discoveries, with k the largest for which :math:`p_{(k)} \le k q / m`. The p-value of an edge is that of
the question that decided for it; a pair without an edge counts as one of the m, and not as a discovery.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from graphoid.errors import SettingsError
from graphoid.learners.questions import Executed, Questions
from graphoid.logic.verdict import Fact, Verdict
from graphoid.structure.explain import FALSE_DISCOVERY

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graphoid.structure.graph import Edge, UndirectedGraph


def control_discoveries(questions: Questions, graph: UndirectedGraph, rate: float) -> UndirectedGraph:
    """Return the graph without the edges that may be there by chance; each is noted in the trace.

    Where the deciding answer was inferred it has no p-value, and the same question is put to the test, all of
    them in one batch. Answers that have no p-value because they are certain, such as an oracle's, stay.
    """
    deciding = {pair: v for pair, v in deciding_verdicts(questions.trace).items() if graph.has_edge(*pair)}
    inferred = [pair for pair, v in deciding.items() if v.because and v.log_p is None]
    again = Executed((deciding[pair].x, deciding[pair].y, deciding[pair].given) for pair in inferred)
    deciding.update(zip(inferred, questions.ask(again), strict=True))
    if any(v.log_p is None and v.log_odds is not None for v in deciding.values()):
        raise SettingsError(
            "fdr needs p-values, and this test gives log odds; use ChiSquare, GTest or PartialCorrelation."
        )
    n_pairs = graph.n * (graph.n - 1) // 2
    log_ps = [
        math.inf if v.independent else -math.inf if v.log_p is None else v.log_p for v in deciding.values()
    ]
    limit = largest_discovery(log_ps, n_pairs, rate)
    for (pair, v), log_p in zip(deciding.items(), log_ps, strict=True):
        if log_p > limit:
            graph = graph.without_edge(*pair)
            questions.note(retract(v))
    return graph


def deciding_verdicts(trace: Sequence[Verdict]) -> dict[Edge, Verdict]:
    """Return the last verdict for a dependence of every pair, in order of position; propagation repeats."""
    last = {
        (min(v.x, v.y), max(v.x, v.y)): v for v in trace if not v.independent and v.source != "propagation"
    }
    return dict(sorted(last.items()))


def largest_discovery(log_ps: Sequence[float], n_hypotheses: int, rate: float) -> float:
    """Return the logarithm of the largest p-value that is a discovery, or -inf if none is.

    >>> import math
    >>> limit = largest_discovery([math.log(p) for p in (0.001, 0.008, 0.04)], n_hypotheses=15, rate=0.1)
    >>> round(math.exp(limit), 3)
    0.008
    """
    limit = -math.inf
    for k, log_p in enumerate(sorted(log_ps), start=1):
        if log_p <= math.log(k * rate / n_hypotheses):
            limit = log_p
    return limit


def retract(v: Verdict) -> Verdict:
    """Return the verdict that takes back a dependence that may be a false discovery."""
    because = (Fact.of(v.x, v.y, v.given, independent=v.independent),)
    return v._replace(independent=True, source=FALSE_DISCOVERY, because=because)
