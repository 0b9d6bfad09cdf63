"""``graphoid serve`` in a terminal: its address, a port that is in use, and Ctrl-C."""

from __future__ import annotations

import http.client
import socket
from urllib.parse import urlsplit

import pytest

from tests.support.live import survey_file
from tests.support.terminal import COMMAND, Terminal, graphoid

pytestmark = pytest.mark.process


def test_it_prints_an_address_that_opens_and_ends_on_ctrl_c(tmp_path):
    path = survey_file(tmp_path)
    with Terminal(
        [*COMMAND, "serve", str(path), "--port", "0"], columns=200, TMPDIR=str(tmp_path)
    ) as terminal:
        shown = terminal.until("Ctrl-C ends it.")
        address = urlsplit(next(word for word in shown.split() if word.startswith("http://127.0.0.1:")))
        connection = http.client.HTTPConnection("127.0.0.1", address.port, timeout=60)
        connection.request("GET", f"/?{address.query}")
        assert connection.getresponse().status == 200
        assert list(tmp_path.glob("graphoid-serve-*"))
        terminal.press("\x03")
        assert terminal.end() == 130
        assert "Traceback" not in terminal.shown
    assert not list(tmp_path.glob("graphoid-serve-*"))


def test_a_port_in_use_is_said(tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = graphoid("serve", "--port", port)
    assert (done.returncode, done.stdout) == (1, "")
    assert f"port {port} can" in done.stderr
    assert done.stderr.count("\n") == 1


def test_without_a_port_the_next_free_one_is_taken(monkeypatch):
    from graphoid.serve import server
    from graphoid.serve.workspace import Workspace

    with socket.socket() as first:
        first.bind(("127.0.0.1", 0))
        first.listen()
        monkeypatch.setattr(server, "FIRST_PORT", first.getsockname()[1])
        workspace = Workspace()
        running = server.Server(workspace)
        assert first.getsockname()[1] < running.server_port < first.getsockname()[1] + server.N_PORTS
        running.server_close()
        workspace.close()


def test_what_is_not_there_is_said():
    done = graphoid("serve", "nowhere.csv")
    assert done.returncode == 1
    assert "there is no file or folder 'nowhere.csv'." in done.stderr
