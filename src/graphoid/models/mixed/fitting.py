"""From a graph and a table of mixed kinds to weights: penalized pseudo-likelihood."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from graphoid.errors import DataError, SettingsError
from graphoid.limits import check_time
from graphoid.models.fitting import graph_of, penalty_of, provenance
from graphoid.models.maximum_pseudo_likelihood import (
    ROUGH,
    TOLERANCE,
    CrossValidated,
    Penalty,
    check_penalty,
    conjugate_gradients,
    sandwich_errors,
)
from graphoid.models.mixed.layout import Layout, pairs_of
from graphoid.models.mixed.likelihood import PairwiseLikelihood, Point, Rows, distinct_rows
from graphoid.models.mixed.scale import Scale
from graphoid.models.quasi_newton import one_thread

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    from graphoid.data.table import Table
    from graphoid.models.fitting import Structure
    from graphoid.models.mixed.network import MixedNetwork

    Matrix = NDArray[np.float64]
    Vector = NDArray[np.float64]
    Edge = tuple[int, int]

MAX_STEPS = 200
"""Newton's steps; ten are usual, and twice as many with an L1 penalty."""

ARMIJO = 1e-4
"""The share of the promised gain that a step must bring."""


@dataclass(frozen=True, eq=False)
class PairwiseFit:
    """Weights, and how they were found."""

    weights: Vector
    objective: float
    """The log pseudo-likelihood, with its row more for the scores, minus the penalty."""
    n_iterations: int
    converged: bool
    """Whether every derivative of the objective is as good as zero."""
    penalty: Penalty
    likelihood: PairwiseLikelihood

    @cached_property
    def standard_errors(self) -> Vector:
        """The standard error of each weight, from the sandwich; NaN where an L1 penalty made it zero."""
        point = self.likelihood.at(self.weights)
        if point is None:
            raise DataError(
                "the weights make no distribution: the scores have no positive definite precision."
            )
        free = np.flatnonzero(self.weights != 0) if self.penalty.l1 else np.arange(len(self.weights))
        curvature = self.penalty.l2 * np.eye(len(free))
        with one_thread():
            for i, f in enumerate(free):
                direction = np.zeros(len(self.weights))
                direction[f] = 1.0
                curvature[i] -= self.likelihood.hessian_product(point, direction)[free]
            rows = self.likelihood.row_gradients(point)[:, free]
            errors = np.full(len(self.weights), np.nan)
            errors[free] = sandwich_errors(curvature, rows, self.likelihood.rows.weights)
        return errors


def fit_network(
    structure: Structure,
    table: Table,
    penalty: Penalty | CrossValidated | float | None,
    method: str,
    max_cells: int,
) -> MixedNetwork:
    """Return the model of a table of mixed kinds on the graph of a structure."""
    from graphoid.models.mixed.network import MixedNetwork

    if method != "pseudo":
        raise SettingsError(
            f"method={method!r} is for tables of states; one with numbers is fitted by method='pseudo'."
        )
    graph = graph_of(structure, table)
    layout, scales, fit = fit_pairwise(graph.edges, table, penalty_of(penalty))
    return MixedNetwork(
        table.variables,
        weights=fit.weights,
        estimated=fit,
        provenance=provenance(structure, table, fit, method),
        max_cells=max_cells,
        scales=scales,
        pairs=layout.pairs,
    )


class Fitted(NamedTuple):
    """A model of a table: what its weights belong to, its scales, and the weights."""

    layout: Layout
    scales: Mapping[int, Scale]
    fit: PairwiseFit


def fit_pairwise(edges: Iterable[Edge], table: Table, penalty: Penalty | CrossValidated) -> Fitted:
    r"""Return the weights of a pairwise model of a table, by penalized pseudo-likelihood.

    Ordered variables are joined by their scores alone, and on an edge that gains more than
    :math:`m \log N` of the log pseudo-likelihood from :math:`m` more weights by bends as well: half of that
    is what each end's regression would pay by the Bayesian information criterion.
    """
    scales = scales_of(table)
    rows = rows_of(table, scales)
    joined = sorted((min(edge), max(edge)) for edge in edges)
    layout = Layout(table.variables, pairs_of(table.variables, joined))
    with one_thread():
        if isinstance(penalty, CrossValidated):
            penalty = _choose(penalty, layout, table, scales)
        fit = maximize(PairwiseLikelihood(layout, rows), penalty)
        bent = bent_edges(fit, joined)
        if bent:
            richer = Layout(table.variables, pairs_of(table.variables, joined, bent))
            fit = maximize(PairwiseLikelihood(richer, rows), penalty, start=transfer(fit, richer))
            layout = richer
    return Fitted(layout, scales, fit)


