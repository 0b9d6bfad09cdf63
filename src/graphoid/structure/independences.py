"""What a canonical model says of pairs of variables, in words: who tells nothing about whom, and where."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from graphoid.structure.configurations import distinct
from graphoid.structure.context_evidence import ContextGraphs, count, matching, sum_tables
from graphoid.structure.context_odds import Odds
from graphoid.structure.explain import caveats, describe_learner, listing, plural
from graphoid.structure.implicants import fewest_contexts
from graphoid.structure.safe_text import printable

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from graphoid.logic.assertion import Context
    from graphoid.structure.contexts import CanonicalModel
    from graphoid.structure.graph import Edge

MOST_SHOWN = 12  # what a reader takes in at once; independences() has them all

SURE = 0.95
"""The probability from which on an independence is sure."""


class Stratified(NamedTuple):
    """The tables of X and Y for every configuration of some others that occurs."""

    given: tuple[int, ...]
    configurations: NDArray[np.uint16]
    tables: NDArray[np.number]
    """One axis for the configurations, one for X, one for Y."""

    def by_context(self) -> tuple[tuple[Context, NDArray[np.number]], ...]:
        """Return each table with the context that it holds for."""
        rows = self.configurations.tolist()
        contexts = (tuple(zip(self.given, states, strict=True)) for states in rows)
        return tuple(zip(contexts, self.tables, strict=True))


@dataclass(frozen=True)
class ContextIndependence:
    r"""X and Y are independent in a context, given some others: :math:`I(X, Y \mid X_U, x_W)`.

    No assignment that occurs in the context has a graph in which the two are joined. Everything is counted in
    the data that the model was learned from.
    """

    x: str
    y: str
    context: Context
    """:math:`x_W`, positions and codes; empty if the two are never joined."""
    given: tuple[str, ...]
    """U: neighbors of one of them within the context; with these known the other tells nothing more."""
    n_rows: float
    """Rows in the context."""
    probability: float
    """That the two are independent there, see :mod:`~graphoid.structure.context_odds`. Where a context has
    too few rows to show a dependence, it stays near what is known beforehand."""
    dependence_outside: float
    """Probability that the two depend on each other in some of the other rows, given U and W."""
    information: float
    """Mutual information of X and Y given U in the context, in nats a row, corrected for its bias."""
    outside: float | None
    """The same for the other rows, given U and W; None where there are none."""
    n_others: int
    """Other contexts in which the same two are independent."""
    smallest: bool
    """Whether the contexts of this pair are known to be the fewest that say the same."""
    matters: float
    """Nats that one would expect to find in these rows and does not: from how the two depend on each other
    elsewhere or, if there is no elsewhere, with nothing given."""
    words: str
    counted: tuple[CanonicalModel, Edge, tuple[int, ...]] = field(repr=False, compare=False)
    """The model, and by position X and Y and U: where the counts come from."""

    @cached_property
    def tables(self) -> Stratified:
        """The counts of X and Y in the context, for every configuration of U that occurs there."""
        model, pair, given = self.counted
        return Stratified(given, *count(model, pair, given, matching(model.assignments, self.context)))

    @property
    def sure(self) -> bool:
        """Whether the probability is at least .95."""
        return self.probability >= SURE

    @property
    def verdict(self) -> str:
        """How probable it is: "sure" from .95 on, else "undecided"."""
        return "sure" if self.sure else "undecided"

    @property
    def evidence(self) -> str:
        """The rows, the verdict and the probability in words, the latter never rounded up."""
        rows = plural(round(self.n_rows), "row")
        return f"{rows}, {self.verdict}: {math.floor(1000 * self.probability) / 1000:.3f}"

    @property
    def counts(self) -> tuple[tuple[Context, NDArray[np.number]], ...]:
        """The counts of X and Y in the context, each table with the configuration of U it belongs to."""
        return self.tables.by_context()

    def __str__(self) -> str:
        return printable(self.words)


def of(model: CanonicalModel) -> tuple[ContextIndependence, ...]:
    """Return every independence of a model: first what is sure, then the rest.

    Of each those that matter most come first; ties by position, as pairs and their contexts come.
    """
    n = len(model.names)
    rows = ContextGraphs(model)
    pairs = [(x, y) for x in range(n) for y in range(x + 1, n)]
    if not pairs:
        return ()
    odds = Odds.of(np.concatenate([rows.evidence(pair, [()]).inside.factors for pair in pairs]))
    found = [independence for pair in pairs for independence in _independences(rows, pair, odds)]
    return tuple(sorted(found, key=lambda i: (not i.sure, -round(i.matters, 9))))  # ties are not for rounding


def _independences(rows: ContextGraphs, pair: Edge, odds: Odds) -> list[ContextIndependence]:
    """Return the independences of two variables.

    A context is made of the other variables. Where some of the assignments that differ in X and Y alone
    join the two, they count as dependent there.
    """
    model = rows.model
    others = [v for v in range(len(model.names)) if v not in pair]
    configurations, of_row = distinct(model.assignments[:, others])
    dependent = np.zeros(len(configurations), dtype=bool)
    dependent[of_row[rows.has_edge(pair)]] = True
    columns, smallest = fewest_contexts(configurations[~dependent], configurations[dependent])
    if not columns:
        return []
    contexts = [tuple((others[c], state) for c, state in context) for context in columns]
    given, inside, outside, one = rows.evidence(pair, contexts)
    everywhere = outside.n_rows == 0
    probable, dependent_outside = odds.probabilities(inside.factors, one, outside.factors, everywhere)
    nats, others_nats = inside.information, outside.information
    if everywhere.any():
        _, tables = count(model, pair, (), np.ones(len(of_row), dtype=bool))
        others_nats = np.where(everywhere, sum_tables(tables).information, others_nats)
    matters = inside.n_rows * np.maximum(0.0, others_nats - nats)
    n_rows = inside.n_rows.astype(model.n_rows.dtype)
    n_sure = int((probable >= SURE).sum())
    found = [
        ContextIndependence(
            x=model.names[pair[0]],
            y=model.names[pair[1]],
            context=context,
            given=tuple(model.names[v] for v in given[i]),
            n_rows=n_rows[i].item(),
            probability=probable[i].item(),
            dependence_outside=dependent_outside[i].item(),
            information=nats[i].item(),
            outside=None if everywhere[i] else others_nats[i].item(),
            n_others=len(contexts) - 1,
            smallest=smallest,
            matters=matters[i].item(),
            words="",
            counted=(model, pair, given[i]),
        )
        for i, context in enumerate(contexts)
    ]
    return [replace(i, words=_words(model, i, n_sure - i.sure)) for i in found]


def _words(model: CanonicalModel, found: ContextIndependence, n_others: int) -> str:
    """Return an independence in words, with what is sure of the rest of the rows: no more than that."""
    known = (
        f" once {listing(found.given)} {'is' if len(found.given) == 1 else 'are'} known"
        if found.given
        else ""
    )
    nothing = f"{found.x} tells nothing about {found.y}{known}"
    if not found.context:
        return f"in every context, {nothing}"
    more = {0: "", 1: "nor in one other context"}.get(n_others, f"nor in {n_others} other contexts")
    rest = [more] * bool(more) + ["elsewhere it does"] * (found.dependence_outside >= SURE)
    where = f"given {listing([model.describe_state(v, state) for v, state in found.context])}"
    return f"{where}, {nothing}{'; ' * bool(rest)}{', '.join(rest)}"


def count_undecided(n: int) -> str:
    """Return in words how many independences of the graphs the rows are not enough for.

    >>> count_undecided(1)
    '1 independence that the graphs say is undecided'
    """
    return f"{plural(n, 'independence')} that the graphs say {'is' if n == 1 else 'are'} undecided"


def text(model: CanonicalModel) -> str:
    """Return a model for a terminal: its graphs, what they say, and what it cost."""
    by = describe_learner(model.settings)
    total = model.n_rows.sum().item()
    lines = [
        f"Canonical model of {len(model.names):,} variables, {len(model.assignments):,} assignments with "
        f"{len(model.graphs):,} different graphs" + (f", learned by {by}" if by else "")
    ]
    for context in model.contexts[:MOST_SHOWN]:
        edges, where = (
            plural(context.graph.n_edges, "edge"),
            plural(len(context.assignments), "assignment"),
        )
        lines.append(f"  {edges} in {where}, {context.n_rows / total:.1%} of the rows")
    if len(model.graphs) > MOST_SHOWN:
        lines.append(f"  and {len(model.graphs) - MOST_SHOWN:,} more; contexts has them all")
    every = of(model)
    found = [independence for independence in every if independence.sure]
    lines += [f"  {independence} ({independence.evidence})" for independence in found[:MOST_SHOWN]]
    if len(found) > MOST_SHOWN:
        lines.append(f"  and {len(found) - MOST_SHOWN:,} more; independences() has them all")
    if len(every) > len(found):
        lines.append(
            f"  {count_undecided(len(every) - len(found))}; independences(undecided=True) has them, too"
        )
    lines += [f"  {sentence}" for sentence in caveats(model.settings)]
    cost = model.cost
    lines.append(f"{cost.n_tests:,} tests, {cost.n_distinct:,} of them distinct, {cost.seconds:.3g} s")
    return "\n".join(map(printable, lines))
