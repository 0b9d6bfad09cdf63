"""A figure to draw on, without a window and without touching anybody's settings."""

from __future__ import annotations

from typing import Any

from graphoid.errors import missing_extra


def figure(size: tuple[float, float]) -> Any:
    """Return a new matplotlib figure of some inches; ``savefig`` writes PNG, SVG or PDF by the ending."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        raise missing_extra("a picture", "plot") from None
    made = Figure(figsize=size, layout="constrained")
    FigureCanvasAgg(made)
    return made


def axes(ax: Any, size: tuple[float, float]) -> Any:
    """Return the axes to draw on: those given, or those of a new figure."""
    return figure(size).subplots() if ax is None else ax


def write(ax: Any, x: float, y: float, text: str, *, halo: bool = False, **style: Any) -> None:
    """Write text as it is: a dollar sign in a name begins no formula. A halo keeps it readable over lines."""
    if halo:
        style["bbox"] = {"facecolor": "white", "edgecolor": "none", "alpha": 0.75, "pad": 0.4}
    ax.text(x, y, text, parse_math=False, **style)


def verbatim(text: str) -> str:
    r"""Return text that matplotlib shows as it is, where it cannot be told that names are no formulas.

    >>> print(verbatim("cost in $ or in $US"))
    cost in \$ or in \$US
    """
    return text.replace("$", r"\$")
