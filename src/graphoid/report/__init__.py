"""Results for people: a page, pictures, tables for a paper."""

from __future__ import annotations

import importlib


def __getattr__(name: str) -> object:
    if name in {"page", "plots"}:  # as in graphoid.report.plots.network(found), when first used
        return importlib.import_module(f"graphoid.report.{name}")
    raise AttributeError(f"module 'graphoid.report' has no attribute {name!r}")
