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

from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import minimize
from scipy.sparse import csr_array
from threadpoolctl import ThreadpoolController

from graphoid.classifiers.mixture import Mixture, Operation, Term, posterior

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from graphoid.classifiers.search import Climb
    from graphoid.classifiers.submodels import Face, Submodels

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
    start, *tables = fit.tables()
    terms = tuple(Term(face, table) for face, table in zip(faces, tables, strict=True))
    program = (*(Operation(i, None) for i in range(len(terms))), Operation(None, 1.0))
    return Mixture(start, submodels.sizes, terms, program)


@cache
def _libraries() -> ThreadpoolController:
    """Return the control of the libraries that NumPy and SciPy use; finding them takes milliseconds."""
    return ThreadpoolController()


class _Fit:
    """The conditional likelihood as a function of scales and weights.

    Every face has a block of lines, one a cell, in the tables of counted potentials (``phi``) and of weights;
    ``cells`` marks for every row the cells it is in.
    """

    def __init__(self, submodels: Submodels, faces: list[Face], relevance: NDArray[np.float64]) -> None:
        n_rows, c = len(submodels.classes), submodels.n_classes
        self.submodels, self.faces, self.relevance = submodels, faces, relevance
        self.classes, self.rows = submodels.classes, np.arange(n_rows)
        self.row_weights = np.ones(n_rows) if submodels.weights is None else submodels.weights
        seen = [submodels.potential(face)[(slice(None, -1),) * len(face)] for face in faces]
        self.shapes = [table.shape for table in seen]
        sizes = [table.size // c for table in seen]
        first = np.cumsum([0, *sizes])
        self.face_of_cell = np.repeat(np.arange(len(faces)), sizes)
        self.phi = np.concatenate([np.zeros((0, c)), *(table.reshape(-1, c) for table in seen)])
        at = np.empty((n_rows, len(faces)), dtype=np.int64)
        less = np.empty((n_rows, len(faces) + 1))  # what leaving the row out changes for its own class
        for i, face in enumerate(faces):
            columns = tuple(submodels.columns[v] for v in face)
            at[:, i] = first[i] + np.ravel_multi_index(columns, self.shapes[i][:-1])
            left = submodels.left_out.potential(face)
            less[:, i + 1] = (
                left[(*columns, self.classes)] - submodels.potential(face)[(*columns, self.classes)]
            )
        self.start = submodels.potential(())
        less[:, 0] = (submodels.left_out.potential(()) - self.start)[self.classes]
        self.less = less * np.append(1.0, relevance)
        strength = np.tile(relevance, n_rows)
        self.cells = csr_array(
            (strength, at.ravel(), np.arange(n_rows + 1) * len(faces)), (n_rows, first[-1])
        )
        self.cells_turned = self.cells.T.tocsr()

    def loss(self, at: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        """Return the negative log posterior of scales and weights, and its gradient."""
        scales, weights = self._taken_apart(at)
        tables = scales[1:][self.face_of_cell, None] * self.phi + weights
        scores = scales[0] * self.start + self.cells @ tables
        scores[self.rows, self.classes] += self.less @ scales
        scores -= scores.max(axis=1, keepdims=True)
        own = scores[self.rows, self.classes]
        residual = np.exp(scores, out=scores)
        total = residual.sum(axis=1)
        off = scales - self._mean
        loss = self.row_weights @ (np.log(total) - own)
        loss += 0.5 * (SCALE_PRECISION * off @ off + WEIGHT_PRECISION * np.vdot(weights, weights))
        residual /= total[:, None]
        residual[self.rows, self.classes] -= 1.0
        residual *= self.row_weights[:, None]
        by_cell = self.cells_turned @ residual
        by_scale = SCALE_PRECISION * off + self.less.T @ residual[self.rows, self.classes]
        by_scale[0] += (residual @ self.start).sum()
        by_scale[1:] += np.bincount(self.face_of_cell, (by_cell * self.phi).sum(axis=1), len(self.faces))
        return float(loss), np.append(by_scale, by_cell + WEIGHT_PRECISION * weights)

    def tables(self) -> list[NDArray[np.float64]]:
        """Return the fitted potentials: of the class alone, then of every face."""
        begin = np.append(self._mean, np.zeros(self.phi.size))
        with _libraries().limit(
            limits=1, user_api="blas"
        ):  # short vectors: threads cost more than they bring
            found = minimize(
                self.loss,
                begin,
                jac=True,
                method="L-BFGS-B",
                options={"maxiter": MOST_ITERATIONS, "ftol": TOLERANCE},
            )
        scales, weights = self._taken_apart(found.x)
        flat = scales[1:][self.face_of_cell, None] * self.phi + weights
        ends = np.cumsum(np.bincount(self.face_of_cell, minlength=len(self.faces)))
        out = [scales[0] * self.start]
        for i, block in enumerate(np.split(flat, ends)[: len(self.faces)]):
            inner = self.relevance[i] * block.reshape(self.shapes[i])
            out.append(np.pad(inner, [(0, 1)] * len(self.faces[i]) + [(0, 0)]))
        return out

    @property
    def _mean(self) -> NDArray[np.float64]:
        return np.append(1.0, np.zeros(len(self.faces)))

    def _taken_apart(self, at: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        n = len(self.faces) + 1
        return at[:n], at[n:].reshape(self.phi.shape)
