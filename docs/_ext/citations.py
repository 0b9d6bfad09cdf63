"""Citations by key: ``[Bromberg2009]_`` in docstrings and pages leads to its entry of ``references.bib``.

The entries are docutils' own citations, written by the directive ``references``; so a key that is not in
the file is an unknown citation, and ends the build.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

from docutils import nodes
from pybtex.backends.plaintext import Backend
from pybtex.database import parse_file
from pybtex.style.formatting.plain import Style
from sphinx import addnodes
from sphinx.util.docutils import SphinxDirective, SphinxRole

BIBLIOGRAPHY = Path(__file__).parents[1] / "references.bib"
CITED = re.compile(r"\[([A-Z][A-Za-z]+\d{4}[a-z]?)\]_")


@cache
def entries() -> dict[str, str]:
    """Return every entry of the bibliography as text, by key, sorted by key."""
    formatted = Style().format_bibliography(parse_file(str(BIBLIOGRAPHY)))
    found = {entry.key: entry.text.render(Backend()) for entry in formatted}
    return dict(sorted(found.items()))


class References(SphinxDirective):
    """``references``: all entries, as citations that others can refer to."""

    def run(self) -> list[nodes.Node]:
        """Return a citation for every entry."""
        self.env.note_dependency(str(BIBLIOGRAPHY))
        lines = [f".. [{key}] {_escaped(text)}" for key, text in entries().items()]
        return self.parse_text_to_nodes("\n".join(lines)) if lines else []


class Cite(SphinxRole):
    """``{cite}`Key```: what ``[Key]_`` in a Markdown page becomes, because there it means nothing."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Return a reference that Sphinx resolves as it does those of docstrings."""
        reference = addnodes.pending_xref(
            "",
            nodes.inline("", f"[{self.text}]"),
            refdomain="citation",
            reftype="ref",
            reftarget=self.text,
            refwarn=True,
            support_smartquotes=False,
        )
        self.set_source_info(reference)
        self.env.domains.citation_domain.note_citation_reference(reference)
        return [reference], []


def _escaped(text: str) -> str:
    return re.sub(r"([*`_|\\])", r"\\\1", text)


def _cite(app: Any, docname: str, source: list[str]) -> None:
    if app.env.doc2path(docname, base=False).suffix == ".md":
        source[0] = CITED.sub(r"{cite}`\1`", source[0])


def setup(app: Any) -> dict[str, Any]:
    """Add the directive, the role and the change to pages."""
    app.add_directive("references", References)
    app.add_role("cite", Cite())
    app.connect("source-read", _cite)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
