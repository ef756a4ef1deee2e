"""What the next call is likely to need: a worth per token for every memory record and every older message.

Worth is an estimate, stated in numbers below: how many values the next call will take from an item, divided
by what the item costs. A value is an identifier, a date, a code, a name or an amount. It counts where the
newest item names it; repeats count little, and what the current exchange says already counts almost
nothing.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from enum import IntEnum, auto
from functools import lru_cache
from math import log
from typing import NamedTuple

from service.model.candidates import (
    ARROW,
    Focus,
    FoundMessage,
    LineCandidate,
    MemoryCandidate,
    MessageCandidate,
)
from service.model.vocabulary import LineKind, Role
from service.policies.packing import HEADLINE

TEXTS_CACHED_MAX = 65_536


class Kind(IntEnum):
    """Kinds of values."""

    IDENTIFIER = auto()
    DATE = auto()
    CODE = auto()
    NAME = auto()
    PATH = auto()
    NUMBER = auto()


CHANCES = {
    Kind.IDENTIFIER: (0.13, 0.13),
    Kind.DATE: (0.09, 0.45),
    Kind.CODE: (0.03, 0.05),
    Kind.NAME: (0.012, 0.08),
    Kind.PATH: (0.05, 0.08),
    Kind.NUMBER: (0.012, 0.025),
}
"""The chance that the next call takes a value that no call took yet, and one that a call took before: from
recorded runs of several kinds of agents, rounded."""

SAID_ALREADY = 0.05
"""Factor for what the current exchange says: it is in the context anyway."""
JUST_SPOKEN = 2.0
"""Factor for what the newest assistant message names."""
LINKED = 2.0
"""Factor for all of a record of which the newest assistant message names something."""
REPEATED = 0.5
"""Factor for what a newer item names as well."""
CROWD = 10
"""Values of a kind in one result that count fully; each further one counts as much less as it comes later."""
ASKED = 0.5
"""Factor for what the call itself said: the answer is what is new."""
NEWEST = 1.5
"""Factor for the newest result."""
SAME_TOOL = 0.3
"""Factor for older results of the tool that was called last: its next call rarely needs its own earlier
answers."""
WANTED_FIELD = 1.6
"""Factor for a record with a field that a tool on offer has a parameter for."""
SHORT_ANSWER = 2.0
"""Factor for an answer so short that the headline holds it."""
ASKED_WORDS = 0.3
"""What each rare word that an item shares with the request adds to its factor of 1."""
ASKED_WORDS_MAX = 4.0
PLAIN_WORTH = 0.0015
"""Worth per token of what names no value at all."""

_TERM = re.compile(r"[^\W_]+(?:[_\-.:/@+][^\W_]+)*")
_WORD = re.compile(r"[^\W\d_]{2,}")
_PATH = re.compile(r"[^\W\d][./][^\W\d]|\w/\w*[^\W\d]|\w\.[^\W\d]\w*$")
_NO_IDENTIFIER = re.compile(r":|^[^\W\d_]+\d$")
"""Times of day, and numbered names of fields such as `line1`."""
_SENTENCE_START = re.compile(r"^$|[.!?]\W*$|\n\W*$")
_DATE = re.compile(r"\d{4}-\d\d-\d\d$")
_IDENTIFYING = re.compile(r"(?:^|[\W_])(?:id|ids|number|code|key|token|uuid)$", re.IGNORECASE)
_COMMON_WORDS = frozenset(("id", "name", "type", "number", "value"))


class RankedRecord(NamedTuple):
    """One record of a memory with its worth per token; record HEADLINE is the headline alone."""

    memory: MemoryCandidate
    record: int
    worth: float


class RankedLine(NamedTuple):
    """A line of a summary with its worth per token."""

    line: LineCandidate
    worth: float


class RankedMessage(NamedTuple):
    """A message with its worth per token."""

    message: MessageCandidate
    worth: float


@lru_cache(maxsize=TEXTS_CACHED_MAX)
def values(text: str) -> tuple[tuple[str, Kind], ...]:
    """The distinct values that a text names, with their kinds, in order."""
    found: dict[str, Kind] = {}
    for match in _TERM.finditer(text):
        term = match[0]
        if term not in found:
            kind = _kind(term, text, match.start())
            if kind is not None:
                found[term] = kind
    return tuple(found.items())


def _kind(term: str, text: str, at: int) -> Kind | None:
    if "@" in term or _PATH.search(term):
        return Kind.PATH
    if any(char.isdigit() for char in term):
        if _DATE.match(term):
            return Kind.DATE
        if any(char.isalpha() for char in term):
            return Kind.IDENTIFIER if len(term) >= 4 and not _NO_IDENTIFIER.search(term) else None
        if len(term) < 3 or ":" in term:
            return None
        return (
            Kind.IDENTIFIER if _IDENTIFYING.search(text[max(0, at - 24) : at].rstrip(" :=")) else Kind.NUMBER
        )
    if len(term) < 2:
        return None
    if term.isupper():
        return Kind.CODE
    return Kind.NAME if term[0].isupper() and not _SENTENCE_START.search(text[max(0, at - 4) : at]) else None


@lru_cache(maxsize=TEXTS_CACHED_MAX)
def value_terms(text: str) -> frozenset[str]:
    """The distinct values that a text names."""
    return frozenset(term for term, _ in values(text))


@lru_cache(maxsize=TEXTS_CACHED_MAX)
def terms(text: str) -> frozenset[str]:
    """Every term of a text as it is written."""
    return frozenset(_TERM.findall(text))


@lru_cache(maxsize=TEXTS_CACHED_MAX)
def words(text: str) -> frozenset[str]:
    """The plain words of a text and of its field names, lower case, singular."""
    return frozenset(word.lower().rstrip("s") for word in _WORD.findall(text)) - _COMMON_WORDS


def rank_records(memories: Sequence[MemoryCandidate], focus: Focus) -> list[RankedRecord]:
    """All records of `memories`, best first; of equals the newest first.

    A memory's first records carry its headline's cost and stay together; a memory without records counts as
    its headline.
    """
    newest_first = sorted(memories, key=lambda memory: memory.place, reverse=True)
    weigh = _Weigher(focus, newest_first)
    last_tool = focus.last_tool or (newest_first[0].tool_name if newest_first else "")
    ranked: list[tuple[float, int, int, MemoryCandidate]] = []
    for age, memory in enumerate(newest_first):
        factor = NEWEST if age == 0 else SAME_TOOL if memory.tool_name == last_tool else 1.0
        ranked += [(-worth, age, number, memory) for number, worth in _memory_worths(memory, weigh, factor)]
    ranked.sort()  # age and number tell any two apart: memories are never compared
    return [RankedRecord(memory, number, -negative) for negative, _, number, memory in ranked]


class _Weigher:
    """Sums the values of texts, newest text first: a value counts fully once."""

    def __init__(self, focus: Focus, newest_first: Sequence[MemoryCandidate]) -> None:
        self._exchange = terms(focus.request_text) | terms(focus.unseen_text)
        self._spoken = terms(focus.spoken_text)
        self._wanted = frozenset().union(
            *(words(name) for names in focus.tool_parameters.values() for name in names)
        )
        self._used = frozenset().union(*(terms(_call(memory.headline)) for memory in newest_first))
        self._weights: dict[str, float] = {}
        texts = [text for memory in newest_first for text in (memory.headline, *memory.records)]
        self.likeness = _Likeness(focus.request_text, texts)

    def __call__(self, text: str, named: list[int]) -> float:
        """The value of `text`; `named` counts the values of each kind in the same result so far."""
        weights = self._weights
        total = 0.0
        for term, kind in values(text):
            weight = weights.get(term)
            if weight is None:
                weight = self._first(term, kind)
                weights[term] = weight * REPEATED
            count = named[kind] + 1
            named[kind] = count
            total += weight if count <= CROWD else weight * CROWD / count
        if not self._spoken.isdisjoint(value_terms(text)):
            total *= LINKED
        return total if self._wanted.isdisjoint(words(text)) else total * WANTED_FIELD

    def _first(self, term: str, kind: Kind) -> float:
        unused, used = CHANCES[kind]
        weight = used if term in self._used else unused
        if term in self._exchange:
            weight *= SAID_ALREADY
        elif term in self._spoken:
            weight *= JUST_SPOKEN
        return weight


class _Likeness:
    """Factor for the words that a text shares with the request; a word counts by how few of `texts` have
    it."""

    def __init__(self, request: str, texts: Sequence[str]) -> None:
        asked = words(request)
        found = Counter[str]()
        for text in texts:
            if not asked.isdisjoint(words(text)):
                found.update(asked & words(text))
        scale = log(1 + len(texts))
        self._rarity = {word: 1.0 - log(count) / scale for word, count in found.items()}
        self._told_of = frozenset(found)

    def __call__(self, text: str) -> float:
        if self._told_of.isdisjoint(words(text)):
            return 1.0
        shared = self._told_of & words(text)
        return 1.0 + ASKED_WORDS * min(ASKED_WORDS_MAX, sum(map(self._rarity.__getitem__, shared)))


def _call(headline: str) -> str:
    """The call's part of a headline."""
    return headline.partition(ARROW)[0]


