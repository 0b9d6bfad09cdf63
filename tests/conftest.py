"""Settings and places that all tests share."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from collections.abc import Iterator

os.environ.setdefault("MPLBACKEND", "Agg")  # no window opens, wherever tests run

# No deadline: the first example of a test may pay for an import, and machines differ. The same examples
# every time, so that a change is to blame for what it breaks; `make fuzz` draws others, and many more.
settings.register_profile(
    "default",
    deadline=None,
    max_examples=60,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("long", deadline=None, max_examples=5000, suppress_health_check=list(HealthCheck))
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


CLEARED_AT_EXIT = (
    "pytest-of-",
    "sklearn_testing_",
    "org.chromium.",
    ".org.chromium.",
    "hsperfdata_",
    "spark",
    "blockmgr",
)
"""Beginnings of what pytest, scikit-learn's checks, Chromium and Spark remove themselves when they end."""


@pytest.fixture(autouse=True)
def no_figure_stays_open() -> Iterator[None]:
    """Close the figures of a test: a notebook would show them, and so many are too many."""
    yield
    if (plt := sys.modules.get("matplotlib.pyplot")) is not None:
        plt.close("all")


@pytest.fixture(scope="session", autouse=True)
def nothing_left_behind(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Notice files that are left when a session ends: temporary ones, and new ones beside the sources.

    Whoever asks for a temporary folder, also in a process of its own, gets one within ours.
    """
    folder = tmp_path_factory.mktemp("temporary")
    before = _beside_the_sources()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TMPDIR", str(folder))
        patch.setattr(tempfile, "tempdir", str(folder))
        yield
    left = sorted(path.name for path in folder.iterdir() if not path.name.startswith(CLEARED_AT_EXIT))
    new = sorted(_beside_the_sources() - before)
    assert not left, f"temporary files were left: {', '.join(left)}"
    assert not new, f"files were left beside the sources: {', '.join(new)}"


def _beside_the_sources() -> set[str]:
    """Return what lies in the working directory, less what tools keep there."""
    return {path.name for path in Path.cwd().iterdir() if not path.name.startswith((".", "build"))}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let PySpark 4.0 leave the sockets unclosed by which it collects; later releases close them."""
    for item in items:
        if "spark" in item.name:
            item.add_marker(pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning"))


class Servers:
    """Servers that are started when a test first needs them."""

    def __init__(self) -> None:
        self._postgres: Any = None
        self._spark: Any = None

    @property
    def postgres(self) -> Any:
        """A PostgreSQL server with a data folder of its own."""
        from tests.support.servers import Postgres

        if self._postgres is None:
            self._postgres = Postgres(Path("build/servers").resolve())
        return self._postgres

    @property
    def spark(self) -> Any:
        """A Spark session with two workers."""
        from tests.support.servers import spark_session

        if self._spark is None:
            self._spark = spark_session()
        return self._spark

    def stop(self) -> None:
        """Stop what was started."""
        if self._spark is not None:
            self._spark.stop()
        if self._postgres is not None:
            self._postgres.remove()


@pytest.fixture(scope="session")
def servers() -> Iterator[Servers]:
    """Real servers, for tests marked ``engines``: `make test-engines` starts them."""
    if os.environ.get("GRAPHOID_ENGINES") != "1":
        pytest.skip("servers are for `make test-engines`")
    running = Servers()
    yield running
    running.stop()


@pytest.fixture(scope="session")
def place(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Somewhere that data live: one of :data:`tests.support.places.PLACES`."""
    from tests.support.places import SERVERS, Place

    libraries = {
        "duckdb": "duckdb",
        "relation": "duckdb",
        "ibis": "ibis",
        "postgres": "psycopg",
        "spark": "pyspark",
    }
    if request.param in libraries:
        pytest.importorskip(libraries[request.param])
        pytest.importorskip("sqlglot")
    running = request.getfixturevalue("servers") if request.param in SERVERS else None
    made = Place(request.param, tmp_path_factory.mktemp(request.param), running)
    yield made
    made.close()
