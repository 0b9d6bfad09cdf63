"""Files that something happened to: values of another kind, too few, too many or out of range, and bytes."""

from __future__ import annotations

import contextlib
import copy
import json
import re
from typing import TYPE_CHECKING, Any

import numpy as np

import graphoid as gd
from graphoid.errors import GraphoidError
from graphoid.models.factors import Factor
from graphoid.models.gibbs import GibbsSampler
from graphoid.structure.contexts import CanonicalModel
from graphoid.structure.document import digest
from graphoid.uncertainty.bootstrap_result import Resampled

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from random import Random

ODD: list[Any] = [
    *(None, True, False, -1, 0, 1, 2, 3, 7, 255, 65_536, 2**31, 2**63, 10**12, 10**30, 10**400, -(2**63)),
    *(-0.5, 0.5, 1e308, float("nan"), float("inf"), -float("inf")),
    *("", "0", "nan", "-inf", "x", "a\x1b[31m\x00", "\ud800"),
    *([], {}, [0], [[0]], [-1, 5], [0, 1, 2], {"x": 1}, [None], ["x"], [[[[]]]]),
]
"""What stands where something else should."""


def damage_values(body: Any, rng: Random) -> Any:
    """Return plain values with one to three of them changed, left out, repeated or put elsewhere."""
    body = copy.deepcopy(body)
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        holder, key = _place(body, rng)
        if holder is None:
            return rng.choice(ODD)
        how = rng.randrange(6)
        if how <= 2:
            holder[key] = copy.deepcopy(rng.choice(ODD))
        elif how == 3:
            del holder[key]
        elif how == 4:
            other, at = _place(body, rng)
            holder[key] = copy.deepcopy(other[at]) if other is not None else None
        elif isinstance(holder, list):
            holder.insert(key, copy.deepcopy(holder[key]))
        else:
            holder[rng.choice(["", "x", key + " "])] = holder.pop(key)
    return body


def _place(body: Any, rng: Random) -> tuple[Any, Any]:
    """Return a list or dictionary within the body and a place in it, at any depth."""
    found: tuple[Any, Any] = (None, None)
    while isinstance(body, (list, dict)) and body:
        key = rng.randrange(len(body)) if isinstance(body, list) else rng.choice(sorted(body))
        found, body = (body, key), body[key]
        if rng.random() < 0.3:
            break
    return found


def damage_file(text: str, rng: Random) -> bytes:
    """Return the bytes of a saved file after damage: of its values, with a new digest, or of its bytes."""
    if rng.random() < 0.9:
        document = json.loads(text)
        document["body"] = damage_values(document["body"], rng)
        document["digest"] = digest(document["body"])
        return json.dumps(document).encode()
    return damage_bytes(text.encode(), rng)


def damage_bytes(content: bytes, rng: Random) -> bytes:
    """Return bytes with some of them changed, left out, cut off or repeated."""
    changed = bytearray(content)
    for _ in range(rng.choice([1, 1, 2, 5, 20])):
        at = rng.randrange(len(changed) + 1)
        how = rng.randrange(5)
        if how == 0:
            changed[at : at + 1] = bytes([rng.randrange(256)])
        elif how == 1:
            changed[at : at + rng.choice([1, 2, 10])] = b""
        elif how == 2:
            del changed[at + 1 :]
        elif how == 3:
            start = rng.randrange(len(changed) + 1)
            changed[at:at] = changed[start : start + rng.choice([1, 5, 50])]
        else:
            changed[at:at] = rng.choice(
                [b"-1", b"999999999999", b"nan", b"\x00", b"{", b'"', b"\xff", b"0 ", b"\n"]
            )
    return bytes(changed)


def damage_text(content: bytes, rng: Random) -> bytes:
    """Return text with a word or a number in the place of another, or with damage to its bytes."""
    if rng.random() < 0.4:
        return damage_bytes(content, rng)
    parts = re.split(rb"([A-Za-z0-9_.+-]+)", content)
    words = range(1, len(parts), 2)
    odd = [b"0", b"-1", b"1e400", b"nan", b"99999999999", b"0.5", b"", b"x", b"\xc3\xa4"]
    for at in rng.sample(words, min(len(words), rng.choice([1, 1, 2, 3]))):
        parts[at] = rng.choice([rng.choice(odd), parts[rng.choice(words)]])
    return b"".join(parts)


def damage_numbers(content: bytes, rng: Random) -> bytes:
    """Return bytes with another number of four bytes at one to three places, mostly near the beginning."""
    changed = bytearray(content)
    for _ in range(rng.choice([1, 1, 2, 3])):
        at = rng.randrange(len(changed) if rng.random() < 0.3 else min(len(changed), 2_000))
        number = rng.choice(
            [*range(-1, 9), 20, 255, 256, 999, 65_536, 2**31 - 1, -(2**31), rng.getrandbits(31)]
        )
        changed[at - at % 4 : at - at % 4 + 4] = number.to_bytes(4, "little", signed=True)
    return bytes(changed)


