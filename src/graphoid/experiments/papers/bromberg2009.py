"""Figures that [Bromberg2009]_ prints, to stand beside ours.

Only numbers stated in text or tables are here. Curves of the figures have none, and are not measured off the
page.
"""

from __future__ import annotations

from graphoid.experiments.papers import UCILine

EXACT_LARGE = {"without propagation": 0.25, "with propagation": 0.60}
"""Section 5.1.1: cost of GSIMN over GSMN*'s for large n and tau = 8, "approximately"."""

FCH_EXACT_FROM = 9
"""Section 5.1.1: from this n on the forward-chaining ratio is printed as exactly 1."""

FCH_LEAST = 0.95
"""Section 5.1.1: below it the ratio is above this, with one exception."""

FCH_BELOW_LEAST = (5, 1)
"""n and tau of the exception."""

SAMPLED_SPARSE = 0.50
"""Section 5.1.2: for theta = 1 and sparse networks GSIMN's cost is below this share of GSMN*'s."""

SAMPLED_DEARER = {(4, 2.0), (8, 1.5)}
"""Section 5.1.2: tau and theta for which GSIMN is not cheaper than GSMN* with propagation, at 20,000 rows."""

NETWORKS = {"without propagation": 0.28, "with propagation": 0.66}
"""Section 5.1.3: average cost of GSIMN over GSMN*'s. Both are printed as "without"; 66 % must be "with"."""

TABLE_1 = {
    "echocardiogram": UCILine(14, 61, (1311, 1050, 604), (0.244, 0.244, 0.244)),
    "ecoli": UCILine(9, 336, (425, 309, 187), (0.353, 0.394, 0.411)),
    "lenses": UCILine(5, 24, (60, 40, 20), (0.966, 0.966, 0.966)),
    "hayes-roth": UCILine(6, 132, (102, 72, 30), (0.852, 0.852, 0.852)),
    "hepatitis": UCILine(20, 80, (1412, 980, 392), (0.873, 0.912, 0.968)),
    "cmc": UCILine(10, 1473, (434, 292, 154), (0.746, 0.767, 0.794)),
    "balance-scale": UCILine(5, 625, (82, 47, 29), (0.498, 0.797, 0.698)),
    "balloons": UCILine(5, 20, (60, 40, 20), (0.932, 0.932, 0.932)),
    "flag": UCILine(29, 194, (5335, 2787, 994), (0.300, 0.674, 0.929)),
    "tic-tac-toe": UCILine(10, 958, (435, 291, 119), (0.657, 0.657, 0.704)),
    "bridges": UCILine(12, 70, (520, 455, 141), (0.814, 0.635, 0.916)),
    "car": UCILine(7, 1728, (194, 140, 67), (0.622, 0.677, 0.761)),
    "monks-1": UCILine(7, 556, (135, 93, 42), (0.936, 0.936, 0.936)),
    "haberman": UCILine(5, 306, (98, 76, 42), (0.308, 0.308, 0.308)),
    "nursery": UCILine(9, 12960, (411, 270, 123), (0.444, 0.793, 0.755)),
    "crx": UCILine(16, 653, (1719, 999, 305), (0.279, 0.556, 0.892)),
    "imports-85": UCILine(25, 193, (4519, 3064, 1102), (0.329, 0.460, 0.847)),
    "dermatology": UCILine(35, 358, (9902, 6687, 2635), (0.348, 0.541, 0.808)),
    "adult": UCILine(10, 32561, (870, 652, 418), (0.526, 0.537, 0.551)),
}
"""Table 1, in its order; GSMN* without propagation, with it, and GSIMN. balloons has one l there."""
