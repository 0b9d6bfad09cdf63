# ruff: noqa: T201, E501 - a program that prints; one line for each argument
"""Call every kernel of the stub with good, borderline and hostile arguments: none may crash or hang.

What can be called is read from ``src/graphoid/_native.pyi``, so that a new kernel is called without being
listed. Its arguments come from a :class:`World`, where things of one name fit together, and then one or two of
them are spoiled. A kernel may answer, or refuse by one of ``REFUSALS``.

    python tests/faults/fuzz_kernels.py --calls 100000 --seed 0
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import faulthandler
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import numpy as np

from graphoid import _native

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

STUB = Path(__file__).parents[2] / "src/graphoid/_native.pyi"
REFUSALS = (ValueError, TypeError, IndexError, OverflowError, MemoryError)

SECONDS = 600
"""After so long on the clock the calls of a world are taken to hang; the machine may have other things to do."""

WORK = {
    "times",
    "burn_in",
    "sweeps",
    "thin",
    "n_chains",
    "n_samples",
    "steps",
    "rounds",
    "iterations",
    "enough",
    "max_flips",
    "tenure",
    "patience",
}
"""Arguments that say how much is to be done: a large one is no fault, and takes its time."""

MOST = 12
"""The most states of a variable: above what has a bit plane for each."""

NUMBERS = (-1, 0, 1, 2, 3, 7, 63, 64, 65, 255, 256, 257)
HUGE = (-(2**63), -(2**31), 2**40, 2**62, 2**63 - 1, 2**63, 2**64 - 1, 2**64)
REALS = (0.0, -0.0, -1.0, 0.5, 1.0, 1e-320, 1e308, -1e308, float("inf"), -float("inf"), float("nan"))
DTYPES = {
    "_F64": np.float64, "_I32": np.int32, "_I64": np.int64, "_U8": np.uint8, "_U16": np.uint16, "_U32": np.uint32,
    "_U64": np.uint64, "_Integers": np.int16, "Codes": np.uint8,
}  # fmt: skip


class Answer(tuple[object, ...]):
    """A verdict or a fact."""

    __slots__ = ()


class Spoiler:
    """An integer that changes the list it is in when it is asked for."""

    def __init__(self, inside: list[object]) -> None:
        self.inside = inside

    def __index__(self) -> int:
        self.inside.clear()
        return 0

    def __bool__(self) -> bool:
        self.inside.clear()
        return True


class World:
    """Sizes that belong together, and of every name a value that fits them."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng
        self.n = int(rng.choice([1, 2, 3, 5, 8, 64, 150], p=[0.05, 0.15, 0.3, 0.3, 0.15, 0.04, 0.01]))
        self.rows = int(rng.choice([0, 1, 2, 63, 64, 65, 300, 3000], p=[0.14] * 7 + [0.02]))
        self.arities = [
            int(a)
            for a in rng.choice([1, 2, 3, 4, 7, MOST], size=self.n, p=[0.1, 0.4, 0.3, 0.12, 0.05, 0.03])
        ]
        self.classes = int(rng.integers(1, 4))
        self.graphs = int(rng.choice([0, 1, 2, 64, 65, 130]))
        self.tests = int(rng.integers(0, 6)) if self.n > 1 else 0
        self.pairs = self.choose_pairs(self.tests)
        self.terms = [self.subset(3) for _ in range(self.n)]
        self.streamed = self.codes(np.uint8)
        self.holes = self.subset(self.n) if rng.random() < 0.3 else []
        self.made: dict[str, object] = {}

    def subset(self, most: int) -> list[int]:
        size = int(self.rng.integers(0, min(most, self.n) + 1))
        return sorted(self.rng.choice(self.n, size, replace=False).tolist())

    def choose_pairs(self, size: int) -> np.ndarray:
        pairs = np.array([self.rng.choice(self.n, 2, replace=False) for _ in range(size)], dtype=np.int32)
        return np.ascontiguousarray(pairs.reshape(-1, 2).T)

    def codes(self, dtype: type, holes: Sequence[int] = ()) -> list[np.ndarray]:
        """Return columns; in those with holes, the code after the last state is a missing cell."""
        states = [a + (v in holes) for v, a in enumerate(self.arities)]
        return [self.rng.integers(0, a, self.rows).astype(dtype) for a in states]

    def array(self, kind: str, *shape: int) -> np.ndarray:
        if kind == "_F64":
            return self.rng.normal(size=shape)
        return self.rng.integers(0, 2, size=shape).astype(DTYPES[kind])

    def graph_words(self) -> np.ndarray:
        joined = np.triu(self.rng.random((self.graphs, self.n, self.n)) < 0.4, 1)
        joined |= joined.transpose(0, 2, 1)
        powers = np.uint64(1) << np.arange(self.n, dtype=np.uint64)
        return (joined * powers).sum(axis=2, dtype=np.uint64)

    def sets(self, size: int) -> np.ndarray:
        return np.array(
            [sum(1 << v for v in self.subset(self.n) if v < 64) for _ in range(size)], dtype=np.uint64
        )

    def packed_rows(self) -> np.ndarray:
        """Return distinct rows as words, as a stream has them."""
        rows = _native.RowMerger(self.arities, self.rows + 1)
        rows.add(self.streamed, None, self.rows)
        return rows.rows()[0].reshape(len(rows), -1).T if len(rows) else np.zeros((1, 0), dtype=np.uint64)

    @property
    def shifts(self) -> list[int]:
        """Where the first variables begin in 64 bits, a byte each."""
        return [64 - 8 * (v + 1) for v in range(min(self.n, 8))]

    def bytes_of_rows(self) -> np.ndarray:
        """Return rows with the codes of their first variables side by side."""
        columns = zip(self.streamed, self.shifts, strict=False)
        return sum((c.astype(np.uint64) << np.uint64(s) for c, s in columns), np.zeros(self.rows, np.uint64))

    def some_fields(self) -> np.ndarray:
        """Return the bits of some of these variables, for every test."""
        some = [[255 << s for s in self.shifts if self.rng.random() < 0.4] for _ in range(self.tests)]
        return np.array([sum(fields) for fields in some], dtype=np.uint64)

    def question(self) -> tuple[int, int, tuple[int, ...]]:
        order = self.rng.permutation(self.n).tolist()
        return order[0], order[-1], tuple(order[1 : min(len(order) - 1, 4)])

    def blanket(self) -> tuple[int, tuple[int, ...]]:
        x = int(self.rng.integers(self.n))
        return x, tuple(v for v in self.subset(4) if v != x)

    def value(self, owner: str, name: str, kind: str) -> object:
        """Return a value for an argument that fits all others."""
        for key in ((owner, name), name, kind):
            if key in _VALUES:
                return _VALUES[key](self)
        if kind in DTYPES:
            return self.array(kind, max(1, self.rows))
        raise LookupError(f"{owner}({name}: {kind}) is of a type that the fuzz does not know.")


