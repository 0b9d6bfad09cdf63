"""Kernels that are handed what no caller of ours hands them answer or refuse, and never end the process."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import graphoid as gd
from graphoid.counts.engine import ScreenRequest
from graphoid.counts.native import kernels
from graphoid.independence.screening import screen_by_asking
from tests.support.tables import table_of

native = kernels()
pytestmark = pytest.mark.skipif(native is None, reason="the kernels are not built")

FUZZ = Path(__file__).with_name("fuzz_kernels.py")


def ints(*values):
    return np.array(values, dtype=np.int32)


def longs(*values):
    return np.array(values, dtype=np.int64)


def words(*values):
    return np.array(values, dtype=np.uint64)


def dataset(columns, arities, n_rows):
    return native.Dataset(columns, arities, n_rows, None, 1.0, "")


def rows(*arities):
    return native.DistinctRows([np.zeros(3, dtype=np.uint8) for _ in arities], list(arities), np.ones(3))


def potentials():
    return native.Potentials(
        np.zeros((3, 1), dtype=np.int32), np.zeros(3, dtype=np.uint16), None, np.zeros(2), np.zeros(2),
        np.zeros((2, 2)), np.zeros((2, 2)), ints(0, 0), np.ones(1), 1.0, 1.0,
    )  # fmt: skip


GRAPHS = np.array([[2, 1], [0, 0]], dtype=np.uint64)  # two graphs of two variables: joined, and not
KEYS = words(1, 2)
PAIR, NONE = (ints(0), ints(1)), (ints(), ints())
TERMS = longs(0, 0, 0), longs(0), longs(), ints(), np.zeros(0, dtype=np.uint32), np.zeros(0)
MIXTURE = (
    [2],
    np.zeros(2),
    ints(0),
    np.ones(1),
    np.zeros(1, dtype=np.uint8),
    ints(0, 1),
    ints(0),
    [np.zeros(4)],
)


def changed(arguments, at, value):
    return (*arguments[:at], value, *arguments[at + 1 :])


REFUSED = {
    "separations of a variable that is not there": lambda: native.population_separations(
        GRAPHS, ints(0), ints(7), words(0), 1
    ),
    "separations given too few sets": lambda: native.population_separations(GRAPHS, *PAIR, words(), 1),
    "separations in a graph of other variables": lambda: native.population_separations(
        words(8, 1).reshape(1, 2), *PAIR, words(0), 1
    ),
    "separators of one variable": lambda: native.population_separators(GRAPHS, ints(0), ints(0), 1),
    "moves without keys": lambda: native.population_flip_moves(
        GRAPHS.copy(), *PAIR, words(0), np.ones(1), *PAIR, np.zeros(2), 0.5, 3, 3, words(), 1
    ),
    "moves beyond the prior": lambda: native.population_edge_moves(
        GRAPHS.copy(), *PAIR, words(0), np.ones(1), *PAIR, np.zeros(1), 3, KEYS, 1
    ),
    "moves of a pair that is free twice": lambda: native.population_edge_moves(
        GRAPHS.copy(), *PAIR, words(0), np.ones(1), ints(0, 1), ints(1, 0), np.zeros(2), 3, KEYS, 1
    ),
    "moves of half an edge": lambda: native.population_edge_moves(
        words(2, 0).reshape(1, 2), *NONE, words(), np.ones(0), *PAIR, np.zeros(2), 3, words(1), 1
    ),
    "repairs without end": lambda: native.population_repair(
        GRAPHS.copy(), *PAIR, words(0), np.ones(1), *NONE, 0.5, -1, KEYS, 1
    ),
    "a climb in groups that are not there": lambda: native.population_climb(
        GRAPHS, ints(0, 9), 1, np.ones(2), *PAIR, np.ones(2), 1, 0.0, 1
    ),
    "bounds of a variable that is not there": lambda: native.tighten_bounds(
        words(0, 0), words(2, 1), ints(0), ints(5), words(0), *NONE, words(), words(), 0
    ),
    "chains of no variable": lambda: native.gibbs(longs(), *TERMS[1:], KEYS, 1, 1, 1, 1),
    "chains with a table that is too short": lambda: native.gibbs(
        longs(0, 1), longs(0, 1), longs(0), ints(0), np.zeros(1, dtype=np.uint32), np.zeros(0), KEYS,
        1, 1, 1, 1
    ),
    "chains of more rows than fit anywhere": lambda: native.gibbs(*TERMS, KEYS, 2**62, 1, 1, 1),
    "chains of states with a table that is too short": lambda: native.gibbs_multistate(
        ints(3), np.ones(1, dtype=np.uint8), longs(0, 1), longs(0, 0), longs(0, 0), longs(0), ints(), longs(),
        longs(), np.zeros(1, dtype=np.uint32), np.zeros(0), KEYS, 1, 1, 1, 1,
    ),
    "hidden variables that are not there": lambda: native.gibbs_conditional(
        1, np.ones(1), longs(0, 0), ints(), ints(), longs(0, 1), ints(4), ints(1),
        np.zeros((1, 1), dtype=np.uint8), words(1), 1, 1, 1, 1,
    ),
    "terms without an end": lambda: native.Terms(rows(2), longs(), ints(), ints()),
    "terms that end beyond their members": lambda: native.Terms(rows(2), longs(0, 5), ints(0), ints(0)),
    "terms of other rows": lambda: native.pseudo_likelihood_gains(
        rows(2), native.Terms(rows(2, 9), longs(0, 1), ints(1), ints(8)), np.ones(1),
        native.Terms(rows(2), longs(0), ints(), ints()), 1,
    ),
    "a mixture with a term that is not there": lambda: native.Mixture(*changed(MIXTURE, 2, ints(3))),
    "a mixture with a table that is too short": lambda: native.Mixture(*changed(MIXTURE, 7, [np.zeros(2)])),
    "a mixture of attributes that are not there": lambda: native.Mixture(*changed(MIXTURE, 6, ints(4))),
    "a prediction without columns": lambda: native.Mixture(*MIXTURE).predict([], 3, 1),
    "tuples without an end": lambda: native.make_tuples(tuple, ("same",), 2**62),
    "data with too few arities": lambda: dataset([np.zeros(3, dtype=np.uint8)] * 2, [1], 3),
    "a test that there is not": lambda: dataset([], [], 0).judge([], {}, tuple, 9, 0, 0.0, 1.0, False, 1),
    "a tally of slices without cells": lambda: native.SliceTally([], 0, 2, 1.0, 0, 0, 0.0, 1.0, False, 1.0),
    "a face beyond the attributes": lambda: native.Climb(
        [], [], np.zeros(3, dtype=np.uint16), 1, None, 1.0
    ).add(ints(5), ints(0, 1)),
    "a face with an attribute twelve times": lambda: native.Submodels(
        [np.zeros(3, dtype=np.uint16)], [4], np.zeros(3, dtype=np.uint16), 2, None, 1.0
    ).own_potential([0] * 12),
    "a minimum that remembers nothing": lambda: potentials().minimum(0, 10, 1e-9, 1e-9),
    "degrees of freedom below zero": lambda: native.log_chi2_sf(1e301, -1e300),
}  # fmt: skip


@pytest.mark.parametrize("call", REFUSED.values(), ids=list(REFUSED))
def test_what_does_not_fit_is_refused(call):
    with pytest.raises((ValueError, IndexError)) as caught:
        call()
    assert len(str(caught.value).splitlines()) == 1


def test_a_blanket_of_something_else_is_a_type_error():
    data = dataset([np.zeros(3, dtype=np.uint8)], [1], 3)
    with pytest.raises(TypeError, match="a blanket is"):
        data.marginal_likelihood(["text"], 1.0, 1)


def test_weights_beyond_64_bits_end_nothing():
    merger = native.RowMerger([2], 10)
    assert merger.add([np.zeros(2, dtype=np.uint8)], np.array([2**63 - 1, 1]), 2)
    assert len(merger) == 1


@pytest.mark.parametrize("log_prior", [-1e300, 1e300, 0.0, math.inf, -math.inf, math.nan])
def test_a_log_prior_that_no_probability_has_is_refused(log_prior):
    data = dataset([np.array([0, 1, 1, 0], dtype=np.uint8)] * 9, [2] * 9, 4)
    with pytest.raises(ValueError, match="log prior"):
        data.screen(2, 0, log_prior, 1.0, False, 2, 0.0, True, list(range(9)), 1)


@pytest.mark.parametrize("value", [-1e300, 1e300, -math.inf, math.nan])
def test_totals_of_pairs_beyond_64_bits_keep_their_sign(value):
    class Told:
        names = tuple("abcdefghi")

        def ask(self, questions):
            return [None for _ in questions]

    keep = ScreenRequest(partners=2, limit=0.0, totals=True)
    found = screen_by_asking(Told(), range(9), keep, number=lambda _: value)
    expected = 0 if math.isnan(value) else np.sign(value) * 2.0**38 * 8 / 9
    assert found.total == pytest.approx(np.full(9, expected))


def test_numbers_with_missing_codes_count_complete_rows_only():
    codes = [np.array([0, 1, 2, 1], dtype=np.uint8), np.array([0, 1, 2, 2], dtype=np.uint8)]  # 2 is missing
    data = native.Dataset(codes, [2, 2], 4, None, 1.0, "", [0, 1])
    whole = dataset([column[:2] for column in codes], [2, 2], 2)
    numbers = np.array([0.5, -0.5, 3.0, 4.0])
    args = [(0, (1,))], False, 0.5, 1.0, False, [[], []]
    some = data.logistic(*args, [None, numbers], 1)
    assert some == pytest.approx(whole.logistic(*args, [None, numbers[:2]], 1))


def test_tables_added_to_a_full_array_wrap():
    into = np.full(2, 2**63 - 1)
    dataset([np.array([0, 1], dtype=np.uint8)], [2], 2).add_tables([(0,)], 1, into)
    assert into.tolist() == [-(2**63)] * 2


def test_covariances_beyond_the_memory_are_refused():
    native.set_memory(2**20)
    try:
        with pytest.raises(MemoryError, match="33826525184"):  # bytes, which the caller puts into a sentence
            native.SliceTally([2], 257, 255, 1.0, 3, 0, -1.0, 1.0, False, 0.0)
    finally:
        native.set_memory(2**63)


def test_what_no_machine_has_is_refused_where_nobody_set_a_limit():
    code = (
        "from graphoid import _native as n; n.SliceTally([2], 4000, 4000, 1.0, 3, 0, -1.0, 1.0, False, 0.0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    # with the bytes, and not by the system, which may promise them and end the process when they are used
    assert "MemoryError: (0, 2" in done.stderr


def test_a_variable_without_states_has_tables_without_cells():
    empty = dataset([np.zeros(0, dtype=np.uint8)] * 2, [0, 2], 0)
    assert empty.tables([(0,), (1,), (0, 1)], 1).tolist() == [0, 0]


class Clearing:
    """A position that empties the list it is in when it is asked for."""

    def __init__(self, inside):
        self.inside = inside

    def __index__(self):
        self.inside.clear()
        return 0


def test_a_question_may_change_the_list_it_is_in():
    rng = np.random.default_rng(0)
    table = table_of(rng.integers(0, 2, (3, 50)), [2, 2, 2])
    questions = []
    questions += [(Clearing(questions), 1, ()), *[("v0", "v2", ["v1"])] * 50]
    assert len(gd.Tester(gd.GTest(), table).ask(questions)) == 51


def test_numbers_may_change_the_list_they_are_in():
    arities = []
    arities += [Clearing(arities)] * 50
    with pytest.raises((ValueError, TypeError)):
        native.DistinctRows([], arities, np.ones(1))


def test_requests_may_change_the_list_they_are_in():
    data = dataset([np.zeros(3, dtype=np.uint8)], [1], 3)
    requests = []
    requests += [(Clearing(requests),), (0,), (0,)]
    assert data.tables(requests, 1).tolist() == [3, 3, 3]


@pytest.mark.parametrize("dof", [1e13, 1e20, 1e100, 1e308])
@pytest.mark.parametrize("deviations", [-3.0, 0.0, 2.0, 8.0])
def test_large_degrees_of_freedom_are_nearly_normal_and_take_no_time(dof, deviations):
    x = dof + deviations * math.sqrt(2) * math.sqrt(dof)
    expected = math.log(0.5 * math.erfc((x - dof) / math.sqrt(dof) / 2))
    assert native.log_chi2_sf(x, dof) == pytest.approx(expected, rel=1e-4)


def test_large_degrees_of_freedom_continue_the_smaller():
    below, above = 2e12, 2e12 + 2
    for deviations in (-3.0, 0.0, 5.0, 40.0):
        at = [native.log_chi2_sf(dof + deviations * math.sqrt(2 * dof), dof) for dof in (below, above)]
        assert at[0] == pytest.approx(at[1], rel=1e-6)


def test_all_of_the_mass_is_above_nothing_and_none_beyond_all():
    assert native.log_chi2_sf(math.inf, 50.0) == -math.inf
    assert native.log_chi2_sf(1e308, 1e-320) <= 0


@pytest.mark.process
def test_every_kernel_answers_or_refuses_whatever_it_is_given():
    done = subprocess.run(
        [sys.executable, str(FUZZ), "--calls", "2000"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.process
def test_every_kernel_is_given_something_that_it_answers():
    code = "import fuzz_kernels as f; print(*f.unanswered(40))"
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": str(FUZZ.parent)},
    )
    assert done.stdout.split() == []


NO_THREADS = """
import resource
import numpy as np
from graphoid import _native
columns = [np.random.default_rng(v).integers(0, 3, 200_000).astype(np.uint8) for v in range(20)]
data = _native.Dataset(columns, [3] * 20, 200_000, None, 1.0, "")
requests = [(x, y) for x in range(20) for y in range(x)]
before = data.tables(requests, 1)
held = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (held + (256 << 20), resource.RLIM_INFINITY))
assert (data.tables(requests, 8) == before).all()
print("same")
"""


@pytest.mark.process
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_where_no_thread_can_be_had_the_caller_counts_alone():
    # every thread would need a stack of 1 GB, and there is room for a quarter of it
    limited = f"ulimit -S -s 1048576 && exec {sys.executable} -c '{NO_THREADS}'"
    done = subprocess.run(["/bin/bash", "-c", limited], capture_output=True, text=True, check=False)
    if "cannot modify limit" in done.stderr:
        pytest.skip("the size of stacks is fixed here")
    assert (done.returncode, done.stdout) == (0, "same\n"), done.stderr
