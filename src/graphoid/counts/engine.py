"""What can be asked of data: counts, many at a time."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol, runtime_checkable

from graphoid.counts.contingency import Counts, is_dense, size_in_words
from graphoid.errors import CountsTooLarge
from graphoid.limits import MEMORY, memory_limit

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from graphoid.data.variables import Variable
    from graphoid.logic.assertion import Context
    from graphoid.logic.source import Question

MAX_BATCH_BYTES = 2**31
"""What one batch of counts may take before it is refused: two gigabytes."""

SMALL = 2**24
"""Bytes that are given without a look at how much memory there is, which takes longer."""

MOST_COVARIED = 1024
"""Cells less those that follow from the margins whose covariances are worked out: 8 megabytes of them."""


class CountRequest(NamedTuple):
    """Counts of ``variables`` among the rows in which every variable of ``context`` has its state."""

    variables: tuple[int, ...]
    context: Context = ()


Positions = tuple[int, int, tuple[int, ...]]
"""A question (x, y, given) by the positions of its variables."""

Resolve = Callable[["Question"], Positions]


@runtime_checkable
class CountEngine(Protocol):
    """Anything that counts. Engines differ in how; the integers are the same."""

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The variables, in order of position."""

    @property
    def n_rows(self) -> float:
        """Number of rows; their total weight, where rows have weights."""

    def counts(self, requests: Sequence[CountRequest]) -> list[Counts]:
        """Return the counts for every request, in order; one pass over the data where the engine can."""


class Kernel(NamedTuple):
    """The numbers of a discrete test that an engine may compute next to the counts."""

    kind: str
    """"chi_square", "g", "bayesian" or "mantel_haenszel"."""
    dof: str = "slices"
    log_prior: float = -1.0
    pseudo_count: float = 1.0
    occurring: bool = False


class Columns(NamedTuple):
    """Answers to a batch of questions, one column a number."""

    x: list[int]
    y: list[int]
    given: list[tuple[int, ...]]
    statistic: list[float]
    dof: list[float]
    p_value: list[float]
    log_p: list[float]
    log_odds: list[float]
    cells: list[float]
    """Cells of the slices of the conditioning set that occur: |X| |Y| times their number."""
    rows: list[float] | None = None
    """Rows behind each of them, where that is not the same for all: where cells are missing."""


@runtime_checkable
class JudgingEngine(Protocol):
    """An engine that turns counts into the numbers of a test by itself, so that tables never reach Python."""

    def judge(self, kernel: Kernel, questions: list[Question], resolve: Resolve) -> Columns:
        """Return the numbers for every question, in order."""


class Screen(NamedTuple):
    """What a test says of all pairs of variables, as far as it is kept: arrays, and no object for a pair.

    Numbers are logarithms of p-values, of a Bayesian test log odds of independence: the smaller, the more
    two variables depend on each other.
    """

    partners: NDArray[np.int32]
    """A line for every variable: those it depends on most, strongest first, equals by rank; -1: no more."""
    strength: NDArray[np.float64]
    """Their numbers."""
    x: NDArray[np.int32]
    y: NDArray[np.int32]
    """Pairs x < y whose number is within the limit, in order."""
    value: NDArray[np.float64]
    """Their numbers."""
    total: NDArray[np.float64]
    """The sum over all pairs of every variable, in steps of 2^-24; empty unless asked for."""


class ScreenRequest(NamedTuple):
    """What to keep of a test of all pairs."""

    partners: int = 0
    """So many of every variable."""
    limit: float = -math.inf
    """Every pair whose number is at most this."""
    totals: bool = False
    """The sum over all pairs of every variable."""


@runtime_checkable
class ScreeningEngine(Protocol):
    """An engine that tests all pairs by itself; of others, :mod:`graphoid.independence.screening` asks."""

    def screen(self, kernel: Kernel, rank: Sequence[int], keep: ScreenRequest) -> Screen:
        """Return what to keep of a test of all pairs; ``rank`` decides between equals."""


@runtime_checkable
class CodeEngine(Protocol):
    """An engine that has the rows in memory."""

    def codes(self, variable: int) -> NDArray[np.integer]:
        """Return the code of every row."""

    def row_weights(self) -> NDArray[np.float64] | None:
        """Return the weight of every row; None where all count alike."""


Blanket = tuple[int, tuple[int, ...]]
"""A variable and other variables, in ascending order."""


