"""The live view in real notebooks, offline: drawn, selected, evidence back in Python, and told by Python."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.request

import pytest

pytestmark = [pytest.mark.browser, pytest.mark.slow]

CELL = """import graphoid as gd
view = gd.view(gd.learn(gd.datasets.load("survey")))

def note(change):
    with open({heard!r}, "a") as file:
        file.write(f"{{change['name']}} {{change['new']!r}}\\n")
    if change["name"] == "evidence":  # Python answers: it selects another edge
        view.selected = ("age", "income")

view.observe(note, names=["selected", "threshold", "evidence"])
view"""

MARIMO = """import marimo
app = marimo.App()

@app.cell
def _():
{cell}
    return

if __name__ == "__main__":
    app.run()
"""

FIND = """
const seek = (root) => {
  for (const part of root.querySelectorAll("*")) {
    if (part.localName === "iframe" && part.title === "Markov network") return part;
    const inner = part.shadowRoot && seek(part.shadowRoot);
    if (inner) return inner;
  }
  return null;
};
return seek(document);
"""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def start(arguments, url, folder):
    """Start a server of notebooks and wait until it answers."""
    places = {f"JUPYTER_{kind}_DIR": str(folder / kind.lower()) for kind in ("CONFIG", "DATA", "RUNTIME")}
    settings = {
        **os.environ,
        **places,
        "HOME": str(folder),
        "PATH": f"{os.path.dirname(sys.executable)}:{os.environ['PATH']}",
    }
    with (folder / "log.txt").open("w") as log:
        command = [sys.executable, "-m", *arguments]
        process = subprocess.Popen(command, cwd=folder, env=settings, stdout=log, stderr=log)
    until = time.monotonic() + 60
    while True:
        try:
            urllib.request.urlopen(url, timeout=5).close()  # noqa: S310 - our own server
        except OSError:
            assert process.poll() is None, (folder / "log.txt").read_text()
            assert time.monotonic() < until, "the notebook server does not answer"
            time.sleep(0.1)
        else:
            return process


@pytest.fixture(scope="module")
def jupyter(tmp_path_factory):
    """JupyterLab and Notebook 7 from one server, with a notebook of one cell."""
    for name in ("anywidget", "jupyterlab", "notebook", "ipykernel"):
        pytest.importorskip(name, reason="needs graphoid[browser]; make test-browser")
    import nbformat

    folder, port = tmp_path_factory.mktemp("jupyter"), free_port()
    for name in ("lab", "notebook"):
        cell = nbformat.v4.new_code_cell(CELL.format(heard=f"{name}.txt"))
        kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
        nbformat.write(
            nbformat.v4.new_notebook(cells=[cell], metadata={"kernelspec": kernel}), folder / f"{name}.ipynb"
        )
    options = [f"--port={port}", "--no-browser", "--allow-root", "--IdentityProvider.token=secret"]
    quiet = "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate"
    process = start(["jupyterlab", *options, quiet], f"http://127.0.0.1:{port}/api", folder)
    yield folder, f"http://127.0.0.1:{port}"
    process.terminate()
    process.wait(20)


@pytest.fixture(scope="module")
def marimo(tmp_path_factory):
    for name in ("anywidget", "marimo"):
        pytest.importorskip(name, reason="needs graphoid[browser]; make test-browser")
    folder, port = tmp_path_factory.mktemp("marimo"), free_port()
    lines = CELL.format(heard="marimo.txt").splitlines()
    (folder / "app.py").write_text(MARIMO.format(cell="\n".join(f"    {line}" for line in lines)))
    options = ["run", "app.py", "--headless", "--no-token", "--port", str(port)]
    process = start(["marimo", *options], f"http://127.0.0.1:{port}", folder)
    yield folder, f"http://127.0.0.1:{port}"
    process.terminate()
    process.wait(20)


def frame_of(browser, seconds=60):
    """Return the frame of the page, wherever the notebook has it."""
    until = time.monotonic() + seconds
    while (frame := browser.run(FIND)) is None:
        assert time.monotonic() < until, browser.run("return document.body.innerText.slice(0, 2000)")
        time.sleep(0.1)
    return frame


def use(browser, frame, heard):
    """Draw, select, raise the threshold, give evidence; see all of it in Python, and Python's answer."""
    browser.driver.switch_to.frame(frame)
    try:
        browser.wait("return document.querySelector('#drawing')?.dataset.ready === 'true'", 30)
        assert browser.run("return document.querySelectorAll('#drawing .edge').length") == 7
        browser.run(
            "const bus = document.querySelector('[data-node=\"3\"]');"
            "bus.dispatchEvent(new MouseEvent('click', {bubbles: true}))"
        )
        browser.set("#threshold", 2)
        browser.set("#evidence input", 1)
        browser.run("document.querySelector('#evidence').open = true")
        browser.wait("return document.querySelectorAll('.card')[3].innerText.includes('%')", 30)
        shares = browser.run(
            "return [...document.querySelectorAll('.card')[0].querySelectorAll('b')].map(b => b.textContent)"
        )
        assert shares == ["100.0 %", "0.0 %"]
        browser.wait("return document.querySelector('#panel h2').textContent === 'age – income'", 30)
    finally:
        browser.driver.switch_to.default_content()
    lines = heard.read_text().splitlines()
    assert lines[0] == "selected ('bus',)"
    assert any(line.startswith("threshold 0.2") for line in lines)
    assert "evidence {'region': 'city'}" in lines
    assert lines[-1] == "selected ('age', 'income')"


@pytest.mark.parametrize(
    ("name", "path"), [("lab", "lab/tree/lab.ipynb"), ("notebook", "notebooks/notebook.ipynb")]
)
def test_jupyter_shows_a_live_page(browser, jupyter, name, path):
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.keys import Keys

    folder, url = jupyter
    browser.driver.get(f"{url}/{path}?token=secret")
    browser.wait("return document.querySelector('.jp-CodeCell .cm-content')", 60)
    until = time.monotonic() + 60  # keys are heard once the notebook has its commands
    while browser.run("return document.querySelector('.jp-InputPrompt').textContent.trim()") == "[ ]:":
        assert time.monotonic() < until, "the cell is not run"
        browser.click(".jp-CodeCell .cm-content")
        ActionChains(browser.driver).key_down(Keys.SHIFT).send_keys(Keys.ENTER).key_up(Keys.SHIFT).perform()
        time.sleep(1)
    use(browser, frame_of(browser), folder / f"{name}.txt")
    still = "return document.querySelectorAll('[data-graphoid][hidden] svg').length"
    assert browser.run(still) == 1  # the picture is there, behind the page


def test_marimo_shows_a_live_page(browser, marimo):
    folder, url = marimo
    browser.driver.get(url)
    use(browser, frame_of(browser), folder / "marimo.txt")
