"""Class probabilities on UCI data ([Jakulin2006]_, Table 1), and beside scikit-learn's classifiers."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np
from scipy.stats import rankdata

from graphoid.errors import missing_extra
from graphoid.experiments.experiment import ParallelExperiment, Run
from graphoid.experiments.labeled_data import Labeled, read_labeled, stratify
from graphoid.experiments.papers.jakulin2006 import LOG_LOSS, METHODS
from graphoid.experiments.results import Plot, Row, Spread, columns
from graphoid.experiments.tables import file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    import pyarrow as pa
    from numpy.typing import NDArray

    from graphoid.classifiers.markov import MarkovNetworkClassifier

    Attributes: TypeAlias = pa.Table | NDArray[np.uint16]


PAPER = ("M2", "M3", "M4", "B2", "BT", "B3", "B4")
"""The paper's methods; numbers are cut before the rows are dealt into folds, as the paper says it did."""

FOLDED, FITTED = "B4, cut in folds", "graphoid"
PEERS = ("naive Bayes", "logistic regression", "gradient boosting")
COMPARED = (FOLDED, FITTED, *PEERS)
"""What can be compared fairly: every fold is cut by the rows that are learned from."""

SMALL = 1_000
"""Rows below which a set counts as small in the ranks."""

LEAST = 1e-15
"""The least probability that enters a logarithm: a class that was not among the rows learned from has 0."""


class Measures(NamedTuple):
    """What one method did on one set."""

    method: str
    log_loss: Spread
    error: Spread
    seconds: float
    """Of CPU, for learning on all folds."""


@dataclass(frozen=True, kw_only=True)
class Classes(ParallelExperiment):
    """Log-loss and error of the classifier in all its variants, and of scikit-learn's on the same folds."""

    NAME = "classifier-uci"
    TITLE = "UCI data sets: log-loss and error (Table 1), and beside scikit-learn's classifiers"
    COLUMNS = columns("data set, rows, method, log-loss:3, printed log-loss:2, error:3, seconds:2")
    PLOT = Plot("data set", {"log-loss": ("log-loss", "printed log-loss")}, panels=("method",))

    names: tuple[str, ...] = tuple(LOG_LOSS)
    """Data sets."""
    repetitions: int = 5
    """How often the rows are dealt into folds."""
    n_folds: int = 5
    """How many folds."""

    def rows(self, run: Run) -> Iterable[Row]:
        """Learn from the CSV files in the folder ``uci`` of the data."""
        uci = run.folder("uci", "data sets as CSV files with a header, such as titanic.csv")
        done = self.map(partial(self._of_file, uci), self.names, "UCI data sets", run)
        found = dict(zip(self.names, done, strict=True))
        for name, (n_rows, measures) in found.items():
            printed = dict(zip(METHODS, LOG_LOSS[name], strict=True))
            for m in measures:
                printed_loss = printed.get({"naive Bayes": "NB"}.get(m.method, m.method))
                yield (name, n_rows, m.method, m.log_loss, printed_loss, m.error, m.seconds)
        yield from _ranks(found)

    def _of_file(self, uci: Path, run: Run, name: str) -> tuple[int, list[Measures]]:
        rows = read_labeled(file(uci, f"{name}.csv", f"{name}.csv.gz"))
        return rows.n_rows, self.measure(name, rows, run)

    def measure(self, name: str, rows: Labeled, run: Run) -> list[Measures]:
        """Go through all methods on one set."""
        makers = _makers()
        codes = _Codes(rows.attributes, rows.classes).of(rows.attributes)  # cut by all rows
        runs: dict[str, list[tuple[float, float, float]]] = {method: [] for method in makers}
        for repetition in range(self.repetitions):
            rng = run.stream(list(LOG_LOSS).index(name), repetition)
            folds = stratify(rows.classes, self.n_folds, rng)
            for method, make in makers.items():
                attributes = codes if method in PAPER else rows.attributes
                runs[method].append(_cross_validate(make, attributes, rows, folds))
        found = []
        for method, done in runs.items():
            loss, error, _ = Spread.of_each(done)
            found.append(Measures(method, loss, error, sum(seconds for *_, seconds in done)))
        return found

    def notes(self, run: Run) -> str:
        """Return how to read the table."""
        return f"""Mean ± standard deviation over {self.repetitions} times {self.n_folds} stratified folds;
            seed {run.seed}. Log-loss in nats a row; a class that was not among the rows learned from counts
            as {LEAST:g}.

            M2 to M4 are the best structures with hyperedges of up to 2, 3, 4 members, B2 to B4 the averages,
            BT the average over hypertrees (preset="paper"). Their numbers were cut beforehand, by all rows
            and their classes, as in the paper: some of what they are tested on went into the cuts.

            '{FOLDED}' is B4 with numbers cut by the rows learned from only; '{FITTED}' is the default, with
            fitted potentials. Naive Bayes (CategoricalNB) and logistic regression (one-hot, C = 1) see the
            same cut columns, gradient boosting (HistGradientBoosting) the numbers themselves.

            The last lines are average ranks of these five, over all sets and over sets below {SMALL:,} rows.

            Seconds are of CPU, for learning on all folds.

            shuttle-landing-control has 15 rows here with 'does not matter' as a missing value; the paper's
            figures cannot come from so few. In horse-colic the class is the outcome, in o-ring the number of
            rings in distress; which ones the paper used is not said."""


