"""From many lines to few: neighbours of one audience and kind become one, the cheapest first.

What is old and much folded is folded last, so that age makes lines coarser evenly; decisions, questions and
failures stay apart the longest. A folded line points at all that its parts pointed at.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heapify, heappop, heappush
from itertools import pairwise

from service.model.compaction import Audience, SummaryLine
from service.model.vocabulary import LineKind
from service.text.summary.lines import JOINT, LINE_CHARS_MAX, Telling, shortened

WEIGHTS = {
    LineKind.STATEMENT: 1,
    LineKind.RESULT: 2,
    LineKind.FAILURE: 4,
    LineKind.QUESTION: 6,
    LineKind.DECISION: 6,
}
"""How dear it is to fold a line of a kind."""

_Offer = tuple[int, int, int, int]
"""Price of a fold, seq of its first line, and the numbers of both."""


def folded(lines: Sequence[SummaryLine], lines_max: int) -> list[SummaryLine]:
    """At most `lines_max` lines that stand for the same items, in order.

    There are more only where each that is left has an audience or a kind of its own.
    """
    kept: dict[int, SummaryLine] = dict(enumerate(sorted(lines, key=_place)))
    after: dict[int, int] = {}
    before: dict[int, int] = {}
    by_group: dict[tuple[Audience, LineKind], list[int]] = {}
    for number, line in kept.items():
        by_group.setdefault((line.audience, line.kind), []).append(number)
    for numbers in by_group.values():
        for one, other in pairwise(numbers):
            after[one], before[other] = other, one
    telling = Telling([piece for line in lines for piece in line.text.split(JOINT)])
    offers = [_offer(kept, one, other) for one, other in after.items()]
    heapify(offers)
    while len(kept) > lines_max and offers:
        offer = heappop(offers)
        one, other = offer[2:]
        if after.get(one) != other or offer != _offer(kept, one, other):
            continue
        kept[one] = _joined(kept[one], kept.pop(other), telling)
        following = after.pop(other, None)
        if following is None:
            del after[one]
        else:
            after[one], before[following] = following, one
            heappush(offers, _offer(kept, one, following))
        if one in before:
            heappush(offers, _offer(kept, before[one], one))
    return sorted(kept.values(), key=_place)


def retold(pieces: Sequence[str]) -> str:
    """What a line says that stands for what these pieces tell."""
    return _told(list(pieces), Telling(pieces))


def _place(line: SummaryLine) -> tuple[int, int, Audience, LineKind]:
    return line.first_seq, line.last_seq, line.audience, line.kind


def _offer(kept: dict[int, SummaryLine], one: int, other: int) -> _Offer:
    first, second = kept[one], kept[other]
    price = (first.item_count + second.item_count) * WEIGHTS[first.kind]
    return price, first.first_seq, one, other


def _joined(one: SummaryLine, other: SummaryLine, telling: Telling) -> SummaryLine:
    first, second = one.changed(), other.changed()
    return SummaryLine(
        kind=first.kind,
        text=_told(first.text.split(JOINT) + second.text.split(JOINT), telling),
        first_seq=min(first.first_seq, second.first_seq),
        last_seq=max(first.last_seq, second.last_seq),
        item_count=first.item_count + second.item_count,
        audience=first.audience,
        subject_uids=tuple(sorted({*first.subject_uids, *second.subject_uids})),
        item_uids=first.item_uids + second.item_uids,
        line_uids=first.line_uids + second.line_uids,
    )


def _told(pieces: list[str], telling: Telling) -> str:
    """The pieces that tell most, in order, as many as a line holds."""
    while len(pieces) > 1 and len(JOINT.join(pieces)) > LINE_CHARS_MAX:
        pieces.remove(min(pieces, key=telling))
    return shortened(pieces[0], LINE_CHARS_MAX) if len(pieces) == 1 else JOINT.join(pieces)
