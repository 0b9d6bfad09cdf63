"""How much memory there is, by every limit that a process may have; and what is kept stays within it."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import graphoid as gd
from graphoid import limits
from graphoid.errors import CountsTooLarge
from graphoid.scores.base import BlanketScorer

LIMITED = """
import resource, sys
from graphoid.limits import memory_limit
resource.setrlimit(getattr(resource, sys.argv[1]), (3 * 2**30, resource.RLIM_INFINITY))
print(memory_limit())
"""


@pytest.mark.process
@pytest.mark.skipif(sys.platform != "linux", reason="what a process takes is read from /proc")
@pytest.mark.parametrize("kind", ["RLIMIT_AS", "RLIMIT_DATA"])
def test_a_limit_of_the_process_counts(kind, monkeypatch):
    monkeypatch.delenv("GRAPHOID_MEMORY", raising=False)
    done = subprocess.run([sys.executable, "-c", LIMITED, kind], capture_output=True, text=True, check=True)
    assert 0 < int(done.stdout) <= 3 * 2**29


def group(folder, **numbers):
    """Make the folder of a group, as the kernel shows it."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in numbers.items():
        (folder / name.replace("__", ".")).write_text(f"{text}\n")


def left(root, membership):
    """Return what is left to the groups of a process."""
    (root / "cgroup").write_text(membership)
    return [n for place in limits._groups(root, root / "cgroup") for n in limits._left_to_group(*place)]


def test_the_limits_of_a_group_and_of_its_parents_count(tmp_path):
    group(tmp_path, memory__max="max", memory__current="1")
    group(
        tmp_path / "job", memory__max="1000", memory__current="900", memory__stat="anon 5\ninactive_file 50"
    )
    group(tmp_path / "job/step", memory__max="5000", memory__current="10", memory__stat="inactive_file 0")
    assert left(tmp_path, "0::/job/step\n") == [4990, 150]  # files in memory can be let go


def test_groups_of_the_first_version_count(tmp_path):
    numbers = {"memory__limit_in_bytes": "1000", "memory__usage_in_bytes": "700", "memory__stat": "cache 9"}
    group(tmp_path / "memory", memory__limit_in_bytes="9223372036854771712", memory__usage_in_bytes="1")
    group(tmp_path / "memory/docker/a", **numbers)
    assert left(tmp_path, "3:cpu:/\n4:cpuset,memory:/docker/a\n0::/\n") == [300]


def test_a_container_that_sees_its_group_as_the_root_has_its_limit(tmp_path):
    group(tmp_path, memory__max="1000", memory__current="400", memory__stat="")
    assert left(tmp_path, "0::/kubepods/of/the/host\n") == [600]


def test_what_is_no_number_is_no_limit(tmp_path):
    group(tmp_path / "a", memory__max="10", memory__current="?")
    assert left(tmp_path, "0::/a\nnonsense\n") == []
    assert limits._groups(tmp_path, tmp_path / "nothing") == ()


def test_the_least_of_all_limits_is_the_limit(tmp_path, monkeypatch):
    group(tmp_path, memory__max=str(2**20), memory__current="0", memory__stat="")
    (tmp_path / "cgroup").write_text("0::/\n")
    places = limits._groups(tmp_path, tmp_path / "cgroup")
    monkeypatch.setattr(limits, "_groups", lambda: places)
    monkeypatch.delenv("GRAPHOID_MEMORY", raising=False)
    assert limits.memory_limit() == 2**19
    monkeypatch.setenv("GRAPHOID_MEMORY", "77")
    assert limits.memory_limit() == 77


# What is kept


def table_of(seed):
    """Columns that copy one before them half of the time."""
    rng = np.random.default_rng(seed)
    columns = [rng.integers(3, size=300)]
    for _ in range(15):
        copied = columns[rng.integers(len(columns))]
        columns.append(np.where(rng.random(300) < 0.5, copied, rng.integers(3, size=300)))
    return gd.read({f"v{i}": column.astype(str) for i, column in enumerate(columns)})


@pytest.mark.parametrize(
    "learner",
    [
        gd.Search(gd.MPL(), random_state=0),
        gd.Search(gd.LogLinearEvidence(), random_state=0, effort="quick"),
        gd.TwoPhase(gd.MPL()),
        gd.Posterior(gd.MPL(), random_state=0, rounds=20, max_rounds=40),
        gd.HillClimb(gd.IBScore()),
        gd.HillClimb(gd.BJP()),
    ],
    ids=lambda learner: f"{type(learner).__name__}-{type(learner.score).__name__}",
)
def test_terms_are_forgotten_where_memory_is_short_and_the_answer_stays(learner, monkeypatch):
    most, forgets = 0, False
    prepare = BlanketScorer.prepare_blankets

    def watch(scorer, blankets):
        nonlocal most, forgets
        prepare(scorer, blankets)
        most, forgets = max(most, len(scorer.held)), forgets or len(scorer.forgotten) > 0

    monkeypatch.setattr(BlanketScorer, "prepare_blankets", watch)
    found = []
    for n_bytes in (2**40, 300_000):
        monkeypatch.setenv("GRAPHOID_MEMORY", str(n_bytes))
        most = 0
        structure = gd.learn(table_of(1), learner)
        found.append((structure.graph, structure.scored.value, dict(structure.edge_probabilities)))
    assert found[0] == found[1]
    if isinstance(learner.score, (gd.MPL, gd.LogLinearEvidence)):
        assert forgets
        assert most <= 300_000 // 4 // 240 + 16  # those of one call are always there


def test_pairs_that_do_not_fit_are_refused_with_their_number(monkeypatch):
    table = gd.read({f"v{i}": [0, 1] for i in range(3_000)})
    monkeypatch.setenv("GRAPHOID_MEMORY", str(2**27))
    with pytest.raises(CountsTooLarge, match=r"the gains of all pairs of 3,000 variables take 137.3 MiB"):
        gd.TwoPhase(gd.MPL()).fit(table)
