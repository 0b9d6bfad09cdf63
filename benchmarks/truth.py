"""Whether the numbers that we show are true: all parts of ``benchmarks/truth``, one after the other.

    python benchmarks/truth.py                  # a few cells of every part: minutes
    python benchmarks/truth.py PART [--quick]   # all cells of a part, or a few of them

Parts are probabilities (of ``gd.learn``), intervals, nulls (of tests), discoveries (promised rates), groups
and contexts; each says in its own text what a cell is and when it holds, and can be run alone. They print the
tables of ``docs/guide/how-far-to-trust.md``. Exits with 1 if a bar is missed.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

PARTS = {
    "probabilities": [
        "10",
        "9000",
        "nominal-random-3-10-300",
        "ordered-random-5-10-300",
        "nominal-dag-2-24-300",
    ],
    "intervals": ["10", "chain"],
    "nulls": ["40", "9000"],
    "discoveries": ["8", "9000", "independent-20-skewed", "binary"],
    "groups": ["10", "9000", "3o"],
    "contexts": ["5", "pairwise"],
}
"""For every part what it is given to be quick."""


def run(part: str, *, quick: bool) -> int:
    """Run one part, and return its exit status."""
    print(f"\n# {part}", flush=True)
    script = Path(__file__).parent / "truth" / f"{part}.py"
    return subprocess.run([sys.executable, script, *(PARTS[part] if quick else [])], check=False).returncode


def main(arguments: list[str]) -> int:
    """Run the parts that are named, or a few cells of all."""
    named = [a for a in arguments if a != "--quick"]
    unknown = [a for a in named if a not in PARTS]
    if unknown:
        print(f"there is no part {unknown[0]!r}; name one of {', '.join(PARTS)}.")
        return 2
    quick = "--quick" in arguments or not named
    return max(run(part, quick=quick) for part in named or PARTS)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
