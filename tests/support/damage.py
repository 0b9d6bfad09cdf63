"""Files that something happened to: values of another kind, too few, too many or out of range, and bytes."""

from __future__ import annotations

import copy
import json
import re
from typing import TYPE_CHECKING, Any

import numpy as np

import graphoid as gd
from graphoid.models.factors import Factor
from graphoid.models.gibbs import GibbsSampler
from graphoid.structure.contexts import CanonicalModel
from graphoid.structure.document import digest
from graphoid.uncertainty.bootstrap_result import Resampled

if TYPE_CHECKING:
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
    """Do with what was loaded all that one would do with it."""
    repr(thing), str(thing), thing.to_json()
    if isinstance(thing, gd.MarkovNetwork):
        _use_model(thing, path)
    elif isinstance(thing, Resampled):
        for what in ("edges", "centrality", "differences", "stability", "selection"):
            thing.to_frame(what)
        thing.bridges(), thing.cs_coefficient()
    elif isinstance(thing, CanonicalModel):
        thing._repr_html_(), thing.contexts, thing.graph, thing.features, thing.independences()
        thing.graph_for(thing.assignments[0].tolist() if len(thing.assignments) else [])
    else:
        thing._repr_html_(), thing.edges(), thing.pairs(), thing.compare(thing), thing.to_graphml(path)
        for x in range(thing.graph.n):
            thing.why(x, 0), thing.worth(x, 0)
            [str(v) for v in thing.trace]


def _use_model(model: Any, path: Path) -> None:
    model._repr_html_(), model.graph, model.standard_errors, model.to_graphml(path), model.to_uai(path)
    if model.variables:
        model.marginals(), model.query(0), model.most_probable(), model.log_partition
        rows = model.sample(3, 0)
        model.log_probability(rows), model.kl(model)
        model.estimate(0, sampler=GibbsSampler(burn_in=1, n_chains=8), random_state=0)


def saved_things() -> dict[str, Any]:
    """Return one small result of every kind that is saved."""
    table = gd.datasets.load("titanic")
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
    }
