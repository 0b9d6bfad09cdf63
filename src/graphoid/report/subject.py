"""What a report is about: whatever was learned, in one form, with every name ready to be shown."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple, Protocol, runtime_checkable

from graphoid.counts.engine import CountRequest
from graphoid.counts.native import engine_for
from graphoid.errors import DataError, SettingsError
from graphoid.logic.names import quote
from graphoid.report.display import display_names, visible
from graphoid.structure.contexts import CanonicalContext, CanonicalModel
from graphoid.structure.explain import listing, plural
from graphoid.structure.graph import UndirectedGraph
from graphoid.structure.implicants import fewest_contexts
from graphoid.structure.learned import Cost, LearnedStructure, Result
from graphoid.uncertainty.bootstrap import Bootstrap

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from graphoid.classifiers.columns import Attribute
    from graphoid.classifiers.structures import Hyperedge
    from graphoid.data.table import Table
    from graphoid.data.variables import State
    from graphoid.structure.effect import Effect
    from graphoid.structure.graph import Edge
    from graphoid.uncertainty.bootstrap_result import Resampled

MOST_VIEWS = 60
"""Graphs of a canonical model that a reader may choose from; those of the most rows."""

MOST_ALTERNATIVES = 3
"""Contexts named for one graph; a graph that holds in more of them is said by how many."""


@runtime_checkable
class HasStructure(Protocol):
    """A fitted learner."""

    structure_: Result


@runtime_checkable
class HasHyperedges(Protocol):
    """A fitted classifier, such as :class:`graphoid.MarkovNetworkClassifier`."""

    attributes_: Sequence[Attribute]
    classes_: Sequence[object]

    @property
    def hyperedges_(self) -> Sequence[Hyperedge]:
        """What its attributes say about the class together."""

    def get_params(self) -> Mapping[str, object]:
        """Return its settings."""


Reportable = Result | HasStructure | HasHyperedges
"""What a report can be about."""


class View(NamedTuple):
    """One of several graphs over the same variables."""

    label: str
    where: str
    """In words, for which rows it holds."""
    n_rows: float
    graph: UndirectedGraph


class Together(NamedTuple):
    """Attributes of a classifier that say something about the class together."""

    members: tuple[int, ...]
    order: int
    step: int
    information: float
    """As a share of the entropy of the class."""


@dataclass(frozen=True)
class Subject:
    """What was learned. All names and states are as they are shown; positions are those of the original."""

    keys: tuple[str, ...]
    """Names as they came: what another report recognizes a variable by."""
    graph: UndirectedGraph
    table: Table | None
    settings: Mapping[str, object]
    cost: Cost | None
    kind: str = "structure"
    structure: LearnedStructure | None = None
    model: CanonicalModel | None = None
    views: tuple[View, ...] = ()
    together: tuple[Together, ...] = ()
    frame: UndirectedGraph | None = None
    """What decides where variables are drawn, if not the graph: who belongs together."""
    target: str = ""
    """What a classifier tells apart, in words."""
    seed: int | None = None
    data_id: str | None = None
    stopped: str = "converged"
    same_data: bool = True
    """Whether the table is the one that was learned from."""
    notes: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Names as they are shown."""
        return self.graph.names

    @property
    def pooled(self) -> Mapping[Edge, Effect] | None:
        """Effects pooled over completed tables; None where nothing was pooled, or another table is shown."""
        return self.structure.pooled if self.structure is not None and self.same_data else None


def subject_of(result: object, table: object = None) -> Subject:
    """Return what a report of a result is about.

    Parameters
    ----------
    result
        A learned structure, a canonical model or a fitted classifier.
    table
        What it was learned from; what the result remembers, if None.
    """
    if isinstance(result, CanonicalModel):
        return _of_model(result, _matching(table, result))
    if isinstance(result, LearnedStructure):
        return _of_structure(result, _matching(table, result))
    if isinstance(result, HasHyperedges):
        return _of_classifier(result)
    if isinstance(result, HasStructure):
        return subject_of(result.structure_, table)
    raise SettingsError(
        f"a report is about a learned structure, a canonical model or a fitted MarkovNetworkClassifier; got "
        f"{type(result).__name__}."
    )


def _matching(table: object, result: LearnedStructure | CanonicalModel) -> Table | None:
    """Return the table of a result, which must have its variables."""
    from graphoid.data.table import Table

    if table is None:
        table = result.table
    if table is None:
        return None
    if not isinstance(table, Table):
        from graphoid.data.read import read

        table = read(table)
    if table.names != result.names:
        raise DataError(
            f"the table has the columns {quote(table.names)}, and the network "
            f"{quote(result.names)}; give the table that it was learned from."
        )
    return table


