"""Results and data are never lost: outputs replace no input, and are written whole or not at all."""

from __future__ import annotations

import errno
import json
import os
import resource
import subprocess
import sys

import networkx as nx
import numpy as np
import pytest

import graphoid as gd
from graphoid.cli import resume
from graphoid.cli.learn_options import LearnOptions
from graphoid.structure import whole_file
from tests.support.terminal import COMMAND, graphoid

ROWS = "a,b,c\n" + "0,0,1\n1,1,0\n1,1,1\n0,0,0\n" * 30


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "m.csv").write_text(ROWS)
    return tmp_path


def learn(folder, *arguments, **settings):
    return graphoid("learn", "m.csv", "--learner", "gsmn", *arguments, cwd=folder, **settings)


def refused(done, *texts):
    assert done.returncode == 1, done.stdout
    assert done.stderr.startswith("error: ")
    assert done.stderr.count("\n") == 1
    assert "unexpected" not in done.stderr
    for text in texts:
        assert text in done.stderr
    return True


@pytest.fixture
def full_disk(monkeypatch):
    """Make a disk full for files of some endings."""

    def fill(*endings):
        write = whole_file.writer

        def writer(path):
            if str(path).endswith(endings):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))
            return write(path)

        monkeypatch.setattr(whole_file, "writer", writer)

    return fill


# -- an output is neither the input nor another output


@pytest.mark.parametrize("link", [None, "symlink_to", "hardlink_to"])
def test_an_output_does_not_replace_the_input(folder, link):
    name = "m.csv"
    if link is not None:
        name = "link.csv"
        getattr(folder / name, link)(folder / "m.csv")
    assert refused(learn(folder, "--out", name), name, "would replace 'm.csv'")
    assert (folder / "m.csv").read_text() == ROWS


@pytest.mark.parametrize("link", [None, "symlink_to", "hardlink_to"])
@pytest.mark.parametrize(
    ("read", "arguments", "option"),
    [
        ("later.csv", ("--append", "later.csv"), "--out"),
        ("known.toml", ("--knowledge", "known.toml"), "--save-config"),
        ("run.toml", ("--config", "run.toml"), "--save-config"),
    ],
)
def test_nor_what_else_is_read(folder, read, arguments, option, link):
    contents = {"later.csv": ROWS, "known.toml": 'required = [["a", "b"]]\n', "run.toml": "alpha = 0.1\n"}
    (folder / read).write_text(contents[read])
    name = read
    if link is not None:
        name = f"link{(folder / read).suffix}"
        getattr(folder / name, link)(folder / read)
    assert refused(learn(folder, *arguments, option, name), name, f"would replace '{read}'")
    assert (folder / read).read_text() == contents[read]
    assert (folder / name).read_text() == contents[read]


def test_a_result_is_repeated_into_its_own_place(folder):
    learn(folder, "--out", "s.json")
    assert graphoid("learn", "--config", "s.json", "--out", "s.json", cwd=folder).returncode == 0
    assert gd.load(folder / "s.json").graph.n_edges == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ("--out", "s.json", "--model", "s.json"),
        ("--out", "s.json", "--out", "./s.json"),
        ("--save-config", "s.toml", "--out", "s.json", "--report", "r.html", "--model", "s.json"),
        ("--out", "s.json", "--model", "linked/s.json"),
        ("--out", "old.json", "--model", "link.json"),
    ],
)
def test_two_outputs_are_two_files(folder, arguments):
    (folder / "linked").symlink_to(folder)
    (folder / "old.json").write_text("old")
    (folder / "link.json").symlink_to("old.json")
    assert refused(learn(folder, *arguments), "are one file")
    assert (folder / "old.json").read_text() == "old"
    assert not (folder / "s.json").exists()


def test_a_name_that_nothing_can_have_is_no_surprise(folder):
    (folder / "run.toml").write_text('file = "a\\u0000.csv"\n')
    done = graphoid("learn", "--config", "run.toml", "--out", "s.json", cwd=folder)
    assert refused(done, "there is no file 'a\\x00.csv'")


