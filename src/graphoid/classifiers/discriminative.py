r"""Potentials fitted to predict the class, the counted ones as their prior.

Counted potentials describe attributes and class together; what they say about the class is too sure where
attributes repeat one another. The conclusion of [Jakulin2006]_ asks for discriminative parameters on
well-performing structures. Here the score of class :math:`y` is

.. math:: \lambda_\emptyset \varphi_\emptyset(y)
          + \sum_F \sqrt{\pi_F}\, [\lambda_F \varphi_F(x_F, y) + w_F(x_F, y)]

over all single attributes (:math:`\pi_F = 1`) and every larger face whose posterior inclusion :math:`\pi_F`,
the probability of all structures that hold it, is not negligible. The scales :math:`\lambda` and the weights
:math:`w` maximize the conditional likelihood with Gaussian priors: :math:`w` around 0, :math:`\lambda_F`
around 0 (a counted potential has to earn its place) and :math:`\lambda_\emptyset` around 1.

A row's own class is scored by potentials counted without that row, :math:`\varphi - o`. Otherwise
:math:`\varphi`, which has seen the answer, would look better than it is, and :math:`\lambda` would be too
large. Scales and weights are one vector here: :math:`\lambda_\emptyset`, the other scales, the weights.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from graphoid.classifiers.mixture import Mixture, Operation, Term, posterior
from graphoid.counts.native import kernels
from graphoid.limits import check_time
from graphoid.models.quasi_newton import MEMORY, minimize

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from graphoid._native import Kernels
    from graphoid.classifiers.search import Climb
    from graphoid.classifiers.submodels import Face, Submodels

    Floats = NDArray[np.float64]

SCALE_PRECISION = 10.0
"""Precision of the prior of the scales."""

WEIGHT_PRECISION = 2.0
"""Precision of the prior of the weights: that of scikit-learn's logistic regression."""

MOST_ITERATIONS = 500
"""Of L-BFGS; it takes 20 to 100."""

TOLERANCE = 1e-8
"""L-BFGS ends when a step gains less than this share of the loss."""

SLOPE = 1e-5
"""Or where no derivative is larger: of a sum over rows, so hardly ever."""

LEAST_INCLUSION = 0.01
"""Faces of a lower posterior inclusion are left out: the share at which the climb itself stops."""


def inclusion(climb: Climb) -> dict[Face, float]:
    """Return the posterior probability that a structure holds a face, for every face of any."""
    _, shares = posterior(climb)
    later = np.cumsum([share.sum() for share in shares][::-1])[::-1]  # of this step and all after it
    found: dict[Face, float] = {}
    for t, (step, share) in enumerate(zip(climb.steps, shares, strict=True)):
        for i in np.flatnonzero(share >= LEAST_INCLUSION / max(len(share), 1)).tolist():
            for part in step.parts(i):
                found[part] = found.get(part, 0.0) + float(share[i])
        if step.chosen is not None and t + 1 < len(shares):
            for part in step.parts(step.chosen):
                found[part] = found.get(part, 0.0) + float(later[t + 1])
    return found


def relevant_faces(climb: Climb, submodels: Submodels, *, averaging: bool) -> dict[Face, float]:
    """Return the faces that get potentials, smaller ones first, with their posterior inclusion.

    With ``averaging`` all single attributes and the larger faces of all structures that matter; without, the
    faces of the best structure.
    """
    if averaging:
        held = {face: share for face, share in inclusion(climb).items() if share >= LEAST_INCLUSION}
        held |= {(v,): 1.0 for v, size in enumerate(submodels.sizes) if size > 1}
    else:
        held = {part: 1.0 for step, i in climb.choices()[: climb.best] for part in step.parts(i)}
    return dict(sorted(held.items(), key=lambda item: (len(item[0]), item[0])))


def fit_potentials(climb: Climb, submodels: Submodels, *, averaging: bool = True) -> Mixture:
    """Return a model with fitted potentials on the faces that matter."""
    held = relevant_faces(climb, submodels, averaging=averaging)
    faces = list(held)
    of = potentials(submodels, faces, np.sqrt(list(held.values())))
    start, *tables = _tables(of, conditional(of).minimum(), [_shape(submodels, face) for face in faces])
    terms = tuple(Term(face, table) for face, table in zip(faces, tables, strict=True))
    program = (*(Operation(i, None) for i in range(len(terms))), Operation(None, 1.0))
    return Mixture(start, submodels.sizes, terms, program)


def potentials(submodels: Submodels, faces: list[Face], relevance: Floats) -> Potentials:
    """Return the counted potentials of some faces, and where every row is in their tables."""
    sizes = [math.prod(_shape(submodels, face)[:-1]) for face in faces]
    at = np.empty((len(submodels.classes), len(faces)), dtype=np.int32)
    counted, own = np.empty((2, sum(sizes), submodels.n_classes))
    first = 0
    for i, face in enumerate(faces):
        check_time()
        last = first + sizes[i]
        counted[first:last] = submodels.potential(face)[_known_levels(face)].reshape(sizes[i], -1)
        own[first:last] = submodels.own_potential(face).reshape(sizes[i], -1)
        at[:, i] = first + submodels.cells(face)
        first = last
    return Potentials(
        at=at,
        classes=submodels.classes,
        row_weights=submodels.weights,
        start=submodels.potential(()),
        start_own=submodels.own_potential(()),
        counted=counted,
        own=own,
        face=np.repeat(np.arange(len(faces), dtype=np.int32), sizes),
        relevance=relevance,
    )


