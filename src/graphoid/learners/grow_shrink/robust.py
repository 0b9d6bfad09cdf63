r"""The robust learner: blankets grown together by the strongest dependence, settled by both ends of a pair.

The published loop asks in a fixed order, given all it has found, and believes every answer. On data an early
false dependence then enlarges all later conditioning sets, large sets leave few rows to decide by, and one
mistaken answer is passed on to the other end. This search asks about as many questions and trusts them less:

1. *Grow.* All blankets grow at once, one member a round, by the strongest dependence left. The k-th member
   has to be a discovery among the n - 1 others at the given rate: :math:`p \le k q / (n - 1)`. Whoever is
   found independent of X given the blanket of X so far is no neighbor of X, and is not asked about again from
   either end.
2. *Settle.* Both ends of each pair that was found are asked about it, given the rest of their own blankets.
   The pair is joined if the geometric mean of the two p-values is a discovery among all pairs
   ([Benjamini1995]_). That changes blankets, so it is repeated until nothing changes.
3. *Look again.* Two variables with a common neighbor may depend on each other only given that neighbor, as
   the parents of a child in a directed network do. They are asked about again, once, given the smaller of
   their blankets, and if they depend on each other they are a pair found.

4. *Confirm.* Regression (below) leaves out how given variables work together. Where it has decided and states
   are names, an edge has to be a discovery also in tables that are counted, given as much of either blanket
   as there are five rows a cell for.

A question whose table has too many slices for its rows is answered from pairs of variables
(:class:`~graphoid.independence.pooled.Pooled`). Where a blanket is too large even for that, those members are
given that depend most on both variables asked about; and if one that is left out depends on both more than
they do on each other, so that it may be why they do, that end has no say. A pair of two such ends is not
joined: its separation cannot be tested.

Notes
-----
With an oracle the result is exact. A neighbor is never separated from X, so that every blanket grown contains
all neighbors; given all neighbors and more, X is separated from any other variable; so the first settling
leaves the true edges, looking again finds nothing, and nothing changes any more.

On data the p-values are of blankets that the same rows have chosen, so that the rate is no theorem but is
measured: ``benchmarks/truth/discoveries.py``. On dense graphs the search may cost several times what GSMN*
does.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from graphoid.counts.engine import refuse_many_variables
from graphoid.independence.chi_square import DEFAULT_TEST
from graphoid.independence.classical import ClassicalTest
from graphoid.independence.degenerate_gaussian import DegenerateGaussian
from graphoid.independence.mantel_haenszel import MantelHaenszel
from graphoid.independence.pooled import ROWS_PER_CELL, Pooled
from graphoid.independence.remembering import Remembering
from graphoid.independence.tester import Tester
from graphoid.learners.base import IndependenceLearner, Run
from graphoid.learners.grow_shrink.discoveries import largest_discovery, retract
from graphoid.learners.grow_shrink.loop import CERTAIN, Matrix, likeliest_between, pair_matrices
from graphoid.learners.questions import AllPairs, place_of_pair
from graphoid.logic.axioms import D_SU
from graphoid.logic.names import name_rank
from graphoid.logic.trace import BLOCK
from graphoid.logic.verdict import Fact, Verdict
from graphoid.settings import Allowed, Number
from graphoid.structure.graph import Edge, UndirectedGraph

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from graphoid.data.table import Table
    from graphoid.independence.base import Test
    from graphoid.learners.questions import Questions
    from graphoid.logic.source import IndependenceSource

RATE = 0.04
"""The share of edges that may be there by chance, unless ``fdr`` says otherwise."""

ROWS_COUNTED = 5
"""Rows for each cell that a table to confirm an edge must have: Cochran's five, as its null is corrected."""

CONFIRMED = 3
"""How often edges are confirmed at most."""

DIGITS = 6
"""Of evidence behind the point: statistics up to some 10,000, solved for, have errors below that."""

BYTES_A_PAIR = 90.0
"""Held of every pair: the answers about it in columns, and what they say from either end."""

Blankets = list[set[int]]