def scales_of(table: Table) -> dict[int, Scale]:
    """Return the scales of the numbers of a table, by position."""
    return {
        x: Scale.of(table.numbers(x), table.weights) for x, v in enumerate(table.variables) if v.continuous
    }


def rows_of(table: Table, scales: Mapping[int, Scale], kept: NDArray[np.bool_] | None = None) -> Rows:
    """Return the different rows of a table, or of some of its rows, as codes and scores."""
    values = np.empty((table.n_rows, len(table.variables)))
    for x in range(len(table.variables)):
        values[:, x] = scales[x].encode(table.numbers(x)) if x in scales else table.column(x)
    weights = table.weights
    units = np.ones(table.n_rows, dtype=np.int64) if weights is None else weights.units
    if not units.any():
        raise DataError(f"{table.name!r} has no rows with weight; a model needs some to be fitted to.")
    chosen = slice(None) if kept is None else kept
    return distinct_rows(values[chosen], units[chosen], 1.0 if weights is None else weights.unit)


def maximize(
    likelihood: PairwiseLikelihood,
    penalty: Penalty,
    *,
    start: Vector | None = None,
    tolerance: float = TOLERANCE,
) -> PairwiseFit:
    """Return the weights of the largest penalized pseudo-likelihood: Newton's steps, kept within signs.

    Parameters
    ----------
    likelihood
        Of the rows to fit.
    penalty
        On the sum over rows.
    start
        Weights to begin with.
    tolerance
        Largest derivative of the objective at the solution, per row.

    Notes
    -----
    With an L1 penalty, a weight that would cross zero in a step stays there, and leaves it where the slope is
    steeper than the penalty ([Andrew2007]_, with Newton's steps in place of quasi-Newton ones).
    """
    check_penalty(penalty)
    l1, l2 = float(penalty.l1), float(penalty.l2)
    slack = tolerance * max(likelihood.rows.total, 1.0)
    weights = np.zeros(likelihood.layout.n_weights) if start is None else np.array(start, dtype=np.float64)
    point = likelihood.at(weights)
    if point is None:
        raise SettingsError("the first weights make no distribution; start from zeros.")
    steps, converged = 0, False
    while steps < MAX_STEPS:
        check_time()
        slope = _slope(point, l1, l2)
        converged = bool(np.abs(slope).max(initial=0.0) <= slack)
        if converged:
            break
        found = _step(likelihood, point, slope, (l1, l2))
        if found is None:
            break  # the last digit is reached
        point, steps = found, steps + 1
    return PairwiseFit(point.weights, _worth(point, l1, l2), steps, converged, penalty, likelihood)


def _worth(point: Point, l1: float, l2: float) -> float:
    w = point.weights
    return point.value - l1 * float(np.abs(w).sum()) - 0.5 * l2 * float(w @ w)


def _slope(point: Point, l1: float, l2: float) -> Vector:
    """Return the slope of the objective; where a weight is zero, the steeper of both sides, if any rises."""
    w = point.weights
    slope = point.gradient - l2 * w
    if not l1:
        return slope
    at_zero = np.sign(slope) * np.maximum(np.abs(slope) - l1, 0.0)
    return np.where(w == 0, at_zero, slope - l1 * np.sign(w))


def _step(
    likelihood: PairwiseLikelihood, point: Point, slope: Vector, penalty: tuple[float, float]
) -> Point | None:
    """Return a better point, or None where rounding leaves none."""
    l1, l2 = penalty
    free = np.flatnonzero((point.weights != 0) | (slope != 0)) if l1 else np.arange(len(slope))
    # in units in which every weight alone has the curvature one: rare states are as near as others
    unit = 1 / np.sqrt(likelihood.diagonal(point)[free] + l2 + 1e-9 * max(likelihood.rows.total, 1.0))
    product = partial(_curvature, likelihood, point, free, l2, unit)
    move = np.zeros(len(slope))
    move[free] = unit * conjugate_gradients(product, unit * slope[free])
    side = np.sign(np.where(point.weights == 0, slope, point.weights))
    worth = _worth(point, l1, l2)
    steep = float(slope @ slope)
    for _ in range(40):  # halvings: a distribution is near, the point itself is one
        candidate = point.weights + move
        if l1:
            candidate[candidate * side < 0] = 0.0
        found = likelihood.at(candidate)
        if found is not None:
            gain = _worth(found, l1, l2) - worth
            if gain >= ARMIJO * float(slope @ (candidate - point.weights)) and gain > 0:
                return found
            # near the maximum worths differ by less than their rounding; there the slope tells
            there = _slope(found, l1, l2)
            if abs(gain) <= 1e-12 * abs(worth) and float(there @ there) < 0.25 * steep:
                return found
        move = move / 2
    return None


