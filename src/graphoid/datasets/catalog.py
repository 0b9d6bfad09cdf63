"""Which tables there are, by name."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from graphoid.datasets import fetched, rules, simulated, tables
from graphoid.errors import SettingsError

if TYPE_CHECKING:
    from collections.abc import Callable

    from graphoid.data.table import Table

_MAKERS: dict[str, Callable[[], Table]] = {
    "titanic": tables.titanic,
    "tic-tac-toe": rules.tic_tac_toe,
    "monks-1": partial(rules.monks, 1),
    "monks-2": partial(rules.monks, 2),
    "monks-3": partial(rules.monks, 3),
    "balance-scale": rules.balance_scale,
    "survey": simulated.survey,
    **{name: partial(fetched.from_scikit_learn, name) for name in fetched.SCIKIT_LEARN},
    **{name: partial(fetched.from_openml, name) for name in fetched.OPENML},
}


def load(name: str) -> Table:
    """Return a table by name.

    Parameters
    ----------
    name
        One of :func:`names`:

        - "titanic": the passengers and crew of the Titanic, counted (:mod:`graphoid.datasets.tables`);
        - "tic-tac-toe", "monks-1", "monks-2", "monks-3", "balance-scale": every case of a rule
          (:mod:`graphoid.datasets.rules`);
        - "survey": simulated answers with a dependence that holds in the city only
          (:mod:`graphoid.datasets.simulated`);
        - "breast-cancer", "digits", "iris", "wine": measurements that come with scikit-learn, cut into bins;
        - "car", "cmc", "mushroom", "nursery", "vote": fetched from OpenML, so they need a network the first
          time (:mod:`graphoid.datasets.fetched`).

    Raises
    ------
    SettingsError
        No table has this name.
    MissingExtra
        The table needs scikit-learn or pandas, which are not installed.
    DataError
        The table could not be fetched, or is not the one that was expected.
    """
    try:
        maker = _MAKERS[name]
    except (KeyError, TypeError):
        raise SettingsError(f"no data set is named {name!r}; there are {', '.join(names())}.") from None
    return replace(maker(), reading={})  # its name says how it is made


def names() -> tuple[str, ...]:
    """Return the names that :func:`load` knows, those that need nothing first."""
    return tuple(_MAKERS)
