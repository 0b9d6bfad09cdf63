"""Follow every link within built pages: the page must be there, and so must the place in it.

    python tools/links.py docs/_build/html

Prints each link that leads nowhere and exits with 1 if there is one. Addresses elsewhere are not tried.
"""

from __future__ import annotations

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Anchors(HTMLParser):
    """Collects what a page links to and the places in it that can be linked to."""

    def __init__(self) -> None:
        super().__init__()
        self.targets: list[str] = []
        self.places: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take note of a tag."""
        for name, value in attrs:
            if value and name in ("id", "name"):
                self.places.add(value)
            elif value and name in ("href", "src") and tag in ("a", "img", "link", "script"):
                self.targets.append(value)


def read(page: Path) -> Anchors:
    """Return the links and places of a page."""
    anchors = Anchors()
    anchors.feed(page.read_text(encoding="utf-8"))
    return anchors


def dead(root: Path) -> list[str]:
    """Return a line for every link under a folder that leads nowhere."""
    # what lies in _static are the theme's own files
    written = [page for page in sorted(root.rglob("*.html")) if "_static" not in page.parts]
    pages = {page.resolve(): read(page) for page in written}
    faults = []
    for page, anchors in pages.items():
        for target in anchors.targets:
            address = urlsplit(target)
            if address.scheme or address.netloc:
                continue
            path = (page.parent / unquote(address.path)).resolve() if address.path else page
            place = unquote(address.fragment)
            if not path.exists():
                faults.append(f"{page.relative_to(root.resolve())}: no file {target}")
            elif place and path in pages and place not in pages[path].places:
                faults.append(f"{page.relative_to(root.resolve())}: no place {target}")
    return faults


def main() -> int:
    """Check a folder of pages."""
    root = Path(sys.argv[1])
    faults = dead(root)
    print("\n".join(faults) or f"every link within {root} leads somewhere")
    return 1 if faults or not any(root.rglob("*.html")) else 0


if __name__ == "__main__":
    sys.exit(main())
