"""The reference, written anew for every build: public names by package, and what is inside each package.

Which names are public is what the front door says (``graphoid.__all__``), and what a package is for is its
docstring: a name that is added there is in the reference without anyone remembering to add it.
"""

from __future__ import annotations

import ast
import importlib
import pkgutil
import runpy
from pathlib import Path
from typing import Any

import graphoid

DOCS = Path(__file__).parents[1]
OUT = DOCS / "reference" / "generated"
FIRST = ["data", "independence", "learners", "scores", "structure", "models", "classifiers"]  # readers' order
PACKAGES = FIRST + [
    package
    for package in runpy.run_path(str(DOCS.parent / "tools" / "layers.py"))["PACKAGES"]
    if package not in (*FIRST, "cli") and (Path(graphoid.__file__).parent / package).is_dir()
]


def public() -> dict[str, str]:
    """Return the module in which each public name lives, under graphoid."""
    return {name: home for name, home in graphoid._HOME.items() if name != "__version__"}


def write(app: Any, config: Any) -> None:
    """Write the pages, where they differ from those that are there."""
    _write(OUT / "names.rst", "\n".join(_names()))
    for package in PACKAGES:
        _write(OUT / "inside" / f"{package}.rst", "\n".join(_inside(package)))
    # a name or package that is gone leaves no page behind
    for page in (OUT / "inside").glob("*.rst"):
        if page.stem not in PACKAGES:
            page.unlink()


def _names() -> list[str]:
    lines = [
        *_title("Public names", "="),
        "All of them are found as ``gd.name`` after ``import graphoid as gd``.",
        "",
    ]
    homes = public()
    for package in PACKAGES:
        names = sorted((name for name, home in homes.items() if home.split(".")[0] == package), key=str.lower)
        if package == "datasets":
            names = [f"datasets.{name}" for name in importlib.import_module("graphoid.datasets").__all__]
        if names:
            lines += [*_title(package.capitalize(), "-"), _summary(package), ""]
            lines += [
                ".. currentmodule:: graphoid",
                "",
                ".. autosummary::",
                "   :toctree: api",
                "   :nosignatures:",
                "",
            ]
            lines += [f"   {name}" for name in names] + [""]
    return lines


def _inside(package: str) -> list[str]:
    places = importlib.import_module(f"graphoid.{package}").__path__
    lines = [*_title(package, "="), _summary(package), ""]
    for name in sorted(m.name for m in pkgutil.walk_packages(places, f"graphoid.{package}.")):
        module = name.removeprefix(f"graphoid.{package}.")
        if not _importable(name):
            lines += [
                *_title(f"``{package}.{module}``", "-"),
                "Needs a library that these pages were built without.",
                "",
            ]
            continue
        lines += [*_title(f"``{package}.{module}``", "-"), f".. automodule:: {name}", "   :members:"]
        lines += ["   :no-inherited-members:", "   :no-undoc-members:", ""]
    return lines


def _importable(name: str) -> bool:
    try:
        importlib.import_module(name)
    except ImportError:  # of an optional library; graphoid's own modules import each other in the tests
        return False
    return True


def _summary(package: str) -> str:
    """Return the first sentence of what a package says of itself."""
    source = (Path(graphoid.__file__).parent / package / "__init__.py").read_text(encoding="utf-8")
    return (ast.get_docstring(ast.parse(source)) or "").split("\n\n", maxsplit=1)[0]


def _title(text: str, line: str) -> list[str]:
    return [text, line * max(len(text), 4), ""]


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def skip(app: Any, what: str, name: str, obj: Any, skipped: bool, options: Any) -> bool | None:
    """Leave out what others wrote, and inside a package what has a page of its own as a public name."""
    module = getattr(obj, "__module__", None) or ""
    if module.startswith("sklearn"):
        return True
    if what == "module" and module == f"graphoid.{public().get(name)}":
        return True
    return None


def setup(app: Any) -> dict[str, Any]:
    """Write before autosummary looks for names."""
    app.connect("config-inited", write)
    app.connect("autodoc-skip-member", skip)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
