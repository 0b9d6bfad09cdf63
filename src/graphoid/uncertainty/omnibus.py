r"""What all pairs of a comparison say together: whether any differs, and whether edges are as strong.

Several statistics are looked at, each of which is the best one for some differences, and the smallest of
their p-values is held against the smallest in draws of what chance gives: the largest chi-square of all
pairs; that of edges of all rows; and three of the strengths of these edges, whose errors are correlated. For
the strengths :math:`u_g` of all edges in group g, along what is common to the groups (:math:`\mu`),
with precision :math:`P_g`, and their mean :math:`\bar u`,

.. math:: s_g = P_g (u_g - \bar u), \quad
   \max_e \sum_g \frac{s_{ge}^2}{P_{g,ee}}, \quad
   \sum_g s_g^\top (u_g - \bar u), \quad
   \sum_g \frac{(\mu^\top s_g)^2}{\mu^\top P_g \mu}

are what is left of one edge when the others explain what they can of it ([Hall2010]_), all of them
([Hotelling1931]_), and one factor on all of them. They matter where errors are correlated, as those of
partial correlations are: a row that is far out moves several.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from graphoid.uncertainty.group_terms import ModeratorSplit
from graphoid.uncertainty.pair_terms import invert

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from graphoid.structure.graph import Edge
    from graphoid.uncertainty.group_terms import Compared, Split, Strengths

    Matrix = NDArray[np.float64]


class Network(NamedTuple):
    """What all pairs say together."""

    p_value: float
    strengths: tuple[float, ...]
    strength_p_value: float
    figures: tuple[float, ...]
    """The statistics, and that of global strength: what permutations are held against."""


def judge_network(found: Mapping[Edge, Compared], draws: NDArray[np.float32], split: Split) -> Network:
    """Return the p-values that no pair differs, and that global strength does not."""
    lines = _chi_squares([one for one in found.values() if one.difference.dof], len(draws))
    edges = [one.strength for one in found.values() if one.strength is not None]
    if not edges:
        nothing = (0.0,) * len(next(iter(found.values())).difference.effects)
        return Network(together(lines), nothing, 1.0, (*lines[:, 0], 0.0))
    known = [edge for edge in edges if edge.known]
    lines = np.vstack([lines, _joint_lines(known, draws, split)]) if known else lines
    strengths = np.sum([edge.sizes for edge in edges], axis=0)
    strength, p = _judge_strength(edges, draws, split)
    return Network(together(lines), tuple(strengths.tolist()), p, (*lines[:, 0], strength))


def together(lines: NDArray[np.floating]) -> float:
    """Return the p-value of several statistics together: a line each, what was seen first, then draws.

    Of each draw the smallest of its p-values counts, as of what was seen.
    """
    ordered = np.sort(lines, axis=1)
    total = lines.shape[1]
    above = [total - np.searchsorted(line, own, "left") for line, own in zip(ordered, lines, strict=True)]
    least = np.min(above, axis=0)
    return float((least <= least[0]).sum() / total)


def _chi_squares(pairs: Sequence[Compared], n_draws: int) -> Matrix:
    """Return the largest score of all pairs, and of edges, as they are and in draws."""
    if not pairs:
        return np.full((2, 1 + n_draws), -np.inf)
    dof = np.array([[one.difference.dof] for one in pairs])
    each = normal_scores(np.array([np.append(one.difference.statistic, one.chance) for one in pairs]), dof)
    joined = np.array([one.strength is not None for one in pairs])
    among = each[joined] if joined.any() else each  # fewer, and what is there changes most
    return np.array([each.max(axis=0), among.max(axis=0)])


def normal_scores(statistic: NDArray[np.floating], dof: NDArray[np.integer]) -> NDArray[np.floating]:
    """Return chi-square statistics on one scale, about normal, whatever their degrees of freedom.

    The cube root of [Wilson1931]_; it orders statistics of one number of degrees as they are.
    """
    error = 2 / (9 * dof)
    scores: NDArray[np.floating] = (np.cbrt(statistic / dof) - (1 - error)) / np.sqrt(error)
    return scores


def _joint_lines(edges: Sequence[Strengths], draws: NDArray[np.float32], split: Split) -> Matrix:
    """Return the three statistics of all edges, as they are and in draws.

    Along a moderator the ends are compared, whose difference is to be nothing.
    """
    values, moves, common = _stack(edges, split)
    fits = [_Precision.of(moves[:, g]) for g in range(moves.shape[1])]
    correction = _correction(fits)
    seen = _deviations(values, fits) * correction[:, None]
    drawn = _deviations(np.tensordot(draws, moves, 1).astype(np.float64), fits)
    every = np.concatenate([seen[None], drawn])
    largest, whole, factor = np.zeros(every.shape[::2]), np.zeros(len(every)), np.zeros(len(every))
    for g, fit in enumerate(fits):
        score = every[:, g] @ fit.matrix
        largest += score**2 / np.diag(fit.matrix)
        size = np.einsum("de,de->d", score, every[:, g])
        whole += np.append(size[0] / correction[g], size[1:])  # of a sum only half of it is too large
        factor += (score @ common) ** 2 / (common @ fit.matrix @ common)
    return np.array([largest.max(axis=1), whole, factor])


def _stack(edges: Sequence[Strengths], split: Split) -> tuple[Matrix, NDArray[np.float32], Matrix]:
    """Return strengths by group and edge, by how much each row moves them, and what they have in common."""
    values = np.column_stack([edge.along for edge in edges])
    moves = np.stack([edge.moves for edge in edges], axis=2)
    if isinstance(split, ModeratorSplit):
        values, moves = values[-1:] - values[:1], moves[:, -1:] - moves[:, :1]
    return values, moves, np.array([edge.common for edge in edges])


class _Precision(NamedTuple):
    """Of the strengths of all edges in a group."""

    matrix: Matrix
    n_rows: int
    used: float
    """How many numbers the rows had to tell; less than there are edges, as the diagonal needs fewer."""

    @classmethod
    def of(cls, moves: NDArray[np.floating]) -> _Precision:
        """Return the inverse of a covariance that is drawn to its diagonal, the more so the fewer rows."""
        rows, n_edges = moves.astype(np.float64), moves.shape[1]
        covariance, n_rows = rows.T @ rows, int(np.count_nonzero(rows.any(axis=1)))
        share = n_edges / (n_edges + n_rows)
        matrix = np.linalg.inv((1 - share) * covariance + share * np.diag(np.diag(covariance)))
        return cls(matrix, n_rows, (1 - share) * float(np.sum(matrix * covariance)))


def _correction(fits: Sequence[_Precision]) -> Matrix:
    """Return what to multiply deviations by, as precisions were estimated from the same rows.

    In a direction that a precision of p numbers from n rows chose, the variance seems smaller by 1 - p / n
    than it is there, and is larger by as much than in the best one. Two groups have the rows of both.
    """
    n_rows = sum(fit.n_rows for fit in fits)
    own = [1.0 if len(fits) == 1 else 1 - fit.n_rows / n_rows for fit in fits]
    return np.array([1 - part * fit.used / fit.n_rows for part, fit in zip(own, fits, strict=True)])


def _deviations(values: Matrix, fits: Sequence[_Precision]) -> Matrix:
    """Return by how much groups, in the last axis but one, are off their mean; one alone, off nothing."""
    if len(fits) == 1:
        return values
    weighted = sum(values[..., g, :] @ fit.matrix for g, fit in enumerate(fits))
    mean = weighted @ np.linalg.inv(sum(fit.matrix for fit in fits))
    found: Matrix = values - mean[..., None, :]
    return found


def _judge_strength(
    edges: Sequence[Strengths], draws: NDArray[np.float32], split: Split
) -> tuple[float, float]:
    """Return by how much global strengths differ in standard errors, squared, and its p-value.

    Along a moderator the ends are compared: what is between them is no further strength.
    """
    along, moves = (np.sum(parts, axis=0) for parts in ([e.along for e in edges], [e.moves for e in edges]))
    others = [-1] if isinstance(split, ModeratorSplit) else list(range(1, len(along)))
    away, deviation = moves[:, others] - moves[:, :1], along[others] - along[0]
    precision = invert(away.T @ away)
    statistic = float(deviation @ precision @ deviation)
    drawn = draws @ away
    chance = np.einsum("ij,jk,ik->i", drawn, precision, drawn)
    return statistic, float((1 + np.count_nonzero(chance >= statistic)) / (1 + len(chance)))
