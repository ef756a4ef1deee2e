"""What the next call is likely to need first: an order of memory records and of older messages."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from service.model.candidates import Focus, MemoryCandidate, MessageCandidate
from service.model.vocabulary import Role
from service.policies.packing import HEADLINE

TERMS_CACHED_MAX = 65_536
_TERM = re.compile(r"\w+", re.UNICODE)
_CODE = re.compile(r"(?=\w*\d)(?=\w*[^\W\d])\w{4,}|\d{4,}")


@dataclass(frozen=True, slots=True)
class RankedRecord:
    """One record of a memory with its weight; record HEADLINE is the memory's headline alone."""

    memory: MemoryCandidate
    record: int
    weight: float


@lru_cache(maxsize=TERMS_CACHED_MAX)
def terms(text: str) -> frozenset[str]:
    """The words of a text, lower case, with the parts of compound names."""
    words = {word.lower().strip("_") for word in _TERM.findall(text)}
    parts = {part for word in words if "_" in word for part in word.split("_")}
    return frozenset(word.rstrip("s") or word for word in words | parts if len(word) >= 2)


@lru_cache(maxsize=TERMS_CACHED_MAX)
def codes(text: str) -> int:
    """How many identifier-like words a text has."""
    return len(_CODE.findall(text))


def rank_records(memories: Sequence[MemoryCandidate], focus: Focus) -> list[RankedRecord]:
    """All records of `memories`, best first by weight per token; the order of equals is newest first."""
    asked = terms(focus.request_text) | terms(focus.recent_text)
    names = frozenset().union(*(terms(name) for names in focus.tool_parameters.values() for name in names))
    ordered = sorted(memories, key=lambda memory: memory.place, reverse=True)
    ranked: list[tuple[float, int, int, RankedRecord]] = []
    for age, memory in enumerate(ordered):
        recency = 1.0 / (1.0 + 0.15 * age)
        heading = len(terms(memory.headline) & asked)
        numbers = range(len(memory.records)) if memory.records else (HEADLINE,)
        for number in numbers:
            text = memory.records[number] if number >= 0 else memory.headline
            tokens = memory.record_tokens[number] if number >= 0 else memory.headline_tokens
            words = terms(text)
            value = 1.0 + min(4, codes(text)) + 2.0 * len(words & asked) + 1.0 * len(words & names) + heading
            weight = value * recency / (tokens + 8)
            ranked.append((-weight, age, number, RankedRecord(memory, number, weight)))
    ranked.sort(key=lambda entry: entry[:3])
    return [entry[3] for entry in ranked]


def rank_messages(messages: Sequence[MessageCandidate], focus: Focus) -> list[MessageCandidate]:
    """Older messages in the order in which they are worth recalling: what users said first."""
    asked = terms(focus.request_text)

    def weight(message: MessageCandidate) -> float:
        words = terms(message.text)
        value = 1.0 + codes(message.text) + len(words & asked)
        return (3.0 if message.role is Role.USER else 1.0) * value / (message.tokens + 10)

    return sorted(messages, key=lambda message: (-weight(message), (-message.place[0], -message.place[1])))
