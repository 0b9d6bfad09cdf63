"""What a model is worth: its likelihood less a price for its weights, or its evidence."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

import numpy as np

from graphoid.regression.coding import contrasts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graphoid.regression.coding import Matrix

CONSTANT = 5.0
"""Standard deviation of the constant a priori, in those of the effects: all but free."""


class Objective(ABC):
    """What a model is worth, and what more columns promise."""

    doubt: float
    """By how much a promise may miss its price and still be tried: it is rough."""
    shrinking: bool
    """Whether promises only shrink as products are added, so that only the best one is looked at again."""

    @staticmethod
    @abstractmethod
    def code(r: int) -> Matrix:
        """Return r - 1 numbers for each of r states."""

    def precision(self, constants: int, weights: int) -> Matrix:  # noqa: ARG002 - on which others depend
        """Return the precision of the normal prior of weights, the constants first; zeros for a flat one."""
        return np.zeros(weights)

    @abstractmethod
    def worth(self, reached: float, hessian: Matrix, precision: Matrix, /) -> float:
        """Return what a model is worth from the log posterior at its best weights."""

    @abstractmethod
    def promise(self, gain: float, information: Matrix, /) -> float:
        """Return by how much more weights would raise that, if they raise the log posterior by ``gain``."""

    def price(self, products: int, /) -> float:  # noqa: ARG002 - on which others depend
        """Return what a product pays for having been chosen among so many, besides its weights."""
        return 0.0

    def moment(self, weights: Matrix, hessian: Matrix, blocks: Sequence[slice], /) -> float:  # noqa: ARG002
        """Return what the prior adds for each of some blocks of weights, that of a normal one apart."""
        return 0.0


class PenalizedLikelihood(Objective):
    """Maximum log-likelihood, which is a flat prior, less a price for every weight."""

    shrinking = False

    def __init__(self, price: float) -> None:
        self.doubt = price / 2
        self._price = price

    @staticmethod
    def code(r: int) -> Matrix:
        """Return indicators of the states but the first: treatment coding."""
        return np.eye(r)[:, 1:]

    def worth(self, reached: float, hessian: Matrix, _: Matrix, /) -> float:
        """Return the maximum log-likelihood less the price of all weights."""
        return reached - self._price * len(hessian)

    def promise(self, gain: float, information: Matrix, /) -> float:
        """Return what is gained less the price of the weights."""
        return gain - self._price * len(information)


class LaplaceEvidence(Objective):
    """Marginal likelihood by Laplace's approximation; weights are normal a priori.

    Parameters
    ----------
    scale
        Standard deviation of effects.
    moment
        Whether the density of the effects of a member is proportional to their squares, too.
    """

    doubt = 1.0
    shrinking = True

    def __init__(self, scale: float, *, moment: bool = False) -> None:
        self._precision = scale**-2
        self._moment = moment

    @staticmethod
    def code(r: int) -> Matrix:
        """Return orthonormal contrasts, one line a state."""
        return contrasts(r)

    def precision(self, constants: int, weights: int) -> Matrix:
        """Return the precision of effects; that of constants is less."""
        precision = np.full(weights, self._precision)
        precision[:constants] /= CONSTANT**2
        return precision

    def worth(self, reached: float, hessian: Matrix, precision: Matrix, /) -> float:
        """Return the log evidence."""
        return reached + 0.5 * float(np.log(precision).sum() - np.linalg.slogdet(hessian)[1])

    def promise(self, gain: float, information: Matrix, /) -> float:
        """Return what is gained less what is lost by spreading the prior over more weights."""
        log_prior = len(information) * math.log(self._precision)
        return gain + 0.5 * float(log_prior - np.linalg.slogdet(information)[1])

    def price(self, products: int, /) -> float:
        """Return the logarithm of the number of products there are, and of taking none."""
        return math.log(1 + products)

    def moment(self, weights: Matrix, hessian: Matrix, blocks: Sequence[slice], /) -> float:
        """Return the log mean squares of blocks of weights, in prior variances: their densities' factors."""
        if not self._moment or not blocks:
            return 0.0
        squares = weights**2 + np.diag(np.linalg.inv(hessian))
        return float(sum(math.log(squares[block].mean() * self._precision) for block in blocks))