def robust(
    questions: Questions, *, rate: float = RATE, max_given: int | None = None, infer: bool = False
) -> UndirectedGraph:
    """Return the graph of the pairs that are discoveries seen from both of their ends.

    Parameters
    ----------
    questions
        Asks, and keeps the trace.
    rate
        Share of the edges that may be there by chance.
    max_given
        Most variables given in a question, however many the data could bear.
    infer
        Do not ask whether two variables depend on each other given some, if it is sure that they do given
        more (Strong Union). An answer is sure if it would stand alone among all pairs.
    """
    n = len(questions.names)
    questions.tell("testing all pairs", 0)
    refuse_many_variables(n, BYTES_A_PAIR)
    answers = itertools.chain.from_iterable(questions.ask_in_parts(AllPairs(n)))
    strength, independent = pair_matrices(answers, n, evidence)
    ends = Ends(questions, strength, rate, max_given)
    candidates = [{y for y in range(n) if y != x and not independent[x][y]} for x in range(n)]
    blankets = grow(ends, candidates)
    found = {pair(x, y) for x in range(n) for y in blankets[x] | candidates[x]}
    looked: set[Edge] = set()
    seen: list[set[Edge]] = []
    while (edges := settle(ends, found, blankets, infer=infer)) not in seen:
        seen.append(edges)
        ends.tell("settling edges", len(seen))
        blankets = neighbors(edges, n)
        hidden = with_common_neighbor(blankets) - found - looked
        looked |= hidden
        found |= dependent_after_all(ends, hidden, blankets)
    edges = confirm(ends, edges)
    ends.retract(found - edges)
    return UndirectedGraph(questions.names, sorted(edges))


def grow(ends: Ends, candidates: Blankets) -> Blankets:
    """Grow all blankets together; ``candidates`` keeps those neither in a blanket nor found independent."""
    n, rank = len(candidates), ends.rank
    blankets: Blankets = [set() for _ in range(n)]
    growing = list(range(n))
    while True:
        larger = []
        for x in growing:  # a blanket that does not grow once is not asked about, and stays as it is
            best = min(candidates[x], key=lambda y: (ends.evidence[x][y], rank[y]), default=x)
            if best != x and ends.evidence[x][best] <= ends.limit(x, blankets[x]):
                blankets[x].add(best)
                candidates[x].remove(best)
                larger.append(x)
        if not larger:
            return blankets
        growing = larger
        ends.tell("growing blankets", sum(map(len, blankets)))
        for batch in one_end_first([(x, y) for x in larger for y in sorted(candidates[x])], rank):
            left = [(x, y) for x, y in batch if y in candidates[x]]
            for v in itertools.chain.from_iterable(ends.ask_in_parts(left, blankets)):
                if v.independent:
                    candidates[v.x].discard(v.y)
                    candidates[v.y].discard(v.x)


def one_end_first(ends: list[Edge], rank: Sequence[int]) -> tuple[list[Edge], list[Edge]]:
    """Return all ends in two parts, of which the first has only one end of a pair that is there with both.

    >>> one_end_first([(0, 1), (0, 2), (1, 0)], rank=[0, 1, 2])
    ([(0, 1), (0, 2)], [(1, 0)])
    """
    all_ends = set(ends)
    second = {(x, y) for x, y in ends if rank[x] > rank[y] and (y, x) in all_ends}
    return [end for end in ends if end not in second], sorted(second)


def settle(ends: Ends, found: set[Edge], blankets: Blankets, *, infer: bool) -> set[Edge]:
    """Return the pairs that are discoveries by the mean of both ends, each given the rest of its blanket."""
    pairs, given = ends.split(found)
    both = [end for x, y in pairs for end in ((x, y), (y, x))]
    ends.ask([end for end in both if not (infer and ends.follows(*end, blankets))], blankets)
    means = [ends.mean(x, y, blankets) for x, y in pairs]
    limit = largest_discovery(means, ends.n_pairs, ends.rate)
    return given | {p for p, mean in zip(pairs, means, strict=True) if mean <= limit}


def dependent_after_all(ends: Ends, hidden: set[Edge], blankets: Blankets) -> set[Edge]:
    """Return the pairs that depend on each other given the smaller of their blankets."""
    smaller = [
        (x, y) if (len(blankets[x]), ends.rank[x]) < (len(blankets[y]), ends.rank[y]) else (y, x)
        for x, y in sorted(hidden)
    ]
    return {pair(v.x, v.y) for v in ends.ask(smaller, blankets) if not v.independent}


def confirm(ends: Ends, edges: set[Edge]) -> set[Edge]:
    """Return the edges that are discoveries also where tables are counted, and not modelled.

    Where fewer edges are left, blankets are smaller and more of them can be given, so it is done again.
    """
    (every, given), kept = ends.split(edges), edges
    for _ in range(CONFIRMED):
        blankets = neighbors(kept, len(ends.rank))
        means = ends.count(every, blankets)
        limit = largest_discovery(means, ends.n_pairs, ends.rate)
        before, kept = kept, given | {p for p, mean in zip(every, means, strict=True) if mean <= limit}
        if kept == before:
            break
    return kept


