"""Everything graphoid raises or warns about.

::

    GraphoidError
    ├── DataError          (ValueError)   the data cannot be used as they are
    │   └── DataChanged                   data that stay where they are have changed while they were in use
    ├── EngineError        (ConnectionError)  what counts the data cannot be reached, or failed
    ├── SettingsError      (ValueError)   a setting has a value it cannot have
    ├── UnknownVariable    (LookupError)  a name or position that no variable has
    ├── CountsTooLarge     (MemoryError)  a table refused before it is built, with its size
    └── MissingExtra       (ImportError)  an optional library is needed and not installed

    Interrupted            (KeyboardInterrupt)  Ctrl-C ended a search; what it had found is with it

    GraphoidWarning        (UserWarning)
    ├── DiscretizedWarning numbers are cut into bins, because what was asked for counts states
    ├── LikelyMissingWarning  values may stand for missing cells, or for numbers, and were taken as they are
    ├── CacheWarning       counts cannot be kept on disk; the run goes on without
    └── SlowWarning        the compiled kernels are not in use

Each error is also the built-in that a caller would expect. A message says what was wrong, with the value;
what was expected; and what to do about it.
"""

from __future__ import annotations

import shlex
from contextvars import ContextVar

ON_COMMAND_LINE: ContextVar[bool] = ContextVar("ON_COMMAND_LINE", default=False)
"""Whether messages name options, as one types them in a shell, and not the arguments of functions."""


ON_PAGE: ContextVar[bool] = ContextVar("ON_PAGE", default=False)
"""Whether messages name what stands on the page of ``graphoid serve``."""


def setting(name: str, value: str) -> str:
    """Return a setting as a reader of a message would give it.

    >>> setting("missing", "drop")
    "missing='drop'"
    """
    if ON_PAGE.get():
        return f"“{value}”"
    return f"--{name} {value}" if ON_COMMAND_LINE.get() else f"{name}={value!r}"


def as_option(option: str, python: str) -> str:
    """Return how a reader of a message would ask for something: as an option, or in Python.

    >>> as_option("--estimate", "estimate()")
    'estimate()'
    """
    return option if ON_COMMAND_LINE.get() else python


def sentence(said: object) -> str:
    """Return what another library says of a fault as one line that ends as a sentence does."""
    words = " ".join(str(said).split())
    return words if words.endswith((".", "!", "?")) else f"{words}."


def leave_out(*columns: str) -> str:
    """Return how columns are left out, at the end of a sentence.

    >>> leave_out("id")
    'with columns=[...]'
    """
    if ON_PAGE.get():
        return "by its box in the list" if len(columns) == 1 else "by their boxes in the list"
    if not ON_COMMAND_LINE.get():
        return "with columns=[...]"
    return f"with --drop {shlex.quote(','.join(columns))}"


class GraphoidError(Exception):
    """Root of every error that graphoid raises on purpose."""


class DataError(GraphoidError, ValueError):
    """The data cannot be used as they are."""


class DataChanged(DataError):  # noqa: N818 - reads as what it says
    """Data that stay where they are have changed while they were in use."""


class EngineError(GraphoidError, ConnectionError):
    """What counts the data cannot be reached, or failed."""


class SettingsError(GraphoidError, ValueError):
    """A setting has a value it cannot have."""


class UnknownVariable(GraphoidError, LookupError):  # noqa: N818 - reads as what it says
    """A name or a position that no variable has."""


class CountsTooLarge(GraphoidError, MemoryError):  # noqa: N818 - reads as what it says
    """A table was refused before it was built; the message has its size."""


class MissingExtra(GraphoidError, ImportError):  # noqa: N818 - reads as what it says
    """An optional library is needed and is not installed."""


class Interrupted(KeyboardInterrupt):
    """Ctrl-C ended a search.

    Parameters
    ----------
    structure
        The best that was found so far; its ``stopped`` is "interrupted".
    """

    def __init__(self, structure: object) -> None:
        super().__init__("the search was interrupted; the best graph so far is the structure of this error.")
        self.structure = structure


class GraphoidWarning(UserWarning):
    """Root of every warning that graphoid gives."""


class DiscretizedWarning(GraphoidWarning):
    """Numbers are cut into bins, because what was asked for counts states."""


class LikelyMissingWarning(GraphoidWarning):
    """Values may stand for missing cells, or for numbers with a decimal comma, and were taken as they are."""


class CacheWarning(GraphoidWarning):
    """Counts cannot be kept on disk; the run goes on without."""


class SlowWarning(GraphoidWarning):
    """The compiled kernels are not in use; answers are the same and come slower."""


def missing_extra(what: str, extra: str) -> MissingExtra:
    """Return the error for ``what`` when the extra that provides it is not installed."""
    return MissingExtra(f"{what} needs an optional library: pip install 'graphoid[{extra}]'.")
