"""Knowledge is looked for when a question is asked; a review moves a candidate along stated ways only."""

from __future__ import annotations

import pytest

from service.model.candidates import PassageCandidate
from service.model.vocabulary import PrivacyClass, ReviewAction, ReviewState, Section
from service.policies.knowledge import fit, met, weighed
from service.policies.questions import is_question
from service.policies.review import MOVES, after


@pytest.mark.parametrize(
    "text",
    [
        "How many bags may I take?",
        "seats on HAT268?",
        "Thanks. what about bags",
        "can I bring my dog",
        "Please tell me the opening hours.",
        "I want to know when you open.",
        "Wie viele Koffer darf ich mitnehmen",
        "Gibt es noch Plätze",
        "¿Cuántas maletas",
    ],
)
def test_a_question_mark_or_the_way_a_sentence_begins_makes_a_question(text: str) -> None:
    assert is_question(text)
    assert not is_question(text, flag=False)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n" * 100_000,
        " - " * 100_000,
        "Book it.",
        "Do it now.",
        "Buche den Flug HAT268.",
        "It is the best, whatever they say.",
    ],
)
def test_what_tells_or_orders_is_no_question_unless_the_request_says_so(text: str) -> None:
    assert not is_question(text)
    assert is_question(text, flag=True)


def test_a_decided_candidate_is_reopened_before_it_is_decided_again() -> None:
    for state in (ReviewState.APPROVED, ReviewState.REJECTED):
        allowed = [action for action in MOVES if after(state, action) is not None]
        assert allowed == [ReviewAction.REOPEN]


def test_what_is_not_decided_can_be_assigned_approved_and_rejected() -> None:
    for state in (ReviewState.OPEN, ReviewState.ASSIGNED, ReviewState.REOPENED):
        reached = {action: after(state, action) for action in MOVES}
        assert reached == {
            ReviewAction.ASSIGN: ReviewState.ASSIGNED,
            ReviewAction.APPROVE: ReviewState.APPROVED,
            ReviewAction.REJECT: ReviewState.REJECTED,
            ReviewAction.REOPEN: None,
        }


def test_a_piece_meets_a_question_by_its_words_or_by_its_meaning_and_not_by_chance() -> None:
    assert met(covered=0.29, near=0.34) == 0.0
    assert met(covered=0.6, near=0.1) == 0.6
    assert met(covered=0.0, near=0.4) == 0.8
    assert met(covered=0.9, near=0.99) == 1.0


def test_what_fits_better_is_worth_more_and_comes_as_a_note_of_its_section() -> None:
    found = [
        PassageCandidate("p1", "d", 1, "Bags", " One bag. ", PrivacyClass.PUBLIC, fit(1.0, 1.0)),
        PassageCandidate("p2", "d", 1, "Bags", "Skis.", PrivacyClass.PUBLIC, fit(0.5, 0.0)),
    ]
    best, second = weighed(found)
    assert best.worth == 4 * second.worth and best.text == "Bags: One bag."
    assert {note.section for note in (best, second)} == {Section.KNOWLEDGE_PASSAGES}
