"""How learners look in pictures, and what every page says of its run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from graphoid.report.style import FAINT, INK, SIGNS, SOFT
from peers.learners import LEARNERS, MOST_NEIGHBORS, OURS

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

COLORS = {
    "graphoid": SIGNS["positive"],
    "pyagrum": "#d98200",
    "pgmpy": "#00866a",
    "causal-learn": "#c4500f",
    "BDgraph": "#a8568a",
    "scikit-learn": "#3b3b3b",
    "abess": "#3b3b3b",
    "skscope": "#3b3b3b",
    "huge": "#a8568a",
}
"""By package; those that share one differ in their marks, as all do from each other."""

MARKS = {
    "gd.learn": "o",
    "RobustGSMN": "s",
    "GSIMN": "v",
    "TwoPhase(MPL)": "D",
    "DirectedSearch": "^",
    "pyAgrum hill climbing": "^",
    "pyAgrum PC": "p",
    "pyAgrum MIIC": "X",
    "pgmpy hill climbing": "^",
    "pgmpy PC": "p",
    "causal-learn PC": "p",
    "causal-learn GES": "d",
    "BDgraph": "P",
    "scikit-learn l1": "<",
    "abess l0": ">",
    "skscope l0": "8",
    "huge": "h",
}
"""The same method has the same mark; ours are filled, those of others are open."""


def mark(learner: str) -> dict[str, Any]:
    """Return how a learner is drawn."""
    color = COLORS[LEARNERS[learner].package]
    return {
        "marker": MARKS[learner],
        "color": color,
        "markerfacecolor": color if learner in OURS else "white",
        "markeredgecolor": color,
        "markeredgewidth": 1.3,
        "markersize": 7 if learner in OURS else 6,
    }


def legend_of(learners: list[str]) -> list[Artist]:
    """Return what explains the marks, ours first."""
    from matplotlib.lines import Line2D

    return [Line2D([], [], linestyle="", label=name, **mark(name)) for name in LEARNERS if name in learners]


def plain(ax: Axes, title: str) -> None:
    """Leave of the frame what is read."""
    ax.set_title(title, fontsize=10, color=INK)
    ax.grid(color="#eef1f4", linewidth=0.8)
    ax.set_axisbelow(True)
    ax.tick_params(which="both", length=0, labelcolor=INK, labelsize=8)
    for axis in (ax.xaxis, ax.yaxis):
        if axis.get_scale() == "log":
            axis.set_major_formatter(lambda x, _: f"{x:,.0f}" if x >= 1 else f"{x:g}")
            axis.set_minor_formatter("")
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.spines["bottom"].set_color(FAINT)
    ax.xaxis.label.set(color=SOFT, fontsize=9)
    ax.yaxis.label.set(color=SOFT, fontsize=9)


def start() -> Any:
    """Return pyplot, set for pictures that come out alike each time."""
    import matplotlib as mpl
    import matplotlib.pyplot as plt

    mpl.rcParams.update({"svg.hashsalt": "graphoid", "axes.xmargin": 0.08})
    return plt


def closing(about: dict[str, str], csv_name: str) -> list[str]:
    """Return how a page was measured."""
    missing = f" Not installed where this ran: {about['missing']}." if about["missing"] != "none" else ""
    return [
        "## How it was measured",
        "",
        "```text",
        about["command"],
        "```",
        "",
        "Every run is a process of its own on one thread, stopped where it needs more than",
        f"{about['limit']}. CPU time is that of learning alone, without starting, reading and conversion;",
        "memory is the peak of the whole process, with Python or R and the libraries. Peers are used as they",
        "come, with G² tests at .01 and scores by BIC where there is the choice (causal-learn's GES: BDeu).",
        "BDgraph's edges are the pairs with a probability above one half after its 5,000 iterations;",
        "neighborhoods are joined where both ends have each other; abess and skscope choose up to",
        f"{MOST_NEIGHBORS} neighbors by the extended BIC, more than any variable of these networks has. What",
        "is directed becomes its moral graph. R's packages are those of Debian, which has no bnlearn: it is",
        "not compared.",
        "",
        f"- Machine: {about['machine']}; {about['load']}.",
        f"- Versions: {about['versions']}.{missing}",
        f"- Date: {about['date']}; {about['minutes']} minutes by the clock.",
        f"- All figures: [{csv_name}]({csv_name}).",
        "",
    ]
