"""The page of accuracy: who is right, in what time, and where ours are not the first."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from graphoid.report.style import FAINT
from peers.accuracy import by_network
from peers.learners import OURS
from peers.look import closing, legend_of, mark, plain, start

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.axes import Axes

    from peers.results import Row

TIE = 0.005
"""F1 that differs by no more counts as equal: an edge or less of a hundred."""

ACROSS = 3
"""Panels side by side."""

WORDS = {
    "time": "over the limit of time",
    "memory": "over the limit of memory",
    "idle": "waited without end",
    "failed": "failed",
    "missing": "missing",
    "left": "not started",
}
"""How runs end that do not come to a graph."""


class Mean(NamedTuple):
    """A learner on a network, over the samples that it got."""

    learner: str
    f1: float
    error: float | None
    """Standard error; None of one sample."""
    seconds: float
    megabytes: float
    edges: float
    samples: int


def mean_of(samples: list[Row]) -> Mean | None:
    """Return what a learner reached on average, None if it came to no graph."""
    ended = [row for row in samples if row.status == "ended" and row.f1 is not None]
    if not ended:
        return None
    f1 = [row.f1 or 0.0 for row in ended]
    error = float(np.std(f1, ddof=1) / np.sqrt(len(f1))) if len(f1) > 1 else None
    seconds, megabytes, edges = (
        float(np.mean([getattr(row, name) or 0.0 for row in ended]))
        for name in ("seconds", "megabytes", "edges")
    )
    return Mean(samples[0].learner, float(np.mean(f1)), error, seconds, megabytes, edges, len(f1))


def frontier(points: list[Mean]) -> list[Mean]:
    """Return those that none is both quicker and more accurate than, the quickest first."""
    found: list[Mean] = []
    for point in sorted(points, key=lambda p: (p.seconds, -p.f1)):
        if not found or point.f1 > found[-1].f1:
            found.append(point)
    return found


def write(path: Path, about: dict[str, str], rows: list[Row]) -> None:
    """Write the page and its picture beside the figures."""
    networks = by_network(rows)
    means = {name: [m for samples in of if (m := mean_of(samples))] for name, of in networks.items()}
    picture = path.with_suffix(".svg")
    draw(means, picture)
    n_rows, most = max(row.rows for row in rows), max(row.sample for row in rows) + 1
    samples = f"up to {most} samples" if most > 1 else "one sample"
    text = [
        "# Time and accuracy",
        "",
        "**How right is a learner, and how long does it take?**",
        "",
        f"![F1 against CPU seconds; no learner beats those on the line in both]({picture.name})",
        "",
        f"F1 of the edges, from {n_rows:,} rows and {samples} of each network, against the moral graph of a",
        "Bayesian network or an Ising network itself. The line joins the learners that no other beats in",
        "both, accuracy and time. Filled marks are ours; a learner without a mark came to no graph within",
        "the limit, as the tables say.",
        "",
        "## Who is first",
        "",
        *summary(means),
        "",
    ]
    if not {"alarm", "water"} & set(networks):
        text += ["The networks of the literature are left out: GRAPHOID_DATA did not say where they are.", ""]
    text += [
        "## Tables",
        "",
        "Sorted by F1; a learner on the line of the picture has its CPU time in bold.",
        "",
    ]
    for name, of in networks.items():
        text += [f"### {name}", "", *table(of, means[name]), ""]
    text += closing(about, path.name)
    path.with_suffix(".md").write_text("\n".join(text), encoding="utf-8")


def summary(means: dict[str, list[Mean]]) -> list[str]:
    """Return what follows from the figures, our losses by name."""
    first, lines = [], []
    for name, points in means.items():
        known = {point.learner: point for point in points}
        if (ours := known.get("gd.learn")) is None:
            lines.append(f"- **{name}**: gd.learn came to no graph within the limit.")
            continue
        if ours.f1 >= max(point.f1 for point in points) - TIE:
            first.append(name)
        lines.append(f"- **{name}**: {'; '.join(sentences(ours, points))}.")
    head = (
        f"`gd.learn` has the highest F1, or one within {TIE} of it, on {len(first)} of {len(means)} networks"
    )
    return [f"{head}{': ' + ', '.join(first) if first else ''}.", "", *lines]


def sentences(ours: Mean, points: list[Mean]) -> list[str]:
    """Return who is better than gd.learn on a network, in accuracy, in time, or in both."""
    others = [point for point in points if point.learner != ours.learner]
    better = sorted((p for p in others if p.f1 > ours.f1 + TIE), key=lambda p: -p.f1)
    level = sorted((p for p in others if abs(p.f1 - ours.f1) <= TIE), key=lambda p: p.seconds)
    quicker = [p for p in level if p.seconds < ours.seconds]
    slower = [p for p in level if p.seconds >= ours.seconds]
    said = [f"gd.learn has F1 {ours.f1:.3f} in {clock(ours.seconds)}"]
    for what, who in (
        ("more accurate", better),
        ("as accurate and quicker", quicker),
        ("as accurate and slower", slower),
    ):
        if who:
            said.append(f"{what}: {', '.join(words(p) for p in who)}")
    if not better and not quicker:
        said.append("none is more accurate, or as accurate and quicker")
    # our other learners, where one of others is better in both
    for point in points:
        if point.learner in OURS and point.learner != ours.learner:
            above = [
                p
                for p in others
                if p.learner not in OURS and p.f1 > point.f1 + TIE and p.seconds < point.seconds
            ]
            if above:
                best = max(above, key=lambda p: p.f1)
                said.append(
                    f"{point.learner} ({point.f1:.3f}, {clock(point.seconds)}) loses in both to {words(best)}"
                )
    return said


def words(point: Mean) -> str:
    """Return a learner with its figures."""
    return f"{point.learner} ({point.f1:.3f}, {clock(point.seconds)})"


def clock(seconds: float) -> str:
    """Return seconds with two digits that say something."""
    return f"{seconds:.0f} s" if seconds >= 10 else f"{seconds:.1f} s" if seconds >= 1 else f"{seconds:.2f} s"


def table(learners: list[list[Row]], means: list[Mean]) -> list[str]:
    """Return the table of a network, the most accurate first, and last who came to no graph."""
    best = {point.learner for point in frontier(means)}
    true_edges = max(row.true_edges or 0 for samples in learners for row in samples)
    lines = [
        f"| learner | F1 | edges ({true_edges} true) | CPU time | peak memory |",
        "| --- | --- | --- | --- | --- |",
    ]
    for point in sorted(means, key=lambda p: -p.f1):
        error = f" ± {point.error:.3f}" if point.error is not None else ""
        time = f"**{clock(point.seconds)}**" if point.learner in best else clock(point.seconds)
        cells = [point.learner, f"{point.f1:.3f}{error}", f"{point.edges:.0f}", time]
        lines.append(f"| {' | '.join(cells)} | {point.megabytes:.0f} MB |")
    known = {point.learner for point in means}
    for samples in learners:
        row = samples[0]
        if row.learner not in known:
            why = f": {row.note}" if row.note else ""
            lines.append(f"| {row.learner} | {WORDS[row.status]}{why} | | | |")
    return lines


def draw(means: dict[str, list[Mean]], path: Path) -> None:
    """Draw a panel a network, and what explains the marks in the place of the last."""
    plt = start()
    down = -(-(len(means) + 1) // ACROSS)
    figure, grid = plt.subplots(down, ACROSS, figsize=(10.5, 3.1 * down), layout="constrained", squeeze=False)
    axes = list(grid.flat)
    for ax, (name, points) in zip(axes, means.items(), strict=False):
        panel(ax, name, points)
    for ax in axes[len(means) :]:
        ax.set_axis_off()
    drawn = [point.learner for points in means.values() for point in points]
    spare = axes[len(means) :]
    half = {"ncols": 2, "columnspacing": 1.2} if len(spare) > 1 else {}
    legend = spare[0].legend(handles=legend_of(drawn), loc="upper left", frameon=False, fontsize=8.5, **half)
    legend.set_in_layout(False)  # or the panels above would make room for it
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)


def panel(ax: Axes, name: str, points: list[Mean]) -> None:
    """Draw the learners on a network."""
    line = frontier(points)
    ax.set_xscale("log")
    ax.step(
        [p.seconds for p in line], [p.f1 for p in line], where="post", color=FAINT, linewidth=1.6, zorder=1
    )
    for point in reversed(points):  # ours last, on top
        ax.plot([point.seconds], [point.f1], linestyle="", zorder=2, **mark(point.learner))
    ax.set(xlabel="CPU seconds", ylabel="F1")
    ax.set_ylim(min(0.9, min((p.f1 for p in points), default=0.9)) - 0.04, 1.04)
    plain(ax, name)
