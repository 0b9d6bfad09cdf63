"""The front door: every name opens, and coming in is quick."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import graphoid as gd
from tests.support.clock import pace

HEAVY = ("pandas", "matplotlib", "duckdb", "sklearn", "scipy", "pyarrow", "polars")
MOST_SECONDS = 0.150

PROBE = f"""
import json, sys, time
start = time.perf_counter()
import graphoid
seconds = time.perf_counter() - start
print(json.dumps([seconds, [name for name in {HEAVY} if name in sys.modules]]))
"""


def imported() -> tuple[float, list[str]]:
    """Return how long a fresh process takes to import graphoid, and what heavy libraries came with it."""
    done = subprocess.run([sys.executable, "-c", PROBE], capture_output=True, text=True, check=True)
    seconds, heavy = json.loads(done.stdout)
    return seconds, heavy


@pytest.mark.parametrize("name", gd.__all__)
def test_every_name_opens(name: str) -> None:
    assert getattr(gd, name) is not None
    assert name in dir(gd)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="'graphoid' has no attribute 'nothing'"):
        _ = gd.nothing


def test_pictures_are_there_without_an_import_of_their_own() -> None:
    code = "import graphoid as gd; print(gd.report.plots.network.__name__, gd.report.page.__name__)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout == "network graphoid.report.page\n", done.stderr
    with pytest.raises(AttributeError, match=r"'graphoid\.report' has no attribute 'nothing'"):
        _ = gd.report.nothing


def test_names_are_what_their_module_calls_them() -> None:
    for name in ("ChiSquare", "Tester", "Verdict", "read", "compare"):
        assert getattr(gd, name).__name__ == name


def test_importing_is_quick_and_brings_nothing_heavy() -> None:
    runs = [imported() for _ in range(5)]  # the best of five: others may be at work on the machine
    assert [heavy for _, heavy in runs] == [[]] * 5
    assert min(seconds for seconds, _ in runs) < MOST_SECONDS * max(1.0, pace())


def test_the_version_is_said_in_one_place():
    root = Path(__file__).parents[1]
    assert f"\nversion: {gd.__version__}\n" in (root / "CITATION.cff").read_text(encoding="utf-8")
    assert not re.search(r"^version *=", (root / "pyproject.toml").read_text(encoding="utf-8"), re.MULTILINE)
