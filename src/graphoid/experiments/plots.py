"""Results as a picture: a row of panels for each measure, a line for each algorithm."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphoid.experiments.results import Cell, Plot, Results, Spread
from graphoid.report.figure import figure, verbatim
from graphoid.structure import whole_file

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.axes import Axes


PANEL = (4.0, 3.2)  # inches, wide and high


def save_plot(results: Results, path: Path) -> None:
    """Draw the results into a PNG file; needs matplotlib."""
    if results.plot is None:
        return
    plot = results.plot
    drawn = [row for row, x in enumerate(results.column(plot.x)) if x is not None]
    panels = _groups(results, plot.panels, drawn)
    # the values of the last of the panels' columns side by side
    across = len({results.column(plot.panels[-1])[row] for row in drawn}) if plot.panels else 1
    down = -(-len(panels) // across)
    sheet = figure((PANEL[0] * across, PANEL[1] * down * len(plot.y)))
    import matplotlib as mpl

    with mpl.rc_context({"font.size": 8}):
        axes = sheet.subplots(down * len(plot.y), across, squeeze=False)
        for i, (label, columns) in enumerate(plot.y.items()):
            block = list(axes[i * down : (i + 1) * down].flat)
            for ax, (title, rows) in zip(block, panels.items(), strict=False):
                _draw(ax, results, plot, columns, rows)
                ax.set(title=verbatim(title), xlabel=verbatim(plot.x), ylabel=verbatim(label))
                if plot.log_x:
                    ax.set_xscale("log")
                if plot.log:
                    ax.set_yscale("log")
                else:
                    ax.set_ylim(bottom=0)
            for ax in block[len(panels) :]:
                ax.set_visible(False)
        sheet.suptitle(verbatim(results.title))
        with whole_file.writer(path) as file:
            sheet.savefig(file, format=path.suffix[1:], dpi=120)


def _draw(ax: Axes, results: Results, plot: Plot, columns: tuple[str, ...], rows: list[int]) -> None:
    """Draw the lines of a panel."""
    by_line = _groups(results, (plot.lines,) if plot.lines else (), rows)
    x = results.column(plot.x)
    for column in columns:
        y = results.column(column)
        for title, of_line in by_line.items():
            known = [(x[row], y[row]) for row in of_line if y[row] is not None]
            if not known:
                continue
            at, cells = zip(*known, strict=True)
            label = f"{column}, {title}" if title and len(columns) > 1 else title or column
            means, spreads = zip(*map(_spread, cells), strict=True)
            linestyle = "-"
            if any(isinstance(value, str) for value in at):
                at = tuple(verbatim(str(value)) for value in at)
                linestyle = ""
                ax.tick_params("x", rotation=90)
            ax.errorbar(
                at,
                means,
                yerr=spreads,
                label=verbatim(label),
                marker="o",
                markersize=3,
                linewidth=1,
                capsize=2,
                linestyle=linestyle,
            )
    if ax.has_data():
        ax.legend(fontsize=6)


def _groups(results: Results, columns: tuple[str, ...], rows: list[int]) -> dict[str, list[int]]:
    """Return the rows by what they have in some columns, written as a title."""
    groups: dict[str, list[int]] = {}
    for row in rows:
        of = [results.column(column)[row] for column in columns]
        title = ", ".join(
            cell if isinstance(cell, str) else f"{column} = {cell}"
            for column, cell in zip(columns, of, strict=True)
        )
        groups.setdefault(title, []).append(row)
    return groups


def _spread(cell: Cell) -> tuple[float, float]:
    """Return what is drawn of a cell: its mean, and the length of its bar."""
    if isinstance(cell, Spread):
        return cell.mean, cell.sd or 0.0
    return float(cell) if isinstance(cell, int | float) else float("nan"), 0.0
