"""Density of binary data: how well a learned Markov network predicts rows it has not seen ([Lowd2014]_)."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from graphoid.data.table import Table
from graphoid.data.variables import Variable
from graphoid.errors import DataError
from graphoid.experiments.experiment import Experiment, Run
from graphoid.experiments.papers.lowd2014 import DENSITY, LEARNERS
from graphoid.experiments.results import Cell, Row, columns
from graphoid.experiments.tables import file, select_rows
from graphoid.models.density import DensityLearner
from graphoid.models.gibbs_conditional import ConditionalGibbs
from graphoid.models.pseudo_likelihood import PseudoLikelihood

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from numpy.typing import NDArray

    from graphoid.models.network import MarkovNetwork

PARTS = ("train", "valid", "test")

MEASURES = ("pseudo-log-likelihood", "conditional marginal")


class Parts(NamedTuple):
    """A data set as it was divided by those who measure density with it."""

    train: Table
    valid: Table
    test: Table


@dataclass(frozen=True, kw_only=True)
class Density(Experiment):
    """Negative log-likelihoods per variable on test rows, beside those of four published learners."""

    NAME = "density"
    TITLE = "Density: negative log-likelihood per variable of test rows"
    COLUMNS = columns(
        "data set, n, features, largest, measure, graphoid:4, standard error:4, "
        + "".join(f"{name}:3, " for name in LEARNERS)
        + "graphoid - best printed:4, seconds:1"
    )

    names: tuple[str, ...] = tuple(DENSITY)
    """Data sets."""
    learner: DensityLearner = field(default_factory=DensityLearner)
    """Its settings; the same for all sets."""
    n_groups: int = 4
    """Groups of variables, each asked about given the others."""
    n_queried: int | None = 1_000
    """Test rows that are asked about, drawn at random; None for all."""
    sampler: ConditionalGibbs = field(default_factory=ConditionalGibbs)
    """How the marginals of a group are sampled."""
    repetitions: int = 3
    """Random divisions of the variables into groups."""

    def rows(self, run: Run) -> Iterable[Row]:
        """Learn from the files in the folder ``debd`` of the data."""
        debd = run.folder("debd", "rows of 0 and 1 without a header, such as nltcs.train.csv.gz")
        for name in run.steps(self.names, "data sets"):
            yield from self._lines(name, parts(debd, name), run.stream(list(DENSITY).index(name)))

    def _lines(self, name: str, data: Parts, rng: np.random.Generator) -> list[Row]:
        start = time.process_time()
        model = self.learner.fit(data.train, data.valid).model_
        seconds: Cell = time.process_time() - start
        n = len(data.test.variables)
        whole = PseudoLikelihood(model.features, data.test)
        pseudo = -whole.value(model.weights) / whole.rows.total / n
        queried = data.test
        if self.n_queried is not None and queried.n_rows > self.n_queried:
            drawn = rng.choice(queried.n_rows, self.n_queried, replace=False)
            queried = select_rows(queried, np.sort(drawn))
        more = self._lost_by_groups(model, queried, rng)
        measured = ((pseudo, None), (pseudo + float(more.mean()), float(more.std() / np.sqrt(more.size))))
        lines: list[Row] = []
        for measure, (loss, error), printed in zip(MEASURES, measured, DENSITY[name], strict=True):
            head = (name, n, len(model.features), max(map(len, model.features)), measure)
            lines.append((*head, loss, error, *printed, loss - min(printed), seconds))
            seconds = None
        return lines

    def _lost_by_groups(
        self, model: MarkovNetwork, table: Table, rng: np.random.Generator
    ) -> NDArray[np.float64]:
        """Return for every row how much more is lost given the other groups than given all other variables.

        Rows differ widely in both losses and little in this difference: a sample of rows tells it well.
        """
        n = len(table.variables)
        # one hidden variable: nothing to sample
        once = replace(self.sampler, n_chains=1, burn_in=0, n_samples=1)
        alone = conditional_losses(model, table, np.array_split(np.arange(n), n), once, rng)
        given_groups = np.zeros(table.n_rows)
        for _ in range(self.repetitions):
            groups = np.array_split(rng.permutation(n), self.n_groups)
            given_groups += conditional_losses(model, table, groups, self.sampler, rng)
        return given_groups / self.repetitions - alone

    def notes(self, run: Run) -> str:
        """Return how to read the table."""
        s, rows = self.sampler, "all" if self.n_queried is None else f"at most {self.n_queried:,} random"
        return f"""Smaller is better; natural logarithms. Printed figures are those of Lowd and Davis (2014):
            BLM, L1, DTSL and DT+L1. Seed {run.seed}.

            Features and weights are learned from the training rows; penalties and when to stop are chosen on
            the validation rows.

            Pseudo-log-likelihood: each variable given all others, all test rows, no sampling.

            Conditional marginal: variables in {self.n_groups} random groups, each variable of a group given
            the variables of the other groups; {s.n_chains} chains of {s.burn_in} + {s.n_samples:,} sweeps for
            each row and group, {rows} test rows, {self.repetitions} division(s) into groups. On these rows
            the loss beyond the pseudo-log-likelihood is measured, whose mean is added to that of all test
            rows; its standard error is given. The mean of conditional probabilities along the chains is
            taken, not the frequency of states. The paper's own division of the variables is not known here.

            Seconds are the CPU time of learning, all stages of the search together."""


def conditional_losses(
    model: MarkovNetwork,
    table: Table,
    groups: list[NDArray[np.intp]],
    sampler: ConditionalGibbs,
    rng: np.random.Generator,
) -> NDArray[np.float64]:
    """Return for every row the mean of -log P(variable | variables of the other groups)."""
    total = np.zeros(table.n_rows)
    for group in groups:
        p = sampler.marginals(model.features, model.weights, table, group.tolist(), rng)
        seen = np.where(table.codes[:, group] == 1, p, 1 - p)
        total -= np.log(np.maximum(seen, 2.0**-53)).sum(axis=1)  # 1 - p is 0 where p rounds to 1
    return total / len(table.variables)


def parts(directory: Path, name: str) -> Parts:
    """Read training, validation and test rows."""
    return Parts(*(_read(file(directory, f"{name}.{p}.csv", f"{name}.{p}.csv.gz"), name) for p in PARTS))


def _read(path: Path, name: str) -> Table:
    import pyarrow as pa
    from pyarrow import csv

    try:
        rows = csv.read_csv(path, csv.ReadOptions(autogenerate_column_names=True))
    except (pa.ArrowInvalid, OSError) as error:
        raise DataError(f"{path.name} cannot be read: {error}") from error
    cells = [column.to_numpy() for column in rows.columns]
    if not all(np.isin(column, (0, 1)).all() for column in cells):
        raise DataError(f"{path.name} should hold rows of 0 and 1 without a header; something else is in it.")
    return Table(
        tuple(Variable(f"v{i}", (0, 1)) for i in range(len(cells))),
        tuple(column.astype(np.uint8) for column in cells),
        rows.num_rows,
        name=name,
    )
