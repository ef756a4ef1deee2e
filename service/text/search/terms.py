"""The words of a text as the search compares them: in lower case, without endings and stop words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import lru_cache
from itertools import pairwise
from typing import Final

TEXTS_CACHED_MAX: Final = 65_536
STEM_CHARS_MIN: Final = 3

_WORD = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)?")
_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
"""Signs of scripts without blanks between words: Thai, Lao, Burmese, Khmer, Japanese, Chinese."""
_ENDINGS = (
    *(("ingly", ""), ("edly", ""), ("ing", ""), ("ied", "y"), ("ies", "y")),
    *(("ed", ""), ("ss", "ss"), ("s", ""), ("ly", "")),
)
"""An ending and what takes its place; the first that fits is cut."""
_DOUBLING = frozenset(("ing", "ed"))
"""Endings before which a letter may stand twice, as in `stopped`."""
_STOP_WORDS = frozenset(
    _WORD.findall(
        "a about after again all an and any are as at be because been before being both but by can "
        "could d did do does done don each few for from had has have he her here him his how i if in "
        "into is it its just ll m may me might more most must my no not now o of on once only or "
        "other our over own re s same shall she should so some such t than that the their them then "
        "there these they this those to too up us ve very was we were what when where which who whom "
        "whose why will with would y you your"
    )
)


@lru_cache(maxsize=TEXTS_CACHED_MAX)
def counted(text: str) -> Mapping[str, int]:
    """How often each term of a text stands in it."""
    words = (word for word in map(str.lower, _WORD.findall(text)) if _tells(word))
    return Counter(term for word in words for term in _terms_of(word))


def _terms_of(word: str) -> Iterable[str]:
    """One term; where words are written without blanks, every two signs that stand side by side."""
    return map("".join, pairwise(word)) if _UNSPACED.search(word) else (stem(word),)


def _tells(word: str) -> bool:
    return len(word) > 1 and word not in _STOP_WORDS


def stem(word: str) -> str:
    """A word in lower case without what is after its apostrophe, without its ending and a last `e`."""
    word = re.split("['\u2019]", word, maxsplit=1)[0]
    for ending, put in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= STEM_CHARS_MIN:
            word = word[: -len(ending)] + put
            if ending in _DOUBLING and word[-1] == word[-2] and word[-1] not in "ls":
                word = word[:-1]
            break
    return word[:-1] if word.endswith("e") and len(word) > STEM_CHARS_MIN else word
