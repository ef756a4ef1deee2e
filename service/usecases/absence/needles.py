"""What must not be found: given strings, in every spelling in which a store may hold them.

A needle is searched as bytes: UTF-8 wherever it may be, and UTF-16 and Latin-1 in files; also as JSON spells it, inside
one string or inside another's; composed and decomposed; percent-encoded. In files its pieces count too, for
Neo4j keeps a long string in blocks of 120 bytes. A short needle counts only between quotation marks or as a
whole value, else it would be found in everybody's words.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final
from urllib.parse import quote

from ahocorasick_rs import BytesAhoCorasick

WHOLE_CHARACTERS_MIN: Final = 6
"""Below it, a needle counts only between quotation marks or as a whole value."""
PIECE_BYTES: Final = 24
PIECE_BYTES_MIN: Final = 12
"""A needle shorter than twice this has no pieces."""
PIECES_MAX: Final = 64
"""Of one spelling of a needle, from its start."""
NEEDLES_MAX: Final = 100_000
EXCERPT_CHARACTERS: Final = 48
EXCERPTS_MAX: Final = 1_000


class NoNeedleError(ValueError):
    """There is nothing to search for, too much, or an empty string among it."""


@dataclass(frozen=True)
class Needles:
    """Strings to search for; a hit names one by its position here. Raises NoNeedleError."""

    texts: tuple[str, ...]
    any_case: bool = False
    """Also in capitals, in small letters, and with initials: for names."""

    def __post_init__(self) -> None:
        if not 0 < len(self.texts) <= NEEDLES_MAX or not all(map(str.strip, self.texts)):
            raise NoNeedleError(f"name 1 to {NEEDLES_MAX} needles, none of them blank")

    def __repr__(self) -> str:
        return f"Needles({len(self.texts)})"

    def without(self, positions: Iterable[int]) -> Needles:
        """The others; raises NoNeedleError where none are left."""
        gone = set(positions)
        kept = (text for position, text in enumerate(self.texts) if position not in gone)
        return Needles(tuple(kept), self.any_case)

    @cached_property
    def in_values(self) -> Search:
        """The search through a database's values and through blobs."""
        return Search((position, spelled) for position, text in self._spelled() for spelled in _as_value(text))

    @cached_property
    def in_files(self) -> Search:
        """The search through files of any format."""
        return Search((position, spelled) for position, text in self._spelled() for spelled in _as_raw(text))

    def _spelled(self) -> Iterator[tuple[int, str]]:
        for position, text in enumerate(self.texts):
            cases = {text, text.lower(), text.upper(), text.title()} if self.any_case else {text}
            for case in cases:
                for form in {unicodedata.normalize("NFC", case), unicodedata.normalize("NFD", case), case}:
                    yield position, form


class Search:
    """One pass over bytes for all spellings at once."""

    def __init__(self, spellings: Iterable[tuple[int, bytes]]) -> None:
        found: dict[bytes, set[int]] = {}
        for position, spelled in spellings:
            found.setdefault(spelled, set()).add(position)
        self._needles = [frozenset(positions) for positions in found.values()]
        self._automaton = BytesAhoCorasick(list(found))
        self.longest = max(map(len, found))

    def matches(self, data: bytes) -> Iterator[tuple[int, int]]:
        """Every match as (position of the needle, offset)."""
        for pattern, start, _ in self._automaton.find_matches_as_indexes(data, overlapping=True):
            for position in self._needles[pattern]:
                yield position, start

    def found_in(self, text: str) -> set[int]:
        """Positions of the needles that a value holds."""
        data = b'"' + text.encode("utf-8", "surrogatepass") + b'"'
        return {position for position, _ in self.matches(data)}


def excerpts(text: str) -> tuple[str, ...]:
    """A long text as needles: consecutive pieces, so that whatever quotes 95 characters of it holds one whole.

    At most EXCERPTS_MAX of them, from its start; a short text is one needle, a blank one none.
    """
    starts = range(0, max(1, len(text) - EXCERPT_CHARACTERS + 1), EXCERPT_CHARACTERS)
    pieces = (text[start : start + EXCERPT_CHARACTERS] for start in starts[:EXCERPTS_MAX])
    return tuple(piece for piece in pieces if piece.strip())


def _in_json(text: str) -> set[str]:
    """As it is, as a JSON string has it, and as a JSON string within a JSON string has that."""
    spelled = {text}
    for _ in range(2):
        spelled |= {json.dumps(one, ensure_ascii=ascii_only)[1:-1] for one in spelled for ascii_only in (True, False)}
    return spelled


def _as_value(text: str) -> set[bytes]:
    spelled = _in_json(text) | {quote(text, safe="")}
    if len(text) < WHOLE_CHARACTERS_MIN:
        spelled = {f'"{one}{end}' for one in spelled for end in ('"', '\\"')}
    return {one.encode("utf-8", "surrogatepass") for one in spelled}


def _as_raw(text: str) -> set[bytes]:
    spelled = _as_value(text)
    if len(text) < WHOLE_CHARACTERS_MIN:
        return spelled
    for encoding in ("utf-8", "utf-16-le", "utf-16-be", "latin-1"):
        encoded = text.encode(encoding, "ignore" if encoding == "latin-1" else "surrogatepass")
        spelled |= {encoded} if len(encoded) >= WHOLE_CHARACTERS_MIN else set()
    return spelled | {piece for one in spelled for piece in _pieces(one)}


def _pieces(spelled: bytes) -> list[bytes]:
    """Cut so that a block's border, of which there is one in 120 bytes, leaves one of two neighbours whole."""
    length = min(PIECE_BYTES, len(spelled) // 2)
    if length < PIECE_BYTES_MIN:
        return []
    starts = range(0, len(spelled) - length + 1, length)
    return [spelled[start : start + length] for start in starts[:PIECES_MAX]]
