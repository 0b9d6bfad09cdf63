"""What results of learners have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from graphoid.structure.document import Document

if TYPE_CHECKING:
    import os


class Result(Document):
    """What was learned: it is saved, shown on a page, and remembers its table while the process lasts."""

    table: object

    def report(self, path: str | os.PathLike[str], table: object = None, **options: Any) -> None:
        """Write a page that shows what was learned, lets one ask it, and says all that a paper needs.

        One file that works without a network connection; see :func:`graphoid.report.page.write` for the
        options. A result that was loaded from a file needs ``table=`` for the counts behind every edge.
        """
        from graphoid.report import page

        page.write(self, path, table=table, **options)

    def __getstate__(self) -> dict[str, object]:
        return {**self.__dict__, "table": None}  # rows stay where they are
