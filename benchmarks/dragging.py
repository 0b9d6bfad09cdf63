"""How smoothly the page of a large network is dragged: frames a second in Chromium.

    python benchmarks/dragging.py

1,000 variables and 5,000 random edges, dragged back and forth as a person would, in full and then zoomed in.
The bar is 30 frames a second. Needs Chromium, its driver and selenium; without them it says so.
"""

from __future__ import annotations

import math
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import graphoid as gd
from graphoid.report import page
from graphoid.structure.learned import LearnedStructure
from graphoid.structure.scored import Scored

if TYPE_CHECKING:
    from selenium.webdriver import Chrome

N, N_EDGES = 1_000, 5_000
SEED = 3
SECONDS = 5.0
BAR = 30.0
"""Frames a second."""


def network() -> LearnedStructure:
    """Return a random graph, every edge with a strength."""
    rng = np.random.default_rng(SEED)
    pairs = sorted({(x, y) for x, y in rng.integers(0, N, (4 * N_EDGES, 2)).tolist() if x < y})
    edges = sorted(pairs[i] for i in rng.permutation(len(pairs))[:N_EDGES])
    gains = {(x, y): -float(rng.exponential(20)) for x, y in edges}
    return LearnedStructure(
        gd.UndirectedGraph([f"gene {v}" for v in range(N)], edges), scored=Scored(0.0, gains)
    )


def chromium() -> Chrome | None:
    """Return a browser, if there is one."""
    program, driver = shutil.which("chromium"), shutil.which("chromedriver")
    try:
        from selenium import webdriver
    except ImportError:
        return None
    if not program or not driver:
        return None
    options = webdriver.ChromeOptions()
    options.binary_location = program
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--window-size=1440,1000"):
        options.add_argument(argument)
    return webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))


def frames_while_dragging(browser: Chrome) -> float:
    """Return frames a second, counted by the page itself."""
    left, top, width, height = browser.execute_script(
        "const r = document.querySelector('#drawing').getBoundingClientRect();"
        "return [r.left, r.top, r.width, r.height]"
    )
    x, y = left + width / 2, top + height / 2

    def mouse(kind: str, dx: float = 0.0, dy: float = 0.0) -> None:
        event = {"type": kind, "x": x + dx, "y": y + dy, "button": "left", "clickCount": 1}
        browser.execute_cdp_cmd(
            "Input.dispatchMouseEvent", {**event, "buttons": int(kind != "mouseReleased")}
        )

    browser.execute_script(
        "window.frames_ = []; const next = (at) => { window.frames_.push(at); requestAnimationFrame(next); };"
        "requestAnimationFrame(next)"
    )
    mouse("mousePressed")
    until = time.monotonic() + SECONDS
    while (left := until - time.monotonic()) > 0:
        mouse("mouseMoved", 180 * math.sin(2 * left), 120 * math.sin(3 * left))
    mouse("mouseReleased")
    frames = browser.execute_script("return window.frames_")
    return 1_000 * (len(frames) - 1) / (frames[-1] - frames[0])


def main() -> int:
    """Drag, and compare with the bar."""
    browser = chromium()
    if browser is None:
        print("dragging: skipped, there is no Chromium with its driver, or no selenium.")
        return 0
    slowest = math.inf
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "large.html"
        found = network()
        page.write(found, path)
        browser.get(path.as_uri())
        time.sleep(3)
        for words, clicks in (("in full", 0), ("zoomed in", 2)):
            for _ in range(clicks):
                browser.execute_script("document.querySelector('#zoom-in').click()")
            time.sleep(1)
            rate = frames_while_dragging(browser)
            slowest = min(slowest, rate)
            print(f"{N:,} variables, {found.graph.n_edges:,} edges, {words}: {rate:.0f} frames a second")
    browser.quit()
    print(f"the bar of {BAR:.0f} frames a second {'holds' if slowest >= BAR else 'is missed'}")
    return int(slowest < BAR)


if __name__ == "__main__":
    sys.exit(main())
