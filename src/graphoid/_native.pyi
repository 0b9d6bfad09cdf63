# The compiled module, as a type. A module cannot be an annotation, so its functions are those of `Kernels`,
# which is what `counts.native.kernels()` returns; arguments go by position.
# fmt: off
from collections.abc import Sequence
from typing import Protocol, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from graphoid.counts.engine import Blanket, Positions, Resolve
from graphoid.data.table import Codes
from graphoid.logic.source import Question
from graphoid.logic.verdict import Fact, Verdict

_F64: TypeAlias = NDArray[np.float64]
_I32: TypeAlias = NDArray[np.int32]
_I64: TypeAlias = NDArray[np.int64]
_U8: TypeAlias = NDArray[np.uint8]
_U16: TypeAlias = NDArray[np.uint16]
_U32: TypeAlias = NDArray[np.uint32]
_U64: TypeAlias = NDArray[np.uint64]
_Integers: TypeAlias = NDArray[np.integer]
_Nums: TypeAlias = list[float]
_Row = TypeVar("_Row", bound=tuple[object, ...])

class Dataset:
    def __init__(
        self, columns: list[Codes], arities: Sequence[int], n_rows: int, units: _I64 | None, unit: float,
        simd: str,
    ) -> None: ...
    @property
    def simd(self) -> str: ...
    def judge(
        self, questions: list[Question], index: dict[str, int], resolve: Resolve,
        kind: int, dof: int, log_prior: float, pseudo_count: float, occurring: bool, threads: int, /,
    ) -> tuple[list[int], list[int], list[tuple[int, ...]], _Nums, _Nums, _Nums, _Nums, _Nums, _Nums]: ...
    def tables(self, requests: list[tuple[int, ...]], threads: int, /) -> _I64: ...
    def add_tables(self, requests: list[tuple[int, ...]], threads: int, into: _I64, /) -> None: ...
    def occurring(self, variables: Sequence[int], /) -> tuple[_U32, _U32, _I64]: ...
    def closures(
        self, blankets: list[Blanket], log_prior: float, pseudo_count: float, occurring: bool, threads: int,
        /,
    ) -> _F64: ...
    def marginal_likelihood(self, blankets: list[Blanket], ess: float, threads: int, /) -> _F64: ...
    def logistic(
        self, blankets: list[Blanket], interactions: bool, price: float, scale: float, threads: int, /
    ) -> _F64: ...

class Contexts:
    def __init__(
        self, codes: _U16, arities: Sequence[int], units: _I64, unit: float, kind: int, log_prior: float,
        pseudo_count: float, /,
    ) -> None: ...
    def judge(
        self, x: int, y: int, given: Sequence[int], /
    ) -> tuple[_U32, _Nums, _Nums, _Nums, _Nums, _Nums, list[bool]]: ...

class Inference:
    def __init__(
        self, n: int, verdict: type[Verdict], fact: type[Fact], rules: tuple[str, ...],
        numbers: tuple[object, ...], /,
    ) -> None: ...
    def answer(self, x: object, y: object, given: object, /) -> Verdict | None: ...  # or NotImplemented
    def remember(self, verdicts: list[Verdict], /) -> None: ...
    def facts(self) -> list[Fact]: ...

class Resamples:
    def __init__(self, codes: _U8, arities: Sequence[int], weights: _U8, simd: str, /) -> None: ...
    def grow_shrink(
        self, kind: int, dof: int, alpha: float, propagate: bool, skip_independent: bool, both: bool,
        infer: bool, /,
    ) -> tuple[_U8, _I64]: ...
    def strengths(self, questions: Sequence[Positions], /) -> _F64: ...

class RowMerger:
    def __init__(self, arities: Sequence[int], most: int) -> None: ...
    def add(self, columns: list[Codes], units: _I64 | None, n: int) -> bool: ...
    def rows(self) -> tuple[_U64, _I64]: ...
    def __len__(self) -> int: ...

class SliceTally:
    def __init__(
        self, given: Sequence[int], rx: int, ry: int, unit: float, kind: int, dof: int, log_prior: float,
        pseudo_count: float, occurring: bool, rows: float,
    ) -> None: ...
    def add(self, columns: list[Codes], units: _I64 | None, n: int) -> None: ...
    def close_part(self) -> None: ...
    def end(self) -> tuple[float, float, float, float, float, float]: ...

class Climb:
    def __init__(
        self, columns: list[_U16], sizes: Sequence[int], classes: _U16, n_classes: int, weights: _F64 | None,
        theta: float,
    ) -> None: ...
    def start(self) -> float: ...
    def with_each(self, faces: _I32, signs: _I32, threads: int, /) -> _F64: ...
    def add(self, face: _I32, signs: _I32, /) -> None: ...

class Submodels:
    def __init__(
        self, columns: list[_U16], sizes: Sequence[int], classes: _U16, n_classes: int, weights: _F64 | None,
        theta: float,
    ) -> None: ...
    def term(self, face: Sequence[int], parts: Sequence[int], /) -> _F64: ...
    def own_potential(self, face: Sequence[int], /) -> _F64: ...
    def mutual_information(self, face: Sequence[int], /) -> float: ...