def _firsts(parts: list[list[int]], dtype: type) -> np.ndarray:
    return np.cumsum([0, *map(len, parts)]).astype(dtype)


def _flat(parts: list[list[int]]) -> np.ndarray:
    return np.array([v for part in parts for v in part], dtype=np.int32)


def _of(name: str) -> Callable[[World], object]:
    return lambda w: construct(w, name)


def _pairs(w: World) -> np.ndarray:
    return np.ascontiguousarray(np.array(np.triu_indices(w.n, 1), dtype=np.int32).T)


def _free(w: World) -> np.ndarray:
    return np.array(np.triu_indices(w.n, 1), dtype=np.int32)


_VALUES: dict[object, Callable[[World], object]] = {
    "int": lambda w: int(w.rng.integers(0, 4)),
    "float": lambda w: float(w.rng.random()),
    "bool": lambda w: bool(w.rng.integers(2)),
    "str": lambda w: str(w.rng.choice(["", *_native.simd_names()])),
    "_Rows": _of("DistinctRows"),
    "DistinctRows": _of("DistinctRows"),
    "Dataset": _of("Dataset"),
    "_Data": _of("Dataset"),
    ("directed_chain", "order"): lambda w: w.rng.permutation(w.n).tolist(),
    ("directed_chain", "parents"): lambda w: [list(range(v - v % 2, v)) for v in range(w.n)],
    ("directed_chain", "pairs"): lambda w: [(x, y) for y in range(w.n) for x in range(y) if w.rng.random() < 0.7],
    ("directed_chain", "max_parents"): lambda w: w.n,
    ("directed_chain", "ess"): lambda w: [0.5 + w.rng.random(), 8.0][: w.rng.integers(1, 3)],
    ("Directed", "ess"): lambda w: [0.5 + w.rng.random(), 8.0][: w.rng.integers(0, 3)],
    ("directed_chain", "a"): lambda w: 0.5 + w.rng.random(),
    ("directed_chain", "b"): lambda w: 0.5 + w.rng.random(),
    ("directed_chain", "sweeps"): lambda w: 4,
    ("directed_chain", "burn_in"): lambda w: 1,
    ("Directed", "order"): lambda w: w.rng.permutation(w.n).tolist(),
    ("Directed", "max_parents"): lambda w: w.n,
    "arcs": lambda w: [(0, w.n - 1)] if w.n > 1 and w.rng.random() < 0.5 else [],
    "apart": lambda w: [(0, 1)] if w.n > 2 and w.rng.random() < 0.5 else [],
    ("Directed", "log_odds"): lambda w: [],
    ("directed_chain", "log_odds"): lambda w: [],
    ("Directed.row", "child"): lambda w: int(w.rng.integers(w.n)),
    "_Terms": _of("Terms"),
    "list[Codes]": lambda w: w.codes(np.uint8 if w.rng.random() < 0.7 else np.uint16),
    "list[_U16]": lambda w: w.codes(np.uint16),
    "list[Blanket]": lambda w: [w.blanket() for _ in range(w.tests)],
    "list[Question]": lambda w: [w.question() for _ in range(w.tests)],
    "Sequence[Positions]": lambda w: [w.question() for _ in range(w.tests)],
    "list[tuple[int, ...]]": lambda w: [tuple(w.subset(3)) for _ in range(w.tests)],
    "Sequence[int]": lambda w: w.subset(3),
    "_I64 | None": lambda w: None if w.rng.random() < 0.5 else w.rng.integers(0, 3, w.rows),
    "_F64 | None": lambda w: None if w.rng.random() < 0.5 else w.rng.random(w.rows),
    "object": lambda w: int(w.rng.integers(w.n)),
    "index": lambda w: {f"v{i}": i for i in range(w.n)},
    "resolve": lambda w: lambda question: (0, w.n - 1, ()),
    "arities": lambda w: list(w.arities),
    "sizes": lambda w: list(w.arities),
    "n_rows": lambda w: w.rows,
    "n": lambda w: w.rows,
    "threads": lambda w: int(w.rng.integers(0, 4)),
    "classes": lambda w: w.rng.integers(0, w.classes, w.rows).astype(np.uint16),
    "n_classes": lambda w: w.classes,
    "log_prior": lambda w: -float(w.rng.exponential()) - 1e-9,
    ("Dataset", "columns"): lambda w: w.codes(np.uint8 if w.rng.random() < 0.7 else np.uint16, w.holes),
    "holes": lambda w: list(w.holes),
    ("set_poll", "check"): lambda w: unlimited,
    ("set_memory", "n_bytes"): lambda w: int(w.rng.choice([0, 1, 2**20, 2**40])),
    "kind": lambda w: int(w.rng.integers(0, 4)),
    "dof": lambda w: int(w.rng.integers(0, 3)),
    "graphs": lambda w: w.graph_words(),
    "x": lambda w: w.pairs[0],
    "y": lambda w: w.pairs[1],
    "given": lambda w: w.sets(w.tests),
    "log_ratio": lambda w: w.array("_F64", w.tests),
    "free_x": lambda w: _free(w)[0],
    "free_y": lambda w: _free(w)[1],
    ("population_flip_moves", "log_prior"): lambda w: w.array("_F64", w.n * w.n),
    ("population_edge_moves", "log_prior"): lambda w: w.array("_F64", w.n * w.n),
    "keys": lambda w: w.rng.integers(0, 2**63, w.graphs).astype(np.uint64),
    ("draw_together", "keys"): lambda w: w.rng.integers(0, 2**63, 3).tolist(),
    "row_of": lambda w: w.array("_I32", w.rows),
    "distinct": lambda w: 2,
    "group": lambda w: w.array("_I32", w.graphs),
    "n_groups": lambda w: 2,
    ("population_climb", "weight"): lambda w: w.rng.random(w.graphs),
    "price": lambda w: 1 + w.rng.random(w.n),
    ("log_chi2_sf", "x"): lambda w: float(w.rng.exponential(10)),
    ("log_chi2_sf", "dof"): lambda w: float(w.rng.integers(1, 100)),
    ("make_tuples", "row"): lambda w: Answer,
    ("make_tuples", "columns"): lambda w: (list(range(w.rows)), "same"),
    ("recode", "table"): lambda w: np.arange(4, dtype=np.uint8),
    # Dataset, Contexts, Resamples
    "margins": lambda w: [w.array("_F64", a).tolist() if a > 2 and w.rng.random() < 0.5 else [] for a in w.arities],
    ("Dataset.logistic", "price"): lambda w: float(w.rng.random()),
    ("Dataset.logistic", "scores"): lambda w: [w.rng.normal(size=w.rows) if w.rng.random() < 0.2 else None for _ in w.arities],
    ("Dataset.judge", "questions"): lambda w: [w.question() for _ in range(w.tests)],
    ("Dataset.screen", "rank"): lambda w: w.rng.permutation(w.n).tolist(),
    ("Dataset.screen", "partners"): lambda w: int(w.rng.integers(0, min(w.n, 5))),
    ("Dataset.screen", "limit"): lambda w: float(-w.rng.exponential(3)),
    ("Dataset.screen", "only"): lambda w: _pairs(w) if w.rng.random() < 0.5 else None,
    ("Dataset.judge_tables", "rx"): lambda w: 2,
    ("Dataset.judge_tables", "ry"): lambda w: 3,
    ("Dataset.judge_tables", "tables"): lambda w: w.rng.integers(0, 5, (4, 6 * w.tests)).astype(np.uint32),
    ("communities", "n"): lambda w: 5,
    ("communities", "x"): lambda w: np.array([0, 1, 2], dtype=np.int32),
    ("communities", "y"): lambda w: np.array([1, 2, 4], dtype=np.int32),
    ("communities", "weights"): lambda w: w.rng.random(3) + 0.1,
    ("Dataset.add_tables", "requests"): lambda w: [(0,), (0, w.n - 1)],
    ("Dataset.add_tables", "into"): lambda w: np.zeros(w.arities[0] * (1 + w.arities[-1]), dtype=np.int64),
    ("Contexts", "codes"): lambda w: np.array(w.codes(np.uint16), dtype=np.uint16).reshape(w.n, w.rows),
    ("Contexts", "units"): lambda w: w.rng.integers(0, 5, w.rows),
    ("Contexts.judge", "x"): lambda w: 0,
    ("Contexts.judge", "y"): lambda w: w.n - 1,
    ("Contexts.judge", "given"): lambda w: [v for v in w.subset(3) if v not in (0, w.n - 1)],
    ("Resamples", "codes"): lambda w: np.array(w.codes(np.uint8), dtype=np.uint8).reshape(w.n, w.rows),
    ("Resamples", "weights"): lambda w: w.array("_U8", 3, w.rows),
    # streams
    ("RowMerger", "most"): lambda w: 100,
    ("SliceTally", "given"): lambda w: w.arities[:-2],
    ("SliceTally", "rx"): lambda w: w.arities[-2] if w.n > 1 else 2,
    ("SliceTally", "ry"): lambda w: w.arities[-1],
    ("SliceTally", "rows"): lambda w: float(w.rows),
    ("PackedTally", "order"): lambda w: w.rng.permutation(w.n).tolist()[:16] if w.n > 1 else [0, 0],
    ("PackedTally", "rows"): lambda w: w.rows,
    ("PackedTally", "held"): lambda w: 50,
    ("PackedTally.add", "words"): lambda w: w.packed_rows(),
    ("PackedTally.add", "units"): lambda w: None if w.rng.random() < 0.5 else w.rng.integers(0, 5, w.packed_rows().shape[1]),
    # contexts
    "shifts": lambda w: w.shifts,
    ("context_factors", "codes"): lambda w: w.bytes_of_rows(),
    ("context_factors", "rows"): lambda w: 1.0 + w.rng.integers(0, 3, w.rows),
    ("context_factors", "arities"): lambda w: w.arities[:8],
    ("context_factors", "x"): lambda w: 0,
    ("context_factors", "y"): lambda w: min(w.n, 8) - 1,
    "neighbors_x": lambda w: w.sets(w.rows),
    "neighbors_y": lambda w: w.sets(w.rows),
    ("context_factors", "fields"): lambda w: w.some_fields(),
    ("context_factors", "contexts"): lambda w: np.zeros(w.tests, dtype=np.uint64),
    ("context_factors", "scales"): lambda w: w.rng.random(8),
    ("generalize", "wanted"): lambda w: w.bytes_of_rows(),
    ("generalize", "forbidden"): lambda w: w.bytes_of_rows()[: w.tests],
    ("generalize", "covered"): lambda w: w.rng.integers(0, 2, w.rows).astype(np.uint8),
    # inference
    ("Inference", "n"): lambda w: w.n,
    ("Inference", "verdict"): lambda w: Answer,
    ("Inference", "fact"): lambda w: Answer,
    ("Inference", "rules"): lambda w: ("a", "b", "c", "d"),
    ("Inference", "numbers"): lambda w: (None, 1.0),
    ("Inference", "answers"): lambda w: [],
    ("Inference.answer", "given"): lambda w: tuple(w.subset(2)),
    "list[Verdict]": lambda w: [Answer((*w.question(), True, 1, 2, 3)) for _ in range(w.tests)],
    # models
    "face": lambda w: w.subset(3),
    "parts": lambda w: [0],
    ("Climb.with_each", "faces"): lambda w: np.array([[0], [w.n - 1]], dtype=np.int32),
    ("Climb.with_each", "signs"): lambda w: np.array([[-1, 1], [0, 1]], dtype=np.int32),
    ("Climb.add", "face"): lambda w: np.array([0], dtype=np.int32),
    ("Climb.add", "signs"): lambda w: np.array([-1, 1], dtype=np.int32),
    ("Potentials", "at"): lambda w: w.array("_I32", w.rows, 2),
    ("Potentials", "row_weights"): lambda w: None,
    ("Potentials", "start"): lambda w: w.array("_F64", w.classes),
    ("Potentials", "start_own"): lambda w: w.array("_F64", w.classes),
    ("Potentials", "counted"): lambda w: w.array("_F64", 4, w.classes),
    ("Potentials", "own"): lambda w: w.array("_F64", 4, w.classes),
    ("Potentials", "face"): lambda w: w.array("_I32", 4),
    ("Potentials", "relevance"): lambda w: w.rng.random(2),
    ("Potentials.loss", "scales"): lambda w: w.array("_F64", 3 + 4 * w.classes),
    ("Mixture", "start"): lambda w: w.array("_F64", w.classes),
    ("Mixture", "terms"): lambda w: np.arange(-1, w.n, dtype=np.int32),
    ("Mixture", "weights"): lambda w: w.rng.random(w.n + 1),
    ("Mixture", "advances"): lambda w: np.r_[0, w.array("_U8", w.n)].astype(np.uint8),
    ("Mixture", "first_member"): lambda w: _firsts(w.terms, np.int32),
    ("Mixture", "tables"): lambda w: [
        w.array("_F64", int(np.prod([w.arities[v] for v in t], dtype=int)) * w.classes) for t in w.terms
    ],
    "members": lambda w: _flat(w.terms),
    "first_member": lambda w: _firsts(w.terms, np.int64),
    "first_term": lambda w: np.arange(w.n + 1),
    "first_cell": lambda w: np.zeros(w.n, dtype=np.int64),
    "first_listed": lambda w: np.zeros(w.n + 1, dtype=np.int64),
    "listed": lambda w: np.zeros(0, dtype=np.int64),
    "strides": lambda w: np.array([int(MOST**i) for t in w.terms for i in range(len(t))], dtype=np.int64),
    "arity": lambda w: np.array(w.arities, dtype=np.int32),
    "fused": lambda w: w.array("_U8", w.n),
    "thresholds": lambda w: np.full(8, 2**31, dtype=np.uint32),
    "log_odds": lambda w: w.array("_F64", 8),
    "levels": lambda w: np.full(MOST**4, 2**30, dtype=np.uint32),
    "values": lambda w: np.zeros(MOST**4),
    ("recode", "values"): lambda w: w.array(str(w.rng.choice(["_U8", "_I32", "_I64", "_U16"])), w.rows),
    ("DistinctRows", "weights"): lambda w: w.rng.random(w.rows),
    ("Terms", "variable"): lambda w: _flat(w.terms),
    ("Terms", "state"): lambda w: np.zeros(_flat(w.terms).size, dtype=np.int32),
    ("pseudo_likelihood", "weights"): lambda w: w.array("_F64", w.n),
    ("pseudo_likelihood", "direction"): lambda w: None if w.rng.random() < 0.5 else w.array("_F64", w.n),
    ("pseudo_likelihood_gains", "weights"): lambda w: w.array("_F64", w.n),
    ("gibbs_conditional", "n_hidden"): lambda w: w.n,
    ("gibbs_conditional", "weight"): lambda w: w.array("_F64", w.n),
    "first_evidence": lambda w: np.arange(w.n + 1),
    "evidence": lambda w: np.arange(w.n, dtype=np.int32),
    "evidence_state": lambda w: w.array("_I32", w.n),
    "first_hidden": lambda w: _firsts(w.terms, np.int64),
    "hidden": lambda w: _flat(w.terms),
    "hidden_state": lambda w: w.array("_I32", _flat(w.terms).size),
    ("gibbs_conditional", "rows"): lambda w: w.array("_U8", w.graphs, w.n),
    # linear models
    "covariance": lambda w: np.cov(np.vstack([w.rng.normal(size=(w.n, 80)), np.zeros((1, 80))]))[: w.n, : w.n] + np.eye(w.n),
    "first": lambda w: np.arange(w.n + 1),
    "precision": lambda w: 0.1 + w.rng.random(),
    ("gaussian_terms", "rows"): lambda w: float(w.rows),
    ("sample_graphs", "rows"): lambda w: float(w.rows),
    "precisions": lambda w: [0.5, 1.0, 2.0],
    ("sample_graphs", "start"): lambda w: int(w.rng.integers(3)),
    ("sample_graphs", "sweeps"): lambda w: 4,
    ("sample_graphs", "burn_in"): lambda w: 1,
    ("sample_graphs", "most_columns"): lambda w: int(w.rng.integers(1, 5)),
    # bounds
    "lower": lambda w: np.zeros(w.n, dtype=np.uint64),
    "upper": lambda w: np.full(w.n, 2 ** min(w.n, 64) - 1, dtype=np.uint64) & ~(np.uint64(1) << np.arange(w.n, dtype=np.uint64)),
    "apart_x": lambda w: w.pairs[0],
    "apart_y": lambda w: w.pairs[1],
    "apart_given": lambda w: w.sets(w.tests),
    "together_x": lambda w: w.pairs[0],
    "together_y": lambda w: w.pairs[1],
    "together_given": lambda w: w.sets(w.tests),
    ("tighten_bounds", "group"): lambda w: w.sets(w.tests),
}  # fmt: skip


