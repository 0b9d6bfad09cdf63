"""What a canonical model says of pairs of variables, in words: who tells nothing about whom, and where."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from graphoid.limits import check_time
from graphoid.structure.configurations import distinct
from graphoid.structure.context_odds import Odds, log_bayes_factors
from graphoid.structure.explain import caveats, describe_learner, listing, plural
from graphoid.structure.implicants import fewest_contexts
from graphoid.structure.safe_text import printable

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from graphoid.logic.assertion import Context
    from graphoid.structure.contexts import CanonicalModel

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

    def within(self, context: Context) -> NDArray[np.bool_]:
        """Return which of the configurations a context has; all its variables must be among the given."""
        inside = np.ones(len(self.configurations), dtype=bool)
        for v, state in context:
            inside &= self.configurations[:, self.given.index(v)] == state
        return inside

    def only(self, kept: NDArray[np.bool_], given: tuple[int, ...]) -> Stratified:
        """Return the tables of some configurations, which differ in fewer variables."""
        columns = [self.given.index(v) for v in given]
        return Stratified(given, self.configurations[kept][:, columns], self.tables[kept])


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
    tables: Stratified = field(repr=False)
    """The counts of X and Y in the context, for every configuration of U that occurs there."""
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
    adjacency = np.array([_matrix(graph.edges, n) for graph in model.graphs])
    pairs = [_Pair(model, adjacency, x, y) for x in range(n) for y in range(x + 1, n)]
    if not pairs:
        return ()
    odds = Odds.of(np.array([pair.log_bayes_factors(pair.separating_set(())).sum(axis=0) for pair in pairs]))
    found = [independence for pair in pairs for independence in pair.independences(odds)]
    return tuple(sorted(found, key=lambda i: (not i.sure, -i.matters)))


class _Pair:
    """Two variables of a model: where they are joined, and how much each tells about the other."""

    def __init__(self, model: CanonicalModel, adjacency: NDArray[np.bool_], x: int, y: int) -> None:
        self.model, self.x, self.y = model, x, y
        self.neighbors = adjacency[model.graph_of, x], adjacency[model.graph_of, y]
        self._tables: dict[tuple[int, ...], tuple[Stratified, Information]] = {}
        self._factors: dict[tuple[int, ...], NDArray[np.float64]] = {}

    def independences(self, odds: Odds) -> list[ContextIndependence]:
        """Return the independences of the two.

        A context is made of the other variables. Where some of the assignments that differ in X and Y alone
        join the two, they count as dependent there.
        """
        others = [v for v in range(len(self.model.names)) if v not in (self.x, self.y)]
        configurations, of_row = distinct(self.model.assignments[:, others])
        dependent = np.zeros(len(configurations), dtype=bool)
        dependent[of_row[self.neighbors[0][:, self.y]]] = True
        contexts, smallest = fewest_contexts(configurations[~dependent], configurations[dependent])
        found = [
            self.describe(
                odds, tuple((others[c], state) for c, state in columns), len(contexts) - 1, smallest=smallest
            )
            for columns in contexts
        ]
        n_sure = sum(independence.sure for independence in found)
        return [replace(i, words=_words(self.model, i, n_sure - i.sure)) for i in found]

    def describe(self, odds: Odds, context: Context, n_others: int, *, smallest: bool) -> ContextIndependence:
        """Return what is known of the two in a context, but for the words."""
        check_time()
        model = self.model
        given = self.separating_set(context)
        # in the context its variables do not vary: given them, too, nothing changes there
        fixed = tuple(sorted({*given, *(v for v, _ in context)}))
        tables, information = self.measure(fixed)
        inside = tables.within(context)
        here = information.mean(inside)
        outside = None if inside.all() else information.mean(~inside)
        expected = self.measure(())[1].mean() if outside is None else outside
        n_rows = tables.tables[inside].sum().item()
        probability, dependent = odds.probabilities(self.log_bayes_factors(fixed), information.n_rows, inside)
        return ContextIndependence(
            x=model.names[self.x],
            y=model.names[self.y],
            context=context,
            given=tuple(model.names[v] for v in given),
            n_rows=n_rows,
            probability=probability,
            dependence_outside=dependent,
            tables=tables.only(inside, given),
            information=here,
            outside=outside,
            n_others=n_others,
            smallest=smallest,
            matters=n_rows * max(0.0, expected - here),
            words="",
        )

    def separating_set(self, context: Context) -> tuple[int, ...]:
        """Return the neighbors of one of the two in any graph of a context: of that which has fewer."""
        inside = np.ones(len(self.model.assignments), dtype=bool)
        for v, state in context:
            inside &= self.model.assignments[:, v] == state
        fixed = {self.x, self.y, *(v for v, _ in context)}
        of_x, of_y = (
            tuple(v for v in np.flatnonzero(of[inside].any(axis=0)).tolist() if v not in fixed)
            for of in self.neighbors
        )
        return min(of_x, of_y, key=len)

    def measure(self, given: tuple[int, ...]) -> tuple[Stratified, Information]:
        """Return the counts of the two given some others, and what they tell about each other."""
        if given not in self._tables:
            model = self.model
            configurations, slice_of = distinct(model.assignments[:, given])
            shape = len(configurations), len(model.states[self.x]), len(model.states[self.y])
            at = slice_of, model.assignments[:, self.x], model.assignments[:, self.y]
            cells = np.bincount(np.ravel_multi_index(at, shape), model.n_rows, math.prod(shape))
            tables = cells.astype(model.n_rows.dtype, copy=False).reshape(shape)
            self._tables[given] = Stratified(given, configurations, tables), Information.of(tables)
        return self._tables[given]

    def log_bayes_factors(self, given: tuple[int, ...]) -> NDArray[np.float64]:
        """Return those of dependence for each of the tables given some others, and each scale."""
        if given not in self._factors:
            self._factors[given] = log_bayes_factors(self.measure(given)[0].tables)
        return self._factors[given]


class Information(NamedTuple):
    """What X and Y tell about each other in each of some tables."""

    statistic: NDArray[np.float64]
    """G²."""
    dof: NDArray[np.intp]
    """Its degrees of freedom: states that do not occur in a table do not count."""
    n_rows: NDArray[np.number]

    @classmethod
    def of(cls, tables: NDArray[np.number]) -> Information:
        """Measure every table."""
        row, column = tables.sum(axis=2), tables.sum(axis=1)
        n = row.sum(axis=1)
        expected = row[:, :, None] * column[:, None, :] / n[:, None, None]
        ratio = np.where(tables > 0, tables, 1) / np.where(tables > 0, expected, 1)
        statistic = 2.0 * (tables * np.log(ratio)).sum(axis=(1, 2))
        dof = (np.count_nonzero(row, axis=1) - 1) * (np.count_nonzero(column, axis=1) - 1)
        return cls(statistic, dof, n)

    def mean(self, kept: NDArray[np.bool_] | slice = slice(None)) -> float:
        r"""Return the mutual information a row, :math:`(G^2 - d) / 2N` and never below zero.

        The statistic G² is d on average where there is none, with d its degrees of freedom.
        """
        statistic, dof, n = (values[kept].sum() for values in self)
        return float(max(0.0, statistic - dof) / (2.0 * n))


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


def _matrix(edges: tuple[tuple[int, int], ...], n: int) -> NDArray[np.bool_]:
    matrix = np.zeros((n, n), dtype=bool)
    for x, y in edges:
        matrix[x, y] = matrix[y, x] = True
    return matrix


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
