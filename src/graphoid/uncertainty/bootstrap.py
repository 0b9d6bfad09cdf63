"""The bootstrap of a learner: how often each edge is found in resamples, and how strong it is there."""

from __future__ import annotations

import math
import time
import warnings
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, ClassVar, NamedTuple, Self, get_args

import numpy as np

from graphoid.data.table import Table, with_states
from graphoid.errors import DataError, GraphoidWarning, SettingsError, setting
from graphoid.independence.base import TableTest
from graphoid.independence.bayes_factor import BayesFactor
from graphoid.independence.bayesian import BayesianTest
from graphoid.learners.base import AnyLearner, AskingLearner, Learner
from graphoid.learners.recommended import recommend
from graphoid.limits import OutOfTime, check_time, map_threads, memory_limit, time_limit
from graphoid.progress import Listener, Step, tell
from graphoid.settings import Allowed, Number, RandomState, Settings
from graphoid.structure.document import check_checkpoint
from graphoid.structure.learned import LearnedStructure
from graphoid.uncertainty.bootstrap_result import EdgeStability, Resampled
from graphoid.uncertainty.checkpoint import Checkpoint
from graphoid.uncertainty.inclusion import Inclusion, dependences, priors, probabilities
from graphoid.uncertainty.intervals import OFTEN
from graphoid.uncertainty.pair_effects import NUMBERS, measure_effects
from graphoid.uncertainty.replicates import learn_resamples, pairs_of, structure_of
from graphoid.uncertainty.resampling import SHARES, Kind, Resampler, seed_of
from graphoid.uncertainty.strength import Crossing, crossings_of, signs_of

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence

    from graphoid.structure.contexts import CanonicalModel
    from graphoid.structure.graph import Edge
    from graphoid.uncertainty.replicates import Found
    from graphoid.uncertainty.stability import CentralityRow, CurveRow, DifferenceRow

AT_ONCE = 50
"""Resamples between two events of progress, or two states of the checkpoint."""

RESAMPLING, SHORT = 0.7, 0.5
"""Of ``seconds``, the share that learning from resamples may take; and seconds that a batch of them takes."""

MOST_PAIRS = 500
"""Up to so many pairs the strength of each is followed through the resamples; beyond, of those ever found."""