class Logistic(NamedTuple):
    """Logistic models of a variable that an engine may fit next to the counts."""

    interactions: bool
    """Whether products of two members of the blanket are added where they are worth it."""
    price: float = 0.0
    """Of a weight, where a model is worth its maximum log-likelihood less what its weights cost."""
    scale: float = math.inf
    """Standard deviation of effects a priori, where a model is worth its log evidence; infinite: no prior."""
    ordered: bool = False
    """Whether ordered variables have one effect, that of their scores, and others only if worth it."""
    ranks: bool = True
    """Whether variables that are numbers act by their normal scores, and not as they are."""
    moment: bool = False
    """Whether the prior of the main effects of a member is proportional to their squares, too."""


@runtime_checkable
class ScoringEngine(Protocol):
    """An engine that turns counts into the terms of a score by itself."""

    def closure_log_odds(self, kernel: Kernel, blankets: list[Blanket]) -> NDArray[np.float64]:
        """Return a line for every (x, blanket): for each y the log odds of X ⊥ Y | blanket without y."""

    def marginal_likelihoods(self, ess: float, blankets: list[Blanket]) -> NDArray[np.float64]:
        """Return the log marginal likelihood of every variable given its blanket."""

    def logistic_terms(self, model: Logistic, blankets: list[Blanket]) -> NDArray[np.float64]:
        """Return what the best logistic model of every variable given its blanket is worth."""

    def evidence_terms(self, model: Logistic, ess: float, blankets: list[Blanket]) -> NDArray[np.float64]:
        """Return a line for every blanket, of rows counted once: its logistic term, and that of its table."""


class KnownArcs(NamedTuple):
    """What is known of pairs before directed graphs are looked for; variables are numbered as there."""

    arcs: Sequence[tuple[int, int]] = ()
    """Parent and child: there is an arc in this direction or the other, and at first in this one."""
    apart: Sequence[tuple[int, int]] = ()
    """Pairs without an arc, and without a child in common."""
    log_odds: Sequence[tuple[int, int, float]] = ()
    """Pairs whose arcs, in either direction, have log odds of their own."""


class DirectedSettings(NamedTuple):
    """How an engine looks for directed graphs next to the counts."""

    ess: tuple[float, ...] = ()
    """Equivalent sample sizes of BDeu, each as likely as the others; none for BIC."""
    arc_log_odds: float = 0.0
    """Of every arc a priori."""
    max_parents: int = 0
    partners: int = 0
    """So many variables that gain most as the only parent may be parents of a variable; 0: all others."""
    tenure: int = 0
    """Steps for which a pair that changed is left alone."""
    patience: int = 0
    """Steps that lose which a walk may take before it meets a better graph than all before."""
    known: KnownArcs = KnownArcs()
    """By the numbers of the order."""


class ChainSettings(NamedTuple):
    """How directed graphs are drawn from their posterior by BDeu."""

    ess: tuple[float, ...]
    max_parents: int
    a: float
    b: float
    """Of the beta distribution that the density of arcs has a priori."""
    sweeps: int
    burn_in: int
    key: int = 0
    """Of the stream of random numbers."""
    known: KnownArcs = KnownArcs()


class DirectedWalk(Protocol):
    """A walk over directed acyclic graphs, which remembers the best it met."""

    def walk(self, steps: int, /) -> bool:
        """Take up to so many of the best steps; return False when the walk has ended."""

    def reinsert(self, key: int, /) -> None:
        """Begin another walk at the best graph, with one variable put in again at random."""

    def best_parents(self) -> list[list[int]]:
        """Return of the best graph the parents of every variable."""

    def row(self, child: int, /) -> NDArray[np.float64]:
        """Return of every variable what it gains there as one more parent, or what its absence gains."""

    def gain(self) -> float:
        """Return the gain of the best graph over the one without arcs."""

    def n_steps(self) -> int:
        """Return how many arcs were changed on the way."""

    def n_terms(self) -> int:
        """Return how many terms of the score were computed."""


@runtime_checkable
class DirectedEngine(Protocol):
    """An engine that looks for directed graphs by itself."""

    def directed_walk(self, order: Sequence[int], settings: DirectedSettings) -> DirectedWalk:
        """Return a walk from the graph of the known arcs; ``order`` decides between equals."""

    def directed_chain(
        self,
        order: Sequence[int],
        parents: Sequence[Sequence[int]],
        pairs: Sequence[tuple[int, int]],
        settings: ChainSettings,
    ) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float64], float]:
        """Draw graphs; return pairs with how probable they are joined, and the density of arcs.

        Variables are numbered by ``order``.
        """


