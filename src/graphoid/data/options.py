"""How a source is to be read: settings that are checked once and passed along."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from graphoid.data.encoding.spelling import Spelling
from graphoid.data.variables import KINDS, Kind
from graphoid.errors import SettingsError, as_option, setting

if TYPE_CHECKING:
    import os

    from numpy.typing import ArrayLike

    from graphoid.progress import Listener

MISSING = ("error", "drop", "category", "available", "weighted", "impute")
"""What may become of missing cells."""

ENGINES = ("auto", "native", "gpu")
"""Who may count rows in memory."""

HOLES = ("available", "weighted", "impute")
"""Policies that leave missing cells in the table."""


@runtime_checkable
class Transformer(Protocol):
    """What scikit-learn calls a transformer, as far as cutting a column needs it."""

    def fit_transform(self, X: ArrayLike) -> ArrayLike:
        """Fit to the rows, and return what becomes of them."""


@dataclass(frozen=True, eq=False)
class ReadOptions:
    r"""What :func:`graphoid.read` does with columns, numbers, missing cells and weights.

    Parameters
    ----------
    columns
        Names or positions of the columns to read; all by default.
    discretize
        None leaves numbers as they are. "auto" leaves those with at most 20 different values alone and cuts
        others into 5 bins of about equal frequency; "scott" cuts those with more than
        :math:`k = 1 + \log_2 N` values into :math:`k` bins of equal width; a scikit-learn transformer is
        copied and fitted to each column that "auto" would cut. Columns that are states by their kind are not
        cut.
    missing
        "error" raises, naming columns and counts; "drop" leaves out rows with a missing cell, before states
        and bins are determined; "category" makes missing cells the last state of their column. "available"
        keeps them as holes: a question is answered from the rows that are complete for it. "weighted" is the
        same, and rows count by the inverse of how likely they are to be complete. "impute" keeps them, and
        learners draw them from models several times and pool what they find: see :func:`graphoid.impute`.
    weights
        The name of a column of row weights, which is then no variable, or an array of one number a row.
    weighting
        What weights are. "frequency": how many rows one row stands for, so that their sum is the number of
        rows. "sampling": how many people of a population one respondent stands for; they are scaled to the
        effective number of rows of [Kish1965]_, :math:`(\sum w)^2 / \sum w^2`, and a note says so.
    name
        For reports; the file's name by default.
    kinds
        The kinds of columns by name, where they are not to be found out: "nominal", "ordered", "continuous"
        or "count". What is left out is as the source says (ordered categories, SPSS measure levels); else
        text and truth values are nominal, numbers of at most 20 different values ordered, whole numbers from
        0 counts, and other numbers continuous. Dates are ordered, by day, month or year as they span; as
        "continuous" they are days.
    na_values
        What stands for missing in any column, such as ``["-99", "n/a"]``, beside empty cells and what usually
        does. Values of SPSS that the file itself calls missing need not be named.
    decimal
        The decimal mark of numbers that are text: "." or ",". Files separated by semicolons may have commas
        in any case.
    engine
        Who counts rows in memory: "native", "gpu" (needs the extra ``gpu``), or "auto" for the GPU where
        there is one and all pairs would take long without it. The answers are the same.
    """

    columns: Iterable[str | int] | None = None
    discretize: str | Transformer | None = None
    missing: str = "error"
    weights: str | ArrayLike | None = None
    name: str | None = None
    weighting: str = "frequency"
    kinds: Mapping[str, Kind] = field(default_factory=dict)
    na_values: Iterable[str | float] = ()
    decimal: str = "."
    engine: str = "auto"

    def __post_init__(self) -> None:
        how = self.discretize
        known = (
            how in {"auto", "scott"} if isinstance(how, str) else how is None or isinstance(how, Transformer)
        )
        if not known:
            raise SettingsError(
                f"discretize is {how!r}; expected 'auto', 'scott', None or a scikit-learn transformer, "
                f"such as KBinsDiscretizer(encode='ordinal')."
            )
        if not isinstance(self.kinds, Mapping):
            raise SettingsError(
                f"kinds is {self.kinds!r}; expected a dictionary such as {{'age': 'continuous'}}."
            )
        for name, kind in self.kinds.items():
            if kind not in KINDS:
                raise SettingsError(f"{name!r} is to be {kind!r}; a kind is one of {', '.join(KINDS)}.")
        if self.missing not in MISSING:
            raise SettingsError(f"missing is {self.missing!r}; expected one of {', '.join(MISSING)}.")
        if self.weighting not in ("frequency", "sampling"):
            raise SettingsError(f"weighting is {self.weighting!r}; expected 'frequency' or 'sampling'.")
        if self.weighting == "sampling" and self.weights is None:
            given = as_option("--weights", "weights=")
            raise SettingsError(
                f"{setting('weighting', 'sampling')} says what weights are; give them with {given}."
            )
        if self.decimal not in (".", ","):
            raise SettingsError(f"decimal is {self.decimal!r}; expected '.' or ','.")
        if self.engine not in ENGINES:
            raise SettingsError(f"engine is {self.engine!r}; expected one of {', '.join(ENGINES)}.")
        object.__setattr__(self, "na_values", _texts(self.na_values))

    def arguments(self) -> dict[str, object]:
        """Return the settings that are not the usual ones, as far as they can be written down."""
        listed = list(self.columns) if isinstance(self.columns, (list, tuple)) else None
        named = self.weights if isinstance(self.weights, str) else None
        cut = self.discretize if isinstance(self.discretize, str) else None
        found = {"columns": listed, "kinds": dict(self.kinds), "discretize": cut, "weights": named}
        found |= {"na_values": list(self.na_values), "decimal": self.decimal, "missing": self.missing}
        found["weighting"] = self.weighting
        usual: tuple[object, ...] = (None, {}, [], ".", "error", "frequency")
        return {name: value for name, value in found.items() if value not in usual}

    @cached_property
    def spelling(self) -> Spelling:
        """How the source writes cells."""
        return Spelling(frozenset(map(str, self.na_values)), self.decimal)


def _texts(values: object) -> tuple[str, ...]:
    """Return what stands for missing as texts without blanks around them."""
    listed = [values] if isinstance(values, (str, int, float)) else values
    if not isinstance(listed, Iterable) or not all(isinstance(v, (str, int, float)) for v in listed):
        raise SettingsError(f"na_values is {values!r}; expected texts or numbers such as ['-99', 'n/a'].")
    return tuple(dict.fromkeys(str(value).strip() for value in listed))


@dataclass(frozen=True, eq=False)
class RemoteOptions:
    """How data that stay at their source are asked.

    Parameters
    ----------
    cache
        A file that keeps counts from run to run. A run that was stopped goes on from there, and another
        learner or alpha asks only for what is new. Processes may share it.
    version
        Your name for this state of the data, such as a snapshot or a date. Without it, they are told apart by
        what the source says of itself, their states and their marginal counts.
    prices
        A :class:`~graphoid.PriceList`, for ``structure_.cost.money``.
    progress
        Hears how far a pass over a file has come.
    """

    cache: str | os.PathLike[str] | None = None
    version: str | None = None
    prices: Any = None
    progress: Listener | None = None
