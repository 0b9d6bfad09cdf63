# ruff: noqa: T201, S311, E402 - a program that prints, without secrets; tests/ is not on the path of one
"""Give damaged files, and whole ones that are odd, to check, learn, load and query: each answers or refuses.

    python tests/faults/fuzz_files.py --files 20000 --seed 0

A file is known by its seed and number: ``--work --first 1234 --files 1`` makes one again, in the working
directory, and leaves it there.
"""

from __future__ import annotations

import argparse
import contextlib
import faulthandler
import functools
import json
import math
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import warnings
from collections import Counter
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

sys.path[:1] = [str(Path(__file__).parents[2])]

import typer.main

import graphoid as gd
from graphoid.cli import files
from graphoid.cli.learn_options import LearnOptions
from graphoid.cli.learners import LEARNERS, TESTS
from graphoid.data.check import check
from graphoid.errors import GraphoidError
from graphoid.limits import time_limit
from tests.support import odd_tables
from tests.support.damage import damage_bytes, damage_file, damage_numbers, damage_text, saved_things, use
from tests.support.terminal import graphoid

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

KINDS = ("nominal", "ordered", "continuous", "count")

LONGEST, LARGEST = 60.0, 2 << 30
"""Seconds of processor time and bytes of memory that a file may take."""

HANGS = 600
"""Seconds on the clock after which a file is taken to hang; the machine may have other things to do."""

ENOUGH = 480
"""Seconds on the clock after which a run that has said that it takes long is told to end."""

BATCH = 2_000
"""Files that one process takes: a fresh one costs some seconds."""

TOML = 'learner = "gsmn"\nalpha = 0.01\nset = { "test.dof" = "adjusted", max_given = 2 }\nfile = "t.csv"\n'
BIF = """network n { }
variable a { type discrete [ 2 ] { yes, no }; }
variable b { type discrete [ 3 ] { x, y, z }; }
probability ( a ) { table 0.2, 0.8; }
probability ( b | a ) { default 0.2, 0.2, 0.6; (yes) 0.1, 0.2, 0.7; }
"""


class Refused(Exception):  # noqa: N818 - reads as what it says
    """One sentence, as it should be."""


announced = False
"""Whether the file at hand takes long and said so."""


def command(*words: object) -> None:
    """Run a command; a traceback or a surprise is a fault, an error in a sentence is none."""
    global announced  # noqa: PLW0603 - of the file at hand
    done = graphoid(*words)
    announced = announced or "note: still at it after" in done.stderr
    errors = [line for line in done.stderr.splitlines() if line.startswith("error: ")]
    if done.returncode not in (0, 1, 2) or "Traceback" in done.stderr or "(unexpected" in done.stderr:
        raise AssertionError(f"exit {done.returncode}: {done.stderr[-400:]}")
    if done.returncode == 1 and len(errors) != 1 and words[0] != "check":  # which prints its problems
        raise AssertionError(f"exit 1 with {len(errors)} sentences: {done.stderr[-400:]}")
    if done.returncode:
        raise Refused


def take_table(path: Path, rng: Random) -> None:
    """Check, read and learn from a table, and ask the model."""
    if rng.random() < 0.5 and path.suffix in (".csv", ".parquet", ".arff", ".sav", ".gz"):
        str(check(path))
    if rng.random() < 0.3:
        with contextlib.suppress(Refused):
            command("check", path)
    where = ["--where", "source"] if path.suffix in (".csv", ".parquet", ".gz") and rng.random() < 0.2 else []
    if not where and rng.random() < 0.7:
        take_rows(path, rng)
    learner = rng.choice([name for name in LEARNERS if name != "auto"]) if rng.random() < 0.95 else "auto"
    outputs = ["--out", "r.json", "--out", "r.csv", "--out", "r.graphml"]
    model = not where and learner not in ("cspc", "csgs") and path.suffix not in (".arrow", ".duckdb")
    outputs += ["--model", "w.json"] if model else []
    settings = ["--missing", rng.choice(["error", "drop", "category"])]
    if rng.random() < 0.3:
        settings += ["--kind", f"v0={rng.choice(KINDS)}", "--kind", f"v1={rng.choice(KINDS)}"]
    if LEARNERS[learner].score is None and rng.random() < 0.3:
        settings += ["--test", rng.choice(list(TESTS))]
    if rng.random() < 0.05:
        settings += ["--bootstrap", "3"]
    command("learn", path, "--learner", learner, *settings, *where, *outputs)
    if model:
        command("query", "w.json")
    if rng.random() < 0.1:
        command("update", "r.json", path, "--out", "r.json", "--out", "r.csv")
    if rng.random() < 0.1:
        command(
            *("groups", path, "--by", rng.choice(["v0", "v1"]), "--draws", "20", *settings[:2]),
            *("--out", "g.json", "--out", "g.csv", "--report", "g.html"),
        )