def neighbors(edges: Iterable[Edge], n: int) -> Blankets:
    """Return the blanket of every variable in the graph with these edges."""
    blankets: Blankets = [set() for _ in range(n)]
    for x, y in edges:
        blankets[x].add(y)
        blankets[y].add(x)
    return blankets


def with_common_neighbor(blankets: Blankets) -> set[Edge]:
    """Return the pairs that are in one blanket together."""
    return {p for blanket in blankets for p in itertools.combinations(sorted(blanket), 2)}


def pair(x: int, y: int) -> Edge:
    """Return two variables in the order of their positions."""
    return (x, y) if x < y else (y, x)


def evidence(v: Verdict) -> float:
    """Return the logarithm of the p-value, or what stands for it; smaller means more dependent.

    For a Bayesian test that is the probability of independence. An answer without a number is certain. What
    differs by rounding alone, as it does from one order of the columns to another, is equal.
    """
    if v.log_p is not None:
        return round(v.log_p, DIGITS)
    if v.log_odds is not None:
        return round(min(v.log_odds, 0.0) - math.log1p(math.exp(-abs(v.log_odds))), DIGITS)
    return CERTAIN if v.independent else -CERTAIN


class AnswerPlaces:
    """Where in the trace the answer to each question is, so that none is asked twice.

    All pairs come first, in order, given nothing. Of the others a number is kept, and no object: they may be
    millions.
    """

    def __init__(self, questions: Questions) -> None:
        self._questions, self._n = questions, len(questions.names)
        self._sets: dict[tuple[int, ...], int] = {}
        self._places: dict[int, int] = {}

    def __contains__(self, question: tuple[int, int, tuple[int, ...]]) -> bool:
        return not question[2] or self._key(*question) in self._places

    def ask(
        self, questions: Iterable[tuple[int, int, tuple[int, ...]]]
    ) -> Iterator[tuple[list[Verdict], list[int]]]:
        """Yield answers, as they were asked for, and their places in the trace, some at a time."""
        trace, queries, left = self._questions.trace, self._questions.queries, iter(questions)
        while part := list(itertools.islice(left, BLOCK)):
            new = {self._key(*q): q for q in part if q not in self}
            first = len(trace)
            answers = self._questions.ask_on(list(new.values()), queries)
            self._places.update(zip(new, itertools.count(first)))
            places = [self._place(*q) for q in part]
            yield (
                [
                    (answers[at - first] if at >= first else trace[at])._replace(x=q[0], y=q[1])
                    for q, at in zip(part, places, strict=True)
                ],
                places,
            )

    def _key(self, x: int, y: int, given: tuple[int, ...]) -> int:
        a, b = pair(x, y)
        return (self._sets.setdefault(given, len(self._sets)) * self._n + a) * self._n + b

    def _place(self, x: int, y: int, given: tuple[int, ...]) -> int:
        return self._places[self._key(x, y, given)] if given else place_of_pair(*pair(x, y), self._n)


