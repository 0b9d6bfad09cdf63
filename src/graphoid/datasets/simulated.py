"""A table simulated from a stated model."""

from __future__ import annotations

import numpy as np

from graphoid.data.table import Table
from graphoid.data.variables import Variable
from graphoid.structure.graph import UndirectedGraph

SURVEY = (
    Variable("region", ("city", "country")),
    Variable("age", ("young", "middle", "old"), ordered=True),
    Variable("income", ("low", "middle", "high"), ordered=True),
    Variable("bus", ("no", "yes")),
    Variable("car", ("no", "yes")),
    Variable("content", ("no", "yes")),
)
SURVEY_ROWS = 4_000  # enough for every edge to show at alpha = 0.001, and small enough for a doctest
SURVEY_SEED = 1729  # any would do; fixed so that the table is the same everywhere


def survey() -> Table:
    r"""Return 4,000 invented answers about getting around, with one dependence that holds in the city only.

    Drawn from the log-linear model over the codes :math:`r, a, i, b, c, s` of region, age, income, bus, car
    and content

    .. math:: \log P = -0.9\,|a - i| + 1.0\,(i-1)c + 1.4\,rc - 1.2\,[r=0]\,(a-1)b - 0.8\,rb
              + 1.1\,bs - 0.4\,s + \text{const},

    with :math:`[r=0]` one in the city. In the city the young take the bus; in the country, where few go,
    taking it does not depend on age: age ⊥ bus | region = country, but not in general.

    See Also
    --------
    survey_graph : the Markov network of this model.
    """
    shape = tuple(v.arity for v in SURVEY)
    r, a, i, b, c, s = np.indices(shape)
    score = (
        -0.9 * abs(a - i)
        + 1.0 * (i - 1) * c
        + 1.4 * r * c
        - 1.2 * (r == 0) * (a - 1) * b
        - 0.8 * r * b
        + 1.1 * b * s
        - 0.4 * s
    )
    cumulative = np.cumsum(np.exp(score).ravel())
    draws = np.random.default_rng(SURVEY_SEED).random(SURVEY_ROWS) * cumulative[-1]
    cells = np.unravel_index(np.searchsorted(cumulative, draws, side="right"), shape)
    columns = tuple(cell.astype(np.uint8) for cell in cells)
    return Table(SURVEY, columns, SURVEY_ROWS, notes=("simulated, not observed",), name="survey")


def survey_graph() -> UndirectedGraph:
    """Return the true network of :func:`survey`: variables that share a term of the model are joined."""
    terms = ("age income", "income car", "region car", "region age", "age bus", "region bus", "bus content")
    edges = [(x, y) for x, y in (term.split() for term in terms)]
    return UndirectedGraph([v.name for v in SURVEY], edges)
