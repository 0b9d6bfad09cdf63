"""Markov networks of variables of any kind: states, numbers and counts."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, NoReturn

import numpy as np

from graphoid.data.table import Table, code_columns
from graphoid.errors import CountsTooLarge, DataError, SettingsError
from graphoid.models.distribution import Distribution
from graphoid.models.impute import SWEEPS, draw_states, fill_holes
from graphoid.models.mixed.answers import NumberAnswer, known_number
from graphoid.models.mixed.inference import Reduced, mixture, reduce
from graphoid.models.mixed.layout import Layout
from graphoid.models.mixed.likelihood import conditional, row_densities
from graphoid.models.network import MarkovNetwork
from graphoid.models.observations import evidence_values, row_values
from graphoid.structure.graph import UndirectedGraph

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from graphoid.data.table import Codes
    from graphoid.data.variables import State
    from graphoid.models.divergence import Divergence
    from graphoid.models.estimate import Estimate
    from graphoid.models.gibbs import GibbsSampler
    from graphoid.models.mixed.scale import Scale
    from graphoid.models.network import HasMarkovNetwork
    from graphoid.structure.document import Json

    Matrix = NDArray[np.float64]
    Vector = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class MixedNetwork(MarkovNetwork):
    r"""A pairwise Markov network of variables of any kind.

    .. math:: \log f(v) = \sum_x \alpha_x \cdot \varphi_x(v_x) - \tfrac{1}{2} \sum_{x \in N} k_x z_x^2
              + \sum_{x \sim y} \varphi_x(v_x)^\top W_{xy}\, \varphi_y(v_y) - \log Z

    with :math:`\varphi_x` contrasts of the states of a nominal variable, the score of an ordered one (and
    where the data favor it, bends), and for numbers :math:`N` the standardized normal score :math:`z_x` of
    the value (:class:`~graphoid.models.mixed.scale.Scale`). Given all others, states follow multinomial or
    adjacent-category logits and scores normal distributions ([Lee2015]_). Densities are those of scores.

    Made by :meth:`graphoid.MarkovNetwork.fit` from a table with continuous columns or counts. It answers as
    any Markov network does; numbers are given as evidence and come back on their own scale.

    Parameters
    ----------
    variables, estimated, provenance, max_cells
        See :class:`graphoid.MarkovNetwork`.
    weights
        In the order of ``layout``: of columns of embeddings, of :math:`-\frac{1}{2} z^2` (:math:`k_x - 1`),
        and of pairs of columns.
    scales
        Of the numbers, by position.
    pairs
        Pairs of columns that are joined: see :class:`~graphoid.models.mixed.layout.Layout`.

    Examples
    --------
    >>> import graphoid as gd
    >>> rows = {"dose": [1.5, 2.2, 3.1, 4.5, 5.0, 6.4], "cured": ["no", "no", "yes", "no", "yes", "yes"]}
    >>> table = gd.read(rows, kinds={"dose": "continuous"})
    >>> model = gd.MarkovNetwork.fit(gd.UndirectedGraph(table.names, [("dose", "cured")]), table)
    >>> model.query("cured", {"dose": 6.0}).round(2).tolist()
    [0.13, 0.87]
    >>> model.query("dose", {"cured": "yes"})
    <NumberAnswer: mean 4.806, median 5.022, 90 % from 1.747 to 6.4>
    """

    FORMAT: ClassVar[str] = "graphoid mixed model"

    scales: Mapping[int, Scale] = field(default_factory=dict)
    pairs: NDArray[np.intp] = field(default_factory=lambda: np.empty((0, 2), dtype=np.intp))

    def __post_init__(self) -> None:
        object.__setattr__(self, "variables", tuple(self.variables))
        layout = self.layout
        weights = np.array(self.weights, dtype=np.float64)
        if weights.shape != (layout.n_weights,) or not np.isfinite(weights).all():
            raise SettingsError(
                f"every feature needs one finite weight; got {layout.n_weights:,} features and weights of "
                f"shape {weights.shape}{'' if np.isfinite(weights).all() else ', not all finite'}."
            )
        if np.linalg.eigvalsh(layout.precision(weights)).min(initial=1.0) <= 0:
            raise SettingsError(
                "the weights make no distribution: the scores' precision is not positive definite."
            )
        if set(self.scales) != set(layout.numbers):
            raise SettingsError(
                f"every number needs a scale; got {sorted(self.scales)}, not {list(layout.numbers)}."
            )
        if len({v.name for v in self.variables}) < len(self.variables):
            raise DataError("two variables have the same name; names must differ.")
        weights.flags.writeable = False
        object.__setattr__(self, "weights", weights)

    # What it is made of

    @cached_property
    def layout(self) -> Layout:
        """What each weight belongs to."""
        return Layout(self.variables, self.pairs)

    @cached_property
    def graph(self) -> UndirectedGraph:
        """The structure: variables with a feature in common are joined."""
        return UndirectedGraph(self.names, self.layout.edges)

    @cached_property
    def precision(self) -> Matrix:
        """The precision matrix of the scores of the numbers, in their order, given all states."""
        return self.layout.precision(self.weights)

    def interaction(self, x: int | str, y: int | str) -> Matrix:
        """Return the log-potential of two variables that are joined.

        An axis for each: the states of a variable, or for a number the coefficient of its score.
        """
        parts = []
        for v in (self.position(x), self.position(y)):
            code = self.layout.codes[v]
            parts.append((self.layout.columns[v], np.ones((1, 1)) if code is None else code))
        (mine, left), (theirs, right) = parts
        return np.asarray(left @ self.layout.interactions(self.weights)[mine, theirs] @ right.T)

    def reduce(self, row: Vector) -> Reduced:
        """Return what a row of evidence leaves, codes and scores with NaN where nothing was observed."""
        return reduce(self.layout, self.weights, row, self.max_cells)

    # Probabilities of whole rows

    @cached_property
    def log_partition(self) -> float:
        r""":math:`\log Z`, exactly; refused where the states that are left are too many."""
        return self._log_total(np.full(len(self.variables), np.nan))

    def log_potential(self, rows: object) -> Vector:
        r"""Return :math:`\log f(v) + \log Z` for every row; needs no exact inference."""
        values, layout = self._rows(rows), self.layout
        embedded = layout.embed(values)
        curvature = 1.0 + self.weights[layout.first_curvature : layout.first_pair]
        first, second = layout.pairs.T
        return np.asarray(
            embedded @ self.weights[: layout.n_columns]
            - 0.5 * embedded[:, layout.score_columns] ** 2 @ curvature
            + (embedded[:, first] * embedded[:, second]) @ self.weights[layout.first_pair :]
        )

    def pseudo_log_likelihood(self, table: object) -> float:
        """Return the sum over rows and variables of what :meth:`conditional_log_scores` has.

        Weighted rows count by their weight. Divide by rows and variables for the figure that papers print.
        """
        each = self.conditional_log_scores(table).sum(axis=1)
        weights = table.weights if isinstance(table, Table) else None
        return float(each.sum() if weights is None else each @ weights.values)

    def conditional_log_scores(self, rows: object) -> Matrix:
        """Return log P(value | all others) for every row and variable: a line a row.

        Of states the log probability, of numbers the log density of the score; models that were fitted to the
        same table have the same scores, so that these can be compared. A value outside the range of that
        table counts as the nearest one in it; a state that it did not have is refused.
        """
        return row_densities(self.layout, self.weights, self._rows(rows))

    def log_conditionals(self, x: int | str, rows: object) -> Matrix:
        """Return the log probability of every state of a variable given all others: (states, rows).

        Of a number one line: the log density of the score that it has.
        """
        v, values = self.position(x), self._rows(rows)
        given = conditional(self.layout, self.weights, self.layout.embed(values), v)
        return self.conditional_log_scores(rows)[:, v][None, :] if given.log_p is None else given.log_p.T

    # Questions

    def query(  # type: ignore[override] # numbers have no table of probabilities
        self, variables: int | str | Sequence[int | str], evidence: object = None
    ) -> NDArray[np.float64] | NumberAnswer | list[NumberAnswer]:
        """Return the joint distribution of variables with states, or the distribution of a number, exactly.

        Parameters
        ----------
        variables
            One or several with states: the answer has an axis for each, in this order. Or one number: the
            answer has its mean and its quantiles.
        evidence
            As in :meth:`graphoid.MarkovNetwork.query`; numbers are given as they are. With many rows, the
            answer's first axis is theirs, and of a number there is a list of answers.

        Notes
        -----
        Exact answers exist where the junction tree of the states is small once the numbers that were not
        observed are integrated out; otherwise a sentence says so, and :meth:`estimate` answers.
        """
        over = self._positions(variables)
        values, many = self._evidence(evidence)
        if any(x in self.scales for x in over):
            if len(over) > 1:
                raise SettingsError(
                    "query answers about several variables with states, or about one number; ask about each "
                    "number by itself, or use estimate for several."
                )
            given, _ = evidence_values(evidence, self.variables)
            known = given[:, over[0]].tolist()
            found = [self._number(over[0], row, value) for row, value in zip(values, known, strict=True)]
            return found if many else found[0]
        place = {x: i for i, x in enumerate(self.layout.states)}
        p = (
            np.stack([self._states(tuple(place[x] for x in over), row) for row in values])
            if len(values)
            else (np.empty((0, *(self.arities[x] for x in over))))
        )
        return Distribution.of(p if many else p[0], [self.variables[x] for x in over])

    def marginals(self, evidence: object = None) -> dict[str, object]:  # type: ignore[override]
        """Return the distribution of every variable given evidence: see :meth:`query`."""
        return {name: self.query(x, evidence) for x, name in enumerate(self.names)}

    def log_evidence(self, evidence: object = None) -> Vector | float:
        """Return the log probability of evidence, a density where numbers were given: one for each row."""
        values, many = self._evidence(evidence)
        found = np.array([self._log_total(row) for row in values]) - self.log_partition
        return found if many else float(found[0])

    def most_probable(
        self, evidence: object = None, variables: Sequence[int | str] | None = None
    ) -> dict[str, State] | Table:
        """Refuse: states have probabilities and numbers densities, and no value of both is most probable."""
        del evidence, variables
        return self._refuse("most probable states", "Ask query or estimate for each variable")

    def estimate(
        self,
        variables: int | str | Sequence[int | str],
        evidence: Mapping[str, object] | Mapping[int, object] | None = None,
        *,
        sampler: GibbsSampler | None = None,
        random_state: np.random.Generator | int | None = None,
    ) -> Estimate:
        """Return what :meth:`query` does, by Gibbs sampling: with errors, and whether the chains agree.

        Any variables together: those with states have their joint ``probabilities``, each number its mean and
        quantiles in ``numbers``. ``evidence`` is one row.
        """
        from graphoid.models.mixed.sampling import estimate

        row = self._one_row(evidence, "estimate takes one row of evidence")
        given = evidence_values(evidence, self.variables).values[0]
        rng = np.random.default_rng(random_state)
        return estimate(self, self._positions(variables), row, given, sampler, rng)

    def sample(
        self,
        n: int,
        random_state: np.random.Generator | int | None = None,
        *,
        evidence: Mapping[str, object] | Mapping[int, object] | None = None,
        sampler: GibbsSampler | None = None,
    ) -> Table:
        """Return a table of ``n`` rows drawn from the model, of the kinds of the table it was fitted to.

        Parameters are those of :meth:`graphoid.MarkovNetwork.sample`. Numbers are within the range of the
        table that the model was fitted to, and counts are whole.
        """
        from graphoid.models.mixed.sampling import sample_rows

        row = self._one_row(evidence, "a sample takes one row of evidence")
        if n < 0:
            raise SettingsError(f"n is a number of rows and cannot be {n}.")
        values, how = sample_rows(self, n, row, sampler, np.random.default_rng(random_state))
        given, _ = evidence_values(evidence, self.variables)
        return self._table(values, given[0], f"simulated: {how}")

    def impute(
        self,
        table: object,
        *,
        sweeps: int = SWEEPS,
        random_state: np.random.Generator | int | None = None,
    ) -> Table:
        """Return rows with their missing cells drawn given all that was observed in them.

        As :meth:`graphoid.MarkovNetwork.impute`; numbers are drawn within the range of the table that the
        model was fitted to, and counts are whole.
        """
        given = evidence_values(table, self.variables).values
        curvature = 1.0 + self.weights[self.layout.first_curvature : self.layout.first_pair]
        spread = dict(zip(self.layout.numbers, curvature**-0.5, strict=True))

        def draw(v: int, rows: Matrix, rng: np.random.Generator) -> Vector:
            one = conditional(self.layout, self.weights, self.layout.embed(rows), v)
            if one.log_p is not None:
                return draw_states(one.log_p.T, rng)
            mean = one.predictors[:, 0] * spread[v] ** 2
            return np.asarray(mean + spread[v] * rng.standard_normal(len(rows)))

        def start(v: int, rows: Matrix, rng: np.random.Generator) -> Vector:
            if v in self.scales:
                return rng.standard_normal(len(rows))
            return rng.integers(0, self.arities[v], len(rows)).astype(np.float64)

        values = self._encode(given)
        filled = fill_holes(values, sweeps, draw, start, np.random.default_rng(random_state))
        note = f"{np.isnan(given).sum():,} missing cell(s) were drawn from a Markov network."
        return self._table(filled, given, note)

    def kl(
        self,
        other: HasMarkovNetwork,
        *,
        n_samples: int = 100_000,
        random_state: np.random.Generator | int | None = None,
    ) -> Divergence:
        """Refuse: what is offered is the held-out score of both."""
        del other, n_samples, random_state
        return self._refuse("divergence", "Compare pseudo_log_likelihood of both on rows they have not seen")

    # Other forms

    def to_uai(self, path: str | os.PathLike[str]) -> None:
        """Refuse: the format has tables of states only."""
        del path
        self._refuse("UAI file", "Save it as JSON, or discretize the table and fit again")

    def to_body(self) -> Json:
        """Return everything as plain values."""
        from graphoid.models.mixed import io

        return io.to_body(self)

    @classmethod
    def from_body(cls, body: Json) -> MixedNetwork:
        """Return the model that plain values describe."""
        from graphoid.models.mixed import io

        return io.from_body(body)

    def __reduce__(self) -> tuple[type[MarkovNetwork], tuple[object, ...]]:
        known, variables = super().__reduce__()
        return known, (*variables, self.scales, self.pairs)

    def __repr__(self) -> str:
        n = len(self.scales)
        return (
            f"<MixedNetwork: {len(self.variables):,} variables, {n:,} of them "
            f"{'a number' if n == 1 else 'numbers'}, {len(self.weights):,} weights>"
        )

    # Help for the above

    def _rows(self, rows: object) -> Matrix:
        """Return whole rows as codes and scores."""
        return self._encode(row_values(rows, self.variables))

    def _evidence(self, evidence: object) -> tuple[Matrix, bool]:
        """Return evidence as codes and scores, and whether it was many rows."""
        values, many = evidence_values(evidence, self.variables)
        return self._encode(values), many

    def _one_row(self, evidence: object, rule: str) -> Vector:
        values, many = self._evidence(evidence)
        if many:
            raise SettingsError(f"{rule}; got {len(values):,}.")
        return np.asarray(values[0])

    def _encode(self, values: Matrix) -> Matrix:
        found = values.copy()
        for x, scale in self.scales.items():
            found[:, x] = np.where(np.isnan(values[:, x]), np.nan, scale.encode(values[:, x]))
        return found

    def _log_total(self, row: Vector) -> float:
        try:
            return self.reduce(row).log_total()
        except CountsTooLarge as error:
            raise _no_exact(error) from None

    def _states(self, over: tuple[int, ...], row: Vector) -> Vector:
        reduced = self.reduce(row)
        if reduced.network is None:
            raise SettingsError("the model has no variables with states.")
        try:
            return reduced.network.query(over, reduced.codes)
        except CountsTooLarge as error:
            raise _no_exact(error) from None

    def _number(self, x: int, row: Vector, value: float) -> NumberAnswer:
        if not np.isnan(value):
            return known_number(value)
        try:
            return mixture(self.layout, self.reduce(row), x).answer(self.scales[x])
        except CountsTooLarge as error:
            raise _no_exact(error) from None

    def _table(self, values: Matrix, given: Matrix, note: str) -> Table:
        """Return rows of codes and scores as a table; what was given, to all or to each, is as it was."""
        states, numbers = self.layout.states, {}
        columns: list[Codes | None] = [None] * len(self.variables)
        codes = code_columns(values[:, list(states)].astype(np.int64), [self.variables[x] for x in states])
        for x, column in zip(states, codes, strict=True):
            columns[x] = column
        for x, scale in self.scales.items():
            known = np.broadcast_to(given[..., x], len(values))
            numbers[x] = np.where(np.isnan(known), scale.decode(values[:, x]), known)
        return Table(
            self.variables, tuple(columns), len(values), numbers, notes=(note,), name="Markov network"
        )

    def _refuse(self, what: str, instead: str) -> NoReturn:
        raise SettingsError(f"a model with numbers has no {what}. {instead}.")


def _no_exact(error: CountsTooLarge) -> CountsTooLarge:
    return CountsTooLarge(f"no exact answer can be had: with its numbers integrated out, {error}")
