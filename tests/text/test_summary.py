"""Summaries by rule: one line for what says something, few lines for many, and no pointer lost on the way."""

from __future__ import annotations

import random
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from service.model.compaction import Audience, SummarisedItem, SummaryLine
from service.model.vocabulary import LineKind, PrivacyClass, Visibility
from service.text.summary import LINE_CHARS_MAX, closed, drafted, folded, line_text, shortened

AUDIENCES = (
    Audience("mia", Visibility.BRANCH, (), PrivacyClass.PERSONAL),
    Audience("agent", Visibility.BRANCH, (), PrivacyClass.INTERNAL),
    Audience("agent", Visibility.PARTICIPANT, ("ben",), PrivacyClass.SECRET),
)


def said(
    seq: int, text: str, audience: Audience = AUDIENCES[0], failed: bool | None = None
) -> SummarisedItem:
    return SummarisedItem(f"i{seq}", seq, text, failed, audience, (f"of-{audience.participant_uid}",))


def told(*items: SummarisedItem) -> list[tuple[LineKind, str]]:
    return [(line.kind, line.text) for line in drafted(items)]


texts = st.text(max_size=400) | st.lists(
    st.sampled_from(
        ["Thanks!", "We decided on rack 7.", "And then?", "Part 4711 is in rack 9.", "漢字。", "a | b"]
    ),
    max_size=6,
).map(" ".join)
items = st.lists(
    st.tuples(texts, st.sampled_from(AUDIENCES), st.sampled_from([None, None, None, True, False])),
    max_size=60,
).map(lambda drawn: [said(at, *one) for at, one in enumerate(drawn, start=1)])


def test_a_message_is_told_by_its_most_telling_sentence() -> None:
    talk = [said(n, "Thanks, Caroline! Nice.", AUDIENCES[n % 2]) for n in range(8)]
    telling = said(9, "Wow, Caroline! I went to the support group in Graz on Friday. Thanks!")
    assert told(*talk, telling)[-1] == (
        LineKind.STATEMENT,
        "I went to the support group in Graz on Friday.",
    )


def test_what_was_decided_comes_before_what_else_a_message_says() -> None:
    text = "The review of 47 offers took three long weeks in Vienna. We decided on HAT022."
    assert told(said(1, text)) == [(LineKind.DECISION, "We decided on HAT022.")]
    assert told(said(1, "Wir haben uns entschieden. Danke!"))[0][0] is LineKind.DECISION


def test_a_question_is_open_until_somebody_else_speaks() -> None:
    question, reply = said(1, "Which seat?"), said(2, "12A.", AUDIENCES[1])
    assert told(question) == [(LineKind.QUESTION, "Which seat?")]
    assert told(question, reply)[0][0] is LineKind.STATEMENT
    more = said(2, "By the window, or at the door?")
    assert [kind for kind, _ in told(question, more)] == [LineKind.QUESTION, LineKind.QUESTION]
    [line] = drafted([question])
    assert closed(line).kind is LineKind.STATEMENT and closed(line).item_uids == line.item_uids


def test_a_result_is_told_by_its_call_and_a_failure_with_its_error() -> None:
    assert told(said(1, "get_seats(flight=HAT022) -> 12A, 14F", failed=False)) == [
        (LineKind.RESULT, "get_seats(flight=HAT022)")
    ]
    assert told(said(1, "get_meals() failed: no answer", failed=True)) == [
        (LineKind.FAILURE, "get_meals() failed: no answer")
    ]


def test_decisions_stay_apart_longer_than_small_talk() -> None:
    talk = [said(n, f"Remark {n} about the weather.") for n in range(1, 41)]
    talk[10] = said(11, "We decided on HAT022.")
    talk[30] = said(31, "We decided on the late train.")
    kinds = Counter(line.kind for line in folded(drafted(talk), 8))
    assert kinds[LineKind.DECISION] == 2 and sum(kinds.values()) == 8


def test_a_line_that_nothing_is_folded_into_stays_as_it_is_and_one_that_takes_part_is_pointed_at() -> None:
    earlier = [
        SummaryLine(LineKind.STATEMENT, f"Part {n}.", n, n, 1, AUDIENCES[0], (), uid=f"line-{n}")
        for n in range(1, 5)
    ]
    assert folded(earlier, 8) == earlier
    first, *rest = folded(earlier, 3)
    assert (first.uid, first.line_uids, first.item_count) == (None, ("line-1", "line-2"), 2)
    assert rest == earlier[2:]


def test_a_line_points_at_what_it_stands_for() -> None:
    assert line_text(LineKind.DECISION, "HAT022.", (5, 5), 1, "Ada") == "@5 Ada, decision: HAT022.\n"
    assert line_text(LineKind.RESULT, "get()", (5, 9), 3, "Ada") == "@5-@9 (3) result: get()\n"


@given(items, st.integers(1, 30), st.randoms(use_true_random=False))
def test_folding_loses_no_pointer_mixes_no_audience_and_does_not_depend_on_order(
    drawn: list[SummarisedItem], lines_max: int, chance: random.Random
) -> None:
    lines = drafted(drawn)
    assert [line.item_uids[0] for line in lines] == [i.uid for i in drawn if shortened(i.text, 200)]
    kept = folded(lines, lines_max)
    assert Counter(uid for line in kept for uid in line.item_uids) == Counter(
        uid for line in lines for uid in line.item_uids
    )
    assert len(kept) <= max(lines_max, len({(line.audience, line.kind) for line in lines}))
    of_item = {item.uid: item for item in drawn}
    for line in kept:
        stood_for = [of_item[uid] for uid in line.item_uids]
        assert {item.audience for item in stood_for} == {line.audience}
        assert line.item_count == len(stood_for)
        assert (line.first_seq, line.last_seq) == (stood_for[0].seq, stood_for[-1].seq)
        assert set(line.subject_uids) == {uid for item in stood_for for uid in item.subject_uids}
        assert 0 < len(line.text) <= LINE_CHARS_MAX and "\n" not in line.text
    chance.shuffle(lines)
    assert folded(lines, lines_max) == kept
    assert folded(kept, lines_max) == kept
