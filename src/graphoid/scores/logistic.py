"""Logistic models of a variable given its blanket: main effects, and others where they are worth it."""

from __future__ import annotations

from itertools import combinations, pairwise
from typing import TYPE_CHECKING

import numpy as np

from graphoid.limits import check_time
from graphoid.regression.coding import ordered_code
from graphoid.regression.embedding import Effect
from graphoid.regression.model import Design, Model
from graphoid.regression.response import MultinomialLogit
from graphoid.scores.base import configurations_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graphoid.counts.contingency import Counts
    from graphoid.regression.coding import Matrix
    from graphoid.regression.objective import Objective
    from graphoid.regression.response import Response


def best_model(
    effects: Sequence[Effect], main: int, response: Response, objective: Objective, *, interactions: bool
) -> float:
    """Return what the best model is worth: main effects on the first predictors, and others that pay.

    Others are the products of two members and what ordered states may do beyond their order. They are added
    in the order of what they promise, until one does not keep it.
    """
    every, first = range(response.n_predictors), range(main)
    ends = len(every) + np.cumsum([0, *(effect.main * main for effect in effects)])
    model = Model(response, objective, [slice(a, b) for a, b in pairwise(ends.tolist())])
    ones = np.ones((len(effects[0].columns) if effects else 1, 1))
    design = Design.of((ones, every), *[(effect.columns[:, : effect.main], first) for effect in effects])
    best, weights = model.fit(design, np.zeros(len(design.predictors)))
    beyond = [
        Design.of((columns[:, :own], range(main, len(every))), (columns[:, own:], every))
        for columns, own in effects
        if main < len(every) or own < columns.shape[1]
    ]
    products = [
        Design.of(((a[:, :r, None] * b[:, None, :t]).reshape(len(a), r * t), first))
        for (a, r), (b, t) in combinations(effects if interactions else [], 2)
    ]
    price, added = objective.price(len(beyond) + len(products)), 0
    left = [more for more in beyond if model.notable(design, more, weights)] + products
    promises = [model.promise(design, more, weights) for more in left]
    seen = [0] * len(left)  # how many had been added when a candidate was looked at
    while left:
        chosen = int(np.argmax(promises))
        if not promises[chosen] > price - objective.doubt:
            break
        if seen[chosen] < added:
            promises[chosen], seen[chosen] = model.promise(design, left[chosen], weights), added
            continue
        more = left.pop(chosen)
        del promises[chosen], seen[chosen]
        wider = design + more
        found, at = model.fit(wider, np.append(weights, np.zeros(len(more.predictors))))
        added += 1
        found -= price * added
        if not found > best:
            break
        best, design, weights = found, wider, at
        if not objective.shrinking:
            promises = [model.promise(design, more, weights) for more in left]
            seen = [added] * len(left)
    return best


def row_term(
    effects: Sequence[Effect], table: Matrix, objective: Objective, *, interactions: bool, ordered: bool
) -> float:
    """Return what the best logistic model of a variable is worth, of which ``table`` has a line a row."""
    check_time()
    states = table.shape[1]
    if states < 2:
        return 0.0
    scored = ordered and states > 2
    response = MultinomialLogit(table, ordered_code(table.sum(axis=0)) if scored else objective.code(states))
    main = 1 if scored else response.n_predictors
    return best_model(effects, main, response, objective, interactions=interactions)


def logistic_term(
    counts: Counts, objective: Objective, *, interactions: bool, ordered: Sequence[bool] = ()
) -> float:
    """Return what the best logistic model of the last variable given the others is worth.

    Those that are ``ordered`` have one effect, that of the scores of their states.
    """
    check_time()
    configurations, table = configurations_of(counts)
    if table.shape[1] < 2:
        return 0.0
    margins = [
        np.bincount(states, table.sum(axis=1), r)
        for states, r in zip(configurations.T, counts.shape, strict=False)
    ]
    scored = [
        r > 2 and flag for r, flag in zip(counts.shape, ordered or [False] * len(counts.shape), strict=True)
    ]
    codes = [
        ordered_code(margin) if one else objective.code(len(margin))
        for margin, one in zip([*margins, table.sum(axis=0)], scored, strict=True)
    ]
    effects = [
        Effect(code[states], 1 if one else code.shape[1])
        for code, one, states in zip(codes, scored, configurations.T, strict=False)
    ]
    if not effects and not len(table):
        table = np.zeros((1, table.shape[1]))  # without a blanket there is one configuration, of no rows here
    response = MultinomialLogit(table, codes[-1])
    main = 1 if scored[-1] else response.n_predictors
    return best_model(effects, main, response, objective, interactions=interactions)
