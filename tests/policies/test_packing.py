"""A budget is filled with what is worth its room, and what must be in is in."""

from __future__ import annotations

from dataclasses import replace

import pytest

from service.errors import BudgetTooSmall
from service.model.vocabulary import Section
from service.policies.packing import (
    NEVER_WAITS_TOKENS,
    PROFILES,
    UNSEEN_TOKENS_MIN,
    Item,
    Queue,
    Required,
    pack,
)

PLAIN = replace(PROFILES["default"], thrift=0.0)
NOTHING = Required(0)


def record(number: int, worth: float, tokens: int = 10, uid: str = "memory", head_tokens: int = 5) -> Item:
    """One record of a memory."""
    return Item(Section.TOOL_MEMORIES, uid, tokens, number, head_tokens, worth)


def said(uid: str, worth: float, tokens: int = 10, section: Section = Section.RECALLED_MESSAGES) -> Item:
    """A message."""
    return Item(section, uid, tokens, worth=worth)


def noted(*items: Item, heading_tokens: int = 0, weight: float = 1.0, filling: bool = False) -> Queue:
    """A queue of memory records."""
    opens = {"fence": heading_tokens}
    return Queue(Section.TOOL_MEMORIES, weight, items, opens, filling)


def recalled(*items: Item, weight: float = 1.0) -> Queue:
    """A queue of messages."""
    return Queue(Section.RECALLED_MESSAGES, weight, items)


def test_the_headline_is_paid_with_the_first_record_and_the_heading_with_the_first_item() -> None:
    queue = noted(record(0, 0.9), record(1, 0.8), heading_tokens=3)
    assert pack(NOTHING, [queue], 17, PLAIN).items == ()
    one = pack(NOTHING, [queue], 18, PLAIN)
    assert ([item.record for item in one.items], one.tokens) == ([0], 18)
    both = pack(NOTHING, [queue], 28, PLAIN)
    assert ([item.record for item in both.items], both.tokens) == ([0, 1], 28)


def test_what_several_queues_open_is_paid_once_and_not_at_all_where_it_is_open_already() -> None:
    records, words = noted(record(0, 0.9), heading_tokens=3), recalled(said("a", 0.3))
    words = replace(words, opens={"fence": 3, "heading": 2})
    both = [records, words]
    assert pack(NOTHING, both, 999, PLAIN).tokens == (10 + 5 + 3) + (10 + 2)
    assert pack(Required(0, opened=frozenset(["fence"])), both, 999, PLAIN).tokens == (10 + 5) + (10 + 2)


def test_sections_are_merged_by_worth_and_weight() -> None:
    records, words = noted(record(0, 0.5), record(1, 0.1)), recalled(said("a", 0.3), said("b", 0.2))
    assert [item.uid for item in pack(NOTHING, [records, words], 999, PLAIN).items] == [
        "memory",
        "a",
        "b",
        "memory",
    ]
    heavier = recalled(said("a", 0.3), said("b", 0.2), weight=2.0)
    assert [i.uid for i in pack(NOTHING, [records, heavier], 999, PLAIN).items] == [
        "a",
        "memory",
        "b",
        "memory",
    ]


def test_a_queue_is_taken_from_its_front_even_where_a_later_item_is_worth_more() -> None:
    packed = pack(NOTHING, [recalled(said("first", 0.1), said("second", 0.9))], 10, PLAIN)
    assert [item.uid for item in packed.items] == ["first"]


def test_nothing_smaller_is_taken_past_what_did_not_fit() -> None:
    packed = pack(NOTHING, [recalled(said("large", 0.9, tokens=50), said("small", 0.8, tokens=5))], 20, PLAIN)
    assert packed.items == ()
    assert [item.uid for item in packed.left_out] == ["large", "small"]


