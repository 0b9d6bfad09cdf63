"""Benchmarks are scripts beside each other: they find one another by the folder that they are in."""

import sys
from pathlib import Path

import matplotlib as mpl
import pytest

sys.path.append(str(Path(__file__).resolve().parents[2] / "benchmarks"))


@pytest.fixture(autouse=True)
def settings_of_pictures():
    """Pages set how pictures look; other tests have their own."""
    with mpl.rc_context():
        yield
