"""Lines of the table, with a word for each bar; the picture; and the page that has both."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from measure import word

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

LARGE = 10_000_000
"""Rows from which on bars about rows are judged: below, what is done once takes most of the time."""

FLAT = 1.5
"""Memory counts as flat if the largest file takes at most so many times what a tenth of it takes."""

SOURCES = {"network": "network, rows repeat", "tree": "tree, rows differ"}


def lines_of(part: str, r: Any) -> list[str]:
    """Return the lines of a part, with its bars."""
    pairs: dict[str, Callable[[Any], list[tuple[str, str]]]] = {
        "batch": of_batch, "learn": of_learn, "rows": of_rows, "columns": of_columns, "sites": of_sites,
    }  # fmt: skip
    return [f"| {what} | {measured} |" for what, measured in pairs[part](r)]


def judged(what: str, rows: int, *, holds: bool) -> str:
    """Return a word for a bar of large files, or none for a file that is not."""
    return word(what, holds=holds) if rows >= LARGE else ""


def of_batch(r: Any) -> list[tuple[str, str]]:
    """Return the lines about a batch."""
    versus, over = r["duckdb"] / r["streaming"], r["streaming"] / r["decoding"]
    took = f"decoding {r['decoding']:.2f} s, streamed {r['streaming']:.2f} s, DuckDB {r['duckdb']:.2f} s"
    return [
        (f"fifty tests, {r['rows']:,} rows x 20 columns", took),
        ("versus DuckDB (at least 8)", f"{versus:.1f} {word('DuckDB', holds=versus >= 8)}"),
        ("over decoding (at most 1.7)", f"{over:.2f} {word('decoding', holds=over <= 1.7)}"),
        ("peak memory (below 600 MB)", f"{r['peak']:.0f} MB {word('memory', holds=r['peak'] < 600)}"),
    ]


def of_learn(r: Any) -> list[tuple[str, str]]:
    """Return the lines about learning twice."""
    over, share = r["first"] / r["decoding"], r["rows_read_again"] / r["rows_read"]
    took = f"decoding {r['decoding']:.2f} s, first run {r['first']:.2f} s (states {r['reading']:.2f} s)"
    found = f"{r['tests']:,} tests in {r['queries']} pass(es), {r['edges']} edges"
    again = f"{r['second']:.2f} s, {r['tests_again']:,} tests; {r['kept'] / 1e6:.0f} MB kept"
    return [
        (f"GSIMN, {r['rows']:,} rows x 37 columns", f"{took}; {found}"),
        ("over decoding (at most 10)", f"{over:.1f} {judged('ten passes', r['rows'], holds=over <= 10)}"),
        ("second run, alpha = .01", again),
        ("rows read again (at most 20 %)", f"{share:.0%} {word('warm cache', holds=share <= 0.2)}"),
        ("peak memory", f"{r['peak']:.0f} MB"),
    ]


def of_rows(r: Any) -> list[tuple[str, str]]:
    """Return the lines about more and more rows."""
    lines = []
    for kind, said in SOURCES.items():
        ran = [one for one in r if one["kind"] == kind]
        for one in ran:
            speed = f"{one['cpu']:.1f} s CPU, {one['rows'] / one['cpu'] / 1e6:.2f} M rows/s"
            took = (
                f"{one['tests']:,} tests, {one['queries']} pass(es) over the file, peak {one['peak']:.0f} MB"
            )
            what = f"GSIMN, {said}: {one['rows']:,} rows ({one['megabytes']:,.0f} MB)"
            lines.append((what, f"{speed}, {took}"))
        smaller = [one for one in ran if one["rows"] * 10 <= ran[-1]["rows"]]
        if smaller:
            grown, longer = (ran[-1][key] / smaller[-1][key] for key in ("peak", "cpu"))
            held = judged(f"flat memory, {kind}", ran[-1]["rows"], holds=grown <= FLAT)
            what = f"{ran[-1]['rows'] / smaller[-1]['rows']:.0f} times the rows, {said}"
            lines.append((what, f"{longer:.1f} times the CPU, {grown:.2f} times the memory {held}"))
    return lines


def of_columns(r: Any) -> list[tuple[str, str]]:
    """Return the lines about more and more columns."""
    lines = []
    for one in r:
        counted = f"decoding {one['decoding']:.2f} s, all {one['tables']:,} pairs {one['cpu']:.2f} s"
        learned = f"GSIMN {one['learning']:.1f} s CPU for {one['tests']:,} tests"
        lines.append((f"{one['columns']} columns, {one['rows']:,} rows", f"{counted}, {learned}"))
    return lines


def of_sites(r: Any) -> list[tuple[str, str]]:
    """Return the lines about columns at two sites."""
    lines = []
    holds = {"GSIMN": 0, "PFMN": 0}
    for one in r:
        shares = {name: one[name] / one["GSMN"] for name in holds}
        holds["GSIMN"] += shares["GSIMN"] <= 0.8
        holds["PFMN"] += shares["PFMN"] <= 0.6
        moved = f"GSMN* {one['GSMN']:,} bytes, GSIMN {shares['GSIMN']:.0%}, PFMN {shares['PFMN']:.0%}"
        lines.append((f"{one['set']}: {one['columns']} columns at two sites, {one['rows']:,} rows", moved))
    gsimn, pfmn = holds["GSIMN"], holds["PFMN"]
    return [
        *lines,
        ("sets on which GSIMN moves at most 80 % (at least 3)", f"{gsimn} {word('GSIMN', holds=gsimn >= 3)}"),
        ("sets on which PFMN moves at most 60 % (at least 3)", f"{pfmn} {word('PFMN', holds=pfmn >= 3)}"),
    ]


def written(path: Path, lines: list[str], results: dict[str, Any]) -> None:
    """Write the page, and beside it the picture of what it has to show."""
    drawn(results, path.with_suffix(".svg"))
    text = [
        "# Measured: large files and columns at several sites",
        "",
        "**How long do large files take?**",
        "",
        "![A table of counts is small however many rows there are](../pictures/scale.png)",
        "",
        "Written by `benchmarks/scale.py`; CPU time of all threads, peak memory of a process of its own.",
        "What follows from these figures for larger data is in [Data where they live](scale.md).",
        "",
        f"![CPU time and memory as rows grow, and CPU time as columns grow]({path.with_suffix('.svg').name})",
        "",
        "| what | measured |",
        "| --- | --- |",
        *lines,
        "",
    ]
    path.with_suffix(".md").write_text("\n".join(text), encoding="utf-8")


def drawn(results: dict[str, Any], path: Path) -> None:
    """Draw CPU and memory against rows, and CPU against columns; a part that did not run stays empty."""
    import matplotlib as mpl

    mpl.use("svg")
    import matplotlib.pyplot as plt

    mpl.rcParams.update({"svg.hashsalt": "graphoid", "axes.spines.top": False, "axes.spines.right": False})
    figure, (time, memory, width) = plt.subplots(1, 3, figsize=(10, 3.2), layout="constrained")
    for (kind, said), mark in zip(SOURCES.items(), ("o-", "s--"), strict=True):
        ran = [r for r in results.get("rows", []) if r["kind"] == kind]
        time.loglog([r["rows"] for r in ran], [r["cpu"] for r in ran], mark, label=said)
        memory.semilogx([r["rows"] for r in ran], [r["peak"] for r in ran], mark, label=said)
    time.set(xlabel="rows", ylabel="CPU seconds", title="GSIMN, 37 columns, streamed")
    memory.set(xlabel="rows", ylabel="peak memory, MB", ylim=(0, None), title="Memory")
    memory.legend(frameon=False, loc="lower right")
    ran = results.get("columns", [])
    for key, mark, said in (
        ("learning", "o-", "GSIMN"),
        ("cpu", "s--", "all pairs"),
        ("decoding", "^:", "decoding"),
    ):
        width.loglog([r["columns"] for r in ran], [r[key] for r in ran], mark, label=said)
    rows = f", {ran[0]['rows']:,} rows" if ran else ""
    width.set(xlabel="columns", ylabel="CPU seconds", title=f"Columns{rows}")
    width.set_xticks([r["columns"] for r in ran], [str(r["columns"]) for r in ran])
    width.minorticks_off()
    width.legend(frameon=False)
    figure.savefig(path, metadata={"Date": None})
