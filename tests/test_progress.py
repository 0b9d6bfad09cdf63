"""Listeners hear how far a run has come, and cannot stop it."""

from __future__ import annotations

from graphoid.progress import Step, track


def test_a_listener_hears_every_step_and_the_end():
    heard = []
    assert list(track([10, 20], "work", heard.append)) == [10, 20]
    assert heard == [Step("work", 0, 2), Step("work", 1, 2), Step("work", 2, 2)]


def test_nobody_needs_to_listen():
    assert list(track("ab", "work", None)) == ["a", "b"]


def test_a_listener_that_fails_is_not_told_again_and_stops_nothing(caplog):
    told = []

    def fails(step):
        told.append(step)
        raise RuntimeError("no")

    assert list(track([1, 2, 3], "work", fails)) == [1, 2, 3]
    assert len(told) == 1
    assert "not told again" in caplog.text
