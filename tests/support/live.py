"""A server to talk to over HTTP, as programs that are not browsers do."""

from __future__ import annotations

import contextlib
import http.client
import json
import threading
import time

import graphoid as gd
from graphoid.serve.server import Server
from graphoid.serve.workspace import Workspace


class Live:
    """A running server, and requests to it: with the token unless headers say otherwise."""

    def __init__(self, server):
        self.server, self.port, self.token = server, server.server_port, server.access.token

    @property
    def own(self):
        """What a page of the server itself sends."""
        return {"X-Graphoid-Token": self.token}

    def ask(self, method, path, body=None, headers=None):
        """Return status, headers and body; ``headers`` stand for those that a page sends."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request(method, path, body=body, headers=self.own if headers is None else headers)
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read()
        finally:
            connection.close()

    def get(self, path):
        status, _, body = self.ask("GET", path)
        assert status == 200, body
        return json.loads(body)

    def post(self, path, words=None):
        status, _, body = self.ask("POST", path, json.dumps(words or {}))
        return status, json.loads(body)

    def wait(self, seconds=300):
        """Return the run in hand when it has ended."""
        until = time.monotonic() + seconds
        while (job := self.get("/api/state")["job"])["state"] == "running":
            assert time.monotonic() < until, job
            time.sleep(0.05)
        return job


@contextlib.contextmanager
def live(given=None):
    """Run a server on any free port while inside."""
    server = Server(Workspace(given), 0)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield Live(server)
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
        server.workspace.close()


def survey_file(folder):
    """Write the survey as a file, and return its path."""
    path = folder / "survey.csv"
    gd.datasets.load("survey").to_frame().to_csv(path, index=False)
    return path
