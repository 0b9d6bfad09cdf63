"""Formulas as MathML, which browsers draw by themselves: a page asks nothing of another server."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from docutils.utils.math import MathError, latex2mathml, pick_math_environment
from sphinx.util import logging

log = logging.getLogger(__name__)

UNKNOWN_TO_DOCUTILS = {
    r"\dots": r"\ldots",
    "⊥": r"\perp ",
    "⊆": r"\subseteq ",
    "⊇": r"\supseteq ",
    "⟹": r"\Longrightarrow ",
    "∧": r"\land ",
    "∨": r"\lor ",
    "∩": r"\cap ",
    "∪": r"\cup ",
}
"""What docstrings write and docutils knows under another name."""


def setup(app: Any) -> dict[str, Any]:
    """Offer the renderer to Sphinx, as ``html_math_renderer = "mathml"``."""
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _inline(writer: Any, node: nodes.math) -> None:
    writer.body.append(_mathml(node.astext(), node, block=False))
    raise nodes.SkipNode


def _block(writer: Any, node: nodes.math_block) -> None:
    formula = node.astext()
    environment = pick_math_environment(formula)
    if environment.startswith("align") and r"\begin{" not in formula:  # several lines, aligned at &
        formula = rf"\begin{{align*}}{formula}\end{{align*}}"
    writer.body.append(f'<div class="math">{_mathml(formula, node, block=True)}</div>')
    raise nodes.SkipNode


def _mathml(formula: str, node: nodes.Node, *, block: bool) -> str:
    for unknown, known in UNKNOWN_TO_DOCUTILS.items():
        formula = formula.replace(unknown, known)
    try:
        return str(latex2mathml.tex2mathml(formula, as_block=block))
    except MathError as error:
        log.warning("%s in the formula %s", error, formula, location=node)
        return f"<code>{nodes.unescape(formula)}</code>"
