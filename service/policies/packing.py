"""From ranked candidates and a budget to a selection, so that a larger budget never loses an item.

What must be in comes first. All else is merged into one order that does not depend on the budget: every
section has a share, and an item's turn comes when its section's tokens so far, divided by the share, are
the smallest (weighted fair queueing). The selection is the longest prefix of that order that fits. A
section's heading is paid with its first item, a memory's headline with its first record. Costs are upper
bounds in tokens.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from service.model.vocabulary import Section

HEADLINE = -1
"""The record number of a memory's headline taken alone."""


@dataclass(frozen=True, slots=True)
class PackingProfile:
    """How a context is shared out. Shares are relative; caps are tokens."""

    name: str
    records_share: float
    recalled_share: float
    window_share: float
    message_tokens_max: int
    """A longer old message enters as an excerpt of this size."""
    request_tokens_max: int
    """A longer newest user message enters as an excerpt of this size."""
    unseen_tokens_max: int
    """A longer result that no run has seen enters as an excerpt of this size."""
    unseen_budget_share: float
    """Part of what the request leaves of the budget that unseen results may take together, in (0, 1)."""


PROFILES = {
    profile.name: profile
    for profile in (
        PackingProfile("default", 5.0, 2.0, 2.0, 400, 16_000, 2_000, 0.6),
        PackingProfile("economy", 5.0, 2.0, 1.0, 120, 8_000, 1_000, 0.5),
        PackingProfile("thorough", 4.0, 2.0, 3.0, 2_000, 32_000, 8_000, 0.6),
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


@dataclass(frozen=True, slots=True)
class Queue:
    """A section's candidates, best first. An item that another queue brought already costs nothing here."""

    section: Section
    share: float
    heading_tokens: int
    items: Sequence[Item]


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


def pack(required: Required, queues: Sequence[Queue], budget_tokens: int, profile: PackingProfile) -> Packing:
    """Fill a budget. Raises BudgetTooSmall. Same inputs, same answer; `pack(b)` is within `pack(b + 1)`."""
    granted = grant_unseen(required, budget_tokens, profile)
    reserved = required.fixed_tokens + sum(granted.values())
    order, costs = merge(queues)
    taken = bisect_right(costs, budget_tokens - reserved)
    spent = costs[taken - 1] if taken else 0
    return Packing(tuple(order[:taken]), granted, reserved + spent, tuple(order[taken:]))


def grant_unseen(required: Required, budget_tokens: int, profile: PackingProfile) -> dict[str, int]:
    """Tokens for each unseen result: whole where it can be, else levelled down to the profile's part.

    Growing the budget by one token grows the sum by at most one, so that nothing else is ever pushed out.
    """
    wanted = {uid: min(tokens, profile.unseen_tokens_max) for uid, tokens in required.unseen}
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


def merge(queues: Sequence[Queue]) -> tuple[list[Item], list[int]]:
    """One order of all items and its running cost, headings and headlines included."""
    turns: list[tuple[float, int, int, Item]] = []
    for number, queue in enumerate(queues):
        heads: set[str] = set()
        served = float(queue.heading_tokens)
        for at, item in enumerate(queue.items):
            served += item.tokens + (item.head_tokens if item.uid not in heads else 0)
            heads.add(item.uid)
            turns.append((served / queue.share, number, at, item))
    turns.sort(key=lambda turn: turn[:3])
    order: list[Item] = []
    costs: list[int] = []
    taken: set[tuple[str, int | None]] = set()
    heads = set()
    opened: set[int] = set()
    for _, number, _, item in turns:
        if (item.uid, item.record) in taken:
            continue
        cost = item.tokens + (item.head_tokens if item.uid not in heads else 0)
        cost += queues[number].heading_tokens if number not in opened else 0
        taken.add((item.uid, item.record))
        heads.add(item.uid)
        opened.add(number)
        order.append(item)
        costs.append(cost)
    return order, list(accumulate(costs))
