"""The options of ``graphoid learn``: on the command line, in a TOML file, and in the result of a run."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from graphoid.cli.learners import LEARNERS, SCORES, TESTS
from graphoid.cli.options import (
    DECIMALS,
    ENGINES,
    WHERE,
    Discretize,
    Missing,
    argument,
    declared_options,
    option,
    parse_kinds,
    parse_na,
    split_names,
)
from graphoid.errors import DataError, SettingsError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from graphoid.cli.options import Declared
    from graphoid.data.table import Table
    from graphoid.structure.document import Json

RUN = "run"
"""Where the settings of a result keep the options that made it."""


_SEVERAL = {"kind", "set"}
"""Options that hold several values by name, of which each may be said again."""

_TABLES = _SEVERAL | {"knowledge"}
"""Those that a TOML file has as a table."""

PARTIAL = ".partial.json"
"""How a file ends that holds what an interrupted run has found."""


def parse_settings(texts: list[str]) -> dict[str, object]:
    """Return settings written as ``name=value``; a value is what TOML makes of it, and else text.

    >>> parse_settings(["max_given=3", "test.dof=adjusted", "rule='both'"])
    {'max_given': 3, 'test.dof': 'adjusted', 'rule': 'both'}
    """
    import tomllib

    from graphoid.structure.document import read_toml

    found: dict[str, object] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise SettingsError(f"--set {text!r} is not NAME=VALUE, such as --set max_given=3.")
        try:
            found[name.strip()] = read_toml(f"value = {value.strip()}")["value"]
        except tomllib.TOMLDecodeError:
            found[name.strip()] = value.strip()
        except ValueError as error:
            raise SettingsError(f"--set {name.strip()} cannot be read: {error}.") from None
    return found


def read_knowledge(path: str) -> dict[str, object]:
    """Return the knowledge in a TOML file as plain values, which are saved with a run."""
    from graphoid.structure.knowledge import Knowledge

    return Knowledge.read(path).to_values()


_reading = partial(option, rich_help_panel="Reading the file")
_learning = partial(option, rich_help_panel="Learning")
_writing = partial(option, rich_help_panel="Results", saved=False)


@dataclass(frozen=True, kw_only=True)
class LearnOptions:
    """Everything that ``graphoid learn`` can be told; what is saved of it is what it takes to learn the same.

    Fields are named after the options; None is what was not said.
    """

    file: str | None = argument("A .csv, .tsv, .parquet, .arff, .sav or .duckdb file.")
    missing: str = _reading("What to do with missing cells.", "error", kind=Missing)
    kind: Mapping[str, str] = _reading(
        "The kind of a column: nominal, ordered, continuous or count.",
        {},
        "--kind",
        kind=list[str],
        parse=parse_kinds,
        plain=dict,
        metavar="NAME=KIND",
    )
    na: Sequence[str] | None = _reading(
        "A code for missing values, such as -99; may be repeated.",
        None,
        "--na",
        kind=list[str],
        parse=parse_na,
        plain=list,
        metavar="VALUE",
    )
    decimal: str | None = _reading("The decimal mark of numbers: . or ,", choices=DECIMALS)
    discretize: str = _reading("How to cut numbers into bins.", "none", kind=Discretize)
    columns: Sequence[str] | None = _reading(
        "Columns to read, separated by commas.", parse=split_names, plain=list
    )
    drop: Sequence[str] | None = _reading(
        "Columns to leave out, such as id, separated by commas.", parse=split_names, plain=list
    )
    weights: str | None = _reading("The column that holds row weights.")
    weighting: str | None = _reading(
        "frequency: how often each row occurs; sampling: scaled to the effective number of rows.",
        choices=("frequency", "sampling"),
    )
    where: str | None = _reading(
        "source: count rows where they are stored, however many; memory: read them.", choices=WHERE
    )
    table: str | None = _reading("The table or view of a .duckdb file.")
    cache: str | None = _reading("A file that keeps counts, so that another run need not count again.")
    append: Sequence[str] = _reading(
        "A file of further rows; may be repeated.", (), "--append", kind=list[str], plain=list
    )
    learner: str = _learning("The learner; listed below.", "auto", choices=LEARNERS)
    test: str | None = _learning(f"The test: {', '.join(TESTS)}.", choices=TESTS)
    alpha: float | None = _learning("Significance level of the test.", kind=float)
    score: str | None = _learning(f"The score: {', '.join(SCORES)}.", choices=SCORES)
    preset: str | None = _learning(
        "robust: gsmn or gsimn with false discoveries controlled.", choices=["robust"]
    )
    budget: float | None = _learning("Total cost of tests allowed (pfmn).", kind=float, min=0)
    covariates: Sequence[str] | None = _learning(
        "Columns to adjust for, which are not shown in the network, separated by commas.",
        parse=split_names,
        plain=list,
    )
    seconds: float | None = _learning(
        "Time limit; the best network found by then is the result.", kind=float, min=0
    )
    seed: int = _learning("Random seed; 0 if left out.", 0, kind=int, min=0)
    set: Mapping[str, object] = _learning(
        "Any other setting, such as max_given=3, test.dof=adjusted or score.ess=2.",
        {},
        "--set",
        kind=list[str],
        parse=parse_settings,
        plain=dict,
        metavar="NAME=VALUE",
    )
    knowledge: Mapping[str, object] | None = _learning(
        "A .toml file of prior knowledge: required or forbidden edges, blocks, waves, probabilities.",
        parse=read_knowledge,
        plain=dict,
        metavar="FILE",
    )
    bootstrap: int | None = _learning(
        "Number of bootstrap resamples to learn from as well: how stable is each edge?", kind=int, min=1
    )
    threads: int | None = _learning(
        "Number of threads; the result does not depend on it.", kind=int, min=1, saved=False
    )
    engine: str | None = _learning(
        "native, gpu or auto; the result does not depend on it.", choices=ENGINES, saved=False
    )
    config: str | None = _learning(
        "Repeat the run of a .toml file or of a saved result (.json).", saved=False
    )
    resume: str | None = _learning("Continue an interrupted run from the file that it left.", saved=False)
    dry_run: bool = _learning(
        "Estimate time and memory, and stop.", False, "--dry-run", kind=bool, saved=False
    )
    out: Sequence[str] = _writing(
        "Write the network as .json, .graphml, .csv or .parquet; may be repeated.", (), kind=list[str]
    )
    model: str | None = _writing("Fit a model and write it as .json, for graphoid query and sample, or .uai.")
    report: str | None = _writing("Write a report as one .html page that works offline.")
    plot: Sequence[str] = _writing(
        "Draw the network as .svg, .png or .pdf; centrality=c.pdf, intervals=i.pdf, heatmap=h.pdf and "
        "missing=m.pdf draw other pictures.",
        (),
        "--plot",
        kind=list[str],
        metavar="[KIND=]FILE",
    )
    save_config: str | None = _writing("Write a .toml file that repeats this run; - prints it.")
    json: bool = _writing("Print JSON instead of a table.", False, "--json", kind=bool)
    quiet: bool = _writing("Print nothing but errors.", False, "--quiet", "-q", kind=bool)
    data_id: str | None = None
    """Of the table that was learned from."""
    graphoid: str | None = None
    """The version that learned."""

    @classmethod
    def from_values(cls, values: Json, where: str) -> LearnOptions:
        """Return the options that a file has, or raise one clear error."""
        for key in values:
            if key not in _saved_names():
                raise SettingsError(f"{where} has a setting {key!r}, which graphoid learn does not know.")
        for key, value in values.items():
            _check(key, value, declared_options(cls).get(key), where)
        return cls(**values)

    @classmethod
    def from_result(cls, result: object, where: str) -> LearnOptions:
        """Return the options that a result was learned by."""
        from graphoid.structure.contexts import CanonicalModel
        from graphoid.structure.learned import LearnedStructure

        values = None
        if isinstance(result, (LearnedStructure, CanonicalModel)):
            values = result.settings.get(RUN)
        if values is None:
            raise DataError(f"{where} does not say which run made it; it was not made by graphoid learn.")
        return cls.from_values(values, where)

    @classmethod
    def from_file(cls, path: str) -> LearnOptions:
        """Return the options in a TOML file, or those that made a result saved as JSON."""
        from graphoid.structure.document import read_toml, refuse_pipe

        where = repr(path)
        refuse_pipe(path)
        try:
            text = Path(path).read_text(encoding="utf-8")
        except UnicodeDecodeError:
            raise DataError(
                f"{where} is not text; expected a TOML file or a result of graphoid learn."
            ) from None
        except OSError as error:
            raise DataError(f"{where} cannot be read: {error.strerror or error}.") from None
        if path.lower().endswith(".json"):
            import graphoid as gd

            return cls.from_result(gd.load(path), where).beside(path)
        try:
            values = read_toml(text)
        except ValueError as error:
            raise DataError(f"{where} is not TOML that can be read: {error}.") from None
        return cls.from_values(values, where).beside(path)

    def over(self, values: Json) -> LearnOptions:
        """Return these options with what was said (not None) in the place of what they had."""
        said = {key: value for key, value in values.items() if value is not None}
        for several in _SEVERAL & said.keys():
            said[several] = {**vars(self)[several], **said[several]}
        return replace(self, **said)

    def beside(self, path: str) -> LearnOptions:
        """Return the options with files where they are: as said, or else next to the file that says it."""

        def find(file: str) -> str:
            neighbor = Path(path).parent / file
            return file if Path(file).exists() or not neighbor.exists() else str(neighbor)

        return replace(
            self,
            file=None if self.file is None else find(self.file),
            append=tuple(map(find, self.append)),
        )

    def on(self, table: Table) -> LearnOptions:
        """Return the options with what they are about to learn from, and by which version."""
        from graphoid import __version__

        return replace(self, data_id=table.data_id, graphoid=__version__)

    @property
    def checkpoint(self) -> str:
        """Where to keep what was found if the run is interrupted: beside the result, never in its place."""
        saved = next((path for path in self.out if path.lower().endswith(".json")), None)
        if saved is None and self.resume is not None:
            return self.resume
        return str(Path(saved or Path(self.file or "network").name).with_suffix(PARTIAL))

    @property
    def digest(self) -> str:
        """A few characters that no other run has."""
        import hashlib

        return hashlib.blake2b(self.to_toml().encode(), digest_size=4).hexdigest()

    def to_values(self) -> dict[str, object]:
        """Return what determines the result, as plain values."""
        values = {name: value for name, value in vars(self).items() if name in _saved_names()}
        return {name: value for name, value in values.items() if value not in (None, {}, ())}

    def to_toml(self) -> str:
        """Return the file that repeats the run.

        >>> print(LearnOptions(file="survey.csv", alpha=0.01, set={"test.dof": "adjusted"}).to_toml())
        # graphoid learn --config THIS_FILE repeats the run
        file = "survey.csv"
        missing = "error"
        discretize = "none"
        learner = "auto"
        alpha = 0.01
        seed = 0
        <BLANKLINE>
        [set]
        "test.dof" = "adjusted"
        <BLANKLINE>
        """
        lines = ["# graphoid learn --config THIS_FILE repeats the run"]
        values = self.to_values()
        lines += [f"{name} = {to_toml(value)}" for name, value in values.items() if name not in _TABLES]
        for name in sorted(_TABLES & values.keys()):
            entries = vars(self)[name].items()
            lines += ["", f"[{name}]", *(f"{to_toml(key)} = {to_toml(value)}" for key, value in entries)]
        return "\n".join(lines) + "\n"


@cache
def _saved_names() -> frozenset[str]:
    declared = declared_options(LearnOptions)
    return frozenset(f.name for f in fields(LearnOptions) if f.name not in declared or declared[f.name].saved)


def _check(key: str, value: object, declared: Declared | None, where: str) -> None:
    kinds, choices = (declared.plain, declared.choices) if declared is not None else ((str,), ())
    if not isinstance(value, kinds) or isinstance(value, bool):
        raise SettingsError(f"{where}: {key} is {value!r}; expected a {kinds[0].__name__}.")
    if choices and value not in choices:
        raise SettingsError(f"{where}: {key} is {value!r}; expected one of {', '.join(choices)}.")


def to_toml(value: object) -> str:
    r"""Return a plain value as TOML writes it.

    >>> print(to_toml("a \x1b \" é"), to_toml([1, 2.5]), to_toml(True))
    "a \u001b \" é" [1, 2.5] true
    """
    import json

    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(to_toml, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{to_toml(key)} = {to_toml(item)}' for key, item in value.items())}}}"
    # a JSON string is one of TOML, but for this character, which TOML wants written out
    return json.dumps(str(value), ensure_ascii=False).replace("\x7f", "\\u007f")
