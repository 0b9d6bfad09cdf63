"""Data where they live: what it costs to count and to learn as rows and columns grow.

Five parts, each in a process of its own so that its peak memory is its own. CPU time is that of all threads.

``batch``   Fifty tests on a generated file of 20 columns with four values: one streamed pass against
            decoding alone and against DuckDB, one GROUP BY after the other. Bars: at least 8 times less than
            DuckDB, at most 1.7 times decoding, peak memory below 600 MB.
``learn``   GSIMN on a network of 37 variables, streamed; then again at alpha = .01 with what was kept. Bars,
            from ten million rows on: at most 10 times the CPU of one pass that only decodes; the second run
            reads at most 20 % of the rows.
``rows``    GSIMN end to end (states discovered, then learned) on more and more rows of 37 columns: of the
            network, whose rows repeat where it is alarm, and of a tree, whose rows nearly all differ. Bar,
            from ten million rows on: memory stays flat, ten times the rows take at most 1.5 times of it.
``columns`` All pairs, and GSIMN, on files of more and more columns.
``sites``   Columns at two sites: bytes moved by GSMN*, GSIMN and PFMN. Bars: at most 80 % and 60 % of
            GSMN*'s on three sets.

The network is alarm where ``GRAPHOID_DATA`` names a folder with ``bif/alarm.bif``, else a random one of its
size; the sets of ``sites`` are from its folder ``uci``, else simulated. A folder given by ``--files`` may
have files of the part ``rows`` already (``network-ROWS.parquet``, ``tree-ROWS.parquet``): used, and kept.

    python benchmarks/scale.py                       # small files, a minute
    python benchmarks/scale.py --rows 10000000 --most 100000000 --write docs/guide/scale-measured
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from measure import closing_line
from scaling.page import lines_of, written
from scaling.parts import PARTS, Sizes, learned


def main() -> int:
    """Run the parts, print a table, and write the page."""
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--rows", type=int, default=1_000_000)
    asked.add_argument(
        "--most", type=int, help="rows of the largest file of the part `rows`; as --rows if not given"
    )
    asked.add_argument(
        "--most-distinct", type=int, help="the same for rows that differ; as --most if not given"
    )
    asked.add_argument("--only", choices=list(PARTS), action="append")
    asked.add_argument("--write", type=Path, help="where to put the page (.md) and the picture (.svg)")
    asked.add_argument(
        "--results", type=Path, help="a JSON file: parts measured are put there, others taken from it"
    )
    asked.add_argument("--folder", type=Path, help="for generated files, which are removed at the end")
    asked.add_argument("--files", type=Path, help="files of the part `rows` that are there already")
    asked.add_argument("--part", choices=list(PARTS), help=argparse.SUPPRESS)
    asked.add_argument("--learn-from", type=Path, help=argparse.SUPPRESS)
    chosen = asked.parse_args()
    if chosen.learn_from:
        print(json.dumps(learned(chosen.learn_from)))
        return 0
    most = chosen.most or chosen.rows
    sizes = Sizes(chosen.folder, chosen.rows, most, chosen.most_distinct or most)
    if chosen.part:
        print(json.dumps(PARTS[chosen.part](sizes)))
        return 0
    results, lines = {}, []
    if chosen.results is not None and chosen.results.is_file():
        results = json.loads(chosen.results.read_text(encoding="utf-8"))
    for part in PARTS:
        if part in (chosen.only or PARTS):
            with tempfile.TemporaryDirectory(dir=chosen.folder) as made:
                folder = chosen.files if part == "rows" and chosen.files else made
                results[part] = measured(part, Path(folder), sizes)
        if part in results:
            said = lines_of(part, results[part])
            print("\n".join(said), flush=True)
            lines += said
    if chosen.results is not None:
        chosen.results.write_text(json.dumps(results, indent=1), encoding="utf-8")
    if chosen.write is not None:
        written(chosen.write, lines, results)
    return closing_line()


def measured(part: str, folder: Path, sizes: Sizes) -> object:
    """Run a part in a process of its own and return what it found."""
    command = [
        sys.executable, __file__, "--part", part, "--folder", str(folder), "--rows", str(sizes.rows),
        "--most", str(sizes.most), "--most-distinct", str(sizes.most_distinct),
    ]  # fmt: skip
    return json.loads(subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout)


if __name__ == "__main__":
    sys.exit(main())
