"""Shorten an over-long text to a number of tokens, saying what was cut and where the whole is."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import chain
from typing import Any

from service.text import fence
from service.text.distil.reading import NOT_DATA, read
from service.text.distil.values import Number
from service.text.tokens import Tokenizer

HEAD_PART = 0.7
"""Part of an excerpt that its beginning takes; the end takes the rest."""
SHRINK_ROUNDS_MAX = 24
CHARS_PER_TOKEN = 8
"""How many characters a token of an excerpt may have at the first try."""
CHARS_PER_TOKEN_MAX = 128
"""No token of any encoding is longer: a longer text is over the limit without counting."""
PRUNED_CHARS_MAX = 4_000_000
"""Data beyond this size is cut as text."""
PRUNINGS = ((24, 600), (12, 300), (6, 160), (3, 80))
"""Items kept of a list and characters kept of a string, mildest first."""
DEPTH_MAX = 12


def excerpt(text: str, tokens_max: int, seq: int, tokenizer: Tokenizer) -> str:
    """`text` itself where it has at most `tokens_max` tokens, else as much of it as fits.

    Data keeps its structure: long lists and strings in it are cut, and each cut is stated. What is no data,
    or does not fit so either, keeps its head and tail around a marker. Both point at the whole (`@<seq>`).
    The answer never has more than `tokens_max` tokens, except that a marker alone always remains, and holds
    nothing that could be taken for a fence.
    """
    chars_max = tokens_max * CHARS_PER_TOKEN_MAX
    for shown in chain((text,), _pruned(text, seq)):
        if len(shown) <= chars_max and tokenizer.count(clean := fence.strip(shown)) <= tokens_max:
            return clean
    chars = min(len(text), tokens_max * CHARS_PER_TOKEN)
    for _ in range(SHRINK_ROUNDS_MAX):
        head, tail = int(chars * HEAD_PART), chars - int(chars * HEAD_PART)
        cut = len(text) - head - tail
        marker = f"[… {cut:,} of {len(text):,} characters cut, whole at @{seq} …]"
        shown = fence.strip(f"{text[:head]}\n{marker}\n{text[len(text) - tail :]}")
        tokens = tokenizer.count(shown)
        if tokens <= tokens_max:
            return shown
        chars = max(0, min(chars - 1, int(chars * tokens_max / tokens * 0.97)))
    return f"[… {len(text):,} characters cut, whole at @{seq} …]"


def _pruned(text: str, seq: int) -> Iterator[str]:
    data = read(text) if len(text) <= PRUNED_CHARS_MAX else NOT_DATA
    if data is NOT_DATA:
        return
    for items_max, chars_max in PRUNINGS:
        kept = _json(data, items_max, chars_max, 0)
        yield f"{kept}\n[shortened from {len(text):,} characters, whole at @{seq}]"


def _json(value: Any, items_max: int, chars_max: int, depth: int) -> str:
    """`value` as JSON, numbers as they were written, long strings and lists cut."""
    if isinstance(value, Number):
        return value
    if isinstance(value, str):
        cut = len(value) - chars_max
        return _dump(value if cut <= 0 else f"{value[:chars_max]}… {cut:,} more characters")
    if not isinstance(value, dict | list):
        return _dump(value)
    if depth >= DEPTH_MAX:
        return _dump(f"… {len(value):,} inside")
    if isinstance(value, list):
        items = [_json(item, items_max, chars_max, depth + 1) for item in value[:items_max]]
        items += [_dump(f"… {len(value) - items_max:,} more")] if len(value) > items_max else []
        return f"[{', '.join(items)}]"
    fields = [
        f"{_dump(name)}: {_json(item, items_max, chars_max, depth + 1)}"
        for name, item in list(value.items())[: items_max * 2]
    ]
    fields += [f'"…": "{len(value) - items_max * 2:,} more fields"'] if len(value) > items_max * 2 else []
    return f"{{{', '.join(fields)}}}"


def _dump(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