def take_rows(path: Path, rng: Random) -> None:
    """Read a table in some way, and do with it what the command line does not."""
    kinds = {f"v{i}": rng.choice(KINDS) for i in range(rng.choice([0, 0, 1, 2]))}
    table = gd.read(
        path,
        kinds=kinds,
        missing=rng.choice(["error", "drop", "category"]),
        discretize=rng.choice([None, "auto", "quantile"]),
    )
    with contextlib.suppress(GraphoidError):
        str(table), len(table.names), table.notes
    if rng.random() < 0.1:
        gd.compare_groups(table, rng.choice(table.names), learner=gd.GSMN(), n=20, random_state=0)
    if rng.random() < 0.1:
        gd.GSMN().fit(table).structure_.bootstrap(3, random_state=0)


def take_result(path: Path, rng: Random) -> None:
    """Load a result, and do all that can be done with it."""
    if rng.random() < 0.2:
        command("update", path, "t.csv", "--out", "u.json")
    if rng.random() < 0.2:
        command("query", path)
        command("learn", "t.csv", rng.choice(["--config", "--resume"]), path, "-q")
    use(gd.load(path), path.with_suffix(".used"))


def take_network(path: Path, rng: Random) -> None:
    """Load a Bayesian network, sample from it and ask it."""
    network = gd.datasets.bayesian_network(path)
    network.sample(3, 0)
    use(network.to_markov_network(), path.with_suffix(".used"))


def take_model(path: Path, rng: Random) -> None:
    """Load a model in UAI's form, and ask it."""
    if rng.random() < 0.3:
        command("query", path)
    use(gd.MarkovNetwork.from_uai(path), path.with_suffix(".used"))


def take_graph(path: Path, rng: Random) -> None:
    """Compare a graph with itself, and with another."""
    graph = files.load_graph(str(path))
    repr(graph), graph.to_networkx()
    command("compare", path, rng.choice([path, "whole.json"]))


def take_options(path: Path, rng: Random) -> None:
    """Learn by the options of a file."""
    command("learn", "--config", path, "-q")


def take_knowledge(path: Path, rng: Random) -> None:
    """Learn with what a file says is known."""
    learner = rng.choice(["auto", "gsmn", "gsimn", "bjp", "search", "posterior", "pfmn"])
    command("learn", "t.csv", "--learner", learner, "--knowledge", path, "--out", "r.json", "-q")
    command("learn", "--config", "r.json", "-q")


class Kind(NamedTuple):
    """Files of one format: how a whole one is made, how it is damaged, and what is done with it."""

    ending: str
    make: Callable[[Path, Random], None]
    take: Callable[[Path, Random], None]
    damage: Callable[[bytes, Random], bytes]
    share: int
    """Of all files, in proportion."""
    whole: float = 0.3
    """How many of them are left as they were made."""


def damage_binary(content: bytes, rng: Random) -> bytes:
    """Return bytes after damage, or with numbers that are none of theirs."""
    return rng.choice([damage_bytes, damage_numbers])(content, rng)


def to_toml(path: Path, rng: Random) -> None:
    """Write options: names that are known, values of all sorts."""
    names = [field.name for field in fields(LearnOptions)]
    values = [
        "1",
        "-1",
        "0.5",
        "nan",
        "inf",
        "true",
        '""',
        '"gsmn"',
        "[]",
        "['a']",
        "{}",
        "1979-05-27",
        "'x\\0'",
    ]
    lines = [f"{name} = {rng.choice(values)}" for name in rng.sample(names, rng.choice([0, 1, 1, 2]))]
    kept = [line for line in TOML.splitlines() if line.split()[0] not in {line.split()[0] for line in lines}]
    path.write_text("\n".join([*kept, *lines]), encoding="utf-8")


def to_knowledge(path: Path, rng: Random) -> None:
    """Write what is known of edges: names that are there or not, values of all sorts."""

    def pairs() -> str:
        odd = ["1", "true", "['a']", "['a', 'b', 'c']", "['a', 'a']", "['a', 'd']", "['', 'b']"]
        usual = ["['a', 'b']", "['b', 'c']", "['a', 'c']"]
        some = [rng.choice(odd if rng.random() < 0.1 else usual) for _ in range(rng.randrange(3))]
        return f"[{', '.join(some)}]"

    probability = rng.choice(["0.8", "0.5", "1e-300", "0", "1", "-1", "nan", "inf", "'x'", "[0.5]"])
    waves = rng.choice(["1", *map(repr, ("{item}", "{item}_t{wave}", "{wave}", "(" * 50))])
    first, second = (rng.choice(["[]", "1", *map(repr, (["a"], ["b", "c"]))]) for _ in range(2))
    parts = [
        f"required = {pairs()}",
        f"forbidden = {pairs()}",
        f"waves = {waves}",
        f"[[prior]]\npair = {pairs()[1:-1] or '[]'}\nprobability = {probability}",
        f"[blocks]\nfirst = {first}\nsecond = {second}",
    ]
    chosen = [part for part in parts if rng.random() < 0.3]
    path.write_text("\n".join(chosen), encoding="utf-8")


