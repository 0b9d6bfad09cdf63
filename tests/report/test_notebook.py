"""What a notebook shows of results: escaped, whatever the names are."""

import pytest

import graphoid as gd
from tests.report.test_page import Read
from tests.support.hostile_names import hostile_table


@pytest.mark.parametrize("kind", ["table", "structure", "model", "contexts", "verdict"])
def test_nothing_in_a_name_is_markup(kind):
    table = hostile_table()
    found = gd.GSMN().fit(table).structure_
    shown = {
        "table": lambda: table,
        "structure": lambda: found,
        "model": lambda: gd.MarkovNetwork.fit(found, table),
        "contexts": lambda: gd.CSGS().fit(table).structure_,
        "verdict": lambda: found.trace[0],
    }[kind]()
    text = shown._repr_html_()
    read = Read(text)
    assert not [tag for tag, _ in read.tags if tag in ("script", "img")]
    if kind not in ("contexts", "verdict"):  # of contexts only what is sure is shown
        assert "<script>window.broken = 1</script>" in read.words
