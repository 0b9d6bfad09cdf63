"""What Ctrl-C leaves behind, and how a run goes on from there."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from graphoid.cli.learn_options import RUN, LearnOptions
from graphoid.cli.learners import CONTEXTS
from graphoid.cli.terminal import note
from graphoid.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graphoid.cli.progress import Watch
    from graphoid.data.table import Table
    from graphoid.logic.verdict import Verdict
    from graphoid.structure.graph import UndirectedGraph
    from graphoid.structure.learned import LearnedStructure

INTERRUPTED = "interrupted"
"""Why a search ended that Ctrl-C ended."""


def keep(watch: Watch, options: LearnOptions, table: Table) -> None:
    """Write what a run has found so far, and say how to go on."""
    from graphoid.structure.explain import plural

    watch.stop()
    if options.learner in CONTEXTS:
        kept = "" if options.cache is None else f"; what was counted is still in {options.cache}"
        note(
            f"interrupted: {options.learner} learns the graphs of all contexts together, and none was "
            f"finished; nothing was kept. The same command begins again{kept}."
        )
        return
    found = partial_structure(watch.so_far, options, table)
    if found is None:
        note("interrupted before anything was found; nothing was kept.")
        return
    path = options.checkpoint
    found.save(path)
    n_edges = found.graph.n_edges
    if found.trace:
        answers = plural(found.cost.n_tests, "answer")
        what = f"{answers}, and as edges what none of them separates ({plural(n_edges, 'pair')}),"
    else:
        what = f"the best graph so far, {plural(n_edges, 'edge')},"
    note(f"interrupted: kept {what} in {path}. Go on with: graphoid learn --resume {path}")


def partial_structure(
    so_far: UndirectedGraph | Sequence[Verdict] | None, options: LearnOptions, table: Table
) -> LearnedStructure | None:
    """Return what a run has found so far as a structure; None if that is nothing.

    A search by scores has a graph at any time. A search by tests has answers: joined are the pairs that some
    answer calls dependent and none independent, which is what the search had left to take apart.
    """
    from graphoid.logic.verdict import Verdict
    from graphoid.structure.graph import UndirectedGraph
    from graphoid.structure.learned import EXECUTED, Cost, LearnedStructure

    if isinstance(so_far, UndirectedGraph):
        graph, trace = so_far, tuple[Verdict, ...]()
    elif so_far:
        answers = tuple(so_far)
        apart = {(min(v.x, v.y), max(v.x, v.y)) for v in answers if v.independent}
        together = {(min(v.x, v.y), max(v.x, v.y)) for v in answers if not v.independent}
        graph = UndirectedGraph(table.names, sorted(together - apart))
        trace = tuple(v for v in answers if v.source in EXECUTED)  # what was inferred is inferred again
    else:
        return None
    return LearnedStructure(
        graph=graph,
        trace=trace,
        cost=Cost.of(trace),
        stopped=INTERRUPTED,
        settings={"learner": options.learner, RUN: options.to_values()},
        seed=options.seed,
        data_id=table.data_id,
    )


@dataclass(frozen=True)
class Checkpoint:
    """A run that was interrupted, and what it had found."""

    options: LearnOptions
    found: LearnedStructure
    path: str

    @classmethod
    def load(cls, path: str) -> Checkpoint:
        """Return what was kept in a file."""
        import graphoid as gd

        if not Path(path).exists():
            raise DataError(f"there is no file {path!r} to resume from.")
        found = gd.load(path)
        if not isinstance(found, gd.LearnedStructure) or found.stopped != INTERRUPTED:
            raise DataError(
                f"{path!r} is not what an interrupted run left behind; to repeat a run use --config."
            )
        return cls(LearnOptions.from_result(found, repr(path)).beside(path), found, path)

    def start(self, options: LearnOptions, table: Table) -> tuple[UndirectedGraph | None, Sequence[Verdict]]:
        """Return the graph to start from, or the answers that need not be asked for again."""
        if table.data_id != self.found.data_id:
            raise DataError(
                f"{options.file!r} is not the table that {self.path!r} was found in; its digest differs."
            )
        if not self.found.trace:
            return self.found.graph, ()
        names = ("learner", "test", "alpha", "set", "preset")
        before, now = self.options.to_values(), options.to_values()
        if any(before.get(name) != now.get(name) for name in names):
            raise DataError(
                f"the answers in {self.path!r} were given to other settings; leave those as they were."
            )
        return None, self.found.trace
