"""Keep the packages in order: a package imports those above it, never those below.

Reads the import statements of every file, also those inside functions and under TYPE_CHECKING, and exits
with 1 if one goes the wrong way. Packages within a package may import each other, but not in a circle.

    python tools/layers.py
"""

from __future__ import annotations

import ast
import sys
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent / "src" / "graphoid"

# From the top down: a package may import itself and what stands before it.
PACKAGES = [
    "errors",
    "settings",
    "progress",
    "limits",
    "logic",
    "structure",
    "data",
    "counts",
    "regression",
    "independence",
    "scores",
    "learners",
    "models",
    "classifiers",
    "uncertainty",
    "datasets",
    "report",
    "serve",
    "experiments",
    "cli",
]

# The front door imports every package lazily; the native module is reached from one file. Its stub has
# types besides, which anyone may import for annotations: `from graphoid._native import Kernels`.
NATIVE_FROM = {"counts/native.py"}

# A result can show and measure itself: asked to, these hand themselves to the packages that do.
SHOWN_BY = {
    "structure/learned.py": ("graphoid.report", "graphoid.uncertainty"),
    "uncertainty/group_result.py": ("graphoid.report",),
    "classifiers/markov.py": ("graphoid.report.hyperedges",),
    # what thousands of graphs say is put together by the kernels, where there are some
    "structure/context_evidence.py": ("graphoid.counts.native",),
    "structure/implicants.py": ("graphoid.counts.native",),
    # learners of a table whose missing cells are to be drawn: draws need models, and results are pooled
    "learners/base.py": ("graphoid.uncertainty.imputation",),
    "learners/recommended.py": ("graphoid.uncertainty.imputation",),
}


def imports(path: Path) -> list[tuple[int, str]]:
    """Return (line, dotted name) of everything that a file imports from graphoid."""
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found += [(node.lineno, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            found += [(node.lineno, f"{node.module}.{alias.name}") for alias in node.names]
    return [(line, name) for line, name in found if name.split(".")[0] == "graphoid"]


def faults_of(path: Path, package: str) -> list[str]:
    """Return a line for every import of a file that goes the wrong way."""
    faults = []
    where = path.relative_to(ROOT).as_posix()
    for line, name in imports(path):
        parts = name.split(".")
        target = parts[1] if len(parts) > 1 else ""
        if target == "_native":
            if len(parts) == 2 and where not in NATIVE_FROM:
                faults.append(f"{where}:{line}: only {', '.join(sorted(NATIVE_FROM))} may import the kernels")
        elif target in PACKAGES:
            if name.startswith(SHOWN_BY.get(where, ("?",))):
                continue
            if PACKAGES.index(target) > PACKAGES.index(package):
                faults.append(f"{where}:{line}: {package} may not import {target}, which stands below it")
        elif package != "cli" and target != "datasets":
            # names of the front door would pull in any package
            faults.append(f"{where}:{line}: import {name} from the package it lives in")
    return faults


def circles() -> list[str]:
    """Return a line for every package whose own packages import each other in a circle as they are loaded."""
    faults = []
    for package in PACKAGES:
        nested = {folder.name: set() for folder in (ROOT / package).glob("*/") if any(folder.glob("*.py"))}
        for name in nested:
            loaded = []
            for path in (ROOT / package / name).rglob("*.py"):
                tree = ast.parse(path.read_text(encoding="utf-8"))
                loaded += [node.module.split(".") for node in tree.body if isinstance(node, ast.ImportFrom)]
            own = {parts[2] for parts in loaded if parts[:2] == ["graphoid", package]}
            nested[name] = own & nested.keys() - {name}
        try:
            TopologicalSorter(nested).prepare()
        except CycleError as error:
            faults.append(f"{package}: packages import each other in a circle, {', '.join(error.args[1])}")
    return faults


def main() -> int:
    """Check every file and print what is wrong."""
    faults = circles()
    for path in sorted(ROOT.rglob("*.py")):
        if path == ROOT / "__init__.py":
            continue
        package = path.relative_to(ROOT).parts[0].removesuffix(".py")
        if package not in PACKAGES:
            faults.append(
                f"{path.relative_to(ROOT)}: no package named {package!r}; packages are {', '.join(PACKAGES)}"
            )
        else:
            faults += faults_of(path, package)
    print("\n".join(faults) or f"packages in order: {', '.join(PACKAGES)}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
