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

A row's own class is scored by potentials counted without that row. Otherwise :math:`\varphi`, which has seen
the answer, would look better than it is, and :math:`\lambda` would be too large.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from graphoid.classifiers.conditional import LookUps, conditional
from graphoid.classifiers.mixture import Mixture, Operation, Term, posterior
from graphoid.classifiers.regions import subsets
from graphoid.models.quasi_newton import minimized

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from graphoid.classifiers.search import Climb
    from graphoid.classifiers.submodels import Face, Submodels

    Floats = NDArray[np.float64]

LEAST_INCLUSION = 0.01
"""Faces of a lower posterior inclusion are left out: the share at which the climb itself stops."""

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


def inclusion(climb: Climb) -> dict[Face, float]:
    """Return the posterior probability that a structure holds a face, for every face of any."""
    _, shares = posterior(climb)
    later = np.cumsum([share.sum() for share in shares][::-1])[::-1]  # of this step and all after it
    found: dict[Face, float] = {}
    for t, (step, share) in enumerate(zip(climb.steps, shares, strict=True)):
        for i in np.flatnonzero(share >= LEAST_INCLUSION / max(len(share), 1)).tolist():
            for part in step.parts(i):
                found[part] = found.get(part, 0.0) + float(share[i])
        if step.taken is not None and t + 1 < len(shares):
            for part in step.parts(step.taken):
                found[part] = found.get(part, 0.0) + float(later[t + 1])
    return found


def fitted(climb: Climb, submodels: Submodels, *, averaging: bool = True) -> Mixture:
    """Return a model with fitted potentials.

    With ``averaging`` on all single attributes and on the larger faces of all structures that matter;
    without, on the faces of the best structure.
    """
    if averaging:
        held = {face: share for face, share in inclusion(climb).items() if share >= LEAST_INCLUSION}
        held |= {(v,): 1.0 for v, size in enumerate(submodels.sizes) if size > 1}
    else:
        held = {part: 1.0 for step, i in climb.taken()[: climb.best] for part in step.parts(i)}
    faces = sorted(held, key=lambda face: (len(face), face))
    fit = _Fit(submodels, faces, np.sqrt([held[face] for face in faces]))
    start, *tables = fit.tables(fit.minimum())
    terms = tuple(Term(face, table) for face, table in zip(faces, tables, strict=True))
    program = (*(Operation(i, None) for i in range(len(terms))), Operation(None, 1.0))
    return Mixture(start, submodels.sizes, terms, program)


class _Fit:
    """The conditional likelihood as a function of scales and weights.

    Every face has a block of lines, one a cell, in the tables of counted potentials (``phi``) and of weights.
    """

    def __init__(self, submodels: Submodels, faces: list[Face], relevance: Floats) -> None:
        c = submodels.n_classes
        self.faces = faces
        self.start = submodels.potential(())
        self.prior_scales = np.append(1.0, np.zeros(len(faces)))
        seen = [submodels.potential(face)[(slice(None, -1),) * len(face)] for face in faces]
        self.shapes = [table.shape for table in seen]
        sizes = [table.size // c for table in seen]
        self.first = np.cumsum([0, *sizes])
        self.face_of_cell = np.repeat(np.arange(len(faces)), sizes)
        self.relevance = relevance[self.face_of_cell, None]
        self.phi = np.concatenate([np.zeros((0, c)), *(table.reshape(-1, c) for table in seen)])
        at = np.empty((len(submodels.classes), len(faces)), dtype=np.int32)
        for i, face in enumerate(faces):
            at[:, i] = self.first[i] + submodels.cells(face)
        own = _own_shares(submodels, [(), *faces]) * np.append(1.0, relevance)
        self.rows = conditional(LookUps(at, -own, submodels.classes, submodels.weights, len(self.phi), c))

    def loss(self, at: Floats) -> tuple[float, Floats]:
        """Return the negative log posterior of scales and weights, and its gradient."""
        scales, weights = self._taken_apart(at)
        loss, by_start, by_table, by_scale = self.rows.loss(
            scales[0] * self.start, self._tables(scales, weights), scales
        )
        off = scales - self.prior_scales
        loss += 0.5 * (SCALE_PRECISION * off @ off + WEIGHT_PRECISION * np.vdot(weights, weights))
        by_table *= self.relevance
        by_scale += SCALE_PRECISION * off
        by_scale[0] += by_start @ self.start
        by_scale[1:] += np.bincount(
            self.face_of_cell, np.einsum("ky,ky->k", by_table, self.phi), len(self.faces)
        )
        by_table += WEIGHT_PRECISION * weights
        return loss, np.append(by_scale, by_table)

    def minimum(self) -> Floats:
        """Return the scales and weights with the highest posterior."""
        begin = np.append(self.prior_scales, np.zeros(self.phi.size))
        found = minimized(self.loss, begin, most_iterations=MOST_ITERATIONS, slope=SLOPE, gain=TOLERANCE)
        return np.asarray(found.x)

    def tables(self, at: Floats) -> list[Floats]:
        """Return the potentials of some scales and weights: of the class alone, then of every face."""
        scales, weights = self._taken_apart(at)
        flat = self._tables(scales, weights)
        out = [scales[0] * self.start]
        for shape, first, last in zip(self.shapes, self.first, self.first[1:], strict=False):
            table = np.zeros((*(size + 1 for size in shape[:-1]), shape[-1]))  # 0 for levels not seen
            table[(slice(None, -1),) * (len(shape) - 1)] = flat[first:last].reshape(shape)
            out.append(table)
        return out

    def _tables(self, scales: Floats, weights: Floats) -> Floats:
        """Return what every cell says."""
        tables: Floats = self.relevance * (scales[1:][self.face_of_cell, None] * self.phi + weights)
        return tables

    def _taken_apart(self, at: Floats) -> tuple[Floats, Floats]:
        n = len(self.faces) + 1
        return at[:n], at[n:].reshape(self.phi.shape)


def _own_shares(submodels: Submodels, faces: list[Face]) -> Floats:
    """Return a line for every row: what counting the row itself adds to each potential of its own class."""
    out = np.zeros((len(faces), len(submodels.classes)))
    of_submodels: dict[Face, Floats] = {}
    for i, face in enumerate(faces):
        for part in subsets(face):
            if part not in of_submodels:
                of_submodels[part] = submodels.own_share(part)
            out[i] += (-1.0) ** (len(face) - len(part)) * of_submodels[part]
    return out.T