def signatures() -> dict[str, list[tuple[str, str]]]:
    """Return of every callable of the stub its arguments and their types; of a method as ``Class.method``."""
    found: dict[str, list[tuple[str, str]]] = {}
    for node in ast.parse(STUB.read_text(encoding="utf-8")).body:
        if not isinstance(node, ast.ClassDef):
            continue
        for function in node.body:
            if not isinstance(function, ast.FunctionDef):
                continue
            arguments = [
                (a.arg, ast.unparse(a.annotation))
                for a in [*function.args.posonlyargs, *function.args.args]
                if a.annotation is not None
            ]
            prefix = "" if node.name == "Kernels" else f"{node.name}."
            name = node.name if function.name == "__init__" else prefix + function.name
            found[name] = arguments
    return found


CALLABLES = signatures()


def construct(world: World, name: str) -> object:
    """Return an object of a class of the kernels, made of arguments that fit."""
    if name not in world.made:
        arguments = [world.value(name, argument, kind) for argument, kind in CALLABLES[name]]
        world.made[name] = getattr(_native, name)(*arguments)
    return world.made[name]


def unlimited() -> None:
    """Have no limit on time."""


def lift_limits() -> None:
    """Take back the limits of the process, which a call may have set to anything."""
    _native.set_poll(unlimited)
    _native.set_memory(2**63)