class Potentials:
    def __init__(
        self, at: _I32, classes: _U16, row_weights: _F64 | None, start: _F64, start_own: _F64, counted: _F64,
        own: _F64, face: _I32, relevance: _F64, scale_precision: float, weight_precision: float,
    ) -> None: ...
    def loss(self, scales: _F64, /) -> tuple[float, _F64]: ...
    def minimum(self, memory: int, iterations: int, slope: float, gain: float) -> _F64: ...

class Mixture:
    def __init__(
        self, sizes: Sequence[int], start: _F64, terms: _I32, weights: _F64, advances: _U8,
        first_member: _I32, members: _I32, tables: list[_F64], /,
    ) -> None: ...
    def predict(self, columns: list[_U16], n_rows: int, threads: int, /) -> _F64: ...

class DistinctRows:
    def __init__(self, columns: list[Codes], arities: Sequence[int], weights: _F64, /) -> None: ...

class Terms:
    def __init__(self, rows: DistinctRows, first_member: _I64, variable: _I32, state: _I32, /) -> None: ...

_Rows: TypeAlias = DistinctRows
_Terms: TypeAlias = Terms

class Kernels(Protocol):
    Climb: type[Climb]
    Contexts: type[Contexts]
    Dataset: type[Dataset]
    DistinctRows: type[DistinctRows]
    Inference: type[Inference]
    Mixture: type[Mixture]
    Potentials: type[Potentials]
    Resamples: type[Resamples]
    RowMerger: type[RowMerger]
    SliceTally: type[SliceTally]
    Submodels: type[Submodels]
    Terms: type[Terms]

    def simd_names(self) -> list[str]: ...
    def log_chi2_sf(self, x: float, dof: float) -> float: ...
    def make_tuples(self, row: type[_Row], columns: tuple[object, ...], n: int, /) -> list[_Row]: ...
    def recode(self, values: _Integers, low: int, table: Codes, plain: bool) -> tuple[Codes, int]: ...
    def draw_rows(self, key: int, row_of: _I32, distinct: int) -> _U32: ...
    def draw_together(self, keys: Sequence[int], row_of: _I32, distinct: int) -> _U8: ...
    def pseudo_likelihood(
        self, rows: _Rows, model: _Terms, weights: _F64, direction: _F64 | None, scored: _Terms, threads: int
    ) -> tuple[float, _F64]: ...
    def pseudo_likelihood_gains(
        self, rows: _Rows, model: _Terms, weights: _F64, scored: _Terms, threads: int, /
    ) -> tuple[_F64, _F64]: ...
    def gibbs(
        self, first_term: _I64, first_member: _I64, first_cell: _I64, members: _I32, thresholds: _U32,
        log_odds: _F64, keys: _U64, times: int, burn_in: int, thin: int, threads: int, /,
    ) -> _U8: ...
    def gibbs_multistate(
        self, arity: _I32, fused: _U8, first_term: _I64, first_member: _I64, first_listed: _I64,
        first_cell: _I64, members: _I32, strides: _I64, listed: _I64, levels: _U32, values: _F64, keys: _U64,
        times: int, burn_in: int, thin: int, threads: int, /,
    ) -> _U16: ...
    def gibbs_conditional(
        self, n_hidden: int, weight: _F64, first_evidence: _I64, evidence: _I32, evidence_state: _I32,
        first_hidden: _I64, hidden: _I32, hidden_state: _I32, rows: _U8, keys: _U64, n_chains: int,
        burn_in: int, n_samples: int, threads: int, /,
    ) -> _F64: ...
    def tighten_bounds(
        self, lower: _U64, upper: _U64, apart_x: _I32, apart_y: _I32, apart_given: _U64, together_x: _I32,
        together_y: _I32, together_given: _U64, group: _U64, n_settled: int, /,
    ) -> tuple[_U64, _U64, _U64, _U8, _U64, _U64, _U8, _I64]: ...
    def population_separations(
        self, graphs: _U64, x: _I32, y: _I32, given: _U64, threads: int, /
    ) -> _U64: ...
    def population_separators(self, graphs: _U64, x: _I32, y: _I32, threads: int, /) -> _U64: ...
    def population_flip_moves(
        self, graphs: _U64, x: _I32, y: _I32, given: _U64, log_ratio: _F64, free_x: _I32, free_y: _I32,
        log_prior: _F64, alpha: float, steps: int, enough: int, keys: _U64, threads: int, /,
    ) -> _I64: ...
    def population_edge_moves(
        self, graphs: _U64, x: _I32, y: _I32, given: _U64, log_ratio: _F64, free_x: _I32, free_y: _I32,
        log_prior: _F64, steps: int, keys: _U64, threads: int, /,
    ) -> _I64: ...
    def population_repair(
        self, graphs: _U64, x: _I32, y: _I32, given: _U64, log_ratio: _F64, free_x: _I32, free_y: _I32,
        sure: float, rounds: int, keys: _U64, threads: int, /,
    ) -> _I64: ...
    def population_climb(
        self, graphs: _U64, group: _I32, n_groups: int, weight: _F64, x: _I32, y: _I32, price: _F64,
        max_flips: int, floor: float, threads: int, /,
    ) -> tuple[_U64, _F64]: ...
