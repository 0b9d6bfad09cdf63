"""What becomes of a learned network: lines in the terminal, plain values, files."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphoid.cli import files, settings
from graphoid.cli.terminal import console

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graphoid.cli.settings import Run
    from graphoid.data.table import Table
    from graphoid.uncertainty.bootstrap_result import Resampled

MEASURED = 1_000
"""Edges up to which all of them are measured in bits."""

PRINT = "-"
"""The file that is the standard output."""


def show(found: Any, table: Table, resampled: Resampled | None = None) -> None:
    """Print what was learned."""
    from graphoid.cli import edges
    from graphoid.structure.contexts import CanonicalModel

    screen = console()
    if isinstance(found, CanonicalModel):
        edges.show_contexts(found, screen)
    else:
        edges.show(found, screen, bits=bits(found, table), resampled=resampled)


def bits(found: Any, table: Table) -> dict[tuple[str, str], float | None]:
    """Return how strong each edge is, in bits; nothing of structures with very many edges."""
    from graphoid.uncertainty.strength import strengths

    if found.graph.n_edges > MEASURED:
        return {}
    return {(edge.x, edge.y): edge.bits for edge in strengths(found, table)}


def as_plain(
    found: Any, table: Table, written: Sequence[str], resampled: Resampled | None = None
) -> dict[str, Any]:
    """Return what was learned as plain values."""
    from graphoid.structure.contexts import CanonicalModel

    rows = files.edge_rows(found)
    plain = {
        "variables": list(found.names),
        "edges": rows,
        "cost": asdict(found.cost),
        "stopped": found.stopped,
        "settings": dict(found.settings),
        "seed": found.seed,
        "data_id": found.data_id,
        "notes": list(table.notes),
        "files": list(written),
    }
    if isinstance(found, CanonicalModel):
        return {**plain, "independences": [str(said) for said in found.independences()]}
    strong = bits(found, table)
    for row in rows:
        row["bits"] = strong.get((row["x"], row["y"]))
    if resampled is None:
        return plain
    return {**plain, "bootstrap": [row._asdict() for row in resampled.edges()]}


@dataclass(frozen=True)
class Wanted:
    """The files that a run is to write."""

    out: Sequence[str]
    model: str | None
    report: str | None
    config: str | None

    @classmethod
    def checked(cls, out: Sequence[str], model: str | None, report: str | None, config: str | None) -> Wanted:
        """Return them, or raise if one cannot be written: before the work begins, not after."""
        for path in out:
            files.checked(path, files.STRUCTURES, "--out")
        files.checked(model, files.MODELS, "--model")
        files.checked(report, {".html": None}, "--report")
        if config != PRINT:
            files.checked(config, {".toml": None}, "--save-config")
        return cls(out, model, report, config)

    def checkpoint(self, run: Run) -> str:
        """Return where to keep what was found if the run is interrupted."""
        saved = next((path for path in self.out if path.lower().endswith(".json")), None)
        return saved or f"{Path(run.file or 'network').stem}.partial.json"

    def write(self, found: Any, table: Table, resampled: Resampled | None = None) -> list[str]:
        """Write all of them, and return their paths."""
        written = list(self.out)
        for path in self.out:
            files.write(found, path, files.STRUCTURES)
        if self.model is not None:
            import graphoid as gd

            files.write(gd.MarkovNetwork.fit(found, table), self.model, files.MODELS)
            written.append(self.model)
        if self.report is not None:
            from graphoid.cli.report import write_report

            write_report(found, self.report, table, bootstrap=resampled)
            written.append(self.report)
        if self.config is not None:
            toml = settings.made_by(found, "the result").to_toml()
            if self.config == PRINT:
                print(toml, end="")
            else:
                Path(self.config).write_text(toml, encoding="utf-8")
                written.append(self.config)
        return written