def spoil(world: World, name: str, value: object) -> object:
    """Return something that does not fit, or only just."""
    rng = world.rng
    if rng.random() < 0.1:
        return _pick(
            rng, [None, "text", b"bytes", 1.5, -1, 2**70, [], (), {}, np.zeros(()), object(), [[1]], np.nan]
        )
    if isinstance(value, np.ndarray):
        return _spoil_array(rng, value)
    if isinstance(value, bool | int):
        return _pick(rng, [-1, 0, 1, 2, 3] if name in WORK else [*NUMBERS, *HUGE])
    if isinstance(value, float):
        return _pick(rng, REALS)
    if isinstance(value, str):
        return _pick(rng, ["", "nope", "avx2\0", "x" * 1000])
    if isinstance(value, list | tuple):
        return _spoil_sequence(world, name, value)
    return _pick(rng, [None, {}, 0])


def _pick(rng: np.random.Generator, choices: object) -> object:
    return list(choices)[int(rng.integers(len(list(choices))))]


def _spoil_sequence(world: World, name: str, value: list | tuple) -> object:
    rng = world.rng
    out = list(value)
    way = int(rng.integers(6))
    if way == 0:
        out = out[:-1]
    elif way == 1:
        out = [*out, *(out or [0])]
    elif out:
        at = int(rng.integers(len(out)))
        if way == 2:
            out[at] = Spoiler(out)
        elif way == 3 and isinstance(out[at], tuple | list):
            inner = list(out[at])
            if inner:
                inner[int(rng.integers(len(inner)))] = _pick(
                    rng, [*NUMBERS, *HUGE, Spoiler(out), Spoiler(inner), "v0"]
                )
            out[at] = inner if rng.random() < 0.3 else tuple(inner)
        else:
            out[at] = spoil(world, name, out[at])
    return tuple(out) if isinstance(value, tuple) else out


