"""Benchmarks are scripts beside each other: they find one another by the folder that they are in."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "benchmarks"))
