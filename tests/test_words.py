"""Words and pictures that readers meet: those of the field, and none that is blank."""

from __future__ import annotations

import html
import re
from pathlib import Path

import numpy as np
import pytest

import graphoid as gd
from graphoid.cli.main import app
from tests.report.test_page import Read
from tests.support.terminal import graphoid

ROOT = Path(__file__).resolve().parents[1]
PAGES = [
    path
    for path in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    if not {"_build", "gallery", "generated"} & set(path.parts)
]
GUIDE = [path for path in PAGES if {"guide", "tutorials"} & set(path.parts)]

NOT_OURS = {
    "variable 1 and variable 2": r"[┃|]\s*(who|with whom)\s*[┃|]|\bwith whom\b|\bon whom\b|\bto whom\b",
    "standard error": r"(?i)\b(its|their) errors?\b",
    "isolated": r"(?i)\bjoined (to|with) (nothing|none|no other)\b",
    "data access": r"(?i)\btrips?\b",
    "log Bayes factor": r"(?i)\bworth ([\d,.]+ )?to (the|a) score\b",
    "present": r"\b(edges|of them) are sure\b",
}
"""What is not said, by what is said in its place."""


def wrong_words(text: str) -> list[str]:
    return [
        f"{found.group()!r}: say {say}"
        for say, pattern in NOT_OURS.items()
        for found in re.finditer(pattern, text)
    ]


def test_the_check_can_fail() -> None:
    text = (
        "┃ who ┃ with whom ┃ ... worth 1,007.86 to the score, Its error, joined to nothing, 3 trips; "
        "10 of the edges are sure"
    )
    assert len({said.split(": say ")[1] for said in wrong_words(text)}) == len(NOT_OURS)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_pages_use_the_words_of_the_field(path) -> None:
    assert wrong_words(path.read_text(encoding="utf-8")) == []


def test_help_and_output_of_commands_use_them_too(tmp_path) -> None:
    for command in app.registered_commands:
        assert wrong_words(graphoid(command.callback.__name__, "--help").stdout) == []
    graphoid("datasets", "survey", "--out", tmp_path / "survey.csv")
    for learner in ("auto", "gsmn", "csgs"):
        done = graphoid("learn", tmp_path / "survey.csv", "--learner", learner, together=True)
        assert done.returncode == 0
        assert wrong_words(done.stdout) == []


def test_a_report_begins_with_a_finding_and_ends_with_an_appendix(tmp_path) -> None:
    found = gd.learn(gd.datasets.load("survey"))
    found.report(tmp_path / "survey.html")
    words = Read((tmp_path / "survey.html").read_text(encoding="utf-8")).words
    assert wrong_words(words) == []
    first = words.index("hang together; content depends on bus alone.")
    assert first < words.index("Summary") < words.index("learned by Search")
    assert "LogLinearEvidence" not in words[: words.index("Method", words.index("Limits", first + 2_000))]
    assert words.rindex("Appendix: cost") > words.rindex("How to repeat it")


def test_what_a_report_says_of_repeating_it_can_be_run(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    gd.datasets.load("survey").to_frame().to_csv("survey.csv", index=False)
    for table in (gd.datasets.load("titanic"), gd.read("survey.csv")):
        gd.learn(table).report("page.html")
        text = (tmp_path / "page.html").read_text(encoding="utf-8")
        (code,) = re.findall(r"<pre>(import graphoid as gd\n.*?)</pre>", text, flags=re.DOTALL)
        space: dict[str, object] = {}
        exec(html.unescape(code), space)  # noqa: S102 - our own
        assert space["structure"].graph == gd.learn(table).graph


def test_what_a_report_of_a_messy_file_says_of_repeating_it_can_be_run(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    mood = rng.integers(1, 6, 200)
    sleep = np.where(rng.random(200) < 0.1, -99, np.clip(mood + rng.integers(-1, 2, 200), 1, 5))
    rows = [f"{i};{20 + i % 40},5;{m};{s}" for i, (m, s) in enumerate(zip(mood, sleep, strict=True))]
    Path("umfrage.csv").write_text("Lfd. Nr.;Größe;Stimmung;Schlaf\n" + "\n".join(rows), encoding="utf-8")
    wanted = ["--drop", "Lfd. Nr.", "--na", "-99", "--missing", "impute", "--kind", "Schlaf=nominal"]
    wanted += ["--covariates", "Größe", "--report", "page.html", "--out", "found.json"]
    done = graphoid("learn", "umfrage.csv", *wanted)
    assert done.returncode == 0, done.stderr
    (code,) = re.findall(
        r"<pre>(import graphoid as gd\n.*?)</pre>", Path("page.html").read_text("utf-8"), re.DOTALL
    )
    assert "na_values=[" in code
    space: dict[str, object] = {}
    exec(html.unescape(code), space)  # noqa: S102 - our own
    assert space["structure"].edges() == gd.load("found.json").edges()


def test_a_report_counts_as_present_what_it_calls_present(tmp_path) -> None:
    rng = np.random.default_rng(0)
    chain = np.cumsum(rng.normal(size=(300, 6)), axis=1)
    found = gd.learn(gd.read({f"x{i}": chain[:, i] for i in range(6)}))
    found.report(tmp_path / "chain.html")
    words = Read((tmp_path / "chain.html").read_text(encoding="utf-8")).words
    assert "are sure" not in words
    present = sum(row.verdict == "present" for row in found.edges())
    if present < found.graph.n_edges:
        assert f"{found.graph.n_edges}: {present} present" in words


@pytest.mark.parametrize("path", GUIDE, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_page_of_the_guide_or_a_tutorial_begins_with_its_question_and_has_a_picture(path) -> None:
    text = path.read_text(encoding="utf-8")
    title, question, picture = text.split("\n\n", 3)[:3]
    assert title.startswith("# ")
    assert re.fullmatch(r"\*\*[^*]+\?\*\*", question), question
    (name,) = re.findall(r"^!\[[^\]]+\]\((\S+\.png)\)", picture)
    assert shades(path.parent / name) > 0.01


def test_the_readme_is_short_and_shows_a_report() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert text.count("\n") <= 110  # half of what it was
    assert "docs/pictures/report.png" in text[:1_500]
    assert shades(ROOT / "docs/pictures/report.png") > 0.05


def shades(path: Path) -> float:
    """Return the share of the pixels that differ from the background, the most frequent color."""
    image = pytest.importorskip("PIL.Image").open(path).convert("RGB")
    pixels = np.asarray(image).reshape(-1, 3)
    _, counts = np.unique(pixels, axis=0, return_counts=True)
    return 1 - counts.max() / len(pixels)


def test_a_blank_picture_would_be_noticed(tmp_path) -> None:
    image = pytest.importorskip("PIL.Image")
    image.new("RGB", (100, 100), "white").save(tmp_path / "blank.png")
    assert shades(tmp_path / "blank.png") == 0