def _memory_worths(memory: MemoryCandidate, weigh: _Weigher, factor: float) -> list[tuple[int, float]]:
    """`(record, worth)` of one memory, best first."""
    head_tokens = max(1, memory.headline_tokens)
    call, _, answer = memory.headline.partition(ARROW)
    named = [0] * (len(Kind) + 1)
    head_value = (weigh(call, named) * ASKED + weigh(answer, named)) * factor
    like_head = weigh.likeness(memory.headline)
    if not memory.records:
        rate = head_value * SHORT_ANSWER / head_tokens + PLAIN_WORTH
        return [(HEADLINE, rate * like_head)]
    costs = memory.record_tokens
    gains = [
        (weigh(record, named) * factor + PLAIN_WORTH * cost) * max(like_head, weigh.likeness(record))
        for record, cost in zip(memory.records, costs, strict=True)
    ]
    rates = [gain / max(1, cost) for gain, cost in zip(gains, costs, strict=True)]
    order = sorted(range(len(rates)), key=rates.__getitem__, reverse=True)
    value, tokens = (head_value + PLAIN_WORTH * head_tokens) * like_head, head_tokens
    best, carried = value / tokens, 0
    for taken, at in enumerate(order, start=1):
        value += gains[at]
        tokens += costs[at]
        if value > best * tokens:
            best, carried = value / tokens, taken
    worths = [(at, best) for at in order[:carried] or [HEADLINE]]
    worths += [(at, rates[at]) for at in order[carried:]]
    return worths


