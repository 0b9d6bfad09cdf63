"""The climb through structures: greedy, in stages of growing hyperedges ([Jakulin2006]_, section 4.2.2)."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from graphoid.classifiers.candidates import Sets, promising_sets
from graphoid.classifiers.regions import acyclic, subsets
from graphoid.limits import check_time

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from graphoid.classifiers.likelihood import Likelihood, NativeLikelihood
    from graphoid.classifiers.submodels import Face, Submodels

STOP = math.log(0.01)
"""The climb ends when the posterior is below one percent of the best (section 4.2.2)."""

NEGLIGIBLE = -60.0
"""A structure whose prior alone, an upper bound of its posterior, is so far below the best on the log scale
is not evaluated: in the average of any number of structures it would be lost in rounding."""

PRIORS = ("aicc", "exp")
"""What the setting ``prior`` may be."""

TIE = 1e-11
"""Log posteriors this close, relative to their size, are equal but for rounding (sums over rows have errors
of that order); the first by position is taken, so that the path does not depend on the order of the rows."""


@dataclass(frozen=True)
class Settings:
    """How to climb; see :class:`~graphoid.classifiers.markov.MarkovNetworkClassifier`."""

    max_order: int = 4
    candidates: int = 1000
    prior: str = "aicc"
    acyclic: bool = False


@dataclass(frozen=True, eq=False)
class Step:
    """One step: the structure so far with each of some hyperedges, and the one that was taken."""

    faces: NDArray[np.int32]
    """A line of attributes for every hyperedge that was tried."""
    new: NDArray[np.bool_]
    """Which of its subsets it brings."""
    dof: NDArray[np.float64]
    log_posterior: NDArray[np.float64]
    """Of the structure with this hyperedge."""
    chosen: int | None
    """Which one the structure got; None where a stage ended."""

    def face(self, i: int) -> Face:
        """Return a hyperedge."""
        return tuple(self.faces[i].tolist())

    def parts(self, i: int) -> list[Face]:
        """Return the faces that a hyperedge brings."""
        return [part for part, new in zip(subsets(self.face(i)), self.new[i], strict=True) if new]


@dataclass(eq=False)
class Climb:
    """All that was evaluated: the structure of the class alone, and the steps from there."""

    dof: float
    log_posterior: float
    steps: list[Step] = field(default_factory=list)

    def choices(self) -> list[tuple[Step, int]]:
        """Return the steps that took a hyperedge, and which."""
        return [(step, step.chosen) for step in self.steps if step.chosen is not None]

    @property
    def best(self) -> int:
        """How many hyperedges, in the order taken, make the structure with the highest posterior."""
        path = [self.log_posterior, *(float(step.log_posterior[i]) for step, i in self.choices())]
        return path.index(max(path))


def climb(submodels: Submodels, likelihood: Likelihood | NativeLikelihood, settings: Settings) -> Climb:
    """Climb from the class alone, adding the best hyperedge as long as the posterior rises, stage by stage.

    A stage has hyperedges of one cardinality, from 2 to ``max_order``. When none of the last raises the
    posterior any more, the best are added all the same until it is below one percent of the highest.

    Notes
    -----
    An attribute with a single value makes no structure different and enters no hyperedge.
    """
    structure = _Structure(submodels, likelihood, settings)
    now = best = structure.start()
    found = Climb(structure.dof, now)
    attributes = [v for v, size in enumerate(submodels.sizes) if size > 1 and submodels.n_classes > 1]
    last = min(settings.max_order, len(attributes) + 1)
    tried, gains = None, np.empty(0)
    for order in range(2, last + 1):
        sets = promising_sets(attributes, len(submodels.sizes), order - 1, settings.candidates, tried, gains)
        stage = _Stage(sets, submodels, structure.keys)
        tried = None
        while True:
            check_time()
            step = structure.evaluate(stage, least=best + NEGLIGIBLE)
            if tried is None:
                tried, gains = Sets(step.faces, sets.n), step.log_posterior - now
            first = _first_best(step.log_posterior)
            after = -math.inf if first is None else float(step.log_posterior[first])
            enough = after <= now if order < last else not after >= best + STOP
            if first is None or enough:
                found.steps.append(step)
                break
            found.steps.append(replace(step, chosen=first))
            structure.add(stage, step, first)
            now, best = after, max(best, after)
    return found


class _Stage:
    """Hyperedges of one cardinality with their subsets: what these cost, and which the structure holds."""

    def __init__(self, sets: Sets, submodels: Submodels, held: set[int]) -> None:
        self.faces = sets.members
        keys = sets.subset_keys()
        self.keys, places = np.unique(keys, return_inverse=True)
        self.subsets = places.reshape(keys.shape)  # as positions in keys
        self.held = np.array([key in held for key in self.keys.tolist()], dtype=bool)
        freedom = np.array(submodels.sizes, dtype=np.float64)[self.faces] - 1.0
        self.subset_dof = (submodels.n_classes - 1.0) * np.stack(
            [freedom[:, part].prod(axis=1) for part in subsets(tuple(range(sets.size)))], axis=1
        )


class _Structure:
    """The structure so far: its faces, its degrees of freedom, what it says about the rows."""

    def __init__(
        self, submodels: Submodels, likelihood: Likelihood | NativeLikelihood, settings: Settings
    ) -> None:
        self.dof = submodels.n_classes - 1.0
        self._n_rows = submodels.n_rows
        self._likelihood = likelihood
        self._settings = settings
        self.keys = {0}  # of all faces; that of no attribute is the class alone
        self._masks: list[int] = []

    def start(self) -> float:
        """Return the log posterior of the class alone."""
        return float(self._log_prior(np.array(self.dof))) + self._likelihood.start()

    def evaluate(self, stage: _Stage, least: float) -> Step:
        """Try every hyperedge of a stage that is not part of the structure and may reach a log posterior."""
        new = ~stage.held[stage.subsets]
        dof = self.dof + (new * stage.subset_dof).sum(axis=1)
        prior = self._log_prior(dof)
        tried = new[:, -1] & (prior >= least) & (prior > -np.inf)
        if self._settings.acyclic:
            tried[tried] = [acyclic([*self._masks, _mask(face)]) for face in stage.faces[tried].tolist()]
        faces, new = stage.faces[tried], new[tried]
        log_posterior = prior[tried] + self._likelihood.with_each(faces, new)
        self._tried_subsets = stage.subsets[tried]
        return Step(faces, new, dof[tried], log_posterior, None)

    def add(self, stage: _Stage, step: Step, i: int) -> None:
        """Make a hyperedge of the last step part of the structure."""
        self._likelihood.add(step.faces[i], step.new[i])
        stage.held[self._tried_subsets[i]] = True
        self.keys.update(stage.keys[self._tried_subsets[i]].tolist())
        self._masks.append(_mask(step.face(i)))
        self.dof = float(step.dof[i])

    def _log_prior(self, dof: NDArray[np.float64]) -> NDArray[np.float64]:
        return log_prior(dof, self._n_rows, self._settings.prior)


def log_prior(dof: NDArray[np.float64], n_rows: float, prior: str = "aicc") -> NDArray[np.float64]:
    r"""Return the logarithm of the prior of structures with some degrees of freedom.

    "aicc" is :math:`-m\,df / (m - df - 1)` ([Jakulin2006]_, Eq. 5), with :math:`m` the ``n_rows`` learned
    from, and minus infinity from :math:`df = m - 1` on; "exp" is :math:`-df`. The degrees of freedom of Eq. 4
    are added up as the climb goes: a face that a hyperedge brings adds :math:`(|Y| - 1) \prod (|V| - 1)`.
    """
    if prior == "exp":
        return -dof
    left = n_rows - dof - 1.0
    return np.where(left > 0, -n_rows * dof / np.where(left > 0, left, 1.0), -np.inf)


def _mask(face: Iterable[int]) -> int:
    return sum(1 << v for v in face)


def _first_best(log_posterior: NDArray[np.float64]) -> int | None:
    """Return the first of the highest, taking what differs by rounding for equal; None if there is none."""
    if not len(log_posterior) or log_posterior.max() == -np.inf:
        return None
    highest = float(log_posterior.max())
    return int(np.argmax(log_posterior >= highest - TIE * abs(highest)))
