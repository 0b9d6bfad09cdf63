"""Bayesian networks drawn at random: gates that fail now and then, tables of any shape, and pedigrees."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from graphoid.data.variables import Variable
from graphoid.datasets.bayesian import BayesianNetwork
from graphoid.errors import SettingsError
from graphoid.settings import Number, check_setting

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import NDArray

SIZE = Number(least=1, whole=True)


def noisy_gates(
    n: int, random_state: Generator | int | None = None, *, most_parents: int = 4
) -> BayesianNetwork:
    r"""Return a network of binary variables, each a noisy-or or a noisy-and of its parents.

    [Pearl1988]_, section 4.3.2. Of an or, each parent that is on switches the child on with a probability of
    its own, and now and then the child is on by itself; an and is the same with on and off exchanged:

    .. math:: P(y = 0 \mid x) = (1 - \lambda) \prod_{i : x_i = 1} (1 - p_i)

    with :math:`p_i` from .6 to .95 and :math:`\lambda` from .01 to .1. A quarter of the variables, the first
    of them among these, have no parents and are on with a probability from .2 to .5; the others have one to
    ``most_parents`` of them, drawn among the thirty before.

    Parameters
    ----------
    n
        How many variables.
    random_state
        Seed or generator; None for another network each time.
    most_parents
        Of a variable.

    Examples
    --------
    >>> noisy_gates(20, 0).variables[0].states
    (0, 1)
    """
    check_setting("n", n, SIZE)
    check_setting("most_parents", most_parents, SIZE)
    rng = np.random.default_rng(random_state)
    parents, tables = [], []
    for v in range(n):
        known = _earlier(v, 0 if rng.random() < 0.25 else int(rng.integers(1, most_parents + 1)), rng)
        parents.append(known)
        tables.append(_gate(len(known), rng))
    return BayesianNetwork(_variables([2] * n), tuple(parents), tuple(tables), name="noisy gates")


def random_tables(
    n: int,
    random_state: Generator | int | None = None,
    *,
    states: tuple[int, int] = (2, 4),
    most_parents: int = 3,
    concentration: float = 0.5,
) -> BayesianNetwork:
    """Return a network whose tables of probabilities are drawn at random.

    Parameters
    ----------
    n
        How many variables.
    random_state
        Seed or generator; None for another network each time.
    states
        The least and the largest number of states of a variable.
    most_parents
        Of a variable: none to so many of the thirty variables before it.
    concentration
        Of the Dirichlet distribution that the probabilities of a line come from: the smaller, the more a
        child depends on its parents.

    Examples
    --------
    >>> random_tables(5, 0).graph.n
    5
    """
    check_setting("n", n, SIZE)
    check_setting("most_parents", most_parents, Number(least=0, whole=True))
    check_setting("concentration", concentration, Number(above=0))
    fewest, most = states
    if not 2 <= fewest <= most:
        raise SettingsError(f"states is {states!r}; it must be two numbers of at least 2, the least first.")
    rng = np.random.default_rng(random_state)
    arities = rng.integers(fewest, most + 1, n).tolist()
    parents = [_earlier(v, int(rng.integers(0, most_parents + 1)), rng) for v in range(n)]
    tables = [
        rng.dirichlet([concentration] * arities[v], size=[arities[u] for u in known])
        for v, known in enumerate(parents)
    ]
    return BayesianNetwork(_variables(arities), tuple(parents), tuple(tables), name="random tables")


def pedigree(
    n: int, random_state: Generator | int | None = None, *, children: int = 3, mutation: float = 0.0
) -> BayesianNetwork:
    """Return the genotypes of ``n`` relatives at one place of the genome with two alleles.

    A variable is how many copies of the second allele somebody has: none, one or two. Founders have each copy
    with probability .5; a child has one copy of each of its parents. Couples have up to ``children``
    children. Half of those who have some have them with a founder, the others with somebody of about their
    age who has other parents.

    Parameters
    ----------
    n
        How many people.
    random_state
        Seed or generator; None for another pedigree each time.
    children
        The most that a couple has.
    mutation
        Probability with which a copy becomes the other allele.

    Examples
    --------
    >>> pedigree(10, 0).tables[0].tolist()
    [0.25, 0.5, 0.25]
    """
    check_setting("n", n, SIZE)
    check_setting("children", children, SIZE)
    check_setting("mutation", mutation, Number(least=0, below=1))
    rng = np.random.default_rng(random_state)
    passes = (1 - 2 * mutation) * np.array([0.0, 0.5, 1.0]) + mutation  # the second allele, by what one has
    child = np.empty((3, 3, 3))
    child[..., 0] = np.outer(1 - passes, 1 - passes)
    child[..., 2] = np.outer(passes, passes)
    child[..., 1] = 1 - child[..., 0] - child[..., 2]
    parents: list[tuple[int, ...]] = [()] * min(n, 4)
    while len(parents) < n:
        recent = range(max(0, len(parents) - max(6, n // 8)), len(parents))
        one = int(rng.choice(recent))
        others = [v for v in recent if v != one and not {*parents[v]} & {*parents[one]}]
        if rng.random() < 0.5 or not others:
            parents.append(())
            others = [len(parents) - 1]
        couple = tuple(sorted((one, int(rng.choice(others)))))
        parents += [couple] * min(int(rng.integers(1, children + 1)), n - len(parents))
    tables = tuple(child if couple else np.array([0.25, 0.5, 0.25]) for couple in parents)
    return BayesianNetwork(_variables([3] * n), tuple(parents), tables, name="pedigree")


def _variables(arities: list[int]) -> tuple[Variable, ...]:
    width = len(str(len(arities) - 1))
    return tuple(Variable(f"v{i:0{width}}", tuple(range(arity))) for i, arity in enumerate(arities))


def _earlier(v: int, n: int, rng: Generator) -> tuple[int, ...]:
    """Return up to ``n`` of the thirty variables before ``v``."""
    window = range(max(0, v - 30), v)
    return tuple(sorted(rng.choice(window, min(n, len(window)), replace=False).tolist())) if window else ()


def _gate(n_parents: int, rng: Generator) -> NDArray[np.float64]:
    """Return the table of a noisy-or or of a noisy-and, each as often."""
    if n_parents == 0:
        on = rng.uniform(0.2, 0.5)
        return np.array([1 - on, on])
    leak, works = rng.uniform(0.01, 0.1), rng.uniform(0.6, 0.95, n_parents)
    fails = np.stack([np.ones(n_parents), 1 - works])
    off = (1 - leak) * np.ones([2] * n_parents)
    for i, states in enumerate(np.indices(off.shape)):
        off *= fails[states, i]
    table = np.stack([off, 1 - off], axis=-1)
    return np.ascontiguousarray(np.flip(table)) if rng.random() < 0.5 else table