STATED = {
    Kind.IDENTIFIER: 0.28,
    Kind.DATE: 0.42,
    Kind.CODE: 0.11,
    Kind.NAME: 0.085,
    Kind.PATH: 0.14,
    Kind.NUMBER: 0.055,
}
"""What a value that a user stated is worth: the measured chance that the next call takes it, times 1.4,
because a user's words also say what is wanted."""
USER_WORDS = 0.08
"""What any message of a user is worth beside its values."""
ASSISTANT_PART = 0.15
"""Factor for messages of the assistant: most of what they name, a tool result or the user said before."""
MESSAGE_OVERHEAD_TOKENS = 6


def rank_messages(messages: Sequence[MessageCandidate], focus: Focus) -> list[RankedMessage]:
    """Older messages by what they say: users' words first, those that name something before small talk."""
    exchange = terms(focus.request_text) | terms(focus.unseen_text)
    likeness = _Likeness(focus.request_text, [message.text for message in messages])

    def worth(message: MessageCandidate) -> float:
        value = USER_WORDS + sum(STATED[kind] for term, kind in values(message.text) if term not in exchange)
        value *= 1.0 if message.role is Role.USER else ASSISTANT_PART
        return value * likeness(message.text) / (message.tokens + MESSAGE_OVERHEAD_TOKENS)

    ranked = [RankedMessage(message, worth(message)) for message in messages]
    return sorted(ranked, key=lambda entry: (-entry.worth, _newest(entry.message)))


