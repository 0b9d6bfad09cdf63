"""The process that reads, learns and fits: what a table does to it, the server outlives.

It gets an order as a line of JSON, and says how far it has come and what came out in lines of JSON. Another
line, or the end of its input, is Ctrl-C to it: a search then ends with the best graph so far.

    python -m graphoid.serve.worker
"""

from __future__ import annotations

import _thread
import json
import os
import threading
import time
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

from graphoid.errors import ON_PAGE, GraphoidError, Interrupted
from graphoid.limits import OutOfTime
from graphoid.serve.choices import Choices
from graphoid.structure.document import save
from graphoid.structure.safe_text import scrub

if TYPE_CHECKING:
    from collections.abc import Callable

    from graphoid.progress import Step
    from graphoid.structure.learned import LearnedStructure

    Values = dict[str, object]

PAUSE = 0.1
"""Seconds between two lines about progress."""

GRACE = 10.0
"""Seconds that an interrupted run has to write down what it found."""

AGAIN = 3.0
"""Seconds that a run may take to put together what it found; then it is taken not to have heard Ctrl-C:
Python drops an interrupt that falls into a destructor or a callback of its collector."""

interrupted = threading.Event()
"""Set when the run has heard Ctrl-C, or is over."""

REPORT, LIVE, NETWORK, SCRIPT, MODEL = "report.html", "live.html", "network.json", "repeat.py", "model.json"
"""Files that it writes."""


class Teller:
    """Says things to the server, a line each; a file that was sent is called by the name it came with."""

    def __init__(self, path: str, name: str) -> None:
        self._names = [(path, name), (Path(path).name, name)]
        self._out = os.fdopen(os.dup(1), "w", encoding="utf-8")
        os.dup2(2, 1)  # what libraries print is not for the server
        self._last = 0.0

    def __call__(self, step: Step) -> None:
        """Hear of a step of a run."""
        if time.monotonic() - self._last >= PAUSE:
            self.phase(step.phase, step.done, step.total)

    def phase(self, phase: str, done: int = 0, total: int | None = None) -> None:
        """Say what is being done."""
        self._last = time.monotonic()
        self.say(phase=phase, done=done, total=total)

    def say(self, **words: object) -> None:
        """Say anything."""
        line = json.dumps(words)
        for stored, shown in self._names:
            line = line.replace(json.dumps(stored)[1:-1], json.dumps(shown)[1:-1])
        print(line, file=self._out, flush=True)


def check(order: Values, tell: Teller) -> Values:
    """Return what reading the file would do."""
    tell.phase("reading the table")
    return choices_of(order).check(str(order["path"])).to_dict()


def learn(order: Values, tell: Teller) -> Values:
    """Learn, and write the page, the network and the script."""
    from graphoid.learners.recommended import learn as learn_network
    from graphoid.report.page import compose

    choices, name, folder = choices_of(order), str(order["name"]), Path(str(order["folder"]))
    tell.phase("reading the table")
    table = choices.read(str(order["path"]), name)
    found: LearnedStructure
    try:
        found = learn_network(table, random_state=0, seconds=choices.seconds, progress=tell)
    except Interrupted as end:
        interrupted.set()
        if end.structure is None:
            raise
        found = end.structure  # type: ignore[assignment] # of a learner of one graph
    tell.phase("writing the report")
    page = compose(found, table=table)
    save(page.html(), folder / REPORT)
    save(page.html(live=True), folder / LIVE)
    found.save(folder / NETWORK)
    save(choices.script(name, table), folder / SCRIPT)
    return {"finding": page.abstract, "stopped": found.stopped, "n_edges": found.graph.n_edges}


def fit(order: Values, tell: Teller) -> Values:
    """Fit the model that answers to evidence."""
    from graphoid.report.evidence import fit_model
    from graphoid.structure.learned import LearnedStructure
    from graphoid.uncertainty.io import load

    folder = Path(str(order["folder"]))
    tell.phase("reading the table")
    table = choices_of(order).read(str(order["path"]), str(order["name"]))
    found = load(folder / NETWORK)
    if isinstance(found, LearnedStructure):
        tell.phase("fitting the model")
        fit_model(found, table).save(folder / MODEL)
    return {}


def choices_of(order: Values) -> Choices:
    """Return the choices of an order."""
    values = order["choices"]
    return Choices.from_values(values if isinstance(values, dict) else {})


ORDERS: dict[str, Callable[[Values, Teller], Values]] = {"check": check, "learn": learn, "fit": fit}


def listen() -> None:
    """Take another line, or the end of the input, for Ctrl-C; and do not outlive a server that is gone."""
    if os.read(0, 1):  # not by sys.stdin, whose lock a thread must not hold when Python ends
        interrupt()
        while os.read(0, 1):
            pass
    interrupt()
    time.sleep(GRACE)
    os._exit(1)


def interrupt() -> None:
    """Press Ctrl-C until it is heard, or there is no time left to hear it."""
    until = time.monotonic() + GRACE
    _thread.interrupt_main()
    while not interrupted.wait(AGAIN) and time.monotonic() < until:
        _thread.interrupt_main()


def run(order: Values, tell: Teller) -> None:
    """Carry out an order, and say how it ended."""
    try:
        tell.say(result=ORDERS[str(order["do"])](order, tell))
    except KeyboardInterrupt:
        interrupted.set()
        tell.say(cancelled=True)
    except MemoryError:
        tell.say(error="there is not enough memory for that; leave out columns, or take fewer rows.")
    except OutOfTime:
        tell.say(error="the time that was given is over before anything was found; give more.")
    except GraphoidError as error:
        tell.say(error=scrub(str(error)))
    except OSError as error:
        tell.say(error=f"the table cannot be read, or the result not kept: {error.strerror or error}.")
    except Exception as error:  # noqa: BLE001 - the page shows it as a sentence
        tell.say(error=scrub(f"{type(error).__name__}: {error} (unexpected)"))


def main() -> None:
    """Wait for an order and carry it out."""
    with open(0, "rb", buffering=0, closefd=False) as orders:
        order = json.loads(orders.readline() or "null")
    if not isinstance(order, dict):
        return
    warnings.simplefilter("ignore")  # what they would say is on the page
    ON_PAGE.set(True)
    tell = Teller(str(order["path"]), str(order["name"]))
    threading.Thread(target=listen, daemon=True).start()
    run(order, tell)
    interrupted.set()


if __name__ == "__main__":
    main()
