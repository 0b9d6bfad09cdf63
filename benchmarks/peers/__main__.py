"""Compare learners of others with ours, and write the pages: ``make bench-peers``.

    PYTHONPATH=benchmarks GRAPHOID_DATA=DIR python -m peers [--pages accuracy growth] [--limit 600]
        [--memory 8] [--jobs 2] [--samples 1] [--quick] [--only NAME ...]
        [--resume] [--draw] [--out docs/benchmarks]

Every run is a process of its own, stopped where it needs more CPU seconds than --limit or more gigabytes
than --memory. What is measured is kept after each learner, so that --resume goes on where a run was stopped;
--draw writes the pages again from the figures that are kept beside them.
"""

from __future__ import annotations

import argparse
import signal
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

from peers import accuracy, growth
from peers.accuracy_page import write as write_accuracy
from peers.growth_page import write as write_growth
from peers.machine import about
from peers.process import Limit, stopping
from peers.results import read, write
from peers.runs import Runs, environment

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from peers.results import Row
    from peers.runs import Task

PAGES = {"accuracy": ("time-and-accuracy", write_accuracy), "growth": ("growth", write_growth)}


def arguments() -> argparse.Namespace:
    """Return what was asked for."""
    parser = argparse.ArgumentParser(prog="peers", description=__doc__.splitlines()[0])
    parser.add_argument("--pages", nargs="*", choices=list(PAGES), default=list(PAGES))
    parser.add_argument("--limit", type=float, default=600, help="CPU seconds of a run")
    parser.add_argument("--memory", type=float, default=8, help="gigabytes of a run")
    parser.add_argument("--jobs", type=int, default=2, help="runs at a time")
    parser.add_argument("--samples", type=int, default=1, help="of a network, for those who are quick")
    parser.add_argument("--only", nargs="*", help="learners, networks, or what grows")
    parser.add_argument("--quick", action="store_true", help="small tables, to see that it runs")
    parser.add_argument("--resume", action="store_true", help="leave out what the files have already")
    parser.add_argument("--draw", action="store_true", help="only write pages from figures that are there")
    parser.add_argument("--out", type=Path, default=Path("docs/benchmarks"))
    return parser.parse_args()


def run_all(tasks: Iterable[Task], jobs: int, kept: list[Row], keep: Callable[[list[Row]], None]) -> None:
    """Run tasks, some at a time, and keep what is known after each; what is kept already is left out."""
    done = {(row.part, row.learner) for row in kept}
    found, lock = list(kept), threading.Lock()

    def finish(task: Task) -> None:
        rows = task.run()
        with lock:
            if not stopping.is_set():
                found.extend(rows)
                keep(found)

    with ThreadPoolExecutor(jobs) as pool:
        left = [pool.submit(finish, task) for task in tasks if (task.parts[0], task.learner) not in done]
        try:
            for future in left:
                future.result()
        except BaseException:  # also Ctrl-C: nothing that was started is left behind
            stopping.set()
            pool.shutdown(cancel_futures=True)
            raise


def measure(page: str, path: Path, options: argparse.Namespace) -> None:
    """Measure what a page shows, into its file."""
    limit, start = Limit(options.limit, 1000 * options.memory), time.monotonic()
    command = f"make bench-peers LIMIT={options.limit:g} SAMPLES={options.samples}"
    known = about(command, options.jobs, limit)
    old, kept = read(path) if options.resume and path.is_file() else ({}, [])
    before = float(old.get("minutes", 0))

    def keep(rows: list[Row]) -> None:
        minutes = before + (time.monotonic() - start) / 60
        write(path, known | {"minutes": f"{minutes:.0f}"}, rows)

    with tempfile.TemporaryDirectory() as folder:
        runs = Runs(limit, Path(folder))
        if page == "accuracy":
            tasks = accuracy.plan(runs, 500 if options.quick else accuracy.ROWS, options.samples)
        else:
            tasks = growth.plan(runs, *((4_000, 50) if options.quick else (1_024_000, 6_400)))
        if options.only:
            tasks = [t for t in tasks if any(word in (t.learner, *t.parts) for word in options.only)]
        run_all(tasks, options.jobs, kept, keep)


def main() -> None:
    """Measure, keep, write."""
    options = arguments()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    environment()
    options.out.mkdir(parents=True, exist_ok=True)
    for page in options.pages:
        name, write_page = PAGES[page]
        path = options.out / f"{name}.csv"
        if not options.draw:
            measure(page, path, options)
        write_page(path, *read(path))
        print(f"wrote {path.with_suffix('.md')}", flush=True)


if __name__ == "__main__":
    main()