def use(thing: Any, path: Path) -> None:
    """Do with what was loaded all that one would do with it; a refusal leaves the rest to be done."""
    for step in (repr, str, lambda thing: thing.to_json(), *_uses(thing, path)):
        with contextlib.suppress(GraphoidError):
            step(thing)


def _uses(thing: Any, path: Path) -> list[Callable[[Any], object]]:
    """Return what can be done with a thing of its kind."""
    if isinstance(thing, gd.MarkovNetwork):
        return _model_uses(thing, path)
    if isinstance(thing, Resampled):
        kinds = ("edges", "centrality", "differences", "stability", "selection")
        return [*(lambda r, k=k: r.to_frame(k) for k in kinds), Resampled.bridges, Resampled.cs_coefficient]
    shown: list[Callable[[Any], object]] = [lambda thing: thing._repr_html_()]
    if isinstance(thing, CanonicalModel):
        row = thing.assignments[0].tolist() if len(thing.assignments) else []
        return [
            *shown,
            lambda m: (m.contexts, m.graph, m.features, m.independences()),
            lambda m: m.graph_for(row),
        ]
    return [
        *shown,
        lambda s: (s.edges(), s.pairs(), s.compare(s), s.to_graphml(path)),
        lambda s: [(s.why(x, 0), s.worth(x, 0)) for x in range(s.graph.n)],
        lambda s: [str(v) for v in s.trace],
    ]


def _model_uses(model: Any, path: Path) -> list[Callable[[Any], object]]:
    shown: list[Callable[[Any], object]] = [
        lambda m: (m._repr_html_(), m.graph, m.standard_errors),
        lambda m: m.to_graphml(path),
        lambda m: m.to_uai(path),
    ]
    if not model.variables:
        return shown
    names = ("marginals", "most_probable", "log_partition", "log_evidence", "to_networkx", "precision")
    return [
        *shown,
        *(lambda m, name=name: _ask(m, name) for name in names),
        lambda m: m.query(0),
        lambda m: m.log_probability(m.sample(3, 0)),
        lambda m: m.pseudo_log_likelihood(m.sample(3, 0)),
        lambda m: m.kl(m),
        lambda m: m.estimate(0, sampler=GibbsSampler(burn_in=1, thin=1, n_chains=8), random_state=0),
    ]


def _ask(thing: Any, name: str) -> object:
    """Return a property, or what a method of that name returns; None if there is none."""
    value = getattr(thing, name, None)
    return value() if callable(value) else value


def mixed_columns() -> dict[str, list[Any]]:
    """Return a few columns of every kind, of which some depend on others."""
    rng = np.random.default_rng(0)
    height = rng.normal(size=60)
    return {
        "height": height.tolist(),
        "weight": (height + rng.normal(size=60)).tolist(),
        "color": np.where(height + rng.normal(size=60) > 0, "red", "blue").tolist(),
        "calls": rng.poisson(np.exp(1 + 0.5 * height)).tolist(),
    }


def saved_things() -> dict[str, Any]:
    """Return one small result of every kind that is saved."""
    table = gd.datasets.load("titanic")
    mixed = gd.read(mixed_columns(), kinds={"calls": "count"})
    found = gd.learn(mixed)
    impossible = np.array([[0.0, -np.inf], [0.0, 1.0], [0.5, 0.0], [0.0, 0.0]])
    bayesian = gd.GSMN(test=gd.BayesianTest())
    return {
        "structure": gd.GSIMN(test=gd.ChiSquare()).fit(table).structure_,
        "posterior": gd.Posterior(gd.MPL(), rounds=10, max_rounds=10, random_state=1).fit(table).structure_,
        "search": gd.HillClimb(gd.BJP()).fit(table).structure_,
        "canonical model": gd.CSPC().fit(table).structure_,
        "model": gd.MarkovNetwork.fit(gd.UndirectedGraph(table.names, [(0, 1), (2, 3)]), table),
        "factors": gd.MarkovNetwork(table.variables[:3], factors=(Factor((0, 1), impossible),)),
        "bootstrap": gd.Bootstrap(gd.GSMN(), n=4, random_state=1).fit(table).result_,
        "dropped cases": gd.Bootstrap(bayesian, n=4, kind="cases", random_state=1).fit(table).result_,
        "directed": gd.DirectedSearch(random_state=1).fit(table).structure_,
        "mixed structure": found,
        "mixed model": gd.MixedNetwork.fit(found.graph, mixed),
        "mixed bootstrap": gd.Bootstrap(n=4, random_state=1).fit(mixed).result_,
    }
