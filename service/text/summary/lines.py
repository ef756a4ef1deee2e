"""From items to lines: the sentence of each that says most, and what kind of line it makes.

A message with a word of deciding is a `decision`; one that ends in a question which nobody else spoke after
is a `question`; any other is a `statement`. A tool memory is a `result`, or a `failure` where its call
failed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from service.model.compaction import SummarisedItem, SummaryLine
from service.model.vocabulary import LineKind
from service.text import fence

LINE_CHARS_MAX = 200
PIECE_CHARS_MAX = 160
JOINT = " | "
"""Stands between pieces of a line, and in none."""
WORDS_COUNTED_MAX = 12

_SENTENCES = re.compile(r"(?<=[.!?])\s+|\s*\n\s*")
_DECIDING = re.compile(
    r"\b(?:decid(?:e|es|ed|ing)|decision|agreed?|approved?|confirm(?:ed)?|choos(?:e|ing)|chose|must|always"
    r"|go(?:ing)? with|settled? on|never|entscheid\w*|entschied\w*|beschloss\w*|beschließ\w*|vereinbar\w*"
    r"|genehmig\w*|bestätig\w*|immer|niemals)\b",
    re.IGNORECASE,
)
_SPECIFIC = re.compile(r"\b(?=\w*\d)\w+|\b[A-Z]{2,}\b|(?<=[^.!?]\s)[A-Z][^\W\d_]+|\w[@/_]\w")


def drafted(items: Sequence[SummarisedItem]) -> list[SummaryLine]:
    """A line for each item that says something, in the items' order."""
    spoken = [item for item in items if item.failed is None]
    last = spoken[-1].audience.participant_uid if spoken else None
    unanswered = set[str]()
    for item in reversed(spoken):
        if item.audience.participant_uid != last:
            break
        unanswered.add(item.uid)
    lines = (_line(item, item.uid in unanswered) for item in items)
    return [line for line in lines if line.text]


def _line(item: SummarisedItem, unanswered: bool) -> SummaryLine:
    if item.failed is None:
        kind, text = _of_message(item.text, unanswered)
    else:
        kind, text = (LineKind.FAILURE if item.failed else LineKind.RESULT), item.text
    return SummaryLine(
        kind=kind,
        text=shortened(text, PIECE_CHARS_MAX),
        first_seq=item.seq,
        last_seq=item.seq,
        item_count=1,
        audience=item.audience,
        privacy_class=item.privacy_class,
        subject_uids=item.subject_uids,
        item_uids=(item.uid,),
    )


def _of_message(text: str, unanswered: bool) -> tuple[LineKind, str]:
    sentences = [one for one in _SENTENCES.split(text.strip()) if one]
    if not sentences:
        return LineKind.STATEMENT, ""
    if unanswered and sentences[-1].rstrip().endswith("?"):
        return LineKind.QUESTION, sentences[-1]
    decided = next((one for one in sentences if _DECIDING.search(one)), None)
    if decided is not None:
        return LineKind.DECISION, decided
    return LineKind.STATEMENT, max(sentences, key=specifics)


def specifics(text: str) -> float:
    """How much a piece names: numbers, codes and names, and a little for its words."""
    return len(_SPECIFIC.findall(text)) + min(len(text.split()), WORDS_COUNTED_MAX) / WORDS_COUNTED_MAX


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
