"""The stub of the compiled module says what the module has."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest

import graphoid
from graphoid.counts.native import kernels

native = kernels()
STUB = Path(graphoid.__file__).with_name("_native.pyi")
CLASSES = {node.name: node for node in ast.parse(STUB.read_text()).body if isinstance(node, ast.ClassDef)}

pytestmark = pytest.mark.skipif(native is None, reason="the compiled kernels are not there")


def members(node: ast.ClassDef) -> set[str]:
    functions = {item.name for item in node.body if isinstance(item, ast.FunctionDef)}
    return functions | {ast.unparse(item.target) for item in node.body if isinstance(item, ast.AnnAssign)}


def public(thing: Any) -> set[str]:
    return {name for name in dir(thing) if not name.startswith("_")}


def test_the_stub_has_every_function_and_class_of_the_module_and_no_other() -> None:
    assert members(CLASSES["Kernels"]) == public(native)
    assert set(CLASSES) - {"Kernels"} == {name for name in public(native) if name[0].isupper()}


@pytest.mark.parametrize("name", sorted(set(CLASSES) - {"Kernels"}))
def test_the_stub_has_every_method_of_a_class(name: str) -> None:
    compiled = getattr(native, name)
    assert {m for m in members(CLASSES[name]) if not m.startswith("_")} == public(compiled)
    assert all(hasattr(compiled, method) for method in members(CLASSES[name]))
