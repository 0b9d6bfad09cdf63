"""How little data is too little, and what to answer then."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from graphoid.errors import SettingsError
from graphoid.settings import Settings


@dataclass(frozen=True, kw_only=True)
class ThinData(Settings):
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

    def __post_init__(self) -> None:
        if not self.rows_per_cell >= 0:
            raise SettingsError(f"rows_per_cell is {self.rows_per_cell}; it must be at least 0.")
        if self.answer not in ("test", "independent", "dependent"):
            raise SettingsError(
                f"answer is {self.answer!r}; it must be 'test', 'independent' or 'dependent'."
            )
