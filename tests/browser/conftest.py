"""A real Chromium, headless, and reports for it to open; without one, every test is skipped and says why."""

from __future__ import annotations

import shutil
import time

import numpy as np
import pytest

import graphoid as gd
from graphoid.report import page
from graphoid.structure.learned import LearnedStructure
from graphoid.structure.scored import Scored
from tests.support.hostile_names import hostile_table

MISSING = (
    "needs Chromium, its driver (Debian: chromium, chromium-driver) and graphoid[browser]; make test-browser"
)


class Browser:
    """Chromium, with what it logged and asked for since a page was opened."""

    def __init__(self, driver, downloads):
        self.driver, self.downloads = driver, downloads

    def open(self, path):
        self.driver.get_log("performance")
        self.driver.get_log("browser")
        self.driver.get(path.as_uri())
        self.wait("return document.querySelector('#drawing').dataset.ready === 'true'")
        return self

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def wait(self, script, seconds=60):
        until = time.monotonic() + seconds
        while not self.run(script):
            assert time.monotonic() < until, f"never true: {script}"
            time.sleep(0.02)

    def find(self, selector):
        from selenium.webdriver.common.by import By

        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def find_all(self, selector):
        from selenium.webdriver.common.by import By

        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def click(self, selector):
        """Click as a person does: the pointer must reach it."""
        from selenium.webdriver.common.action_chains import ActionChains

        ActionChains(self.driver).move_to_element(self.find(selector)).click().perform()

    def set(self, selector, value, event="input"):
        """Give a slider or a field a value."""
        self.run(
            "const field = document.querySelector(arguments[0]);"
            "field.value = arguments[1]; field.dispatchEvent(new Event(arguments[2]))",
            *(selector, value, event),
        )

    def panel(self):
        return self.run("return document.querySelector('#panel').textContent")

    def drawn_edges(self):
        """The edges that can be seen, by position."""
        return self.run(
            "return [...document.querySelectorAll('#drawing .edge')]"
            ".filter(e => getComputedStyle(e).display !== 'none').map(e => Number(e.dataset.edge))"
        )

    def complaints(self):
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def requests(self):
        """Everything that was asked for since the page was opened."""
        import json

        found = []
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                found.append(message["params"]["request"]["url"])
        return found

    def downloaded(self, ending):
        until = time.monotonic() + 60
        while not (found := [p for p in self.downloads.glob(f"*.{ending}") if p.stat().st_size]):
            assert time.monotonic() < until, f"no {ending} came"
            time.sleep(0.05)
        return found[0].read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    webdriver = pytest.importorskip("selenium.webdriver", reason=MISSING)
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    driver = shutil.which("chromedriver")
    if not chromium or not driver:
        pytest.skip(MISSING)
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    # a container has no user namespaces and little shared memory
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--window-size=1440,1000"):
        options.add_argument(argument)
    options.add_argument("--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1")  # there is no network
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    downloads = tmp_path_factory.mktemp("downloads")
    opened = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    opened.execute_cdp_cmd(
        "Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(downloads)}
    )
    yield Browser(opened, downloads)
    opened.quit()


@pytest.fixture(scope="session")
def pages(tmp_path_factory):
    return tmp_path_factory.mktemp("pages")


@pytest.fixture(scope="session")
def simulated(pages):
    """37 variables and 20,000 rows: a network whose graph is known, learned."""
    graph = gd.datasets.random_graph(37, 3, np.random.default_rng(5))
    table = gd.datasets.pairwise_binary(graph, 1.0).sample(20_000, random_state=1)
    found = gd.GSMN(test=gd.GTest(alpha=0.001)).fit(table).structure_
    started = time.process_time()
    found.report(pages / "simulated.html")
    return found, pages / "simulated.html", time.process_time() - started


@pytest.fixture(scope="session")
def titanic(pages):
    found = gd.learn(gd.datasets.load("titanic"))
    found.report(pages / "titanic.html")
    return found, pages / "titanic.html"


@pytest.fixture(scope="session")
def large(pages):
    """500 variables, 2,000 edges."""
    rng = np.random.default_rng(3)
    pairs = rng.permutation([(x, y) for x in range(500) for y in range(x + 1, 500)])[:2000].tolist()
    graph = gd.UndirectedGraph([f"gene {i}" for i in range(500)], pairs)
    gains = {edge: -float(rng.exponential(20)) for edge in graph.edges}
    page.write(LearnedStructure(graph, scored=Scored(0.0, gains)), pages / "large.html")
    return pages / "large.html"


@pytest.fixture(scope="session")
def contexts(pages):
    model = gd.CSGS().fit(gd.datasets.load("survey")).structure_
    model.report(pages / "contexts.html")
    return model, pages / "contexts.html"


@pytest.fixture(scope="session")
def classifier(pages):
    table = gd.datasets.load("tic-tac-toe")
    columns = [np.array(v.states)[table.column(i)] for i, v in enumerate(table.variables)]
    model = gd.MarkovNetworkClassifier().fit(np.array(columns[:-1], dtype=object).T, columns[-1])
    page.write(model, pages / "classifier.html")
    return model, pages / "classifier.html"


@pytest.fixture(scope="session")
def hostile(pages):
    gd.GSMN().fit(hostile_table()).structure_.report(
        pages / "hostile.html", title="<script>window.broken = 2</script>"
    )
    return pages / "hostile.html"
