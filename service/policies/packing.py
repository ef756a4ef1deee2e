"""From ranked candidates and a budget to a selection, so that a larger budget never loses an item.

What must be in comes first. All else is merged into one order that does not depend on the budget: by worth
per token times the weight of the section's queue, except that an item waits while it is larger than all that
stands before it, so that a long one does not keep a small budget empty. What is taken fits, in that order,
and is worth its room: an item enters only where `worth * budget >= thrift`, so that a small budget is not
filled with what nobody needs, while a large one takes everything. A memory's headline is paid with its first
record; a fence, or a section's heading, with the first item inside. Costs are upper bounds in tokens.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from heapq import heappop, heappush
from typing import NamedTuple

from service.errors import BudgetTooSmall
from service.model.vocabulary import Section

HEADLINE = -1
"""The record number of a memory's headline taken alone."""
NEVER_WAITS_TOKENS = 400
"""An item of this size waits for nothing."""


@dataclass(frozen=True, slots=True)
class PackingProfile:
    """How a context is shared out. Weights are factors on worth; caps are tokens."""

    name: str
    records_weight: float
    recalled_weight: float
    window_weight: float
    history_weight: float
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
        PackingProfile("default", 1.0, 1.0, 1.0, 1.0, 6.0, 400, 16_000, 2_000, 1_000, 0.6),
        PackingProfile("economy", 1.0, 1.0, 0.5, 1.0, 3.0, 120, 8_000, 1_000, 300, 0.5),
        PackingProfile("thorough", 1.0, 1.0, 2.0, 1.0, 0.0, 2_000, 32_000, 8_000, 4_000, 0.6),
    )
}

UNSEEN_TOKENS_MIN = 40
"""An unseen result is never cut below this; a budget that cannot hold it is too small."""


class Item(NamedTuple):
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

    An item counts at most what the one before it does, so that a queue is taken from its front.
    """

    section: Section
    weight: float
    items: Sequence[Item]
    opens: Mapping[str, int] = field(default_factory=dict)
    """What the first item brings along, by name, in tokens: a fence, a heading. Each is paid once."""
    filling: bool = False
    """Comes after all other queues, and only where these would fit whole: what other branches share."""
    unbroken: bool = False
    """Has no gaps: where an item waits, those behind it do."""


@dataclass(frozen=True, slots=True)
class Required:
    """What must be in: a fixed cost and the results that no run has seen (call uid, tokens when whole)."""

    fixed_tokens: int
    unseen: tuple[tuple[str, int], ...] = ()
    opened: frozenset[str] = frozenset()
    """What is paid already of that which queues open."""
    what: str = "What must enter"
    """All of it by kind and number, for the error."""
    pin_uids: tuple[str, ...] = ()
    """The pins among it, for the error."""


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
    for entry in merge(queues, required.opened):
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
        raise BudgetTooSmall(required.fixed_tokens + floor, required.what, required.pin_uids)
    total = min(sum(wanted.values()), max(floor, int(left * profile.unseen_budget_share)))
    granted: dict[str, int] = {}
    for at, (uid, tokens) in enumerate(sorted(wanted.items(), key=lambda pair: pair[1])):
        granted[uid] = min(tokens, total // (len(wanted) - at))
        total -= granted[uid]
    return granted


class Merged(NamedTuple):
    """An item in the one order: its weighted worth, its cost with all that it brings, and the cost of
    everything up to and with it."""

    item: Item
    worth: float
    cost: int
    end: int


_Turn = tuple[bool, float, int, int, Item]
"""Whether it only fills, its worth negated, the numbers of its queue and in it: these tell any two apart, so
that items are never compared."""


def merge(queues: Sequence[Queue], opened: Set[str] = frozenset()) -> list[Merged]:
    """One order of all items, independent of any budget: the most worth first, the large ones not too
    early."""
    turns: list[_Turn] = []
    for number, queue in enumerate(queues):
        worth = float("inf")
        for at, item in enumerate(queue.items):
            worth = min(worth, item.worth * queue.weight)
            turns.append((queue.filling, -worth, number, at, item))
    order = _Order(queues, opened)
    for filling in (False, True):
        for turn in sorted(turn for turn in turns if turn[0] is filling):
            order.offer(turn)
            order.admit()
        order.admit(all_of_them=True)
    return order.merged


class _Order:
    """The order as it grows, and what waits to enter it: the smallest first."""

    def __init__(self, queues: Sequence[Queue], opened: Set[str]) -> None:
        self.merged: list[Merged] = []
        self._queues = queues
        self._opened = set(opened)
        self._opening = self._still_to_open()
        """What the next item of each queue brings along, in tokens."""
        self._entered: set[tuple[str, int | None]] = set()
        self._headed: set[str] = set()
        self._waiting: list[tuple[int, _Turn]] = []
        self._behind: dict[int, list[_Turn]] = {}
        """Turns of an unbroken queue whose front waits, by the queue's number."""
        self._end = 0

    def offer(self, turn: _Turn) -> None:
        """Enter, or wait."""
        _, _, number, _, item = turn
        if number in self._behind:
            self._behind[number].append(turn)
            return
        cost = self._cost(number, item)
        if cost <= NEVER_WAITS_TOKENS or cost <= self._end:
            self._enter(turn, cost)
            return
        heappush(self._waiting, (cost, turn))
        if self._queues[number].unbroken:
            self._behind[number] = []

    def admit(self, all_of_them: bool = False) -> None:
        """Let in what is no larger than what stands before it."""
        while self._waiting and (all_of_them or self._waiting[0][0] <= self._end):
            _, turn = heappop(self._waiting)
            self._enter(turn, self._cost(turn[2], turn[4]))
            for later in self._behind.pop(turn[2], ()):
                self.offer(later)

    def _enter(self, turn: _Turn, cost: int) -> None:
        _, negative, number, _, item = turn
        if not self._entered.isdisjoint(((item.uid, item.record), (item.uid, None))):
            return
        self._end += cost
        self._entered.add((item.uid, item.record))
        self._headed.add(item.uid)
        if self._opening[number]:
            self._opened.update(self._queues[number].opens)
            self._opening = self._still_to_open()
        self.merged.append(Merged(item, -negative, cost, self._end))

    def _cost(self, number: int, item: Item) -> int:
        head = 0 if item.uid in self._headed else item.head_tokens
        return item.tokens + head + self._opening[number]

    def _still_to_open(self) -> list[int]:
        return [
            sum(tokens for name, tokens in queue.opens.items() if name not in self._opened)
            for queue in self._queues
        ]
