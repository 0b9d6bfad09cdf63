"""Conditional likelihoods of a structure with one more hyperedge, for many hyperedges at a time.

What the structure so far says about every row is kept; a hyperedge multiplies it by one term. The compiled
kernel does the same with tables of probabilities in place of logarithms.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import logsumexp

from graphoid.classifiers.regions import subsets
from graphoid.counts.native import kernels

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from graphoid._native import Kernels
    from graphoid.classifiers.submodels import Face, Submodels


def likelihood(submodels: Submodels, n_threads: int = 1) -> Likelihood | NativeLikelihood:
    """Return the fastest way to evaluate."""
    native = kernels()
    return Likelihood(submodels) if native is None else NativeLikelihood(submodels, native, n_threads)


class Likelihood:
    """The log-likelihood of the classes given the attributes (Eq. 6), along a climb; in NumPy."""

    def __init__(self, submodels: Submodels) -> None:
        self._submodels = submodels
        n_rows = len(submodels.classes)
        self._scores = np.tile(submodels.log_probabilities(()), (n_rows, 1))
        self._rows = np.arange(n_rows)
        self._weights = np.ones(n_rows) if submodels.weights is None else submodels.weights

    def start(self) -> float:
        """Return the log-likelihood of the structure that holds the class alone."""
        return self._log_likelihood(self._scores)

    def with_each(self, faces: NDArray[np.int32], new: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Return the log-likelihood of the structure so far with each of some hyperedges.

        Parameters
        ----------
        faces
            A line of attributes for every hyperedge.
        new
            Which of its subsets, in the order of :func:`~graphoid.classifiers.regions.subsets`, are new.
        """
        return np.array(
            [self._log_likelihood(self._with(face, is_new)) for face, is_new in zip(faces, new, strict=True)]
        )

    def add(self, face: NDArray[np.int32], new: NDArray[np.bool_]) -> None:
        """Make a hyperedge part of the structure."""
        self._scores = self._with(face, new)

    def _with(self, face: NDArray[np.int32], new: NDArray[np.bool_]) -> NDArray[np.float64]:
        members: Face = tuple(face.tolist())
        parts = [part for part, is_new in zip(subsets(members), new, strict=True) if is_new]
        table = self._submodels.term(members, parts)
        scores: NDArray[np.float64] = self._scores + table[tuple(self._submodels.columns[v] for v in members)]
        return scores

    def _log_likelihood(self, scores: NDArray[np.float64]) -> float:
        own = scores[self._rows, self._submodels.classes]
        return float(self._weights @ (own - logsumexp(scores, axis=1)))


class NativeLikelihood:
    """The same by the compiled kernel."""

    def __init__(self, submodels: Submodels, native: Kernels, n_threads: int) -> None:
        self._climb = native.Climb(*submodels.for_kernels())
        self._n_threads = n_threads

    def start(self) -> float:
        """Return the log-likelihood of the structure that holds the class alone."""
        return self._climb.start()

    def with_each(self, faces: NDArray[np.int32], new: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Return the log-likelihood of the structure so far with each of some hyperedges."""
        return self._climb.with_each(faces, _signs(faces, new), self._n_threads)

    def add(self, face: NDArray[np.int32], new: NDArray[np.bool_]) -> None:
        """Make a hyperedge part of the structure."""
        self._climb.add(face, _signs(face[None], new[None])[0])


def _signs(faces: NDArray[np.int32], new: NDArray[np.bool_]) -> NDArray[np.int32]:
    r"""Return how often the log submodel of each subset enters the term of a hyperedge.

    The sum of :math:`(-1)^{|F| - |G|}` over the new faces :math:`F` that contain the subset :math:`G`.
    """
    return np.ascontiguousarray(new.astype(np.int32) @ _moebius(faces.shape[1]))


@cache
def _moebius(size: int) -> NDArray[np.int32]:
    r"""Return :math:`(-1)^{|F| - |G|}` where subset :math:`F` contains :math:`G`, else 0; ``F`` by line."""
    parts = [frozenset(part) for part in subsets(tuple(range(size)))]
    return np.array(
        [[(-1) ** len(larger - part) if part <= larger else 0 for part in parts] for larger in parts],
        dtype=np.int32,
    )
