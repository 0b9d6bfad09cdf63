"""The page of growth: what more rows and more columns cost, and who goes further than we do."""

from __future__ import annotations

import math
from itertools import groupby
from typing import TYPE_CHECKING

from peers.accuracy_page import WORDS, clock
from peers.growth import HEIGHT, WIDTH, ladders as all_ladders, learners_of
from peers.learners import LEARNERS, OURS
from peers.look import closing, legend_of, mark, plain, start

if TYPE_CHECKING:
    from pathlib import Path

    from peers.results import Row

    Climbs = dict[str, list[Row]]

SHOWN = 5
"""Sizes that a table shows; the file has all."""


def write(path: Path, about: dict[str, str], rows: list[Row]) -> None:
    """Write the page and its picture beside the figures."""
    ladders = by_ladder(rows)
    picture = path.with_suffix(".svg")
    draw(ladders, picture)
    text = [
        "# Growth",
        "",
        "**What do more rows and more columns cost?**",
        "",
        f"![CPU time and peak memory as rows and columns grow]({picture.name})",
        "",
        f"Rows grow with {WIDTH} columns, columns with {HEIGHT:,} rows, each by doubling until a run needs",
        f"more than {about['limit']}. A step is not started where the last two say that it would.",
        "",
    ]
    for name, climbs in ladders.items():
        text += [
            f"## {name[0].upper()}{name[1:]}",
            "",
            *sentences(name, climbs),
            "",
            *table(name, climbs),
            "",
        ]
        if away := [learner for learner in learners_of(name) if learner not in climbs]:
            text += [f"Not measured in this run: {', '.join(away)}.", ""]
    if absent := [ladder.name for ladder in all_ladders(0, 0) if ladder.name not in ladders]:
        text += [f"Not measured in this run: {'; '.join(absent)}.", ""]
    text += closing(about, path.name)
    path.with_suffix(".md").write_text("\n".join(text), encoding="utf-8")


def by_ladder(rows: list[Row]) -> dict[str, Climbs]:
    """Return the steps of every learner in order, by what grows."""
    order = {name: k for k, name in enumerate(LEARNERS)}
    parts = list(
        dict.fromkeys(row.part for row in sorted(rows, key=lambda r: ("rows" not in r.part, r.part)))
    )
    known = sorted(rows, key=lambda r: (parts.index(r.part), order[r.learner], r.rows, r.columns))
    found: dict[str, Climbs] = {}
    for (part, learner), steps in groupby(known, key=lambda r: (r.part, r.learner)):
        found.setdefault(part, {})[learner] = list(steps)
    return found


def axis(name: str) -> str:
    """Return what grows."""
    return name.partition(",")[0]


def size(name: str, row: Row) -> int:
    """Return what grew to what."""
    return row.rows if name.startswith("rows") else row.columns


def ended(steps: list[Row]) -> list[Row]:
    """Return the steps that came to a graph."""
    return [row for row in steps if row.status == "ended"]


def power(name: str, steps: list[Row]) -> float | None:
    """Return the power of the size with which time grew in the last step; None if it is too quick to say."""
    done = ended(steps)
    if len(done) < 2 or not done[-2].seconds or (done[-1].seconds or 0) < 0.1:
        return None
    before, last = done[-2:]
    steps_up = math.log(size(name, last) / size(name, before))
    return math.log((last.seconds or 0) / before.seconds) / steps_up


def sentences(name: str, climbs: Climbs) -> list[str]:
    """Return how far gd.learn goes, and who goes further or is quicker where both have been."""
    what = axis(name)
    lines = []
    for ours in (learner for learner in OURS if learner in climbs):
        done = ended(climbs[ours])
        if not done:
            lines.append(f"- **{ours}** came to no graph.")
            continue
        last = done[-1]
        top = size(name, last)
        grew = power(name, climbs[ours])
        slope = f", in the last step as {what} to the power of {grew:.1f}" if grew is not None else ""
        said = (
            f"- **{ours}**: {top:,} {what} in {clock(last.seconds or 0)} and {last.megabytes:.0f} MB{slope}"
        )
        lines.append(f"{said}. {' '.join(against(name, climbs, done))}")
    return lines


