"""Plain Python in the place of PFMN's kernels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphoid.learners.pfmn import information, moves, population, proofs, separators

if TYPE_CHECKING:
    import pytest


def without_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have every step of PFMN done by its reference until the test ends."""
    for module in (information, moves, population, proofs, separators):
        monkeypatch.setattr(module, "kernels", lambda: None)
