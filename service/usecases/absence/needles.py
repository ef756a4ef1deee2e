"""What must not be found: given strings, in every spelling in which a store may hold them.

A needle is searched as bytes: UTF-8 wherever it may be, in files UTF-16 and Latin-1 too; also as JSON spells
it, in one string or in another's; composed and decomposed; percent-encoded. In files its fragments count,
for Neo4j keeps a long string in blocks of 120 bytes. A short needle counts only between quotation marks or as
a whole value, else it would be found in everybody's words.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final
from urllib.parse import quote

from ahocorasick_rs import BytesAhoCorasick

WHOLE_CHARACTERS_MIN: Final = 6
"""Below it, a needle counts only between quotation marks or as a whole value."""
FRAGMENT_BYTES: Final = 24
FRAGMENT_BYTES_MIN: Final = 12
"""A needle shorter than twice this has no fragments."""
FRAGMENTS_MAX: Final = 64
"""Of one spelling of a needle, from its start."""
NEEDLES_MAX: Final = 100_000
EXCERPT_CHARACTERS: Final = 48

_WORD: Final = re.compile(rb"[A-Za-z0-9_\x80-\xff]")

Spelling = tuple[int, bytes, bool]
"""Position of the needle, its bytes, and whether it counts only where no longer word holds it."""
Match = tuple[int, int, int]
"""Position of the needle, start and end in bytes."""


class NoNeedleError(ValueError):
    """There is nothing to search for, too much, or a blank string among it."""


@dataclass(frozen=True, repr=False)
class Needles:
    """Strings to search for; a hit names one by its position here. Raises NoNeedleError."""

    texts: tuple[str, ...]
    ids: frozenset[int] = frozenset()
    """Positions of those that count only where no longer word holds them: `u-1` is not in `u-12`."""
    any_case: bool = False
    """Also in capitals, in small letters, and with initials: for names."""

    def __post_init__(self) -> None:
        if not 0 < len(self.texts) <= NEEDLES_MAX or not all(map(str.strip, self.texts)):
            raise NoNeedleError(f"name 1 to {NEEDLES_MAX} needles, none of them blank")

    def __repr__(self) -> str:
        return f"Needles({len(self.texts)})"

    @classmethod
    def of(cls, *, ids: Iterable[str] = (), texts: Iterable[str] = (), any_case: bool = False) -> Needles:
        """Ids first, then texts, each once."""
        named = tuple(dict.fromkeys(ids))
        others = (text for text in dict.fromkeys(texts) if text not in set(named))
        return cls((*named, *others), frozenset(range(len(named))), any_case)

    def without(self, positions: Iterable[int]) -> Needles:
        """The others; raises NoNeedleError where none are left."""
        gone = set(positions)
        kept = [position for position in range(len(self.texts)) if position not in gone]
        ids = frozenset(new for new, old in enumerate(kept) if old in self.ids)
        return Needles(tuple(self.texts[position] for position in kept), ids, self.any_case)

    @cached_property
    def in_values(self) -> Search:
        """The search through a database's values and through blobs."""
        return Search(
            (position, spelled, position in self.ids)
            for position, text in self._forms()
            for spelled in _as_value(text)
        )

    @cached_property
    def in_files(self) -> Search:
        """The search through files of any format."""
        return Search(
            spelling for position, text in self._forms() for spelling in self._as_raw(position, text)
        )

    def _as_raw(self, position: int, text: str) -> Iterator[Spelling]:
        values = _as_value(text)
        yield from ((position, spelled, position in self.ids) for spelled in values)
        if len(text) < WHOLE_CHARACTERS_MIN:
            return
        others = {text.encode(encoding, "surrogatepass") for encoding in ("utf-16-le", "utf-16-be")}
        latin = text.encode("latin-1", "ignore")
        others |= {latin} if len(latin) >= WHOLE_CHARACTERS_MIN else set()
        yield from ((position, spelled, False) for spelled in others - values)
        fragments = {one for spelled in values | others for one in _fragments(spelled)}
        yield from ((position, fragment, False) for fragment in fragments)

    def _forms(self) -> Iterator[tuple[int, str]]:
        for position, text in enumerate(self.texts):
            cases = {text, text.lower(), text.upper(), text.title()} if self.any_case else {text}
            composed = {unicodedata.normalize("NFC", case) for case in cases}
            decomposed = {unicodedata.normalize("NFD", case) for case in cases}
            yield from ((position, form) for form in cases | composed | decomposed)


class Search:
    """One pass over bytes for all spellings at once."""

    def __init__(self, spellings: Iterable[Spelling]) -> None:
        found: dict[bytes, dict[int, bool]] = {}
        for position, spelled, bounded in spellings:
            wants = found.setdefault(spelled, {})
            wants[position] = wants.get(position, True) and bounded
        self._wanted = [tuple(wants.items()) for wants in found.values()]
        self._automaton = BytesAhoCorasick(list(found))
        self.longest = max(map(len, found))

    def matches(self, data: bytes) -> Iterator[Match]:
        """Every match."""
        for pattern, start, end in self._automaton.find_matches_as_indexes(data, overlapping=True):
            for position, bounded in self._wanted[pattern]:
                if not bounded or _is_whole_word(data, start, end):
                    yield position, start, end

    def found_in(self, value: str | bytes) -> set[int]:
        """Positions of the needles that a value holds."""
        return {position for position, _, _ in self.matches(_quoted(value))}

    def in_any(self, values: Iterable[str | bytes]) -> bool:
        """Whether one of the values may hold a needle: one pass over all of them. Where none does it says so;
        across two values it may see one that neither holds."""
        return next(self.matches(b"".join(map(_quoted, values))), None) is not None


def _quoted(value: str | bytes) -> bytes:
    data = value.encode("utf-8", "surrogatepass") if isinstance(value, str) else value
    return b'"' + data + b'"'


def _is_whole_word(data: bytes, start: int, end: int) -> bool:
    longer_before = (
        start > 0 and _WORD.match(data[start - 1 : start]) and _WORD.match(data[start : start + 1])
    )
    return not longer_before and not (_WORD.match(data[end - 1 : end]) and _WORD.match(data[end : end + 1]))


def _in_json(text: str) -> set[str]:
    """As it is, as a JSON string has it, and as a JSON string within a JSON string has that."""
    spelled = {text}
    for _ in range(2):
        spelled |= {
            json.dumps(one, ensure_ascii=ascii_only)[1:-1] for one in spelled for ascii_only in (True, False)
        }
    return spelled


def _as_value(text: str) -> set[bytes]:
    spelled = _in_json(text) | {quote(text, safe="", errors="surrogatepass")}
    if len(text) < WHOLE_CHARACTERS_MIN:
        spelled = {f'"{one}{end}' for one in spelled for end in ('"', '\\"')}
    return {one.encode("utf-8", "surrogatepass") for one in spelled}


def _fragments(spelled: bytes) -> list[bytes]:
    """Cut so that a block's border, one in 120 bytes, leaves one of two neighbours whole."""
    length = min(FRAGMENT_BYTES, len(spelled) // 2)
    if length < FRAGMENT_BYTES_MIN:
        return []
    starts = range(0, len(spelled) - length + 1, length)
    return [spelled[start : start + length] for start in starts[:FRAGMENTS_MAX]]
