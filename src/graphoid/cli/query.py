"""``graphoid query``: probabilities from a model, independences from a structure."""

from __future__ import annotations

from dataclasses import asdict
from itertools import product
from typing import TYPE_CHECKING, Annotated, NamedTuple, cast

import typer

from graphoid.cli.evidence import states
from graphoid.cli.files import load
from graphoid.cli.options import Json, Quiet, Seed, examples
from graphoid.cli.terminal import cell, console, lines, print_json
from graphoid.errors import CountsTooLarge, DataError, SettingsError
from graphoid.logic.names import quote
from graphoid.structure.safe_text import printable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from graphoid.data.variables import State
    from graphoid.models.mixed.answers import NumberAnswer
    from graphoid.models.network import MarkovNetwork
    from graphoid.structure.graph import UndirectedGraph
    from graphoid.uncertainty.io import Saved

EPILOG = (
    examples(
        ("query model.json vote", "the distribution of vote"),
        ("query model.json vote --given region=north income=low", "the same, given evidence"),
        ("query model.json vote car --joint", "the joint distribution"),
        ("query model.json --map --given vote=yes", "the most probable row"),
        ("query survey.json --separated vote income --given region", "are they independent given region?"),
        ("query survey.json --why vote income", "why they have an edge, or none"),
    )
    + "\n\nA model is what graphoid learn --model wrote; a structure, what --out wrote."
)

SHOWN = 200
"""Cells of a joint distribution shown; ``--json`` has all of them."""


