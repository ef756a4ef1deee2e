"""What a reader could take for a line of a fence, found by folding of our own."""

# ruff: noqa: RUF001 (look-alikes are what this is about)

from __future__ import annotations

import html
import re
import unicodedata

ALIKE = str.maketrans(
    {**dict.fromkeys("‹«〈《⟨⟪≺❮ᐸ", "<"), **dict.fromkeys("∕⁄", "/"), **dict.fromkeys("‐‑‒–—−_", "-")}
    | {"а": "a", "α": "a", "ᴀ": "a", "т": "t", "τ": "t", "ᴛ": "t", "ԁ": "d", "ᴅ": "d"}
)
ESCAPED = re.compile(r"\\u003c|\\u\{3c\}|\\x3c|%3c", re.IGNORECASE)
UNSEEN = "\u3164\u115f\u1160\uffa0"


def fences(text: str) -> int:
    """How many things in a text a reader could take for a fence's line."""
    plain = unicodedata.normalize("NFKD", html.unescape(ESCAPED.sub("<", text))).lower().translate(ALIKE)
    seen = (char for char in plain if unicodedata.category(char)[0] not in "MCZ" and char not in UNSEEN)
    return len(re.findall(r"</?data-", "".join(seen)))
