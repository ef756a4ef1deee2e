"""The fence around untrusted text: a marker of its own per assembly, and no look-alike inside.

The marker is derived from the assembly's id and a server secret: nobody can guess it, and a replay repeats
it.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import unicodedata
from functools import lru_cache

MARKER_DIGITS = 15
CHARS_CACHED_MAX = 65_536
CUT = "…"
"""What stands for a look-alike that was cut out."""

_ANGLES = "<‹«《〈⟨⟪≺⋖⧼❮❰˂ᐸᚲ𝈶"
_SIGNS = _ANGLES + r"＜﹤&\%["
"""No text without one of these holds anything to cut."""
_ALIKE = {
    **dict.fromkeys("∕⁄╱⧸⟋", "/"),
    **dict.fromkeys("‐‑‒–—―−⁃˗➖ー⸺⸻‾¯", "-"),
    **dict.fromkeys("ԁɗđᴅ🅳🅓", "d"),
    **dict.fromkeys("аαɑᴀ🅰🅐", "a"),
    **dict.fromkeys("тτŧᴛ🆃🅣", "t"),
    **dict.fromkeys("│∣ǀ❘￨▏", "|"),
}
"""What a reader could take for a sign of the fence, where normalisation does not fold it."""
_INVISIBLE = frozenset(("Mn", "Me", "Cc", "Cf", "Zs", "Zl", "Zp"))
_FILLERS = frozenset("\u115f\u1160\u3164\uffa0\u2800")

_BLANK = r"[\s\x00-\x1f\x7f]*+"
_ANGLE = (
    rf"[{re.escape(_SIGNS)}](?:(?<=[{_ANGLES}])|(?<=&)(?:lt;?|#0*60;?|#x0*3c;?)"
    rf"|(?<=\\)(?:u\{{?0*3c\}}?|x3c)|(?<=%)3c){_BLANK}/?+{_BLANK}"
)
"""An opening angle, plain or in some language's escape, and a slash. It begins with a set of characters,
which makes searching fast."""
_LOOK_ALIKE = re.compile(
    rf"{_ANGLE}{_BLANK.join('data')}{_BLANK}[-_]"
    r"|[<\[](?:(?<=<)(?=\|[^<>|\n]{1,40}\|>|</?SYS>>|/?(?:start|end)_of_turn>)|(?<=\[)(?=/?INST\]))",
    re.IGNORECASE,
)
"""A line of a fence; or the first sign of a control token of a chat template, which some models that run
locally read in any text."""
_FENCED = re.compile(rf"<data-(\d{{{MARKER_DIGITS}}})>.*?(?:</data-\1>|\Z)", re.DOTALL)
_DANGLING = re.compile(rf"{_ANGLE}(?:d{_BLANK}(?:a{_BLANK}(?:t{_BLANK}(?:a{_BLANK})?)?)?)?$", re.IGNORECASE)


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


def without_fenced(text: str) -> str:
    """The text without what contexts of ours have fenced in it: nobody said that, it was shown."""
    return _FENCED.sub("", text)


def strip(text: str) -> str:
    """The text with everything that could be taken for a fence, in any script or escape, cut out and marked.

    The mark keeps what stood on both sides from joining to a new look-alike, so that one pass is enough.
    """
    return _without(_LOOK_ALIKE, text)


def strip_line(line: str) -> str:
    """The same for one line of several: what the next line could complete is cut too."""
    return _without(_DANGLING, strip(line))


def _without(kind: re.Pattern[str], text: str) -> str:
    if not any(sign in text for sign in _SIGNS):
        return text
    if text.isascii():
        return kind.sub(CUT, text)
    folded, owners = [], []
    for at, char in enumerate(text):
        for shown in _folded(char):
            folded.append(shown)
            owners.append(at)
    shown, after = "", 0
    for found in kind.finditer("".join(folded)):
        shown += text[after : owners[found.start()]] + CUT
        after = owners[found.end() - 1] + 1
    return shown + text[after:]


@lru_cache(maxsize=CHARS_CACHED_MAX)
def _folded(char: str) -> str:
    """What a reader could take a character for; nothing where it cannot be seen."""
    if char in "\n\t ":
        return char
    plain = unicodedata.normalize("NFKD", char)
    seen = (_ALIKE.get(one, one) for one in plain)
    return "".join(one for one in seen if one not in _FILLERS and unicodedata.category(one) not in _INVISIBLE)