class Ends:
    """The evidence on every pair of variables, as each of its ends has it.

    ``evidence[x][y]`` is of the last question about y given members of the blanket of x, and at first of the
    initial test. No question is asked twice.
    """

    def __init__(self, questions: Questions, strength: Matrix, rate: float, max_given: int | None) -> None:
        self.evidence = [row[:] for row in strength]
        self.rate = rate
        self.n_pairs = questions.n_open_pairs
        self.rank = name_rank(questions.names)
        """The place of each variable where ties are broken."""
        self._questions = questions
        self._strength = strength
        self._max_given = max_given
        self._known_places = AnswerPlaces(questions)
        self._last: dict[Edge, int] = {}

    def limit(self, x: int, blanket: set[int]) -> float:
        """Return the evidence from which on one more variable is a discovery beside the blanket of x.

        Neighbors that are known are no discoveries, and who is known to be none is no candidate.
        """
        known, n = self._questions.known, len(self.rank)
        if known is None:
            return math.log(self.rate * (len(blanket) + 1) / (n - 1))
        found = sum(known.is_open(x, y) for y in blanket)
        return math.log(self.rate * (found + 1) / max(1, n - 1 - known.decided[x].bit_count()))

    def split(self, pairs: set[Edge]) -> tuple[list[Edge], set[Edge]]:
        """Return the pairs that are to be settled, in order, and those that are known to be joined."""
        open_pairs = sorted(filter(self._questions.is_open, pairs))
        return open_pairs, pairs.difference(open_pairs)

    def ask(self, ends: Iterable[Edge], blankets: Blankets) -> list[Verdict]:
        """Ask about (x, y) given the rest of the blanket of x, in one batch."""
        return list(itertools.chain.from_iterable(self.ask_in_parts(ends, blankets)))

    def ask_in_parts(self, ends: Iterable[Edge], blankets: Blankets) -> Iterator[list[Verdict]]:
        """Ask likewise, where not all answers are to be held."""
        wanted = ((x, y, self._given(x, y, blankets)) for x, y in ends)
        for verdicts, places in self._known_places.ask(wanted):
            for v, place in zip(verdicts, places, strict=True):
                self._last[v.x, v.y] = place
                self.evidence[v.x][v.y] = evidence(v)
            yield verdicts

    def _last_answer(self, x: int, y: int) -> Verdict | None:
        """Return the last answer about (x, y) as the end x asked for it."""
        place = self._last.get((x, y))
        return None if place is None else self._questions.trace[place]._replace(x=x, y=y)

    def tell(self, phase: str, done: int) -> None:
        """Tell who listens how far the search has come."""
        self._questions.tell(phase, done)

    def follows(self, x: int, y: int, blankets: Blankets) -> bool:
        """Say whether (x, y) surely depend on each other given the rest of the blanket of x (D-SU); note it.

        The evidence stays that of the answer it follows from, which had more given.
        """
        given = self._given(x, y, blankets)
        if (x, y, given) in self._known_places:
            return False
        sure = math.log(self.rate / self.n_pairs)
        for v in (self._last_answer(x, y), self._last_answer(y, x)):
            if v is not None and not v.independent and evidence(v) <= sure and set(given) < set(v.given):
                because = (Fact.of(v.x, v.y, v.given, independent=False),)
                self._questions.note(Verdict(x, y, given, independent=False, source=D_SU, because=because))
                self.evidence[x][y] = evidence(v)
                return True
        return False

    def retract(self, pairs: Iterable[Edge]) -> None:
        """Note of pairs that seem to depend on each other that they are no discoveries."""
        for x, y in sorted(pairs):
            last = (self._last_answer(x, y), self._last_answer(y, x))
            seem = [v for v in last if v and not v.independent]
            if seem:
                self._questions.note(retract(max(seem, key=evidence)))

    def mean(self, x: int, y: int, blankets: Blankets) -> float:
        """Return the mean evidence on a pair of the ends that can tell; none, 0, if neither can."""
        known = [
            self.evidence[a][b] for a, b in ((x, y), (y, x)) if not self._lacks_explanation(a, b, blankets)
        ]
        return sum(known) / len(known) if known else 0.0

    def count(self, pairs: Sequence[Edge], blankets: Blankets) -> list[float]:
        """Return the mean evidence on pairs of the ends that can tell, in tables that are counted.

        Given is as much of a blanket as there are rows for; an end that leaves out what may come between has
        no say, as in :meth:`mean`. Where all that would be given was given, it is that.
        """
        slices = self._questions.slices
        means = [self.mean(x, y, blankets) for x, y in pairs]
        if slices is None:
            return means
        questions: dict[tuple[int, Edge], tuple[int, int, tuple[int, ...]]] = {}
        modelled: set[int] = set()
        for i, (x, y) in enumerate(pairs):
            for a, b in ((x, y), (y, x)):
                rest = self._likeliest(a, b, blankets)
                if slices.counts_rows((a, b, *rest)) >= ROWS_PER_CELL:
                    continue
                modelled.add(i)
                most = len(rest)
                while most and slices.counts_rows((a, b, *rest[:most])) < ROWS_COUNTED:
                    most -= 1
                if not self._comes_between(a, b, rest[most:]):
                    questions[i, (a, b)] = (x, y, tuple(sorted(rest[:most])))
        found = dict(zip(questions, map(evidence, slices.in_slices(list(questions.values()))), strict=True))
        for i in modelled:
            x, y = pairs[i]
            known = [found[i, end] for end in ((x, y), (y, x)) if (i, end) in found]
            means[i] = max(means[i], sum(known) / len(known) if known else 0.0)
        return means

    def _lacks_explanation(self, x: int, y: int, blankets: Blankets) -> bool:
        """Say whether what may come between x and y could not be given.

        A variable that makes two others dependent depends on both more than they do on each other.
        """
        rest, most = self._bearable(x, y, blankets)
        return self._comes_between(x, y, rest[most:])

    def _comes_between(self, x: int, y: int, others: Iterable[int]) -> bool:
        own = self._strength[x][y]
        return any(max(self._strength[x][w], self._strength[y][w]) < own for w in others)

    def _given(self, x: int, y: int, blankets: Blankets) -> tuple[int, ...]:
        """Return what is given in a question about (x, y): as much of the blanket of x as the data bear."""
        others = blankets[x] - {y}
        if self._max_given is None and self._bears(x, y, others):  # all of it, whoever is likeliest
            return tuple(sorted(others))
        rest, most = self._bearable(x, y, blankets)
        return tuple(sorted(rest[:most][: self._max_given]))

    def _bearable(self, x: int, y: int, blankets: Blankets) -> tuple[list[int], int]:
        """Return the blanket of x without y, likeliest between them first, and how much can be given."""
        rest = self._likeliest(x, y, blankets)
        most = len(rest)
        while most and not self._bears(x, y, rest[:most]):
            most -= 1
        return rest, most

    def _bears(self, x: int, y: int, given: Iterable[int]) -> bool:
        """Say whether there are rows enough for a question."""
        return self._questions.rows_per_cell((x, y, *given)) >= ROWS_PER_CELL

    def _likeliest(self, x: int, y: int, blankets: Blankets) -> list[int]:
        """Return the blanket of x without y, likeliest between them first."""
        others = sorted(blankets[x] - {y}, key=self.rank.__getitem__)
        return likeliest_between(self._strength, x, y, others)


