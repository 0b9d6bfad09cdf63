"""The thing that answers: what a learner sees of data, oracles, ledgers and rules alike."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Protocol

from graphoid.logic.assertion import Assertion

if TYPE_CHECKING:
    from graphoid.logic.verdict import Verdict

Question = tuple[int | str, int | str, Iterable[int | str]] | Assertion
"""(x, y, given): variables by position or by name; or an assertion without a context."""


class IndependenceSource(Protocol):
    """Anything that can say whether two variables are independent given others."""

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the variables, in order of position."""
        ...

    def independent(self, x: int | str, y: int | str, given: Iterable[int | str] = ()) -> bool:
        """Answer one question."""
        ...

    def ask(self, questions: Sequence[Question]) -> list[Verdict]:
        """Answer many questions, in order. Ask in batches where you can: a trip to the data may be dear."""
        ...


def rows_per_cell(ci: IndependenceSource, variables: Sequence[int]) -> float:
    """Return how many rows a source has for each cell of a table of these variables.

    Known before anything is counted, from the numbers of rows and states; infinite for a source that needs no
    data, which is one without a method of this name.
    """
    known = getattr(ci, "rows_per_cell", None)
    return math.inf if known is None else float(known(variables))
