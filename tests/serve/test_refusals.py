"""What the server refuses: everybody without the token, other hosts and origins, other paths, too much."""

from __future__ import annotations

import contextlib
import json
import socket
import time

import pytest

from graphoid.serve import body
from tests.support.live import live, survey_file

pytestmark = pytest.mark.process

PATHS = [
    *("/", "/app.js", "/app.css", "/frame.js", "/api/state", "/api/page", "/api/files/report.html"),
    *("/api/files/repeat.py", "/api/files/network.json", "/nothing", "/favicon.ico"),
]
QUESTIONS = [
    "/api/upload?name=x.csv",
    "/api/open",
    "/api/check",
    "/api/learn",
    "/api/cancel",
    "/api/marginals",
]

TRAVERSALS = [
    *("/../etc/passwd", "/../../../../etc/passwd", "/api/files/../../etc/passwd", "/api/files/../survey.csv"),
    *("/%2e%2e/%2e%2e/etc/passwd", "/..%2f..%2fetc%2fpasswd", "/api/files/%2e%2e%2fsurvey.csv"),
    *("/api/files/..%5c..%5cwindows", "/api/files/%252e%252e%252fetc%252fpasswd", "/static/../access.py"),
    *(
        "//etc/passwd",
        "/api/files//etc/passwd",
        "/api/files/report.html/../../x",
        "/api/files/report.html%00.py",
    ),
    *("/app.js/../server.py", "/./app.py", "/%c0%ae%c0%ae/etc/passwd", "http://127.0.0.1/etc/passwd"),
    *(
        "/api/files/live.html",
        "/api/files/model.json",
        "/api/files/",
        "file:///etc/passwd",
        "/app.js%2f..%2fapp.py",
    ),
]


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with live(survey_file(tmp_path_factory.mktemp("data"))) as running:
        yield running


def test_nobody_is_answered_without_the_token(server):
    wrong = [
        {},
        {"X-Graphoid-Token": ""},
        {"X-Graphoid-Token": "x" * 43},
        {"X-Graphoid-Token": server.token[:-1]},
        {"X-Graphoid-Token": server.token + "x"},
        {"X-Graphoid-Token": "é" * 43},
        {"Cookie": f"graphoid-{server.port}={server.token}"},  # the token is no cookie
        {"Cookie": f"graphoid-{server.port}=; graphoid-{server.port}={'x' * 43}"},
        {"Cookie": "\x01=;;;=\xff"},
        {"Authorization": f"Bearer {server.token}"},
    ]
    asked = [(method, path) for method, paths in (("GET", PATHS), ("POST", QUESTIONS)) for path in paths]
    tried = refused = 0
    for headers in wrong:
        for method, path in asked:
            status, _, content = server.ask(method, path, b"{}" if method == "POST" else None, headers)
            tried, refused = tried + 1, refused + (status == 403)
            assert b"survey" not in content
    assert (tried, refused) == (170, 170)
    for query in ("?token=", "?token=x", "?token=" + server.token[:-1], "?Token=" + server.token, "?token"):
        assert server.ask("GET", f"/{query}", headers={})[0] == 403
    # in the address the token opens the page, and nothing else
    assert server.ask("GET", f"/api/state?token={server.token}", headers={})[0] == 403
    assert server.ask("POST", f"/api/cancel?token={server.token}", b"{}", {})[0] == 403


def test_the_cookie_opens_the_page_and_no_data(server):
    status, headers, content = server.ask("GET", f"/?token={server.token}", headers={})
    assert status == 200
    assert b"survey" not in content
    assert server.token.encode() not in content
    cookie = headers["Set-Cookie"]
    assert cookie.endswith("; Path=/; HttpOnly; SameSite=Strict")
    assert server.token not in cookie
    known = {"Cookie": cookie.split(";")[0]}
    for path in ("/", "/app.js", "/api.js", "/check.js", "/learn.js", "/explore.js", "/app.css", "/frame.js"):
        status, headers, content = server.ask("GET", path, headers=known)
        assert (status, bool(content)) == (200, True)
        assert "Set-Cookie" not in headers
    for path in ("/api/state", "/api/page", "/api/files/report.html"):
        assert server.ask("GET", path, headers=known)[0] == 403
    for path in QUESTIONS:
        assert server.ask("POST", path, b"{}", known)[0] == 403


