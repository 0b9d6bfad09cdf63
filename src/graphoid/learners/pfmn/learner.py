"""PFMN, which asks the most informative test that can be afforded; and the same as it was published."""

from __future__ import annotations

from dataclasses import InitVar, dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar, Self, cast

from graphoid.errors import SettingsError
from graphoid.learners.pfmn.active import Active, State as ActiveState
from graphoid.learners.pfmn.base import ParticleLearner
from graphoid.learners.pfmn.published import ParticleFilter, Score, State as FilterState
from graphoid.settings import Allowed, Number

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from graphoid.learners.pfmn.budget import BudgetedQuestions
    from graphoid.structure.knowledge import KnownPairs


UNLIMITED = Number(least=0, infinite=True)


@dataclass(kw_only=True, eq=False)
class PublishedPFMN(ParticleLearner[FilterState]):
    r"""PFMN as published: [Margaritis2009]_, Algorithms 1 to 3.

    A particle filter over structures asks the test of the largest information gain for its price, and stops
    when all particles agree. It is cheap on very sparse graphs, and not sure to find the structure;
    :class:`~graphoid.PFMN` is. ``PFMN(method="paper", ...)`` is another way to write it.

    Parameters
    ----------
    test, budget, cost, random_state, soften, checkpoint, progress
        As for :class:`~graphoid.PFMN`.
    n_particles
        N, the structures in the population.
    moves
        M, the most Metropolis-Hastings moves of each structure after an answer.
    enough
        The paper's pi: no more moves once each structure had so many accepted.
    alpha
        The probability that a move inverts a pair; one pair on average if None.
    beta
        The power of the price in the score of a test.
    max_flips
        K, the most flips in the search for a conditioning set.
    score
        "gain" is information gain / W^beta; "printed" is Eq. 7, -H / W^beta.
    epsilon
        The entropy at which it stops.
    all_graphs
        All structures with their exact posterior in place of a population, for up to five variables.
    empty
        Whether the prior allows a structure without edges, which Eq. 5 leaves out.

    Notes
    -----
    Departs from the paper, whose Eq. 5 has :math:`|X_h| = \binom{n}{h}` for the number of structures of
    h edges, which is :math:`\binom{n(n-1)/2}{h}`; whose Eq. 7 prefers expensive tests; and whose prior
    excludes the empty structure. Exact answers have likelihoods 0 and 1, which are softened.

    Examples
    --------
    >>> import graphoid as gd
    >>> pair = gd.UndirectedGraph(3, [(0, 1)])
    >>> gd.PublishedPFMN(random_state=0).learn(gd.Oracle(pair)).graph == pair
    True
    """

    n_particles: int = 250
    moves: int = 20
    beta: float = 2.0
    enough: int = 2
    alpha: float | None = None
    max_flips: int = 4
    score: Score = "gain"
    epsilon: float = 0.0
    all_graphs: bool = False
    empty: bool = True

    allowed: ClassVar[Mapping[str, Allowed]] = {
        **ParticleLearner.allowed,
        "enough": Number(least=0, whole=True),
        "alpha": Number(above=0, below=1, optional=True),
        "max_flips": Number(least=0, whole=True),
        "score": ("gain", "printed"),
        "epsilon": UNLIMITED,
    }

    def __new__(cls, **settings: object) -> Self:
        """Refuse settings of the other algorithm in one sentence."""
        _refuse_settings_of(PFMN, cls, settings)
        return super().__new__(cls)

    def _search(self, questions: BudgetedQuestions, known: KnownPairs | None) -> ParticleFilter:
        return ParticleFilter(questions, self, known)


