r"""What a log-linear model adds up: tables over a few variables, and weights of partial assignments.

A feature :math:`f` is a partial assignment; the model has :math:`\log P(v) = \sum_f w_f [v \text{ agrees with
} f] + \sum_c \log \phi_c(v_c) - \log Z`. Features over the same variables are one potential. Everything done
with a model (its score, its conditionals, messages, Gibbs updates) asks a potential the same: some of your
members are known, what are you as a function of the others?
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from graphoid.errors import CountsTooLarge, SettingsError

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from numpy.typing import NDArray

    from graphoid.logic.assertion import Context
    from graphoid.models.factors import Factor

DENSE = 4_096
"""Cells up to which features over the same variables are kept as a table: 32 KB, in the nearest cache."""


class Given(NamedTuple):
    """A potential as a function of its unknown members: a table for each configuration of the known."""

    known: tuple[int, ...]
    unknown: tuple[int, ...]
    tables: NDArray[np.float64]
    """An axis for each unknown member, and the last one for the configurations of the known members."""
    strides: NDArray[np.int64]
    """What a state of each known member counts in the number of a configuration."""
    listed: NDArray[np.int64] | None
    """The configurations that have a table, sorted; all others share the last. None where all have one."""

    def which(self, codes: NDArray[np.integer]) -> NDArray[np.int64]:
        """Return for every row of ``codes`` (a column for each variable of the model) its table."""
        number = np.zeros(len(codes), dtype=np.int64)
        for v, stride in zip(self.known, self.strides, strict=True):
            number += codes[:, v].astype(np.int64) * stride
        if self.listed is None:
            return number
        at = np.searchsorted(self.listed, number)
        at[at == len(self.listed)] = 0
        return np.where(self.listed[at] == number, at, len(self.listed))


@dataclass(frozen=True, eq=False)
class Potential:
    r"""A function :math:`\log \phi` of a few variables: a table, or the assignments where it is not zero."""

    members: tuple[int, ...]
    """Positions, all different."""
    arities: tuple[int, ...]
    """How many states each member has."""
    log_values: NDArray[np.float64] | None
    """An axis for each member; None where assignments are listed."""
    assignments: NDArray[np.int64] | None = None
    """A line for every listed assignment: a state for each member."""
    weights: NDArray[np.float64] | None = None
    """The value of every listed assignment; everywhere else it is zero."""

    def given(self, known: Collection[int]) -> Given:
        """Return the potential as a function of the members that are not in ``known``."""
        inside = [k for k, v in enumerate(self.members) if v in known]
        outside = [k for k, v in enumerate(self.members) if v not in known]
        arities = [self.arities[k] for k in inside]
        strides = np.array([math.prod(arities[k + 1 :]) for k in range(len(arities))], dtype=np.int64)
        shape = tuple(self.arities[k] for k in outside)
        listed: NDArray[np.int64] | None = None
        if self.log_values is not None:
            tables = np.moveaxis(self.log_values, inside, range(-len(inside), 0)).reshape(*shape, -1)
        else:
            assert self.assignments is not None  # noqa: S101 - for the type checker
            assert self.weights is not None  # noqa: S101 - for the type checker
            listed, which = np.unique(self.assignments[:, inside] @ strides, return_inverse=True)
            tables = np.zeros((*shape, len(listed) + 1))
            np.add.at(tables, (*self.assignments[:, outside].T, which), self.weights)
        return Given(
            tuple(self.members[k] for k in inside),
            tuple(self.members[k] for k in outside),
            np.ascontiguousarray(tables),
            strides,
            listed,
        )

    @property
    def values(self) -> NDArray[np.float64]:
        """The numbers it is made of: those of its table, or of the assignments listed."""
        found = self.weights if self.log_values is None else self.log_values
        assert found is not None  # noqa: S101 - for the type checker
        return found

    def scale(self, by: float) -> Potential:
        """Return the potential times a number."""
        if self.log_values is not None:
            return replace(self, log_values=by * self.log_values)
        return replace(self, weights=by * self.values)

    def mean(self, p: NDArray[np.float64]) -> float:
        """Return the mean value under probabilities of the members' joint states, an axis for each.

        What has no probability does not count, even where the value is minus infinity.
        """
        if self.assignments is not None:
            return float(p[tuple(self.assignments.T)] @ self.values)
        possible = p > 0
        return float(p[possible] @ self.values[possible])

    def at(self, codes: NDArray[np.integer]) -> NDArray[np.float64]:
        """Return the value for every row of codes."""
        given = self.given(self.members)
        return np.asarray(given.tables[given.which(codes)])


def potentials(
    arities: Sequence[int],
    features: Sequence[Context],
    weights: NDArray[np.float64],
    factors: Sequence[Factor] = (),
) -> tuple[Potential, ...]:
    """Return the potentials of features and factors: one for every set of variables that features share."""
    found = [
        Potential(tuple(members), tuple(arities[v] for v in members), log_values)
        for members, log_values in factors
    ]
    for members, chosen in sorted(by_scope(features).items()):
        shape = tuple(arities[v] for v in members)
        n_cells = math.prod(shape)
        if n_cells >= 2**63:  # configurations are numbered in 64 bits
            raise CountsTooLarge(
                f"a feature fixes {len(members)} variables, which have {n_cells:.1e} configurations; "
                f"at most 2**63 can be numbered. Use shorter features."
            )
        assignments = np.array([[state for _, state in features[k]] for k in chosen], dtype=np.int64)
        assignments = assignments.reshape(len(chosen), len(members))
        if n_cells <= max(DENSE, 4 * len(chosen)):
            table = np.zeros(shape)
            np.add.at(table, tuple(assignments.T), weights[chosen])
            found.append(Potential(members, shape, table))
        else:
            found.append(Potential(members, shape, None, assignments, weights[chosen]))
    return tuple(found)


def check_feature(feature: Context, arities: Sequence[int]) -> Context:
    """Return a feature sorted by position, or raise if it is not a partial assignment of the variables."""
    try:
        pairs = tuple(sorted((int(v), int(state)) for v, state in feature))
    except (TypeError, ValueError):
        raise SettingsError(
            f"a feature is ((position, code), ...), a partial assignment; got {feature!r}."
        ) from None
    if not pairs or len({v for v, _ in pairs}) < len(pairs):
        raise SettingsError(f"a feature fixes one or more different variables; got {feature!r}.")
    for v, state in pairs:
        if not 0 <= v < len(arities) or not 0 <= state < arities[v]:
            n_states = f"that variable has {arities[v]} states" if 0 <= v < len(arities) else None
            raise SettingsError(
                f"the feature {feature!r} has ({v}, {state}), which no variable's state is: "
                f"{n_states or f'there are {len(arities)} variables'}."
            )
    return pairs


def by_scope(features: Sequence[Context]) -> dict[tuple[int, ...], list[int]]:
    """Return the numbers of the features that fix the same variables, by these variables."""
    found: dict[tuple[int, ...], list[int]] = defaultdict(list)
    for k, feature in enumerate(features):
        found[tuple(v for v, _ in feature)].append(k)
    return dict(found)


def condition(
    potentials: Sequence[Potential], row: NDArray[np.integer]
) -> tuple[tuple[int, ...], tuple[Potential, ...]]:
    """Return the variables that a row of evidence leaves unknown, and the potentials over their places.

    The row has a code for every variable, -1 where nothing was observed; a member ``k`` of what is returned
    is the ``k``-th of the unknown variables.
    """
    unknown = tuple(np.flatnonzero(row < 0).tolist())
    place = {v: k for k, v in enumerate(unknown)}
    known = set(np.flatnonzero(row >= 0).tolist())
    left = []
    for potential in potentials:
        members = tuple(place[v] for v in potential.members if v in place)
        if not members:
            continue
        if len(members) == len(potential.members):
            left.append(replace(potential, members=members))
            continue
        given = potential.given(known)
        table = given.tables[..., given.which(row[None, :])[0]]
        left.append(Potential(members, table.shape, table))
    return unknown, tuple(left)
