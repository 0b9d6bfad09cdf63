"""The paper, straight and slow: an independent implementation to hold the fast one to.

Dictionaries and loops only; nothing is shared with the package. Regions come from intersections and counting
numbers, degrees of freedom from Eq. 4, probabilities from Eq. 2, one structure at a time.
"""

from __future__ import annotations

import math
from collections import Counter
from itertools import combinations

Y = "class"


def regions(hyperedges):
    edges = [frozenset(e) for e in hyperedges]
    top = {e for e in edges if not any(e < other for other in edges)}
    found = set(top)
    while True:
        more = {a & b for a in found for b in found} - found
        if not more:
            break
        found |= more
    number = {}
    for region in sorted(found, key=len, reverse=True):
        number[region] = 1 - sum(c for other, c in number.items() if region < other)
    return {region: c for region, c in number.items() if c != 0}


def degrees_of_freedom(graph, sizes):
    total = 0
    for region, c in graph.items():
        with_class = math.prod(sizes[v] for v in region)
        without = math.prod(sizes[v] for v in region if v != Y)
        total += c * (with_class - without)
    return total


def log_prior(df, m, kind="aicc"):
    if kind == "exp":
        return -df
    return -math.inf if df >= m - 1 else -m * df / (m - df - 1)


class Plain:
    """Rows are dictionaries from attribute to value, with the class under Y."""

    def __init__(self, rows, theta=1.0, prior="aicc", max_order=4, acyclic=False):
        self.rows, self.theta, self.prior, self.max_order = rows, theta, prior, max_order
        self.acyclic = acyclic
        self.attributes = [v for v in rows[0] if v != Y]
        self.values = {v: sorted({row[v] for row in rows}) for v in rows[0]}
        self.sizes = {v: len(values) for v, values in self.values.items()}
        self.counts = {}
        self.evaluated = {}

    def probability(self, region, row):
        members = sorted(region)
        key = tuple(members)
        if key not in self.counts:
            self.counts[key] = Counter(tuple(r[v] for v in members) for r in self.rows)
        cells = math.prod(self.sizes[v] for v in members)
        n = self.counts[key][tuple(row[v] for v in members)]
        return (self.theta / cells + n) / (len(self.rows) + self.theta)

    def predict(self, graph, row):
        scores = []
        for y in self.values[Y]:
            filled = {**row, Y: y}
            scores.append(sum(c * math.log(self.probability(r, filled)) for r, c in graph.items()))
        top = max(scores)
        weights = [math.exp(s - top) for s in scores]
        return [w / sum(weights) for w in weights]

    def evaluate(self, hyperedges):
        """Log posterior of a structure, up to a constant."""
        graph = regions(hyperedges)
        key = frozenset(frozenset(e) for e in graph if not any(e < other for other in graph))
        if key not in self.evaluated:
            df = degrees_of_freedom(graph, self.sizes)
            value = log_prior(df, len(self.rows), self.prior)
            if value > -math.inf:
                for row in self.rows:
                    value += math.log(self.predict(graph, row)[self.values[Y].index(row[Y])])
            self.evaluated[key] = (value, df, graph)
        return self.evaluated[key][0]

    def climb(self):
        """Return the path: each hyperedge taken, with the log posterior after it."""
        structure = [frozenset({Y})]
        now = best = self.evaluate(structure)
        path = []
        last = min(self.max_order, len(self.attributes) + 1)
        for order in range(2, last + 1):
            while True:
                tried = []
                for members in combinations(self.attributes, order - 1):
                    edge = frozenset(members) | {Y}
                    if any(edge <= held for held in structure):
                        continue
                    if self.acyclic and not hypertree([*structure, edge]):
                        continue
                    tried.append((self.evaluate([*structure, edge]), members))
                if not tried:
                    break
                highest = max(value for value, _ in tried)
                if highest == -math.inf:
                    break
                # equal but for rounding: the first
                after, members = next(t for t in tried if t[0] >= highest - 1e-9)
                if (after <= now) if order < last else (after < best + math.log(0.01)):
                    break
                structure.append(frozenset(members) | {Y})
                path.append((members, after))
                now, best = after, max(best, after)
        return path

    def average(self, row):
        top = max(value for value, _, _ in self.evaluated.values())
        total = [0.0] * self.sizes[Y]
        mass = 0.0
        for value, _, graph in self.evaluated.values():
            if value == -math.inf:
                continue
            weight = math.exp(value - top)
            mass += weight
            for i, p in enumerate(self.predict(graph, row)):
                total[i] += weight * p
        return [t / mass for t in total]

    def best(self):
        return max(self.evaluated.values(), key=lambda e: e[0])


def hypertree(hyperedges):
    """Whether hyperedges can be joined one by one so that each meets the earlier ones inside one of them."""
    edges = [frozenset(e) for e in hyperedges]
    edges = [e for e in edges if not any(e < other for other in edges)]

    def joined(order, left):
        if not left:
            return True
        for edge in left:
            union = frozenset().union(*order) if order else frozenset()
            fits = not order or any(edge & union <= other for other in order)
            if fits and joined([*order, edge], [e for e in left if e != edge]):
                return True
        return False

    return joined([], list(dict.fromkeys(edges)))
