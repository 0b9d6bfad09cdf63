"""What a live page answers to evidence: the distributions of all variables, by a model with the network.

Pages say variables and states by position, people by name: both ways are here.
"""

from __future__ import annotations

import math
from itertools import product
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from graphoid.errors import DataError
from graphoid.logic.names import Names, quote
from graphoid.models.mixed.answers import NumberAnswer
from graphoid.models.network import MarkovNetwork
from graphoid.structure.cliques import maximal_cliques
from graphoid.structure.learned import LearnedStructure

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from graphoid.data.table import Table
    from graphoid.data.variables import State, Variable
    from graphoid.structure.contexts import CanonicalModel

    Known: TypeAlias = Mapping[str, State]
    """What is given, by name."""

    Answer: TypeAlias = list[float] | dict[str, float]
    """The probability of every state; of a number, its mean and where nine tenths of it lie."""

MOST_FEATURES = 20_000
"""Configurations of cliques that a page has weights for, which takes seconds."""


def fit_model(result: LearnedStructure | CanonicalModel, table: Table) -> MarkovNetwork:
    """Return a model with a learned structure, of the rows of its table that are complete.

    It is that of :meth:`graphoid.MarkovNetwork.fit`; where cliques have very many configurations, a feature
    for every pair of states of an edge takes their place.
    """
    table = table.complete_rows()
    if is_cut(result):
        table = table.discretized
    numbers = any(v.continuous for v in table.variables)
    if numbers or not isinstance(result, LearnedStructure):
        return MarkovNetwork.fit(result, table)
    graph, arities = result.graph, [v.arity for v in table.variables]
    n_features = sum(math.prod(arities[v] for v in clique) for clique in maximal_cliques(graph))
    if n_features <= MOST_FEATURES:
        return MarkovNetwork.fit(result, table)
    singles = [((v, k),) for v, arity in enumerate(arities) for k in range(arity)]
    pairs = [
        ((x, a), (y, b)) for x, y in graph.edges for a, b in product(range(arities[x]), range(arities[y]))
    ]
    return MarkovNetwork.fit([*singles, *pairs], table)


def is_cut(result: LearnedStructure | CanonicalModel) -> bool:
    """Return whether numbers were cut into bins to learn it, so that its page has their states."""
    return "discretized" in result.settings


def marginals(model: MarkovNetwork, known: Known) -> list[Answer]:
    """Return the distribution of every variable given evidence, as a page takes it."""
    return [to_plain(answer) for answer in model.marginals(known or None).values()]


def to_plain(answer: object) -> Answer:
    """Return the distribution of a variable as plain values."""
    if isinstance(answer, NumberAnswer):
        return {"mean": answer.mean, "low": answer.quantiles[0.05], "high": answer.quantiles[0.95]}
    return [float(p) for p in np.asarray(answer, dtype=float).round(6)]


def from_positions(variables: Sequence[Variable], said: object) -> Known:
    """Return evidence by name, from pairs of positions of a variable and a state, or a number."""
    known: dict[str, State] = {}
    for pair in said if isinstance(said, list) else [said]:
        if not isinstance(pair, list) or len(pair) != 2 or not _is_place(pair[0], len(variables)):
            raise DataError(f"evidence is {pair!r:.80}; expected the position of a variable, and of a state.")
        variable, value = variables[pair[0]], pair[1]
        if variable.continuous and isinstance(value, (int, float)) and np.isfinite(value):
            known[variable.name] = value
        elif not variable.continuous and _is_place(value, variable.arity):
            known[variable.name] = variable.states[value]
        else:
            raise DataError(f"{value!r:.80} is no value of {variable.name!r}; it has {_values(variable)}.")
    return known


def to_positions(variables: Sequence[Variable], known: Mapping[str, object]) -> list[list[float]]:
    """Return evidence as a page takes it; a state may also be given as it is printed."""
    names = Names([v.name for v in variables])
    said: list[list[float]] = []
    for name, value in known.items():
        place = names.position(name)
        variable = variables[place]
        if variable.continuous:
            if not isinstance(value, (int, float)) or not np.isfinite(value):
                raise DataError(f"{value!r} is no value of {name!r}; it has {_values(variable)}.")
            said.append([place, float(value)])
            continue
        states = [k for k, state in enumerate(variable.states) if state == value or str(state) == value]
        if not states:
            raise DataError(f"{value!r} is no value of {name!r}; it has {_values(variable)}.")
        said.append([place, states[0]])
    return said


def _is_place(value: object, n: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < n


def _values(variable: Variable) -> str:
    return "numbers" if variable.continuous else f"the states {quote(list(map(str, variable.states)))}"
