"""Where and by what a page was measured."""

from __future__ import annotations

import datetime as dt
import os
import platform
import shutil
import subprocess
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

import psutil

from peers.learners import LEARNERS

if TYPE_CHECKING:
    from peers.process import Limit

BESIDE = ("numpy", "jax")
"""Packages that peers compute with."""


def processor() -> str:
    """Return the name of the processor."""
    path = Path("/proc/cpuinfo")
    lines = path.read_text().splitlines() if path.is_file() else []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def version(package: str) -> str | None:
    """Return the version of a package of Python or R, None if it is not there."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        pass
    rscript = shutil.which("Rscript")
    if rscript is None:
        return None
    command = [rscript, "-e", f"cat(as.character(packageVersion('{package}')))"]
    ran = subprocess.run(command, check=False, capture_output=True, text=True)
    return ran.stdout.strip() or None


def about(command: str, jobs: int, limit: Limit) -> dict[str, str]:
    """Return what is to be said of a run."""
    packages = list(dict.fromkeys([*(learner.package for learner in LEARNERS.values()), *BESIDE]))
    versions = {name: version(name) for name in packages}
    there = [f"{name} {number}" for name, number in versions.items() if number]
    away = [name for name, number in versions.items() if not number]
    memory = psutil.virtual_memory().total / 1e9
    system = f"{os.cpu_count()} cores, {memory:.0f} GB, {platform.system()} {platform.machine()}"
    return {
        "command": command,
        "limit": f"{limit.seconds:g} s of CPU time and {limit.megabytes / 1000:g} GB a run",
        "date": dt.datetime.now(dt.UTC).date().isoformat(),
        "machine": f"{processor()}, {system}, Python {platform.python_version()}",
        "load": f"{jobs} runs at a time; load average at the start {os.getloadavg()[0]:.0f}",
        "versions": ", ".join(there),
        "missing": ", ".join(away) or "none",
    }
