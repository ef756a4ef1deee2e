"""How a memory is written: a headline with its pointer, then its records, one line each.

    @14 get_user_details(user_id=mia_li_3668)
     reservations: NO6JO3, AIXC49, HKEG34

Lines end with a newline and are counted with it; the sum of the lines' tokens is the memory's.
"""

from __future__ import annotations

from collections.abc import Iterable

from service.model.candidates import MemoryCandidate

POINTER_ROOM = 999_999
"""A headline is counted with a pointer this long, before its seq is known."""
DIGITS_PER_TOKEN = 3


def headline_line(seq: int, headline: str) -> str:
    """The first line of a memory; `@<seq>` points at the exact artifact."""
    return f"@{seq} {headline}\n"


def digit_tokens(seq: int) -> int:
    """What the digits of a pointer cost: tokenizers cut them into threes."""
    return -(-len(str(seq)) // DIGITS_PER_TOKEN)


def headline_tokens(memory: MemoryCandidate) -> int:
    """What the first line costs with the pointer that it has."""
    return memory.headline_tokens - digit_tokens(POINTER_ROOM) + digit_tokens(memory.place[0])


def record_line(record: str) -> str:
    """One record's line; the blank before it marks it as a record and costs no token before a word."""
    return f" {record}\n"


def within_one(text: str) -> str:
    """A text of several lines as part of one item: with a blank before each further line, so that none of
    them passes for a heading or for another item."""
    return " ".join(text.splitlines(keepends=True))


def breaks(text: str) -> int:
    """How many blanks that puts in, each of which costs a token at most."""
    return max(0, len(text.splitlines()) - 1)


def noted_lines(fields: Iterable[tuple[str, str]], block: str | None) -> str:
    """A working memory: `name: value` for each field, then the block. The blank before every line of theirs
    keeps what was noted down from passing for another item."""
    told = [*(f"{name}: {value}" for name, value in fields), *([block] if block else [])]
    return "".join(record_line(line) for text in told for line in text.splitlines())


def memory_text(memory: MemoryCandidate, records: Iterable[int]) -> str:
    """A memory with the records of these indices, in the result's order."""
    lines = [headline_line(memory.place[0], memory.headline)]
    lines += [record_line(memory.records[at]) for at in sorted(records)]
    return "".join(lines)
