"""Whether a memory is enough or exact bytes are needed, decided from metadata alone: nothing is read here.

The request's own list comes first. Else a stated rule: the newest user message asks for exactness (one of
`EXACTNESS`, one of `NEARLY` just before a word for what was given, or a pointer such as `@17`), and a
memory's headline shares a name with it; the best match is taken.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from service.model.candidates import MemoryCandidate
from service.model.policy_settings import ExactSettings
from service.policies.ranking import terms, words

EXACTNESS = (
    *("verbatim", "word for word", "byte for byte", "line by line", "row by row", "character for character"),
    *("wörtlich", "wortwörtlich", "zeichengenau", "Zeile für Zeile"),
)
"""Words that ask for exact bytes wherever they stand."""
NEARLY = (
    *("exact", "exactly", "raw", "literal", "original", "unchanged", "unmodified"),
    *("full", "entire", "complete"),
    *("genau", "genaue", "genauen", "exakt", "exakte", "exakten", "originale", "originalen", "unveränderte"),
    *("unveränderten", "vollständige", "vollständigen", "rohe", "rohen"),
)
"""Words that ask for them before one of `GIVEN`: an original payment method is no file."""
GIVEN = (
    *("answer", "byte", "bytes", "content", "contents", "csv", "data", "document", "error", "file", "json"),
    *("line", "lines", "listing", "log", "message", "output", "response", "result", "results", "row", "rows"),
    *("stack trace", "table", "text", "traceback", "wording", "xml", "yaml"),
    *("Antwort", "Ausgabe", "Datei", "Daten", "Dokument", "Ergebnis", "Fehlermeldung", "Inhalt", "Protokoll"),
    *("Tabelle", "Wortlaut", "Zeile", "Zeilen"),
)
BETWEEN_WORDS_MAX = 2
ARTIFACTS_MAX = 3
_DEFAULTS = ExactSettings()


def _any_of(phrases: Sequence[str]) -> str:
    return "(?:" + "|".join(map(re.escape, phrases)) + ")"


_EXACTNESS = re.compile(
    rf"\b(?:{_any_of(EXACTNESS)}|{_any_of(NEARLY)}(?:\s+[\w-]+){{0,{BETWEEN_WORDS_MAX}}}?\s+{_any_of(GIVEN)})\b",
    re.IGNORECASE,
)
_POINTER = re.compile(r"@(\d{1,10})\b")


def _names(text: str) -> frozenset[str]:
    """The terms of a text and the words within them: `read_sensor_log` is found by "the sensor log"."""
    return terms(text) | words(text)


_COMMON = _names(
    "the a an of to in on for with use please give show me my it this that from and or result tool"
)


@dataclass(frozen=True, slots=True)
class Rehydration:
    """Memories whose exact results enter, and those that were wanted and are too large."""

    chosen: tuple[MemoryCandidate, ...]
    too_large: tuple[MemoryCandidate, ...]


def choose(
    memories: Sequence[MemoryCandidate],
    request_text: str,
    asked: Sequence[str],
    settings: ExactSettings = _DEFAULTS,
) -> Rehydration:
    """Among memories that may enter, the ones whose exact bytes are needed.

    `asked` holds uids of memories or artifacts. At most ARTIFACTS_MAX are chosen; what is larger than the
    settings allow is read in parts by `rehydrate`.
    """
    wanted = [m for m in memories if m.uid in asked or m.artifact_uid in asked]
    if not asked and settings.by_rule:
        wanted = _by_rule(memories, request_text)
    fits = [m for m in wanted if m.result_bytes <= settings.bytes_max]
    large = [m for m in wanted if m.result_bytes > settings.bytes_max]
    return Rehydration(tuple(fits[:ARTIFACTS_MAX]), tuple(large))


def _by_rule(memories: Sequence[MemoryCandidate], request_text: str) -> list[MemoryCandidate]:
    pointers = {int(seq) for seq in _POINTER.findall(request_text)}
    pointed = [m for m in memories if m.place[0] in pointers]
    if pointed or not _EXACTNESS.search(request_text):
        return pointed
    asked = _names(request_text) - _COMMON - _names(" ".join((*EXACTNESS, *NEARLY)))
    scored = [(len(asked & (_names(m.headline) - _COMMON)), m.place, m) for m in memories]
    best = max((entry for entry in scored if entry[0]), key=lambda entry: entry[:2], default=None)
    return [best[2]] if best else []
