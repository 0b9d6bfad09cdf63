"""How many of the sentences about contexts are false: CSGS and CSPC on data whose independences are known.

Random distributions of five variables with 2 to 4 states, as exact tables, without and with independences
that hold in some contexts only; a sentence is false if the two variables depend on each other at all in the
distribution, given what it says is given. For every cell: sentences that are sure, those of them
that are false and false by more than a thousandth of a nat; those of a probability of .8 to .95, which are
not listed; and all that the graphs say, which independences() listed before. Exits with 1 if in a cell more
than 5 % of what is sure is false, by more than chance (two standard errors).

    python benchmarks/truth/contexts.py [DATA SETS] [GENERATOR ...]
"""

from __future__ import annotations

import itertools
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import graphoid as gd

sys.path.insert(0, str(Path(__file__).parents[1]))
from measure import closing_line, word

if TYPE_CHECKING:
    from collections.abc import Callable

    from graphoid.structure.contexts import CanonicalModel
    from graphoid.structure.independences import ContextIndependence

    Table = np.ndarray
    Generator = Callable[..., Table]

N, STATES, ROWS = 5, (2, 3, 4), (500, 2_000, 8_000)
SIZES = {"weak": 0.4, "strong": 0.9}
FIRST_SEED = 10_000  # what was chosen was chosen on seeds from 0 on
MATTERS = 1e-3
MOST = 0.05


def over(values: Table, members: tuple[int, ...], r: int) -> Table:
    """Return a table of some variables as one that broadcasts over all of them."""
    return values.reshape([r if v in members else 1 for v in range(N)])


def margins(rng: np.random.Generator, r: int) -> Table:
    """Return log potentials of every variable alone."""
    return sum((over(rng.normal(0, 0.3, r), (v,), r) for v in range(N)), start=np.zeros((r,) * N))


def normalize(log_values: Table) -> Table:
    """Return the distribution of log potentials."""
    values = np.exp(log_values - log_values.max())
    return values / values.sum()


def switch(rng: np.random.Generator, r: int, pair: tuple[int, int]) -> Table:
    """Return ones, with zeros in at least one state of a third variable and not in all."""
    off = rng.random(r) < 0.5
    if off.all() or not off.any():
        off = np.arange(r) == rng.integers(r)
    third = int(rng.choice([v for v in range(N) if v not in pair]))
    return over(np.where(off, 0.0, 1.0), (third,), r)


def pairwise(rng: np.random.Generator, r: int, size: float, *, specific: bool) -> Table:
    """Return half of all pairs with normal potentials; if specific, most have a switch."""
    log_values = margins(rng, r)
    for pair in itertools.combinations(range(N), 2):
        if rng.random() < 0.5:
            potential = over(rng.normal(0, size, (r, r)), pair, r)
            off = specific and rng.random() < 0.6
            log_values = log_values + (potential * switch(rng, r, pair) if off else potential)
    return normalize(log_values)


def ordinal(rng: np.random.Generator, r: int, size: float, *, specific: bool) -> Table:
    """Return the same with linear-by-linear potentials of either sign."""
    scores = np.arange(r) - (r - 1) / 2
    scores /= scores.std()
    log_values = margins(rng, r)
    for pair in itertools.combinations(range(N), 2):
        if rng.random() < 0.5:
            weight = 0.8 * size * rng.uniform(0.5, 1.2) * rng.choice([-1, 1])
            potential = over(weight * np.outer(scores, scores), pair, r)
            off = specific and rng.random() < 0.6
            log_values = log_values + (potential * switch(rng, r, pair) if off else potential)
    return normalize(log_values)


def triples(rng: np.random.Generator, r: int, size: float, *, specific: bool) -> Table:
    """Return a quarter of all triples with normal potentials; if specific, flat in a state of the first."""
    log_values = margins(rng, r)
    for triple in itertools.combinations(range(N), 3):
        if rng.random() < 0.25:
            potential = rng.normal(0, size, (r, r, r))
            if specific:
                potential[rng.integers(r)] = 0
            log_values = log_values + over(potential, triple, r)
    return normalize(log_values)


def directed(rng: np.random.Generator, r: int, size: float, *, specific: bool) -> Table:
    """Return a Bayesian network; if specific, of two parents one tells nothing in a state of the other."""
    joint = np.ones((r,) * N)
    for v in range(N):
        n_parents = min(v, int(rng.integers(0, 3)))
        parents = sorted(rng.choice(v, n_parents, replace=False).tolist()) if n_parents else []
        logits = rng.normal(0, size, (r,) * (n_parents + 1))
        if specific and n_parents == 2:
            state = int(rng.integers(r))
            logits[state] = logits[state, 0]
        table = np.exp(logits + rng.normal(0, 0.3, r))
        joint = joint * over(table / table.sum(axis=-1, keepdims=True), (*parents, v), r)
    return joint