def test_rows_and_reports_do_not_replace_what_they_are_made_from(folder):
    assert learn(folder, "--out", "s.json", "--model", "model.json", "-q").returncode == 0
    for name, link in (("model.json", "model.csv"), ("s.json", "s.html"), ("m.csv", "m.html")):
        (folder / link).hardlink_to(folder / name)
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert refused(graphoid("sample", "model.json", "--out", "model.csv", cwd=folder), "would replace")
    assert refused(graphoid("report", "s.json", "--out", "s.html", cwd=folder), "would replace")
    report = ("report", "s.json", "--data", "m.csv", "--out", "m.html")
    assert refused(graphoid(*report, cwd=folder), "would replace")
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_a_link_is_written_through_and_keeps_its_target(folder):
    (folder / "far").mkdir()
    (folder / "s.json").symlink_to("far/real.json")
    assert learn(folder, "--out", "s.json", "-q").returncode == 0
    assert (folder / "s.json").is_symlink()
    assert gd.load(folder / "far" / "real.json").graph.n == 3


# -- outputs are tried before learning


@pytest.mark.parametrize("option", ["--out", "--model", "--report", "--save-config"])
def test_a_place_that_cannot_be_written_is_refused_before_learning(folder, option, monkeypatch):
    ending = {"--report": "html", "--save-config": "toml"}.get(option, "json")
    monkeypatch.setattr(gd.GSMN, "fit", lambda *_, **__: pytest.fail("it began to learn"))
    path = f"/proc/none.{ending}"  # nobody may make a file there, not even root
    assert refused(learn(folder, option, path), f"{option} '{path}' cannot be written")
    assert sorted(path.name for path in folder.iterdir()) == ["m.csv"]


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is write-protected for root")
def test_a_write_protected_file_stays(folder):
    (folder / "s.json").write_text("kept")
    (folder / "s.json").chmod(0o444)
    assert refused(learn(folder, "--out", "s.json"), "write-protected")
    assert (folder / "s.json").read_text() == "kept"


# -- at the end each is tried


def test_a_full_disk_at_the_end_loses_only_what_does_not_fit(folder, full_disk):
    full_disk(".graphml", ".html")
    done = learn(folder, "--out", "s.graphml", "--out", "s.json", "--report", "r.html", "--model", "w.json")
    assert done.returncode == 1
    assert "a" in done.stdout
    assert "1 edge" in done.stdout  # the result is printed anyway
    last = done.stderr.splitlines()[-1]
    assert last == (
        "error: 's.graphml' cannot be written: No space left on device. "
        "'r.html' cannot be written: No space left on device. Written: s.json, w.json."
    )
    assert gd.load(folder / "s.json").graph.n_edges == 1
    assert gd.load(folder / "w.json").graph.n_edges == 1
    assert not (folder / "r.html").exists()


def test_json_is_printed_though_nothing_could_be_written(folder, full_disk):
    full_disk(".json")
    done = learn(folder, "--out", "s.json", "--json")
    assert done.returncode == 1
    found = json.loads(done.stdout)
    assert (len(found["edges"]), found["files"]) == (1, [])
    assert done.stderr.endswith("No space left on device. Nothing was written.\n")


def test_a_bootstrap_that_fails_does_not_take_the_network_along(folder, monkeypatch):
    def fail(*_, **__):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(gd.Bootstrap, "fit", fail)
    done = learn(folder, "--bootstrap", "3", "--out", "s.json")
    assert done.returncode == 1
    assert "the bootstrap" in done.stderr.splitlines()[-1]
    assert gd.load(folder / "s.json").graph.n_edges == 1


def test_resamples_are_learned_where_nothing_can_be_kept_on_the_way(folder):
    words = ("learn", folder / "m.csv", "--learner", "gsmn", "--bootstrap", "3", "--out", folder / "s.csv")
    done = graphoid(*words, cwd="/proc")  # nobody may make a file there, not even root
    assert done.returncode == 0, done.stderr
    assert "note: resamples are not kept on the way: 'm.partial.bootstrap-" in done.stderr
    assert "found in" in done.stdout
    assert (folder / "s.csv").exists()