def to_uai(path: Path, rng: Random) -> None:
    """Write a small model: as many numbers as it needs, of all sorts."""
    arities = [rng.choice([0, 1, 2, 2, 3]) for _ in range(rng.randrange(4))]
    scopes = [
        rng.sample(range(len(arities)), rng.randrange(min(3, len(arities)) + 1))
        for _ in range(rng.randrange(4))
    ]
    numbers = ["1", "0.5", "0", "2e3", "1e-320", *(["inf", "-1", "nan"] if rng.random() < 0.3 else [])]
    sizes = [math.prod(arities[v] for v in scope) for scope in scopes]
    tables = [f"{size} {' '.join(rng.choice(numbers) for _ in range(size))}" for size in sizes]
    heads = [f"{len(scope)} {' '.join(map(str, scope))}" for scope in scopes]
    lines = ["MARKOV", str(len(arities)), " ".join(map(str, arities)), str(len(scopes)), *heads, *tables]
    path.write_text("\n".join(lines), encoding="utf-8")


def kinds() -> dict[str, Kind]:
    """Return the formats."""
    things = saved_things()
    saved = [thing.to_json().encode() for thing in things.values()]
    with tempfile.TemporaryDirectory() as folder:
        drawn = Path(folder) / "a.graphml"
        files.write(things["structure"], str(drawn), files.STRUCTURES)
        graphml = drawn.read_bytes()

    def table(
        ending: str, make: Callable[[Path, Random], None], share: int, damage: Any = damage_bytes
    ) -> Kind:
        return Kind(ending, make, take_table, damage, share)

    return {
        "CSV": table(".csv", odd_tables.to_csv, 10)._replace(whole=0.6),
        "packed CSV": table(".csv.gz", odd_tables.to_csv, 2, damage_bytes),
        "Parquet": table(".parquet", odd_tables.to_parquet, 8, damage_binary)._replace(whole=0.5),
        "Arrow": table(".arrow", odd_tables.to_parquet, 2, damage_binary),
        "ARFF": table(".arff", odd_tables.to_arff, 6)._replace(whole=0.5),
        "SPSS": table(".sav", odd_tables.to_spss, 8, damage_binary),
        "DuckDB": table(".duckdb", odd_tables.to_duckdb, 1, damage_binary),
        "JSON": Kind(
            ".json",
            lambda path, rng: put(path, rng.choice(saved)),
            take_result,
            lambda content, rng: damage_file(content.decode(), rng),
            10,
            0.02,
        ),
        "UAI": Kind(".uai", to_uai, take_model, damage_text, 5, 0.4),
        "BIF": Kind(".bif", lambda path, rng: put(path, BIF.encode()), take_network, damage_text, 5, 0.01),
        "TOML": Kind(".toml", to_toml, take_options, damage_text, 5, 0.7),
        "knowledge": Kind(".toml", to_knowledge, take_knowledge, damage_text, 3, 0.8),
        "GraphML": Kind(".graphml", lambda path, rng: put(path, graphml), take_graph, damage_text, 5, 0.01),
    }


def put(path: Path, content: bytes) -> None:
    """Write a file."""
    path.write_bytes(content)


class Outcome(NamedTuple):
    """What became of a file."""

    number: int
    kind: str
    answer: str
    seconds: float
    peak: int
    fault: str = ""


def give(number: int, seed: int, formats: dict[str, Kind]) -> Outcome:
    """Make a file and use it, in the working directory."""
    rng = random.Random(f"{seed} {number}")
    name = rng.choices(list(formats), [kind.share for kind in formats.values()])[0]
    kind = formats[name]
    path = Path(f"f{number}{kind.ending}")  # a name of its own: DuckDB knows databases by theirs
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")  # the peak is that of this file
    kind.make(path, rng)
    if rng.random() >= kind.whole:
        path.write_bytes(kind.damage(path.read_bytes(), rng))
    global announced
    began, answer, fault, announced = time.process_time(), "answered", "", False
    try:
        with warnings.catch_warnings(), time_limit(ENOUGH):
            warnings.simplefilter("ignore")
            kind.take(path, rng)
    except (GraphoidError, Refused) as error:
        answer = "refused"
        if "\n" in str(error):
            fault = f"more than a line: {error}"
    except Exception as error:  # noqa: BLE001 - that is what is looked for
        frames = [f"{Path(f.filename).name}:{f.lineno}" for f in traceback.extract_tb(error.__traceback__)]
        fault = f"{type(error).__name__}: {error} ({' '.join(frames[-4:])})"
    seconds, peak = time.process_time() - began, peak_memory()
    if (seconds > LONGEST and not announced) or peak > LARGEST:
        fault = fault or f"took {seconds:.0f} s and {peak / 2**30:.1f} GiB"
    return Outcome(number, name, answer, seconds, peak, fault)