def _makers() -> dict[str, Callable[[], MarkovNetworkClassifier | _Peer]]:
    """Return what makes each method's classifier."""
    from graphoid.classifiers.markov import MarkovNetworkClassifier as Markov  # needs an extra

    paper = partial(Markov, preset="paper", discretize=None)
    return {
        "M2": partial(paper, max_order=2, averaging=False),
        "M3": partial(paper, max_order=3, averaging=False),
        "M4": partial(paper, max_order=4, averaging=False),
        "B2": partial(paper, max_order=2),
        "BT": partial(paper, max_order=3, acyclic=True),
        "B3": partial(paper, max_order=3),
        "B4": partial(paper, max_order=4),
        FOLDED: lambda: Markov(preset="paper"),
        FITTED: Markov,
        **{peer: partial(_Peer, peer) for peer in PEERS},
    }


def _cross_validate(
    make: Callable[[], MarkovNetworkClassifier | _Peer],
    attributes: Attributes,
    rows: Labeled,
    folds: NDArray[np.int64],
) -> tuple[float, float, float]:
    """Return log-loss, error and the seconds of learning, over all folds."""
    loss = np.empty(rows.n_rows)
    wrong = np.empty(rows.n_rows, dtype=bool)
    seconds = 0.0
    for fold in np.unique(folds):
        held = np.flatnonzero(folds == fold)
        known = np.flatnonzero(folds != fold)
        start = time.process_time()
        model = make().fit(_rows(attributes, known), rows.classes[known])
        seconds += time.process_time() - start
        p = model.predict_proba(_rows(attributes, held))
        own = model.classes_[None, :] == rows.classes[held][:, None]
        loss[held] = -np.log(np.maximum((p * own).sum(axis=1), LEAST))
        wrong[held] = model.classes_[p.argmax(axis=1)] != rows.classes[held]
    return float(loss.mean()), float(wrong.mean()), seconds


def _rows(attributes: Attributes, which: NDArray[np.intp]) -> Attributes:
    return attributes[which] if isinstance(attributes, np.ndarray) else attributes.take(which)


class _Codes:
    """Attributes as the classifier would code them, from some rows."""

    def __init__(self, attributes: pa.Table, classes: NDArray[np.str_]) -> None:
        from graphoid.classifiers.columns import learn_attribute

        labels, codes = np.unique(classes, return_inverse=True)
        self.attributes = [
            learn_attribute(
                column, name, np.arange(len(classes)), codes, len(labels), weights=None, discretize="auto"
            )[0]
            for name, column in zip(attributes.column_names, attributes.columns, strict=True)
        ]

    def of(self, attributes: pa.Table) -> NDArray[np.uint16]:
        """Return a code for every cell; the number of values for what was not seen."""
        return np.stack(
            [a.codes(column) for a, column in zip(self.attributes, attributes.columns, strict=True)], axis=1
        )


class _Peer:
    """A classifier of scikit-learn with the preparation it needs."""

    def __init__(self, name: str) -> None:
        self._name = name

    def fit(self, attributes: pa.Table, classes: NDArray[np.str_]) -> _Peer:
        try:
            from sklearn.ensemble import HistGradientBoostingClassifier
            from sklearn.linear_model import LogisticRegression
            from sklearn.naive_bayes import CategoricalNB
            from sklearn.pipeline import make_pipeline
            from sklearn.preprocessing import OneHotEncoder
        except ImportError:
            raise missing_extra("comparing with scikit-learn", "sklearn") from None
        self._codes = _Codes(attributes, classes)
        rows = self._inputs(attributes)
        if self._name == "naive Bayes":
            # one more value, for levels that were not seen
            self._model = CategoricalNB(min_categories=[a.size + 1 for a in self._codes.attributes])
        elif self._name == "logistic regression":
            self._model = make_pipeline(
                OneHotEncoder(handle_unknown="ignore"), LogisticRegression(C=1.0, max_iter=2_000)
            )
        else:
            self._model = HistGradientBoostingClassifier(
                categorical_features=[not _is_number(column) for column in attributes.columns],
                random_state=0,
            )
        self._model.fit(rows, classes)
        self.classes_ = self._model.classes_
        return self

    def predict_proba(self, attributes: pa.Table) -> NDArray[np.float64]:
        p: NDArray[np.float64] = self._model.predict_proba(self._inputs(attributes))
        return p

    def _inputs(self, attributes: pa.Table) -> NDArray[np.number]:
        codes = self._codes.of(attributes)
        if self._name != "gradient boosting":
            return codes
        out = codes.astype(np.float64)
        for i, column in enumerate(attributes.columns):
            if _is_number(column):
                out[:, i] = column.to_numpy()
            else:
                out[codes[:, i] >= self._codes.attributes[i].size, i] = np.nan  # not seen: missing
        return out


def _is_number(column: pa.ChunkedArray) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_integer(column.type) or pa.types.is_floating(column.type))


def _ranks(found: dict[str, tuple[int, list[Measures]]]) -> list[Row]:
    """Return average ranks, by log-loss and by error, of what can be compared."""
    lines: list[Row] = []
    for title, most in (("rank, all sets", None), (f"rank, below {SMALL:,} rows", SMALL)):
        sets = [
            {m.method: m for m in measures}
            for n_rows, measures in found.values()
            if most is None or n_rows < most
        ]
        if not sets:
            continue
        means = [[(s[method].log_loss.mean, s[method].error.mean) for method in COMPARED] for s in sets]
        ranks = rankdata(means, axis=1).mean(axis=0).tolist()
        for method, (by_loss, by_error) in zip(COMPARED, ranks, strict=True):
            lines.append((title, len(sets), method, by_loss, None, by_error, None))
    return lines
