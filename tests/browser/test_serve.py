"""``graphoid serve`` as people use it: a table is dropped, checked and learned from; a run is cancelled."""

from __future__ import annotations

import csv
import http.server
import threading

import numpy as np
import pytest

from tests.support.live import live, survey_file

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture
def server(browser):
    with live() as running:
        browser.driver.get_log("browser")
        browser.driver.get(running.server.access.address)
        browser.wait("return document.querySelector('#files').options.length > 0")
        yield running
        browser.driver.get("about:blank")


def drop(browser, path):
    """Send a table, as the field of the page does."""
    browser.find("#file").send_keys(str(path))
    browser.wait("return document.querySelectorAll('#columns tbody tr').length > 0", 30)
    browser.wait("return document.querySelector('#size').textContent.includes('rows')", 30)


def test_from_a_table_to_evidence(browser, server, tmp_path):
    assert browser.run("return location.href") == f"http://127.0.0.1:{server.port}/"  # the token has left it
    drop(browser, survey_file(tmp_path))
    assert browser.run("return document.querySelector('#size').textContent").startswith(
        "4,000 rows, 4,000 without"
    )
    browser.run("document.querySelector('#columns tbody input').click()")  # without region
    browser.wait(
        "return document.querySelector('.left-out') && !document.querySelector('#start').disabled", 30
    )
    browser.set("#columns tbody tr:nth-child(2) select", "nominal", "change")
    browser.wait("return !document.querySelector('#start').disabled", 30)
    browser.click("#start")
    browser.wait("return document.querySelector('#page iframe')", 60)
    browser.driver.switch_to.frame(browser.find("#page iframe"))
    try:
        browser.wait("return document.querySelector('#drawing')?.dataset.ready === 'true'")
        assert browser.run("return document.querySelectorAll('#drawing .node').length") == 5
        browser.set("#evidence input", 1)  # before the cards are opened, which asks as well
        browser.run("document.querySelector('#evidence').open = true")
        browser.wait("return document.querySelector('.card b')?.textContent === '100.0 %'", 30)
        browser.set("#evidence input", 0)
        browser.wait("return document.querySelector('.card b')?.textContent !== '100.0 %'", 30)
        before = browser.run("return [...document.querySelectorAll('.card b')].map(b => b.textContent)")
        browser.set("#evidence .card:nth-child(3) input", 2)
        browser.wait("return document.querySelector('.card:nth-child(3) b').textContent === '0.0 %'", 30)
        after = browser.run("return [...document.querySelectorAll('.card b')].map(b => b.textContent)")
        assert sum(a != b for a, b in zip(before, after, strict=True)) > 4
        browser.run("document.querySelector('tr[data-edge] .show').click()")
        assert "What decided" in browser.panel()
    finally:
        browser.driver.switch_to.default_content()
    browser.click("[data-file='repeat.py']")
    assert (
        "columns=['age', 'income', 'bus', 'car', 'content'], kinds={'age': 'nominal'}"
        in browser.downloaded("py")
    )
    browser.driver.refresh()  # the page comes back, by its cookie and the token that the tab has
    browser.wait("return document.querySelector('#page iframe')", 30)
    assert browser.complaints() == []


def test_a_run_is_cancelled(browser, server, tmp_path):
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 4, (4_000, 300))
    codes[:, 1:] = np.where(rng.random((4_000, 299)) < 0.5, codes[:, 1:], codes[:, :-1])
    names = ",".join(f"x{v}" for v in range(300))
    np.savetxt(tmp_path / "long.csv", codes, "%d", ",", header=names, comments="")
    drop(browser, tmp_path / "long.csv")
    browser.wait("return !document.querySelector('#start').disabled", 30)
    browser.click("#start")
    browser.wait("return !document.querySelector('#cancel').hidden", 30)
    browser.click("#cancel")
    browser.wait("return document.querySelector('#cancel').hidden", 30)
    said = "document.querySelector('#phase').textContent + document.querySelector('#stopped').textContent"
    browser.wait(f"return ({said}).includes('cancelled')", 30)
    assert not browser.run("return document.querySelector('#start').disabled")


