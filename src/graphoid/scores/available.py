r"""Terms of scores where cells are missing: sums of steps, each by the rows that are complete for it.

What a variable is worth with one blanket and with another can be compared in the same rows alone. In others
it differs by chance, and by far more than an edge is worth: taken from the rows that are complete for each
blanket, a search by :class:`~graphoid.LogLinearEvidence` found an F1 of .27 in an Ising field of 20
variables, 2,000 rows and a fifth of the cells missing, and .93 in this way (1.00 without holes; one data
set). Means over rows ([Balov2013]_) have the same fault: other rows have other means. So a term is

.. math:: T(x, \{b_1, \dots, b_k\}) = t(x, \emptyset)
    + \sum_i \left[ t_i(x, \{b_1, \dots, b_i\}) - t_i(x, \{b_1, \dots, b_{i-1}\}) \right]

with :math:`t_i` the score's own term in the rows without a hole in x and :math:`b_1, \dots, b_i`. The members
come in the order of what each is worth alone, the most first: one more that is weak leaves the others' rows
as they are. Without holes this is the term itself.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np

from graphoid.logic.names import name_rank

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from numpy.typing import NDArray

    from graphoid.counts.engine import Blanket, CountEngine
    from graphoid.data.table import Table

    Terms = Callable[[CountEngine, list[Blanket]], NDArray[np.float64]]


class StepwiseTerms:
    """Terms of a score of a table with holes.

    Parameters
    ----------
    terms
        Gives the terms of variables and their blankets from what counts complete rows.
    table
        The data.
    engine_of
        Returns what counts a table.
    """

    def __init__(self, terms: Terms, table: Table, engine_of: Callable[[Table], CountEngine]) -> None:
        self._terms, self._table, self._engine_of = terms, table, engine_of
        self._rank = name_rank(table.names)
        self._alone: dict[int, float] = {}
        self._steps: dict[tuple[int, tuple[int, ...]], float] = {}
        """What the last member of a blanket, in the order of worth, adds to the others."""

    def __call__(self, engine: CountEngine, blankets: list[Blanket]) -> NDArray[np.float64]:
        """Return the terms of variables and their blankets."""
        del engine  # it counts rows with holes
        new = sorted({x for x, _ in blankets}.difference(self._alone))
        for x in new:
            self._alone[x] = float(self._terms(self._complete((x,)), [(0, ())])[0])
        self._prepare((x, (b,)) for x, members in blankets for b in members)
        orders = [(x, self._order(x, members)) for x, members in blankets]
        self._prepare((x, order[:k]) for x, order in orders for k in range(2, len(order) + 1))
        found = [
            self._alone[x] + sum(self._steps[x, order[: k + 1]] for k in range(len(order)))
            for x, order in orders
        ]
        return np.array(found, dtype=np.float64)

    def _order(self, x: int, members: tuple[int, ...]) -> tuple[int, ...]:
        """Return the members of a blanket, those first that are worth most alone."""
        return tuple(sorted(members, key=lambda b: (-self._steps[x, (b,)], self._rank[b])))

    def _prepare(self, orders: Iterable[tuple[int, tuple[int, ...]]]) -> None:
        """Compute steps that are not held, those of the same variables from the same rows."""
        groups: dict[tuple[int, ...], list[tuple[int, tuple[int, ...]]]] = defaultdict(list)
        for x, order in dict.fromkeys(orders):
            if (x, order) not in self._steps:
                groups[tuple(sorted((x, *order)))].append((x, order))
        for variables, steps in groups.items():
            at = {v: k for k, v in enumerate(variables)}
            both = [
                (at[x], tuple(sorted(at[b] for b in members)))
                for x, order in steps
                for members in (order, order[:-1])
            ]
            terms = self._terms(self._complete(variables), both)
            for step, gain in zip(steps, (terms[::2] - terms[1::2]).tolist(), strict=True):
                self._steps[step] = gain

    def _complete(self, variables: tuple[int, ...]) -> CountEngine:
        return self._engine_of(self._table.rows_for(variables))
