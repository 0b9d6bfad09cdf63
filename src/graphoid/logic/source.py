"""The thing that answers: what a learner sees of data, oracles, ledgers and rules alike."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

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

    def independent(self, x: int | str, y: int | str, given: Iterable[int | str] = ()) -> bool:
        """Answer one question."""

    def ask(self, questions: Sequence[Question]) -> list[Verdict]:
        """Answer many questions, in order. Ask in batches where you can: access to the data may be dear."""


@runtime_checkable
class HasRows(Protocol):
    """A source that answers from rows."""

    def rows_per_cell(self, variables: Sequence[int]) -> float:
        """Return how many rows there are for each cell of a table of these variables."""


@runtime_checkable
class HasSlices(Protocol):
    """A source that answers by a model what it has too few rows to count, and can be held to counting."""

    def counts_rows(self, variables: Sequence[int]) -> float:
        """Return how many rows there are for each cell that is counted; infinite where the model is exact."""

    def in_slices(self, questions: Sequence[tuple[int, int, tuple[int, ...]]]) -> list[Verdict]:
        """Answer questions by counting alone."""


def rows_per_cell(ci: IndependenceSource, variables: Sequence[int]) -> float:
    """Return how many rows a source has for each cell of a table of these variables.

    Known before anything is counted, from the numbers of rows and states; infinite for a source that needs no
    data.
    """
    return ci.rows_per_cell(variables) if isinstance(ci, HasRows) else math.inf


class BatchSource(ABC):
    """A source that answers batches of questions; one question is a batch as well."""

    names: tuple[str, ...]
    """Names of the variables, in order of position."""

    @abstractmethod
    def ask(self, questions: Sequence[Question]) -> list[Verdict]:
        """Answer many questions, in order."""

    def independent(self, x: int | str, y: int | str, given: Iterable[int | str] = ()) -> bool:
        """Answer one question."""
        return self.ask([(x, y, given)])[0].independent


class SourceWrapper(BatchSource):
    """A source in front of another one, which it asks what it does not know itself."""

    source: IndependenceSource

    def rows_per_cell(self, variables: Sequence[int]) -> float:
        """Return how many rows the source has for each cell of a table of these variables."""
        return rows_per_cell(self.source, variables)
