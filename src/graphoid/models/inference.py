"""Exact answers of a log-linear model: sums, maxima and draws by messages in a junction tree."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from graphoid.errors import CountsTooLarge
from graphoid.models.junction_tree import MAX_CELLS, JunctionTree, junction_tree, n_cells
from graphoid.models.propagation import Part, Propagation, largest, log_sum_exp

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from graphoid.models.potentials import Potential

OWN_GROUP = 32
"""Rows of one pattern of evidence from which on they get a tree of their own, smaller by all they observe."""

ANSWER = 2**27
"""Cells of one answer, all rows together: 1 GB."""

HELD = 2**25
"""Cells of messages held at a time: 256 MB. More rows of evidence are answered in several rounds."""


@dataclass(frozen=True, eq=False)
class ExactInference:
    """Answers from potentials over variables; evidence is a row of codes, -1 where nothing was observed.

    Rows that observe the same variables share a tree without them, which is smaller and may fall apart; rows
    with rare patterns share one in which their evidence is a table of zeros and ones.

    Parameters
    ----------
    arities
        How many states each variable has.
    potentials
        What is added up to the logarithm of a probability, less a constant.
    max_cells
        The most cells a cluster may have.
    """

    arities: tuple[int, ...]
    potentials: tuple[Potential, ...]
    max_cells: int = MAX_CELLS
    trees: dict[object, JunctionTree] = field(default_factory=dict, repr=False)
    """Trees of earlier questions; models with the same scopes can share them."""

    def log_total(self, codes: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return for every row the logarithm of the sum over all states that agree with its evidence."""
        found = np.empty(len(codes))
        for rows, passing in self._groups(codes):
            passing.collect()
            found[rows] = passing.total()
        return found

    def joint(self, codes: NDArray[np.int64], over: tuple[int, ...]) -> NDArray[np.float64]:
        """Return the probability of every joint state of some variables given every row.

        One axis for the rows, then one for each variable asked about. NaN where a row has no probability.
        """
        shape = (len(codes), *(self.arities[v] for v in over))
        if math.prod(shape) > ANSWER:
            gigabytes = 8 * math.prod(shape) / 2**30
            raise CountsTooLarge(
                f"the answer has {' x '.join(map(str, shape))} cells ({gigabytes:,.1f} GB); at most "
                f"{ANSWER:,} are given at once. Ask about fewer variables or for fewer rows."
            )
        found = np.empty(shape)
        for rows, passing in self._groups(codes, root=over):
            passing.collect()
            found[rows] = _shares(passing.belief(0, over))
        return found

    def marginals(
        self, codes: NDArray[np.int64], scopes: Sequence[tuple[int, ...]]
    ) -> list[NDArray[np.float64]]:
        """Return what :meth:`joint` says for several scopes from one pass; each must fit a cluster."""
        return self.total_and_marginals(codes, scopes)[1]

    def total_and_marginals(
        self, codes: NDArray[np.int64], scopes: Sequence[tuple[int, ...]]
    ) -> tuple[NDArray[np.float64], list[NDArray[np.float64]]]:
        """Return what :meth:`log_total` and :meth:`marginals` say, from one pass."""
        total = np.empty(len(codes))
        found = [np.empty((len(codes), *(self.arities[v] for v in scope))) for scope in scopes]
        for rows, passing in self._groups(codes, scopes=scopes):
            passing.collect()
            total[rows] = passing.total()
            passing.distribute()
            for scope, out in zip(scopes, found, strict=True):
                out[rows] = _shares(passing.belief(passing.tree.holding(scope, self.arities), scope))
        return total, found

    def most_probable(self, codes: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return every row completed to its most probable states; of equals the first."""
        done = codes.copy()
        for rows, passing in self._groups(codes, reduce=largest):
            passing.collect()
            states = codes[rows]
            passing.descend(states, lambda table, version: table.argmax(axis=0)[version])
            done[rows] = states
        return done

    def draw(self, codes: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.int64]:
        """Return every row completed by states drawn given its evidence, independently."""
        done = codes.copy()
        for rows, passing in self._groups(codes):
            passing.collect()
            states = codes[rows]
            passing.descend(states, lambda table, version: _draw_states(table, version, rng))
            done[rows] = states
        return done

    def _groups(
        self,
        codes: NDArray[np.int64],
        *,
        root: tuple[int, ...] = (),
        scopes: Sequence[tuple[int, ...]] = (),
        reduce: Callable[[NDArray[np.float64]], NDArray[np.float64]] = log_sum_exp,
    ) -> Iterator[tuple[NDArray[np.intp], Propagation]]:
        """Yield groups of rows, with messages ready to be passed for them.

        ``root`` and ``scopes`` stay in the tree, also where they are observed.
        """
        stay = {*root, *(v for scope in scopes for v in scope)}
        for rows, tree, fixed in self._plans(codes, stay, root, scopes):
            separators = sum(n_cells(tree.separator(k), self.arities) for k in range(len(tree.clusters)))
            step = max(1, HELD // max(separators, 1))
            for start in range(0, len(rows), step):
                chosen = rows[start : start + step]
                parts = self._parts(codes[chosen], fixed, tree)
                yield chosen, Propagation(tree, self.arities, parts, len(chosen), reduce)

    def _plans(
        self,
        codes: NDArray[np.int64],
        stay: set[int],
        root: tuple[int, ...],
        scopes: Sequence[tuple[int, ...]],
    ) -> Iterator[tuple[NDArray[np.intp], JunctionTree, frozenset[int]]]:
        """Yield rows that share a tree, the tree, and the observed variables that it leaves out."""
        observed = codes >= 0
        common, rare = patterns(observed)
        for rows in common:
            fixed = frozenset(np.flatnonzero(observed[rows[0]]).tolist()) - stay
            yield rows, self._tree(fixed, root, scopes), fixed
        if not rare:
            return
        rows = np.concatenate(rare)
        fixed = frozenset(np.flatnonzero(observed[rows].all(axis=0)).tolist()) - stay
        try:
            tree = self._tree(fixed, root, scopes)
        except CountsTooLarge:  # together they leave too much unknown: one pattern after the other
            for few in rare:
                fixed = frozenset(np.flatnonzero(observed[few[0]]).tolist()) - stay
                yield few, self._tree(fixed, root, scopes), fixed
        else:
            yield rows, tree, fixed

    def _tree(
        self, fixed: frozenset[int], root: tuple[int, ...], scopes: Sequence[tuple[int, ...]]
    ) -> JunctionTree:
        """Return the tree of the variables that are not fixed; a question asked before has its tree."""
        key = (fixed, root, tuple(scopes))
        if key not in self.trees:
            if len(self.trees) >= 256:  # trees are small; questions may be without end
                self.trees.clear()
            self.trees[key] = junction_tree(
                [*(potential.members for potential in self.potentials), *scopes],
                self.arities,
                variables=[v for v in range(len(self.arities)) if v not in fixed],
                root=root,
                max_cells=self.max_cells,
            )
        return self.trees[key]

    def _parts(self, codes: NDArray[np.int64], fixed: frozenset[int], tree: JunctionTree) -> Iterator[Part]:
        """Yield the potentials given the fixed variables, and the evidence on the others."""
        inside = {v for cluster in tree.clusters for v in cluster}
        for potential in self.potentials:
            if not inside.union(fixed).issuperset(potential.members):
                continue  # what the question is not connected to
            given = potential.given(fixed)
            if given.tables.size > 4 * self.max_cells:
                raise CountsTooLarge(
                    f"a potential of {len(potential.members)} variables needs {given.tables.size:,} cells "
                    f"given this evidence; at most {4 * self.max_cells:,} are kept (max_cells)."
                )
            if given.known:
                yield Part(given.unknown, given.tables, given.which(codes))
            else:
                yield Part(given.unknown, given.tables[..., :1])
        for v in sorted(inside):
            if (codes[:, v] >= 0).any():
                arity = self.arities[v]
                with np.errstate(divide="ignore"):
                    said = np.log(np.eye(arity, arity + 1))  # the last version: nothing observed
                said[:, arity] = 0.0
                yield Part((v,), said, np.where(codes[:, v] < 0, arity, codes[:, v]))


def patterns(observed: NDArray[np.bool_]) -> tuple[list[NDArray[np.intp]], list[NDArray[np.intp]]]:
    """Return the rows of every pattern of observed variables: the common ones, and the rare ones."""
    packed = np.ascontiguousarray(np.packbits(observed, axis=1))
    if not packed.shape[1]:
        return ([np.arange(len(observed))] if len(observed) else []), []
    keys = packed.view([("", np.void, packed.shape[1])]).ravel()
    _, pattern = np.unique(keys, return_inverse=True)
    order = np.argsort(pattern, kind="stable")
    groups = np.split(order, np.flatnonzero(np.diff(pattern[order])) + 1) if len(order) else []
    if len(groups) == 1:
        return groups, []
    return [g for g in groups if len(g) >= OWN_GROUP], [g for g in groups if len(g) < OWN_GROUP]


def _shares(belief: Part) -> NDArray[np.float64]:
    """Return a belief as probabilities for every row: rows come first."""
    log_p = np.moveaxis(belief.values, -1, 0)
    states = tuple(range(1, log_p.ndim))
    with np.errstate(invalid="ignore"):  # nothing is possible: not a number
        p = np.exp(log_p - log_p.max(axis=states, keepdims=True))
    p /= p.sum(axis=states, keepdims=True)
    return np.asarray(p if belief.version is None else p[belief.version])


def _draw_states(
    table: NDArray[np.float64], version: NDArray[np.int64], rng: np.random.Generator
) -> NDArray[np.int64]:
    """Return a line of the table for every row, drawn by the log-weights in the column of its version."""
    weights = np.exp(table - table.max(axis=0))
    cumulative = np.cumsum(weights, axis=0)
    cumulative /= cumulative[-1]
    last = len(table) - 1 - np.argmax(weights[::-1] > 0, axis=0)  # rounding must not reach past it
    # all columns one after the other, each one further on: a single search serves every row
    levels = (cumulative + np.arange(table.shape[1])).T.ravel()
    at = np.searchsorted(levels, rng.random(len(version)) + version, side="right") - version * len(table)
    return np.asarray(np.clip(at, 0, last[version]))
