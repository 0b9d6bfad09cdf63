"""GSIMN: GSMN* that infers answers where it can, and GSIMN-FCH, which infers all that follows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from graphoid.independence.inferring import CHECK_BELOW, Inferring, log_limit
from graphoid.learners.grow_shrink.gsmn import GrowShrinkLearner, gsmn
from graphoid.settings import Allowed, Number

if TYPE_CHECKING:
    from collections.abc import Mapping

    from graphoid.learners.base import ResampleKernel
    from graphoid.logic.source import IndependenceSource
    from graphoid.structure.graph import UndirectedGraph


def gsimn(ci: IndependenceSource, *, skip_independent: bool = False) -> UndirectedGraph:
    """Return the graph by GSMN*'s loop, with Algorithm 5 in the place of Algorithm 4 as who answers."""
    return gsmn(Inferring(ci), skip_independent=skip_independent)


@dataclass(kw_only=True, eq=False)
class GSIMN(GrowShrinkLearner):
    r"""GSIMN, the grow-shrink inference-based Markov network learner ([Bromberg2009]_, section 4.5).

    Examines variables and grows and shrinks their blankets exactly as :class:`~graphoid.GSMN` does, with
    propagation; but a question is put to the test only if its answer does not follow from earlier ones by
    Strong Union or the Triangle rules (:class:`~graphoid.Inferring`). The trace names the rule and what it
    followed from, and ``why(x, y)`` puts that into words.

    Parameters
    ----------
    test
        The independence test for :meth:`fit`; if None, ``ChiSquare()``, or where columns are of
        numbers ``LikelihoodRatio()``.
    skip_independent
        Do not ask about pairs found independent unconditionally (line 22 of Algorithm 3).
    chaining
        "backward" infers by one step from what is known. "forward" is GSIMN-FCH: after every test all that
        follows by Strong Union, Transitivity and Intersection is worked out, for 13 variables at most.
    check_below
        Two variables whose initial test has a p-value (or posterior odds of independence) of at most this
        are not taken apart by rules alone: their independence is tested. None infers as published.
    rule, fdr, max_given, regrow, seconds
        As for :class:`~graphoid.GSMN`. With ``fdr``, edges whose deciding answer was inferred are tested.
    preset
        ``GSIMN(preset="robust")`` is :class:`~graphoid.RobustGSMN` with ``infer=True``.

    Notes
    -----
    The knowledge base starts with the initial tests. Other readings are listed in
    :mod:`graphoid.learners.grow_shrink.loop` and :mod:`graphoid.logic.axioms`. On data the learner is the
    cheapest and least accurate of the family: what is inferred from a false answer is false as well.

    Examples
    --------
    >>> import graphoid as gd
    >>> chain = gd.UndirectedGraph(["rain", "wet", "slippery"], [("rain", "wet"), ("wet", "slippery")])
    >>> found = gd.GSIMN().learn(gd.Oracle(chain))
    >>> found.graph == chain
    True
    >>> found.cost.n_tests, found.cost.weighted
    (6, 15)
    """

    chaining: Literal["backward", "forward"] = "backward"
    check_below: float | None = CHECK_BELOW

    allowed: ClassVar[Mapping[str, Allowed]] = {
        **GrowShrinkLearner.allowed,
        "check_below": Number(above=0, below=1, optional=True, noun="p-value"),
    }
    infers: ClassVar[bool] = True

    def resample_kernel(self) -> ResampleKernel | None:
        """Return the settings of the kernel, which infers by one step."""
        kernel = super().resample_kernel() if self.chaining == "backward" else None
        return None if kernel is None else kernel._replace(check=log_limit(self.check_below))

    @property
    def goes_by_columns(self) -> bool:
        """Of answers that contradict each other, forward chaining believes the first."""
        return self.chaining == "forward"
