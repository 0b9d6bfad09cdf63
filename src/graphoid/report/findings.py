"""What was found, in sentences: the first that a reader of a report sees."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from graphoid.report.edges import EdgeFacts, strength_of
from graphoid.report.layout import components_of
from graphoid.report.style import GROUPS
from graphoid.structure.explain import listing, plural

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graphoid.report.drawing import Group
    from graphoid.report.subject import Subject

NAMED = 5
"""Variables of a group that a sentence names."""

FEW = 4
"""Groups that a sentence names all of."""

LISTED = 12
"""Members of a group, and isolated variables, that a summary lists."""

SHOWN = 5
"""Edges that a summary lists."""


class Summary(NamedTuple):
    """What the panel of a report opens on."""

    counts: list[tuple[str, str]]
    strongest: list[tuple[int, EdgeFacts]]
    """Edges by their number in the data."""
    groups: list[tuple[str, str]]
    """Names of groups and their members."""
    isolated: str


def finding(subject: Subject, edges: Sequence[EdgeFacts], groups: Sequence[Group] = ()) -> str:
    """Return what was found in a sentence or two."""
    names = subject.names
    if subject.kind == "classifier":
        return (
            f"{plural(len(subject.together), 'hyperedge')} among {plural(len(names), 'attribute')} "
            f"distinguish {subject.target}."
        )
    stopped = subject.stopped != "converged"
    if not edges:
        if stopped:
            return "No edge was found before the search was stopped; with more time there may be some."
        many = plural(len(names), "variable")
        return f"No edge was found: the {many} are independent as far as the data show."
    said = ["The search was stopped before its end: edges may be missing or too many."] if stopped else []
    said.append(_groups(subject, groups) if groups else _parts(subject, edges))
    if subject.kind == "contexts" and subject.model is not None:
        said.append(
            f"The data show {plural(len(subject.model.graphs), 'different graph')}, depending on the context."
        )
        return " ".join(said)
    said.append(_strongest(subject, edges))
    return " ".join(said)


def _groups(subject: Subject, groups: Sequence[Group]) -> str:
    """Return which variables hang together, group by group."""
    few = len(groups) <= FEW
    names = NAMED if few else FEW - 1
    parts = [_some([subject.names[v] for v in group.members], names) for group in groups[:FEW]]
    which = ": " if few else ", the largest of them "
    return f"The variables form {len(groups):,} groups{which}{'; '.join(parts)}."


def _parts(subject: Subject, edges: Sequence[EdgeFacts]) -> str:
    """Return which variables hang together, part by part, and which depend on one alone."""
    names, graph = subject.names, subject.graph
    leaves = [v for v in range(graph.n) if len(graph.blanket(v)) == 1]
    held = {v: graph.blanket(v)[0] for v in leaves if len(graph.blanket(graph.blanket(v)[0])) > 1}
    pull = dict.fromkeys(range(graph.n), 0.0)
    for edge in edges:
        pull[edge.x] += strength_of(edge)
        pull[edge.y] += strength_of(edge)
    parts = [[v for v in part if v not in held] for part in components_of(graph)]
    parts = [sorted(part, key=lambda v: (-pull[v], v)) for part in parts if len(part) > 1]
    parts.sort(key=lambda part: (-len(part), -pull[part[0]], part))
    said = [f"{_some([names[v] for v in part])} {_together(part)}" for part in parts[:FEW]]
    if len(parts) > FEW:
        said.append(f"so do the variables of {plural(len(parts) - FEW, 'smaller part')}")
    for w in sorted(set(held.values()))[:NAMED]:
        mine = [v for v in held if held[v] == w]
        verb = "depends" if len(mine) == 1 else "depend"
        said.append(f"{_some([names[v] for v in mine])} {verb} on {names[w]} alone")
    return f"{'; '.join(said)}."


def _together(part: Sequence[int]) -> str:
    return "depend on each other" if len(part) == 2 else "hang together"


def _strongest(subject: Subject, edges: Sequence[EdgeFacts]) -> str:
    edge = max(edges, key=strength_of)
    pair = f"{subject.names[edge.x]} – {subject.names[edge.y]}"
    strength = edge.strength
    if strength is None or strength.size is None or edge.interval is None:
        return f"The strongest edge is {pair}."
    if strength.weight is None or strength.weight_low is None or strength.weight_high is None:
        what, value, ends = "effect size", strength.size, edge.interval
    else:
        what, value, ends = "edge weight", strength.weight, (strength.weight_low, strength.weight_high)
    return (
        f"The strongest edge is {pair} ({what} {value:.2f}, 95 % confidence interval "
        f"{ends[0]:.2f} to {ends[1]:.2f})."
    )


def _some(names: Sequence[str], most: int = NAMED) -> str:
    if len(names) <= most + 1:
        return listing(names)
    return f"{', '.join(names[:most])} and {len(names) - most:,} more"


def summary(subject: Subject, edges: Sequence[EdgeFacts], groups: Sequence[Group]) -> Summary:
    """Return what the panel opens on: counts, the strongest edges, groups, isolated variables."""
    table, verdicts = subject.table, [edge.verdict for edge in edges]
    counts = [("Variables", f"{len(subject.names):,}")]
    if table is not None:
        counts.append(("Rows", f"{table.n_rows:,}"))
    counts.append(("Edges", f"{len(edges):,}"))
    if "undecided" in verdicts:
        words = ("present", "undecided", "absent")
        known = [f"{verdicts.count(word):,} {word}" for word in words if word in verdicts]
        counts[-1] = ("Edges", f"{len(edges):,}: {listing(known)}")
    signs = [
        f"{n:,} {sign}" for sign in ("positive", "negative") if (n := sum(e.sign == sign for e in edges))
    ]
    if signs:
        counts.append(("Signs", ", ".join(signs)))
    order = sorted(enumerate(edges), key=lambda row: -strength_of(row[1]))
    isolated = [name for v, name in enumerate(subject.names) if not subject.graph.blanket(v)]
    return Summary(
        counts,
        order[:SHOWN] if subject.kind != "classifier" else [],
        [
            (group.label, _some([subject.names[v] for v in group.members], LISTED))
            for group in groups[: len(GROUPS)]
        ],
        _some(isolated, LISTED) if isolated and subject.kind == "structure" else "",
    )