def test_other_hosts_and_origins_are_refused_even_with_the_token(server):
    port = server.port
    hosts = [
        *(
            "evil.example",
            f"evil.example:{port}",
            "127.0.0.1",
            f"127.0.0.1:{port + 1}",
            f"127.0.0.1.evil:{port}",
        ),
        *(f"127.0.0.2:{port}", f"0.0.0.0:{port}", f"[::1]:{port}", "", f"127.0.0.1:{port}@evil.example"),
        *(f"localhost.evil.example:{port}", f"127.0.0.1:{port}.evil.example", f"2130706433:{port}"),
    ]
    origins = [
        *("http://evil.example", f"http://evil.example:{port}", "null", f"https://127.0.0.1:{port}", ""),
        *(f"http://127.0.0.1:{port + 1}", "http://127.0.0.1", f"http://127.0.0.1:{port}.evil.example"),
        *("file://", f"http://[::1]:{port}", f"http://evil@127.0.0.1:{port}", f"127.0.0.1:{port}/x"),
    ]
    told_so = [{"Sec-Fetch-Site": site} for site in ("cross-site", "same-site", "")]
    headers = [{"Host": host} for host in hosts] + [{"Origin": origin} for origin in origins] + told_so
    tried = refused = 0
    for foreign in headers:
        for method, path in (
            ("GET", "/api/state"),
            ("POST", "/api/cancel"),
            ("POST", "/api/upload?name=x.csv"),
        ):
            status, *_ = server.ask(
                method, path, b"{}" if method == "POST" else None, {**server.own, **foreign}
            )
            tried, refused = tried + 1, refused + (status == 403)
    assert (tried, refused) == (84, 84)
    for own in (f"http://127.0.0.1:{port}", f"http://localhost:{port}"):
        site = {"Origin": own, "Sec-Fetch-Site": "same-origin"}
        assert server.ask("GET", "/api/state", headers={**server.own, **site})[0] == 200


def test_no_other_page_may_read_or_frame_an_answer(server):
    for path in ("/api/state", "/nothing"):
        _, headers, _ = server.ask(
            "GET", path, headers={**server.own, "Origin": f"http://localhost:{server.port}"}
        )
        assert not [name for name in headers if name.lower().startswith("access-control")]
        assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]
        assert headers["Cache-Control"] == "no-store"
        assert headers["X-Content-Type-Options"] == "nosniff"
    assert server.ask("OPTIONS", "/api/state")[0] == 501


def test_no_path_leads_out(server):
    statuses = []
    for path in TRAVERSALS:
        status, _, content = server.ask("GET", path)
        assert b"root:" not in content
        assert b"import" not in content
        statuses.append(status)
    assert len(statuses) == 23
    assert set(statuses) <= {400, 403, 404}


def test_only_tables_of_the_folder_can_be_opened(tmp_path):
    folder = tmp_path / "tables"
    folder.mkdir()
    survey_file(folder)
    (tmp_path / "secret.csv").write_text("a,b\n1,2\n")
    (folder / "out.csv").symlink_to(tmp_path / "secret.csv")
    (folder / "inner").mkdir()
    (folder / "inner" / "deep.csv").write_text("a,b\n1,2\n")
    (folder / "folder.csv").mkdir()
    (folder / "notes.md").write_text("none")
    with live(folder) as server:
        assert server.get("/api/state")["files"] == ["survey.csv"]
        names = [
            *(
                "../secret.csv",
                "out.csv",
                "inner/deep.csv",
                "folder.csv",
                "notes.md",
                str(tmp_path / "secret.csv"),
            ),
            *(
                "%2e%2e/secret.csv",
                "..\\secret.csv",
                "survey.csv\x00",
                "./survey.csv",
                "",
                ".",
                "/etc/passwd",
                "SURVEY.CSV",
            ),
        ]
        answers = [server.post("/api/open", {"name": name}) for name in names]
        assert [status for status, _ in answers] == [404] * 14
        assert server.get("/api/state")["file"] is None
        assert server.post("/api/open", {"name": "survey.csv"})[0] == 200


