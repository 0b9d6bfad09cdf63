"""What a comparison of groups says: of every pair, and of all of them together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from graphoid.structure.explain import listing, plural

if TYPE_CHECKING:
    import os

    from matplotlib.axes import Axes

    from graphoid.data.variables import State
    from graphoid.structure.graph import UndirectedGraph

LEVEL = 0.05
"""Up to which ``p_adjusted`` a pair is said to differ."""

NAMED = 5
"""Pairs that a summary names."""


class PairComparison(NamedTuple):
    """One pair of variables in all groups."""

    x: str
    y: str
    measure: str
    """"log_odds" of two variables of two states; "fisher_z" of the partial correlation of two of numbers;
    "linear_by_linear", the log odds ratio for a standard deviation of each, of others with an order; "size",
    the root mean square of a pair's log potential, without sign, where states have no order."""
    effects: tuple[float | None, ...]
    """One a group, or a value of the moderator; None where it cannot be told."""
    intervals: tuple[tuple[float, float] | None, ...]
    """That cover the effects with a probability of .95."""
    difference: float | None
    """Of two groups, the first less the second; of more, the largest less the smallest; along a moderator the
    change for a standard deviation of it. Of sizes, of two groups or a moderator, the size of that."""
    error: float | None
    """Its standard error; None of a size, and of more than two groups."""
    statistic: float
    """The square of the difference in standard errors."""
    dof: int
    """Its degrees of freedom: the numbers in a term, times the groups but one."""
    p_value: float
    """That chi-square is as large."""
    p_adjusted: float
    """That the largest statistic of all pairs is so large if none differs: holds for all pairs at once."""
    bayes_factor: float | None
    """For a difference against none; see :func:`graphoid.uncertainty.groups.log_bayes_factor`."""
    probability: float | None
    """That it differs, if any share of the pairs may."""


class GroupComparison(NamedTuple):
    """Groups compared."""

    by: str
    groups: tuple[State, ...]
    """States of the column that says the group; of a moderator, the numbers at which effects are given."""
    rows: tuple[int, ...]
    """In each group; of a moderator, all of them."""
    graph: UndirectedGraph
    """With the edges of any group and of all rows together."""
    graphs: tuple[UndirectedGraph, ...]
    """One a group; along a moderator those of the lower and of the upper half of it."""
    pairs: list[PairComparison]
    p_value: float
    """That all pairs are alike: of the largest statistic, that of edges of all rows, and the sum of these."""
    strengths: tuple[float, ...]
    """Global strength: the sum of the sizes of the edges of all rows together, one a group."""
    strength_p_value: float
    """That it is the same."""
    permutation_p_values: tuple[float, float] | None
    """What permuted groups say instead of ``p_value`` and ``strength_p_value``; None without."""
    covariates: tuple[str, ...]
    n: int
    seed: int

    def summary(self) -> list[str]:
        """Return sentences on all pairs together."""
        different = sum(row.p_adjusted <= LEVEL for row in self.pairs)
        check = self.permutation_p_values
        said = ["" if check is None else f" (permuted: {p:.3g})" for p in check or (0.0, 0.0)]
        strengths = ", ".join(f"{s:.2f}" for s in self.strengths)
        first = [f"{row.x} – {row.y}" for row in sorted(self.pairs, key=lambda row: row.p_value)[:different]]
        named = f": {listing(first)}" if 0 < different <= NAMED else ""
        which = f"{'differs' if different == 1 else 'differ'}{named}"
        return [
            f"{different:,} of {plural(len(self.pairs), 'pair')} {which} (adjusted p at most .05)",
            f"test of no difference in any pair: p = {self.p_value:.3g}{said[0]}",
            f"global strength {strengths}; test of no difference: p = {self.strength_p_value:.3g}{said[1]}",
        ]

    def label(self, group: int) -> str:
        """Return what a group is called, such as "country = Chile"; of a moderator, one of its values."""
        state = self.groups[group]
        return f"{self.by} = {state:.4g}" if isinstance(state, float) else f"{self.by} = {state}"

    def report(self, path: str | os.PathLike[str], *, title: str | None = None, seed: int = 0) -> None:
        """Write a page: networks side by side on one layout, a heat map of differences, and all pairs.

        Parameters
        ----------
        path
            Where to; one .html file that opens without a network connection.
        title
            Heading of the page.
        seed
            Of the layout.
        """
        from graphoid.report import group_page

        group_page.write(self, path, title=title, seed=seed)

    def plot(self, kind: str = "networks", **options: Any) -> Axes:
        """Draw "networks" side by side on one layout, or a heat map of "differences"; return the axes.

        Of several the first. ``options`` are those of the functions of :mod:`graphoid.report.group_pictures`.
        """
        from graphoid.report import group_pictures

        return group_pictures.plot(self, kind, **options)
