"""One look for every picture: colors that the color-blind tell apart, and what they stand for.

The page has the same colors in ``page.css``, where a dark theme has lighter ones.
"""

from __future__ import annotations

INK, SOFT, FAINT, ACCENT = "#1b2a36", "#5a6472", "#c3ccd4", "#e07a3f"

SIGNS = {"positive": "#1f6fae", "negative": "#c4500f", "unsigned": "#6d7883"}
"""Of edges; blue and orange differ for every kind of color vision."""

GROUPS = (
    ("#cfe3ea", "#2a7f9e"),
    ("#f6e0bb", "#b07a17"),
    ("#d6e8cf", "#4c8a3a"),
    ("#e3d7ee", "#7d57a6"),
    ("#f7d6d3", "#b4534b"),
    ("#d3e6e0", "#2b8472"),
    ("#ece4d6", "#8a6f4d"),
    ("#dfe3e8", "#667381"),
)
"""Fill and border of the nodes of a group, the largest group first; of others they are plain."""

MARKED = (ACCENT, "#a34e1d")
"""Of nodes that are highlighted."""

PLAIN = ("#eef1f4", "#7b8894")
"""Of nodes that are in no group, where there are some."""


def colors_of(group: int | None, *, highlighted: bool = False) -> tuple[str, str]:
    """Return fill and border of a node."""
    return MARKED if highlighted else PLAIN if group is None else GROUPS[group]
