"""From a structure and a table to a model: which features, and weights for them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, is_dataclass
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias, runtime_checkable

from graphoid.errors import CountsTooLarge, DataError, SettingsError
from graphoid.logic.names import quote
from graphoid.models.maximum_likelihood import ExactFit, fit_exactly
from graphoid.models.maximum_pseudo_likelihood import L2, CrossValidated, Fit, Penalty, fit_weights
from graphoid.models.potentials import check_feature
from graphoid.settings import json_value
from graphoid.structure.cliques import clique_features, maximal_cliques
from graphoid.structure.compare import HasGraph
from graphoid.structure.contexts import CanonicalModel
from graphoid.structure.graph import UndirectedGraph
from graphoid.structure.learned import LearnedStructure

if TYPE_CHECKING:
    from graphoid.data.table import Table
    from graphoid.logic.assertion import Context
    from graphoid.structure.document import Json

MAX_FEATURES = 2**20
"""Most features that the cliques of a graph may make: a million weights."""


@runtime_checkable
class HasFeatures(Protocol):
    """A structure with features of its own, such as a canonical model."""

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the variables."""

    @property
    def features(self) -> Sequence[Context]:
        """Partial assignments, by position."""


Structure: TypeAlias = UndirectedGraph | HasGraph | HasFeatures | Sequence["Context"]
"""What features can be had from."""


def has_features(structure: Structure) -> bool:
    """Say whether a structure speaks of states, not only of variables."""
    return isinstance(structure, (list, tuple)) or (
        isinstance(structure, HasFeatures) and bool(structure.features)
    )


def features_of(structure: Structure, table: Table) -> tuple[Context, ...]:
    """Return the features of a structure, over the columns of a table.

    Those it has (``.features``), or a feature for every configuration of every maximal clique of its graph.
    """
    names: tuple[str, ...] | None = None
    features: Sequence[Context] = ()
    if isinstance(structure, HasFeatures):
        names, features = structure.names, structure.features
    elif isinstance(structure, (list, tuple)):
        features = structure
    arities = [v.arity for v in table.variables]
    if features:
        place = _places(names, table)
        theirs = [arities[k] for k in place]
        checked = (check_feature(feature, theirs) for feature in features)
        return tuple(tuple(sorted((place[v], state) for v, state in feature)) for feature in checked)
    placed = graph_of(structure, table)
    n_features = sum(math.prod(arities[v] for v in clique) for clique in maximal_cliques(placed))
    if n_features > MAX_FEATURES:
        raise CountsTooLarge(
            f"the maximal cliques of the graph have {n_features:,} configurations, a feature each; at most "
            f"{MAX_FEATURES:,} are fitted. Use a sparser graph or fewer states."
        )
    return clique_features(placed, arities)


def graph_of(structure: Structure, table: Table) -> UndirectedGraph:
    """Return the graph of a structure, over the columns of a table."""
    graph = structure.graph if isinstance(structure, HasGraph) else structure
    if not isinstance(graph, UndirectedGraph):
        raise SettingsError(
            f"a model is fitted to a graph, a learned structure, a canonical model or a list of features; "
            f"got {type(structure).__name__}."
        )
    place = _places(graph.names, table)
    return UndirectedGraph(table.names, [(place[x], place[y]) for x, y in graph.edges])


def _places(names: tuple[str, ...] | None, table: Table) -> list[int]:
    """Return the column of each variable of a structure: by name, or by position where names are numbers."""
    n = len(table.variables)
    if names is None or tuple(names) == tuple(map(str, range(n))):
        return list(range(n))
    if sorted(names) != sorted(table.names):
        raise DataError(
            f"the structure and the table must have the same variables; the structure has {quote(names)}, "
            f"the table {quote(table.names)}."
        )
    return [table.position(name) for name in names]


def fit_features(
    features: tuple[Context, ...],
    table: Table,
    penalty: Penalty | CrossValidated | float | None,
    method: Literal["pseudo", "exact"],
    max_cells: int,
) -> Fit | ExactFit:
    """Return the weights of features by the method asked for."""
    penalty = penalty_of(penalty)
    if method == "pseudo":
        return fit_weights(features, table, penalty=penalty)
    if method != "exact":
        raise SettingsError(f"method must be 'pseudo' or 'exact', not {method!r}.")
    if isinstance(penalty, CrossValidated):
        penalty = penalty.choose(features, table)
    return fit_exactly(features, table, penalty=penalty, max_cells=max_cells)


def penalty_of(penalty: Penalty | CrossValidated | float | None) -> Penalty | CrossValidated:
    """Return the penalty that is meant: a number is the strength of a quadratic one, and None is one."""
    if penalty is None:
        return L2(1.0)
    return L2(float(penalty)) if isinstance(penalty, (int, float)) else penalty


class Found(Protocol):
    """Weights as they were found."""

    @property
    def penalty(self) -> Penalty:
        """What weights cost."""

    @property
    def objective(self) -> float:
        """What was maximized."""

    @property
    def converged(self) -> bool:
        """Whether its derivatives are as good as zero."""


def provenance(structure: Structure, table: Table, fit: Found, method: str) -> Json:
    """Return as plain values what was fitted, to which data, and how."""
    penalty = (
        asdict(fit.penalty) if is_dataclass(fit.penalty) else {"l1": fit.penalty.l1, "l2": fit.penalty.l2}
    )
    settings = structure.settings if isinstance(structure, (LearnedStructure, CanonicalModel)) else {}
    return {
        "structure": type(structure).__name__,
        "learner": json_value(dict(settings)),
        "method": method,
        "penalty": {"name": type(fit.penalty).__name__, **penalty},
        "objective": fit.objective,
        "converged": fit.converged,
        "data": table.name,
        "data_id": table.data_id,
        "n_rows": table.n_rows,
    }