def resamples_of(bootstrap: Bootstrap | Resampled | None, subject: Subject) -> Resampled | None:
    """Return what a bootstrap found, given it fitted or as it was saved; refuse one of another result.

    Of two learners a page would have two verdicts on one pair.
    """
    resampled = bootstrap.result_ if isinstance(bootstrap, Bootstrap) else bootstrap
    if resampled is None or resampled.graph.names != tuple(subject.keys):
        return resampled  # other variables are refused by name
    probable = subject.structure is not None and bool(subject.structure.edge_probabilities)
    alike = (resampled.own_verdicts is not None) == probable or subject.structure is None
    if alike and resampled.graph.adjacency == subject.graph.adjacency:
        return resampled
    learner = subject.settings.get("learner", "another learner")
    raise DataError(
        f"the bootstrap is of {resampled.learner}, and what it is shown with was found by {learner}: a pair "
        f"would have two verdicts. Resample the learner that found it: found.bootstrap(200)."
    )


def _of_structure(structure: LearnedStructure, table: Table | None) -> Subject:
    names = display_names(structure.names)
    graph = UndirectedGraph(names, structure.graph.edges)
    return Subject(
        keys=structure.names,
        graph=graph,
        table=_display_table(table, names, structure.settings),
        settings=structure.settings,
        cost=structure.cost,
        structure=replace(structure, graph=graph),
        seed=structure.seed,
        data_id=structure.data_id,
        stopped=structure.stopped,
        same_data=_same(table, structure),
    )


def _of_model(model: CanonicalModel, table: Table | None) -> Subject:
    names = display_names(model.names)
    display = replace(
        model,
        names=names,
        states=tuple(tuple(map(_display_state, states)) for states in model.states),
        graphs=tuple(UndirectedGraph(names, graph.edges) for graph in model.graphs),
    )
    total = model.n_rows.sum().item() or 1
    views = tuple(
        _view(display, number, context, total)
        for number, context in enumerate(display.contexts[:MOST_VIEWS], start=1)
    )
    left = len(model.graphs) - len(views)
    return Subject(
        keys=model.names,
        graph=display.graph,
        table=_display_table(table, names, model.settings),
        settings=model.settings,
        cost=model.cost,
        kind="contexts",
        model=display,
        views=views,
        seed=model.seed,
        data_id=model.data_id,
        stopped=model.stopped,
        same_data=_same(table, model),
        notes=(f"{plural(left, 'graph')} of few rows cannot be chosen in the drawing.",) if left else (),
    )


def _view(model: CanonicalModel, number: int, context: CanonicalContext, total: float) -> View:
    mine = model.graph_of == number - 1
    cover = fewest_contexts(model.assignments[mine], model.assignments[~mine])
    alternatives = [
        listing([model.describe_state(v, state) for v, state in alternative]) if alternative else "everywhere"
        for alternative in cover.contexts[:MOST_ALTERNATIVES]
    ]
    left = len(cover.contexts) - len(alternatives)
    where = "; or ".join(alternatives) + (f"; or in {plural(left, 'other context')}" if left else "")
    label = f"{number}: {context.n_rows / total:.0%} of the rows, {plural(context.graph.n_edges, 'edge')}"
    return View(label, where, context.n_rows, context.graph)


def _of_classifier(classifier: HasHyperedges) -> Subject:
    keys = tuple(attribute.name for attribute in classifier.attributes_)
    names = display_names(keys)
    place = {name: i for i, name in enumerate(keys)}
    together = tuple(
        Together(tuple(sorted(place[a] for a in h.attributes)), h.order, h.step, h.information)
        for h in classifier.hyperedges_
    )
    joined = sorted(h.members for h in together if h.order == 3)
    together_pairs = {pair for h in together for pair in combinations(h.members, 2)}
    classes = [visible(str(label)) for label in classifier.classes_]
    return Subject(
        keys=keys,
        graph=UndirectedGraph(names, [(x, y) for x, y in joined]),
        frame=UndirectedGraph(names, sorted(together_pairs)),
        table=None,
        settings={"learner": type(classifier).__name__, **classifier.get_params()},
        cost=None,
        kind="classifier",
        together=together,
        target=listing(classes),
    )


def _same(table: Table | None, result: LearnedStructure | CanonicalModel) -> bool:
    if table is None or result.data_id is None:
        return True
    return table is result.table or table.data_id == result.data_id


def _display_table(table: Table | None, names: Sequence[str], settings: Mapping[str, object]) -> Table | None:
    """Return a table whose names and states are as they are shown, its columns shared with the original.

    Where a learner counted the bins of numbers, these are its states.
    """
    if table is None:
        return None
    table = table.discretized if "discretized" in settings else table
    variables = tuple(
        replace(
            v,
            name=name,
            states=tuple(map(_display_state, v.states)),
            label=visible(v.label) if v.label else "",
        )
        for v, name in zip(table.variables, names, strict=True)
    )
    return replace(
        table,
        variables=variables,
        name=visible(table.name),
        notes=tuple(visible(note) for note in table.notes),
    )


def _display_state(state: State) -> State:
    return visible(state) if isinstance(state, str) else state


def row_counts(table: Table, v: int) -> list[float]:
    """Return how many rows have each state of a variable (their weight, where rows have weights)."""
    (counts,) = engine_for(table).counts([CountRequest((v,))])
    return [float(rows) for rows in counts.dense()]
