"""A document is cut into passages that are small enough, and nothing of it is lost."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from service.text.passages import PASSAGE_TOKENS_MAX, passages
from service.text.tokens import tokenizer


@given(st.text(alphabet=st.sampled_from("ab .!?\n\t"), max_size=3000))
def test_together_they_are_the_text(text: str) -> None:
    assert "".join(piece for piece, _ in passages(text, tokenizer())) == text


def test_a_long_document_is_cut_between_sentences_where_a_passage_is_full() -> None:
    made = passages("One bag of 23 kg is free on every flight. " * 60, tokenizer())
    assert len(made) > 2 and all(piece.endswith("flight. ") for piece, _ in made)
    assert all(tokens <= PASSAGE_TOKENS_MAX for _, tokens in made)


def test_a_sentence_without_end_is_cut_where_it_is_full() -> None:
    made = passages("bag " * 2000, tokenizer())
    assert len(made) > 3 and all(tokens <= PASSAGE_TOKENS_MAX for _, tokens in made)