@pytest.mark.parametrize("plot", ["heatmpa=h.pdf", "differences=d.pdf"])
def test_a_picture_that_there_is_none_of_is_refused(folder, plot):
    assert refused(learn(folder, "--plot", plot), "no picture is named", "network, centrality")
    assert sorted(path.name for path in folder.iterdir()) == ["m.csv"]


@pytest.mark.parametrize(
    "command",
    [
        ("report", "s.json", "--out", "r.html"),
        ("sample", "w.json", "--out", "x.csv"),
        ("datasets", "titanic", "--out", "x.csv"),
        ("demo", "--out", "r.html"),
    ],
)
def test_a_full_disk_is_said_in_one_sentence(folder, full_disk, command):
    assert learn(folder, "--out", "s.json", "--model", "w.json", "-q").returncode == 0
    full_disk(".html", ".csv")
    assert refused(graphoid(*command, cwd=folder), f"'{command[-1]}'", "No space left on device")


# -- whole or not at all


def written(kind, folder):
    """Return a function that writes an output of some size to a path."""
    rng = np.random.default_rng(0)
    names = [f"a variable with a rather long name {i}" for i in range(60)]
    table = gd.read({name: rng.integers(0, 2, 100) for name in names})
    edges = [(i, j) for i in range(60) for j in range(i)]
    if kind == "graphml":
        return gd.LearnedStructure(graph=gd.UndirectedGraph(names, edges)).to_graphml
    if kind == "csv":
        from graphoid.cli.files import STRUCTURES

        found = gd.LearnedStructure(graph=gd.UndirectedGraph(names, edges))
        return lambda path: STRUCTURES[".csv"](found, path)
    if kind == "rows.csv":
        from graphoid.cli.files import write_rows

        return lambda path: write_rows(table, path)
    return lambda path: whole_file.write(path, b"x" * 100_000)


@pytest.mark.parametrize("kind", ["graphml", "csv", "rows.csv", "bytes"])
def test_a_disk_that_fills_up_leaves_no_stump(kind, tmp_path):
    write, path = written(kind, tmp_path), tmp_path / f"x.{kind}"
    path.write_text("before")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, limits[1]))
    try:
        with pytest.raises(OSError, match=f"x.{kind}") as error:
            write(str(path))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert error.value.errno == errno.EFBIG
    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]
    write(str(path))
    assert path.stat().st_size > 4096


def test_what_is_no_file_is_written_to_and_stays(tmp_path):
    whole_file.write("/dev/null", "nothing")
    assert not os.path.isfile("/dev/null")
    with pytest.raises(OSError, match="No space left"):
        whole_file.write("/dev/full", "nothing")


def test_permissions_are_kept(tmp_path):
    path = tmp_path / "s.json"
    path.touch(0o640)
    whole_file.write(path, "text")
    assert path.stat().st_mode & 0o777 == 0o640


def test_graphml_comes_back(folder):
    assert learn(folder, "--out", "s.graphml", "-q").returncode == 0
    assert nx.read_graphml(folder / "s.graphml").number_of_edges() == 1


# -- Ctrl-C


def partial(folder, **settings):
    """Write what an interrupted run leaves behind, and return the options of the run."""
    table = gd.read(folder / "m.csv")
    options = LearnOptions(file="m.csv", learner="gsmn", out=("r.json",), **settings).on(table)
    trace = gd.Tester(gd.ChiSquare(), table).ask([(0, 1, ())])
    return resume.partial_result(trace, options, table), options


