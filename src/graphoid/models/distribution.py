"""Probabilities that know what they are of: an array, printed as a labelled table."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from graphoid.errors import DataError, missing_extra
from graphoid.logic.names import quote

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd
    from numpy.typing import NDArray

    from graphoid.data.variables import Variable

MOST_LINES = 30
"""Cells that are printed; ``to_frame()`` has all of them."""


class Distribution(np.ndarray[Any, Any]):
    """The joint distribution of some variables, an axis each; or one for every row of evidence.

    An array in all it does; printed, and as :meth:`to_frame`, it has the names and states. States that are
    text are also an index: ``answer["yes"]``, ``joint["yes", "no"]``.
    """

    variables: tuple[Variable, ...]
    """Of the last axes; empty where an operation has left something else."""

    def __array_finalize__(self, source: object) -> None:
        same = isinstance(source, Distribution) and source.shape == self.shape
        self.variables = source.variables if same and isinstance(source, Distribution) else ()

    @classmethod
    def of(cls, probabilities: NDArray[np.float64], variables: Sequence[Variable]) -> Self:
        """Return probabilities with their variables."""
        labelled = np.asarray(probabilities).view(cls)
        labelled.variables = tuple(variables)
        return labelled

    def __getitem__(self, key: Any) -> Any:
        keys = key if isinstance(key, tuple) else (key,)
        if not any(isinstance(k, str) for k in keys):
            return super().__getitem__(key)
        first = self.ndim - len(self.variables)
        found = [self._place(axis - first, k) if isinstance(k, str) else k for axis, k in enumerate(keys)]
        return super().__getitem__(tuple(found))

    def _place(self, i: int, state: str) -> int:
        """Return where a state of a variable is."""
        if not 0 <= i < len(self.variables) or state not in self.variables[i].states:
            known = [str(s) for v in self.variables[max(i, 0) : i + 1] for s in v.states]
            raise DataError(f"no state is named {state!r} here; there are {quote(known)}.")
        return self.variables[i].states.index(state)

    def round(self, decimals: int = 0, out: None = None) -> Self:  # type: ignore[override]  # noqa: ARG002
        """Return the same with fewer digits; NumPy would forget what it is of."""
        return type(self).of(np.asarray(self).round(decimals), self.variables)

    def to_frame(self) -> pd.DataFrame:
        """Return a row for every combination of states, with its probability (and the row of evidence)."""
        try:
            import pandas as pd
        except ImportError:
            raise missing_extra("a data frame", "pandas") from None
        return pd.DataFrame(self._rows(), columns=self._names())

    def _names(self) -> list[str]:
        many = ["row"] if self.ndim > len(self.variables) else []
        return [*many, *(v.name for v in self.variables), "probability"]

    def _rows(self) -> list[tuple[object, ...]]:
        axes: list[Sequence[object]] = [v.states for v in self.variables]
        if self.ndim > len(axes):
            axes.insert(0, range(len(self)))
        return [
            (*states, p) for states, p in zip(product(*axes), np.asarray(self).ravel().tolist(), strict=True)
        ]

    def __repr__(self) -> str:
        if not self.variables or self.size > MOST_LINES:
            return repr(np.asarray(self))
        lines = [self._names(), *([*map(str, row[:-1]), f"{row[-1]:.4g}"] for row in self._rows())]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        return "\n".join("  ".join(map(str.ljust, line, widths)).rstrip() for line in lines)

    def __str__(self) -> str:
        return repr(self)

    def _repr_html_(self) -> str:
        from html import escape

        head = "".join(f"<th>{escape(name)}</th>" for name in self._names())
        rows = self._rows()[:MOST_LINES] if self.variables else []
        if not rows:
            return f"<pre>{escape(repr(self))}</pre>"
        body = "".join(
            f"<tr>{''.join(f'<td>{escape(str(cell))}</td>' for cell in row[:-1])}<td>{row[-1]:.4g}</td></tr>"
            for row in rows
        )
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
