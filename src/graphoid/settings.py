"""Settings: which values they may have, how they are changed by name, and how they are written down."""

from __future__ import annotations

import math
import numbers
from dataclasses import Field, asdict, dataclass, fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from graphoid.errors import SettingsError

if TYPE_CHECKING:
    from collections.abc import Mapping

RandomState = int | np.random.Generator | None
"""A seed, a generator, or None for a seed that is drawn."""


@dataclass(frozen=True, kw_only=True)
class Number:
    """The numbers that a setting may be; infinity is one of them only where that is said.

    >>> 0.5 in Number(above=0, below=1), 1 in Number(above=0, below=1), True in Number(least=0)
    (True, False, False)
    >>> print(Number(least=2, whole=True, optional=True))
    a whole number of at least 2, or None
    """

    least: float = -math.inf
    above: float = -math.inf
    below: float = math.inf
    whole: bool = False
    infinite: bool = False
    optional: bool = False
    """Whether None will do as well."""
    noun: str = ""
    """What a message calls it."""

    def __contains__(self, value: object) -> bool:
        if value is None:
            return self.optional
        kind = numbers.Integral if self.whole else numbers.Real
        if isinstance(value, (bool, np.bool_)) or not isinstance(value, kind):
            return False
        number = float(value)
        if self.infinite and number == math.inf:
            return True
        return self.least <= number < self.below and number > self.above

    def __str__(self) -> str:
        noun = self.noun or ("whole number" if self.whole else "number")
        if self.below < math.inf:
            words = f"a {noun} between {max(self.least, self.above):g} and {self.below:g}"
        elif self.least > -math.inf:
            words = f"a {noun} of at least {self.least:g}"
        else:
            words = f"a positive {noun}" if self.above == 0 else f"a {noun}"
        return f"{words}, or None" if self.optional else words


PROBABILITY = Number(above=0, below=1)
POSITIVE = Number(above=0)
NOT_NEGATIVE = Number(least=0)
FLAG = (True, False)

Allowed = Number | tuple[str | int | None, ...]
"""What a setting may be: a number of a kind, or one of some names or numbers."""


def check_setting(name: str, value: object, allowed: Allowed, owner: str = "") -> None:
    """Raise if a setting has a value it cannot have; the message begins with its owner, if that is given."""
    if value in allowed and (allowed is not FLAG or isinstance(value, bool)):  # 1 is equal to True
        return
    wanted = str(allowed)
    if isinstance(allowed, tuple):
        *others, last = map(repr, allowed)
        wanted = f"{', '.join(others)} or {last}" if others else last
    if owner:
        raise SettingsError(f"{owner}: {name} must be {wanted}, not {value!r}.")
    raise SettingsError(f"{name} is {value!r}; it must be {wanted}.")


class Settings:
    """A dataclass whose fields are settings, read and changed by name as scikit-learn does."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    allowed: ClassVar[Mapping[str, Allowed]] = {}
    """What settings may be that are numbers or names; those that are True or False need not be listed."""
    named: ClassVar[bool] = False
    """Whether a message about a setting begins with the name of the class."""

    def get_params(self, deep: bool = True) -> dict[str, object]:  # noqa: FBT001, FBT002 - as scikit-learn has it
        """Return the settings by name; if ``deep``, also those of a test or a score: ``test__alpha``."""
        params: dict[str, object] = {f.name: getattr(self, f.name) for f in fields(self)}
        for name, value in list(params.items()):
            if deep and isinstance(value, Settings) and is_dataclass(value):
                params |= {f"{name}__{inner}": of for inner, of in value.get_params().items()}
        return params

    def check(self) -> None:
        """Raise if a setting has a value it cannot have."""
        owner = type(self).__name__ if self.named else ""
        for field in fields(self):
            allowed = self.allowed.get(field.name, FLAG if isinstance(field.default, bool) else None)
            if allowed is not None:
                check_setting(field.name, vars(self)[field.name], allowed, owner)

    def with_params(self, **params: object) -> Self:
        """Return a copy with some settings changed, by the names of :meth:`get_params`."""
        return replace(self, **self._changes(params))

    def _changes(self, params: Mapping[str, object]) -> dict[str, Any]:
        """Return the fields that change: a part is replaced by a copy of it with its own settings changed."""
        own = self.get_params(deep=False)
        changes: dict[str, Any] = {}
        for name, value in sorted(params.items()):  # a part before its settings
            field, _, inner = name.partition("__")
            if field not in own:
                raise SettingsError(
                    f"{type(self).__name__} has no setting {field!r}; it has {', '.join(own) or 'none'}."
                )
            part = changes.get(field, own[field])
            if inner and not isinstance(part, Settings):
                raise SettingsError(f"{type(self).__name__}: {field} is {part!r}, which has no {inner!r}.")
            changes[field] = (
                part.with_params(**{inner: value}) if isinstance(part, Settings) and inner else value
            )
        return changes


class FrozenSettings(Settings):
    """Settings that never change, and are checked when they are given."""

    def __post_init__(self) -> None:
        self.check()


def describe(settings: object) -> dict[str, object]:
    """Return the name of a test or a score and its settings, as plain values that JSON can hold."""
    held = asdict(settings) if is_dataclass(settings) and not isinstance(settings, type) else {}
    return {"name": type(settings).__name__, **{name: json_value(value) for name, value in held.items()}}


def json_value(value: object) -> object:
    """Return a setting as JSON can hold it: as it is, or by its ``repr``."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, dict):
        return {str(key): json_value(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [json_value(item) for item in value]
    return repr(value)


def seed_and_generator(random_state: RandomState) -> tuple[int | None, np.random.Generator]:
    """Return the seed to be recorded (None where a generator was given) and the generator.

    Without a seed one is drawn, so that the result can still be repeated.
    """
    if isinstance(random_state, np.random.Generator):
        return None, random_state
    if random_state is None:
        random_state = int(np.random.SeedSequence().generate_state(1)[0])
    if random_state not in Number(least=0, whole=True):
        raise SettingsError(
            f"random_state must be a whole number of at least 0, a Generator or None, not {random_state!r}."
        )
    return int(random_state), np.random.default_rng(int(random_state))
