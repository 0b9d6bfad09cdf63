"""Prints a constraint for every dependency: the lowest version that pyproject.toml declares.

``python tools/oldest.py [EXTRA ...] > constraints.txt``, for ``make test-oldest``.
"""

import re
import sys
import tomllib
from pathlib import Path

LOWEST = re.compile(r"([\w.-]+)(?:\[[^\]]*\])?>=([\d.]+)")


def constraints(extras: list[str]) -> list[str]:
    """``name==version`` of the dependencies and of these extras, as far as they say a lowest version."""
    project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))[
        "project"
    ]
    declared = [*project["dependencies"], *(d for e in extras for d in project["optional-dependencies"][e])]
    found = [LOWEST.match(dependency) for dependency in declared]
    return [f"{match[1]}=={match[2]}" for match in found if match]


if __name__ == "__main__":
    print("\n".join(constraints(sys.argv[1:])))
