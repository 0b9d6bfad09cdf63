"""What is published says one thing: versions, lowest versions and the workflows that publish."""

import re
import sys
import tomllib
from pathlib import Path

import yaml

import graphoid as gd

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
RECIPE = yaml.safe_load((ROOT / "recipe/recipe.yaml").read_text(encoding="utf-8"))


def test_the_changelog_begins_with_this_version():
    sections = re.findall(
        r"^## (\S+) \(\d{4}-\d\d-\d\d\)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert sections[0] == gd.__version__


def test_the_recipe_declares_what_the_project_does():
    assert RECIPE["context"]["version"] == gd.__version__
    run, host = ([r.replace(" ", "") for r in RECIPE["requirements"][part]] for part in ("run", "host"))
    assert run == ["python", *PROJECT["project"]["dependencies"]]
    assert set(host) >= set(PROJECT["build-system"]["requires"])
    assert RECIPE["build"]["python"]["entry_points"] == [
        f"{name} = {home}" for name, home in PROJECT["project"]["scripts"].items()
    ]


def test_wheels_are_built_for_the_pythons_that_are_declared():
    declared = {
        c.rpartition(" ")[2] for c in PROJECT["project"]["classifiers"] if re.search(r":: 3\.\d+$", c)
    }
    built = {f"3.{version[3:-2]}" for version in PROJECT["tool"]["cibuildwheel"]["build"]}
    tests = yaml.safe_load((ROOT / ".github/workflows/tests.yml").read_text(encoding="utf-8"))
    assert declared == built == set(tests["jobs"]["linux"]["strategy"]["matrix"]["python"])


def test_lowest_versions_are_read_from_the_project(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    try:
        import oldest
    finally:
        sys.modules.pop("oldest", None)
    found = oldest.constraints(["polars"])
    assert len(found) == len(PROJECT["project"]["dependencies"]) + 1
    assert "numpy==1.26" in found
    assert "polars==1.20" in found
