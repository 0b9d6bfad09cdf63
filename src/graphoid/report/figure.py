"""A figure to draw on, without touching anybody's settings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from graphoid.errors import missing_extra

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def figure(size: tuple[float, float], *, own: bool = False) -> Figure:
    """Return a new matplotlib figure of some inches; ``savefig`` writes PNG, SVG or PDF by the ending.

    A notebook shows it at the end of the cell and ``pyplot.show`` in a script, unless it is the ``own`` of
    whoever writes it to a file.
    """
    try:
        from matplotlib import pyplot as plt
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        raise missing_extra("a picture", "plot") from None
    if not own:
        shown: Figure = plt.figure(figsize=size, layout="constrained")
        return shown
    empty = Figure(figsize=size, layout="constrained")
    FigureCanvasAgg(empty)
    return empty


def axes(ax: Axes | None, size: tuple[float, float]) -> Axes:
    """Return the axes to draw on: those given, or those of a new figure."""
    return figure(size).subplots() if ax is None else ax


def write(ax: Axes, x: float, y: float, text: str, *, halo: bool = False, **style: Any) -> None:
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


def close(page: Figure) -> None:
    """Let go of a figure that was written and is not to be shown."""
    from matplotlib import pyplot as plt

    plt.close(page)
