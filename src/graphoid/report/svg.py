"""A drawing as SVG that stands alone: for files, and for the cell of a notebook."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from graphoid.report.display import shorten
from graphoid.report.drawing import DASHES, DASHES_OF_KIND
from graphoid.report.labels import FONT, text_width
from graphoid.report.style import GROUPS, INK, SIGNS, SOFT, colors_of

if TYPE_CHECKING:
    from graphoid.report.drawing import Drawing, Line, Node

FAMILY = "system-ui, -apple-system, 'Segoe UI', Roboto, Helvetica, Arial, sans-serif"

LEGEND = 24.0
"""Height of a line of the legend."""


def to_svg(drawing: Drawing, *, width: float | None = None) -> str:
    """Return a drawing with its legend as SVG, every name escaped; it is as wide as it needs if None."""
    left, top, wide, high = drawing.box
    legend, foot = _legend(drawing, left, top + high, wide)
    start = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{left:g} {top:g} {wide:g} {high + foot:g}" '
        f'width="{width or wide:g}" height="{(high + foot) * (width or wide) / wide:g}" role="img" '
        f'aria-label="{escape(drawing.title)}" font-family="{FAMILY}" font-size="{FONT - 0.5:g}">'
    )
    parts = [_edge(line, drawing) for line in sorted(drawing.lines, key=lambda line: line.width)]
    parts += [_node(node, held=drawing.held) for node in drawing.nodes]
    return "\n".join([start, *parts, *legend, "</svg>", ""])


def _edge(line: Line, drawing: Drawing) -> str:
    pulled = "L" if line.bend is None else f"Q{line.bend[0]:g} {line.bend[1]:g} "
    faint = 0.35 if drawing.dense else line.opacity
    dashes = _dash_array(line.dashes)
    return (
        f'<path d="M{line.x1:g} {line.y1:g}{pulled}{line.x2:g} {line.y2:g}" fill="none" '
        f'stroke="{SIGNS[line.sign]}" stroke-width="{line.width:.2f}" stroke-opacity="{faint:g}"{dashes}/>'
    )


def _node(node: Node, *, held: bool) -> str:
    fill, border = colors_of(node.group, highlighted=node.highlighted)
    box = (
        f'<rect x="{node.x - node.width / 2:g}" y="{node.y - node.height / 2:g}" width="{node.width:g}" '
        f'height="{node.height:g}" rx="{node.round:g}" fill="{fill}" stroke="{border}" stroke-width="1.6"/>'
    )
    lines = node.baselines if held else []
    text = "".join(
        f'<tspan x="{node.x:g}" y="{node.y + y + 0.35 * FONT:g}">{escape(line)}</tspan>' for line, y in lines
    )
    color = "#ffffff" if node.highlighted else INK
    label = f'<text text-anchor="middle" fill="{color}">{text}</text>'
    return f"<g><title>{escape(node.name)}</title>{box}{label}</g>"


def _legend(drawing: Drawing, left: float, top: float, wide: float) -> tuple[list[str], float]:
    """Return what explains colors and strokes, in rows below, and how high they are."""
    marks = [
        (
            f'<line x1="{{x}}" x2="{{x2}}" y1="{{y}}" y2="{{y}}" stroke="{color}" stroke-width="3"{dashes}/>',
            words,
        )
        for words, color, dashes in _strokes(drawing)
    ] + [
        (
            f'<circle cx="{{middle}}" cy="{{y}}" r="6" fill="{GROUPS[i][0]}" stroke="{GROUPS[i][1]}"/>',
            shorten(group.label, 24),
        )
        for i, group in enumerate(drawing.groups[: len(GROUPS)])
    ]
    parts, x, y = [], left + 12, top + LEGEND / 2
    for shape, words in marks:
        needed = 36 + text_width(words) + 14
        if x > left + 12 and x + needed > left + wide:
            x, y = left + 12, y + LEGEND
        drawn = shape.format(x=f"{x:g}", x2=f"{x + 26:g}", middle=f"{x + 13:g}", y=f"{y:g}")
        parts.append(f'{drawn}<text x="{x + 34:g}" y="{y + 4:g}" fill="{SOFT}">{escape(words)}</text>')
        x += needed
    return parts, (y - top + LEGEND / 2) if marks else 0.0


def _strokes(drawing: Drawing) -> list[tuple[str, str, str]]:
    """Return words, color and dashes of the strokes that occur."""
    found = [(words, SIGNS[sign], "") for sign, words in drawing.sign_words]
    found += [(f"{kind} edge", SOFT, _dash_array(DASHES_OF_KIND[kind])) for kind in drawing.kinds]
    if any(line.certainty == "doubtful" for line in drawing.lines):
        stroke = ' stroke-opacity="0.5"' if drawing.kinds else _dash_array(DASHES)
        found.append(("undecided", SOFT, stroke))
    return found


def _dash_array(dashes: tuple[float, ...]) -> str:
    return f' stroke-dasharray="{" ".join(f"{length:g}" for length in dashes)}"' if dashes else ""
