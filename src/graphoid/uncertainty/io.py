"""Reading whatever graphoid saved."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from graphoid.models import io as models
from graphoid.structure import document
from graphoid.uncertainty.bootstrap_result import FORMAT, VERSION, Resampled

if TYPE_CHECKING:
    from graphoid.models.network import MarkovNetwork
    from graphoid.structure.contexts import CanonicalModel
    from graphoid.structure.learned import LearnedStructure


def load(path: str | os.PathLike[str]) -> LearnedStructure | CanonicalModel | MarkovNetwork | Resampled:
    """Return what was saved: a structure, a canonical model, a model or a bootstrap, as the file says.

    A damaged, changed or newer file is refused in one sentence.
    """
    text = document.read_text(path)
    if _format(text) != FORMAT:
        return models.load(path)
    where = repr(os.fspath(path))
    return Resampled.from_body(document.unpack(text, where, {FORMAT: VERSION}).body, where)


def _format(text: str) -> Any:
    """Return the format that a document says it has, or None where it is none."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found.get("format") if isinstance(found, dict) else None
