"""Learned structures in words: for a terminal, for a notebook, and for the question why."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from graphoid.logic.trace import places_about
from graphoid.structure.knowledge import KNOWLEDGE, knowledge_sentences
from graphoid.structure.safe_text import printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graphoid.logic.verdict import Fact, Verdict
    from graphoid.structure.document import Json
    from graphoid.structure.learned import EdgeRow, LearnedStructure

FALSE_DISCOVERY = "false discovery rate"
"""The source of a verdict that took back an edge which may be there by chance."""

UNSAID = {"name", "prior"}  # said before the settings, or too long to be said with them

COLUMN_ORDER = "goes through the columns in their order, and another order may give other edges"
"""What a result says of a learner for which the order of the columns matters."""

MOST_EDGES = 50  # what a reader scrolls through; edges() has them all


def listing(names: Sequence[str]) -> str:
    """Return names as in a sentence.

    >>> listing(["a"]), listing(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def probability(log_p: float) -> str:
    """Return a probability given by its logarithm, also where it is too small for a floating-point number.

    >>> probability(math.log(0.25)), probability(-11_513)
    ('0.25', '9.28e-5001')
    """
    if log_p > -700:  # exp stays a normal number down to -708
        return f"{math.exp(log_p):.3g}"
    if log_p == -math.inf:
        return "0"
    power = log_p / math.log(10)
    # what would round to 10.00 is 1.00 of the next power
    exponent = math.floor(power + 1 - math.log10(9.995))
    return f"{10 ** (power - exponent):.2f}e{exponent}"


def evidence(v: Verdict, names: Sequence[str]) -> str:
    """Return the number behind a verdict and what was given, in words.

    >>> from graphoid.logic.verdict import Verdict
    >>> evidence(Verdict(0, 1, (2,), False, p_value=0.001, log_p=math.log(0.001)), ["a", "b", "c"])
    'p = 0.001 given c'
    """
    return f"{number(v)} {_given(v.given, names, 'unconditionally')}{_doubt(v)}{_because(v, names)}"


def _given(variables: Sequence[int], names: Sequence[str], nothing: str) -> str:
    return f"given {listing([names[z] for z in variables])}" if variables else nothing


def _doubt(v: Verdict) -> str:
    return ", too little data to be sure" if v.thin else ""


def worth(gain: float | None) -> str:
    """Return by how much a score is higher with an edge than without it, in words.

    >>> worth(12.345), worth(-3.0), worth(None)
    ('log Bayes factor 12.35', 'log Bayes factor -3.00', 'no record')
    """
    return "no record" if gain is None else f"log Bayes factor {gain:,.2f}"


def _because(v: Verdict, names: Sequence[str]) -> str:
    """Return what a rule followed from, in words."""
    if not v.because or v.source == FALSE_DISCOVERY:
        return ""
    if set(v.because[0].given) == set(v.given) and {v.because[0].x, v.because[0].y} == {v.x, v.y}:
        return ", asked before"
    return f", since {' and '.join(_fact(fact, names) for fact in v.because)}"


def _fact(fact: Fact, names: Sequence[str]) -> str:
    """Return a fact in words.

    >>> from graphoid.logic.verdict import Fact
    >>> _fact(Fact.of(0, 1, [2], independent=True), ["a", "b", "c"])
    'a and b are independent given c'
    """
    relation = "are independent" if fact.independent else "depend on each other"
    given = f" {_given(fact.given, names, '')}" if fact.given else ""
    return f"{names[fact.x]} and {names[fact.y]} {relation}{given}"


def number(v: Verdict) -> str:
    """Return the number behind a verdict, or where it came from if it has none.

    >>> from graphoid.logic.verdict import Verdict
    >>> number(Verdict(0, 1, (), True, p_value=0.25, log_p=math.log(0.25)))
    'p = 0.25'
    """
    if v.log_p is not None:
        return f"p = {probability(v.log_p)}"
    if v.log_odds is not None:
        log_posterior = min(v.log_odds, 0.0) - math.log1p(math.exp(-abs(v.log_odds)))
        return f"P(independent) = {probability(log_posterior)}"
    return {"oracle": "known", "test": "tested"}.get(v.source, f"by {v.source}")


def _threshold(structure: LearnedStructure, v: Verdict) -> str:
    """Return what a p-value was held against, if the settings say so."""
    test = structure.settings.get("test")
    alpha = test.get("alpha") if isinstance(test, dict) else None
    if v.log_p is None or not _is_share(alpha):
        return ""
    return f", {'above' if v.independent else 'not above'} alpha = {alpha:g}"


def _is_share(value: object) -> bool:
    return isinstance(value, (int, float)) and 0 <= value <= 1


def why(structure: LearnedStructure, x: int, y: int) -> str:
    """Return why two variables are joined or not, and every question asked about them."""
    if x == y:
        return printable(f"{structure.names[x]} is one variable; ask about two.")
    sentence = reason(structure, x, y)
    if (min(x, y), max(x, y)) not in structure.verdicts:
        return printable(sentence)
    places = places_about(structure.trace, x, y)
    lines = [f"  {i + 1}. {answer(structure, i + 1, structure.trace[i])}" for i in places]
    return "\n".join(map(printable, [sentence, "Asked, in this order:", *lines]))


def reason(structure: LearnedStructure, x: int, y: int) -> str:
    """Return in a sentence what decided that two variables are joined or not."""
    names, graph = structure.names, structure.graph
    pair = (min(x, y), max(x, y))
    deciding = structure.verdicts.get(pair)
    joined = graph.has_edge(x, y)
    head = f"{names[x]} and {names[y]} are {'joined' if joined else 'not joined'}"
    if constant := [names[v] for v in (x, y) if names[v] in constant_variables(structure.settings)]:
        return f"{head}: {listing(constant)} {'is' if len(constant) == 1 else 'are'} constant."
    if known := [row for row in structure.knowledge if {row.x, row.y} == {names[x], names[y]}]:
        head = f"{head} ({known[0].fact}; {known[0].verdict})"
    if deciding is None:
        return _score_reason(structure, pair, head)
    if deciding.source == KNOWLEDGE:
        return f"{head}: that was known beforehand, and no test was asked."
    given = _given(deciding.given, names, "with nothing given")
    relation = "they depend on each other" if joined else "they are independent"
    rows = (f", {deciding.n_rows:,.0f} rows" if deciding.n_rows else "") + _doubt(deciding)
    if deciding.source == FALSE_DISCOVERY:
        seem = f"they seem to depend on each other ({number(deciding)}{rows})"
        return f"{head}: {given}, {seem}, but that does not survive {_discovery_control(structure)}."
    facts = f"{number(deciding)}{_threshold(structure, deciding)}{rows}{_because(deciding, names)}"
    return f"{head}: {given}, {relation} ({facts})."


def _score_reason(structure: LearnedStructure, pair: tuple[int, int], head: str) -> str:
    """Return why two variables are joined or not where a score decided, and what else is known of them."""
    worth = structure.worth(*pair)
    score = structure.settings.get("score")
    name = score.get("name", "score") if isinstance(score, dict) else "score"
    if worth is None:
        sentences = [f"{head}. No question about them was recorded."]
    elif structure.graph.has_edge(*pair):
        sentences = [f"{head}: the log Bayes factor for the edge ({name}) is {worth:,.2f}."]
    else:
        sentences = [f"{head}: the log Bayes factor for an edge ({name}) is {worth:,.2f}."]
    if arcs := _directed_reason(structure, pair):
        sentences = [sentences[0] if worth is not None else f"{head}.", arcs]
    if pair in structure.edge_probabilities:
        sentences.append(
            f"The inclusion probability of the edge is {structure.edge_probabilities[pair]:.3g}."
        )
    return " ".join(sentences)


def _directed_reason(structure: LearnedStructure, pair: tuple[int, int]) -> str:
    """Return what a directed graph says of two variables, where one was learned; else ''."""
    parents = structure.details.get("parents")
    if not isinstance(parents, dict) or not structure.graph.has_edge(*pair):
        return ""
    x, y = (structure.names[v] for v in pair)
    for parent, child in ((x, y), (y, x)):
        if parent in parents.get(child, ()):
            return f"{parent} is a parent of {child} in the directed graph."
    both = [name for name in structure.names if {x, y} <= {*parents.get(name, ())}]
    return f"Both are parents of {listing(both)}, given which they depend on each other." if both else ""


def _discovery_control(structure: LearnedStructure) -> str:
    """Return how an edge was taken back, with the rate if the settings say it."""
    rate = structure.settings.get("fdr")
    n_pairs = structure.graph.n * (structure.graph.n - 1) // 2
    at = f" at {rate:g}" if _is_share(rate) else ""
    return f"the control of false discoveries{at} over {n_pairs:,} pairs"


def answer(structure: LearnedStructure, i: int, v: Verdict) -> str:
    """Return the ``i``-th entry of a trace in words; the first is 1."""
    names = structure.names
    answer = "independent" if v.independent else "dependent"
    if v.source == "propagation":
        return f"{answer}, as found when {names[v.y]} was examined (propagation)"
    if v.source == FALSE_DISCOVERY:
        return f"taken back by {_discovery_control(structure)}: {evidence(v, names)}"
    facts = [evidence(v, names)]
    if v.statistic is not None:
        dof = "" if v.dof is None else f" with {v.dof:g} degree{'s' if v.dof != 1 else ''} of freedom"
        facts.append(f"statistic {v.statistic:.4g}{dof}")
    initial = " in the initial tests" if i <= structure.cost.n_initial else ""
    return f"{answer}{initial}: {', '.join(facts)}"


def text(structure: LearnedStructure) -> str:
    """Return a structure for a terminal: its edges, strongest first, and what it cost."""
    rows = strongest_first(structure)
    n = structure.graph.n - len(structure.covariates)
    lines = [f"Markov network of {n:,} variables, {plural(len(rows), 'edge')}"]
    if structure.covariates:
        lines[0] += f", adjusted for {listing(structure.covariates)}"
    if by := describe_learner(structure.settings):
        lines[0] += f", learned by {by}"
    shown = rows[:MOST_EDGES]
    pairs = [printable(f"{row.x} – {row.y}") for row in shown]
    width = max(map(len, pairs), default=0)
    lines += [f"  {pair:<{width}}  {row.evidence}" for pair, row in zip(pairs, shown, strict=True)]
    if len(rows) > MOST_EDGES:
        lines.append(f"  and {len(rows) - MOST_EDGES:,} more; edges() has them all")
    if not rows:
        lines += [f"  {sentence}" for sentence in why_empty(structure)]
    elif lonely := isolated_variables(structure):
        lines.append(f"  isolated: {listing(lonely[:MOST_EDGES])}")
    lines += [f"  {sentence}" for sentence in caveats(structure.settings, structure.details)]
    lines += [f"  {sentence}" for sentence in knowledge_sentences(structure.knowledge)]
    lines.append(cost_line(structure))
    return "\n".join(map(printable, lines))


def strongest_first(structure: LearnedStructure) -> list[EdgeRow]:
    """Return the edges by strength, ties and edges without a number by position."""
    return sorted(
        structure.evidence_rows(), key=lambda row: -row.strength if row.strength is not None else math.inf
    )


def isolated_variables(structure: LearnedStructure) -> list[str]:
    """Return the names of the variables without a neighbor that are not constant."""
    left = {*constant_variables(structure.settings), *structure.covariates}
    joined = {name for row in structure.evidence_rows() for name in (row.x, row.y)}
    return [name for name in structure.names if name not in left and name not in joined]


def constant_variables(settings: Json) -> list[str]:
    """Return the names of the variables that were the same in all rows."""
    names = settings.get("constant")
    return [str(name) for name in names] if isinstance(names, list) else []


def caveats(settings: Json, details: Json | None = None) -> list[str]:
    """Return sentences on what a reader of a result has to know about how it was found."""
    overruled = (details or {}).get("overruled")
    found = [
        f"{pair[0]} and {pair[1]} were parted by proof, though a test leaves no doubt that they are dependent"
        for pair in (overruled if isinstance(overruled, list) else [])
        if isinstance(pair, list) and len(pair) == 2  # a file may have anything here
    ]
    if names := constant_variables(settings):
        found.append(f"constant, so isolated: {listing(names[:MOST_EDGES])}")
    if "column_order" in settings:
        found.append(f"{settings.get('learner')} {settings['column_order']}")
    return found


def why_empty(structure: LearnedStructure) -> list[str]:
    """Return sentences that explain a graph without edges."""
    if structure.graph.n < 2:
        return ["There are no two variables to join."]
    if structure.stopped != "converged":
        return ["No edge was found before the search was stopped; more time may show some."]
    if structure.scored is not None:
        return ["No edge: none would make the score higher. More rows may show weak dependences."]
    if not structure.trace:
        return ["No question was asked."]
    sentences = ["No edge: every pair was found independent, with nothing or with others given."]
    numbered = (v for v in structure.trace if v.log_p is not None)
    nearest = min(numbered, key=lambda v: v.log_p or 0.0, default=None)
    if nearest is not None:
        pair = f"{structure.names[nearest.x]} – {structure.names[nearest.y]}"
        sentences.append(f"The nearest to one: {pair}, {evidence(nearest, structure.names)}.")
    rows = max((v.n_rows or 0 for v in structure.trace), default=0)
    thin = sum(v.thin for v in structure.trace)
    if thin:
        sentences.append(f"{thin:,} of {len(structure.trace):,} answers rest on too little data.")
    if rows:
        sentences.append(
            f"With {rows:,.0f} rows weak dependences may go unseen; more rows or a larger alpha show them."
        )
    return sentences


def cost_line(structure: LearnedStructure) -> str:
    """Return what it cost in one line."""
    cost, imputation = structure.cost, structure.settings.get("imputation")
    if isinstance(imputation, dict) and not cost.n_tests:
        facts = [f"{plural(imputation['n'], 'completed table')} learned from"]
    elif structure.scored is None:
        facts = [f"{plural(cost.n_tests, 'test')} (weighted {cost.weighted:,}, {cost.n_initial:,} initial)"]
    else:
        terms = plural(structure.scored.n_terms, "term")
        facts = [f"score {structure.scored.value:,.2f}, {terms} of it computed"]
    if cost.n_inferred:
        facts.append(f"{plural(cost.n_inferred, 'answer')} inferred without a test")
    facts.append(f"{cost.seconds:.3g} s")
    if structure.stopped != "converged":
        facts.append(f"stopped early: {structure.stopped}")
    return ", ".join(facts)


def describe_learner(settings: Json) -> str:
    """Return the learner and its test as one would write them, or ''."""
    if "learner" not in settings:
        return ""
    test = settings.get("test", settings.get("score"))
    if not isinstance(test, dict):
        return str(settings["learner"])
    values = ", ".join(
        f"{key}={value:.4g}" if isinstance(value, float) else f"{key}={value!r}"
        for key, value in test.items()
        if key not in UNSAID and not isinstance(value, dict)
    )
    return f"{settings['learner']} with {test.get('name', 'a test')}({values})"


def plural(number: int, word: str) -> str:
    """Return a number of things.

    >>> plural(1, "edge"), plural(2_000, "edge")
    ('1 edge', '2,000 edges')
    """
    return f"{number:,} {word}" if number == 1 else f"{number:,} {word}s"