def _curvature(
    likelihood: PairwiseLikelihood,
    point: Point,
    free: NDArray[np.intp],
    l2: float,
    unit: Vector,
    direction: Vector,
) -> Vector:
    whole = np.zeros(len(point.weights))
    whole[free] = unit * direction
    return unit * (l2 * whole - likelihood.hessian_product(point, whole))[free]


def bent_edges(fit: PairwiseFit, joined: Iterable[Edge]) -> list[Edge]:
    """Return the edges of ordered variables that are worth more weights than those of their scores."""
    layout, rows = fit.likelihood.layout, fit.likelihood.rows
    rich = Layout(layout.variables, pairs_of(layout.variables, joined, list(joined)))
    if rich.n_weights == layout.n_weights:
        return []
    likelihood = PairwiseLikelihood(rich, rows)
    point = likelihood.at(transfer(fit, rich))
    if point is None:
        return []
    new = np.ones(len(rich.pairs), dtype=bool)
    new[_places(layout, rich)] = False
    owners = rich.owner[rich.pairs]
    found = []
    for x, y in joined:
        mine = np.flatnonzero(new & (owners[:, 0] == x) & (owners[:, 1] == y))
        if not len(mine):
            continue
        slope = point.gradient[rich.first_pair + mine]
        information = _information(likelihood, point, mine, x, y) + _information(
            likelihood, point, mine, y, x
        )
        information += fit.penalty.l2 * np.eye(len(mine))
        gain = 0.5 * float(slope @ np.linalg.lstsq(information, slope, rcond=None)[0])
        if gain > len(mine) * math.log(max(rows.total, 2.0)):
            found.append((x, y))
    return found


def _information(
    likelihood: PairwiseLikelihood, point: Point, pairs: NDArray[np.intp], x: int, y: int
) -> Matrix:
    """Return minus the second derivatives of a variable's terms by weights that join it to another."""
    layout, weights = likelihood.layout, likelihood.rows.weights
    swap = x > y
    own, other = layout.pairs[pairs].T[:: -1 if swap else 1]
    code, p = layout.codes[x], point.conditionals[x].p
    used, at = np.unique(other, return_inverse=True)
    theirs = likelihood.embedded[:, used]
    if code is None or p is None:
        k = 1.0 + point.weights[layout.first_curvature + layout.numbers.index(x)]
        products = theirs.T @ (weights[:, None] * theirs) / k
        return np.asarray(products[np.ix_(at, at)])
    mine = own - layout.columns[x].start
    mean = (p @ code)[:, mine] * theirs[:, at]
    total = -mean.T @ (weights[:, None] * mean)
    for state in range(len(code)):
        products = theirs.T @ ((weights * p[:, state])[:, None] * theirs)
        total += np.outer(code[state, mine], code[state, mine]) * products[np.ix_(at, at)]
    return np.asarray(total)


def transfer(fit: PairwiseFit, layout: Layout) -> Vector:
    """Return the weights of a fit in a layout with more pairs, whose weights are zero."""
    old = fit.likelihood.layout
    weights = np.zeros(layout.n_weights)
    weights[: layout.first_pair] = fit.weights[: old.first_pair]
    weights[layout.first_pair + _places(old, layout)] = fit.weights[old.first_pair :]
    return weights


def _places(old: Layout, new: Layout) -> NDArray[np.intp]:
    """Return where the pairs of one layout are among those of another."""
    key = new.n_columns
    return np.searchsorted(new.pairs @ [key, 1], old.pairs @ [key, 1])


def _choose(chosen: CrossValidated, layout: Layout, table: Table, scales: Mapping[int, Scale]) -> Penalty:
    """Return the best of the candidates of cross-validation; scales are those of all rows."""
    scores = np.zeros(len(chosen.candidates))
    for left_out in chosen.folds(table):
        inside = PairwiseLikelihood(layout, rows_of(table, scales, ~left_out))
        outside = PairwiseLikelihood(layout, rows_of(table, scales, left_out))
        weights = np.zeros(layout.n_weights)
        for i, penalty in enumerate(chosen.candidates):
            weights = maximize(inside, penalty, start=weights, tolerance=ROUGH).weights
            scores[i] += outside.value(weights)
    return chosen.candidates[int(np.argmax(scores))]