def _spoil_array(rng: np.random.Generator, value: np.ndarray) -> np.ndarray:
    way = int(rng.integers(9)) if value.ndim else 0
    if way == 0:
        return value.astype(
            _pick(
                rng,
                [np.int8, np.uint8, np.int32, np.int64, np.float32, np.float64, np.complex128, bool, ">i4"],
            )
        )
    if way == 1:
        return np.repeat(value, 2, axis=-1)[..., ::2] if value.size else value  # a view with gaps
    if way == 2:
        return value[:-1]
    if way == 3:
        return np.concatenate([value, value]) if value.size else np.ones(3, dtype=value.dtype)
    if way == 4:
        return value.reshape(-1) if value.ndim > 1 else value.reshape(-1, 1)
    if way == 5:
        return value[:0]
    if way == 6:
        value = value.copy()
        value.flags.writeable = False
        return value
    value = value.copy()
    if value.size:
        at = int(rng.integers(value.size))
        if value.dtype.kind not in "iu":
            value.flat[at] = _pick(rng, REALS)
        else:
            limits = np.iinfo(value.dtype)
            least, most = int(limits.min), int(limits.max)
            choices = [n for n in (*NUMBERS, *HUGE, least, most) if least <= n <= most]
            value.flat[at] = _pick(rng, choices)
    return value


