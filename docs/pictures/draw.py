"""Draw the pictures of the guide: ``python docs/pictures/draw.py [NAME ...]`` writes them beside this file.

They are part of the repository, since pages are read where nothing is run, and are small: few colors do.
The screenshot of a report needs Chromium; where there is none, the old one stays.
"""

from __future__ import annotations

import io
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import matplotlib as mpl
import numpy as np
from matplotlib import pyplot as plt
from PIL import Image

import graphoid as gd
from graphoid.report import plots
from graphoid.report.style import INK, SIGNS
from graphoid.uncertainty import plots as resampled_plots

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.axes import Axes

HERE = Path(__file__).parent
COLORS = 64
SEED = 1


def survey() -> gd.Table:
    return gd.datasets.load("survey")


def likert(n_rows: int = 800) -> gd.Table:
    """24 items of three scales, five grades each; every seventh is worded the other way around."""
    rng = np.random.default_rng(SEED)
    scales = rng.normal(size=(n_rows, 3))
    scales[:, 1:] += 0.4 * scales[:, :1]
    columns = {}
    for scale, word in enumerate(("sleep", "mood", "work")):
        for item in range(8):
            sign = -1 if (8 * scale + item) % 7 == 5 else 1
            answer = 0.8 * sign * scales[:, scale] + 0.8 * rng.normal(size=n_rows)
            columns[f"{word}{item + 1}"] = np.digitize(answer, [-1.5, -0.5, 0.5, 1.5]) + 1
    return gd.read(columns, name="wellbeing.csv")


def with_holes() -> dict[str, list[object]]:
    """The survey as people fill it in: rows end early, and income is kept back."""
    rng = np.random.default_rng(SEED)
    frame = survey().to_frame().head(400).astype(object)
    frame.loc[rng.random(400) < 0.22, "income"] = None
    for row in np.flatnonzero(rng.random(400) < 0.12):
        frame.iloc[row, rng.integers(3, 6) :] = None
    return {name: [None if v is None or v != v else v for v in frame[name]] for name in frame}


def bars(pairs: list[tuple[str, float]], words: str, size: tuple[float, float] = (6.4, 3.2)) -> Axes:
    """Draw lines of a table, the first on top."""
    _, ax = plt.subplots(figsize=size, layout="constrained")
    names, values = zip(*reversed(pairs), strict=True)
    ax.barh(
        range(len(names)), values, color=[SIGNS["positive"] if v >= 0 else SIGNS["negative"] for v in values]
    )
    ax.set_yticks(range(len(names)), names, fontsize=9)
    ax.set_xlabel(words)
    ax.axvline(0, color=INK, linewidth=0.8)
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.tick_params(length=0)
    return ax


def guide() -> Axes:
    return gd.learn(survey()).plot()


def glossary() -> Axes:
    return gd.learn(survey()).plot(highlight=["bus"], groups={"blanket of bus": ["region", "age", "content"]})


def reading_an_edge() -> Axes:
    return gd.learn(survey()).plot(highlight=["bus"], legend=False)


def strength() -> Axes:
    return gd.learn(survey()).plot("intervals")


def which_learner() -> Axes:
    # docs/reproduction/bjp-hubs.md: hubs, 64 variables, 1,000 rows
    figures = [("gd.learn", 27.6), ("BJP", 30.8), ("IB-score", 33.9), ("MPL", 40.0), ("GSMN*", 103.1)]
    return bars(figures, "wrong or missing edges, mean of 20 data sets")


def data() -> Axes:
    return plots.missing(with_holes())


def missing() -> Axes:
    table = gd.read(with_holes(), missing="available")
    n = len(table.names)
    share = np.array(
        [[table.complete_rows([i, j]).n_rows / table.n_rows for j in range(n)] for i in range(n)]
    )
    _, ax = plt.subplots(figsize=(4.6, 3.6), layout="constrained")
    ax.imshow(share, cmap="Blues", vmin=0, vmax=1)
    for (i, j), number in np.ndenumerate(share):
        ax.text(
            j, i, f"{number:.0%}", ha="center", va="center", color="white" if number > 0.6 else INK, size=7
        )
    ax.set_xticks(range(n), table.names, rotation=45, ha="right")
    ax.set_yticks(range(n), table.names)
    ax.tick_params(length=0)
    return ax


def counts() -> Axes:
    table = survey()
    codes = table.codes
    cells = np.zeros((3, 3))
    np.add.at(cells, (codes[:, 1], codes[:, 2]), 1)
    _, ax = plt.subplots(figsize=(4.2, 3.2), layout="constrained")
    ax.imshow(cells, cmap="Blues", vmin=0)
    for (i, j), number in np.ndenumerate(cells):
        ax.text(j, i, f"{number:,.0f}", ha="center", va="center", color="white" if number > 700 else INK)
    ax.set_xticks(range(3), table.variables[2].states)
    ax.set_yticks(range(3), table.variables[1].states)
    ax.set(xlabel="income", ylabel="age")
    ax.tick_params(length=0)
    return ax


def independence() -> Axes:
    ci = gd.Tester(gd.GTest(), survey())
    given = [(), ("region",), ("region", "age"), ("region", "age", "income")]
    verdicts = ci.ask([("bus", "car", z) for z in given])
    named = [f"given {', '.join(z)}" if z else "nothing given" for z in given]
    log_p = [-(v.log_p or 0.0) / np.log(10) for v in verdicts]
    return bars(list(zip(named, log_p, strict=True)), "bus and car: evidence of dependence, −log10 p")


def constraint_based() -> Axes:
    return gd.GSMN().fit(gd.datasets.load("titanic")).structure_.plot()


