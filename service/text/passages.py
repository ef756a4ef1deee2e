"""Cutting a document into passages that can enter a context by themselves: together they are its text."""

from __future__ import annotations

import re
from collections.abc import Iterator

from service.text.tokens import Tokenizer

PASSAGE_TOKENS_MAX = 200
"""Most tokens of a passage, unless one sentence has more; that is cut where it is full."""
RUN_CHARS_MAX = 600
_PIECE = re.compile(r".+?(?:\n\s*|[.!?]\s+|$)|\n\s*", re.DOTALL)
"""A line, or a sentence with the blanks behind it."""


def passages(text: str, tokenizer: Tokenizer) -> list[tuple[str, int]]:
    """The passages of a text with their tokens, in order: whole sentences, as many as fit."""
    made: list[tuple[str, int]] = []
    for piece in _pieces(text):
        joined = made[-1][0] + piece if made else piece
        tokens = tokenizer.count(joined)
        if made and tokens <= PASSAGE_TOKENS_MAX:
            made[-1] = joined, tokens
        else:
            made.append((piece, tokenizer.count(piece)))
    return made


def _pieces(text: str) -> Iterator[str]:
    for found in _PIECE.finditer(text):
        for start in range(found.start(), found.end(), RUN_CHARS_MAX):
            yield text[start : min(start + RUN_CHARS_MAX, found.end())]
