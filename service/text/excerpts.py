"""Shorten an over-long text to a number of tokens, saying what was cut and where the whole is."""

from __future__ import annotations

from service.text.tokens import Tokenizer

HEAD_PART = 0.7
"""Part of an excerpt that its beginning takes; the end takes the rest."""
SHRINK_ROUNDS_MAX = 24


def excerpt(text: str, tokens_max: int, seq: int, tokenizer: Tokenizer) -> str:
    """`text` itself where it has at most `tokens_max` tokens, else its head and tail around a marker.

    The marker names how much is missing and points at the whole (`@<seq>`). The answer never has more than
    `tokens_max` tokens, except that a marker alone always remains.
    """
    if len(text) <= tokens_max or tokenizer.count(text) <= tokens_max:
        return text
    chars = min(len(text), tokens_max * 8)
    for _ in range(SHRINK_ROUNDS_MAX):
        head, tail = int(chars * HEAD_PART), chars - int(chars * HEAD_PART)
        cut = len(text) - head - tail
        marker = f"[… {cut:,} of {len(text):,} characters cut, whole at @{seq} …]"
        shown = f"{text[:head]}\n{marker}\n{text[len(text) - tail :]}"
        tokens = tokenizer.count(shown)
        if tokens <= tokens_max:
            return shown
        chars = max(0, min(chars - 1, int(chars * tokens_max / tokens * 0.97)))
    return f"[… {len(text):,} characters cut, whole at @{seq} …]"
