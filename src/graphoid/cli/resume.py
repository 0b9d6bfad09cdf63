"""What Ctrl-C leaves behind, and how a run goes on from there."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING, cast

from graphoid.cli.learn_options import PARTIAL, RUN, LearnOptions
from graphoid.cli.outputs import say_again
from graphoid.cli.terminal import note, shell_word
from graphoid.errors import DataError, GraphoidError
from graphoid.structure import whole_file

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graphoid.cli.files import Learned
    from graphoid.cli.progress import Watch
    from graphoid.data.table import Table
    from graphoid.logic.verdict import Verdict
    from graphoid.structure.contexts import CanonicalModel
    from graphoid.structure.graph import UndirectedGraph

INTERRUPTED = "interrupted"
"""Why a search ended that Ctrl-C ended."""


def keep(watch: Watch, options: LearnOptions, table: Table) -> None:
    """Write what a run has found so far, and say how to go on."""
    from graphoid.structure.contexts import CanonicalModel
    from graphoid.structure.explain import plural

    watch.stop()
    found = partial_result(watch.so_far, options, table)
    if found is None:
        note("interrupted before anything was found; nothing was kept.")
        return
    path = free_path(options)
    found.save(path)
    n_edges = found.graph.n_edges
    if isinstance(found, CanonicalModel):
        contexts = plural(len(found.assignments), "context")
        what = f"{plural(found.cost.n_tests, 'answer')} about the graphs of {contexts}"
    elif found.trace:
        answers = plural(found.cost.n_tests, "answer")
        what = f"{answers}, and as edges what none of them separates ({plural(n_edges, 'pair')}),"
    else:
        what = f"the best graph so far, {plural(n_edges, 'edge')},"
    again = f"graphoid learn --resume {shell_word(path)}{say_again(options)}"
    note(f"interrupted: kept {what} in {path}. Go on with: {again}")


def can_keep(path: Path) -> bool:
    """Return whether a run can keep on file what it has so far; if not, say so: it goes on without."""
    try:
        whole_file.probe(path)
    except OSError as error:
        why = error.strerror or error
        note(f"note: resamples are not kept on the way: {str(path)!r} cannot be written ({why}).")
        return False
    return True


def keep_found(found: Learned, options: LearnOptions, also: str = "") -> None:
    """Write a network that was found, where what was to follow is interrupted."""
    path = free_path(options)
    found.save(path)
    note(f"interrupted: kept the network in {path}{also}; the same command goes on.")


def free_path(options: LearnOptions) -> str:
    """Return where to keep what a run has found: never in the place of another run's file."""
    first = Path(options.checkpoint)
    others = (first.with_name(f"{first.name.removesuffix('.json')}-{i}.json") for i in count(2))
    return next(str(path) for path in chain([first], others) if not path.exists() or _is_of(path, options))


def _is_of(path: Path, options: LearnOptions) -> bool:
    """Return whether a file holds what the same run has found before."""
    import graphoid as gd

    try:
        return LearnOptions.from_result(gd.load(path), str(path)).digest == options.digest
    except (GraphoidError, OSError):
        return False


def partial_result(so_far: object, options: LearnOptions, table: Table) -> Learned | None:
    """Return what a run has found so far as a structure; None if that is nothing.

    A search by scores has a graph at any time. A search by tests has answers: joined are the pairs that some
    answer calls dependent and none independent, which is what the search had left to take apart. A search in
    contexts has its graphs as they were before the round at hand.
    """
    from graphoid.learners.contexts.base import Unfinished
    from graphoid.learners.questions import remaining_graph
    from graphoid.logic.verdict import Verdict
    from graphoid.structure.graph import UndirectedGraph
    from graphoid.structure.learned import EXECUTED, Cost, LearnedStructure

    if isinstance(so_far, Unfinished):
        model = so_far.model()
        return replace(model, settings={**model.settings, RUN: options.to_values()})
    if isinstance(so_far, UndirectedGraph):
        graph, trace = so_far, tuple[Verdict, ...]()
    elif so_far:
        answers = tuple(cast("Sequence[Verdict]", so_far))
        graph = remaining_graph(table.names, answers)
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
    found: Learned
    path: str

    @classmethod
    def load(cls, path: str) -> Checkpoint:
        """Return what was kept in a file, or beside it."""
        import graphoid as gd

        places = [it for it in (path, path.removesuffix(".json") + PARTIAL) if Path(it).exists()]
        if not places:
            raise DataError(f"there is no file {path!r} to resume from.")
        for place in places:
            found = gd.load(place)
            if isinstance(found, (gd.LearnedStructure, gd.CanonicalModel)) and found.stopped == INTERRUPTED:
                return cls(LearnOptions.from_result(found, repr(place)).beside(place), found, place)
        raise DataError(f"{path!r} is not what an interrupted run left behind; to repeat a run use --config.")

    def start(
        self, options: LearnOptions, table: Table
    ) -> tuple[UndirectedGraph | CanonicalModel | None, Sequence[Verdict]]:
        """Return the graphs to start from, or the answers that need not be asked for again."""
        from graphoid.structure.contexts import CanonicalModel

        if table.data_id != self.found.data_id:
            raise DataError(
                f"{options.file!r} is not the table that {self.path!r} was found in; its digest differs."
            )
        if not isinstance(self.found, CanonicalModel) and not self.found.trace:
            return self.found.graph, ()
        names = ("learner", "test", "alpha", "set", "preset")
        before, now = self.options.to_values(), options.to_values()
        if any(before.get(name) != now.get(name) for name in names):
            raise DataError(
                f"the answers in {self.path!r} were given to other settings; leave those as they were."
            )
        return (self.found, ()) if isinstance(self.found, CanonicalModel) else (None, self.found.trace)