def query(
    model: Annotated[str, typer.Argument(help="A model (.json, .uai) or a structure (.json).")],
    variables: Annotated[
        list[str] | None, typer.Argument(help="Variables to ask about; all if left out.")
    ] = None,
    *,
    given: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=STATE ...", help="Evidence; with --separated, names of the conditioning variables."
        ),
    ] = None,
    joint: Annotated[bool, typer.Option("--joint", help="The joint distribution of the variables.")] = False,
    map_: Annotated[bool, typer.Option("--map", help="The most probable states, jointly.")] = False,
    estimate: Annotated[
        bool,
        typer.Option(
            "--estimate",
            help="Estimate by Gibbs sampling, with standard errors; for models too large for exact answers.",
        ),
    ] = False,
    separated: Annotated[
        bool, typer.Option("--separated", help="Are two variables independent given others?")
    ] = False,
    why: Annotated[bool, typer.Option("--why", help="Why do two variables have an edge, or none?")] = False,
    seed: Seed = 0,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Query MODEL for probabilities, or a structure for conditional independences."""
    import graphoid as gd

    names, known = variables or [], given or []
    questions = [
        f"--{name}"
        for name, on in (("joint", joint), ("map", map_), ("separated", separated), ("why", why))
        if on
    ]
    if len(questions) > 1:
        raise typer.BadParameter(f"{questions[0]} and {questions[1]} are two questions; ask one at a time.")
    found = load(model)
    if separated or why:
        if len(names) != 2:
            raise typer.BadParameter(f"{questions[0]} asks about two variables; got {len(names)}.")
        x, y = names
        answer = _separation(found.graph, x, y, known) if separated else _reason(found, x, y)
    elif not isinstance(found, gd.MarkovNetwork):
        raise DataError(
            f"{model!r} is a structure without probabilities; graphoid learn FILE --model model.json fits "
            f"them. Of a structure ask --separated or --why."
        )
    elif map_:
        answer = _most_probable(found, names, states(known, found.variables))
    else:
        evidence = states(known, found.variables)
        answer = _distributions(found, names, evidence, joint=joint, seed=seed if estimate else None)
    if json:
        print_json(answer.plain)
    elif not quiet:
        answer.show()


class Answer(NamedTuple):
    """An answer as plain values, and as lines."""

    plain: Mapping[str, object]
    sentence: str = ""
    rows: Sequence[tuple[str, ...]] = ()
    numbers: Sequence[tuple[str, ...]] = ()
    """Of continuous variables and counts: mean and quantiles."""

    def show(self) -> None:
        """Print it."""
        screen = console()
        if self.sentence:
            screen.print("\n".join(map(printable, self.sentence.split("\n"))), soft_wrap=True)
        for head, *rows in filter(None, (self.rows, self.numbers)):
            right = head[1:] if head[0] == "number" else ("probability", "± error")
            table = lines(*(printable(name) for name in head), right=right)
            for row in rows[:SHOWN]:
                table.add_row(*map(cell, row))
            screen.print(table)
            if len(rows) > SHOWN:
                screen.print(f"... and {len(rows) - SHOWN:,} more; --json has all of them.")


def _separation(graph: UndirectedGraph, x: str, y: str, given: list[str]) -> Answer:
    independent = graph.separated(x, y, given)
    once = f" once {', '.join(given)} {'is' if len(given) == 1 else 'are'} known" if given else ""
    if independent:
        sentence = f"yes: {x} tells nothing about {y}{once}."
    else:
        sentence = f"no: {x} tells something about {y}{once}, along {_path(graph, x, y, given)}."
    return Answer({"x": x, "y": y, "given": given, "independent": independent}, sentence)


def _path(graph: UndirectedGraph, x: str, y: str, given: list[str]) -> str:
    """Return a shortest path that what is given does not block."""
    import networkx as nx

    open_ = graph.to_networkx()
    open_.remove_nodes_from(given)
    return " – ".join(nx.shortest_path(open_, x, y))


def _reason(found: Saved, x: str, y: str) -> Answer:
    from graphoid.structure.learned import LearnedStructure

    if not isinstance(found, LearnedStructure):
        raise DataError("only a structure that graphoid learn --out wrote knows why; this is another file.")
    sentence = found.why(x, y)
    joined = found.graph.has_edge(x, y)
    return Answer({"x": x, "y": y, "joined": joined, "why": sentence}, sentence)


def _most_probable(model: MarkovNetwork, names: list[str], evidence: dict[str, State]) -> Answer:
    # many rows give a table; this is one
    best = cast("dict[str, State]", model.most_probable(evidence, names or None))
    rows = [("variable", "most probable state")]
    rows += [(name, f"{state} (given)" if name in evidence else str(state)) for name, state in best.items()]
    return Answer({"given": evidence, "most_probable": best}, rows=rows)


def _distributions(
    model: MarkovNetwork, names: list[str], evidence: dict[str, State], *, joint: bool, seed: int | None
) -> Answer:
    """Return the distribution of each variable asked about, or of all of them together."""
    if joint and not names:
        raise SettingsError("--joint needs the names of the variables, such as: vote car --joint.")
    names = names or [name for name in model.names if name not in evidence]
    numbers = [name for name in names if model.variables[model.position(name)].continuous]
    if joint and numbers:
        raise SettingsError(f"--joint is for variables with states; {quote(numbers)} has none.")
    groups = [names] if joint else [[name] for name in names if name not in numbers]
    heads = [*names, "probability"] if joint else ["variable", "state", "probability"]
    rows: list[tuple[str, ...]] = [tuple(heads if seed is None else [*heads, "± error"])] if groups else []
    plain = []
    for group in groups:
        if seed is None:
            p, error = _exactly(model, group, evidence), None
        else:
            found = model.estimate(group, evidence, random_state=seed)
            p, error = found.probabilities, found.standard_error
        labels = [model.variables[model.position(name)].states for name in group]
        cells = list(product(*labels))
        flat = p.ravel().tolist()
        errors = None if error is None else error.ravel().tolist()
        plain.append(
            {
                "variables": group,
                "states": [list(cell) for cell in cells],
                "probabilities": flat,
                **({} if errors is None else {"errors": errors}),
            }
        )
        for i, states_ in enumerate(cells):
            heads = [str(state) for state in states_] if joint else [group[0], str(states_[0])]
            rows.append((*heads, f"{flat[i]:.4f}", *(() if errors is None else (f"{errors[i]:.4f}",))))
    answers = [_number(model, name, evidence, seed) for name in numbers]
    answer = {"given": evidence, "distributions": plain}
    if answers:
        answer["numbers"] = [{"variable": name, **asdict(found)} for name, found in answers]
    return Answer(answer, rows=rows, numbers=_number_rows(answers))


def _number(
    model: MarkovNetwork, name: str, evidence: dict[str, State], seed: int | None
) -> tuple[str, NumberAnswer]:
    """Return the distribution of a number, exactly or by sampling."""
    if seed is not None:
        return name, model.estimate(name, evidence, random_state=seed).numbers[name]
    return name, cast("NumberAnswer", _exactly(model, [name], evidence))


def _number_rows(answers: Sequence[tuple[str, NumberAnswer]]) -> list[tuple[str, ...]]:
    """Return the mean and quantiles of numbers, as lines of a table."""
    if not answers:
        return []
    errors = any(found.quantile_errors is not None for _, found in answers)
    shown = (0.05, 0.25, 0.5, 0.75, 0.95)
    heads = ("number", "mean", *(("± error",) if errors else ()), *(f"{level:.0%}" for level in shown))
    return [heads] + [
        (
            name,
            f"{found.mean:.4g}",
            *((f"{found.standard_error:.2g}",) if errors else ()),
            *(f"{found.quantiles[level]:.4g}" for level in shown),
        )
        for name, found in answers
    ]


def _exactly(model: MarkovNetwork, group: list[str], evidence: dict[str, State]) -> NDArray[np.float64]:
    try:
        return model.query(group, evidence)
    except CountsTooLarge as error:
        raise CountsTooLarge(f"{error} --estimate answers by sampling.") from None
