"""Groups compared, as a page: their networks side by side, a heat map of differences, and all pairs."""

from __future__ import annotations

from importlib.metadata import version
from typing import TYPE_CHECKING, NamedTuple

from markupsafe import Markup

from graphoid.report.display import display_names, visible
from graphoid.report.group_pictures import cells, panels, what
from graphoid.report.labels import text_width
from graphoid.report.page import environment, source
from graphoid.report.svg import to_svg
from graphoid.structure import document
from graphoid.structure.explain import listing, plural
from graphoid.uncertainty.group_result import LEVEL

if TYPE_CHECKING:
    import os

    from graphoid.uncertainty.group_result import GroupComparison, PairComparison

MOST_PAIRS = 500
"""Pairs that the page lists, the most probably different first; a file of the comparison has all."""

SIDE = 44
"""Of a cell of the heat map."""


class PairLine(NamedTuple):
    """A pair as it is listed."""

    x: str
    y: str
    effects: list[str]
    difference: float | None
    p_value: float
    p_adjusted: float
    bayes_factor: float | None
    probability: float | None
    differs: bool


def write(
    found: GroupComparison, path: str | os.PathLike[str], *, title: str | None = None, seed: int = 0
) -> None:
    """Write a page of a comparison; see :meth:`graphoid.uncertainty.group_result.GroupComparison.report`."""
    names = display_names(found.graph.names)
    order = sorted(found.pairs, key=lambda row: (row.p_adjusted, row.p_value, row.x, row.y))
    shown = dict(zip(found.graph.names, names, strict=True))
    page = (
        environment()
        .get_template("groups.html")
        .render(
            heading=visible(title) if title is not None else f"Networks by {visible(found.by)}",
            summary=[f"{said[0].upper()}{said[1:]}." for said in found.summary()],
            networks=[(visible(p.title), Markup(to_svg(p.drawing))) for p in panels(found, seed=seed)],  # noqa: S704 - every name in it is escaped
            cells=cells(found),
            what=visible(what(found)),
            names=names,
            side=SIDE,
            margin=round(max(map(text_width, names)) + 16),
            groups=[visible(found.label(g)) for g in range(len(found.groups))],
            pairs=[_line(row, shown) for row in order[:MOST_PAIRS]],
            left=max(0, len(order) - MOST_PAIRS),
            method=_method(found),
            style=source("page.css") + "\n" + source("groups.css"),
        )
    )
    document.save(page, path)


def _line(row: PairComparison, shown: dict[str, str]) -> PairLine:
    effects = [
        "too few rows" if effect is None or ends is None else f"{effect:.2f} ({ends[0]:.2f}, {ends[1]:.2f})"
        for effect, ends in zip(row.effects, row.intervals, strict=True)
    ]
    return PairLine(
        shown[row.x],
        shown[row.y],
        effects,
        row.difference,
        row.p_value,
        row.p_adjusted,
        row.bayes_factor,
        row.probability,
        row.p_adjusted <= LEVEL,
    )


def _method(found: GroupComparison) -> list[str]:
    """Return what was done, in sentences that a paper can take."""
    measures = {
        "log_odds": "log odds ratios between variables of two states",
        "fisher_z": "Fisher-transformed partial correlations between continuous variables",
        "linear_by_linear": "log odds ratios per standard deviation where states have an order",
        "size": "root mean squares of log odds ratios, without a sign, where states have no order",
    }
    used = [said for name, said in measures.items() if any(row.measure == name for row in found.pairs)]
    rows = (
        f"Groups of {listing([f'{n:,}' for n in found.rows])} rows were compared"
        if len(found.rows) == len(found.groups)
        else f"Effects were modeled as linear in {visible(found.by)}, in {found.rows[0]:,} rows"
    )
    given = "the other variables of the Markov blanket, taken from the graphs of all groups and of all rows"
    if found.covariates:
        given += f", and {listing([visible(name) for name in found.covariates])}"
    return [
        f"{rows} with graphoid {version('graphoid')} (seed {found.seed}).",
        f"Effects are {listing(used)}, conditional on {given}, with 95 % confidence intervals.",
        (
            "p is the p-value of a pair by itself; adjusted p controls the family-wise error over "
            f"{plural(len(found.pairs), 'pair')} by the distribution of the largest statistic ({found.n:,} "
            "draws under the null hypothesis). A pair is said to differ where its adjusted p is at most "
            ".05. Global strength is the sum of the effect sizes of the edges of the network of all rows."
        ),
    ]