def kernels_of(world: World) -> Iterator[tuple[str, Callable[..., object], list[tuple[str, str]]]]:
    """Yield the kernels that can be called in a world: their names, what to call, and the arguments."""
    for name, arguments in CALLABLES.items():
        owner, _, method = name.partition(".")
        try:
            function = getattr(construct(world, owner), method, None) if method else getattr(_native, name)
        except REFUSALS:  # these sizes are none for it
            continue
        if callable(function):  # no property, which was read
            yield name, function, arguments


def calls(world: World) -> Iterator[tuple[str, Callable[..., object], list[object]]]:
    """Yield calls: their names, what to call, and the arguments."""
    for name, function, arguments in kernels_of(world):
        values = [world.value(name, argument, kind) for argument, kind in arguments]
        if values and world.rng.random() < 0.7:
            for _ in range(int(world.rng.integers(1, 3))):
                at = int(world.rng.integers(len(values)))
                values[at] = spoil(world, arguments[at][0], values[at])
        yield name, function, values


def run(first: int, n_calls: int, seed: int, mark: BinaryIO | None) -> tuple[int, dict[str, int], list[str]]:
    """Make so many calls; return the number of the next world, the answers by kernel, and what was no refusal."""
    answered: dict[str, int] = dict.fromkeys(CALLABLES, 0)
    wrong: list[str] = []
    done, number = 0, first
    while done < n_calls:
        if mark is not None:
            faulthandler.dump_traceback_later(SECONDS, exit=True)
        world = World(np.random.default_rng([seed, number]))
        for name, function, values in calls(world):
            done += 1
            if mark is not None:
                mark.seek(0)
                mark.write(f"{number} {done} {name:40}".encode())
            try:
                function(*values)
                answered[name] += 1
            except REFUSALS:
                pass
            except Exception as error:  # noqa: BLE001 - that is what is looked for
                wrong.append(f"world {number}: {name}: {type(error).__name__}: {error}")
            if name.startswith("set_") and world.rng.random() < 0.9:
                lift_limits()  # else they hold in the rest of this world
        lift_limits()
        number += 1
    faulthandler.cancel_dump_traceback_later()
    return number, answered, wrong


