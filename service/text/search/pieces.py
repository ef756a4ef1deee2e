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
    """The sentences and lines of a text, in order; joined they are the text. At least one, if not of blanks
    alone."""
    found: list[str] = []
    at = 0
    for end in _ENDS.finditer(text):
        if len(found) >= PIECES_MAX - 1:
            break
        _add(found, text[at : end.end()])
        at = end.end()
    _add(found, text[at:])
    return tuple(found)


def _add(found: list[str], piece: str) -> None:
    """One more; blanks alone belong to what stands before them."""
    if not piece.strip():
        if found:
            found[-1] += piece
        elif piece:
            found.append(piece)
    elif len(piece) > PIECE_CHARS_MAX and len(found) < PIECES_MAX:
        cut = [m.end() for m in _LONG.finditer(piece)][: PIECES_MAX - len(found)]
        for start, end in zip([0, *cut], [*cut[:-1], len(piece)], strict=False):
            if piece[start:end]:
                found.append(piece[start:end])
    else:
        found.append(piece)


def with_gaps(text_pieces: tuple[str, ...], chosen: Iterable[int]) -> str:
    """The chosen pieces of a text, at least one, in its order: with a mark at every gap between them, and one
    at the end where there is more of it."""
    kept = sorted(chosen)
    shown = text_pieces[kept[0]]
    for before, at in pairwise(kept):
        shown = shown + text_pieces[at] if at == before + 1 else shown.rstrip() + GAP + text_pieces[at]
    return shown if len(kept) == len(text_pieces) else shown.rstrip() + GAP.rstrip()
