"""Cut a text into sentences and lines: the least of it that says something by itself."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from itertools import pairwise
from typing import Final

from service.text.search.terms import TEXTS_CACHED_MAX

PIECES_MAX: Final = 400
"""Pieces of one text; what comes after them belongs to the last."""
PIECE_CHARS_MAX: Final = 1_200
"""A longer sentence is cut at a blank, where it has one."""
GAP: Final = " … "
"""Stands where something between two pieces is left out."""

_ENDS = re.compile(
    r"(?<=[.!?\u2026\u3002\uff01\uff1f])[\"'\u201d\u2019)\]]*\s+(?=[\"'\u201c\u2018(\[]?[^\W_a-z])|\n+"
)
"""A sentence ends where the next one begins: not after the point of an abbreviation."""
_LONG = re.compile(rf"\S.{{0,{PIECE_CHARS_MAX - 2}}}\S(?=\s)|\S.{{0,{PIECE_CHARS_MAX - 1}}}", re.DOTALL)


@lru_cache(maxsize=TEXTS_CACHED_MAX)
def pieces(text: str) -> tuple[str, ...]:
    """The sentences and lines of a text, in order; joined they are the text. At least one."""
    ends: list[int] = []
    at = 0
    for end in _ENDS.finditer(text):
        if len(ends) >= PIECES_MAX - 1:
            break
        _add(ends, text, at, end.end())
        at = end.end()
    _add(ends, text, at, len(text))
    return tuple(text[start:end] for start, end in pairwise([0, *ends]))


def _add(ends: list[int], text: str, start: int, end: int) -> None:
    """One more piece ends there; blanks alone belong to what stands before them."""
    piece = text[start:end]
    if ends and (len(ends) >= PIECES_MAX or not piece.strip()):
        ends[-1] = end
    elif len(piece) > PIECE_CHARS_MAX and piece.strip():
        cut = [start + m.end() for m in _LONG.finditer(piece)][: PIECES_MAX - len(ends)]
        ends += [*cut[:-1], end]
    else:
        ends.append(end)


def with_gaps(text_pieces: tuple[str, ...], chosen: Iterable[int]) -> str:
    """The chosen pieces of a text, at least one, in its order: with a mark at every gap between them, and one
    at the end where there is more of it."""
    kept = sorted(chosen)
    shown = text_pieces[kept[0]]
    for before, at in pairwise(kept):
        shown = shown + text_pieces[at] if at == before + 1 else shown.rstrip() + GAP + text_pieces[at]
    return shown if len(kept) == len(text_pieces) else shown.rstrip() + GAP.rstrip()
