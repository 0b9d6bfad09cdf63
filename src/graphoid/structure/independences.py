"""What a canonical model says of pairs of variables, in words: who tells nothing about whom, and where."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from graphoid.structure.explain import counted, described, listed
from graphoid.structure.implicants import fewest_contexts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from graphoid.logic.assertion import Context
    from graphoid.structure.contexts import CanonicalModel

MOST_SHOWN = 12  # what a reader takes in at once; independences() has them all


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
    counts: tuple[tuple[Context, NDArray[Any]], ...] = field(repr=False)
    """The counts of X and Y in the context, for every configuration of U that occurs there."""
    information: float
    """Mutual information of X and Y given U in the context, in nats a row, corrected for its bias."""
    elsewhere: float | None
    """The same for the other rows, given U and W; None where there are none."""
    n_others: int
    """Other contexts in which the same two are independent."""
    smallest: bool
    """Whether the contexts of this pair are known to be the fewest that say the same."""
    matters: float
    """Nats that one would expect to find in these rows and does not: from how the two depend on each other
    elsewhere or, if there is no elsewhere, with nothing given."""
    words: str

    def __str__(self) -> str:
        return self.words


def of(model: CanonicalModel) -> tuple[ContextIndependence, ...]:
    """Return every independence of a model, those that matter most first; ties by position."""
    n = len(model.names)
    adjacency = np.array([_matrix(graph.edges, n) for graph in model.graphs])
    found = [
        (x, y, independence)
        for x in range(n)
        for y in range(x + 1, n)
        for independence in _of_pair(model, adjacency, x, y)
    ]
    found.sort(key=lambda item: (-item[2].matters, item[0], item[1], item[2].context))
    return tuple(independence for _, _, independence in found)


def _of_pair(
    model: CanonicalModel, adjacency: NDArray[np.bool_], x: int, y: int
) -> list[ContextIndependence]:
    """Return the independences of one pair.

    A context is made of the other variables. Where some of the assignments that differ in X and Y alone join
    the two, they count as dependent there.
    """
    others = [v for v in range(len(model.names)) if v not in (x, y)]
    rows = model.assignments[:, others]
    joined = adjacency[model.graph_of, x, y]
    configurations, of_row = np.unique(rows, axis=0, return_inverse=True)
    dependent = np.zeros(len(configurations), dtype=bool)
    dependent[of_row.reshape(-1)[joined]] = True
    contexts, smallest = fewest_contexts(configurations[~dependent], configurations[dependent])
    found = []
    for columns in contexts:
        context = tuple((others[c], state) for c, state in columns)
        found.append(_described(model, adjacency, x, y, context, len(contexts) - 1, smallest=smallest))
    return found


def _described(
    model: CanonicalModel,
    adjacency: NDArray[np.bool_],
    x: int,
    y: int,
    context: Context,
    n_others: int,
    *,
    smallest: bool,
) -> ContextIndependence:
    inside = np.ones(len(model.assignments), dtype=bool)
    for v, state in context:
        inside &= model.assignments[:, v] == state
    graphs = adjacency[np.unique(model.graph_of[inside])]
    fixed = [v for v, _ in context]
    of_x, of_y = (
        [v for v in np.flatnonzero(graphs[:, end].any(axis=0)).tolist() if v not in fixed] for end in (x, y)
    )
    given = min(of_x, of_y, key=len)
    counts = _stratified(model, x, y, given, inside)
    information = _information(counts)
    n_rows = model.n_rows[inside].sum().item()
    elsewhere = None
    if not inside.all():
        elsewhere = _information(_stratified(model, x, y, sorted({*given, *fixed}), ~inside))
    expected = elsewhere
    if expected is None:
        expected = _information(_stratified(model, x, y, [], inside))
    return ContextIndependence(
        x=model.names[x],
        y=model.names[y],
        context=context,
        given=tuple(model.names[v] for v in given),
        n_rows=n_rows,
        counts=counts.by_context(),
        information=information,
        elsewhere=elsewhere,
        n_others=n_others,
        smallest=smallest,
        matters=n_rows * max(0.0, expected - information),
        words=_words(model, x, y, context, given, n_others),
    )


def _words(model: CanonicalModel, x: int, y: int, context: Context, given: list[int], n_others: int) -> str:
    known = (
        f" once {listed([model.names[v] for v in given])} {'is' if len(given) == 1 else 'are'} known"
        if given
        else ""
    )
    nothing = f"{model.names[x]} tells nothing about {model.names[y]}{known}"
    if not context:
        return f"in every context, {nothing}"
    where = f"given {listed([model.said(v, state) for v, state in context])}"
    if not n_others:
        return f"{where}, {nothing}; elsewhere it does"
    more = "one other context" if n_others == 1 else f"{n_others} other contexts"
    return f"{where}, {nothing}; nor in {more}, elsewhere it does"


class Stratified(NamedTuple):
    """The tables of X and Y for every configuration of some others that occurs."""

    given: list[int]
    configurations: NDArray[np.uint16]
    tables: NDArray[Any]
    """One axis for the configurations, one for X, one for Y."""

    def by_context(self) -> tuple[tuple[Context, NDArray[Any]], ...]:
        """Return each table with the context that it holds for."""
        rows = self.configurations.tolist()
        contexts = (tuple(zip(self.given, states, strict=True)) for states in rows)
        return tuple(zip(contexts, self.tables, strict=True))


def _stratified(
    model: CanonicalModel, x: int, y: int, given: list[int], among: NDArray[np.bool_]
) -> Stratified:
    """Count X and Y among some assignments."""
    rows, weights = model.assignments[among], model.n_rows[among]
    configurations, slice_of = np.zeros((1, 0), dtype=np.uint16), np.zeros(len(rows), dtype=np.intp)
    if given:
        configurations, slice_of = np.unique(rows[:, given], axis=0, return_inverse=True)
    tables = np.zeros((len(configurations), len(model.states[x]), len(model.states[y])), dtype=weights.dtype)
    np.add.at(tables, (slice_of.reshape(-1), rows[:, x], rows[:, y]), weights)
    return Stratified(given, configurations, tables)


def _information(stratified: Stratified) -> float:
    r"""Return the mutual information of X and Y, :math:`(G^2 - d) / 2N` and never below zero.

    The statistic G² is d on average where there is none, with d its degrees of freedom: states that do not
    occur in a table do not count.
    """
    tables = stratified.tables
    row, column = tables.sum(axis=2), tables.sum(axis=1)
    n = row.sum(axis=1)
    expected = row[:, :, None] * column[:, None, :] / n[:, None, None]
    seen = tables > 0
    statistic = 2.0 * (tables[seen] * np.log(tables[seen] / expected[seen])).sum()
    dof = ((np.count_nonzero(row, axis=1) - 1) * (np.count_nonzero(column, axis=1) - 1)).sum()
    return float(max(0.0, statistic - dof) / (2.0 * n.sum()))


def _matrix(edges: tuple[tuple[int, int], ...], n: int) -> NDArray[np.bool_]:
    matrix = np.zeros((n, n), dtype=bool)
    for x, y in edges:
        matrix[x, y] = matrix[y, x] = True
    return matrix


def text(model: CanonicalModel) -> str:
    """Return a model for a terminal: its graphs, what they say, and what it cost."""
    by = described(model.settings)
    total = model.n_rows.sum().item()
    lines = [
        f"Canonical model of {len(model.names):,} variables, {len(model.assignments):,} assignments with "
        f"{len(model.graphs):,} different graphs" + (f", learned by {by}" if by else "")
    ]
    for context in model.contexts[:MOST_SHOWN]:
        edges, where = counted(context.graph.n_edges, "edge"), counted(len(context.assignments), "assignment")
        lines.append(f"  {edges} in {where}, {context.n_rows / total:.1%} of the rows")
    if len(model.graphs) > MOST_SHOWN:
        lines.append(f"  and {len(model.graphs) - MOST_SHOWN:,} more; contexts has them all")
    found = model.independences()
    lines += [f"  {independence} ({independence.n_rows:,.0f} rows)" for independence in found[:MOST_SHOWN]]
    if len(found) > MOST_SHOWN:
        lines.append(f"  and {len(found) - MOST_SHOWN:,} more; independences() has them all")
    cost = model.cost
    lines.append(f"{cost.n_tests:,} tests, {cost.n_distinct:,} of them different, {cost.seconds:.3g} s")
    return "\n".join(lines)
