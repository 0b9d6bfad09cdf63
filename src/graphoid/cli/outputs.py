"""Outputs of a command: looked at before the work begins, and each of them tried when it is done."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from graphoid.cli import files
from graphoid.cli.process import debugging, describe
from graphoid.cli.terminal import shell_word
from graphoid.errors import DataError, SettingsError
from graphoid.structure import whole_file

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from graphoid.cli.learn_options import LearnOptions

PRINT = "-"
"""The file that is the standard output."""


PICTURES = (".svg", ".png", ".pdf")
"""Endings of pictures."""

PLOTS = ("network", "centrality", "intervals", "heatmap", "missing")
"""What can be drawn."""


def plot_of(text: str, kinds: Sequence[str] = PLOTS) -> tuple[str, str]:
    """Return what to draw, the first of all kinds if nothing is said, and the file.

    >>> plot_of("net.svg"), plot_of("centrality=c.pdf")
    (('network', 'net.svg'), ('centrality', 'c.pdf'))
    """
    kind, equals, path = text.partition("=")
    if equals and kind.isalpha() and kind not in kinds:  # a misspelled one, more likely than a file
        raise SettingsError(
            f"--plot {text!r}: there is no picture {kind!r}, only {', '.join(kinds)}; a file of that name is "
            f"{'./' + text!r}."
        )
    return (kind, path) if equals and kind in kinds else (kinds[0], text)


class Output(NamedTuple):
    """A file that a command is to write, the option that says so, and the endings that it may have."""

    option: str
    path: str
    endings: Collection[str]


def outputs_of(options: LearnOptions) -> list[Output]:
    """Return the files that a run of ``graphoid learn`` is to write."""
    named = [Output("--out", path, files.STRUCTURES) for path in options.out]
    named += [Output("--plot", plot_of(text)[1], PICTURES) for text in options.plot]
    settings = None if options.save_config == PRINT else options.save_config
    for option, path, endings in (
        ("--model", options.model, files.MODELS),
        ("--report", options.report, [".html"]),
        ("--save-config", settings, [".toml"]),
    ):
        if path is not None:
            named.append(Output(option, path, endings))
    return named


def say_again(options: LearnOptions) -> str:
    """Return the outputs of a run as one would type them."""
    plots = {plot_of(text)[1]: text for text in options.plot}
    return "".join(
        f" {option} {shell_word(plots.get(path, path) if option == '--plot' else path)}"
        for option, path, _ in outputs_of(options)
    )


def check_output(path: str | None, endings: Collection[str], option: str, *inputs: str | None) -> None:
    """Raise if a file cannot be written, or would replace an input: before the work begins, not after."""
    check_outputs([] if path is None else [Output(option, path, endings)], inputs)


def check_outputs(outputs: Sequence[Output], inputs: Sequence[str | None]) -> None:
    """Raise if an output cannot be written, would replace an input, or is another output as well."""
    for output in outputs:
        _check(output)
        for used in inputs:
            if used is not None and whole_file.same(output.path, used):
                raise SettingsError(
                    f"{output.option} {output.path!r} would replace {used!r}, which is read; name another."
                )
    for a, b in combinations(outputs, 2):
        if whole_file.same(a.path, b.path):
            raise SettingsError(
                f"{a.option} {a.path!r} and {b.option} {b.path!r} are one file; name another for one of them."
            )


def _check(output: Output) -> None:
    option, path, endings = output
    if Path(path).suffix.lower() not in endings:
        raise SettingsError(f"{option} {path!r} must end in {' or '.join(endings)}.")
    folder = Path(path).absolute().parent
    if not folder.is_dir():
        raise DataError(f"{option} {path!r}: there is no folder {str(folder)!r}; make it first.")
    if Path(path).is_dir():
        raise DataError(f"{option} {path!r} is a folder; name a file.")
    try:
        whole_file.probe(path)
    except OSError as error:
        raise DataError(
            f"{option} {path!r} cannot be written: {error.strerror or error}; name another file."
        ) from error


@dataclass
class Attempts:
    """What was done, one after another, whatever became of the rest."""

    written: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    """A sentence for each thing that could not be done."""

    def write(self, path: str, write: Callable[[], None]) -> None:
        """Try to write a file."""
        if self.attempt(repr(path), write):
            self.written.append(path)

    def attempt(self, what: str, work: Callable[[], object]) -> bool:
        """Do some work, and return whether it was done."""
        try:
            work()
        except Exception as error:
            if debugging():
                raise
            if isinstance(error, OSError):
                self.failed.append(f"{what} cannot be written: {error.strerror or error}.")
            else:
                self.failed.append(f"{what}: {describe(error)}")
            return False
        return True

    def complaint(self) -> str:
        """Return what was not written and what was."""
        written = f"written: {', '.join(self.written)}." if self.written else "nothing was written."
        return f"error: {' '.join(self.failed)} {written[0].upper()}{written[1:]}"
