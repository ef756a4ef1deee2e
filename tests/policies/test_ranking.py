"""What the next call is likely to need comes first."""

from __future__ import annotations

from itertools import pairwise

from remembered import memory, message

from service.model.candidates import Focus, MemoryCandidate
from service.model.vocabulary import Role
from service.policies.packing import HEADLINE
from service.policies.ranking import Kind, RankedRecord, rank_messages, rank_records, rank_window, values

ACCOUNT = memory(
    4,
    "get_user(user_id=mia_li_3668)",
    "biography likes long walks and the sea, and has done so for many a year",
    "reservations: NO6JO3, AIXC49, HKEG34",
)


def texts(ranked: list[RankedRecord]) -> list[str]:
    """The records in order."""
    return [
        entry.memory.records[entry.record] if entry.record >= 0 else entry.memory.headline for entry in ranked
    ]


def worth_of(text: str, memories: list[MemoryCandidate], focus: Focus) -> float:
    """The worth of one record."""
    ranked = rank_records(memories, focus)
    return next(entry.worth for entry, said in zip(ranked, texts(ranked), strict=True) if said == text)


def test_identifiers_come_before_prose() -> None:
    ranked = rank_records([ACCOUNT], Focus("Please go on."))
    assert texts(ranked) == ["reservations: NO6JO3, AIXC49, HKEG34", ACCOUNT.records[0]]


def test_what_the_exchange_says_already_is_hardly_worth_recalling() -> None:
    record = "reservations: NO6JO3, AIXC49, HKEG34"
    before = worth_of(record, [ACCOUNT], Focus("Please go on."))
    said = worth_of(record, [ACCOUNT], Focus("Cancel NO6JO3, AIXC49 and HKEG34."))
    assert said < before / 3


def test_what_the_assistant_just_proposed_brings_its_whole_record() -> None:
    rows = ("flight HAT136 2024-05-20 152", "flight HAT057 2024-05-20 141", "flight HAT218 2024-05-20 158")
    found = memory(6, "search(origin=JFK, destination=SEA)", *rows)
    spoken = Focus("Yes, please.", spoken_text="Shall I book HAT057 for you?")
    assert texts(rank_records([found], spoken))[0] == rows[1]


def test_words_of_the_request_bring_what_it_is_about() -> None:
    manual = memory(
        3,
        "read_manual(chapter=2)",
        "the parking brake is set by pulling the lever until it locks",
        "the window lifter stops by itself when something is in its way",
        "the seat remembers three positions for each of its drivers",
    )
    ranked = texts(rank_records([manual], Focus("How does the seat remember positions?")))
    assert ranked[0] == manual.records[2]


def test_a_field_that_a_tool_on_offer_asks_for_is_worth_more() -> None:
    record = "payment_methods: gift_card_5251654 amount 179"
    paid = memory(3, "get_user()", record)
    plain = worth_of(record, [paid], Focus("Go on."))
    wanted = worth_of(record, [paid], Focus("Go on.", tool_parameters={"book": ("payment_id", "cabin")}))
    assert wanted > plain


def test_of_two_memories_that_say_the_same_the_newer_counts() -> None:
    older, newer = memory(2, "look()", "code ABC123 here"), memory(8, "see()", "code ABC123 here")
    first, second = rank_records([older, newer], Focus("Go on."))
    assert (first.memory, second.memory) == (newer, older)
    assert second.worth < first.worth


def test_a_memory_without_records_counts_as_its_headline() -> None:
    short = memory(2, "get_zip(city=Rivermist) -> zipcode 83214")
    assert [(entry.memory, entry.record) for entry in rank_records([short], Focus("Go on."))] == [
        (short, HEADLINE)
    ]


def test_the_thousandth_item_of_a_list_is_not_worth_what_the_first_is() -> None:
    listed = memory(2, "list_stocks()", *(f"stock_list: AA{n}X, BB{n}X, CC{n}X, DD{n}X" for n in range(60)))
    ranked = rank_records([listed], Focus("Go on."))
    assert ranked[0].record == 0
    assert ranked[-1].worth < ranked[0].worth / 4


def test_kinds_of_values_are_told_apart() -> None:
    text = "order_id 12446, price 227.16, on 2024-05-20 at 10:30 by Mia, AAPL in docs/report.pdf, see X9-12"
    assert dict(values(text)) == {
        "12446": Kind.IDENTIFIER,
        "227.16": Kind.NUMBER,
        "2024-05-20": Kind.DATE,
        "Mia": Kind.NAME,
        "AAPL": Kind.CODE,
        "docs/report.pdf": Kind.PATH,
        "X9-12": Kind.IDENTIFIER,
    }


def test_what_a_user_stated_is_recalled_before_small_talk_and_before_the_assistant() -> None:
    stated = message(1, Role.USER, "My user id is mia_li_3668 and I was born on 1990-04-05.")
    thanks = message(3, Role.USER, "Thank you so much for looking into all of this for me!")
    answer = message(2, Role.ASSISTANT, "I found the user id mia_li_3668 with the birthday 1990-04-05.")
    ranked = rank_messages([answer, thanks, stated], Focus("Go on."))
    assert ranked[0].message == stated
    assert ranked[-1].worth < ranked[0].worth


def test_a_window_is_worth_less_the_farther_back_it_reaches() -> None:
    said = [message(seq, Role.USER, "x" * (500 - 20 * seq)) for seq in range(1, 12)]
    ranked = rank_window(said, None)
    assert [entry.message for entry in ranked] == said[::-1]
    assert all(nearer.worth >= farther.worth for nearer, farther in pairwise(ranked))


def test_the_order_of_the_candidates_makes_no_difference() -> None:
    memories = [
        memory(seq, f"look(at={seq})", f"code AB{seq}C, CD{seq}E", "plain words") for seq in range(1, 30)
    ]
    focus = Focus("What about CD7E?", spoken_text="I see AB9C.")
    assert rank_records(memories, focus) == rank_records(memories[::-1], focus)
