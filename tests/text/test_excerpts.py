"""A result that is too long is shortened where a reader expects it, and says so."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from service.text.excerpts import excerpt
from service.text.tokens import tokenizer

MARKER_TOKENS = 40
"""A marker alone always remains, whatever the limit."""


def test_what_fits_stays_to_the_byte() -> None:
    text = '{"price":  227.10,\n "on": true}'
    assert excerpt(text, 100, 7, tokenizer()) == text


def test_long_data_keeps_its_fields_and_its_numbers_and_states_each_cut() -> None:
    text = json.dumps({"price": 227.10, "average": [float(n) for n in range(3_000)], "about": "words " * 900})
    text = text.replace("227.1,", "227.10,")
    shown = excerpt(text, 300, 7, tokenizer())
    assert tokenizer().count(shown) <= 300
    data, note = shown.rsplit("\n", 1)
    assert note == f"[shortened from {len(text):,} characters, whole at @7]"
    assert '"price": 227.10' in data
    kept = json.loads(data)
    assert kept["average"][:2] == [0.0, 1.0]
    assert kept["average"][-1].endswith("more")
    assert kept["about"].endswith("more characters")


def test_long_text_keeps_its_head_and_its_tail_around_a_marker() -> None:
    text = "first words. " + "filling " * 5_000 + "last words."
    shown = excerpt(text, 120, 42, tokenizer())
    assert shown.startswith("first words.")
    assert shown.endswith("last words.")
    assert "characters cut, whole at @42" in shown
    assert tokenizer().count(shown) <= 120


@given(
    st.text(max_size=4_000)
    | st.integers(0, 4_000).map(lambda n: "汉" * n)
    | st.integers(0, 900).map("ab ".__mul__),
    st.integers(1, 600),
)
def test_no_excerpt_is_above_its_limit(text: str, tokens_max: int) -> None:
    shown = excerpt(text, tokens_max, 3, tokenizer())
    assert tokenizer().count(shown) <= max(tokens_max, MARKER_TOKENS)
    assert shown == excerpt(text, tokens_max, 3, tokenizer())
