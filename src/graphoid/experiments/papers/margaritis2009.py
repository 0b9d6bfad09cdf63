"""Table 1 of [Margaritis2009]_, to stand beside our figures."""

from __future__ import annotations

from graphoid.experiments.papers import UCILine

TABLE_1 = {
    "balance-scale": UCILine(5, 211, (29.429, 61.143, 23.429), (0.663, 0.686, 0.729)),
    "balloons": UCILine(5, 7, (26.857, 64.429, 22.571), (0.712, 0.755, 0.844)),
    "haberman": UCILine(5, 111, (11.429, 48, 20), (0.656, 0.712, 0.657)),
    "hayes-roth": UCILine(6, 48, (26.429, 112.143, 37.286), (0.705, 0.773, 0.716)),
    "car": UCILine(7, 598, (20.286, 172.429, 45.857), (0.764, 0.617, 0.781)),
    "monks-1": UCILine(7, 187, (27.286, 97.571, 42), (0.920, 0.909, 0.901)),
    "nursery": UCILine(9, 4331, (50, 342.143, 93.143), (0.762, 0.593, 0.746)),
    "cmc": UCILine(10, 503, (161.429, 404.714, 142), (0.693, 0.661, 0.686)),
    "tic-tac-toe": UCILine(10, 315, (60.429, 384.714, 106.429), (0.694, 0.525, 0.684)),
    "bridges": UCILine(12, 27, (127.857, 453.571, 189.143), (0.697, 0.679, 0.721)),
    "crx": UCILine(16, 218, (395.714, 1084.286, 476.857), (0.728, 0.669, 0.707)),
    "hepatitis": UCILine(20, 31, (245.571, 1332.714, 516.143), (0.777, 0.711, 0.815)),
    "imports-85": UCILine(25, 67, (599.875, 2341.750, 1266.500), (0.429, 0.445, 0.454)),
    "flag": UCILine(29, 67, (610.143, 3417.857, 1597.143), (0.484, 0.467, 0.496)),
    "dermatology": UCILine(35, 126, (1134.143, 6888.429, 2478.714), (0.351, 0.377, 0.358)),
    "alarm": UCILine(37, 6692, (1347.714, 10622.571, 2080.714), (0.535, 0.433, 0.567)),
}
"""Table 1, in its order, from thirds of the rows; PFMN, GSMN* and GSIMN. balloons has one l there."""
