"""A newer reading replaces an older one of the same thing, and nothing else does."""

from __future__ import annotations

from remembered import memory, owned

from service.model.vocabulary import CallStatus, Visibility
from service.policies.supersession import replaces, superseded

FIELDS = ("cabin", "flights", "status")


def test_a_record_that_is_read_again_replaces_what_was_read_before() -> None:
    first = memory(1, "get_reservation(id=A)", key="reservation=A", fields=FIELDS)
    again = memory(5, "get_reservation(id=A)", key="reservation=A", fields=FIELDS)
    assert superseded([first, again]) == {first.uid: again.uid}


def test_an_update_that_answers_with_the_whole_record_replaces_what_was_read() -> None:
    read = memory(1, "get_reservation(id=A)", key="reservation=A", fields=FIELDS)
    changed = memory(5, "update_reservation(id=A)", key="reservation=A", fields=(*FIELDS, "updated_at"))
    assert superseded([changed, read]) == {read.uid: changed.uid}


def test_an_answer_of_a_few_fields_does_not_hide_the_whole() -> None:
    read = memory(1, "get_order(id=7)", key="order=7", fields=FIELDS)
    cancelled = memory(5, "cancel_order(id=7)", key="order=7", fields=("status",))
    assert superseded([read, cancelled]) == {}


def test_the_newest_of_a_chain_stands_for_all() -> None:
    chain = [memory(seq, "get_order(id=7)", key="order=7", fields=FIELDS) for seq in (1, 4, 9)]
    assert superseded(chain) == {chain[0].uid: chain[2].uid, chain[1].uid: chain[2].uid}


def test_a_failure_replaces_nothing_and_is_replaced_by_the_retry_that_works() -> None:
    read = memory(1, "get_order(id=7)", key="get_order{}", fields=FIELDS)
    failed = memory(3, "get_order(id=7)", key="get_order{}", status=CallStatus.FAILED)
    assert superseded([read, failed]) == {}
    answered = memory(2, "search()", key="search{}", fields=("[]",))
    error_text = memory(4, "search()", key="search{}", fields=())
    assert superseded([answered, error_text]) == {}


def test_another_scope_or_another_thing_is_left_alone() -> None:
    mine = memory(1, "get_order(id=7)", key="order=7", fields=FIELDS)
    private = owned("other agent", Visibility.PARTICIPANT)
    theirs = memory(5, "get_order(id=7)", key="order=7", fields=FIELDS, governance=private)
    another = memory(6, "get_order(id=8)", key="order=8", fields=FIELDS)
    nameless = memory(7, "get_order()", key=None, fields=FIELDS)
    assert superseded([mine, theirs, another, nameless]) == {}
    assert not replaces(nameless, mine)