def raw(server, text, seconds=30):
    """Return what a server says to some bytes."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=seconds) as connection:
        connection.sendall(text)
        answer = b""
        while part := connection.recv(2**16):
            answer += part
        return answer


def request(server, *lines, path="/api/upload?name=big.csv"):
    head = [
        f"POST {path} HTTP/1.1",
        f"Host: 127.0.0.1:{server.port}",
        f"X-Graphoid-Token: {server.token}",
        *lines,
    ]
    return "\r\n".join([*head, "", ""]).encode()


@pytest.mark.parametrize(
    ("lines", "status"),
    [
        (["Content-Length: 2147483648"], 413),
        (["Content-Length: 2147483648", "Expect: 100-continue"], 413),
        (["Content-Length: 268435457"], 413),
        (["Content-Length: " + "9" * 5_000], 413),
        (["Content-Length: -1"], 400),
        (["Content-Length: 1e9"], 400),
        (["Content-Length: ٣"], 400),
        ([], 411),
        (["Transfer-Encoding: chunked"], 411),
        (["Transfer-Encoding: chunked", "Content-Length: 5"], 411),
        (["Content-Length: 5", "Content-Length: 5"], 411),
    ],
)
def test_what_is_too_large_is_refused_before_it_is_read(server, lines, status):
    answer = raw(server, request(server, *lines))  # which ends in time: nobody waits for what is not sent
    assert answer.startswith(f"HTTP/1.0 {status} ".encode()), answer[:200]
    assert json.loads(answer.split(b"\r\n\r\n")[1])["error"].endswith(".")


def test_a_body_is_never_read_beyond_its_length(server, tmp_path, monkeypatch):
    answer = raw(server, request(server, "Content-Length: 8") + b"a,b\n1,2\n" + b"x" * 100_000)
    assert answer.startswith(b"HTTP/1.0 200 ")
    (kept,) = server.server.workspace._folder.glob("table-*.csv")
    assert kept.read_bytes() == b"a,b\n1,2\n"


def test_a_body_that_ends_early_leaves_nothing(server):
    before = set(server.server.workspace._folder.iterdir())
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as connection:
        connection.sendall(request(server, "Content-Length: 1000") + b"a,b\n")
        connection.shutdown(socket.SHUT_WR)
        answer = connection.recv(2**16)
    assert answer.startswith(b"HTTP/1.0 400 ")
    assert set(server.server.workspace._folder.iterdir()) == before


def test_a_body_that_grows_is_cut_off_where_it_is_bounded(server, monkeypatch):
    monkeypatch.setattr(body, "MOST_BYTES", 1_000)
    status, _, content = server.ask("POST", "/api/upload?name=x.csv", b"x" * 1_001)
    assert status == 413
    assert "command line" in json.loads(content)["error"]


@pytest.mark.parametrize(
    ("path", "content", "status"),
    [
        ("/api/upload?name=x.exe", b"x", 415),
        ("/api/upload?name=.htaccess", b"x", 415),
        ("/api/upload", b"x", 415),
        ("/api/learn", b"[1]", 400),
        ("/api/learn", b"{", 400),
        ("/api/learn", b"[" * 100_000, 400),
        ("/api/learn", b"\xff", 400),
        ("/api/learn", b'{"missing": 3}', 400),
        ("/api/learn", b'{"kinds": [1]}', 400),
        ("/api/learn", b'{"path": "/etc/passwd"}', 400),
        ("/api/learn", b" " * (2**20 + 1), 413),
        ("/api/marginals", b"{}", 400),
    ],
)
def test_what_is_no_question_gets_a_sentence(server, path, content, status):
    found, _, answer = server.ask("POST", path, content)
    assert found == status
    sentence = json.loads(answer)["error"]
    assert sentence.endswith(".")
    assert "Traceback" not in sentence


def test_a_name_that_is_sent_is_no_path(server):
    name = "..%2F..%2F..%2Ftmp%2Fgraphoid-evil.csv"
    status, _, content = server.ask("POST", f"/api/upload?name={name}", b"a,b\n1,2\n")
    assert status == 200
    assert json.loads(content)["file"] == ".._.._.._tmp_graphoid-evil.csv"
    assert all(path.name.startswith("table-") for path in server.server.workspace._folder.iterdir())


@pytest.mark.parametrize(
    "text",
    [b"\x16\x03\x01\x02\x00\x01\x00\r\n\r\n", b"GET\r\n\r\n", b"\r\n\r\n", b"BREW / HTCPCP/1.0\r\n\r\n"],
)
def test_what_is_not_http_does_no_harm(server, text):
    assert b"survey" not in raw(server, text)
    assert server.get("/api/state")["file"]


def test_idle_connections_do_not_shut_others_out_for_good(server):
    idle = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(40)]
    time.sleep(0.3)
    for connection in idle:
        connection.close()
    until = time.monotonic() + 60
    while True:
        with contextlib.suppress(OSError):  # while some of them are not seen to be closed
            assert server.get("/api/state")["file"]
            break
        assert time.monotonic() < until
        time.sleep(0.05)
