"""The house rules that no linter knows, read off the syntax trees of all sources: see CONTRIBUTING.md."""

from __future__ import annotations

import ast
import re
from collections import Counter
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

SOURCES = Path(__file__).parents[1] / "src" / "graphoid"

MOST_ANY = 200
"""Lines that say Any: the seams to libraries without types, and little else."""

MOST_LOOKUPS = 40
"""Lines with getattr or hasattr: what an object can do it says by a protocol."""

MOST_LINES = 60
"""Of a function, its docstring included: what one reads without scrolling."""

PRIVATE_WORDS = {
    *("moved", "walked", "told", "kicked", "mended", "made", "judged", "trips", "shelf", "near", "ahead"),
    *("elsewhere", "renewal", "stand", "room", "taken", "asked"),
}
"""Words that only we would understand; the field says update, access cost, cache, local, prefetch."""

KEPT = {"bytes_moved", "per_gigabyte_moved"}
"""Names that files and users have."""

PARTICIPLES = {
    *(
        "made",
        "told",
        "drawn",
        "known",
        "shown",
        "seen",
        "grown",
        "shrunk",
        "kept",
        "held",
        "written",
        "taken",
    ),
    *("chosen", "begun", "said", "spent", "built"),
}
"""Beside those that end in -ed: a function is a verb, or what it returns."""

NO_PARTICIPLES = {"need", "seed", "embed", "feed", "speed", "read", "heed", "proceed", "exceed", "succeed"}
"""Verbs and nouns that end like one."""

AFTER_PARTICIPLES = {
    *(
        "",
        "as",
        "at",
        "back",
        "beforehand",
        "by",
        "for",
        "from",
        "in",
        "into",
        "of",
        "on",
        "out",
        "to",
        "with",
    ),
}
"""What follows one that is not the adjective of a noun: weighted_counts is what is returned."""

CONTRACT = {"separated"}
"""Public names, which stay."""


@cache
def trees() -> dict[str, ast.Module]:
    return {
        path.relative_to(SOURCES).as_posix(): ast.parse(path.read_text(encoding="utf-8"))
        for path in sorted(SOURCES.rglob("*.py"))
    }


def lines_with(pattern: str) -> list[str]:
    found = []
    for path in sorted(SOURCES.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        found += [
            f"{path.relative_to(SOURCES)}: {line}" for line in text.splitlines() if re.search(pattern, line)
        ]
    return found


def functions() -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    for where, tree in trees().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield where, node


def by_package(lines: list[str]) -> dict[str, int]:
    return dict(Counter(line.split("/")[0] for line in lines).most_common())


def test_seams_are_typed():
    found = lines_with(r"\bAny\b")
    assert len(found) <= MOST_ANY, by_package(found)


def test_objects_say_what_they_can_do():
    found = lines_with(r"\b(getattr|hasattr)\(")
    assert len(found) <= MOST_LOOKUPS, by_package(found)


def test_functions_fit_on_a_screen():
    long = [
        f"{where}:{f.lineno} {f.name}" for where, f in functions() if f.end_lineno - f.lineno >= MOST_LINES
    ]
    assert not long


def identifiers(where: str, tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield every name that we chose: of modules, functions, classes, arguments, attributes and variables."""
    for part in Path(where).with_suffix("").parts:
        yield 1, part
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.lineno, node.name
        elif isinstance(node, ast.arg):
            yield node.lineno, node.arg
        elif isinstance(node, ast.Name):
            yield node.lineno, node.id
        elif isinstance(node, ast.Attribute):
            yield node.lineno, node.attr


def test_names_are_those_of_the_field():
    found = sorted(
        {
            f"{where}:{line} {name}"
            for where, tree in trees().items()
            for line, name in identifiers(where, tree)
            if name not in KEPT
            and (
                PRIVATE_WORDS & set(re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower().split("_"))
                or "bear_blankets" in name
            )
        }
    )
    assert not found


def is_participle(name: str) -> bool:
    """Whether a function is named for what was done, and not for what it does or returns."""
    first, second = (*name.strip("_").split("_"), "")[:2]
    is_one = first in PARTICIPLES or (first.endswith("ed") and first not in NO_PARTICIPLES)
    return is_one and (second in AFTER_PARTICIPLES or second.endswith("ly"))


@pytest.mark.parametrize(
    ("name", "is_one"),
    [
        ("moved", True),
        ("_checked", True),
        ("drawn", True),
        ("seed", False),
        ("shrink", False),
        ("seed_of", False),
    ],
)
def test_participles_are_recognized(name, is_one):
    assert is_participle(name) == is_one


def test_functions_are_verbs_or_what_they_return():
    found = [
        f"{where}:{f.lineno} {f.name}"
        for where, f in functions()
        if f.name not in CONTRACT
        and is_participle(f.name)
        and not any("property" in ast.unparse(d) for d in f.decorator_list)
    ]
    assert not found


UNDERSCORED = {"_replace", "_fields", "_field_defaults", "_asdict", "_make", "_exit", "_int_mm"}
"""By the standard library: of named tuples, to keep clear of the names of fields, and of ``os``; and what
PyTorch calls its product of matrices of bytes."""


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__") and name != "_"


def test_private_names_stay_in_their_module():
    found = []
    for where, tree in trees().items():
        modules = {"_native"}
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("graphoid"):
                found += [
                    f"{where}:{node.lineno} {node.module}.{alias.name}"
                    for alias in node.names
                    if is_private(alias.name) and alias.name not in modules
                ]
        defined = {name for _, name in identifiers(where, tree) if is_private(name)} - {
            node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)
        }
        own = (
            defined
            | {
                node.attr
                for node in ast.walk(tree)
                if isinstance(node, ast.Attribute)
                and isinstance(node.value, ast.Name)
                and node.value.id in {"self", "cls"}
            }
            | {
                node.value
                for node in ast.walk(tree)
                if isinstance(node, ast.Constant) and isinstance(node.value, str)
            }
        )
        own |= {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.ClassDef)}
        found += [
            f"{where}:{node.lineno} {ast.unparse(node)}"
            for node in ast.walk(tree)
            if isinstance(node, ast.Attribute)
            and is_private(node.attr)
            and node.attr not in own
            and node.attr not in UNDERSCORED
        ]
    assert not found