TOLD = {
    LineKind.DECISION: 1.0,
    LineKind.QUESTION: 1.0,
    LineKind.FAILURE: 0.5,
    LineKind.RESULT: 0.5,
    LineKind.STATEMENT: 0.5,
}
"""What a line of a summary is worth beside a user's message that says as much."""


def rank_lines(lines: Sequence[LineCandidate], focus: Focus) -> list[RankedLine]:
    """Lines of a summary by what they tell, as older messages; of equals the newest first."""
    exchange = terms(focus.request_text) | terms(focus.unseen_text)
    likeness = _Likeness(focus.request_text, [line.text for line in lines])

    def worth(line: LineCandidate) -> float:
        value = USER_WORDS + sum(STATED[kind] for term, kind in values(line.text) if term not in exchange)
        return value * TOLD[line.kind] * likeness(line.text) / (line.tokens + MESSAGE_OVERHEAD_TOKENS)

    ranked = [RankedLine(line, worth(line)) for line in lines]
    return sorted(ranked, key=lambda entry: (-entry.worth, -entry.line.seqs[1], entry.line.uid))


FOUND = 0.06
"""What the most relevant message of a search is worth per token, where all there is was said."""
FOUND_BESIDE_RESULTS = 0.007
"""The same where tools gave results: by recorded runs of agents, what a next call takes comes from these, and
rarely from older talk."""
FEW = 32
"""To be found among fewer messages says less."""
FOUND_ANSWER = 0.5
"""Factor for what an assistant said: the words of those it worked for come first."""
WHOLE_TOKENS = 96
"""A found message up to this size enters whole, a longer one by its pieces."""
FOUND_ITEMS_MAX = 1_024


class RankedPiece(NamedTuple):
    """A message that was found, whole or one of its pieces, with its worth per token."""

    message: MessageCandidate
    piece: int | None
    worth: float


def rank_found(found: Sequence[FoundMessage], searched: int, beside_results: bool) -> list[RankedPiece]:
    """What a search among so many messages found, by its relevance alone: a long answer to the point is not
    worth less than a short one beside it. Of equals the older first."""
    ranked: list[RankedPiece] = []
    best = (FOUND_BESIDE_RESULTS if beside_results else FOUND) * min(1.0, searched / FEW)
    for one in found:
        most = best if one.message.role is Role.USER else best * FOUND_ANSWER
        if one.message.tokens <= WHOLE_TOKENS:
            ranked.append(RankedPiece(one.message, None, most * one.relevance))
        else:
            ranked += [RankedPiece(one.message, at, most * part) for at, part in enumerate(one.pieces)]
    ranked.sort(key=lambda entry: (-entry.worth, entry.message.place, entry.piece or 0))
    return ranked[:FOUND_ITEMS_MAX]


WANTED_WINDOW = 1.0
"""What a message of the recent window is worth per token where the agent's profile says how many it wants:
more than anything that is ranked."""


def rank_window(messages: Sequence[MessageCandidate], wanted: int | None) -> list[RankedMessage]:
    """Messages as a window, newest first: each worth less than the one after it, or so many as are wanted,
    before everything else."""
    newest_first = sorted(messages, key=_newest)
    if wanted is not None:
        return [RankedMessage(message, WANTED_WINDOW) for message in newest_first[:wanted]]
    ranked: list[RankedMessage] = []
    worth = 1.0
    for age, message in enumerate(newest_first):
        value = 0.25 / (1 + age)
        worth = min(worth, value / (message.tokens + MESSAGE_OVERHEAD_TOKENS))
        ranked.append(RankedMessage(message, worth))
    return ranked


def _newest(message: MessageCandidate) -> tuple[int, int]:
    return (-message.place[0], -message.place[1])