def unanswered(n_worlds: int) -> list[str]:
    """Return the kernels that refuse arguments that should fit, in more than half of some worlds."""
    answered = dict.fromkeys(CALLABLES, 0)
    del answered["Dataset.simd"]  # which is a property
    for number in range(n_worlds):
        world = World(np.random.default_rng([0, number]))
        for name, function, arguments in kernels_of(world):
            with contextlib.suppress(*REFUSALS):
                function(*(world.value(name, *argument) for argument in arguments))
                answered[name] += 1
            lift_limits()
    return sorted(name for name, times in answered.items() if 2 * times < n_worlds)


def main() -> int:
    """Make the calls in processes of their own, so that one that ends is noticed; return an exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--calls", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0, help="the world to begin with")
    parser.add_argument("--mark", type=Path, help="make the calls here, and write there how far they came")
    options = parser.parse_args()
    if options.mark is not None:
        faulthandler.enable()
        with options.mark.open("wb", buffering=0) as mark:
            number, answered, wrong = run(options.first, options.calls, options.seed, mark)
        options.mark.write_text(f"{number} {options.calls} end", encoding="utf-8")
        print(*wrong, sep="\n", file=sys.stderr)
        never = [name for name, times in answered.items() if not times]
        if never and options.calls > 10_000:
            print("never answered:", *never)
        return bool(wrong)
    done, first, faults = 0, options.first, 0
    with tempfile.TemporaryDirectory() as folder:
        mark = Path(folder) / "mark"
        while done < options.calls:
            some = min(50_000, options.calls - done)
            command = [
                sys.executable,
                __file__,
                "--seed",
                str(options.seed),
                "--first",
                str(first),
                "--calls",
                str(some),
            ]
            code = subprocess.run([*command, "--mark", str(mark)], check=False).returncode
            number, made, name = mark.read_text(encoding="utf-8").split()
            if code:
                faults += 1
                print(f"seed {options.seed}, world {number}: {name} ended with {code}", flush=True)
            done += int(made)
            first = int(number) + (code != 0 and name != "end")
            print(f"{done:,} calls, {faults} faults", flush=True)
    return min(faults, 1)


if __name__ == "__main__":
    sys.exit(main())
