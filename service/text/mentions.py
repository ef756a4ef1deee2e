"""Which names a text mentions: whole words, whatever their case, signs and marks between them."""

from __future__ import annotations

import hashlib
import re
import unicodedata

NAME_WORDS_MAX = 8
"""Words that a name may have to be found."""
WORDS_MAX = 1_000
"""Words of a text in which names are looked for."""

_WORD = re.compile(r"\w+")


def name_key(text: str) -> str:
    """The words of a text in one line, without case and signs: what two spellings of a name share."""
    return " ".join(_words(text))


def mentioned_keys(text: str) -> list[str]:
    """The keys of every name that the text could mention, each once, in order."""
    words = _words(text)[:WORDS_MAX]
    runs = (
        " ".join(words[at : at + length])
        for at in range(len(words))
        for length in range(1, min(NAME_WORDS_MAX, len(words) - at) + 1)
    )
    return list(dict.fromkeys(runs))


def text_digest(text: str) -> str:
    """SHA-256 of a text's key, in hex: the same for the same words."""
    return hashlib.sha256(name_key(text).encode()).hexdigest()


def _words(text: str) -> list[str]:
    return _WORD.findall(unicodedata.normalize("NFKC", text).casefold())