def grow_shrink_settings() -> Axes:
    table = gd.datasets.load("survey")
    page, panels = plt.subplots(1, 2, figsize=(9, 3.6))
    for ax, learner in zip(panels, (gd.GSMN(), gd.RobustGSMN()), strict=True):
        plots.network(learner.fit(table).structure_, legend=False, ax=ax)
        ax.set_title(type(learner).__name__, fontsize=10)
    return page.axes[0]


def pfmn() -> Axes:
    return plots.cost_against_entropy(gd.PFMN(random_state=0).fit(survey()).structure_)


def scores() -> Axes:
    found = gd.learn(survey())
    rows = sorted(found.pairs(), key=lambda row: -(row.strength or 0))
    return bars(
        [(f"{r.x} – {r.y}", (r.strength or 0) * np.log(10)) for r in rows],
        "log Bayes factor of the edge",
        (6.4, 4.2),
    )


def contexts() -> Axes:
    return plots.contexts(gd.CSGS().fit(survey()).structure_, most=3)[0]


def uncertainty() -> Axes:
    rows = sorted(gd.learn(few()).pairs(), key=lambda r: -(r.probability or 0))
    return bars(
        [(f"{r.x} – {r.y}", r.probability or 0.0) for r in rows],
        "inclusion probability, from 300 rows",
        (6.4, 4.2),
    )


def few() -> gd.Table:
    return gd.read(survey().to_frame().head(300), name="survey")


def how_sure() -> Axes:
    return resampled_plots.edge_intervals(gd.learn(few()).bootstrap(100, random_state=1).result_)


def how_far_to_trust() -> Axes:
    return gd.learn(few()).plot()


def reliability() -> Axes:
    found = gd.learn(survey())
    return found.plot("centrality", bootstrap=found.bootstrap(50, random_state=1))


def models() -> Axes:
    table = survey()
    model = gd.MarkovNetwork.fit(gd.learn(table), table)
    cases = [(region, age) for region in ("city", "country") for age in ("young", "middle", "old")]
    p = [float(model.query("bus", {"region": region, "age": age})[1]) for region, age in cases]
    return bars(
        [(f"{r}, {a}", q) for (r, a), q in zip(cases, p, strict=True)], "probability of taking the bus"
    )


def classifiers() -> Axes:
    table = gd.datasets.load("titanic").to_frame()
    return gd.MarkovNetworkClassifier().fit(table.drop(columns="survived"), table["survived"]).draw()


def directed() -> Axes:
    return gd.DirectedSearch().fit(survey()).structure_.plot()


def command_line() -> Axes:
    return gd.learn(survey()).plot("heatmap")


def scale() -> Axes:
    # what one run of `graphoid learn --where source` counts: of 4,000 rows, only tables travel
    table = survey()
    cells = [np.prod([v.arity for v in table.variables[:k]]) for k in range(1, 7)]
    pairs = [(f"{k} variable{'s' if k > 1 else ''}", float(c)) for k, c in enumerate(cells, start=1)]
    return bars(
        [*pairs, ("all rows", float(table.n_rows * len(table.variables)))],
        "numbers that travel for a table of counts, and for all rows",
    )


def extending() -> Axes:
    _, ax = plt.subplots(figsize=(11, 1.4), layout="constrained")
    parts = ("data", "counts", "tests and scores", "learners", "structure", "models")
    for i, words in enumerate(parts):
        ax.text(
            i,
            0,
            words,
            ha="center",
            va="center",
            bbox={"boxstyle": "round,pad=0.6", "facecolor": "#cfe3ea", "edgecolor": "#2a7f9e"},
        )
        if i:
            ax.annotate("", (i - 0.42, 0), (i - 0.58, 0), arrowprops={"arrowstyle": "->", "color": INK})
    ax.set(xlim=(-0.6, 5.6), ylim=(-0.6, 0.6))
    ax.set_axis_off()
    return ax


PICTURES: dict[str, Callable[[], Axes]] = {
    function.__name__.replace("_", "-"): function
    for function in (
        guide,
        glossary,
        reading_an_edge,
        strength,
        which_learner,
        data,
        missing,
        counts,
        independence,
        constraint_based,
        grow_shrink_settings,
        pfmn,
        scores,
        contexts,
        uncertainty,
        how_sure,
        how_far_to_trust,
        reliability,
        models,
        classifiers,
        directed,
        command_line,
        scale,
        extending,
    )
}


def write(name: str, image: Image.Image) -> None:
    image.convert("RGB").quantize(COLORS, dither=Image.Dither.NONE).save(HERE / f"{name}.png", optimize=True)


def screenshot() -> None:
    """The first screen of a report."""
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        print("report: no Chromium, the old one stays")
        return
    with tempfile.TemporaryDirectory() as folder:
        page, shot = Path(folder) / "report.html", Path(folder) / "report.png"
        gd.learn(likert()).report(page, title="Wellbeing, 24 items")
        options = [
            "--headless=new",
            "--no-sandbox",
            "--hide-scrollbars",
            "--window-size=1280,860",
            "--force-device-scale-factor=1.5",
        ]
        subprocess.run(
            [chromium, *options, f"--screenshot={shot}", page.as_uri()], check=True, capture_output=True
        )
        write("report", Image.open(shot))


def main(names: list[str]) -> None:
    mpl.use("Agg")
    for name in names or [*PICTURES, "report"]:
        if name == "report":
            screenshot()
            continue
        page = PICTURES[name]().figure
        out = io.BytesIO()
        page.savefig(out, format="png", dpi=120)
        write(name, Image.open(out))
        plt.close("all")
        print(name, (HERE / f"{name}.png").stat().st_size)


if __name__ == "__main__":
    main(sys.argv[1:])
