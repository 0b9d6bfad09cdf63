"""Markov networks: variables, a structure, and weights that make it a distribution."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING, ClassVar, Literal, Protocol

import numpy as np

from graphoid.data.table import Table, code_columns, with_states
from graphoid.data.variables import NamedVariables, State, Variable
from graphoid.errors import DataError, SettingsError
from graphoid.models.distribution import Distribution
from graphoid.models.factors import Factor, check_factors
from graphoid.models.impute import SWEEPS, draw_states, fill_holes
from graphoid.models.inference import ExactInference
from graphoid.models.junction_tree import MAX_CELLS, JunctionTree, junction_tree
from graphoid.models.observations import evidence_codes, row_codes
from graphoid.models.potentials import Potential, check_feature, potentials
from graphoid.models.pseudo_likelihood import PseudoLikelihood
from graphoid.structure.document import Document, Json
from graphoid.structure.graph import UndirectedGraph

if TYPE_CHECKING:
    import os

    import networkx as nx
    from numpy.typing import NDArray

    from graphoid.logic.assertion import Context
    from graphoid.models.divergence import Divergence
    from graphoid.models.estimate import Estimate
    from graphoid.models.fitting import Structure
    from graphoid.models.gibbs import GibbsSampler
    from graphoid.models.maximum_pseudo_likelihood import CrossValidated, Penalty


MOST_SHOWN = 50
"""Variables that a notebook shows."""


class HasMarkovNetwork(Protocol):
    """A distribution that can be written as a Markov network, such as the networks to sample from."""

    def to_markov_network(self) -> MarkovNetwork:
        """Return the same distribution as a model."""


class Estimated(Protocol):
    """An estimate that knows the standard errors of its weights."""

    @property
    def standard_errors(self) -> NDArray[np.float64]:
        """One for each weight."""


@dataclass(frozen=True, eq=False)
class Recorded:
    """What is kept of an estimate in a file or a copy."""

    standard_errors: NDArray[np.float64]
    """One for each weight."""


@dataclass(frozen=True, eq=False, repr=False)
class MarkovNetwork(NamedVariables, Document):
    r"""A log-linear distribution of discrete variables.

    .. math:: \log P(v) = \sum_f w_f\,[v \text{ agrees with } f] + \sum_c \log \phi_c(v_c) - \log Z

    Features :math:`f` are partial assignments, such as "region is north and income is low"; factors
    :math:`\phi_c` are tables over a few variables. A model has either or both.

    Made by :meth:`fit`, :meth:`from_uai`, :func:`graphoid.load`, or ``to_markov_network()`` of the networks
    in :mod:`graphoid.datasets`.

    Parameters
    ----------
    variables
        With their states, in order of position.
    features
        Partial assignments: ((position, code), ...).
    weights
        :math:`w_f`, one for each feature.
    factors
        Tables of :math:`\log \phi_c`; minus infinity makes states impossible.
    estimated
        How the weights were estimated, if they were.
    provenance
        Where the model came from, as plain values: what was fitted, to which data, and how.
    max_cells
        The largest table that an exact answer may need. What needs more is refused with its size;
        :meth:`estimate` and :meth:`sample` go on without.

    Examples
    --------
    >>> import graphoid as gd
    >>> names = ["class", "sex", "age", "survived"]
    >>> graph = gd.UndirectedGraph(names, [(0, 1), (0, 2), (0, 3), (1, 3), (2, 3)])
    >>> model = gd.MarkovNetwork.fit(graph, gd.datasets.load("titanic"))
    >>> model.query("survived", {"class": "1st", "sex": "female"}).round(2).tolist()
    [0.03, 0.97]
    """

    FORMAT: ClassVar[str] = "graphoid model"

    variables: tuple[Variable, ...]
    features: tuple[Context, ...] = ()
    weights: NDArray[np.float64] = field(default_factory=lambda: np.empty(0))
    factors: tuple[Factor, ...] = ()
    estimated: Estimated | None = None
    provenance: Json = field(default_factory=dict)
    max_cells: int = MAX_CELLS

    def __post_init__(self) -> None:
        variables = tuple(self.variables)
        for v in variables:
            if v.continuous:
                raise DataError(f"{v.name!r} is continuous and has no states; MarkovNetwork.fit takes it.")
        arities = [v.arity for v in variables]
        weights = np.array(self.weights, dtype=np.float64)
        features = tuple(check_feature(feature, arities) for feature in self.features)
        if weights.shape != (len(features),) or not np.isfinite(weights).all():
            raise SettingsError(
                f"every feature needs one finite weight; got {len(features):,} features and weights of shape "
                f"{weights.shape}{'' if np.isfinite(weights).all() else ', not all finite'}."
            )
        weights.flags.writeable = False
        factors = tuple(Factor(tuple(f.members), np.array(f.log_values, dtype=float)) for f in self.factors)
        for factor in factors:
            factor.log_values.flags.writeable = False
        object.__setattr__(self, "variables", variables)
        object.__setattr__(self, "features", features)
        object.__setattr__(self, "weights", weights)
        object.__setattr__(self, "factors", check_factors(len(variables), factors, arities, zeros=True))
        if len({v.name for v in variables}) < len(variables):
            raise DataError("two variables have the same name; names must differ.")

    @classmethod
    def fit(
        cls,
        structure: Structure,
        table: object,
        penalty: Penalty | CrossValidated | float | None = None,
        *,
        method: Literal["pseudo", "exact"] = "pseudo",
        max_cells: int = MAX_CELLS,
    ) -> MarkovNetwork:
        r"""Return a model with the weights that explain a table best.

        Parameters
        ----------
        structure
            A graph, a learned structure, a canonical model (anything with ``.features``), or a list of
            features. A graph has a feature for every configuration of every maximal clique.
        table
            Rows to fit, or a source that :func:`graphoid.read` reads. Variables are matched by name; those of
            a graph without names by position.
        penalty
            On the sum over rows: a number :math:`\lambda` for :math:`\tfrac{1}{2} \lambda |w|^2`, ``L1()``,
            ``L2()``, ``ElasticNet()``, or ``CrossValidated()``. None is :math:`\lambda = 1`.
        method
            "pseudo": maximum pseudo-likelihood, for any size. "exact": maximum likelihood, where the junction
            tree is small.
        max_cells
            See the class.

        Notes
        -----
        [Edera2014]_ learns weights by pseudo-likelihood and does not say which features a plain graph has.
        Here they are all configurations of the maximal cliques, also those that no row shows, because a graph
        speaks of variables and not of values; the penalty keeps the weights of the unseen ones finite. An
        isolated variable has a feature for each of its states.

        A table with columns of numbers gives a :class:`~graphoid.MixedNetwork`, whose features are pairs of
        variables; where the structure has features of states, the numbers are cut and a warning says so.
        """
        from graphoid.models.fitting import features_of, fit_features, has_features, provenance

        if not isinstance(table, Table):
            from graphoid.data.read import read

            table = read(table)
        if any(v.continuous for v in table.variables) and not has_features(structure):
            from graphoid.models.mixed.fitting import fit_network

            return fit_network(structure, table, penalty, method, max_cells)
        table = with_states(table)
        features = features_of(structure, table)
        found = fit_features(features, table, penalty, method, max_cells)
        return MarkovNetwork(  # also of MixedNetwork, where there are no numbers
            table.variables,
            features,
            found.weights,
            estimated=found,
            provenance=provenance(structure, table, found, method),
            max_cells=max_cells,
        )

    # What it is made of

    @cached_property
    def arities(self) -> tuple[int, ...]:
        """How many states each variable has."""
        return tuple(v.arity for v in self.variables)

    @cached_property
    def potentials(self) -> tuple[Potential, ...]:
        """Features by the variables they share, and factors: what inference works on."""
        return potentials(self.arities, self.features, self.weights, self.factors)

    @cached_property
    def graph(self) -> UndirectedGraph:
        """The structure: variables that share a feature or a factor are joined."""
        edges = {
            (x, y)
            for potential in self.potentials
            for i, x in enumerate(potential.members)
            for y in potential.members[i + 1 :]
        }
        return UndirectedGraph(self.names, sorted((min(edge), max(edge)) for edge in edges))

    @property
    def standard_errors(self) -> NDArray[np.float64] | None:
        """The standard error of each weight; None where weights were not estimated."""
        return None if self.estimated is None else self.estimated.standard_errors

    @cached_property
    def tree(self) -> JunctionTree:
        """The junction tree of the whole model; refused with its size where it is too large."""
        return junction_tree((p.members for p in self.potentials), self.arities, max_cells=self.max_cells)

    @cached_property
    def exact(self) -> ExactInference:
        """Exact answers on codes; what :meth:`query` and its like are made of."""
        return ExactInference(self.arities, self.potentials, self.max_cells)

    # Probabilities of whole rows

    @cached_property
    def log_partition(self) -> float:
        r""":math:`\log Z`: the logarithm of what all states add up to before it is made one."""
        nothing = evidence_codes(None, self.variables).codes
        self._refuse_impossible(nothing)
        return float(self.exact.log_total(nothing)[0])

    def log_potential(self, rows: object) -> NDArray[np.float64]:
        r"""Return :math:`\log P(v) + \log Z` for every row; needs no exact inference."""
        codes = row_codes(rows, self.variables)
        total = np.zeros(len(codes))
        for potential in self.potentials:
            total += potential.at(codes)
        return total

    def log_probability(self, rows: object) -> NDArray[np.float64]:
        """Return the natural logarithm of the probability of every row.

        Parameters
        ----------
        rows
            A table or data frame, a 2-D array of codes, or a dictionary of states or lists of them.
        """
        return self.log_potential(rows) - self.log_partition

    def pseudo_log_likelihood(self, table: object) -> float:
        r"""Return :math:`\sum_{rx} \log P(v_{rx} \mid v_{r, -x})` over rows :math:`r`, variables :math:`x`.

        Weighted rows count by their weight. Divide by rows and variables for the figure that papers print.
        """
        codes = row_codes(table, self.variables)
        weights = table.weights if isinstance(table, Table) else None
        if not self.factors:
            rows = replace(_table(self.variables, codes, "rows"), weights=weights)
            return PseudoLikelihood(self.features, rows).value(self.weights)
        each = np.zeros(len(codes))
        for x in range(len(self.variables)):
            log_p = self.log_conditionals(x, codes)
            each += log_p[codes[:, x], np.arange(len(codes))]
        return float(each.sum() if weights is None else each @ weights.values)

    def log_conditionals(self, x: int | str, rows: object) -> NDArray[np.float64]:
        """Return the log probability of every state of a variable given all others: (states, rows).

        Others that cannot occur together are refused.
        """
        v = self.position(x)
        codes = row_codes(rows, self.variables)
        score = np.zeros((self.arities[v], len(codes)))
        for potential in self.potentials:
            if v in potential.members:
                given = potential.given(set(potential.members) - {v})
                score += given.tables[:, given.which(codes)]
        best = score.max(axis=0)
        if np.isneginf(best).any():
            others = codes[np.argmin(best)].copy()
            others[v] = -1
            raise self._impossible(others)
        score -= best
        score -= np.log(np.exp(score).sum(axis=0))
        return score

    # Questions

    def query(self, variables: int | str | Sequence[int | str], evidence: object = None) -> Distribution:
        """Return the joint distribution of variables given evidence, exactly.

        An array that prints as a table with names and states; ``to_frame()`` makes it a data frame.

        Parameters
        ----------
        variables
            One or several, by name or position; the answer has an axis for each, in this order.
        evidence
            None; a dictionary from variables to states; or many rows at once: a table, a data frame, a
            dictionary of lists, or a 2-D array of codes (-1: not observed). With many rows, the answer's
            first axis is theirs.

        Notes
        -----
        A variable that is asked about and observed has all its probability on what was observed.
        """
        over = self._positions(variables)
        codes, many = evidence_codes(evidence, self.variables)
        self._refuse_impossible(codes)
        p = self.exact.joint(codes, over)
        return Distribution.of(p if many else p[0], [self.variables[v] for v in over])

    def marginals(self, evidence: object = None) -> dict[str, NDArray[np.float64]]:
        """Return the distribution of every variable given evidence (see :meth:`query`), from one pass."""
        codes, many = evidence_codes(evidence, self.variables)
        self._refuse_impossible(codes)
        found = self.exact.marginals(codes, [(v,) for v in range(len(self.variables))])
        return {name: p if many else p[0] for name, p in zip(self.names, found, strict=True)}

    def log_evidence(self, evidence: object = None) -> NDArray[np.float64] | float:
        """Return the log probability of evidence (see :meth:`query`): a number, or one for each row."""
        codes, many = evidence_codes(evidence, self.variables)
        log_p = self.exact.log_total(codes) - self.log_partition
        return log_p if many else float(log_p[0])

    def most_probable(
        self, evidence: object = None, variables: Sequence[int | str] | None = None
    ) -> dict[str, State] | Table:
        """Return the most probable states given evidence: a dictionary, or a table for many rows.

        Parameters
        ----------
        evidence
            See :meth:`query`.
        variables
            None for the most probable explanation: all variables jointly. Otherwise the most probable joint
            state of these, the others summed out.
        """
        codes, many = evidence_codes(evidence, self.variables)
        if variables is None:
            chosen: Sequence[int] = range(len(self.variables))
            self._refuse_impossible(codes)
            found = self.exact.most_probable(codes)
        else:
            chosen = self._positions(variables)
            p = self.query(chosen, codes)
            best = np.unravel_index(p.reshape(len(codes), -1).argmax(axis=1), p.shape[1:])
            found = codes.copy()
            for v, states in zip(chosen, best, strict=True):
                found[:, v] = states
        kept = [self.variables[v] for v in chosen]
        if not many:
            return {v.name: v.states[found[0, k]] for k, v in zip(chosen, kept, strict=True)}
        return _table(kept, found[:, list(chosen)], "most probable states")

    def estimate(
        self,
        variables: int | str | Sequence[int | str],
        evidence: Mapping[str, object] | Mapping[int, object] | None = None,
        *,
        sampler: GibbsSampler | None = None,
        random_state: np.random.Generator | int | None = None,
    ) -> Estimate:
        """Return what :meth:`query` does, by Gibbs sampling: with standard errors, and if the chains agree.

        For models too large for exact answers. ``evidence`` is one row.
        """
        from graphoid.models.estimate import estimate

        over = self._positions(variables)
        codes, many = evidence_codes(evidence, self.variables)
        if many:
            raise SettingsError(
                f"estimate takes one row of evidence; got {len(codes):,}. Use query for many."
            )
        self._refuse_contradicted(codes[0])
        rng = np.random.default_rng(random_state)
        return estimate(self.potentials, self.arities, over, codes[0], sampler, rng)

    def sample(
        self,
        n: int,
        random_state: np.random.Generator | int | None = None,
        *,
        evidence: Mapping[str, object] | Mapping[int, object] | None = None,
        sampler: GibbsSampler | None = None,
    ) -> Table:
        """Return a table of ``n`` rows drawn from the model.

        Parameters
        ----------
        n
            How many rows.
        random_state
            Seed or generator; None for a different sample each time.
        evidence
            States that every row has, as in :meth:`query`; one row.
        sampler
            Sample by Gibbs chains. None draws independent rows by the junction tree where it is small enough,
            and otherwise uses :class:`~graphoid.models.gibbs.GibbsSampler` as it comes; the table's notes say
            which.
        """
        from graphoid.models.sampling import sample_codes

        codes, many = evidence_codes(evidence, self.variables)
        if many:
            raise SettingsError(f"a sample takes one row of evidence; got {len(codes):,}.")
        if n < 0:
            raise SettingsError(f"n is a number of rows and cannot be {n}.")
        if sampler is None:
            self._refuse_impossible(codes)
        self._refuse_contradicted(codes[0])
        rows, how = sample_codes(self, n, codes[0], sampler, np.random.default_rng(random_state))
        return _table(self.variables, rows, f"simulated: {how}")

    def impute(
        self,
        table: object,
        *,
        sweeps: int = SWEEPS,
        random_state: np.random.Generator | int | None = None,
    ) -> Table:
        """Return rows with their missing cells drawn given all that was observed in them.

        Observed cells stay as they are. A draw has the spread that the model leaves: take several, with
        different seeds, to see what the missing cells leave open.

        Parameters
        ----------
        table
            Rows, as evidence is given to :meth:`query`: a data frame, a table or a dictionary of columns,
            with missing cells; a column that is not there is missing in all rows.
        sweeps
            Gibbs sweeps over the missing cells; they begin at values that other rows have.
        random_state
            Seed or generator; None for a different draw each time.
        """
        rng = np.random.default_rng(random_state)
        codes = evidence_codes(table, self.variables).codes

        def draw(v: int, rows: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.float64]:
            return draw_states(self.log_conditionals(v, rows.astype(np.int64)), rng)

        def start(v: int, rows: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.float64]:
            return rng.integers(0, self.arities[v], len(rows)).astype(np.float64)

        values = np.where(codes < 0, np.nan, codes)
        filled = fill_holes(values, sweeps, draw, start, rng)
        note = f"{np.isnan(values).sum():,} missing cell(s) were drawn from a Markov network."
        return _table(self.variables, filled.astype(np.int64), note)

    def kl(
        self,
        other: HasMarkovNetwork,
        *,
        n_samples: int = 100_000,
        random_state: np.random.Generator | int | None = None,
    ) -> Divergence:
        r"""Return :math:`KL(P \| Q) = \sum_v P(v) \log P(v)/Q(v)` from this model :math:`P` to another.

        A number that also knows its ``standard_error`` and its ``method``: "exact" where a junction tree
        holds the scopes of both models, else "sampling" or "path" (see :mod:`graphoid.models.divergence`).

        Parameters
        ----------
        other
            A model of the same variables, or a network of :mod:`graphoid.datasets`.
        n_samples
            Rows to sample where it is not exact.
        random_state
            Seed or generator for them.
        """
        from graphoid.models.divergence import divergence

        return divergence(self, other.to_markov_network(), n_samples, np.random.default_rng(random_state))

    # Other forms

    def to_markov_network(self) -> MarkovNetwork:
        """Return the model itself; networks of :mod:`graphoid.datasets` have this too."""
        return self

    def to_networkx(self) -> nx.Graph:
        """Return a ``networkx.Graph`` whose nodes are the names, with their states."""
        graph = self.graph.to_networkx()
        for v in self.variables:
            graph.nodes[v.name]["states"] = list(v.states)
        return graph

    def to_graphml(self, path: str | os.PathLike[str]) -> None:
        """Write the structure as GraphML; states are JSON text there."""
        import json

        from graphoid.structure import graphml

        graph = self.to_networkx()
        for _, attributes in graph.nodes(data=True):
            attributes["states"] = json.dumps(attributes["states"], ensure_ascii=False)
        graphml.write(graph, path)

    def to_uai(self, path: str | os.PathLike[str]) -> None:
        """Write the model in the UAI competition's format: tables without names."""
        from graphoid.models import uai

        uai.write(self, path)

    @classmethod
    def from_uai(
        cls, path: str | os.PathLike[str], variables: Sequence[Variable] | None = None
    ) -> MarkovNetwork:
        """Return the model in a UAI file; the format has no names, so ``variables`` may give them."""
        from graphoid.models import uai

        return uai.read(path, variables)

    def to_body(self) -> Json:
        """Return everything as plain values."""
        from graphoid.models import io

        return io.to_body(self)

    @classmethod
    def from_body(cls, body: Json) -> MarkovNetwork:
        """Return the model that plain values describe."""
        from graphoid.models import io

        return io.from_body(body)

    def __reduce__(self) -> tuple[type[MarkovNetwork], tuple[object, ...]]:
        # an estimate holds rows inside the kernels, which cannot be copied; its errors can
        kept = None if self.standard_errors is None else Recorded(self.standard_errors)
        parts = (self.variables, self.features, self.weights, self.factors, kept, dict(self.provenance))
        return type(self), (*parts, self.max_cells)

    def __repr__(self) -> str:
        parts = [
            f"{n:,} {what}{'' if n == 1 else 's'}"
            for n, what in ((len(self.features), "feature"), (len(self.factors), "factor"))
            if n
        ]
        return f"<MarkovNetwork: {len(self.variables):,} variables, {', '.join(parts) or 'no features'}>"

    def _repr_html_(self) -> str:
        names = self.names
        joined = "".join(
            f"<tr><th>{escape(name)}</th><td>{self.arities[v]:,}</td>"
            f"<td>{escape(', '.join(names[y] for y in self.graph.blanket(v)) or 'nothing')}</td></tr>"
            for v, name in enumerate(names[:MOST_SHOWN])
        )
        more = len(names) - MOST_SHOWN
        rest = f"<p>and {more:,} more variables</p>" if more > 0 else ""
        fitted = {key: self.provenance[key] for key in ("data", "n_rows", "method") if key in self.provenance}
        facts = escape(", ".join(f"{key.replace('_', ' ')}: {value}" for key, value in fitted.items()))
        return (
            f"<p><b>{escape(repr(self)[1:-1])}</b></p>{f'<p>{facts}</p>' if facts else ''}"
            f"<table><tr><th>variable</th><th>states</th><th>joined to</th></tr>{joined}</table>{rest}"
        )

    # Help for the above

    def _positions(self, variables: int | str | Iterable[int | str]) -> tuple[int, ...]:
        """Return the positions asked about: at least one, none of them twice."""
        if isinstance(variables, str) or not isinstance(variables, Iterable):
            variables = [variables]
        over = tuple(map(self.position, variables))
        if not over or len(set(over)) < len(over):
            raise SettingsError(f"ask about one or more different variables; got {variables!r}.")
        return over

    def _refuse_impossible(self, codes: NDArray[np.int64]) -> None:
        """Raise if some row of evidence has no probability at all; where nothing is impossible, none has."""
        if all(np.isfinite(factor.log_values).all() for factor in self.factors):
            return
        impossible = np.flatnonzero(np.isneginf(self.exact.log_total(codes)))
        if not impossible.size:
            return
        more = f"; {impossible.size:,} rows like it" if len(codes) > 1 else ""
        raise self._impossible(codes[impossible[0]], more)

    def _refuse_contradicted(self, row: NDArray[np.int64]) -> None:
        """Raise if a factor leaves nothing of a row of evidence; Gibbs chains would not look at it again."""
        for members, log_values in self.factors:
            left = log_values[tuple(row[v] if row[v] >= 0 else slice(None) for v in members)]
            if np.isneginf(left).all():
                raise self._impossible(row)

    def _impossible(self, row: NDArray[np.int64], more: str = "") -> DataError:
        """Return the error for a row of evidence without probability."""
        if (row < 0).all():
            return DataError("no state has a probability above zero: the factors contradict each other.")
        states = [f"{v.name} = {v.states[c]}" for v, c in zip(self.variables, row, strict=True) if c >= 0]
        return DataError(f"the evidence ({', '.join(states[:6])}) has probability zero{more}.")


def _table(variables: Sequence[Variable], codes: NDArray[np.integer], note: str) -> Table:
    columns = code_columns(codes, variables)
    return Table(tuple(variables), columns, len(codes), notes=(note,), name="Markov network")
