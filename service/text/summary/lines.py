"""From items to lines: the sentence of each that says most, and what kind of line it makes.

A message with a word of deciding is a `decision`; one that ends in a question which nobody else spoke after
is a `question`; any other is a `statement`. A tool memory is a `result`, or a `failure` where its call
failed. A result's line has the call and not the answer: that is the memory's to tell, which ages and is
superseded, where a line would repeat it for ever.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from math import log

from service.model.candidates import ARROW
from service.model.compaction import SummarisedItem, SummaryLine
from service.model.vocabulary import LineKind
from service.text import fence

LINE_CHARS_MAX = 200
PIECE_CHARS_MAX = 160
WORDS_CACHED_MAX = 4_096
JOINT = " | "
"""Stands between pieces of a line, and in none."""
WORDS_COUNTED_MAX = 16
"""Words of a piece that count, so that long ones are not the telling ones for their length."""

_SENTENCES = re.compile(r"(?<=[.!?])\s+|\s*\n\s*")
_DECIDING = re.compile(
    r"\b(?:decid(?:e|es|ed|ing)|decision|agreed (?:to|on|that)|approved?|confirm(?:ed)?|chose|let's go with"
    r"|going with|settled on|entscheid\w*|entschied\w*|beschloss\w*|beschließ\w*|vereinbart\w*|genehmig\w*"
    r"|bestätig\w*)\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W_]{3,}|\d+")


def drafted(items: Sequence[SummarisedItem]) -> list[SummaryLine]:
    """A line for each item that says something, in the items' order."""
    spoken = [item for item in items if item.failed is None]
    last = spoken[-1].audience.participant_uid if spoken else None
    unanswered = set[str]()
    for item in reversed(spoken):
        if item.audience.participant_uid != last:
            break
        unanswered.add(item.uid)
    telling = Telling([item.text for item in spoken])
    lines = (_line(item, item.uid in unanswered, telling) for item in items)
    return [line for line in lines if line.text]


class Telling:
    """How much a piece tells beside others: the fewer of them have a word, the more it counts."""

    def __init__(self, texts: Sequence[str]) -> None:
        found = Counter(word for text in texts for word in words(text))
        self._weights = {word: log((1 + len(texts)) / count) for word, count in found.items()}

    def __call__(self, piece: str) -> float:
        weights = sorted((self._weights.get(word, 0.0) for word in words(piece)), reverse=True)
        return sum(weights[:WORDS_COUNTED_MAX])


@lru_cache(maxsize=WORDS_CACHED_MAX)
def words(text: str) -> frozenset[str]:
    """The distinct words of a piece, in lower case."""
    return frozenset(word.lower() for word in _WORD.findall(text))


def _line(item: SummarisedItem, unanswered: bool, telling: Telling) -> SummaryLine:
    if item.failed is None:
        kind, text = _of_message(item.text, unanswered, telling)
    else:
        failed = item.failed
        kind, text = (LineKind.FAILURE, item.text) if failed else (LineKind.RESULT, _call(item.text))
    return SummaryLine(
        kind=kind,
        text=shortened(text, PIECE_CHARS_MAX),
        first_seq=item.seq,
        last_seq=item.seq,
        item_count=1,
        audience=item.audience,
        subject_uids=item.subject_uids,
        item_uids=(item.uid,),
    )


def _call(headline: str) -> str:
    return headline.partition(ARROW)[0]


def _of_message(text: str, unanswered: bool, telling: Telling) -> tuple[LineKind, str]:
    sentences = [one for one in _SENTENCES.split(text.strip()) if one]
    if not sentences:
        return LineKind.STATEMENT, ""
    if unanswered and sentences[-1].rstrip().endswith("?"):
        return LineKind.QUESTION, sentences[-1]
    decided = next((one for one in sentences if _DECIDING.search(one)), None)
    if decided is not None:
        return LineKind.DECISION, decided
    return LineKind.STATEMENT, max(sentences, key=telling)


def shortened(text: str, chars_max: int) -> str:
    """One line of at most `chars_max` characters, cut at a word, without look-alikes of a fence."""
    flat = fence.strip_line(" ".join(text.split())).replace(JOINT, " / ")
    if len(flat) <= chars_max:
        return flat
    return flat[: chars_max - 1].rsplit(" ", 1)[0].rstrip(" ,;:-") + "…"


def closed(line: SummaryLine) -> SummaryLine:
    """A question that somebody spoke after is a statement."""
    return line.changed(kind=LineKind.STATEMENT) if line.kind is LineKind.QUESTION else line


def line_text(kind: LineKind, text: str, seqs: tuple[int, int], item_count: int, speaker: str) -> str:
    """A line as a context has it: `@12-@87 (9) Mia, decision: …`; a result needs no speaker."""
    first, last = seqs
    pointer = f"@{first}" if first == last else f"@{first}-@{last} ({item_count})"
    who = "" if kind in (LineKind.RESULT, LineKind.FAILURE) else f"{shortened(speaker, 40)}, "
    return f"{pointer} {who}{kind.value}: {text}\n"
