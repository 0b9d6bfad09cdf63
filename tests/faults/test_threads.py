"""A run that fails while a thread still works for it ends as every other that fails."""

from __future__ import annotations

import subprocess
import sys
import threading

import pytest

from graphoid.cli.process import call_interruptibly
from graphoid.experiments.processes import parallel_map

SLOW = """
import io, os, sys, time
from pathlib import Path
if hasattr(os, "sched_setaffinity"):
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:1])
from graphoid.data.remote import stream

class Slow(io.FileIO):
    def read(self, size=-1):
        time.sleep(0.3)
        return super().read(size)

class Opened:
    def __init__(self, path):
        self.buffer = Slow(path)
    def __enter__(self):
        return self
    def __exit__(self, *error):
        pass

path = Path(sys.argv[1])
file = stream.FileStream(path)
stream.open_text = Opened
for batch in file.batches([0]):
    sys.exit(1)
"""


@pytest.mark.process
def test_a_run_that_fails_while_arrow_reads_on_ends_with_its_own_code(tmp_path):
    path = tmp_path / "m.csv"
    path.write_text("a,b\n" + "1,2\n" * 8_000_000)
    done = subprocess.run(
        [sys.executable, "-c", SLOW, str(path)], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (1, "")


def test_the_work_of_a_command_is_over_when_it_failed():
    def fail():
        raise ValueError("no")

    before = threading.active_count()
    with pytest.raises(ValueError, match="no"):
        call_interruptibly(fail)
    assert threading.active_count() == before


def test_where_no_thread_can_be_had_a_command_works_in_the_one_there_is(monkeypatch):
    def refuse(self):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    assert call_interruptibly(threading.current_thread) is threading.main_thread()


@pytest.mark.parametrize("error", [RuntimeError("can't start new thread"), BlockingIOError(11, "no more")])
def test_where_no_process_can_be_had_parts_are_worked_on_here(monkeypatch, error):
    from concurrent.futures import ProcessPoolExecutor

    def refuse(*_):
        raise error

    monkeypatch.setattr(ProcessPoolExecutor, "_start_executor_manager_thread", refuse)
    assert parallel_map(len, ["a", "bc", ""], 2, "counting") == [1, 2, 0]