@dataclass(eq=False)
class Bootstrap(Settings):
    """Learn from resamples of a table: which edges, strengths and conclusions would come out again.

    Parameters
    ----------
    learner
        Any learner of a graph; the one that :func:`graphoid.learn` recommends if None. It is not changed.
    n
        How many resamples.
    kind
        "halves" (half of the rows each), "rows" (drawn with replacement), "bayesian" (random weights; no row
        is ever left out) or "cases" (a share of the rows is dropped, for the stability of centrality);
        see :mod:`graphoid.uncertainty.resampling`.
    n_jobs
        Threads. The result does not depend on it.
    random_state
        Seed. Every resample has a stream of its own, derived from it.
    checkpoint
        A file that keeps the graphs found so far; a run that was killed goes on from there and ends the same.
    shares
        Shares of the rows that "cases" keeps, in turn.
    seconds
        Stop after so much time, with the resamples so far; what is not measured by then has no numbers, which
        a warning says.

    Attributes
    ----------
    result_
        A :class:`~graphoid.uncertainty.bootstrap_result.Resampled`; its main methods are here too.

    Examples
    --------
    >>> import graphoid as gd
    >>> run = gd.Bootstrap(gd.GSMN(), n=50, random_state=1).fit(gd.datasets.load("titanic"))
    >>> edge = run.edges()[4]
    >>> edge.x, edge.y, edge.frequency, edge.verdict
    ('sex', 'survived', 1.0, 'present')
    """

    learner: AnyLearner | None = None
    n: int = 200
    kind: Kind = "halves"
    n_jobs: int | None = 1
    random_state: RandomState = None
    checkpoint: str | os.PathLike[str] | None = None
    _: KW_ONLY
    shares: Sequence[float] = SHARES
    seconds: float | None = None

    allowed: ClassVar[Mapping[str, Allowed]] = {
        "n": Number(least=1, whole=True, noun="number of resamples"),
        "kind": get_args(Kind),
        "n_jobs": Number(least=1, whole=True, optional=True, noun="number of threads"),
        "seconds": Number(above=0, optional=True),
    }

    def fit(
        self,
        table: object,
        progress: Listener | None = None,
        *,
        structure: LearnedStructure | CanonicalModel | None = None,
    ) -> Self:
        """Resample a table (anything that :func:`graphoid.read` takes will do), and return self.

        ``structure`` is what the learner has found in it, where that is known: it is not learned again.
        """
        self._check()
        if self.checkpoint is not None:
            check_checkpoint(self.checkpoint)
        if not isinstance(table, Table):
            from graphoid.data.read import read

            table = read(table)
        if table.missing == "impute" and table.n_missing:
            raise SettingsError(
                "Bootstrap resamples rows as they are, and the missing cells of this table are to be drawn: "
                f"read it with {setting('missing', 'available')}, or take the intervals that learning pools "
                "over the draws."
            )
        learner = recommend(table)[0] if self.learner is None else self.learner
        if structure is not None and structure.table is not table and structure.data_id != table.data_id:
            raise DataError("Bootstrap: the structure was found in another table; give the one it is of.")
        table = with_states(table) if learner.cuts_numbers(table) else table
        # a test of numbers looks behind the codes
        merge = not (isinstance(learner, AskingLearner) and isinstance(learner.test, TableTest))
        self._check_memory(len(table.variables))
        resampler = Resampler(table, self.kind, seed_of(self.random_state), self.shares, merge=merge)
        with time_limit(self.seconds):
            try:
                with time_limit(None if self.seconds is None else RESAMPLING * self.seconds):
                    structure = structure_of(learner, table) if structure is None else structure
                    again = learner
                    if isinstance(structure, LearnedStructure):
                        again = learner.for_resamples(structure)
                    found = self._learn(again, resampler, table, progress)
            except OutOfTime:
                if self.seconds is None:
                    raise
                raise SettingsError(
                    f"Bootstrap: {self.seconds:g} s were over before one resample was learned; raise seconds."
                ) from None
            self.result_ = self._measure(_Run(learner, table, resampler, structure, found))
        return self

    def _learn(
        self, learner: AnyLearner, resampler: Resampler, table: Table, progress: Listener | None
    ) -> Found:
        """Learn every resample that is not on file yet."""
        run = {
            "learner": words_of(learner),
            "n": self.n,
            "kind": self.kind,
            "seed": resampler.seed,
            "shares": list(resampler.shares),
            "data_id": table.data_id,
        }
        kept = Checkpoint(self.checkpoint, run, len(pairs_of(len(table.variables))))
        n_jobs = self.n_jobs or 1
        at_once = self.n if progress is None and self.checkpoint is None else AT_ONCE
        if self.seconds is not None:
            at_once = n_jobs  # a batch that the end of the time cuts is lost
        while (start := len(kept)) < self.n:
            progress, began = tell(progress, Step("resampling", start, self.n)), time.monotonic()
            try:
                found = learn_resamples(
                    learner, resampler, range(start, min(self.n, start + at_once)), n_jobs
                )
                check_time()  # a search whose time is over returns what it has
            except OutOfTime:
                if not start:
                    raise
                break
            kept.add(found)
            if self.seconds is not None and time.monotonic() - began < SHORT:
                at_once = min(AT_ONCE, 2 * at_once)
        tell(progress, Step("resampling", len(kept), self.n))
        return kept.found

    def _measure(self, run: _Run) -> Resampled:
        """Follow the strength of the pairs through the resamples."""
        table, resampler, graph, joined = run.table, run.resampler, run.structure.graph, run.found.joined
        crossings = crossings_of(graph, table.variables)
        few, pairs = len(crossings) <= MOST_PAIRS, [(x, y) for x, y, _ in crossings]
        ever = np.asarray(joined.any(axis=0))
        followed = [i for i, pair in enumerate(pairs) if few or ever[i] or graph.has_edge(*pair)]
        n = len(joined)
        effects, weights = np.full((len(pairs), len(NUMBERS)), np.nan), np.full((n, len(followed)), np.nan)
        often = np.asarray(joined.mean(axis=0) >= OFTEN)
        shown = [k for k, i in enumerate(followed) if few or often[i] or graph.has_edge(*pairs[i])]
        places = [followed[k] for k in shown]
        inclusion = None
        try:
            inclusion = self._inclusion(run, crossings, followed)
            effects[places], weights[:, shown] = measure_effects(
                graph, resampler, [crossings[i] for i in places], n
            )
        except OutOfTime:
            if self.seconds is None:
                raise
            warnings.warn(
                f"{self.seconds:g} s were over before all pairs were measured: some or all have no strength, "
                f"and their verdicts stay open.",
                GraphoidWarning,
                stacklevel=3,
            )
        return Resampled(
            graph=graph,
            kind=self.kind,
            seed=resampler.seed,
            shares=tuple(resampler.share(r) for r in range(n)),
            n_rows=float(table.n_rows if table.weights is None else table.weights.total),
            data_id=table.data_id,
            learner=words_of(run.learner),
            found=joined,
            given=tuple(given for _, _, given in crossings),
            signs=signs_of(pairs, table.variables),
            continuous=np.array([table.variables[x].continuous for x, _ in pairs], dtype=bool),
            followed=np.array(followed, dtype=np.int64),
            effects=effects,
            weights=weights,
            inclusion=inclusion,
            own_verdicts=_own_verdicts(run.structure, pairs),
        )

    def _inclusion(self, run: _Run, crossings: list[Crossing], followed: list[int]) -> Inclusion | None:
        """Return how probable pairs are, from all rows and in the resamples, where there is an answer."""
        pairs, n = [(x, y) for x, y, _ in crossings], len(run.found.joined)
        whole = probabilities(run.structure, pairs)
        if whole is not None:  # resamples of a directed graph have none, as that takes the longest
            replicates = np.full((n, len(pairs)), np.nan)
            replicates = replicates if run.found.probability is None else run.found.probability
            return Inclusion("edge", whole, 1.0 - whole, priors(run.structure, pairs), replicates)
        test = run.learner.test_for(run.table) if isinstance(run.learner, AskingLearner) else None
        if not isinstance(test, (BayesianTest, BayesFactor)):
            return None
        questions = [crossings[i] for i in followed]
        lines = map_threads(
            lambda r: dependences(test, run.resampler.table(r), questions)[0], range(n), self.n_jobs or 1
        )
        (whole, against), replicates = np.full((2, len(pairs)), np.nan), np.full((n, len(pairs)), np.nan)
        whole[followed], against[followed] = dependences(test, run.table, questions)
        replicates[:, followed] = lines
        prior = np.full(len(pairs), math.log1p(-test.prior) - math.log(test.prior))  # of a dependence
        return Inclusion("dependence", whole, against, prior, replicates)

    def edges(self, verdict: str | None = None) -> list[EdgeStability]:
        """Return a row for every pair, or for those with a certain verdict; see :meth:`Resampled.edges`."""
        return self.result_.edges(verdict)

    def centrality(self) -> list[CentralityRow]:
        """Return how central every variable is; see :meth:`Resampled.centrality`."""
        return self.result_.centrality()

    def differences(self) -> list[DifferenceRow]:
        """Return which edges differ in strength; see :meth:`Resampled.differences`."""
        return self.result_.differences()

    def stability(self) -> list[CurveRow]:
        """Return the case-drop curve; see :meth:`Resampled.stability`."""
        return self.result_.stability()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the result to a JSON file, which :func:`graphoid.load` reads."""
        self.result_.save(path)

    def _check_memory(self, n_variables: int) -> None:
        """Refuse more resamples than can be held: a byte for every pair, and numbers for those followed."""
        pairs = n_variables * (n_variables - 1) // 2
        need, limit = self.n * (pairs + 8 * min(pairs, MOST_PAIRS)), memory_limit()
        if limit is not None and need > limit:
            raise SettingsError(
                f"Bootstrap: {self.n:,} resamples of {pairs:,} pairs take {need / 2**30:,.1f} GiB, more than "
                f"the {limit / 2**30:,.1f} GiB that may be used; lower n."
            )

    def _check(self) -> None:
        self.check()
        learner: object = self.learner
        if isinstance(learner, type):
            name = learner.__name__
            raise SettingsError(f"Bootstrap: the learner must be an object: {name}(), not {name}.")
        if learner is not None and not isinstance(learner, Learner):
            raise SettingsError(f"Bootstrap: learner must be a learner such as GSIMN(), not {learner!r}.")
        if not self.shares or not all(0 < share <= 1 for share in self.shares):
            raise SettingsError(
                f"Bootstrap: shares must be numbers above 0 and up to 1, not {self.shares!r}."
            )


def words_of(learner: AnyLearner) -> str:
    """Return the learner with its settings, and what it was told beforehand."""
    known = f" with {learner.knowledge!r}" if learner.knowledge is not None else ""
    return f"{learner!r}{known}"


def _own_verdicts(
    structure: LearnedStructure | CanonicalModel, pairs: Sequence[Edge]
) -> tuple[str, ...] | None:
    """Return the learner's own verdict on every pair, where it gives probabilities of edges."""
    if not isinstance(structure, LearnedStructure) or not structure.edge_probabilities:
        return None
    return tuple(structure.verdict(*pair) for pair in pairs)


class _Run(NamedTuple):
    """A learner on a table: what it finds in all rows, and in every resample."""

    learner: AnyLearner
    table: Table
    resampler: Resampler
    structure: LearnedStructure | CanonicalModel
    found: Found
