"""Pictures of what a bootstrap found; each returns the axes it drew on.

Names are shown as they are: ``parse_math=False`` keeps a dollar sign in one from beginning a formula.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphoid.errors import DataError, missing_extra
from graphoid.structure.safe_text import printable
from graphoid.uncertainty.stability import ENOUGH

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from graphoid.uncertainty.bootstrap_result import Resampled

COLORS = {"present": "#1f6fae", "undecided": "#6d7883", "absent": "#b4bdc6"}
MOST_EDGES = 60  # what fits on a page


def edge_intervals(found: Resampled, ax: Axes | None = None) -> Axes:
    """Draw the strength of every pair that was ever found, with its interval; color is the verdict."""
    rows = [row for row in found.edges() if row.size is not None and (row.frequency > 0 or row.joined)]
    rows = sorted(rows, key=lambda row: row.size or 0.0)[-MOST_EDGES:]
    ax = _axes(ax, (7, max(2.0, 0.25 * len(rows) + 1)))
    for place, row in enumerate(rows):
        _interval(ax, place, row.size, row.low, row.high, COLORS[row.verdict])
        _note(ax, place, f"{row.frequency:.0%}")
    ax.set_yticks(range(len(rows)), [printable(f"{row.x} – {row.y}") for row in rows], parse_math=False)
    ax.set_ylim(-0.7, len(rows) - 0.3)
    ax.set_xlabel("effect size; 95 % confidence interval; right: share of resamples with the edge")
    for verdict in dict.fromkeys(row.verdict for row in reversed(rows)):
        ax.plot([], [], "o", color=COLORS[verdict], label=verdict)
    if rows:
        ax.legend(loc="lower right", fontsize=8, frameon=False)
    return ax


def probabilities(found: Resampled, ax: Axes | None = None) -> Axes:
    """Draw the posterior probability of every pair: a dot from all rows, a tick for the resamples' mean.

    For Bayesian learners and tests; the Bayes factor is at the right.
    """
    if found.inclusion is None:
        raise DataError(
            f"{found.learner} gives no probabilities; resample a Bayesian learner such as Posterior(), or "
            f"one with test=BayesianTest()."
        )
    rows = [row for row in found.edges() if row.probability is not None]
    rows = sorted(rows, key=lambda row: row.probability or 0.0)[-MOST_EDGES:]
    ax = _axes(ax, (7, max(2.0, 0.25 * len(rows) + 1)))
    for place, row in enumerate(rows):
        color = COLORS[row.verdict]
        _interval(ax, place, row.probability, None, None, color)
        if row.mean_probability is not None:
            ax.plot([row.mean_probability], [place], "|", color=color, markersize=9)
        _note(ax, place, f"{row.bayes_factor:.3g}")
    ax.set_yticks(range(len(rows)), [printable(f"{row.x} – {row.y}") for row in rows], parse_math=False)
    ax.set_xlim(-0.02, 1.02)
    ax.set_xlabel("posterior probability: all rows (dot), mean of the resamples (tick); right: Bayes factor")
    return ax


def case_drop(found: Resampled, ax: Axes | None = None) -> Axes:
    """Draw how well centrality agrees with that of all rows when only a share of them is kept."""
    ax = _axes(ax, (6, 4))
    curves = found.stability()
    for measure in dict.fromkeys(row.measure for row in curves):
        rows = [row for row in curves if row.measure == measure]
        shares = [row.share for row in rows]
        (line,) = ax.plot(shares, [row.correlation for row in rows], "o-", label=measure.replace("_", " "))
        ax.fill_between(
            shares, [row.low for row in rows], [row.high for row in rows], color=line.get_color(), alpha=0.15
        )
    ax.axhline(ENOUGH, color="#8c8c8c", linestyle=":")
    ax.set_xlabel("share of the rows kept")
    ax.set_ylabel("correlation with all rows; mean and 95 % of the resamples")
    ax.invert_xaxis()
    ax.legend()
    return ax


def centrality(found: Resampled, measure: str = "strength", ax: Axes | None = None) -> Axes:
    """Draw a centrality of every variable with its interval, the most central on top."""
    rows = sorted((row for row in found.centrality() if row.measure == measure), key=lambda row: row.value)
    ax = _axes(ax, (6, max(2.0, 0.25 * len(rows) + 1)))
    for place, row in enumerate(rows):
        _interval(ax, place, row.value, row.low, row.high, COLORS["present"])
    ax.set_yticks(range(len(rows)), [row.variable for row in rows], parse_math=False)
    ax.set_xlabel(f"{measure.replace('_', ' ')}; 95 % confidence interval")
    return ax


def differences(found: Resampled, ax: Axes | None = None) -> Axes:
    """Draw which edges differ in strength: a matrix of edges, dark where they do."""
    rows = found.differences()
    edges = list(dict.fromkeys([(r.x, r.y) for r in rows] + [(r.x2, r.y2) for r in rows]))
    place = {edge: i for i, edge in enumerate(edges)}
    ax = _axes(ax, (0.3 * len(edges) + 2, 0.3 * len(edges) + 2))
    shade = [[0.0] * len(edges) for _ in edges]
    for r in rows:
        i, j = place[r.x, r.y], place[r.x2, r.y2]
        shade[i][j] = shade[j][i] = float(r.different)
    ax.imshow(shade, cmap="Greys", vmin=0, vmax=1.2)
    labels = [printable(f"{x} - {y}") for x, y in edges]
    ax.set_xticks(range(len(edges)), labels, rotation=90, fontsize=7, parse_math=False)
    ax.set_yticks(range(len(edges)), labels, fontsize=7, parse_math=False)
    ax.set_title("dark: strengths differ")
    return ax


def _interval(
    ax: Axes, place: int, value: float | None, low: float | None, high: float | None, color: str
) -> None:
    """Draw a number as a dot, and its interval as a line behind it."""
    if low is not None and high is not None:
        ax.plot([low, high], [place, place], color=color, linewidth=2)
    if value is not None:
        ax.plot([value], [place], "o", color=color, markersize=4)


def _note(ax: Axes, place: int, text: str) -> None:
    """Write at the right margin of a line."""
    ax.annotate(text, (1.01, place), xycoords=("axes fraction", "data"), va="center", fontsize=7)


def _axes(ax: Axes | None, size: tuple[float, float]) -> Axes:
    if ax is not None:
        return ax
    try:
        from matplotlib import pyplot as plt
    except ImportError:
        raise missing_extra("a picture", "plot") from None
    shown: Axes = plt.figure(figsize=size, layout="constrained").subplots()  # a notebook shows it
    shown.spines[["top", "right", "left"]].set_visible(False)
    shown.spines["bottom"].set_color("#c3ccd4")
    shown.tick_params(length=0, labelsize=8)
    shown.grid(axis="y", color="#eef1f4", linewidth=0.8)
    shown.set_axisbelow(True)
    return shown
