"""A newer statement of the same supersedes, nothing merely related does, and all else is a conflict."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some
from remembered import NOON

from service.model.candidates import Governance
from service.model.configuration import ProviderRoute
from service.model.lineage import Lineage
from service.model.user_memory import UserMemory
from service.model.verdict import Reason
from service.model.vocabulary import MemoryKind, ParticipantKind, PrivacyClass, RuntimeKind, Visibility
from service.policies.attribution import Asker
from service.policies.user_memories import (
    Reader,
    Relations,
    Remembered,
    memory_key,
    normalised,
    ranked,
    relate,
    remembered,
)

MIA, AGENT = "mia", "agent"
LATER = NOON + timedelta(days=365)


def memory(number: int, value: str = "", **more: Any) -> UserMemory:
    """What Mia states of her seat, the later the higher its number."""
    day = NOON + timedelta(days=number)
    made = UserMemory(
        uid=f"u{number:03}",
        memory_id=f"m{number}",
        conversation_uid="trip",
        place=(number, 0),
        user_uid=MIA,
        kind=MemoryKind.FACT,
        subject="seat",
        predicate="prefers",
        memory_key=memory_key("seat", "prefers"),
        stated_by=MIA,
        confidence=1.0,
        effective_at=day,
        recorded_at=day,
        governance=owned(),
        subject_uids=(MIA,),
        value=value or f"row {number}",
    )
    return replace(made, **more)


def owned(visibility: Visibility = Visibility.CONVERSATION, by: str = AGENT, branch: int = 1) -> Governance:
    return Governance(by, visibility, PrivacyClass.PERSONAL, branch)


def recorded(memories: Iterable[UserMemory]) -> dict[str, UserMemory]:
    """All of them after they came in this order, with what supersedes each."""
    known: dict[str, UserMemory] = {}
    for new in memories:
        found = relate(new, [one for one in known.values() if not one.superseded_by])
        known[new.uid] = replace(new, superseded_by=found.superseded_by)
        for uid in found.supersedes:
            known[uid] = replace(known[uid], superseded_by=(*known[uid].superseded_by, new.uid))
    return known


def seen(
    *memories: UserMemory,
    by: str = AGENT,
    agent: str | None = None,
    now: datetime = LATER,
    route: ProviderRoute | None = None,
) -> Remembered:
    """As a seat of the conversation is shown them."""
    asker = Asker(by, ParticipantKind.AGENT, RuntimeKind.CHAT, Lineage.of(1, [], [], 1000))
    return remembered(memories, Reader(asker, agent, route), now)


def current(found: Remembered) -> list[str]:
    return sorted(one.uid for one in found.current)


def test_of_two_hundred_statements_of_one_thing_the_newest_is_in_force() -> None:
    found = seen(*recorded(memory(number) for number in range(200)).values())
    assert current(found) == ["u199"]
    assert list(found.omitted.values()) == [Reason.SUPERSEDED] * 199 and found.conflicts == {}


@pytest.mark.parametrize(
    "other",
    [
        {"memory_key": memory_key("seat", "avoids")},
        {"memory_key": memory_key("seats", "prefers")},
        {"user_uid": "bo", "stated_by": "bo"},
        {"agent": "clerk"},
    ],
)
def test_what_is_merely_related_neither_ends_nor_contradicts_anything(other: dict[str, Any]) -> None:
    first, second = memory(1), memory(2, **other)
    assert relate(second, [first]) == Relations((), (), ())
    assert current(seen(first, second)) == ["u001", "u002"]


def test_case_punctuation_and_the_width_of_letters_make_no_other_thing() -> None:
    assert memory_key("Seat", "prefers_most") == memory_key(" seat ", "Prefers: most")
    assert normalised("\uff33\uff25at") == "seat" and normalised("Straße") == normalised("STRASSE")
    assert normalised("!!") == "!!" and memory_key("a b", "c") != memory_key("a", "b c")


def test_the_person_has_the_last_word_and_everybody_else_only_over_their_own() -> None:
    guessed, said = memory(1, stated_by="clerk"), memory(2)
    assert relate(said, [guessed]).supersedes == (guessed.uid,)
    again = memory(3, stated_by="clerk")
    assert relate(again, [said]).conflicts_with == (said.uid,)
    found = seen(said, again)
    assert current(found) == [said.uid, again.uid]
    assert found.conflicts == {said.uid: (again.uid,), again.uid: (said.uid,)}


def test_what_is_less_sure_contradicts_and_what_agrees_does_not() -> None:
    sure, unsure = memory(1, "window"), memory(2, "aisle", confidence=0.5)
    assert relate(unsure, [sure]).conflicts_with == (sure.uid,)
    assert relate(replace(unsure, value=" Window"), [sure]) == Relations((), (), ())


def test_a_correction_ends_what_it_names_whoever_stated_that() -> None:
    wrong = memory(1)
    right = memory(2, stated_by="clerk", confidence=0.1)
    assert relate(right, [wrong], wrong).supersedes == (wrong.uid,)


def test_a_statement_that_comes_in_late_ends_nothing_that_is_newer() -> None:
    new, old = memory(9), memory(1)
    assert relate(old, [new]) == Relations((), (new.uid,), ())


def test_what_begins_later_ends_the_older_one_when_it_begins() -> None:
    now, then = memory(1), memory(2, effective_at=NOON + timedelta(days=40))
    before, after = NOON + timedelta(days=39), NOON + timedelta(days=40)
    assert seen(now, then, now=before).omitted == {then.uid: Reason.NOT_YET_VALID}
    assert seen(now, then, now=after).omitted == {now.uid: Reason.SUPERSEDED}


def test_an_old_value_does_not_come_back_when_the_new_one_is_over_or_retracted() -> None:
    old = memory(1)
    for ended, reason in (
        (memory(2, valid_until=NOON + timedelta(days=9)), Reason.EXPIRED),
        (memory(2, retracted_at=NOON + timedelta(days=9)), Reason.RETRACTED),
    ):
        assert seen(old, ended).omitted == {old.uid: Reason.SUPERSEDED, ended.uid: reason}
        assert current(seen(old, ended, now=NOON + timedelta(days=8))) == [ended.uid]


def test_what_holds_at_other_times_is_no_conflict() -> None:
    first = memory(1, valid_until=NOON + timedelta(days=5))
    second = memory(9, stated_by="clerk")
    assert relate(second, [first]) == Relations((), (), ())


def test_a_private_or_a_branchs_own_statement_hides_nothing_from_others() -> None:
    for item in (owned(Visibility.PARTICIPANT, "other"), owned(Visibility.BRANCH, branch=2)):
        wide, narrow = memory(1), memory(2, governance=item)
        assert relate(narrow, [wide]).supersedes == ()
        assert current(seen(wide, narrow)) == [wide.uid]
    private = memory(2, governance=owned(Visibility.PARTICIPANT, "other"))
    assert seen(memory(1), private).omitted == {private.uid: Reason.PRIVATE_TO_OTHER}
    assert seen(memory(1), private, by="other").conflicts == {"u001": ("u002",), "u002": ("u001",)}
    assert seen(memory(1, governance=owned(Visibility.AUDIT))).omitted == {"u001": Reason.AUDIT_ONLY}


def test_what_may_not_go_to_the_provider_still_ends_the_older_one() -> None:
    secret = replace(owned(), privacy_class=PrivacyClass.SECRET)
    found = seen(memory(1), memory(2, governance=secret), route=ProviderRoute(trains_on_data=False))
    assert found.omitted == {"u001": Reason.SUPERSEDED, "u002": Reason.PRIVACY_CLASS_BARRED}


def test_another_agents_memory_is_left_out_by_name() -> None:
    found = seen(memory(1, agent="clerk"), memory(2, agent="buyer"), agent="buyer")
    assert found.omitted == {"u001": Reason.FOR_ANOTHER_AGENT}


def test_instructions_and_preferences_come_before_facts_of_equal_relevance_and_sides_stay_together() -> None:
    things = [memory_key(str(number), "is") for number in range(4)]
    fact, wish, best = (memory(number, memory_key=things[number]) for number in (3, 1, 2))
    wish = replace(wish, kind=MemoryKind.PREFERENCE)
    side = memory(4, "else", memory_key=things[2], stated_by="clerk")
    found = seen(fact, wish, best, side)
    relevances = [{fact.uid: 0.5, wish.uid: 0.5, best.uid: 0.9, side.uid: 0.0}[o.uid] for o in found.current]
    assert [one.uid for _, one in ranked(found, relevances)] == ["u002", "u004", "u001", "u003"]


STATED = some.builds(
    lambda number, by, sure, value: memory(number, value, stated_by=by, confidence=sure),
    some.integers(0, 20),
    some.sampled_from([MIA, "clerk", "buyer"]),
    some.sampled_from([0.2, 0.5, 1.0]),
    some.sampled_from(["window", "aisle"]),
)


@given(some.lists(STATED, max_size=5, unique_by=lambda one: one.uid))
def test_the_order_in_which_statements_come_in_makes_no_difference(stated: list[UserMemory]) -> None:
    told = {
        (tuple(current(found)), tuple(sorted(found.conflicts.items())))
        for order in permutations(stated)
        for found in (seen(*recorded(order).values()),)
    }
    conflicts = {tuple(sorted((uid, tuple(sorted(against))) for uid, against in pairs)) for _, pairs in told}
    assert len({uids for uids, _ in told}) == 1 and len(conflicts) == 1


@given(some.lists(STATED, max_size=12, unique_by=lambda one: one.uid), some.data())
def test_nothing_supersedes_itself_through_others_also_with_corrections(
    stated: list[UserMemory], data: some.DataObject
) -> None:
    known: dict[str, UserMemory] = {}
    for new in stated:
        earlier = some.sampled_from([*known.values()]) if known else some.none()
        corrected = data.draw(some.none() | earlier)
        found = relate(new, [one for one in known.values() if not one.superseded_by], corrected)
        assert not set(found.supersedes) & set(found.superseded_by)
        known[new.uid] = replace(new, superseded_by=found.superseded_by)
        for uid in found.supersedes:
            known[uid] = replace(known[uid], superseded_by=(*known[uid].superseded_by, new.uid))
    for uid in known:
        reached, ahead = set[str](), [uid]
        while ahead:
            ahead = [one for at in ahead for one in known[at].superseded_by if one not in reached]
            reached |= set(ahead)
        assert uid not in reached


@given(some.lists(STATED, min_size=1, max_size=8, unique_by=lambda one: one.uid))
def test_something_is_always_in_force(stated: list[UserMemory]) -> None:
    assert seen(*recorded(stated).values()).current
