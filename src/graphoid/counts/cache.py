"""Counts that are kept: a table already held answers every question about some of its variables."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING

from graphoid.errors import SettingsError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graphoid.counts.contingency import Counts
    from graphoid.counts.engine import CountEngine, CountRequest
    from graphoid.data.variables import Variable
    from graphoid.logic.assertion import Context


class CachedEngine:
    """Wraps an engine and remembers its tables, the most recently used first.

    A request is answered, in this order, from the same table, by summing the smallest table held that
    contains it (same context), or by the engine: all that is left goes there as one batch.

    Parameters
    ----------
    engine
        Who counts.
    max_bytes
        What the tables held may take together.
    """

    def __init__(self, engine: CountEngine, *, max_bytes: int = 2**28) -> None:
        if max_bytes < 0:
            raise SettingsError(f"max_bytes is {max_bytes}; it must be at least 0.")
        self._engine = engine
        self._max_bytes = max_bytes
        self._held: OrderedDict[tuple[frozenset[int], Context], Counts] = OrderedDict()
        self._bytes = 0
        self.hits = 0
        """Requests answered from tables held."""
        self.misses = 0
        """Requests passed on."""

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The variables, in order of position."""
        return self._engine.variables

    @property
    def n_rows(self) -> float:
        """Number of rows; their total weight, where rows have weights."""
        return self._engine.n_rows

    @property
    def held_bytes(self) -> int:
        """What the tables held take."""
        return self._bytes

    def counts(self, requests: Sequence[CountRequest]) -> list[Counts]:
        """Return the counts for every request, in order."""
        answers = [self._from_held(request) for request in requests]
        missing = [i for i, answer in enumerate(answers) if answer is None]
        self.hits += len(requests) - len(missing)
        self.misses += len(missing)
        if missing:
            fresh = self._engine.counts([requests[i] for i in missing])
            for i, counts in zip(missing, fresh, strict=True):
                answers[i] = counts
                self._hold(requests[i], counts)
        return [answer for answer in answers if answer is not None]

    def _from_held(self, request: CountRequest) -> Counts | None:
        wanted = frozenset(request.variables)
        context = tuple(sorted(request.context))
        key = (wanted, context)
        if key not in self._held:
            larger = [k for k in self._held if k[1] == context and k[0] > wanted]
            if not larger:
                return None
            key = min(larger, key=lambda k: self._held[k].cells.size)
        self._held.move_to_end(key)
        held = self._held[key]
        return held if held.variables == request.variables else held.marginal(request.variables)

    def _hold(self, request: CountRequest, counts: Counts) -> None:
        key = (frozenset(request.variables), tuple(sorted(request.context)))
        if key in self._held or _size(counts) > self._max_bytes:
            return
        for shared in (counts.cells, counts.configurations):
            if shared is not None:
                shared.flags.writeable = False  # whoever asked has the same array
        self._held[key] = counts
        self._bytes += _size(counts)
        while self._bytes > self._max_bytes:
            _, oldest = self._held.popitem(last=False)
            self._bytes -= _size(oldest)


def _size(counts: Counts) -> int:
    listed = 0 if counts.configurations is None else counts.configurations.nbytes
    return counts.cells.nbytes + listed
