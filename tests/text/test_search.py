"""A search finds what a query is about among the texts that it is given, and knows of no others."""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from service.text.search import Query, relevance, search
from service.text.search.index import Index, View
from service.text.search.pieces import GAP, PIECES_MAX, pieces, with_gaps
from service.text.search.terms import counted

TALK = (
    "Good morning, how are you?",
    "My sister moved to Lisbon in the spring.",
    "That sounds lovely.",
    "We talked about the weather for a while.",
    "The parking brake is set by pulling the lever.",
)
DIRECTIONS = np.eye(4, dtype=np.float32)


def view_of(texts: Sequence[str]) -> View:
    """All of some texts that nobody in particular said."""
    index = Index()
    index.add((text, "") for text in texts)
    return View(index, np.ones(len(texts), dtype=np.bool_))


def best(query: str, texts: tuple[str, ...]) -> str:
    """The most relevant text."""
    found = relevance(query, texts)
    return texts[found.index(max(found))]


def test_shared_words_decide_whatever_their_endings() -> None:
    assert best("Where did his sisters move?", TALK) == TALK[1]
    assert best("setting the parking brakes", TALK) == TALK[4]


def test_a_rare_word_tells_more_than_a_common_one() -> None:
    texts = (*("the order of the day",) * 8, "the order of Lisbon", "a walk in Lisbon")
    found = relevance("Lisbon order", texts)
    assert found[9] > found[0]
    assert found[8] == max(found) == 1.0


def test_what_shares_no_word_is_not_relevant_by_words() -> None:
    assert relevance("submarine", TALK) == [0.0] * len(TALK)
    assert relevance("submarine", ()) == []


def test_a_name_in_the_query_leads_to_what_its_owner_said() -> None:
    index = Index()
    index.add([("I went hiking.", "p1"), ("I went hiking.", "p2")])
    view = View(index, np.ones(2, dtype=np.bool_))
    found = search(Query("When did Caroline hike?", names={"p1": "Melanie", "p2": "Caroline"}), [view])
    assert found[0].texts[1] > found[0].texts[0]


def test_what_stands_beside_something_found_is_found_with_it() -> None:
    alone = search(Query("Lisbon"), [view_of(TALK)])[0].texts
    beside = search(Query("Lisbon"), [view_of(TALK)], neighbours=1)[0].texts
    further = search(Query("Lisbon"), [view_of(TALK)], neighbours=2)[0].texts
    assert [bool(one) for one in alone] == [False, True, False, False, False]
    assert [bool(one) for one in beside] == [True, True, True, False, False]
    assert bool(further[3]) and not further[4]
    assert beside[1] > beside[2]


def test_it_leads_to_no_neighbour_of_another_session() -> None:
    day = 24 * 3_600.0
    view = view_of(TALK)
    times = np.array([0.0, 60.0, day, day + 60, day + 120])
    found = search(Query("Lisbon"), [View(view.index, view.shown, times)], neighbours=2)[0].texts
    assert [bool(one) for one in found] == [True, True, False, False, False]


def test_a_time_that_the_query_names_leads_to_what_was_said_then() -> None:
    view = view_of(TALK)
    view = View(view.index, view.shown, np.array([0.0, 1.0, 2.0, 3.0, 4.0]))
    plain, timed = (
        search(Query("What did we say?", spans=spans), [view])[0].texts for spans in ((), [(3.0, 4.0)])
    )
    assert not plain[2] and not plain[3]
    assert timed[3] > timed[1] == plain[1] and timed.argmax() == 3


def test_vectors_find_what_is_said_in_other_words() -> None:
    index = Index()
    index.add([("my cat is ill", ""), ("the bank is closed", "")])
    index.embed(DIRECTIONS[:2], DIRECTIONS[:2])
    view = View(index, np.ones(2, dtype=np.bool_))
    found = search(Query("feline disease", DIRECTIONS[0]), [view])[0]
    assert found.texts[0] > found.texts[1]
    assert found.pieces[0] > found.pieces[1]


def test_what_has_no_vector_is_near_to_nothing() -> None:
    """Neither what may not go to the model nor a question of blanks finds anything by nearness."""
    index = Index()
    index.add([("my cat is ill", ""), ("the bank is closed", "")])
    nothing = np.zeros((1, 4), dtype=np.float32)
    vectors = np.concatenate([nothing, -DIRECTIONS[:1]])
    index.embed(vectors, vectors)
    view = View(index, np.ones(2, dtype=np.bool_))
    found = search(Query("feline disease", DIRECTIONS[0]), [view])[0]
    assert found.texts[0] == 0 < found.texts[1]
    assert not search(Query(" ", nothing[0]), [view])[0].texts.any()


def test_texts_without_words_are_searched_as_any_others() -> None:
    index = Index()
    index.add([("", ""), ("my cat is ill", ""), ("", "")])
    vectors = np.concatenate([np.zeros((1, 4)), DIRECTIONS[:1], np.zeros((1, 4))]).astype(np.float32)
    index.embed(vectors, vectors)
    view = View(index, np.ones(3, dtype=np.bool_))
    found = search(Query("feline disease", DIRECTIONS[0]), [view])[0]
    assert [bool(one) for one in found.texts] == [False, True, False]
    assert len(found.pieces) == 3


