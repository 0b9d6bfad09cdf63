"""Keep the rooms in order: a room imports the rooms above it, never those below.

Reads the import statements of every file, also those inside functions and under TYPE_CHECKING, and exits
with 1 if one goes the wrong way.

    python tools/layers.py
"""

from __future__ import annotations

import ast
import sys
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent / "src" / "graphoid"

# From the top down: a room may import itself and what stands before it.
ROOMS = [
    "errors",
    "settings",
    "progress",
    "logic",
    "structure",
    "data",
    "counts",
    "independence",
    "scores",
    "learners",
    "models",
    "classifiers",
    "uncertainty",
    "datasets",
    "report",
    "experiments",
    "cli",
]

# The front door imports every room lazily; the native module is reached from one file. Its stub has
# types besides, which anyone may import for annotations: `from graphoid._native import Kernels`.
NATIVE_FROM = {"counts/native.py"}

# A result can show itself: asked to, these hand themselves to the room that writes pages and draws.
SHOWN_BY = {
    "structure/result.py": "graphoid.report.page",
    "classifiers/markov.py": "graphoid.report.hyperedges",
}


def imported(tree: ast.AST) -> list[tuple[int, str]]:
    """Return (line, dotted name) of everything imported from graphoid."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [(node.lineno, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            found += [(node.lineno, f"{node.module}.{alias.name}") for alias in node.names]
    return [(line, name) for line, name in found if name.split(".")[0] == "graphoid"]


def faults_of(path: Path, room: str) -> list[str]:
    """Return a line for every import of a file that goes the wrong way."""
    faults = []
    where = path.relative_to(PACKAGE).as_posix()
    for line, name in imported(ast.parse(path.read_text(encoding="utf-8"))):
        parts = name.split(".")
        target = parts[1] if len(parts) > 1 else ""
        if target == "_native":
            if len(parts) == 2 and where not in NATIVE_FROM:
                faults.append(f"{where}:{line}: only {', '.join(sorted(NATIVE_FROM))} may import the kernels")
        elif target in ROOMS:
            if name.startswith(SHOWN_BY.get(where, "?")):
                continue
            if ROOMS.index(target) > ROOMS.index(room):
                faults.append(f"{where}:{line}: {room} may not import {target}, which stands below it")
        elif room != "cli" and target != "datasets":
            # names of the front door would pull in any room
            faults.append(f"{where}:{line}: import {name} from the room it lives in")
    return faults


def main() -> int:
    """Check every file and print what is wrong."""
    faults: list[str] = []
    for path in sorted(PACKAGE.rglob("*.py")):
        if path == PACKAGE / "__init__.py":
            continue
        room = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
        if room not in ROOMS:
            faults.append(
                f"{path.relative_to(PACKAGE)}: no room named {room!r}; rooms are {', '.join(ROOMS)}"
            )
        else:
            faults += faults_of(path, room)
    print("\n".join(faults) or f"rooms in order: {', '.join(ROOMS)}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
