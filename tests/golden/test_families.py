"""BIC and BDeu of directed graphs, worked by hand and by others."""

from __future__ import annotations

import importlib
import math
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import graphoid as gd
from graphoid.counts.native import engine_for
from graphoid.scores.families import FamilyScorer

if TYPE_CHECKING:
    from pathlib import Path

# Three variables, ten rows: a has states 0 0 0 0 1 1 1 1 1 1, b follows a but for two rows, c is b xor a.
A = [0, 0, 0, 0, 1, 1, 1, 1, 1, 1]
B = [0, 0, 0, 1, 1, 1, 1, 1, 1, 0]
C = [0, 0, 0, 1, 0, 0, 0, 0, 0, 1]


def scorer(*ess: float, **weights: Any) -> FamilyScorer:
    return FamilyScorer(engine_for(gd.read({"a": A, "b": B, "c": C}, **weights)), ess)


def test_bic_of_three_variables_by_hand() -> None:
    found = scorer()
    half = math.log(10) / 2
    # a alone: 4 rows of one state, 6 of the other; one parameter
    a = 4 * math.log(0.4) + 6 * math.log(0.6) - half
    assert found.local(0, ()) == pytest.approx(a, rel=1e-12)
    # b given a: 3 of 4 and 5 of 6; two parameters
    b = 3 * math.log(3 / 4) + math.log(1 / 4) + 5 * math.log(5 / 6) + math.log(1 / 6) - 2 * half
    assert found.local(1, (0,)) == pytest.approx(b, rel=1e-12)
    # c is known given both: no loss, and four parameters
    assert found.local(2, (0, 1)) == pytest.approx(-4 * half, rel=1e-12)
    assert found.value([(), (0,), (1, 0)]) == pytest.approx(a + b - 4 * half, rel=1e-12)


def test_bdeu_of_three_variables_by_hand() -> None:
    found = scorer(2.0)
    # a alone, pseudo-counts 1 and 1: 4! 6! / 11!
    assert found.local(0, ()) == pytest.approx(
        math.log(math.factorial(4) * math.factorial(6) / math.factorial(11)), rel=1e-12
    )
    # b given a, pseudo-counts 1/2 for each of four cells, 1 for each of two lines
    # Gamma(n + 1/2) / Gamma(1/2) is (1/2)(3/2)...: n = 1 1/2, n = 3 15/8, n = 5 945/32; lines 4! and 6!
    b = math.log(15 / 8 / 2 / math.factorial(4)) + math.log(945 / 32 / 2 / math.factorial(6))
    assert found.local(1, (0,)) == pytest.approx(b, rel=1e-12)


def test_bdeu_of_two_sample_sizes_by_hand() -> None:
    found = scorer(2.0, 8.0)
    # of a with pseudo-counts 1 and 1 as above; with 4 and 4: (4 5 6 7) (4 5 6 7 8 9) / (8 9 ... 17)
    a = math.factorial(4) * math.factorial(6) / math.factorial(11)
    wide = math.prod(range(4, 8)) * math.prod(range(4, 10)) / math.prod(range(8, 18))
    assert found.local(0, ()) == pytest.approx(math.log((a + wide) / 2), rel=1e-12)
    # of b and a together by their four cells, 3 1 1 5, with pseudo-counts 1/2 and 2, and then less that of a
    small = 15 / 8 / 2 * 945 / 32 / 2 / math.prod(range(2, 12))
    large = math.prod(range(2, 5)) * 2 * 2 * math.prod(range(2, 7)) / math.prod(range(8, 18))
    assert found.local(1, (0,)) == pytest.approx(math.log((small + large) / (a + wide)), rel=1e-12)


@pytest.mark.parametrize("ess", [(), (0.5,), (7.0,), (0.5, 7.0, 40.0)])
def test_graphs_with_the_same_independences_have_the_same_score(ess: tuple[float, ...]) -> None:
    found = scorer(*ess)
    chain = found.value([(), (0,), (1,)])
    assert found.value([(1,), (), (1,)]) == pytest.approx(chain, rel=1e-12)
    assert found.value([(1,), (2,), ()]) == pytest.approx(chain, rel=1e-12)
    assert found.value([(), (0, 2), ()]) != pytest.approx(chain, rel=1e-6)


def test_states_that_never_occur_cost_nothing() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": pandas.Categorical(A, categories=[0, 1, 2, 3]), "b": B})
    wide = FamilyScorer(engine_for(gd.read(frame)))
    assert wide.local(1, (0,)) == pytest.approx(scorer().local(1, (0,)), rel=1e-12)


def test_weights_count_as_rows() -> None:
    doubled = gd.read({"a": A + A[:3], "b": B + B[:3], "c": C + C[:3]})
    weighted = gd.read({"a": A, "b": B, "c": C, "w": [2] * 3 + [1] * 7}, weights="w")
    for ess in ((), (1.0,), (1.0, 30.0)):
        one, other = (FamilyScorer(engine_for(t), ess) for t in (doubled, weighted))
        for family in ((0, ()), (1, (0,)), (2, (0, 1))):
            assert one.local(*family) == pytest.approx(other.local(*family), rel=1e-9)


def test_the_scores_of_pyagrum(tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        gum = pytest.importorskip("pyagrum", exc_type=ImportError)
        network = gd.datasets.random_tables(5, 3, states=(2, 3))
        table = network.sample(500, 3)
        rows = zip(*([f"s{code}" for code in table.column(name)] for name in table.names), strict=True)
        path = tmp_path / "rows.csv"
        path.write_text("\n".join(map(",".join, [table.names, *rows])))
        families: list[tuple[str, list[str]]] = [
            (table.names[v], [table.names[p] for p in parents])
            for v, parents in enumerate([(), (0,), (0, 1), (2,), (1, 3)])
        ]
        found = FamilyScorer(engine_for(table))
        learner = gum.BNLearner(str(path))
        learner.useScoreBIC()
        learner.useNoPrior()
        for name, parents in families:
            own = found.local(table.position(name), tuple(sorted(table.position(p) for p in parents)))
            theirs = learner.score(name, parents) * math.log(2)  # in bits
            assert own == pytest.approx(theirs, rel=1e-9)


def test_pgmpy_has_the_same_bdeu() -> None:
    estimators = _quietly("pgmpy.estimators")
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": A, "b": B, "c": C})
    theirs = estimators.BDeu(frame, equivalent_sample_size=3)
    found = scorer(3.0)
    assert found.local(2, (0, 1)) == pytest.approx(theirs.local_score("c", ["a", "b"]), rel=1e-9)
    assert found.local(1, (0,)) == pytest.approx(theirs.local_score("b", ["a"]), rel=1e-9)


def _quietly(name: str) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return importlib.import_module(name)
        except ImportError:
            pytest.skip(f"{name} is not installed")


def test_rows_of_no_weight_are_no_rows() -> None:
    table = gd.read({"a": [*A, 1], "b": [*B, 0], "w": [1.0] * 10 + [0.0]}, weights="w")
    assert FamilyScorer(engine_for(table)).local(1, (0,)) == pytest.approx(scorer().local(1, (0,)), rel=1e-9)
    assert np.isfinite(FamilyScorer(engine_for(table), (1.0,)).value([(), (0,)]))
