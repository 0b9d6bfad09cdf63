"""What a report is about: whatever was learned, in one form, with every name ready to be shown."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from graphoid.counts.engine import CountRequest
from graphoid.counts.native import engine_for
from graphoid.errors import DataError, SettingsError
from graphoid.logic.names import shown as listed_names
from graphoid.report.escaped import shown, visible
from graphoid.structure.contexts import CanonicalModel
from graphoid.structure.explain import listing, plural
from graphoid.structure.graph import UndirectedGraph
from graphoid.structure.implicants import fewest_contexts
from graphoid.structure.learned import LearnedStructure

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from graphoid.data.table import Table
    from graphoid.data.variables import Variable
    from graphoid.structure.contexts import CanonicalContext
    from graphoid.structure.learned import Cost

MOST_VIEWS = 60
"""Graphs of a canonical model that a reader may choose from; those of the most rows."""

MOST_ALTERNATIVES = 3
"""Contexts named for one graph; a graph that holds in more of them is said by how many."""


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
    settings: Mapping[str, Any]
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
    notes: tuple[str, ...] = field(default=())

    @property
    def names(self) -> tuple[str, ...]:
        """Names as they are shown."""
        return self.graph.names


def subject_of(result: Any, table: Any = None) -> Subject:
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
    if hasattr(result, "hyperedges_"):
        return _of_classifier(result)
    if hasattr(result, "structure_"):
        return subject_of(result.structure_, table)
    raise SettingsError(
        f"a report is about a learned structure, a canonical model or a fitted MarkovNetworkClassifier; got "
        f"{type(result).__name__}."
    )


def _matching(table: Any, result: LearnedStructure | CanonicalModel) -> Table | None:
    """Return the table of a result, which must have its variables."""
    from graphoid.data.table import Table

    if table is None:
        table = result.table
    if table is None:
        return None
    if not isinstance(table, Table):
        from graphoid.data.read import read

        table = read(table)
    found: Table = table
    if table.names != result.names:
        raise DataError(
            f"the table has the columns {listed_names(table.names)}, and the network "
            f"{listed_names(result.names)}; give the table that it was learned from."
        )
    return found


def _of_structure(structure: LearnedStructure, table: Table | None) -> Subject:
    names = shown(structure.names)
    graph = UndirectedGraph(names, structure.graph.edges)
    return Subject(
        keys=structure.names,
        graph=graph,
        table=_shown_table(table, names),
        settings=structure.settings,
        cost=structure.cost,
        structure=replace(structure, graph=graph),
        seed=structure.seed,
        data_id=structure.data_id,
        stopped=structure.stopped,
        same_data=_same(table, structure.data_id),
    )


def _of_model(model: CanonicalModel, table: Table | None) -> Subject:
    names = shown(model.names)
    shown_model = replace(
        model,
        names=names,
        states=tuple(tuple(map(_shown_state, states)) for states in model.states),
        graphs=tuple(UndirectedGraph(names, graph.edges) for graph in model.graphs),
    )
    total = model.n_rows.sum().item() or 1
    views = tuple(
        _view(shown_model, number, context, total)
        for number, context in enumerate(shown_model.contexts[:MOST_VIEWS], start=1)
    )
    left = len(model.graphs) - len(views)
    return Subject(
        keys=model.names,
        graph=shown_model.graph,
        table=_shown_table(table, names),
        settings=model.settings,
        cost=model.cost,
        kind="contexts",
        model=shown_model,
        views=views,
        seed=model.seed,
        data_id=model.data_id,
        stopped=model.stopped,
        same_data=_same(table, model.data_id),
        notes=(f"{plural(left, 'graph')} of few rows cannot be chosen in the drawing.",) if left else (),
    )


def _view(model: CanonicalModel, number: int, context: CanonicalContext, total: float) -> View:
    mine = model.graph_of == number - 1
    cover = fewest_contexts(model.assignments[mine], model.assignments[~mine])
    said = [
        listing([model.describe_state(v, state) for v, state in alternative]) if alternative else "everywhere"
        for alternative in cover.contexts[:MOST_ALTERNATIVES]
    ]
    left = len(cover.contexts) - len(said)
    where = "; or ".join(said) + (f"; or in {plural(left, 'other context')}" if left else "")
    label = f"{number}: {context.n_rows / total:.0%} of the rows, {plural(context.graph.n_edges, 'edge')}"
    return View(label, where, context.n_rows, context.graph)


def _of_classifier(classifier: Any) -> Subject:
    keys = tuple(attribute.name for attribute in classifier.attributes_)
    place = {name: i for i, name in enumerate(keys)}
    together = tuple(
        Together(tuple(sorted(place[a] for a in h.attributes)), h.order, h.step, h.information)
        for h in classifier.hyperedges_
    )
    joined = sorted(h.members for h in together if h.order == 3)
    near = {(x, y) for h in together for i, x in enumerate(h.members) for y in h.members[i + 1 :]}
    classes = [visible(str(label)) for label in classifier.classes_]
    return Subject(
        keys=keys,
        graph=UndirectedGraph(shown(keys), [(x, y) for x, y in joined]),
        frame=UndirectedGraph(shown(keys), sorted(near)),
        table=None,
        settings={"learner": type(classifier).__name__, **classifier.get_params()},
        cost=None,
        kind="classifier",
        together=together,
        target=listing(classes),
    )


def _same(table: Table | None, data_id: str | None) -> bool:
    return table is None or data_id is None or table.data_id == data_id


def _shown_table(table: Table | None, names: Sequence[str]) -> Table | None:
    """Return a table whose names and states are as they are shown, its columns shared with the original."""
    if table is None:
        return None
    variables = tuple(_shown_variable(v, name) for v, name in zip(table.variables, names, strict=True))
    return replace(
        table,
        variables=variables,
        name=visible(table.name),
        notes=tuple(visible(note) for note in table.notes),
    )


def _shown_variable(variable: Variable, name: str) -> Variable:
    return replace(
        variable,
        name=name,
        states=tuple(map(_shown_state, variable.states)),
        label=visible(variable.label) if variable.label else "",
    )


def _shown_state(state: Any) -> Any:
    return visible(state) if isinstance(state, str) else state


def row_counts(table: Table, v: int) -> list[float]:
    """Return how many rows have each state of a variable (their weight, where rows have weights)."""
    (counts,) = engine_for(table).counts([CountRequest((v,))])
    return [float(rows) for rows in counts.dense()]
