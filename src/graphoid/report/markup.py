"""Pieces of HTML: everything in them is escaped here, but what is said to be HTML already."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from graphoid.report.escaped import html

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def paragraphs(*texts: str) -> str:
    """Return texts as paragraphs, escaped."""
    return "".join(f"<p>{html(text)}</p>" for text in texts if text)


def name(text: str) -> str:
    """Return the name of a variable, escaped, and kept from turning the line around it."""
    return f"<bdi>{html(text)}</bdi>"


def facts(rows: Iterable[tuple[str, Any]]) -> str:
    """Return a list of terms and what they are; those without a value are left out."""
    items = "".join(
        f"<dt>{html(term)}</dt><dd>{html(value)}</dd>" for term, value in rows if value not in ("", None)
    )
    return f"<dl>{items}</dl>" if items else ""


def table(heads: Sequence[str], rows: Iterable[Sequence[str]], *, caption: str) -> str:
    """Return a table of cells that are HTML already; the first cell of a row is its heading."""
    head = "".join(f'<th scope="col">{html(text)}</th>' for text in heads)
    body = "".join(
        f'<tr><th scope="row">{cells[0]}</th>{"".join(f"<td>{cell}</td>" for cell in cells[1:])}</tr>'
        for cells in rows
    )
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{html(caption)}"><table>'
        f"<caption>{html(caption)}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )
