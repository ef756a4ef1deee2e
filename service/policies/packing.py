"""From ranked candidates and a budget to a selection, so that a larger budget never loses an item.

What must be in comes first. All else is merged into one order that does not depend on the budget: by worth
per token times the weight of the section's queue. What is taken fits, in that order, and is worth its room:
an item enters only where `worth * budget >= thrift`, so that a small budget is not filled with what nobody
needs, while a large one takes everything. A memory's headline is paid with its first record, a section's
heading with its first item. Costs are upper bounds in tokens.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from service.model.vocabulary import Section

HEADLINE = -1
"""The record number of a memory's headline taken alone."""


@dataclass(frozen=True, slots=True)
class PackingProfile:
    """How a context is shared out. Weights are factors on worth; caps are tokens."""

    name: str
    records_weight: float
    recalled_weight: float
    window_weight: float
    thrift: float
    """What an item must be worth: `worth per token * budget >= thrift`. 0 fills every budget."""
    message_tokens_max: int
    """A longer old message enters as an excerpt of this size."""
    request_tokens_max: int
    """A longer newest user message enters as an excerpt of this size."""
    unseen_tokens_max: int
    """A result that no run has seen enters whole up to this size."""
    unseen_excerpt_tokens: int
    """A longer one enters as an excerpt of at most this size."""
    unseen_budget_share: float
    """Part of what the request leaves of the budget that unseen results may take together, in (0, 1)."""


PROFILES = {
    profile.name: profile
    for profile in (
        PackingProfile("default", 1.0, 1.0, 1.0, 6.0, 400, 16_000, 2_000, 1_000, 0.6),
        PackingProfile("economy", 1.0, 1.0, 0.5, 3.0, 120, 8_000, 1_000, 300, 0.5),
        PackingProfile("thorough", 1.0, 1.0, 2.0, 0.0, 2_000, 32_000, 8_000, 4_000, 0.6),
    )
}

UNSEEN_TOKENS_MIN = 40
"""An unseen result is never cut below this; a budget that cannot hold it is too small."""


class BudgetTooSmall(ValueError):
    """What must be in does not fit. `needed_tokens` is the smallest budget that holds it, `what` its uids."""

    def __init__(self, needed_tokens: int, what: tuple[str, ...]) -> None:
        super().__init__(f"the budget must be at least {needed_tokens} tokens")
        self.needed_tokens = needed_tokens
        self.what = what


@dataclass(frozen=True, slots=True)
class Item:
    """One thing that can be taken: a message (`record` None) or one record of a memory."""

    section: Section
    uid: str
    tokens: int
    record: int | None = None
    head_tokens: int = 0
    """The headline of the item's memory, paid by whichever of its records comes first."""
    worth: float = 0.0
    """Worth per token, from service.policies.ranking."""


@dataclass(frozen=True, slots=True)
class Queue:
    """A section's candidates, best first; one that another queue brought already is skipped.

    An item counts at most what the one before it does, so that a queue is always taken from its front.
    """

    section: Section
    weight: float
    heading_tokens: int
    items: Sequence[Item]
    filling: bool = False
    """Comes after all other queues, and only where these would fit whole: what other branches share."""


@dataclass(frozen=True, slots=True)
class Required:
    """What must be in: a fixed cost and the results that no run has seen (call uid, tokens when whole)."""

    uids: tuple[str, ...]
    fixed_tokens: int
    unseen: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Packing:
    """The selection: items in merged order, tokens granted to each unseen result, and what did not fit."""

    items: tuple[Item, ...]
    granted: dict[str, int]
    tokens: int
    """Upper bound of what the selection costs; never above the budget."""
    left_out: tuple[Item, ...]
    """What did not fit, in merged order."""
    unneeded: tuple[Item, ...]
    """What is worth too little for this budget."""


def pack(required: Required, queues: Sequence[Queue], budget_tokens: int, profile: PackingProfile) -> Packing:
    """Fill a budget. Raises BudgetTooSmall. Same inputs, same answer; `pack(b)` is within `pack(b + 1)`."""
    granted = grant_unseen(required, budget_tokens, profile)
    reserved = required.fixed_tokens + sum(granted.values())
    room = budget_tokens - reserved
    items: list[Item] = []
    left_out: list[Item] = []
    unneeded: list[Item] = []
    spent = 0
    for entry in merge(queues):
        if entry.worth * budget_tokens < profile.thrift:
            unneeded.append(entry.item)
        elif entry.end > room:
            left_out.append(entry.item)
        else:
            items.append(entry.item)
            spent += entry.cost
    return Packing(tuple(items), granted, reserved + spent, tuple(left_out), tuple(unneeded))


def grant_unseen(required: Required, budget_tokens: int, profile: PackingProfile) -> dict[str, int]:
    """Tokens for each unseen result: whole where it can be, else levelled down to the profile's part.

    Growing the budget by one token grows the sum by at most one, so that nothing else is ever pushed out.
    """
    wanted = {
        uid: tokens if tokens <= profile.unseen_tokens_max else profile.unseen_excerpt_tokens
        for uid, tokens in required.unseen
    }
    floor = sum(min(tokens, UNSEEN_TOKENS_MIN) for tokens in wanted.values())
    left = budget_tokens - required.fixed_tokens
    if left < floor:
        raise BudgetTooSmall(required.fixed_tokens + floor, (*required.uids, *wanted))
    total = min(sum(wanted.values()), max(floor, int(left * profile.unseen_budget_share)))
    granted: dict[str, int] = {}
    for at, (uid, tokens) in enumerate(sorted(wanted.items(), key=lambda pair: pair[1])):
        granted[uid] = min(tokens, total // (len(wanted) - at))
        total -= granted[uid]
    return granted


class Merged(NamedTuple):
    """An item in the one order: its weighted worth, its cost with the headings it brings, and the cost of all
    up to and with it."""

    item: Item
    worth: float
    cost: int
    end: int


def merge(queues: Sequence[Queue]) -> list[Merged]:
    """One order of all items, the most worth first, independent of any budget."""
    turns: list[tuple[bool, float, int, int, Item]] = []
    for number, queue in enumerate(queues):
        worth = float("inf")
        for at, item in enumerate(queue.items):
            worth = min(worth, item.worth * queue.weight)
            turns.append((queue.filling, -worth, number, at, item))
    turns.sort()  # number and place tell any two apart: items are never compared
    merged: list[Merged] = []
    entered: set[tuple[str, int | None]] = set()
    headed: set[str] = set()
    opened: set[int] = set()
    end = 0
    for _, negative, number, _, item in turns:
        uid = item.uid
        if (uid, item.record) in entered:
            continue
        cost = item.tokens
        if uid not in headed:
            cost += item.head_tokens
            headed.add(uid)
        if number not in opened:
            cost += queues[number].heading_tokens
            opened.add(number)
        end += cost
        entered.add((uid, item.record))
        merged.append(Merged(item, -negative, cost, end))
    return merged
