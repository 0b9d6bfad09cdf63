"""What determines a run: all of it on the command line, in a TOML file, and in the result it made."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphoid.errors import DataError, SettingsError

if TYPE_CHECKING:
    from collections.abc import Mapping

RUN = "run"
"""Where the settings of a result keep the run that made it."""


@dataclass(frozen=True, kw_only=True)
class Run:
    """Everything that ``graphoid learn`` needs to know in order to learn the same again.

    Fields are named after the options; None is what was not said.
    """

    file: str | None = None
    columns: list[str] | None = None
    drop: list[str] | None = None
    missing: str = "error"
    discretize: str = "auto"
    weights: str | None = None
    where: str | None = None
    table: str | None = None
    cache: str | None = None
    learner: str = "auto"
    test: str | None = None
    alpha: float | None = None
    score: str | None = None
    preset: str | None = None
    budget: float | None = None
    seconds: float | None = None
    seed: int = 0
    bootstrap: int | None = None
    set: Mapping[str, Any] = field(default_factory=dict)
    data_id: str | None = None
    graphoid: str | None = None

    @classmethod
    def of(cls, values: Mapping[str, Any], where: str) -> Run:
        """Return the run that a file describes, or raise one clear error."""
        known = {f.name for f in fields(cls)}
        for key in values:
            if key not in known:
                raise SettingsError(f"{where} has a setting {key!r}, which graphoid learn does not know.")
        for key, value in values.items():
            _check(key, value, where)
        return cls(**values)

    def over(self, values: Mapping[str, Any]) -> Run:
        """Return this run with what was said (not None) in the place of what it had."""
        said = {key: value for key, value in values.items() if value is not None}
        if "set" in said:
            said["set"] = {**self.set, **said["set"]}
        return replace(self, **said)

    def beside(self, path: str) -> Run:
        """Return the run with its file where it is: as said, or else next to the file that says it."""
        if self.file is None or Path(self.file).exists():
            return self
        near = Path(path).parent / self.file
        return replace(self, file=str(near)) if near.exists() else self

    @property
    def digest(self) -> str:
        """A few characters that no other run has."""
        import hashlib

        return hashlib.blake2b(self.to_toml().encode(), digest_size=4).hexdigest()

    def to_dict(self) -> dict[str, Any]:
        """Return what was said, as plain values."""
        values = {f.name: getattr(self, f.name) for f in fields(self)}
        return {key: value for key, value in values.items() if value is not None and value != {}}

    def to_toml(self) -> str:
        """Return the file that repeats the run.

        >>> print(Run(file="survey.csv", alpha=0.01, set={"test.dof": "adjusted"}).to_toml())
        # graphoid learn --config THIS_FILE repeats the run
        file = "survey.csv"
        missing = "error"
        discretize = "auto"
        learner = "auto"
        alpha = 0.01
        seed = 0
        <BLANKLINE>
        [set]
        "test.dof" = "adjusted"
        <BLANKLINE>
        """
        values = self.to_dict()
        chosen = values.pop("set", {})
        lines = ["# graphoid learn --config THIS_FILE repeats the run"]
        lines += [f"{key} = {toml(value)}" for key, value in values.items()]
        if chosen:
            lines += ["", "[set]", *(f"{toml(key)} = {toml(value)}" for key, value in chosen.items())]
        return "\n".join(lines) + "\n"


_KINDS: dict[str, tuple[type, ...]] = {
    "alpha": (float, int),
    "budget": (float, int),
    "seconds": (float, int),
    "seed": (int,),
    "bootstrap": (int,),
    "columns": (list,),
    "drop": (list,),
    "set": (dict,),
}
"""What kind of value each setting has; text where nothing is said."""


def _check(key: str, value: Any, where: str) -> None:
    from graphoid.cli.learners import LEARNERS, SCORES, TESTS
    from graphoid.cli.options import WHERE, Discretize, Missing

    kinds = _KINDS.get(key, (str,))
    if not isinstance(value, kinds) or isinstance(value, bool):
        raise SettingsError(f"{where}: {key} is {value!r}; expected a {kinds[0].__name__}.")
    choices: dict[str, Any] = {
        "learner": LEARNERS,
        "test": TESTS,
        "score": SCORES,
        "missing": [policy.value for policy in Missing],
        "discretize": [way.value for way in Discretize],
        "where": WHERE,
    }
    if key in choices and value not in choices[key]:
        raise SettingsError(f"{where}: {key} is {value!r}; expected one of {', '.join(choices[key])}.")


def load(path: str) -> Run:
    """Return the run in a TOML file, or the one that made a result saved as JSON."""
    import tomllib

    where = repr(path)
    try:
        text = Path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise DataError(f"{where} is not text; expected a TOML file or a result of graphoid learn.") from None
    except OSError as error:
        raise DataError(f"{where} cannot be read: {error.strerror or error}.") from None
    if path.lower().endswith(".json"):
        import graphoid as gd

        return made_by(gd.load(path), where).beside(path)
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise DataError(f"{where} is not TOML: {error}.") from None
    return Run.of(values, where).beside(path)


def made_by(result: Any, where: str) -> Run:
    """Return the run that made a result."""
    run = getattr(result, "settings", {}).get(RUN)
    if run is None:
        raise DataError(f"{where} does not say which run made it; it was not made by graphoid learn.")
    return Run.of(run, where)


def pairs(texts: list[str]) -> dict[str, Any]:
    """Return settings written as ``name=value``; a value is what TOML makes of it, and else text.

    >>> pairs(["max_given=3", "test.dof=adjusted", "rule='both'"])
    {'max_given': 3, 'test.dof': 'adjusted', 'rule': 'both'}
    """
    import tomllib

    found = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise SettingsError(f"--set {text!r} is not NAME=VALUE, such as --set max_given=3.")
        try:
            found[name.strip()] = tomllib.loads(f"value = {value.strip()}")["value"]
        except tomllib.TOMLDecodeError:
            found[name.strip()] = value.strip()
    return found


def toml(value: Any) -> str:
    r"""Return a plain value as TOML writes it.

    >>> print(toml("a \x1b \" é"), toml([1, 2.5]), toml(True))
    "a \u001b \" é" [1, 2.5] true
    """
    import json

    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(toml, value))}]"
    # a JSON string is one of TOML, but for this character, which TOML wants written out
    return json.dumps(str(value), ensure_ascii=False).replace("\x7f", "\\u007f")
