"""What a test costs, and how much may be spent."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from graphoid.errors import SettingsError
from graphoid.settings import Number, check_setting

if TYPE_CHECKING:
    from graphoid.logic.assertion import Assertion

Price = Callable[["Assertion"], float]
"""A positive number for a test; variables are positions."""


def weight(test: Assertion) -> float:
    """Return how many variables a test mentions, 2 + |given|: the papers' cost of a test."""
    return float(test.weight)


@dataclass(frozen=True)
class SitePrice:
    """The price of a test whose columns lie at several sites: each column that has to travel is paid for.

    A test is done at the site that holds most of its columns; the others are sent there.

    Parameters
    ----------
    sites
        The site of each variable, in order of position.
    per_column
        The price of a column that travels.
    per_test
        What every test costs besides.

    Examples
    --------
    >>> from graphoid.logic.assertion import Assertion
    >>> price = SitePrice(["A", "A", "B", "B"], per_column=10.0, per_test=1.0)
    >>> price(Assertion(0, 1)), price(Assertion(0, 1, (2,))), price(Assertion(0, 2, (3,)))
    (1.0, 11.0, 11.0)
    """

    sites: Sequence[object]
    per_column: float = 1.0
    per_test: float = 1.0

    def __call__(self, test: Assertion) -> float:
        """Return the price of a test."""
        columns = [self.sites[v] for v in (test.x, test.y, *test.given)]
        stay = max(Counter(columns).values())
        return self.per_test + self.per_column * (len(columns) - stay)


@dataclass(frozen=True, kw_only=True)
class Budget:
    """The most that may be spent; what is None is not limited.

    Parameters
    ----------
    price
        Sum of the prices of tests: of 2 + |given|, or whatever the learner's ``cost`` gives (money, say).
    tests
        Number of tests.
    seconds
        Time. The only limit that may end two equal runs at different places.
    """

    price: float | None = None
    tests: int | None = None
    seconds: float | None = None

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            check_setting(f"a budget's {name}", value, Number(least=0, infinite=True, optional=True))

    @classmethod
    def of(cls, value: float | Mapping[str, float] | Budget | None) -> Budget:
        """Return the budget that a setting means: a number is a price, a mapping names its limits."""
        if value is None:
            return cls()
        if isinstance(value, Budget):
            return value
        if isinstance(value, Mapping):
            unknown = sorted(set(map(str, value)) - {limit.name for limit in fields(cls)})
            if unknown:
                raise SettingsError(
                    f"a budget has no limit {unknown[0]!r}; it may have price, tests and seconds."
                )
            limits: dict[str, Any] = dict(value)
            return cls(**limits)
        return cls(price=value)

    def remaining(self, spent: float, tests: int, seconds: float) -> float:
        """Return the price that the next test may have; below 0 where no test may follow."""
        if self.tests is not None and tests >= self.tests:
            return -1.0
        if self.seconds is not None and seconds >= self.seconds:
            return -1.0
        return math.inf if self.price is None else self.price - spent