def test_what_was_interrupted_goes_beside_a_finished_result(folder, monkeypatch):
    monkeypatch.chdir(folder)
    found, options = partial(folder)
    assert resume.free_path(options) == "r.partial.json"
    found.save("r.partial.json")
    assert resume.free_path(options) == "r.partial.json"  # of the same run: it replaces what it had
    _, other = partial(folder, alpha=0.01)
    assert resume.free_path(other) == "r.partial-2.json"
    gd.GSMN().fit(gd.read("m.csv")).structure_.save("r.partial.json")
    assert resume.free_path(options) == "r.partial-2.json"  # somebody's finished result
    (folder / "r.partial.json").write_text("something else")
    assert resume.free_path(options) == "r.partial-2.json"


def test_resume_finds_what_lies_beside_the_result(folder):
    found, _ = partial(folder)
    found.save(folder / "r.partial.json")
    for before in (None, gd.GSMN().fit(gd.read(folder / "m.csv")).structure_):
        if before is not None:
            before.save(folder / "r.json")
        done = graphoid("learn", "--resume", "r.json", "--out", "r.json", cwd=folder)
        assert done.returncode == 0, done.stderr
        assert gd.load(folder / "r.json").stopped == "converged"


INTERRUPTED_FIT = """
import errno, os, signal, sys, time
import graphoid as gd
from graphoid.cli.main import run
from graphoid.structure import whole_file

signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background ignores it

def fit(*_):
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(30)

def writer(path):
    raise OSError(errno.ENOSPC, "No space left on device", str(path))

gd.MarkovNetwork.fit = fit
if sys.argv.pop() == "full":
    whole_file.writer = writer
run()
"""


@pytest.mark.parametrize("disk", ["free", "full"])
def test_a_network_is_kept_if_its_weights_are_interrupted(folder, disk):
    arguments = ["learn", "m.csv", "--learner", "gsmn", "--model", "w.json", "-q", disk]
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED_FIT, *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 130
    if disk == "free":
        assert gd.load(folder / "m.partial.json").graph.n_edges == 1
        assert "kept the network in m.partial.json" in done.stderr
    else:
        assert "could not be kept: 'm.partial.json': No space left on device." in done.stderr
        assert "Traceback" not in done.stderr


# -- closed and full streams


def test_closed_and_full_streams_lose_nothing(folder):
    command = " ".join(f"'{part}'" for part in COMMAND)
    lines = [
        "--json --out closed.json 2>&-",
        "--out full.json > /dev/full",
        "--out both.json 2> /dev/full >&-",
        "--help > /dev/full",
    ]
    running = [
        subprocess.Popen(
            ["/bin/sh", "-c", f"{command} learn m.csv --learner gsmn {line}"],
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for line in lines
    ]
    closed, full, both, helped = [
        (process.communicate(timeout=120), process.returncode) for process in running
    ]
    for name in ("closed", "full", "both"):
        assert gd.load(folder / f"{name}.json").graph.n_edges == 1
    (out, err), code = closed
    assert (code, err, len(json.loads(out)["edges"])) == (0, "", 1)
    (_, err), code = full
    assert code == 1
    assert err.splitlines()[-1] == "error: No space left on device."
    assert both == (("", ""), 0)
    (_, err), code = helped
    assert (code, err) == (1, "error: the standard output cannot be written: No space left on device.\n")


@pytest.mark.skipif(os.name != "posix", reason="a process is asked by a signal whether it runs")
def test_what_a_killed_writer_left_is_removed_by_the_next(tmp_path):
    code = """
import os, signal
from graphoid.structure import whole_file
with whole_file.writer("r.json") as file:
    file.write(b"half")
    os.kill(os.getpid(), signal.SIGKILL)
"""
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=False)
    other = tmp_path / ".own.part"
    other.touch()
    with whole_file.writer(tmp_path / "r.json") as file:
        mine = [path for path in tmp_path.glob(".*.part") if path != other]
        assert len(mine) == 1
        whole_file.write(tmp_path / "r.json", "another")  # at the same time, by a process that runs
        assert mine[0].exists()
        file.write(b"whole")
    assert sorted(path.name for path in tmp_path.iterdir()) == [".own.part", "r.json"]
    assert (tmp_path / "r.json").read_text() == "whole"
