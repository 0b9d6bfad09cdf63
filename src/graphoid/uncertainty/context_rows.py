"""The rows that an edge of a context is measured in."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from graphoid.counts.engine import CountRequest
from graphoid.uncertainty.effects import Effects, Sample, group_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from graphoid.counts.engine import CountEngine
    from graphoid.structure.contexts import CanonicalContext
    from graphoid.structure.graph import Edge


class ContextRows:
    """Rows of a table, from which those are taken that an edge of a context speaks of.

    An edge of :math:`G(x^i)` joins X and Y in the context that the assignment gives the others, whatever X
    and Y are. So it is measured in the rows that agree with an assignment of the context in all variables but
    these two: rows chosen by X and Y themselves would depend on each other by that choice. For the same
    reason a row counts where another one shows that the context is there, as its own X and Y may not decide.

    Parameters
    ----------
    engine
        What counts the rows, all of whose variables have states.
    """

    def __init__(self, engine: CountEngine) -> None:
        self.variables = engine.variables
        (counts,) = engine.counts([CountRequest(tuple(range(len(self.variables))))])
        self._rows, weights = counts.occurring()
        self._weights = weights.astype(np.float64)
        self._alike: dict[Edge, NDArray[np.intp]] = {}

    def effects(self, context: CanonicalContext) -> dict[Edge, Effects]:
        """Return what estimates the effect of each edge of a context; nothing for an edge without rows."""
        assignments = set(context.assignments)
        own = np.array([tuple(row) in assignments for row in self._rows.tolist()], dtype=bool)
        of_rows: dict[bytes, Effects] = {}  # where neither variable makes contexts, edges share their rows
        found = {}
        for pair in context.graph.edges:
            kept = self._rows_of(pair, own)
            if not kept.any():
                continue
            key = kept.tobytes()
            if key not in of_rows:
                sample = Sample(dict(enumerate(self._rows[kept].T)), self._weights[kept])
                of_rows[key] = Effects(context.graph, self.variables, sample)
            found[pair] = of_rows[key]
        return found

    def _rows_of(self, pair: Edge, own: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return the rows that agree with another one of the context in all variables but a pair."""
        if pair not in self._alike:
            others = [column for v, column in enumerate(self._rows.T) if v not in pair]
            self._alike[pair] = group_rows(others, len(self._rows))[0]
        alike = self._alike[pair]
        return np.asarray(np.bincount(alike, self._weights * own)[alike] > own)
