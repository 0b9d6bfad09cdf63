r"""Submodels on subsets of variables, and what each subset says about the class beyond its own subsets.

All sets here are sets of attributes; the class :math:`Y` belongs to each and is not written. A submodel is a
multinomial with a symmetric Dirichlet prior that spreads :math:`\vartheta` rows over all cells
([Jakulin2006]_, section 4.1). The same :math:`\vartheta` for all makes them consistent: they are margins of
one another.

The potential of a face :math:`F` (Eq. 1, as a logarithm) is what is left of its submodel when the potentials
of its own faces are taken off:

.. math:: \varphi_F = \sum_{G \subseteq F} (-1)^{|F| - |G|} \log P(x_G, y)

A model is the sum of the potentials of all faces of its hyperedges, each once: the same product as over
regions and counting numbers. So a new hyperedge brings one term, the sum over the faces that are new with it.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from graphoid.classifiers.regions import subsets
from graphoid.counts.native import kernels

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from graphoid._native import Kernels

    Codes: TypeAlias = NDArray[np.uint16]

Face = tuple[int, ...]
"""Positions of attributes, ascending."""


class Submodels:
    r"""Coded rows with their classes, and the submodels estimated from them; the specification of the kernel.

    Parameters
    ----------
    columns
        An array of codes for every attribute.
    sizes
        How many values each attribute has.
    classes
        The class of every row, as a code.
    n_classes
        How many classes there are.
    weights
        A weight a row; None for one each.
    theta
        Rows that the prior spreads evenly over all cells, :math:`\vartheta`.
    """

    def __init__(
        self,
        columns: Sequence[NDArray[np.integer]],
        sizes: Sequence[int],
        classes: NDArray[np.integer],
        n_classes: int,
        *,
        weights: NDArray[np.float64] | None = None,
        theta: float = 1.0,
    ) -> None:
        self.columns = tuple(columns)
        self.sizes = tuple(sizes)
        self.classes = classes
        self.n_classes = n_classes
        self.weights = weights
        self.theta = theta
        self.n_rows = float(len(classes) if weights is None else weights.sum())
        self._counts: dict[Face, NDArray[np.float64]] = {}
        self._logs: dict[Face, NDArray[np.float64]] = {}
        self._potentials: dict[Face, NDArray[np.float64]] = {}
        self._informations: dict[Face, float] = {}

    def for_kernels(
        self,
    ) -> tuple[list[Codes], list[int], Codes, int, NDArray[np.float64] | None, float]:
        """Return the rows and what belongs to them as the compiled classes take them."""
        columns = [np.ascontiguousarray(column, dtype=np.uint16) for column in self.columns]
        classes = np.ascontiguousarray(self.classes, dtype=np.uint16)
        return columns, list(self.sizes), classes, self.n_classes, self.weights, self.theta

    def counts(self, face: Face) -> NDArray[np.float64]:
        """Return how many rows have each combination of values and class; the class is the last axis."""
        if face not in self._counts:
            shape = (*(self.sizes[v] for v in face), self.n_classes)
            cells = self.cells(face) * self.n_classes + self.classes
            counts = np.bincount(cells, self.weights, math.prod(shape)).astype(np.float64)
            self._counts[face] = counts.reshape(shape)
        return self._counts[face]

    def cells(self, face: Face) -> NDArray[np.int64]:
        """Return which combination of values each row has, as a number; the last attribute counts fastest."""
        cells = np.zeros(len(self.classes), dtype=np.int64)
        for v in face:
            cells *= self.sizes[v]
            cells += self.columns[v]
        return cells

    def log_probabilities(self, face: Face) -> NDArray[np.float64]:
        r"""Return :math:`\log P(x_F, y)`, the posterior mean of the submodel."""
        if face not in self._logs:
            counts = self.counts(face)
            self._logs[face] = np.log((counts + self.theta / counts.size) / (self.n_rows + self.theta))
        return self._logs[face]

    def potential(self, face: Face) -> NDArray[np.float64]:
        r"""Return :math:`\varphi_F` for every combination of values and class.

        Every attribute has one more value, for levels that were not seen: there the potential is 0, so that
        a value about which nothing is known says nothing.
        """
        if face not in self._potentials:
            out = np.zeros((*(self.sizes[v] + 1 for v in face), self.n_classes))
            seen = out[(slice(None, -1),) * len(face)]
            for part in subsets(face):
                add = np.subtract if (len(face) - len(part)) % 2 else np.add
                add(seen, _spread(self.log_probabilities(part), part, face), out=seen)
            self._potentials[face] = out
        return self._potentials[face]

    def own_potential(self, face: Face) -> NDArray[np.float64]:
        r"""Return what counting a row itself adds to :math:`\varphi_F` in its own cell, at its own class.

        Where weights are no whole numbers this is an approximation: no less than one row is left out.
        """
        out = np.zeros((*(self.sizes[v] for v in face), self.n_classes))
        for part in subsets(face):
            counts = self.counts(part)
            prior = self.theta / counts.size
            share = np.log((counts + prior) / (np.maximum(counts - 1.0, 0.0) + prior))
            out += (-1.0) ** (len(face) - len(part)) * _spread(share, part, face)
        return out

    def term(self, face: Face, new: Iterable[Face]) -> NDArray[np.float64]:
        """Return what a hyperedge adds to the log score of each class, the sum over its new faces."""
        total = np.zeros((*(self.sizes[v] + 1 for v in face), self.n_classes))
        for part in new:
            total += _spread(self.potential(part), part, face)
        return total

    @cached_property
    def class_entropy(self) -> float:
        """The entropy of the class, in nats."""
        log_p = self.log_probabilities(())
        return float(-(np.exp(log_p) * log_p).sum())

    def information(self, face: Face) -> float:
        r"""Return the interaction information of a set of attributes and the class, in nats.

        .. math:: \sum_{G \subseteq F} (-1)^{|F| - |G|} I(X_G; Y)

        Positive where the attributes say more together than apart, negative where they repeat each other; for
        a single attribute it is the mutual information.
        """
        return math.fsum(
            (-1.0) ** (len(face) - len(part)) * self.mutual_information(part)
            for part in subsets(face)
            if part
        )

    def mutual_information(self, face: Face) -> float:
        """Return what a set of attributes tells about the class, in nats."""
        if face not in self._informations:
            log_p = self.log_probabilities(face)
            p = np.exp(log_p)
            ratio = log_p - np.log(p.sum(axis=-1, keepdims=True)) - self.log_probabilities(())
            self._informations[face] = float((p * ratio).sum())
        return self._informations[face]


class NativeSubmodels(Submodels):
    """By the compiled kernel."""

    def __init__(self, of: Submodels, native: Kernels) -> None:
        super().__init__(of.columns, of.sizes, of.classes, of.n_classes, weights=of.weights, theta=of.theta)
        self._native = native.Submodels(*self.for_kernels())

    def potential(self, face: Face) -> NDArray[np.float64]:
        r"""Return :math:`\varphi_F` for every combination of values and class."""
        return self.term(face, [face])

    def own_potential(self, face: Face) -> NDArray[np.float64]:
        r"""Return what counting a row itself adds to :math:`\varphi_F` in its own cell, at its own class."""
        table = self._native.own_potential(face)
        return table.reshape(*(self.sizes[v] for v in face), self.n_classes)

    def term(self, face: Face, new: Iterable[Face]) -> NDArray[np.float64]:
        """Return what a hyperedge adds to the log score of each class, the sum over its new faces."""
        table = self._native.term(face, [sum(1 << face.index(v) for v in part) for part in new])
        return table.reshape(*(self.sizes[v] + 1 for v in face), self.n_classes)

    def mutual_information(self, face: Face) -> float:
        """Return what a set of attributes tells about the class, in nats."""
        return self._native.mutual_information(face)


def fastest(of: Submodels) -> Submodels:
    """Return the fastest way to the same submodels."""
    native = kernels()
    return of if native is None else NativeSubmodels(of, native)


def _spread(table: NDArray[np.float64], part: Face, face: Face) -> NDArray[np.float64]:
    """Return a table over some attributes of a face, ready to be added to one over all."""
    lengths = iter(table.shape)
    return table.reshape(*(next(lengths) if v in part else 1 for v in face), table.shape[-1])