def peak_memory() -> int:
    """Return the most bytes of memory since they were last looked at, where the system says so."""
    with contextlib.suppress(OSError):
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    return 0


def work(first: int, n: int, seed: int) -> None:
    """Give so many files, and print the outcome of each."""
    faulthandler.enable()
    faulthandler.register(signal.SIGUSR1)
    typer.main.get_command = functools.cache(typer.main.get_command)  # half of what a command takes
    formats = kinds()
    Path("t.csv").write_text("a,b,c\n" + "0,0,1\n1,1,0\n1,1,1\n0,0,0\n" * 10)
    saved_things()["structure"].save("whole.json")
    print("ready", flush=True)
    for number in range(first, first + n):
        print(number, flush=True)
        print(json.dumps(give(number, seed, formats)), flush=True)


class Tally:
    """What became of all files."""

    def __init__(self) -> None:
        self.answers: Counter[tuple[str, str]] = Counter()
        self.faults: list[str] = []
        self.slowest, self.largest = Outcome(0, "", "", 0.0, 0), Outcome(0, "", "", 0.0, 0)

    def add(self, outcome: Outcome) -> None:
        """Count a file."""
        self.answers[outcome.kind, outcome.answer] += 1
        self.slowest = max(self.slowest, outcome, key=lambda o: o.seconds)
        self.largest = max(self.largest, outcome, key=lambda o: o.peak)
        if outcome.fault:
            self.note(outcome.number, f"{outcome.kind}: {outcome.fault}")

    def note(self, number: int, what: str) -> None:
        """Print a fault."""
        self.faults.append(what)
        print(f"file {number}: {what}", flush=True)

    def show(self, seed: int) -> None:
        """Print the table."""
        for kind in sorted({kind for kind, _ in self.answers}):
            answered, refused = self.answers[kind, "answered"], self.answers[kind, "refused"]
            print(f"{kind:12} {answered + refused:6,} files, {refused:6,} refused")
        for what, o in (("slowest", self.slowest), ("largest", self.largest)):
            print(f"{what}: file {o.number} ({o.kind}), {o.seconds:.1f} s, {o.peak / 2**30:.2f} GiB")
        print(f"seed {seed}: {self.answers.total():,} files, {len(self.faults)} faults", flush=True)


def watch(first: int, n: int, seed: int, tally: Tally) -> int:
    """Give files in a process of its own until they are done or it ends; return the number of the next."""
    words = [
        sys.executable,
        __file__,
        "--work",
        "--first",
        str(first),
        "--files",
        str(n),
        "--seed",
        str(seed),
    ]
    here, log = Path.cwd(), tempfile.TemporaryFile("w+")  # noqa: SIM115 - closed below
    with tempfile.TemporaryDirectory() as folder, log:
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(here / "src"), os.environ.get("PYTHONPATH", "")]),
        }
        with subprocess.Popen(
            words, cwd=folder, stdout=subprocess.PIPE, stderr=log, text=True, env=environment
        ) as worker:
            timer = threading.Timer(0, lambda: None)
            number = None
            for line in worker.stdout or ():
                timer.cancel()
                timer = threading.Timer(HANGS, worker.kill)
                timer.start()
                if line.startswith("["):
                    tally.add(Outcome(*json.loads(line)))
                    number = None
                elif line.strip().isdecimal():
                    number = int(line)
            timer.cancel()
        log.seek(0)
        if number is None and worker.returncode == 0:
            return first + n
        if number is None:
            raise SystemExit(f"the files could not be given:\n{log.read()[-2000:]}")
        tally.note(number, f"the process ended with {worker.returncode}: {log.read()[-600:]}")
        return number + 1


def main() -> int:
    """Give all files; return an exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--files", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0, help="the file to begin with")
    parser.add_argument("--work", action="store_true", help="make the files here, in the working directory")
    options = parser.parse_args()
    if options.work:
        work(options.first, options.files, options.seed)
        return 0
    tally, number, end = Tally(), options.first, options.first + options.files
    while number < end:
        number = watch(number, min(BATCH, end - number), options.seed, tally)
    tally.show(options.seed)
    return min(len(tally.faults), 1)


if __name__ == "__main__":
    sys.exit(main())
