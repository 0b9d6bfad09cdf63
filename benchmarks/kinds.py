"""How right gd.learn is on ordered, nominal, continuous and count columns, beside its peers in the same run.

Six parts: ordered columns, the mixed protocol of Göbler and others, nominal and continuous columns,
continuous ones, many states, and certainty. Prints F1 or the area under the curve with standard errors,
CPU seconds, and whether each bar holds; exits with 1 if one does not. Peers that are not installed are named
and left out (scikit-learn, pyagrum; r-cran-bdgraph and r-cran-glmnet of Debian). GRAPHOID_DATA is a folder
with bif/mildew.bif.gz, bif/water.bif.gz and uci/mushroom.csv.

    GRAPHOID_DATA=DIR python benchmarks/kinds.py [--part 1 --part 4] [--sets 10] [--seed 5000] [--quick]
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from measure import closing_line
from mixed import certainty, conditional, copula, gaussian, many_states, ordinal, page
from mixed.cells import Options

PARTS = {
    1: ordinal.part,
    2: copula.part,
    3: conditional.part,
    4: gaussian.part,
    5: many_states.part,
    6: certainty.part,
}


def main() -> int:
    """Run the parts that were asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--part", type=int, action="append", choices=sorted(PARTS), help="all if left out")
    parser.add_argument(
        "--sets", type=int, help="most data sets of a cell; as many as the bars say if left out"
    )
    parser.add_argument(
        "--seed", type=int, default=5_000, help="of the first data set; settings were chosen below"
    )
    parser.add_argument("--quick", action="store_true", help="small cells, two data sets each")
    parser.add_argument("--only", action="append", default=[], help="a method by its name; all if left out")
    parser.add_argument("--kept", type=Path, help="file of what peers reached: they are not run again")
    parser.add_argument("--page", type=Path, help="Markdown file whose parts that were run are written again")
    chosen = parser.parse_args()
    options = Options(chosen.sets, chosen.seed, chosen.quick, tuple(chosen.only), chosen.kept)
    for number in chosen.part or PARTS:
        PARTS[number](options)
        if chosen.page:
            page.write(chosen.page)
    return closing_line()


if __name__ == "__main__":
    sys.exit(main())
