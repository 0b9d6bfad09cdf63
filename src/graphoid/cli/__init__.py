"""The ``graphoid`` command."""

from __future__ import annotations


def run() -> None:
    """Run the command line; the entry point of ``graphoid``."""
    try:
        from graphoid.cli.main import run as run_command
    except KeyboardInterrupt:  # pressed while modules are loaded, when nothing has begun
        raise SystemExit(130) from None
    run_command()