def test_what_goes_wrong_is_a_sentence(browser, server, tmp_path):
    (tmp_path / "odd.csv").write_text("a,b\n1,2,3\n")
    browser.find("#file").send_keys(str(tmp_path / "odd.csv"))
    browser.wait(
        "return document.querySelector('#problems').textContent || !document.querySelector('#error').hidden",
        30,
    )
    assert browser.run("return document.querySelector('#start').disabled")
    large = tmp_path / "large.csv"
    with large.open("wb") as file:
        file.truncate(2**31)  # 2 GB, none of it on the disk
    browser.find("#file").send_keys(str(large))
    browser.wait("return document.querySelector('#error').textContent.includes('256 MB')")


def test_a_page_of_another_origin_gets_nothing(browser, server):
    handler = type(
        "Evil",
        (http.server.SimpleHTTPRequestHandler,),
        {
            "do_GET": lambda self: (
                self.send_response(200),
                self.send_header("Content-Type", "text/html"),
                self.end_headers(),
                self.wfile.write(b"<p>evil</p>"),
            ),
            "log_message": lambda *_: None,
        },
    )
    evil = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=evil.serve_forever, daemon=True).start()
    try:
        browser.driver.get(
            f"http://127.0.0.1:{evil.server_port}/"
        )  # the browser has the cookie, and sends it there too
        attempts = """
          const [at, token, done] = [arguments[0], arguments[1], arguments[arguments.length - 1]];
          const credentials = 'include', headers = {'X-Graphoid-Token': token};
          const ways = [
            ['/api/state', {}], ['/api/state', {credentials}], ['/api/state', {headers}],
            ['/', {credentials}],
            ['/api/upload?name=x.csv', {method: 'POST', body: 'a,b', credentials}],
            ['/api/cancel', {method: 'POST', body: '{}', credentials}],
            ['/api/upload?name=x.csv', {method: 'POST', body: 'a,b', headers}],
          ];
          const answers = ways.map(([path, options]) => fetch(at + path, options).then((r) => r.text()));
          Promise.allSettled(answers).then((all) => done(all.map(({ value }) => value ?? null)));
        """
        found = browser.driver.execute_async_script(attempts, f"http://127.0.0.1:{server.port}", server.token)
        assert found == [None] * 7
        framed = """
          const done = arguments[arguments.length - 1], frame = document.createElement('iframe');
          const read = () => { try { done(frame.contentDocument.body.innerText); } catch { done(null); } };
          frame.onload = () => setTimeout(read, 300);
          frame.src = arguments[0]; document.body.append(frame);
        """
        assert browser.driver.execute_async_script(framed, server.server.access.address) in (None, "")
        assert server.get("/api/state")["file"] is None
    finally:
        evil.shutdown()
        evil.server_close()


def test_nothing_in_a_table_or_its_name_is_markup(browser, server, tmp_path):
    path = tmp_path / "<img src=x onerror=window.broken=1>.csv"
    names = ["<script>window.broken=1</script>", "\"'><svg onload=window.broken=1>", "{{7*7}}", "plain"]
    rng = np.random.default_rng(4)
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(names)
        writer.writerows(
            [f"<b onclick=window.broken=1>{k}</b>" for k in row] for row in rng.integers(0, 2, (80, 4))
        )
    drop(browser, path)
    listed = browser.run(
        "return [...document.querySelectorAll('#columns tbody bdi')].map(e => e.textContent)"
    )
    assert listed == names
    assert browser.run("return document.querySelector('#name').textContent") == path.name
    browser.click("#start")
    browser.wait("return document.querySelector('#page iframe')", 60)
    browser.driver.switch_to.frame(browser.find("#page iframe"))
    browser.wait("return document.querySelector('#drawing')?.dataset.ready === 'true'")
    inner = browser.run("return [window.broken ?? null, document.querySelectorAll('img, b[onclick]').length]")
    browser.driver.switch_to.default_content()
    assert inner == [None, 0]
    assert browser.run("return [window.broken ?? null, document.querySelectorAll('img').length]") == [None, 0]
    assert browser.complaints() == []
