"""The answer to an assertion, and how it was reached."""

from __future__ import annotations

import math
from functools import lru_cache
from html import escape
from itertools import repeat
from typing import TYPE_CHECKING, NamedTuple

from graphoid.logic.assertion import Assertion
from graphoid.logic.sets import mask, members

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


class Fact(NamedTuple):
    """What is known of one pair of variables given others, however it came to be known."""

    x: int
    y: int
    bits: int
    """The mask of what is given (:mod:`graphoid.logic.sets`): quick to make and to compare."""
    independent: bool

    @classmethod
    def of(cls, x: int, y: int, given: Iterable[int], *, independent: bool) -> Fact:
        """Return a fact by the variables given."""
        return cls(x, y, mask(given), independent)

    @property
    def given(self) -> tuple[int, ...]:
        """The variables given, by position."""
        return tuple(members(self.bits))

    def in_words(self, names: Sequence[str] | None = None) -> str:
        """Return the fact in symbols, with names where they are known."""
        return _relation(self.x, self.y, self.given, names, independent=self.independent)

    def __str__(self) -> str:
        return self.in_words()


class Verdict(NamedTuple):
    """Whether ``x`` is independent of ``y`` given ``given``, and the evidence for it.

    A named tuple, because a learner makes millions of them and nothing else is as cheap to make and as
    safe to share. What a test does not compute is None.
    """

    x: int
    y: int
    given: tuple[int, ...]
    independent: bool
    statistic: float | None = None
    dof: float | None = None
    p_value: float | None = None
    log_p: float | None = None
    """Natural logarithm of the p-value, finite where the p-value itself underflows."""
    log_odds: float | None = None
    """log P(CI | D) / P(not CI | D) of a Bayesian test."""
    n_rows: float | None = None
    """Rows behind the answer (their total weight, where rows have weights)."""
    thin: bool = False
    """Too little data to decide; answered by the test's policy for thin data."""
    source: str = "test"
    """"test", "oracle", or the rule that answered."""
    because: tuple[Fact, ...] = ()
    """What the rule that answered followed from."""

    @property
    def assertion(self) -> Assertion:
        """The question this answers."""
        return Assertion(self.x, self.y, self.given)

    @property
    def posterior(self) -> float | None:
        """P(CI | D) of a Bayesian test."""
        if self.log_odds is None:
            return None
        if self.log_odds < 0:
            odds = math.exp(self.log_odds)
            return odds / (1.0 + odds)
        return 1.0 / (1.0 + math.exp(-self.log_odds))

    @property
    def names(self) -> Sequence[str] | None:
        """Names of all variables, by position, where whoever answered knows them."""
        return None

    def _repr_html_(self) -> str:
        return f"<code>{escape(str(self))}</code>"

    def __str__(self) -> str:
        names = self.names
        facts = []
        if self.p_value is not None:
            facts.append(f"p = {self.p_value:.3g}")
        if self.log_odds is not None:
            facts.append(f"log odds {self.log_odds:.3g}")
        if self.thin:
            facts.append("thin")
        facts.append(self.source)
        if self.because:
            facts[-1] += f" from {' and '.join(fact.in_words(names) for fact in self.because)}"
        relation = _relation(self.x, self.y, self.given, names, independent=self.independent)
        return f"{relation}  ({', '.join(facts)})"


def _relation(
    x: int, y: int, given: tuple[int, ...], names: Sequence[str] | None, *, independent: bool
) -> str:
    """Return a fact in symbols: ``a ~ b | c`` says that a and b depend on each other given c."""
    first, second, *others = [str(v) if names is None else names[v] for v in (x, y, *given)]
    return f"{first} {'⊥' if independent else '~'} {second}" + (f" | {', '.join(others)}" if given else "")


class NamedVerdict(Verdict):
    """A verdict that prints the names of the variables; equal to one that does not."""

    __slots__ = ()

    def __reduce__(self) -> tuple[type[Verdict], tuple[object, ...]]:
        return Verdict, tuple(self)


@lru_cache(maxsize=64)
def verdict_of(names: tuple[str, ...]) -> type[NamedVerdict]:
    """Return the verdicts on these variables: a class of its own, so that a verdict holds no more for it."""
    return type("Verdict", (NamedVerdict,), {"__slots__": (), "names": names})


def name_verdicts(verdicts: Iterable[Verdict], names: tuple[str, ...]) -> list[Verdict]:
    """Return verdicts that print the names of the variables."""
    return list(map(tuple.__new__, repeat(verdict_of(names)), verdicts))
