"""How little data is too little, and what to answer then."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from graphoid.settings import Allowed, FrozenSettings, Number

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, kw_only=True)
class ThinData(FrozenSettings):
    """The policy for tables with too few rows for their size.

    A verdict is *thin* when no degree of freedom is left, or when there are fewer than ``rows_per_cell`` rows
    for each cell of the slices that occur.

    Parameters
    ----------
    rows_per_cell
        Five is Cochran's rule for the chi-square approximation, taken on average over the cells.
    answer
        What a thin verdict says: what the test says ("test", the default: thin data are flagged and nothing
        else), or always "independent" or "dependent".
    """

    rows_per_cell: float = 5.0
    answer: Literal["test", "independent", "dependent"] = "test"

    allowed: ClassVar[Mapping[str, Allowed]] = {
        "rows_per_cell": Number(least=0, infinite=True),
        "answer": ("test", "independent", "dependent"),
    }

    @property
    def skip_below(self) -> float:
        """Rows for each cell below which no test is needed, as the answer is the same whatever it says."""
        return 0.0 if self.answer == "test" else float(self.rows_per_cell)

    def decide(self, independent: list[bool], thin: list[bool]) -> list[bool]:
        """Return the answers after the policy had its say."""
        if self.answer == "test":
            return independent
        instead = self.answer == "independent"
        return [instead if t else i for i, t in zip(independent, thin, strict=True)]


FLAGGED = ThinData()
"""The policy unless another is given: thin data are flagged."""

ABSTAIN = ThinData(answer="independent")
"""Where the data say too little, a dependence is not claimed."""
