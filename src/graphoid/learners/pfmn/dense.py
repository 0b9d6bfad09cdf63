r"""Where everything depends on everything: what PFMN asks and believes in place of its population.

A population of graphs learns from an answer which variables are connected. In a dense network nearly all are,
whatever little is given, and the answers that would tell graphs apart have whole blankets given. There the
order in which dependences are found strong is worth more than any posterior over connections: a search that
grows blankets by it, as GSIMN does, was right about 89 % of separations on networks of 20 variables and
average degree 8 (50,000 rows), where the population was right about 72 % for the same price.

So if all pairs asked first depend on each other, about as much as any, and the data bear to have half of the
variables given, the questions are GSIMN's from then on. The first ones are among its own, so that nothing was
paid in vain. Each pair is then judged by itself.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from graphoid.independence.inferring import one_step
from graphoid.learners.grow_shrink.loop import Blanket, grow_shrink, log_p
from graphoid.learners.pfmn.population import Evidence, Graphs, Pair, Query, from_indicators, pairs
from graphoid.logic.sets import mask
from graphoid.structure.graph import UndirectedGraph

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Sequence

    from numpy.typing import NDArray

    from graphoid.learners.questions import Questions
    from graphoid.logic.verdict import Verdict
    from graphoid.structure.knowledge import KnownPairs

FEWEST = 5
"""Answers without which nothing is said about a network."""

EVEN = 0.3
"""How strong the median dependence is at least in a dense network, as a share of the strongest."""

ROWS_PER_CELL = 1.0
"""Rows for each cell of a table of half of the variables, without which no blanket is worth growing."""


def is_dense(answers: Sequence[Verdict]) -> bool:
    """Say whether the first answers, all given nothing, know dependences only, and those of even strength.

    In a sparse network some pairs depend on each other much more than others.
    """
    if len(answers) < FEWEST or not may_be_dense(answers):
        return False
    strengths = sorted(-log_p(v) for v in answers)
    return strengths[len(answers) // 2] >= EVEN * strengths[-1]


def may_be_dense(answers: Sequence[Verdict]) -> bool:
    """Return whether all answers so far are dependences given nothing."""
    return not any(v.given or v.independent for v in answers)


def enough_rows(questions: Questions) -> bool:
    """Say whether there are rows enough to have half of the variables given."""
    n = len(questions.names)
    # the geometric mean over all halves: rows over the square root of the cells of all variables
    return math.sqrt(questions.rows_per_cell(()) * questions.rows_per_cell(range(n))) >= ROWS_PER_CELL


class GSIMNQuestions:
    """What GSIMN asks, one question at a time.

    Its loop is stepped by each answer; it begins again only where answers do not follow on those of before.
    """

    def __init__(self, names: tuple[str, ...], known: KnownPairs | None = None) -> None:
        self._names, self._known_pairs = names, known
        self._reset()

    def _reset(self) -> None:
        self._answers: tuple[Verdict, ...] = ()
        self._known: dict[Query, Verdict] = {}
        self._steps = _gsimn(len(self._names), self._known_pairs)
        self._next = self._advance(None)

    def _advance(self, verdict: Verdict | None) -> Query | UndirectedGraph:
        try:
            return next(self._steps) if verdict is None else self._steps.send(verdict)
        except StopIteration as end:
            return UndirectedGraph.from_blankets(end.value, self._names)

    def next_after(self, answers: tuple[Verdict, ...]) -> Query | UndirectedGraph:
        """Return what GSIMN would ask next after these answers, or the graph it ends with."""
        if answers[: len(self._answers)] != self._answers:
            self._reset()
        self._known |= {_query(v.x, v.y, v.given): v for v in answers[len(self._answers) :]}
        self._answers = answers
        while isinstance(self._next, Query) and self._next in self._known:
            self._next = self._advance(self._known[self._next])
        return self._next


def _gsimn(n: int, known: KnownPairs | None) -> Generator[Query, Verdict, dict[int, Blanket]]:
    """Yield what GSIMN asks and its rules do not answer, receive the verdicts, and return the blankets."""
    rules, steps = one_step(n), grow_shrink(n)
    batch = next(steps)
    while True:
        verdicts, executed = [], []
        for x, y, given in batch:
            verdict = (known.answer(x, y, given) if known is not None else None) or rules.answer(x, y, given)
            if not verdict:
                verdict = (yield _query(x, y, given))._replace(x=x, y=y, given=given)
                executed.append(verdict)
            verdicts.append(verdict)
        rules.remember(executed)
        try:
            batch = steps.send(verdicts)
        except StopIteration as end:
            blankets: dict[int, Blanket] = end.value
            return blankets


def _query(x: int, y: int, given: Iterable[int]) -> Query:
    return Query(min(x, y), max(x, y), mask(given))


def likelier_edges(
    n: int, evidence: Sequence[Evidence], stated: Sequence[Evidence] = ()
) -> NDArray[np.uint64]:
    """Return the graph of the pairs that are rather joined than not, as masks."""
    p = probabilities(n, evidence, stated)
    return np.asarray(from_indicators(n, np.array([list(p.values())]) > 0.5)[0])


def probabilities(n: int, evidence: Sequence[Evidence], stated: Sequence[Evidence] = ()) -> dict[Pair, float]:
    """Return how probable every pair is to be an edge, by the answer about it that has most given.

    Of two that have the same number given it is the later. Of a pair that was not asked nothing is known but
    what was ``stated`` before.
    """
    log_ratios = dict.fromkeys(pairs(n), 0.0)
    for t in sorted(evidence, key=lambda t: t.query.size):
        log_ratios[min(t.x, t.y), max(t.x, t.y)] = t.log_ratio
    for t in stated:
        log_ratios[t.x, t.y] += t.log_ratio
    return {pair: 1 / (1 + math.exp(log_ratio)) for pair, log_ratio in log_ratios.items()}


def sample(
    n: int,
    evidence: Sequence[Evidence],
    size: int,
    rng: np.random.Generator,
    stated: Sequence[Evidence] = (),
) -> Graphs:
    """Draw a population whose pairs are joined with these probabilities, each by itself."""
    p = np.array(list(probabilities(n, evidence, stated).values()))
    return from_indicators(n, rng.random((size, len(p))) < p)
