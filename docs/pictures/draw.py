"""Draw the pictures of the guide: ``python docs/pictures/draw.py [NAME ...]`` writes them beside this file.

They are part of the repository, since pages are read where nothing is run, and are small: few colors do.
The screenshot of a report needs Chromium; where there is none, the old one stays.
"""

from __future__ import annotations

import csv
import io
import shutil
import subprocess
import sys
import tempfile
import time
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


def updates() -> Axes:
    """E-values of all pairs, batch by batch; after the fifth, an edge is gone."""
    rng, steps = np.random.default_rng(SEED), []

    def rows(n: int, agree: float) -> dict[str, list[int]]:
        columns = rng.integers(0, 2, (4, n))
        for x, y, share in ((0, 1, agree), (1, 2, 0.7), (2, 3, 0.7)):
            columns[y] = np.where(rng.random(n) < share, columns[x], 1 - columns[x])
        return {name: column.tolist() for name, column in zip("abcd", columns, strict=True)}

    found = gd.GSMN().fit(gd.read(rows(1000, 0.7))).structure_
    for batch in range(12):
        found = found.update(rows(100, 0.7 if batch < 5 else 0.5))
        steps.append([row.e_value for row in found.drift])
    _, ax = plt.subplots(figsize=(6.4, 3.2), layout="constrained")
    for pair, values in zip(found.drift, np.array(steps).T, strict=True):
        changed = (pair.x, pair.y) == ("a", "b")
        ax.plot(
            range(1, 13), values, color=SIGNS["negative"] if changed else "silver", lw=2 if changed else 1
        )
    ax.axhline(found.drift[0].threshold, color=INK, ls=":")
    ax.set(yscale="log", xlabel="batch of 100 rows; a \u2013 b ends after the fifth", ylabel="e-value")
    return ax


def groups() -> Axes:
    """The survey in city and country."""
    return gd.compare_groups(gd.datasets.load("survey"), "region", random_state=SEED).plot()


def knowledge() -> Axes:
    """Four items in three waves, each with its last wave and its neighbor in it."""
    rng = np.random.default_rng(SEED)
    now, columns = rng.normal(size=(1_500, 4)), {}
    for wave in (1, 2, 3):
        now = 0.6 * now + 0.35 * np.roll(now, 1, axis=1) * (wave > 1) + rng.normal(size=now.shape)
        now[:, 1] += 0.5 * now[:, 0]
        for item, name in enumerate(("sleep", "mood", "work", "pain")):
            columns[f"{name}_t{wave}"] = now[:, item].copy()
    found = gd.learn(gd.read(columns), knowledge=gd.Knowledge(waves="{item}_t{wave}"))
    return found.plot()


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


def gpu() -> Axes:
    # figures of benchmarks/gpu.py, seed 11: a table of 100,000 binary columns and 10,000 rows
    return bars(
        [
            ("product of matrices alone", 0.199),
            ("all pairs on the device", 0.381),
            ("to send the table", 0.327),
            ("1.8 million pairs, natively", 0.477),
        ],
        "seconds for the 32 strongest partners of each of 100,000 columns",
    )


def recovery() -> Axes:
    """Rows that each method needs, a line a network, from the tables of the page."""
    tables = [HERE.parent / "benchmarks" / f"{name}-recovery.csv" for name in ("ising", "potts")]
    lines = [line for table in tables for line in csv.DictReader(table.open(encoding="utf-8"))]
    networks = list(dict.fromkeys(line["network"] for line in lines))
    looks = {
        "gd.learn": ("o", "#2a7f9e", 60),
        "RobustGSMN": ("s", "#7db7c9", 34),
        "gd.learn, all edges": ("o", "none", 34),
        "RISE": ("v", "#d98324", 26),
        "logRISE": ("^", "#e7b16e", 26),
        "RPLE": ("D", "#b5651d", 20),
        "l1 logistic": ("P", "#8c6bb1", 28),
        "l0 logistic": ("X", "#c39bd3", 28),
        "group l1 logistic": ("P", "#5e3c99", 28),
        "MPL two-phase": ("*", "#999999", 34),
    }
    _, ax = plt.subplots(figsize=(8.2, 7.2), layout="constrained")
    for method, (marker, color, size) in reversed(looks.items()):
        own = [
            (float(line["rows needed"]), networks.index(line["network"]))
            for line in lines
            if line["method"] == method and line["rows needed"]
        ]
        x, y = zip(*own, strict=True)
        ax.scatter(x, y, size, color, marker=marker, edgecolors=INK, linewidths=0.6, label=method, zorder=3)
    ax.set_yticks(range(len(networks)), networks)
    ax.invert_yaxis()
    ax.grid(axis="y", color="#e5e9ec")
    ax.set(xscale="log", xlabel="rows needed to find the network in 45 of 45 data sets")
    handles, labels = ax.get_legend_handles_labels()
    ax.figure.legend(handles[::-1], labels[::-1], loc="outside lower center", ncols=5, frameon=False)
    return ax


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


