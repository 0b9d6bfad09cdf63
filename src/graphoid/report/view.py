"""``gd.view``: the page of a report as the cell of a notebook, or its picture where there are no widgets."""

from __future__ import annotations

import importlib.util
from html import escape
from typing import TYPE_CHECKING

from graphoid.report.page import Page, compose
from graphoid.report.svg import to_svg

if TYPE_CHECKING:
    from graphoid.report.subject import Reportable
    from graphoid.report.widget import LiveView

WIDEST = 900.0
"""Pixels of the picture."""

HEIGHT = 720
"""Pixels of the cell: the drawing, the panel beside it, and that there is more below."""

WITHOUT = "This is a picture; pip install 'graphoid[notebook]' lets one ask it."


def still_picture(page: Page) -> str:
    """Return the drawing of a page with its finding, as HTML that needs no script; names are escaped."""
    drawing = to_svg(page.drawing, width=min(WIDEST, page.drawing.box[2]))
    return f"<p><b>{escape(page.heading)}</b></p>{drawing}<p>{escape(page.abstract)}</p>"


class StillView:
    """What a notebook shows where anywidget is not installed: a picture; nothing can be chosen in it."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self.selected: tuple[str, ...] = ()
        self.threshold = 0.0
        self.evidence: dict[str, object] = {}

    def _repr_html_(self) -> str:
        return f"{still_picture(self._page)}<p><small>{escape(WITHOUT)}</small></p>"


def view(
    found: Reportable, *, table: object = None, height: int = HEIGHT, **options: object
) -> LiveView | StillView:
    """Return what was learned as a live page for a notebook: JupyterLab, Notebook 7, VS Code and marimo.

    It needs the extra ``notebook``; without it, and where a notebook shows no widgets, there is a picture.

    Parameters
    ----------
    found
        What a report can be about: see :func:`graphoid.report.page.write`.
    table
        What it was learned from; a result of ``fit`` in this process remembers it.
    height
        Of the cell, in pixels.
    **options
        Those of a report, such as ``groups`` and ``title``.

    Returns
    -------
    LiveView or StillView
        Its ``selected`` (names: one of a variable, two of an edge or a pair), ``threshold`` (the effect size
        from which edges are drawn) and ``evidence`` (states by name) follow the page, and the page follows
        them; ``marginals`` are the distributions given the evidence.

    Examples
    --------
    >>> import graphoid as gd
    >>> shown = gd.view(gd.learn(gd.datasets.load("titanic")))
    >>> shown.selected = ("sex", "survived")
    """
    page = compose(found, table=table, **options)  # type: ignore[arg-type]
    if importlib.util.find_spec("anywidget") is None:
        return StillView(page)
    from graphoid.report.widget import LiveView

    return LiveView(found, page, table=table, height=height)