def test_equal_vectors_are_equally_near_wherever_they_stand() -> None:
    made = np.random.default_rng(0).normal(size=(2, 256))
    row, query = (made / np.linalg.norm(made, axis=1, keepdims=True)).astype(np.float32)
    for size in range(1, 40):
        index = Index()
        index.add([("same", "")] * size)
        index.embed(np.tile(row, (size, 1)), np.tile(row, (size, 1)))
        assert len(set(index.near_texts(query).tolist())) == 1


def test_a_text_of_blank_lines_is_cut_in_no_time() -> None:
    started = time.process_time()
    assert pieces("\n " * 500_000) == ("\n " * 500_000,)
    assert time.process_time() - started < 5


def test_a_text_that_is_not_shown_is_not_found_and_changes_nothing() -> None:
    alone = view_of(TALK[:3])
    index = Index()
    index.add((text, "") for text in (*TALK[:3], "sister sister Lisbon", "Lisbon in the spring"))
    hiding = View(index, np.array([True, True, True, False, False]))
    query = Query("Which sister moved to Lisbon in the spring?")
    plain, hidden = search(query, [alone])[0], search(query, [hiding])[0]
    assert hidden.texts[:3].tolist() == plain.texts.tolist()
    assert hidden.pieces[:3].tolist() == plain.pieces.tolist()
    assert not hidden.texts[3:].any() and not hidden.pieces[3:].any()


def test_what_is_not_shown_stands_between_no_neighbours() -> None:
    """What a parent branch said after a fork, or somebody else in private, changes nothing on the fork."""
    index = Index()
    index.add((text, "") for text in (TALK[0], "Lisbon", TALK[1], "Lisbon in spring", "My sister"))
    parent = View(index, np.array([True, False, True, False, False]))
    query = Query("Where did the sister move?")
    plain = search(query, [view_of(TALK[:2]), view_of(TALK[2:])], neighbours=2)
    hidden = search(query, [parent, view_of(TALK[2:])], neighbours=2)
    assert hidden[0].texts[parent.shown].tolist() == plain[0].texts.tolist()
    assert hidden[0].pieces[parent.pieces_shown].tolist() == plain[0].pieces.tolist()
    assert hidden[1].texts.tolist() == plain[1].texts.tolist()
    assert plain[1].texts.any()


def test_two_stretches_are_searched_as_one_talk() -> None:
    query = Query("Where did the sister move?")
    whole = search(query, [view_of(TALK)], neighbours=2)[0]
    first, second = search(query, [view_of(TALK[:2]), view_of(TALK[2:])], neighbours=2)
    assert np.concatenate([first.texts, second.texts]).tolist() == whole.texts.tolist()
    assert np.concatenate([first.pieces, second.pieces]).tolist() == whole.pieces.tolist()


def test_of_a_long_text_the_sentence_that_answers_is_the_most_relevant() -> None:
    text = "We closed early. The code of the door is 4417. Nobody was there. It rained all day."
    found = search(Query("What is the code of the door?"), [view_of([text, *TALK])])[0]
    assert pieces(text)[int(found.pieces[:4].argmax())].strip() == "The code of the door is 4417."


def test_a_sentence_does_not_end_within_an_abbreviation() -> None:
    assert [
        one.strip() for one in pieces("I stop by 11:00 P.M. so that I sleep. Then I read.\nGood night")
    ] == [
        "I stop by 11:00 P.M. so that I sleep.",
        "Then I read.",
        "Good night",
    ]


def test_an_excerpt_says_where_something_is_left_out() -> None:
    cut = pieces("One. Two. Three. Four.")
    assert with_gaps(cut, [0, 1, 2, 3]) == "One. Two. Three. Four."
    assert with_gaps(cut, [3, 1]) == f"Two.{GAP}Four.{GAP.rstrip()}"
    assert with_gaps(cut, [1, 2]) == f"Two. Three.{GAP.rstrip()}"


@given(st.text(max_size=400))
def test_pieces_are_the_text_and_every_term_of_it(text: str) -> None:
    cut = pieces(text)
    assert "".join(cut) == text
    assert len(cut) <= PIECES_MAX
    assert all(cut) or cut == ("",)
    assert with_gaps(cut, range(len(cut))) == text


@given(
    st.lists(st.text(alphabet="ab c.", max_size=12), min_size=1, max_size=12),
    st.text(alphabet="ab ", max_size=8),
)
def test_relevance_is_between_nothing_and_all(texts: list[str], query: str) -> None:
    found = search(Query(query), [view_of(texts)], neighbours=3)[0]
    assert all(0 <= one <= 1 for one in (*found.texts, *found.pieces))
    assert len(found.texts) == len(texts)
    assert len(found.pieces) == sum(len(pieces(text)) for text in texts)


def test_stop_words_and_case_do_not_count() -> None:
    assert set(counted("The CODE of the code's codes")) == set(counted("code"))


def test_scripts_without_blanks_are_searched_too() -> None:
    texts = (
        "\u5099\u7528\u94a5\u5319\u6302\u5728\u84dd\u8272\u7684\u6876\u540e\u9762",
        "\u4eca\u5929\u5929\u6c14\u5f88\u597d",
    )
    assert best("\u94a5\u5319\u5728\u54ea\u91cc", texts) == texts[0]
    assert relevance("\u94a5\u5319", texts)[1] == 0


def test_the_forms_of_a_word_are_one_term() -> None:
    for forms in ("move moves moved moving", "stop stops stopped stopping", "party parties", "dish dishes"):
        assert len(counted(forms)) == 1, forms
    assert len(counted("class glass")) == 2
