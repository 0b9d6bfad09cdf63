"""What a climb found, in names: hyperedges, structures and their posterior."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from graphoid.classifiers.mixture import posterior
from graphoid.classifiers.regions import maximal, region_graph

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graphoid.classifiers.search import Climb
    from graphoid.classifiers.submodels import Face, Submodels

CLASS = -1
"""The class among the positions of attributes."""


class Hyperedge(NamedTuple):
    """Attributes that say something about the class together."""

    attributes: tuple[str, ...]
    order: int
    """How many members it has, the class included."""
    step: int
    """When it was taken, from 1."""
    information: float
    """Interaction information of its members as a share of the entropy of the class."""
    log_posterior: float
    """Of the structure after this step, up to a constant."""
    dof: float
    """Degrees of freedom of the structure after this step."""
    covered: bool
    """Whether a larger hyperedge of the structure contains it."""


class Structure(NamedTuple):
    """A structure that was evaluated."""

    probability: float
    log_posterior: float
    dof: float
    hyperedges: tuple[tuple[str, ...], ...]
    """The maximal ones, without the class, which is part of each."""


def path(climb: Climb, submodels: Submodels, names: Sequence[str]) -> list[Hyperedge]:
    """Return the hyperedges that were taken, in order.

    A hyperedge counts as covered if one contains it that was taken up to the best structure, or, for later
    ones, up to the end.
    """
    entropy = submodels.class_entropy
    choices = climb.choices()
    faces = [step.face(i) for step, i in choices]
    best = climb.best
    found = []
    for number, ((step, i), face) in enumerate(zip(choices, faces, strict=True), 1):
        among = faces[:best] if number <= best else faces
        found.append(
            Hyperedge(
                attributes=_names_of(face, names),
                order=len(face) + 1,
                step=number,
                information=submodels.information(face) / entropy if entropy > 0 else 0.0,
                log_posterior=float(step.log_posterior[i]),
                dof=float(step.dof[i]),
                covered=any(set(face) < set(other) for other in among),
            )
        )
    return found


def structures(climb: Climb, names: Sequence[str]) -> list[Structure]:
    """Return all structures that were evaluated, the likeliest first."""
    own, shares = posterior(climb)
    found = [Structure(own, climb.log_posterior, climb.dof, ())]
    so_far: list[Face] = []
    for step, share in zip(climb.steps, shares, strict=True):
        for i in range(len(share)):
            edges = maximal([*so_far, step.face(i)])
            found.append(
                Structure(
                    float(share[i]),
                    float(step.log_posterior[i]),
                    float(step.dof[i]),
                    tuple(_names_of(sorted(edge), names) for edge in edges),
                )
            )
        if step.chosen is not None:
            so_far.append(step.face(step.chosen))
    order = np.argsort([-structure.probability for structure in found], kind="stable")
    return [found[i] for i in order]


def best_regions(climb: Climb, names: Sequence[str]) -> dict[tuple[str, ...], int]:
    """Return the regions of the best structure with their counting numbers, without the class."""
    edges = [(CLASS,), *((*step.face(i), CLASS) for step, i in climb.choices()[: climb.best])]
    return {_names_of(sorted(region - {CLASS}), names): c for region, c in region_graph(edges).items()}


def _names_of(face: Sequence[int], names: Sequence[str]) -> tuple[str, ...]:
    return tuple(names[v] for v in face)
