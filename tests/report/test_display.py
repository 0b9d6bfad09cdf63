import json

from hypothesis import given, strategies as st

from graphoid.report.display import display_names, isolate, latex, visible
from graphoid.report.page import environment
from tests.support.hostile_names import HOSTILE


@given(st.text(st.characters(exclude_categories=())))
def test_fuzz_nothing_is_hidden_and_everything_can_be_written(text):
    seen = visible(text)
    seen.encode("utf-8")
    assert not set(seen) & set(map(chr, [*range(32), 127, *range(0x202A, 0x202F), *range(0x2066, 0x206A)]))


@given(st.text(st.characters(exclude_categories=("Cs",))))
def test_fuzz_data_in_a_page_comes_out_as_it_went_in(text):
    inside = environment().from_string("{{ data|tojson }}").render(data={"name": text})
    assert "<" not in inside
    assert json.loads(inside) == {"name": text}


def test_html_has_no_markup_left():
    for name in HOSTILE:
        assert not set(environment().from_string("{{ name }}").render(name=name)) & set("<>\"'")


def test_latex_escapes_every_special_character():
    assert latex(r"a_b & 5% #1 {x} ~ ^ \ $y$") == (
        r"a\_b \& 5\% \#1 \{x\} \textasciitilde{} \textasciicircum{} \textbackslash{} \$y\$"
    )


def test_names_stay_different_and_right_to_left_ones_stay_to_themselves():
    assert display_names(["a\n", "a↵", "b"]) == ("a↵", "a↵ (2)", "b")
    assert isolate("גיל").startswith("\u2068")
    assert isolate("age") == "age"