@dataclass(kw_only=True, eq=False)
class PFMN(ParticleLearner[ActiveState]):
    r"""PFMN, for tests that cost money: keep a population of structures, and ask what they disagree on.

    The population only guesses; what the answers prove is kept as two graphs that enclose the true one, and
    the search ends when they are equal (:mod:`graphoid.learners.pfmn.active`). With exact answers the graph
    is then proved, and ``structure_.details["verified"]`` says so. Data whose variables all depend on each
    other are asked what GSIMN would ask (:mod:`graphoid.learners.pfmn.dense`). The filter of the paper is
    :class:`~graphoid.PublishedPFMN`.

    The result has ``edge_probabilities`` from the population, and in ``details`` the effective number of
    structures, the next test it would ask and why (None where the time was over: choosing takes time), what
    was known after each test for which price, and under "overruled" pairs that proofs part although a test of
    the two, given nothing, leaves no doubt (1e-6) that they are dependent. They are named, not tested once
    more, which made no better graphs of four samples.

    Parameters
    ----------
    test
        The independence test for :meth:`fit`; if None, ``BayesianTest()``, or where columns are of numbers
        ``BayesFactor()``. A Bayesian one says how sure it is; of others the p-values are weighed.
    n_particles
        Structures in the population.
    budget
        The most to spend: a number is a sum of prices; ``Budget(price=..., tests=..., seconds=...)`` has
        other limits. The result is then the best structure so far, and ``stopped`` is "budget".
    cost
        The price of a test, a function of an :class:`~graphoid.Assertion`; 2 + ``|given|`` if None.
        :class:`~graphoid.SitePrice` is one for columns at several sites.
    random_state
        Seed, generator or None.
    moves
        Metropolis moves of each structure after an answer.
    beta
        The power of the price in the score of a test.
    sure
        The log ratio of likelihoods from which on an answer is taken as a fact by the search.
    doubt
        Doubtful answers: stop when the population is this sure of all answers.
    patience
        Doubtful answers: the share of n (n - 1), what GSIMN pays before it begins, that may go into answers
        that are not sure.
    batch
        Tests asked at once, in one access to the data: the best one, and the best ones beside it, none of
        which another is expected to answer. More than one pays where an access costs more than a test does
        (Spark, a warehouse, sites); more tests are asked, in fewer batches. Whatever it is, tests are asked
        one at a time until one shows that the network is not dense, and of dense ones throughout.
    soften
        The likelihood left to the contrary of an answer that is certain.
    checkpoint
        A file that keeps the answers; a run that finds it goes on from there and pays for no test again.
    progress
        A listener, if :meth:`fit` is not given one; see :mod:`graphoid.progress`.
    method
        "bounds"; with "paper" a :class:`~graphoid.PublishedPFMN` is returned.

    Examples
    --------
    >>> import graphoid as gd
    >>> chain = gd.UndirectedGraph(["rain", "wet", "slippery"], [("rain", "wet"), ("wet", "slippery")])
    >>> found = gd.PFMN(random_state=0).learn(gd.Oracle(chain))
    >>> found.graph == chain, found.details["verified"]
    (True, True)
    """

    n_particles: int = 128
    moves: int = 100
    beta: float = 0.8
    sure: float = 1.5
    doubt: float = 0.02
    patience: float = 0.5
    batch: int = 1
    method: InitVar[str] = "bounds"

    allowed: ClassVar[Mapping[str, Allowed]] = {
        **ParticleLearner.allowed,
        "sure": UNLIMITED,
        "doubt": UNLIMITED,
        "patience": UNLIMITED,
        "batch": Number(least=1, whole=True),
    }

    def __new__(cls, *, method: str = "bounds", **settings: Any) -> Self:
        """Return the learner of the method; refuse settings of the other algorithm in one sentence."""
        if method == "paper":
            return cast("Self", PublishedPFMN(**settings))
        if method != "bounds":
            raise SettingsError(f"PFMN: method must be 'bounds' or 'paper', not {method!r}.")
        _refuse_settings_of(PublishedPFMN, cls, settings)
        return super().__new__(cls)

    def _search(self, questions: BudgetedQuestions, known: KnownPairs | None) -> Active:
        return Active(questions, self, known)


def _refuse_settings_of(other: type[PFMN | PublishedPFMN], cls: type, settings: Iterable[str]) -> None:
    """Raise for the first setting that only the other algorithm has."""
    own = {f.name for f in fields(cls)}
    for name in settings:
        if name not in own and name in {f.name for f in fields(other)}:
            raise SettingsError(
                f"{cls.__name__} has no setting {name!r}, which is one of {other.__name__}; it has "
                f"{', '.join(sorted(own))}."
            )