def refuse_if_too_large(requests: Sequence[CountRequest], engine: CountEngine, n_rows: int) -> None:
    """Raise before anything is counted if the answers to a batch could not be held in memory."""
    total, largest, at_fault = 0.0, 0.0, None
    arities = [variable.arity for variable in engine.variables]
    for request in requests:
        cells = math.prod([arities[v] for v in request[0]])
        if is_dense(cells, n_rows):
            size = 8.0 * cells
        else:
            size = float(min(n_rows, cells)) * (8 + 2 * len(request.variables))
        total += size
        if size > largest:
            largest, at_fault = size, request
    if total <= SMALL or at_fault is None:
        return
    most = min(MAX_BATCH_BYTES, memory_limit() or MAX_BATCH_BYTES)
    if total > most:
        names = ", ".join(repr(engine.variables[v].name) for v in at_fault.variables[:6])
        more = "" if len(at_fault.variables) <= 6 else f" and {len(at_fault.variables) - 6} more"
        raise CountsTooLarge(
            f"a batch of {len(requests):,} tables would take {size_in_words(total)}, the most is "
            f"{size_in_words(most)}; the largest ({names}{more}) takes {size_in_words(largest)}. "
            f"Ask for fewer or smaller tables at a time."
        )


def refuse_large(what: str, n_bytes: float, remedy: str = "Use fewer rows or columns") -> None:
    """Raise before anything is done if something takes more memory than there is for it."""
    limit = memory_limit()
    if limit is not None and n_bytes > limit:
        raise CountsTooLarge(
            f"{what} take {size_in_words(n_bytes)}, more than the {size_in_words(limit)} there are for "
            f"them. {remedy}, or raise {MEMORY} (bytes)."
        )


def refuse_many_questions(n: int) -> None:
    """Raise if so many answers do not fit: each is an object with its question."""
    if 640.0 * n > SMALL:
        refuse_large(f"the answers to {n:,} questions", 640.0 * n, "Use fewer columns")


def refuse_many_variables(n: int, of_each_pair: float) -> None:
    """Raise if what a search by questions keeps, so many bytes of each pair of variables, does not fit."""
    n_bytes = of_each_pair * n * n / 2
    if n_bytes > SMALL:
        refuse_large(f"the answers to questions about {n:,} variables", n_bytes, "Use fewer columns")


def refuse_many_pairs(n: int) -> None:
    """Raise if what a score keeps of all pairs of so many variables does not fit: two numbers of each."""
    if 16.0 * n * n > SMALL:
        refuse_large(f"the gains of all pairs of {n:,} variables", 16.0 * n * n, "Use fewer columns")


def refuse_large_models(
    variables: Sequence[Variable], blankets: Sequence[Blanket], *, ordered: bool = False
) -> None:
    """Raise if the second derivatives of a logistic model of a variable given a blanket do not fit.

    Main effects alone are looked at; where ``ordered``, a variable whose states have an order has one.
    """
    some = {v: variables[v] for x, blanket in blankets for v in (x, *blanket)}
    effects = {k: 1 if ordered and v.ordered else max(1, v.arity) - 1 for k, v in some.items()}
    widest, most = max((len(blanket) for _, blanket in blankets), default=0), max(effects.values(), default=0)
    constants = max((v.arity for v in some.values()), default=0)
    if logistic_bytes(constants + most * most * widest) <= SMALL or (limit := memory_limit()) is None:
        return
    for x, blanket in blankets:
        size = logistic_bytes(variables[x].arity - 1 + effects[x] * sum(effects[v] for v in blanket))
        if size > limit:
            raise model_too_large([(variables[v].name, variables[v].arity) for v in (x, *blanket)], size)


def logistic_bytes(n_weights: int) -> float:
    """Return what fitting a logistic model takes: second derivatives by all weights, a factor, the next."""
    return 3 * 8.0 * n_weights**2


def model_too_large(states: Iterable[tuple[str, int]], n_bytes: float) -> CountsTooLarge:
    """Return the error for a logistic model of the first of some variables given the others."""
    first, *others = (f"{name!r} ({arity:,} states)" for name, arity in states)
    limit = memory_limit()
    return CountsTooLarge(
        f"a logistic model of {first} given {', '.join(others) or 'nothing'} takes {size_in_words(n_bytes)}"
        f"{'' if limit is None else f', more than the {size_in_words(limit)} there are for it'}. "
        f"Merge rare states, leave such a column out, score by MPL(), or raise {MEMORY} (bytes)."
    )


def refuse_if_too_many_states(rx: int, ry: int) -> None:
    """Raise if the covariances of the cells of two variables would take too much to work out."""
    cells = (rx - 1) * (ry - 1)
    if cells > MOST_COVARIED:
        raise CountsTooLarge(
            f"the covariances of {cells:,} cells ({rx:,} x {ry:,} states) are too many, the most is "
            f"{MOST_COVARIED:,}; merge rare states, or use ChiSquare."
        )