def _tables(of: Potentials, at: Floats, shapes: list[tuple[int, ...]]) -> list[Floats]:
    """Return the potentials of some scales and weights: of the class alone, then of every face."""
    scales, weights = split_scales(of, at)
    flat = of.relevance[of.face, None] * (scales[1:][of.face, None] * of.counted + weights)
    out = [scales[0] * of.start]
    first = 0
    for shape in shapes:
        last = first + math.prod(shape[:-1])
        table = np.zeros((*(size + 1 for size in shape[:-1]), shape[-1]))  # 0 for levels not seen
        table[_known_levels(shape[:-1])] = flat[first:last].reshape(shape)
        out.append(table)
        first = last
    return out


def _shape(submodels: Submodels, face: Face) -> tuple[int, ...]:
    """Return the shape of the table of a face: its attributes' values, then the classes."""
    return (*(submodels.sizes[v] for v in face), submodels.n_classes)


def _known_levels(face: Sequence[int]) -> tuple[slice, ...]:
    """Return the part of a table without the levels that were not seen, the last of every attribute."""
    return (slice(None, -1),) * len(face)


class Potentials(NamedTuple):
    """What is fixed. The tables of all faces are one below the other, a line of classes for every cell."""

    at: NDArray[np.int32]
    """For every row, its line in the table of every face."""
    classes: NDArray[np.integer]
    row_weights: Floats | None
    """A weight a row; None for one each."""
    start: Floats
    """Potentials of the class alone."""
    start_own: Floats
    """What a row adds to that of its own class."""
    counted: Floats
    own: Floats
    """The same for every cell."""
    face: NDArray[np.int32]
    """Which face a cell belongs to."""
    relevance: Floats
    """Of every face."""


def conditional(of: Potentials) -> Conditional | NativeConditional:
    """Return the fastest way to evaluate."""
    native = kernels()
    return Conditional(of) if native is None else NativeConditional(of, native)


class Conditional:
    """The negative log posterior of scales and weights, in NumPy and SciPy."""

    def __init__(self, of: Potentials) -> None:
        from scipy.sparse import csr_array

        n_rows, n_faces = of.at.shape
        self._of = of
        self._own = np.arange(n_rows), of.classes
        self._weights = np.ones(n_rows) if of.row_weights is None else of.row_weights
        starts = np.arange(n_rows + 1) * n_faces
        self._lines = csr_array((np.ones(of.at.size), of.at.ravel(), starts), (n_rows, len(of.counted)))
        self._prior = np.append(1.0, np.zeros(n_faces))

    def loss(self, at: Floats) -> tuple[float, Floats]:
        """Return its value and its derivatives."""
        of = self._of
        scales, weights = split_scales(of, at)
        relevance = of.relevance[of.face, None]
        scale = relevance * scales[1:][of.face, None]
        scores = scales[0] * of.start + self._lines @ (scale * of.counted + relevance * weights)
        scores[self._own] -= (scales[0] * of.start_own + self._lines @ (scale * of.own))[self._own]
        scores -= scores.max(axis=1, keepdims=True)
        total = np.exp(scores).sum(axis=1)
        loss = float(self._weights @ (np.log(total) - scores[self._own]))
        residual = np.exp(scores) / total[:, None]
        residual[self._own] -= 1.0
        residual *= self._weights[:, None]
        of_own = np.zeros_like(residual)
        of_own[self._own] = residual[self._own]

        off = scales - self._prior
        loss += 0.5 * float(SCALE_PRECISION * off @ off + WEIGHT_PRECISION * np.vdot(weights, weights))
        by_table, by_own = relevance * (self._lines.T @ residual), relevance * (self._lines.T @ of_own)
        by_scale = SCALE_PRECISION * off
        by_scale[0] += (residual @ of.start - of_own @ of.start_own).sum()
        by_cell = (by_table * of.counted - by_own * of.own).sum(axis=1)
        by_scale[1:] += np.bincount(of.face, by_cell, len(of.relevance))
        return loss, np.append(by_scale, by_table + WEIGHT_PRECISION * weights)

    def minimum(self) -> Floats:
        """Return the scales and weights with the highest posterior."""
        begin = np.append(self._prior, np.zeros(self._of.counted.size))
        return minimize(self.loss, begin, most_iterations=MOST_ITERATIONS, slope=SLOPE, gain=TOLERANCE).at


class NativeConditional:
    """The same by the compiled kernel."""

    def __init__(self, of: Potentials, native: Kernels) -> None:
        self._native = native.Potentials(
            np.ascontiguousarray(of.at),
            np.ascontiguousarray(of.classes, dtype=np.uint16),
            *of[2:],
            SCALE_PRECISION,
            WEIGHT_PRECISION,
        )

    def loss(self, at: Floats) -> tuple[float, Floats]:
        """Return its value and its derivatives."""
        return self._native.loss(at)

    def minimum(self) -> Floats:
        """Return the scales and weights with the highest posterior."""
        return self._native.minimum(MEMORY, MOST_ITERATIONS, SLOPE, TOLERANCE)


def split_scales(of: Potentials, at: Floats) -> tuple[Floats, Floats]:
    """Return scales, and weights as lines of classes."""
    n = len(of.relevance) + 1
    return at[:n], at[n:].reshape(of.counted.shape)