def twelve_items() -> tuple[gd.Table, dict[str, list[str]]]:
    """The items of the tutorial on a survey."""
    answers = gd.datasets.factor_blocks(3, 4).sample(800, random_state=7).to_frame().astype(int) + 1
    blocks = {scale: [f"{scale}{i}" for i in range(1, 5)] for scale in ("sleep", "mood", "work")}
    answers.columns = [item for block in blocks.values() for item in block]
    answers["mood3"] = 6 - answers["mood3"]
    left = answers[answers.index % 25 > 0]
    return gd.read(left, kinds=dict.fromkeys(answers.columns, "ordered")), blocks


def tutorial_survey() -> Axes:
    table, blocks = twelve_items()
    return gd.learn(table).plot(groups=blocks)


def tutorial_survey_centrality() -> Axes:
    table, blocks = twelve_items()
    found = gd.learn(table)
    run = found.bootstrap(40, random_state=1)
    return found.plot("centrality", bootstrap=run, groups=blocks, measures=["strength", "expected influence"])


def tutorial_clinic() -> Axes:
    names = ["age", "bmi", "pressure", "smoker", "stage", "visits"]
    edges = [("age", "pressure"), ("bmi", "pressure"), ("smoker", "stage"), ("stage", "visits")]
    kinds = ["continuous", "continuous", "continuous", "nominal", "ordered", "count"]
    graph = gd.UndirectedGraph(names, edges)
    clinic = gd.datasets.pairwise_mixed(graph, kinds, 3, n_states=3, weakest=0.3, strongest=0.45)
    return gd.learn(clinic.sample(400, random_state=3)).plot("intervals")


def tutorial_genes() -> Axes:
    rng = np.random.default_rng(1)
    on = rng.integers(0, 2, (400, 40))
    for gene in range(40):
        if gene % 5:
            on[:, gene] = on[:, gene - 1] ^ (rng.random(400) < 0.25)
    return gd.learn(gd.read({f"g{gene:04}": on[:, gene] for gene in range(40)})).plot()


def coming_from() -> Axes:
    return gd.learn(likert()).plot()


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
        groups,
        updates,
        knowledge,
        how_far_to_trust,
        reliability,
        models,
        classifiers,
        directed,
        command_line,
        scale,
        recovery,
        gpu,
        extending,
        tutorial_survey,
        tutorial_survey_centrality,
        tutorial_clinic,
        tutorial_genes,
        coming_from,
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


def live_view() -> None:
    """The page of graphoid serve, with a network and evidence."""
    from selenium import webdriver
    from selenium.webdriver.support.ui import WebDriverWait

    from tests.support.live import live, survey_file

    options = webdriver.ChromeOptions()
    for argument in ("headless=new", "no-sandbox", "window-size=1280,1240", "force-device-scale-factor=1.5"):
        options.add_argument(f"--{argument}")
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(shutil.which("chromedriver")))
    run, until = driver.execute_script, WebDriverWait(driver, 60).until
    with tempfile.TemporaryDirectory() as folder, live(survey_file(Path(folder))) as server:
        driver.get(server.server.access.address)
        until(
            lambda _: run(
                "return document.querySelector('#columns td') && !document.querySelector('#start').disabled"
            )
        )
        run("document.querySelector('#start').click()")
        frame = until(lambda _: run("return document.querySelector('#page iframe')"))
        run("arguments[0].style.height = '1010px'", frame)
        driver.switch_to.frame(frame)
        until(lambda _: run("return document.querySelector('#drawing')?.dataset.ready"))
        run(
            "const s = document.querySelector('#evidence input'); s.value = 1; s.dispatchEvent(new Event('input'))"
        )
        run("document.querySelector('#evidence').open = true")
        run(
            "document.querySelector('#drawing').style.height = '380px'; document.querySelector('#panel').style.height = '410px'"
        )
        until(lambda _: run("return document.querySelector('.card b')?.textContent === '100.0 %'"))
        driver.switch_to.default_content()
        run(
            "document.documentElement.style.scrollBehavior = 'auto'; document.querySelector('#explore').scrollIntoView()"
        )
        time.sleep(1)
        write("live-view", Image.open(io.BytesIO(driver.get_screenshot_as_png())))
    driver.quit()


SCREENSHOTS = {"report": screenshot, "live-view": live_view}


def main(names: list[str]) -> None:
    mpl.use("Agg")
    for name in names or [*PICTURES, *SCREENSHOTS]:
        if name in SCREENSHOTS:
            SCREENSHOTS[name]()
            continue
        page = PICTURES[name]().figure
        out = io.BytesIO()
        page.savefig(out, format="png", dpi=120)
        write(name, Image.open(out))
        plt.close("all")
        print(name, (HERE / f"{name}.png").stat().st_size)


if __name__ == "__main__":
    main(sys.argv[1:])
