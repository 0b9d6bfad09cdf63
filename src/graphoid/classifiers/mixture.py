"""Class probabilities averaged over the structures of a climb.

Structures of a climb differ by one hyperedge from a structure on its path. So an average is a short program:
let the structure so far, with one more term or without, enter with a weight; or make a term part of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.special import softmax

from graphoid.counts.native import kernels

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from graphoid._native import Kernels
    from graphoid.classifiers.search import Climb, Step
    from graphoid.classifiers.submodels import Face, Submodels

LEFT_OUT = 1e-10
"""Structures of the least weight that together have no more than this are left out of the average: no
probability changes by more."""


class Operation(NamedTuple):
    """One line of the program.

    ``term`` is a position in the mixture's terms, or None; ``weight`` is None where the term becomes part of
    the structure.
    """

    term: int | None
    weight: float | None


class Term(NamedTuple):
    """What a hyperedge says."""

    face: Face
    table: NDArray[np.float64]
    """Log scores: an axis for every attribute, with one more value for unseen levels; the class last."""


@dataclass(frozen=True, eq=False)
class Mixture:
    """An average over structures, ready to predict."""

    start: NDArray[np.float64]
    """Log scores of the classes before anything is known."""
    sizes: tuple[int, ...]
    """How many values each attribute has."""
    terms: tuple[Term, ...]
    """Terms of hyperedges."""
    program: tuple[Operation, ...]
    """What to do with them."""

    def predictor(self, n_threads: int = 1) -> Mixture | NativePredictor:
        """Return the fastest way to predict: the mixture itself works in NumPy."""
        native = kernels()
        return self if native is None else NativePredictor(self, native, n_threads)

    def predict(self, columns: Sequence[NDArray[np.uint16]], n_rows: int) -> NDArray[np.float64]:
        """Return a line of probabilities for every row; a code of ``sizes[v]`` is an unseen level."""
        scores = np.tile(self.start, (n_rows, 1))
        out = np.zeros_like(scores)
        for operation in self.program:
            after = scores
            if operation.term is not None:
                face, table = self.terms[operation.term]
                after = scores + table[tuple(columns[v] for v in face)]
            if operation.weight is None:
                scores = after
            else:
                out += operation.weight * softmax(after, axis=1)
        return out


class NativePredictor:
    """The same by the compiled kernel."""

    def __init__(self, mixture: Mixture, native: Kernels, n_threads: int) -> None:
        lengths = [len(term.face) for term in mixture.terms]
        self._native = native.Mixture(
            [size + 1 for size in mixture.sizes],
            mixture.start,
            np.array([-1 if o.term is None else o.term for o in mixture.program], dtype=np.int32),
            np.array([0.0 if o.weight is None else o.weight for o in mixture.program]),
            np.array([o.weight is None for o in mixture.program], dtype=np.uint8),
            np.cumsum([0, *lengths], dtype=np.int32),
            np.array([v for term in mixture.terms for v in term.face], dtype=np.int32),
            [np.ascontiguousarray(term.table).ravel() for term in mixture.terms],
        )
        self._n_threads = n_threads

    def predict(self, columns: Sequence[NDArray[np.uint16]], n_rows: int) -> NDArray[np.float64]:
        """Return a line of probabilities for every row."""
        return self._native.predict(list(columns), n_rows, self._n_threads)


def posterior(climb: Climb) -> tuple[float, list[NDArray[np.float64]]]:
    """Return the probability of the class alone, and of every structure of every step; they sum to 1."""
    all_logs = np.concatenate([[climb.log_posterior], *(step.log_posterior for step in climb.steps)])
    if all_logs.max() == -np.inf:  # fewer rows than classes: no structure has a prior
        all_logs = np.where(np.arange(len(all_logs)) == 0, 0.0, -np.inf)
    shares = softmax(all_logs)
    ends = np.cumsum([len(step.log_posterior) for step in climb.steps], dtype=np.int64)
    return float(shares[0]), np.split(shares[1:], ends[:-1]) if len(ends) else []


def average_structures(climb: Climb, submodels: Submodels) -> Mixture:
    """Return all structures that were evaluated, weighted by their posterior."""
    own, shares = posterior(climb)
    pooled = np.sort(np.concatenate([[own], *shares]))
    least = pooled[np.searchsorted(np.cumsum(pooled), LEFT_OUT, side="right")]
    kept = [np.where(share >= least, share, 0.0) for share in shares]
    own = own if own >= least else 0.0
    total = own + sum(float(share.sum()) for share in kept)
    return _program(climb, submodels, own / total, [share / total for share in kept])


def best_structure(climb: Climb, submodels: Submodels) -> Mixture:
    """Return the structure with the highest posterior alone."""
    place = iter(range(1, len(climb.steps) + 1))
    shares = [np.zeros(len(step.faces)) for step in climb.steps]
    for step, share in zip(climb.steps, shares, strict=True):
        if step.chosen is not None and next(place) == climb.best:
            share[step.chosen] = 1.0
    return _program(climb, submodels, float(climb.best == 0), shares)


def _program(climb: Climb, submodels: Submodels, own: float, shares: list[NDArray[np.float64]]) -> Mixture:
    """Write the program of an average with given weights, up to the last structure that has one."""
    terms: list[Term] = []
    places: dict[tuple[Face, tuple[Face, ...]], int] = {}

    def place(step: Step, i: int) -> int:
        key = step.face(i), tuple(step.parts(i))
        if key not in places:
            places[key] = len(terms)
            terms.append(Term(key[0], submodels.term(*key)))
        return places[key]

    program = [Operation(None, own)] if own else []
    last = max((i for i, share in enumerate(shares) if share.any()), default=-1)
    for step, share in zip(climb.steps[: last + 1], shares, strict=False):
        program += [Operation(place(step, i), float(share[i])) for i in np.flatnonzero(share).tolist()]
        if step.chosen is not None:
            program.append(Operation(place(step, step.chosen), None))
    return Mixture(submodels.log_probabilities(()), submodels.sizes, tuple(terms), tuple(program))
