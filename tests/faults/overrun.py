# ruff: noqa: T201, E402 - a program that prints; tests/ is not on the path of one
"""How long every learner goes on after its time, and after Ctrl-C, on tables that take them long.

    python tests/faults/overrun.py                       # all of them, half an hour
    python tests/faults/overrun.py --tables "300 x 2,000" --learners GSMN "Search, MPL" --after 0.5 2

Each line is a process of its own, killed if it hangs. It shows the seconds beyond the limit, on the clock
or of the processor where others have it, too, and how the run ended; "s" is the clock and "^C" Ctrl-C.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

sys.path[:1] = [str(Path(__file__).parents[2])]

from tests.support.timed import EVERYTHING, measure, most_columns, table_of

TARDY = 2.0
"""Seconds that a run may go on."""

LONGEST = 60
"""Seconds on the clock, beyond the limits, after which a process is killed."""

TABLES = {
    "20,000 x 40": (20_000, 40, 2),
    "300 x 2,000": (300, 2_000, 3),
    "1,000,000 x 20": (1_000_000, 20, 4),
    "2,000 x 20, 40 states": (2_000, 20, 40),
}
"""Rows, columns and states."""


def work(name: str, table: str, after: list[float]) -> None:
    """Measure in this process, and print."""
    sys.unraisablehook = lambda _: None  # a press that Python dropped
    n_rows, n, arity = TABLES[table]
    data = table_of(n_rows, most_columns(name, n), arity)
    for seconds in after:
        for press in (False, True):
            ended, taken = measure(name, data, seconds, press=press)
            print(json.dumps([seconds, press, ended, taken]), flush=True)


def watch(name: str, table: str, after: list[float]) -> bool:
    """Measure in a process of its own and print a line; return whether something went on for too long."""
    words = [sys.executable, __file__, "--work", "--tables", table, "--learners", name, "--after"]
    said, late = [], False
    try:
        done = subprocess.run(
            [*words, *map(str, after)],
            capture_output=True,
            text=True,
            check=False,
            timeout=LONGEST + 2 * sum(after),
            env={**os.environ, "OMP_NUM_THREADS": "1"},
        )
        output, failed = done.stdout, done.stderr[-300:] if done.returncode else ""
    except subprocess.TimeoutExpired as error:
        output, failed = (error.stdout or b"").decode(), "killed"
    for line in output.splitlines():
        seconds, press, ended, taken = json.loads(line)
        late |= taken - seconds > TARDY
        said.append(f"{'^C' if press else 's'} {seconds:g} {taken - seconds:+.2f} {ended[:60]}")
    print(f"{table:22} {name:25} {'; '.join(said)} {failed}", flush=True)
    return late or bool(failed)


def main() -> int:
    """Measure, print, and return 1 if something went on for too long."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tables", nargs="*", default=list(TABLES))
    parser.add_argument("--learners", nargs="*", default=list(EVERYTHING))
    parser.add_argument("--after", nargs="*", type=float, default=[0.3, 2.0], help="seconds")
    parser.add_argument("--work", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.work:
        work(options.learners[0], options.tables[0], options.after)
        return 0
    late = [watch(name, table, options.after) for table in options.tables for name in options.learners]
    print(f"{sum(late)} of {len(late)} went on for more than {TARDY:g} s")
    return int(any(late))


if __name__ == "__main__":
    sys.exit(main())