def against(name: str, climbs: Climbs, done: list[Row]) -> list[str]:
    """Return which peers went further, and which are quicker or smaller at the largest size of both."""
    what, own = axis(name), {size(name, row): row for row in done}
    further, quicker, early, smaller = [], [], [], []
    for peer, steps in climbs.items():
        theirs = {size(name, row): row for row in ended(steps)}
        common = sorted(set(own) & set(theirs))
        if peer in OURS or not common:
            continue
        if max(theirs) > max(own):
            further.append(f"{peer} ({max(theirs):,})")
        ours, other = own[common[-1]], theirs[common[-1]]
        at = f"at {common[-1]:,} {what}"
        if (other.seconds or 0) < (ours.seconds or 0):
            quicker.append(f"{peer} ({cost(other)} against {cost(ours)} {at})")
        first = theirs[common[0]]
        if common[0] < common[-1] and (first.seconds or 0) < (own[common[0]].seconds or 0):
            early.append(f"{peer} ({cost(first)} against {cost(own[common[0]])} at {common[0]:,} {what})")
        if (other.megabytes or 0) < (ours.megabytes or 0):
            smaller.append(f"{peer} ({other.megabytes:.0f} against {ours.megabytes:.0f} MB {at})")
    return [
        f"Further went {', '.join(further)}." if further else "No peer went further.",
        f"Quicker at the largest size of both: {', '.join(quicker) or 'none'}.",
        f"Quicker at the smallest: {', '.join(early) or 'none'}.",
        f"With less memory at the largest: {', '.join(smaller) or 'none'}.",
    ]


def cost(row: Row) -> str:
    """Return the time of a run, and how right it was."""
    return f"{clock(row.seconds or 0)}, F1 {row.f1 or 0:.2f},"


def table(name: str, climbs: Climbs) -> list[str]:
    """Return CPU time at some sizes, the largest that ended, and what ended it."""
    sizes = sorted({size(name, row) for steps in climbs.values() for row in ended(steps)})
    if not sizes:
        return ["No run ended."]
    last = len(sizes) - 1
    shown = sorted({sizes[round(k * last / (SHOWN - 1))] for k in range(SHOWN)})
    heads = ["learner", *(f"{n:,}" for n in shown), "largest", "there", "then"]
    lines = [f"| {' | '.join(heads)} |", f"|{' --- |' * len(heads)}"]
    for learner, steps in climbs.items():
        known = {size(name, row): row for row in ended(steps)}
        cells = [clock(known[n].seconds or 0) if n in known else "" for n in shown]
        most = max(known, default=None)
        top = (
            [f"{most:,}", f"{clock(known[most].seconds or 0)}, {known[most].megabytes:.0f} MB"]
            if most
            else ["", ""]
        )
        stop = steps[-1]
        why = "" if stop.status == "ended" else f"{size(name, stop):,}: {WORDS[stop.status]}"
        note = f" ({stop.note})" if stop.note and stop.status != "ended" else ""
        lines.append(f"| {' | '.join([learner, *cells, *top, why + note])} |")
    return lines


def draw(ladders: dict[str, Climbs], path: Path) -> None:
    """Draw time above memory, a column for each thing that grows."""
    plt = start()
    from matplotlib.ticker import LogLocator

    n = len(ladders)
    figure, grid = plt.subplots(
        2, n, figsize=(3.6 * n, 7.2), layout="constrained", squeeze=False, sharex="col"
    )
    for k, (name, climbs) in enumerate(ladders.items()):
        time, memory = grid[0][k], grid[1][k]
        for learner, steps in reversed(climbs.items()):
            done = ended(steps)
            where = [size(name, row) for row in done]
            style = mark(learner) | {"markersize": 5, "linewidth": 1.6 if learner in OURS else 0.9}
            time.plot(where, [max(row.seconds or 0, 1e-3) for row in done], **style)
            memory.plot(where, [row.megabytes for row in done], **style)
        for ax in (time, memory):
            ax.set(xscale="log", yscale="log")
            sizes = sorted({size(name, row) for steps in climbs.values() for row in steps})
            ax.set_xticks(sizes[:: max(1, len(sizes) // 3)])
        memory.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        memory.set_xlabel(axis(name))
        plain(time, name)
        plain(memory, "")
    if n:
        grid[0][0].set_ylabel("CPU seconds")
        grid[1][0].set_ylabel("peak memory, MB")
    drawn = [learner for climbs in ladders.values() for learner, steps in climbs.items() if ended(steps)]
    figure.legend(
        handles=legend_of(drawn),
        loc="outside lower center",
        ncols=2 * n - 1 if n > 1 else 2,
        frameon=False,
        fontsize=8.5,
    )
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)
