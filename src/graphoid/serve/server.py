"""The server: the page, its files, and a dozen questions, on 127.0.0.1 and for those with the token."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import threading
import time
from functools import cache, partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from typing import TYPE_CHECKING, ClassVar
from urllib.parse import parse_qs, urlsplit

from graphoid.errors import GraphoidError, SettingsError
from graphoid.report import page
from graphoid.serve import worker
from graphoid.serve.access import Access, Refused
from graphoid.serve.body import read_json
from graphoid.serve.workspace import DOWNLOADS, Workspace
from graphoid.structure.safe_text import scrub

if TYPE_CHECKING:
    from collections.abc import Callable
    from http import HTTPStatus

    AnyRequest = socket.socket | tuple[bytes, socket.socket]
    Client = tuple[str, int]

HOST = "127.0.0.1"

FIRST_PORT = 8642
N_PORTS = 20
"""The ports that are tried, unless one is given."""

MOST_CONNECTIONS = 32
"""At a time; a page needs two or three."""

SILENCE, UPLOAD_SILENCE = 5.0, 30.0
"""Seconds without a byte after which a connection is closed: of a question, and of a table that is sent."""

LINGER = 2.0
"""Seconds for which the rest of a refused request is read and thrown away: a browser that is still sending
would otherwise not see the answer."""

PAGES = {"/": ("app.html", "text/html"), "/app.css": ("app.css", "text/css")}
SCRIPTS = ("app.js", "api.js", "check.js", "explore.js", "learn.js")
PAGES |= {f"/{name}": (name, "text/javascript") for name in SCRIPTS}
"""Paths of the page itself; there is no data in any."""


QUESTIONS: dict[str, Callable[[Workspace, dict[str, object]], dict[str, object]]] = {
    "/api/open": lambda workspace, said: workspace.open(str(said.get("name"))),
    "/api/check": Workspace.check,
    "/api/learn": Workspace.learn,
    "/api/cancel": lambda workspace, _: workspace.cancel(),
    "/api/marginals": lambda workspace, said: workspace.marginals(said.get("evidence")),
}
"""What a page may post, beside a table."""


class Server(ThreadingHTTPServer):
    """A server with its workspace, on a port of this machine."""

    daemon_threads = True
    allow_reuse_address = os.name == "posix"  # elsewhere it would share the port with others

    def __init__(self, workspace: Workspace, port: int | None = None) -> None:
        self.workspace = workspace
        self._free = threading.BoundedSemaphore(MOST_CONNECTIONS)
        for candidate in range(FIRST_PORT, FIRST_PORT + N_PORTS) if port is None else [port]:
            try:
                super().__init__((HOST, candidate), Handler)
            except OSError as error:
                reason = error.strerror or str(error)
                continue
            self.access = Access(self.server_port)
            return
        which = f"port {port}" if port is not None else f"none of the ports from {FIRST_PORT:,}"
        raise SettingsError(f"{which} can be had ({reason}); give a free one: --port 9000, or 0 for any.")

    def process_request(self, request: AnyRequest, client_address: Client) -> None:
        """Answer in a thread, if there are not too many already."""
        if not self._free.acquire(blocking=False):
            self.shutdown_request(request)
            return
        try:
            super().process_request(request, client_address)
        except BaseException:
            self._free.release()
            raise

    def process_request_thread(self, request: AnyRequest, client_address: Client) -> None:
        """Answer, and make room for another."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._free.release()

    def handle_error(self, request: AnyRequest, client_address: Client) -> None:
        """Say nothing: the browser has gone, or never spoke HTTP."""


