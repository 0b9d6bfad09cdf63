"""Whether a GPU is to count a table. PyTorch is not loaded before it is."""

from __future__ import annotations

import importlib.util
import os
import warnings
from typing import TYPE_CHECKING

from graphoid.data.options import ENGINES
from graphoid.errors import SettingsError, SlowWarning

if TYPE_CHECKING:
    from graphoid.counts.native import NativeEngine
    from graphoid.data.table import Table

ENGINE = "GRAPHOID_ENGINE"
"""The environment variable that says who counts where a table does not."""

PER_SECOND = 1e10
"""Rows times pairs that a thread of the native engine looks at in a second."""

MOST_STATES = 254
"""Codes of a byte but one for missing cells and one for rows that fill up a block."""

WORTH_LOADING = 10.0
"""Seconds that all pairs take natively from which on a GPU is used unasked: it takes some to be ready."""


def wanted_engine(table: Table) -> str:
    """Return which engine is to count a table: as it says itself, by GRAPHOID_ENGINE, or "auto"."""
    named = table.engine if table.engine != "auto" else os.environ.get(ENGINE, "auto")
    if named not in ENGINES:
        raise SettingsError(f"{ENGINE} is {named!r}; expected one of {', '.join(ENGINES)}.")
    return named


def gpu_engine(table: Table, threads: int) -> NativeEngine | None:
    """Return an engine on a GPU for a table; None where the native one is to count."""
    wanted = wanted_engine(table)
    if wanted == "native" or (wanted == "auto" and native_seconds(table, threads) < WORTH_LOADING):
        return None
    lacks = why_not(table)
    if lacks is None and importlib.util.find_spec("torch") is None:
        lacks = "PyTorch is not installed: pip install 'graphoid[gpu]'"
    elif lacks is None:
        try:
            from graphoid.counts.gpu.engine import GpuEngine, device_there

            device = device_there()
            lacks = "there is no GPU that PyTorch can use"
        except (ImportError, OSError) as error:  # libraries of its own are not there
            device, lacks = None, f"PyTorch cannot be loaded ({error})"
        if device is not None:
            return GpuEngine(table, device=device)
    if wanted == "gpu":
        warnings.warn(f"the native engine counts, since {lacks}.", SlowWarning, stacklevel=5)
    return None


def why_not(table: Table) -> str | None:
    """Return why no GPU can count a table; None where one could."""
    if table.holes and table.missing == "weighted":
        return "missing='weighted' weighs the rows anew for every question"
    widest = max(table.variables, key=lambda v: v.arity, default=None)
    if widest is not None and widest.arity > MOST_STATES:
        return f"{widest.name!r} has {widest.arity:,} states and a GPU takes {MOST_STATES}"
    return None


def native_seconds(table: Table, threads: int) -> float:
    """Return about how long a look at all pairs takes natively."""
    cells = sum(max(1, v.arity - 1) for v in table.variables)
    return cells**2 / 2 * table.n_rows / PER_SECOND / threads
