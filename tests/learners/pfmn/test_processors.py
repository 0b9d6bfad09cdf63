"""PFMN asks the same questions on every processor, whichever digits its logarithms end in."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from graphoid.counts.native import kernels

WITHOUT = {
    "plain": "X86_V3 X86_V4 AVX512_ICL AVX512_SPR AVX2 FMA3 AVX512F AVX512CD AVX512_SKX",
    "avx2": "X86_V4 AVX512_ICL AVX512_SPR AVX512F AVX512CD AVX512_SKX",
    "avx512": "",
}
"""What NumPy, too, is to do without, by either of the names it has for it; others it passes over."""

RUNS = """
import json
import sys
import numpy as np
import graphoid as gd

n, repetitions, *degrees = map(int, sys.argv[1:])
asked = []
for tau in degrees:
    for seed in range(repetitions):
        rng = np.random.default_rng([n, tau, seed])
        graph = gd.datasets.random_graph(n, tau, rng)
        found = gd.PFMN(random_state=seed).learn(gd.Oracle(graph))
        asked.append([[v.x, v.y, list(v.given)] for v in found.trace])
print(json.dumps(asked))
"""


def questions(simd: str, *numbers: int) -> list[list[object]]:
    """Return what was asked in some runs, on a processor that has no wider vectors."""
    ran = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", RUNS, *map(str, numbers)],
        env={**os.environ, "GRAPHOID_SIMD": simd, "NPY_DISABLE_CPU_FEATURES": WITHOUT[simd]},
        check=True,
        capture_output=True,
        text=True,
    )
    asked: list[list[object]] = json.loads(ran.stdout)
    return asked


# On the third graph of twelve variables, logarithms of AVX-512 once chose another of equally good tests.
@pytest.mark.parametrize(
    ("n", "repetitions", "degrees"),
    [(12, 3, (3,)), pytest.param(20, 10, (1, 2, 4, 8), marks=pytest.mark.slow)],
    ids=["3 runs", "40 runs"],
)
def test_every_processor_asks_the_same(n: int, repetitions: int, degrees: tuple[int, ...]) -> None:
    native = kernels()
    if native is None:
        pytest.skip("kernels choose between instruction sets, and there are none")
    plain, *wider = (
        questions(simd, n, repetitions, *degrees) for simd in WITHOUT if simd in native.simd_names()
    )
    assert len(plain) == len(degrees) * repetitions
    assert all(plain)
    for asked in wider:
        assert asked == plain