class Handler(BaseHTTPRequestHandler):
    """One request: let in or refused, then answered."""

    server: Server
    server_version, sys_version = "graphoid", ""
    timeout = SILENCE
    error_content_type = "text/plain; charset=utf-8"
    error_message_format = "%(message)s"

    def do_GET(self) -> None:
        """Answer a question that changes nothing."""
        self._answer(self._get)

    def do_POST(self) -> None:
        """Answer a question that changes something."""
        self._answer(self._post)

    def _answer(self, answer: Callable[[str, dict[str, list[str]]], None]) -> None:
        try:
            self.server.access.check_source(self.headers)
            address = urlsplit(self.path)
            answer(address.path, parse_qs(address.query, max_num_fields=10))
        except Refused as error:
            self._refuse(error.status, str(error))
        except GraphoidError as error:
            self._refuse(400, scrub(str(error)))
        except TimeoutError:
            self._refuse(408, "nothing came for a while.")
        except ValueError:
            self._refuse(400, "the address cannot be read.")
        except ConnectionError:
            return  # the browser has gone
        except OSError as error:
            self._refuse(507, f"the table cannot be kept: {error.strerror or error}.")
        except Exception as error:  # noqa: BLE001 - a fault of ours is a sentence, too
            self._refuse(500, scrub(f"{type(error).__name__}: {error} (unexpected)."))

    def _get(self, path: str, query: dict[str, list[str]]) -> None:
        if path == "/":
            self.server.access.check_page(self.headers, next(iter(query.get("token", [])), None))
        elif path in PAGES or path == "/frame.js":
            self.server.access.check_page(self.headers, None)
        else:
            self.server.access.check_token(self.headers)
        workspace = self.server.workspace
        if path in PAGES:
            name, kind = PAGES[path]
            self._send(200, static(name), kind)
        elif path == "/frame.js":
            self._send(200, page.source("frame.js").encode(), "text/javascript")
        elif path == "/api/state":
            self._send_json(workspace.state())
        elif path == "/api/page":
            self._send(*(200, *workspace.file(worker.LIVE)))
        elif path.startswith("/api/files/") and path.removeprefix("/api/files/") in DOWNLOADS:
            self._send(*(200, *workspace.file(path.removeprefix("/api/files/"))))
        else:
            raise Refused(404, "there is nothing here.")

    def _post(self, path: str, query: dict[str, list[str]]) -> None:
        self.server.access.check_token(self.headers)
        workspace = self.server.workspace
        if path == "/api/upload":
            name = (query.get("name") or [""])[0]
            self.connection.settimeout(UPLOAD_SILENCE)
            self._send_json(workspace.upload(name, self.rfile, self.headers))
            return
        if path not in QUESTIONS:
            raise Refused(404, "there is nothing here.")
        self._send_json(QUESTIONS[path](workspace, read_json(self.rfile, self.headers)))

    def _send_json(self, value: object) -> None:
        self._send(200, json.dumps(value, ensure_ascii=True).encode(), "application/json")

    def _refuse(self, status: int, sentence: str) -> None:
        with contextlib.suppress(OSError):
            self._send(status, json.dumps({"error": sentence}).encode(), "application/json")
            self._linger()

    def _linger(self) -> None:
        """Read what is still coming, for a while, so that the answer is not lost with the connection."""
        self.connection.shutdown(socket.SHUT_WR)
        self.connection.settimeout(LINGER)
        until = time.monotonic() + LINGER
        while time.monotonic() < until and self.connection.recv(2**16):
            pass

    def _send(self, status: int, content: bytes, kind: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(content)))
        if status == 200 and self.path.startswith("/?"):
            self.send_header("Set-Cookie", self.server.access.cookie)
        self.end_headers()
        self.wfile.write(content)

    def end_headers(self) -> None:
        """Send what every answer has: no other page may show, keep or guess at it."""
        for name, value in self.HEADERS.items():
            self.send_header(name, value)
        self.send_header("Content-Security-Policy", policy())
        super().end_headers()

    HEADERS: ClassVar = {
        "Cache-Control": "no-store",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Referrer-Policy": "no-referrer",
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "DENY",
    }

    def send_error(
        self, code: int | HTTPStatus, message: str | None = None, explain: str | None = None
    ) -> None:
        """Refuse what is not HTTP, or a method that is not known, in a sentence."""
        del explain
        self.path = getattr(self, "path", "")
        self._refuse(int(code), f"this server cannot answer that: {message or 'it is not understood'}.")

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@cache
def policy() -> str:
    """Return what the page may do: talk to this server, and show a report, whose scripts it knows."""
    known = " ".join(f"'sha256-{page.digest(page.source(name))}'" for name in page.LIVE_SCRIPTS)
    style = f"'sha256-{page.digest(page.source(page.STYLE))}'"
    return (
        f"default-src 'none'; script-src 'self' {known}; style-src 'self' {style}; connect-src 'self'; "
        f"img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )


@cache
def static(name: str) -> bytes:
    """Return a file of the page."""
    return files("graphoid.serve").joinpath("static", name).read_bytes()


def serve(server: Server) -> None:
    """Answer until the thread is interrupted, and clean up."""
    answering = threading.Thread(target=partial(server.serve_forever, poll_interval=0.1), daemon=True)
    answering.start()
    try:
        while answering.is_alive():
            answering.join(0.1)
    finally:
        server.shutdown()
        server.server_close()
        server.workspace.close()