GENERATORS: dict[str, Generator] = {
    "pairwise": pairwise,
    "ordinal": ordinal,
    "triples": triples,
    "directed": directed,
}


def information(joint: Table, model: CanonicalModel, found: ContextIndependence) -> float:
    """Return what the two variables of a sentence tell about each other where it says nothing, in nats."""
    x, y, *given = (model.names.index(name) for name in (found.x, found.y, *found.given))
    context = {v: int(model.states[v][code]) for v, code in found.context}
    kept = [*context, *given, x, y]
    margin = joint.sum(axis=tuple(v for v in range(N) if v not in kept))
    margin = margin.transpose([sorted(kept).index(v) for v in kept])[tuple(context.values())]
    slices = margin.reshape(-1, *margin.shape[-2:]) / margin.sum()
    expected = slices.sum(axis=2, keepdims=True) * slices.sum(axis=1, keepdims=True)
    expected = expected / slices.sum(axis=(1, 2), keepdims=True)
    return float((slices * np.log(slices / expected)).sum())


def count(
    name: str, r: int, size: str, rows: int, learner: type[gd.CSGS | gd.CSPC], sets: int, *, specific: bool
) -> Counter[str]:
    """Count sentences of one cell by what is said of them and whether they hold."""
    found: Counter[str] = Counter()
    for seed in range(FIRST_SEED, FIRST_SEED + sets):
        rng = np.random.default_rng([seed, r, rows, list(GENERATORS).index(name), len(size), specific])
        joint = GENERATORS[name](rng, r, SIZES[size], specific=specific)
        codes = np.unravel_index(rng.choice(joint.size, rows, p=joint.ravel()), joint.shape)
        model = learner().fit(gd.read({f"v{i}": code for i, code in enumerate(codes)})).structure_
        for sentence in model.independences(undecided=True):
            nats = information(joint, model, sentence)
            likely = "sure" if sentence.sure else "probable" if sentence.probability >= 0.8 else "unlikely"
            kinds = [likely, "all"] + ["context"] * bool(sentence.context)
            found.update(kinds)
            found.update(f"{kind} false" for kind in kinds if nats > 1e-9)
            found.update(f"{kind} matters" for kind in kinds if nats > MATTERS)
    return found


HEADER = (
    f"{'':9}{'context-':>9}{'':>7}{'':>8}{'':>7}{'':>6} |{'sure':>6}{'false':>6}{'> .001':>7}{'share':>7} |"
    f"{'probable':>9}{'false':>6} |{'all':>6}{'true':>6}{'false':>7}   of contexts false\n"
    f"{'':9}{'specific':>9}{'states':>7}{'size':>8}{'rows':>7}"
)


def main(sets: int, names: list[str]) -> None:
    """Print all cells."""
    print(HEADER)
    total: Counter[str] = Counter()
    cells = itertools.product(names, (False, True), STATES, SIZES, ROWS, (gd.CSGS, gd.CSPC))
    for name, specific, r, size, rows, learner in cells:
        found = count(name, r, size, rows, learner, sets, specific=specific)
        total += found
        sure, false = found["sure"], found["sure false"]
        error = np.sqrt(MOST * (1 - MOST) / max(sure, 1))
        cell = f"{name:9}{'yes' if specific else 'no':>9}{r:>7}{size:>8}{rows:>7,}{learner.__name__:>6}"
        holds = word(cell, holds=false <= sure * (MOST + 2 * error))
        print(f"{cell} {line(found)}  {holds}", flush=True)
    print(f"{'all cells':46} {line(total)}")


def line(found: Counter[str]) -> str:
    """Return what was counted."""
    sure, false = found["sure"], found["sure false"]
    n, n_false, contexts = found["all"], found["all false"], found["context"]
    return (
        f"|{sure:>6,}{false:>6,}{found['sure matters']:>7,}{false / max(sure, 1):>7.3f} |"
        f"{found['probable']:>9,}{found['probable false']:>6,} |{n:>6,}{n - n_false:>6,}"
        f"{n_false / max(n, 1):>7.3f} {found['context false'] / max(contexts, 1):>7.3f}"
    )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100, sys.argv[2:] or list(GENERATORS))
    sys.exit(closing_line())
