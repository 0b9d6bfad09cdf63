"""GSMN*: the Markov network from the Markov blankets of its variables, one by one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, cast

from graphoid.errors import SettingsError, setting
from graphoid.independence.chi_square import DEFAULT_TEST
from graphoid.independence.classical import SignificanceTest
from graphoid.independence.inferring import Chaining, Inferring
from graphoid.learners.base import IndependenceLearner, ResampleKernel
from graphoid.learners.grow_shrink.discoveries import control_discoveries
from graphoid.learners.grow_shrink.loop import Rule, grow_shrink
from graphoid.learners.grow_shrink.robust import RobustGSMN
from graphoid.learners.questions import Questions
from graphoid.logic.names import name_rank
from graphoid.settings import Allowed, Number, check_setting
from graphoid.structure.graph import UndirectedGraph

if TYPE_CHECKING:
    from collections.abc import Mapping

    from graphoid.logic.source import IndependenceSource


def gsmn(
    ci: IndependenceSource | Questions,
    *,
    propagate: bool = True,
    skip_independent: bool = False,
    rule: Rule = "either",
    max_given: int | None = None,
    regrow: int = 0,
) -> UndirectedGraph:
    """Return the graph that joins each variable to the members of its blanket (Algorithm 3, lines 10-40).

    Exact if the answers are those of a distribution faithful to an undirected graph.
    """
    questions = ci if isinstance(ci, Questions) else Questions(ci)
    questions.tell("testing all pairs", 0)
    steps = grow_shrink(
        len(questions.names),
        propagate=propagate,
        skip_independent=skip_independent,
        rule=rule,
        max_given=max_given,
        regrow=regrow,
        rank=name_rank(questions.names),
        note=questions.trace.append,
        tell=questions.tell,
    )
    return UndirectedGraph.from_blankets(questions.run(steps), questions.names, rule=rule)


@dataclass(kw_only=True, eq=False)
class GrowShrinkLearner(IndependenceLearner):
    """What GSMN* and GSIMN have in common: the loop and its settings."""

    skip_independent: bool = False
    rule: Rule = "either"
    fdr: float | None = None
    max_given: int | None = None
    regrow: int = 0
    preset: Literal["robust"] | None = None

    allowed: ClassVar[Mapping[str, Allowed]] = {
        **IndependenceLearner.allowed,
        "rule": ("either", "both"),
        "fdr": Number(above=0, below=1, optional=True, noun="rate"),
        "max_given": Number(least=0, whole=True, optional=True),
        "regrow": Number(least=0, whole=True, noun="number of times"),
        "preset": (None,),  # another learner's, given only to the constructor
        "chaining": ("backward", "forward"),
    }
    infers: ClassVar[bool] = False
    """Whether answers are inferred where rules know them."""
    propagate = True  # a setting of GSMN* alone
    chaining = "backward"  # of GSIMN alone, as is the next
    check_below = cast("float | None", None)

    def __new__(cls, **settings: Any) -> Self:
        """Return a learner, which for ``preset="robust"`` is a :class:`~graphoid.RobustGSMN`."""
        preset = settings.pop("preset", None)
        if preset is None:
            return super().__new__(cls)
        check_setting("preset", preset, ("robust", None), cls.__name__)
        usual = cls().get_params(deep=False)
        given = {k: v for k, v in cls(**settings).get_params(deep=False).items() if v != usual[k]}
        for name in given.keys() - RobustGSMN.__dataclass_fields__.keys():
            raise SettingsError(
                f"{cls.__name__}: {setting('preset', 'robust')} leaves no choice of {name}, which is "
                f"{given[name]!r}; leave one of the two out."
            )
        return cast("Self", RobustGSMN(infer=cls.infers).with_params(**given))

    def resample_kernel(self) -> ResampleKernel | None:
        """Return the settings of the kernel, which has the published loop and tests with a p-value."""
        self.check()
        test = DEFAULT_TEST if self.test is None else self.test
        published = (
            self.fdr is None and self.max_given is None and self.regrow == 0 and self.knowledge is None
        )
        if not published or not isinstance(test, SignificanceTest) or test.thin.answer != "test":
            return None
        both = self.rule == "both"
        kernel, alpha = test.kernel, float(test.alpha)
        return ResampleKernel(kernel, alpha, self.propagate, self.skip_independent, both, self.infers)

    def _search(self, questions: Questions) -> tuple[UndirectedGraph, int]:
        if self.infers:
            rules = Chaining if self.chaining == "forward" else Inferring
            questions.source = rules(questions.source, check_below=self.check_below)
        graph = gsmn(
            questions,
            propagate=self.propagate,
            skip_independent=self.skip_independent,
            rule=self.rule,
            max_given=self.max_given,
            regrow=self.regrow,
        )
        if self.fdr is not None:
            graph = control_discoveries(questions, graph, self.fdr, self.max_given)
        return graph, questions.n_open_pairs


@dataclass(kw_only=True, eq=False)
class GSMN(GrowShrinkLearner):
    r"""GSMN*, the grow-shrink Markov network learner ([Bromberg2009]_, section 4.2).

    First every pair is tested unconditionally, in one batch. Variables are then examined, beginning with the
    one of the strongest dependences. The blanket of each is grown by every variable that depends on it given
    the blanket so far, strongest first, and shrunk by every member that does not depend on it given the rest.

    With n variables it executes :math:`O(n^2)` tests. The cost of a test is 2 + ``|given|``, also where it
    repeats an initial one.

    Parameters
    ----------
    test
        The independence test for :meth:`fit`; if None, ``ChiSquare()``, or where columns are of
        numbers ``LikelihoodRatio()``.
    propagate
        Take over from variables already examined whether they have this one in their blanket, and do not ask
        again.
    skip_independent
        Do not ask about pairs found independent unconditionally, in reliance on Strong Union (line 22 of
        Algorithm 3).
    rule
        Which edges to draw where two blankets disagree. "either", as in the paper, joins x and y if one of
        them has the other in its blanket; with ``propagate``, what is found first then holds for both.
        "both" joins them only if each has found the other; then only absences are propagated.
    fdr
        Keep only edges that survive the control of false discoveries at this rate
        (:mod:`graphoid.learners.grow_shrink.discoveries`), over all pairs; needs p-values. Every edge is
        tested again, and dependences that show only given others (``regrow``) do not survive.
    max_given
        Most variables given in a question. Where a blanket is larger, those of its members are given that
        depend most on both variables asked about. With fewer than the largest blanket has, the result is no
        longer exact even with an oracle: edges may be too many.
    regrow
        Grow and shrink a blanket again until nothing changes, at most so many times: for data in which a
        dependence shows only given others, which no undirected graph explains. These tests are executed.
    seconds
        Stop after so much time; ``stopped`` is then "budget", and the pairs that no answer separates are
        joined, and undecided.
    preset
        ``GSMN(preset="robust")`` is :class:`~graphoid.RobustGSMN`, a search made for data, and takes its
        settings.

    See Also
    --------
    RobustGSMN : about the same number of questions, and answers that are trusted less.

    Notes
    -----
    Readings of the paper are listed in :mod:`graphoid.learners.grow_shrink.loop`. On data the learner
    inherits every error of a test: an early false dependence enlarges all later conditioning sets.

    What the settings do there: Ising data of 75 binary variables, three neighbors on average, couplings .3-.6
    of random sign, chi-square at .05, mean of ten data sets of 300 and of 2,000 rows
    (``graphoid reproduce gsimn-settings``).

    ============================= ================ ================== ================
    settings                      F1               precision          weighted cost
    ============================= ================ ================== ================
    as published                  .68 / .67        .61 / .55          24,069 / 30,180
    ``rule="both"``               .80 / .85        .90 / .89          24,549 / 30,843
    ``fdr=.01``                   .65 / .88        1.00 / 1.00        25,016 / 31,900
    ``max_given=3``               .64 / .61        .49 / .44          20,049 / 20,958
    ``max_given=3, fdr=.01``      .78 / .99        1.00 / 1.00        22,110 / 23,976
    ``regrow=2``                  .68 / .64        .57 / .48          49,521 / 68,354
    ``ChiSquare(alpha=.001)``     .83 / .95        .96 / .96          19,732 / 25,672
    ``RobustGSMN()``              .97 / .99        .98 / .99          12,623 / 17,612
    ============================= ================ ================== ================

    So on data :class:`~graphoid.RobustGSMN` is the one to use; ``regrow`` only pays where dependences really
    hide.

    Examples
    --------
    >>> import graphoid as gd
    >>> chain = gd.UndirectedGraph(["rain", "wet", "slippery"], [("rain", "wet"), ("wet", "slippery")])
    >>> found = gd.GSMN().learn(gd.Oracle(chain))
    >>> found.graph == chain
    True
    >>> found.cost.n_tests, found.cost.weighted
    (9, 22)
    """

    propagate: bool = True
