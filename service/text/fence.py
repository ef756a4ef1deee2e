"""The fence around untrusted text: a marker of its own per assembly, and no look-alike inside.

The marker is derived from the assembly's id and a server secret: nobody can guess it, and a replay repeats
it.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import unicodedata

MARKER_DIGITS = 15
CUT = "…"
"""What stands for a look-alike that was cut out."""
_ANGLES = "<＜‹〈《⟨⟪﹤˂ᐸ❮❰⧼«≺⋖"
_MAYBE = re.compile(f"[{_ANGLES}]|&lt;|&#0*60;|&#x0*3c;|\\\\u003c", re.IGNORECASE)
_IGNORED = "[\\s\\u200b-\\u200f\\u2060-\\u2064\\ufeff\\u00ad\\u180e\\u034f]*"
_LETTERS = {
    "d": "dԁｄ𝐝ⅾ",
    "a": "aаαａ𝐚ɑ",
    "t": "tтｔ𝐭τ",
}
_WORD = _IGNORED.join(f"[{_LETTERS[char]}]" for char in "data")
_LOOK_ALIKE = re.compile(
    f"(?:[{_ANGLES}]|&lt;|&#0*60;|&#x0*3c;|\\\\u003c){_IGNORED}[/∕⁄／]?{_IGNORED}{_WORD}"
    f"{_IGNORED}[-‐‑‒–—−_﹣－]",
    re.IGNORECASE,
)


def marker(assembly_uid: str, secret: bytes) -> str:
    """The fence's marker for one assembly, in decimal digits.

    Tokenizers cut digits into threes, so that every marker costs the same; letters would make the price of a
    context, and with it what fits, a matter of chance.
    """
    drawn = hmac.new(secret, b"fence:" + assembly_uid.encode(), hashlib.sha256).digest()
    return f"{int.from_bytes(drawn) % 10**MARKER_DIGITS:0{MARKER_DIGITS}}"


def opening(mark: str) -> str:
    """The line before untrusted text."""
    return f"<data-{mark}>\n"


def closing(mark: str) -> str:
    """The line after untrusted text."""
    return f"</data-{mark}>\n"


def strip(text: str) -> str:
    """The text with everything that could be taken for a fence, in any script or escape, cut out and marked.

    The mark keeps what stood on both sides from joining to a new look-alike, so that one pass is enough.
    """
    if not _MAYBE.search(text):
        return text
    if text.isascii():
        return _LOOK_ALIKE.sub(CUT, text)
    folded = [unicodedata.normalize("NFKC", char) for char in text]
    owners = [at for at, chars in enumerate(folded) for _ in chars]
    shown, after = "", 0
    for found in _LOOK_ALIKE.finditer("".join(folded)):
        shown += text[after : owners[found.start()]] + CUT
        after = owners[found.end() - 1] + 1
    return shown + text[after:]