@dataclass(kw_only=True, eq=False)
class RobustGSMN(IndependenceLearner):
    """The grow-shrink learner to use on data: about as many questions as GSMN*, answers trusted less.

    All blankets grow at once, each by the strongest dependence left; a pair is joined if its two ends
    together make it a discovery among all pairs. With an oracle the result is exact
    (:mod:`graphoid.learners.grow_shrink.robust`).

    Parameters
    ----------
    test
        The independence test for :meth:`fit`; if None, ``ChiSquare()``, or where columns are of numbers
        ``DegenerateGaussian()``, which takes every kind. A :class:`~graphoid.ChiSquare` or
        :class:`~graphoid.GTest` says the alpha, and tables are judged by :class:`~graphoid.MantelHaenszel` at
        that alpha, whose power is not lost to slices, and by regression on the given variables where there
        are too many slices for the rows; :meth:`learn` takes any source of answers as it is.
    fdr
        The share of edges that may be there by chance; how well it is kept is measured in
        ``benchmarks/truth/discoveries.py``. An edge whose separation the rows cannot test is left out.
    max_given
        Most variables given in a question, however many the data could bear.
    infer
        Do not test again given fewer variables a dependence that is sure given some. Independences are never
        inferred: on few rows none is sure.
    seconds
        Stop after so much time; ``stopped`` is then "budget", and the pairs that no answer separates are
        joined, and undecided.

    See Also
    --------
    GSMN : the published loop, and what this one gains over it.

    Examples
    --------
    >>> import graphoid as gd
    >>> chain = gd.UndirectedGraph(["rain", "wet", "slippery"], [("rain", "wet"), ("wet", "slippery")])
    >>> gd.RobustGSMN().learn(gd.Oracle(chain)).graph == chain
    True
    """

    fdr: float = RATE
    max_given: int | None = None
    infer: bool = False

    default_tests: ClassVar[tuple[Test, Test]] = DEFAULT_TEST, DegenerateGaussian()
    allowed: ClassVar[Mapping[str, Allowed]] = {
        **IndependenceLearner.allowed,
        "fdr": Number(above=0, below=1, noun="rate"),
        "max_given": Number(least=0, whole=True, optional=True),
    }

    def _join(self, table: Table, run: Run) -> IndependenceSource:
        test = self.test_for(table)
        if isinstance(test, ClassicalTest):
            test = MantelHaenszel(alpha=test.alpha, thin=test.thin)
        ci = Pooled(test, table) if isinstance(test, MantelHaenszel) else Tester(test, table)
        return Remembering(ci, run.known) if run.known else ci

    def _search(self, questions: Questions) -> tuple[UndirectedGraph, int]:
        graph = robust(questions, rate=self.fdr, max_given=self.max_given, infer=self.infer)
        return graph, questions.n_open_pairs