def test_a_very_long_message_lets_all_pass_that_costs_less_until_it_is_no_larger_than_these() -> None:
    long = NEVER_WAITS_TOKENS + 100
    words = recalled(said("long", 0.9, tokens=long), *(said(f"{n}", 0.8, tokens=50) for n in range(20)))
    for budget, entered in ((long + 49, 10), (2 * long - 1, 10), (2 * long, 11), (2 * long + 500, 21)):
        packed = pack(NOTHING, [words], budget, PLAIN)
        assert (len(packed.items), "long" in {i.uid for i in packed.items}) == (entered, budget >= 2 * long)


def test_where_a_window_waits_nothing_older_enters_before() -> None:
    long = NEVER_WAITS_TOKENS + 100
    window = recalled(said("long", 0.9, tokens=long), said("older", 0.8))
    notes = noted(*(record(n, 0.5, uid=f"m{n}", tokens=95) for n in range(9)))
    unbroken = [replace(window, unbroken=True), notes]
    assert {i.uid for i in pack(NOTHING, unbroken, 800, PLAIN).items} == {f"m{n}" for n in range(5)}
    order = [i.uid for i in pack(NOTHING, unbroken, 9_999, PLAIN).items]
    assert order == [*(f"m{n}" for n in range(5)), "long", "older", *(f"m{n}" for n in range(5, 9))]


def test_a_message_that_two_queues_bring_is_taken_and_paid_once() -> None:
    window = Queue(Section.RECENT_WINDOW, 1.0, [said("a", 0.9, section=Section.RECENT_WINDOW)])
    packed = pack(NOTHING, [recalled(said("a", 0.3)), window], 100, PLAIN)
    assert [(item.uid, item.section) for item in packed.items] == [("a", Section.RECENT_WINDOW)]
    assert packed.tokens == 10


def test_a_thrifty_profile_leaves_room_empty_and_a_larger_budget_takes_more() -> None:
    thrifty = replace(PLAIN, thrift=2.0)
    queue = recalled(said("needed", 0.02), said("hardly", 0.002))
    small = pack(NOTHING, [queue], 200, thrifty)
    assert [item.uid for item in small.items] == ["needed"]
    assert [item.uid for item in small.unneeded] == ["hardly"]
    assert [item.uid for item in pack(NOTHING, [queue], 1_000, thrifty).items] == ["needed", "hardly"]


def test_what_other_branches_share_enters_only_where_all_else_would_fit() -> None:
    own, shared = recalled(said("own", 0.1, tokens=60)), noted(record(0, 0.9, uid="shared"), filling=True)
    assert [item.uid for item in pack(NOTHING, [shared, own], 70, PLAIN).items] == ["own"]
    assert [item.uid for item in pack(NOTHING, [shared, own], 75, PLAIN).items] == ["own", "shared"]


def test_an_unseen_result_is_whole_up_to_the_cap_and_an_excerpt_above_it() -> None:
    needed = Required(100, (("small", 300), ("huge", 50_000)))
    granted = pack(needed, [], 100_000, PLAIN).granted
    assert granted == {"small": 300, "huge": PLAIN.unseen_excerpt_tokens}


def test_unseen_results_shrink_before_a_budget_is_too_small() -> None:
    needed = Required(100, (("one", 900), ("two", 900)))
    packed = pack(needed, [recalled(said("a", 0.5))], 400, PLAIN)
    assert sum(packed.granted.values()) <= 300 * PLAIN.unseen_budget_share
    assert [item.uid for item in packed.items] == ["a"]
    assert packed.tokens <= 400


def test_a_budget_that_cannot_hold_what_must_be_in_says_what_it_needs() -> None:
    needed = Required(100, (("call", 900),), what="All of it", pin_uids=("pin",))
    with pytest.raises(BudgetTooSmall) as refused:
        pack(needed, [], 120, PLAIN)
    assert refused.value.needed_tokens == 100 + UNSEEN_TOKENS_MIN
    assert (refused.value.what, refused.value.pin_uids) == ("All of it", ["pin"])
    assert pack(needed, [], refused.value.needed_tokens, PLAIN).granted == {"call": UNSEEN_TOKENS_MIN}
