"""Reading whatever graphoid saved."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from graphoid.models.mixed.network import MixedNetwork
from graphoid.models.network import MarkovNetwork
from graphoid.structure import document
from graphoid.structure.contexts import CanonicalModel
from graphoid.structure.learned import LearnedStructure
from graphoid.uncertainty.bootstrap_result import Resampled

if TYPE_CHECKING:
    import os


Saved: TypeAlias = LearnedStructure | CanonicalModel | Resampled | MarkovNetwork
KINDS: tuple[type[Saved], ...] = (LearnedStructure, CanonicalModel, Resampled, MixedNetwork, MarkovNetwork)


def load(path: str | os.PathLike[str]) -> Saved:
    """Return what was saved: a structure, a canonical model, a model or a bootstrap, as the file says.

    A damaged, changed or newer file is refused in one sentence.
    """
    return document.load(path, KINDS)
