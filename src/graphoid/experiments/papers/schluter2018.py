"""Figures that [Schluter2018]_ prints, to stand beside ours: Tables 1, 3 and 4.

Of Tables 3 and 4 the Hamming distances; the two kinds of errors do not add up to them in some lines. Table 5,
of real networks, is missing from the text we have.
"""

from __future__ import annotations

ROWS = (250, 500, 1_000, 2_000, 4_000, 8_000)
"""Sizes of the data sets, in every table."""

Line = tuple[float, ...]
"""A figure for each of the sizes."""


def _table(text: str) -> dict[int, dict[str, Line]]:
    """Return lines of a number, a name and figures, by number and name."""
    table: dict[int, dict[str, Line]] = {}
    for number, name, *figures in map(str.split, text.strip().splitlines()):
        table.setdefault(int(number), {})[name] = tuple(map(float, figures))
    return table


SUCCESS = _table(
    """
    1    MPL      0.00    0.00    0.01    0.04    0.15    0.28
    1    IB       0.00    0.00    0.05    0.15    0.25    0.35
    1    BJP      0.00    0.01    0.03    0.12    0.21    0.34
    2    MPL      0.00    0.00    0.00    0.02    0.10    0.18
    2    IB       0.00    0.00    0.04    0.15    0.27    0.39
    2    BJP      0.00    0.01    0.02    0.16    0.25    0.39
    3    MPL      0.00    0.03    0.10    0.17    0.22    0.34
    3    IB       0.06    0.09    0.17    0.22    0.45    0.58
    3    BJP      0.04    0.12    0.19    0.27    0.49    0.61
    4    MPL      0.00    0.00    0.00    0.00    0.00    0.00
    4    IB       0.00    0.03    0.06    0.14    0.29    0.44
    4    BJP      0.00    0.02    0.10    0.18    0.36    0.50
    5    MPL      0.00    0.00    0.00    0.00    0.03    0.21
    5    IB       0.01    0.02    0.10    0.23    0.56    0.75
    5    BJP      0.01    0.01    0.11    0.26    0.54    0.76
    6    MPL      0.00    0.00    0.00    0.00    0.02    0.27
    6    IB       0.00    0.00    0.04    0.28    0.66    0.80
    6    BJP      0.00    0.00    0.13    0.37    0.61    0.82
    """
)
"""Table 1: how often the best of all graphs is the true one, by target structure and score."""

HAMMING = _table(
    """
    16   GSMN   19.59  14.06   9.59   7.05   5.16   3.78    19.70  15.00  11.40   7.00   5.20   3.00
    16   MPL    13.13  11.74  10.43   9.39   8.20   7.25    12.35  10.63   9.14   7.53   6.21   4.92
    16   IB      7.91   6.28   4.87   3.69   2.37   1.77    11.30  10.00   7.10   5.10   3.70   2.30
    16   BJP     7.76   5.95   4.47   3.27   2.29   1.59    11.20  10.00   7.30   5.20   3.50   2.30
    32   GSMN   89.62  61.12  39.64  26.55  19.83  14.32    87.10  58.00  39.60  27.70  19.60  12.60
    32   MPL    27.26  24.36  21.56  18.94  16.68  14.56    27.51  24.08  20.82  18.27  16.13  14.41
    32   IB     25.79  22.00  17.50  12.86   9.34   7.05    26.50  22.40  18.30  13.60  10.40   6.56
    32   BJP    25.08  19.98  15.49  11.58   8.36   6.96    25.88  20.38  17.12  12.12  10.50   7.00
    64   GSMN  301.72 254.33 177.06 110.46  71.32  52.74   297.40 239.40 180.70 123.30  72.80  46.30
    64   MPL    60.53  52.88  46.22  40.35  34.99  30.58    59.11  50.14  43.05  36.71  31.37  27.52
    64   IB     56.56  50.55  42.34  33.47  26.28  20.81    57.75  52.00  43.25  33.50  26.25  19.00
    64   BJP    54.05  44.86  36.38  29.24  22.50  19.49    55.33  44.00  36.00  27.67  21.33  16.00
    128  GSMN  679.89 725.18 676.07 511.62 320.91 188.44   674.40 726.40 685.70 533.20 339.90 189.20
    128  MPL   134.28 113.96  98.24  84.25  72.70  62.61   131.42 109.44  91.47  77.47  65.44  57.09
    128  IB    106.67  97.72  84.36  69.90  57.81  46.96   123.20 110.70  93.00  79.20  62.00  47.90
    128  BJP    93.98  81.26  65.48  51.19  43.47  38.93   116.40 101.00  83.10  64.50  46.50  34.30
    """
)
"""Tables 3 and 4: Hamming distances by number of variables and learner; hubs, then scale-free structures."""

HUBS = {n: {name: line[: len(ROWS)] for name, line in lines.items()} for n, lines in HAMMING.items()}
SCALE_FREE = {n: {name: line[len(ROWS) :] for name, line in lines.items()} for n, lines in HAMMING.items()}
