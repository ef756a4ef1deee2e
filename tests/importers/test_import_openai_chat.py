"""OpenAI chat transcripts become events in the order in which things happened."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

from service.importers import Format, body_of, idempotency_key, read
from service.model.events import (
    ID_CHARS_MAX,
    Event,
    MessageEvent,
    ModelRunEvent,
    OtherPart,
    ParticipantEvent,
    TextPart,
    ToolCallEvent,
    ToolResultEvent,
)
from service.model.vocabulary import CallStatus, ParticipantKind, Role

Fixture = Callable[[str], Path]


def events_of(path: Path) -> list[Event]:
    [conversation] = read(path)
    [batch] = conversation.batches
    return list(batch.events)


def test_a_transcript_becomes_one_batch_in_the_order_of_what_happened(fixture: Fixture) -> None:
    kinds = [event.kind for event in events_of(fixture("openai_messages.json"))]
    opened = ["conversation", "participant", "participant"]
    system_and_user = ["participant", "message", "message"]
    first_answer = ["model_run", "message", "tool_call", "tool_call", "tool_result", "tool_result"]
    second_answer = ["model_run", "tool_call", "tool_result"]
    assert kinds == [*opened, *system_and_user, *first_answer, *second_answer, "model_run", "message"]


def test_the_user_is_a_human_with_a_user_and_the_assistant_an_agent(fixture: Fixture) -> None:
    seats = [e for e in events_of(fixture("openai_messages.json")) if isinstance(e, ParticipantEvent)]
    assert [(seat.participant_id, seat.participant_kind) for seat in seats] == [
        ("user", ParticipantKind.HUMAN),
        ("assistant", ParticipantKind.AGENT),
        ("system", ParticipantKind.SYSTEM),
    ]
    assert [seat.user_id is not None for seat in seats] == [True, False, False]


def test_results_keep_every_byte_and_find_their_call_in_any_order(fixture: Fixture) -> None:
    events = events_of(fixture("openai_messages.json"))
    calls = {e.call_id: e for e in events if isinstance(e, ToolCallEvent)}
    results = [e for e in events if isinstance(e, ToolResultEvent)]
    assert [(calls[r.call_id].tool_name, r.result) for r in results] == [
        ("opening_hours", "9 ½ to 17 ½\n"),
        ("find_book", '{"title": "Momo",  "shelf": "C7"}'),
        ("reserve", ""),
    ]


def test_an_id_used_again_for_a_later_call_names_another_call(fixture: Fixture) -> None:
    calls = [e.call_id for e in events_of(fixture("openai_messages.json")) if isinstance(e, ToolCallEvent)]
    assert [call_id.split(":", 1)[1] for call_id in calls] == ["call_1", "call_2", "call_1~2"]


def test_arguments_are_the_object_or_the_text_that_is_none(fixture: Fixture) -> None:
    calls = [e for e in events_of(fixture("openai_messages.json")) if isinstance(e, ToolCallEvent)]
    assert [call.arguments for call in calls] == [{"title": "Momo"}, "today", {"title": "Momo"}]


def test_calls_name_the_run_and_the_message_that_asked_for_them(fixture: Fixture) -> None:
    events = events_of(fixture("openai_messages.json"))
    runs = {e.run_id for e in events if isinstance(e, ModelRunEvent)}
    said = {e.message_id: e for e in events if isinstance(e, MessageEvent) and e.role is Role.ASSISTANT}
    first, second, silent = [e for e in events if isinstance(e, ToolCallEvent)]
    assert {first.run_id, second.run_id, silent.run_id} < runs
    assert first.message_id == second.message_id and first.message_id in said
    assert silent.message_id is None


def test_a_picture_is_named_with_its_size_and_not_carried(fixture: Fixture) -> None:
    question = next(
        e
        for e in events_of(fixture("openai_messages.json"))
        if isinstance(e, MessageEvent) and e.role is Role.USER
    )
    words, picture = question.parts
    assert isinstance(words, TextPart) and isinstance(picture, OtherPart)
    assert picture.name == "image_url"
    assert picture.content == {"image_url": {"url": {"media_type": "image/png", "size_bytes": 8}}}


def test_rows_give_a_conversation_each_and_nothing_but_their_messages(fixture: Fixture) -> None:
    visit, task = read(fixture("openai_rows.jsonl"))
    assert visit.conversation_id == "visit-1"
    assert task.conversation_id.startswith("task-4-trial-1-")
    assert "EXPECTED-ACTION" not in "".join(body_of(batch) for batch in task.batches)
    [run] = [e for e in visit.batches[0].events if isinstance(e, ModelRunEvent)]
    assert run.model == "small-model"


def test_the_older_function_calls_find_their_answers(fixture: Fixture) -> None:
    _, task = read(fixture("openai_rows.jsonl"))
    assert task.counts() == {
        "conversation": 1,
        "participant": 2,
        "message": 1,
        "model_run": 1,
        "tool_call": 1,
        "tool_result": 1,
    }


def test_reading_twice_gives_the_same_batch_under_the_same_key(fixture: Fixture) -> None:
    first, second = (read(fixture("openai_messages.json"))[0].batches[0] for _ in range(2))
    assert body_of(first) == body_of(second)
    assert idempotency_key(first) == idempotency_key(second)


def test_another_content_has_another_id_and_key(fixture: Fixture, written: Callable[[str], Path]) -> None:
    changed = fixture("openai_messages.json").read_text().replace("shelf C7", "shelf C8")
    [original], [edited] = read(fixture("openai_messages.json")), read(written(changed))
    assert original.conversation_id != edited.conversation_id
    assert idempotency_key(original.batches[0]) != idempotency_key(edited.batches[0])


def test_gzip_is_recognised_by_its_content(fixture: Fixture, written: Callable[[bytes], Path]) -> None:
    packed = written(gzip.compress(fixture("openai_messages.json").read_bytes()))
    assert read(packed) == read(fixture("openai_messages.json"))


def test_ids_stay_within_their_limit_and_distinct(written: Callable[[str], Path]) -> None:
    long_id = "x" * 200
    path = written(
        '{"conversation_id": "c", "messages": [{"role": "assistant", "content": "", "tool_calls": ['
        + ", ".join(
            f'{{"id": "{long_id}{n}", "function": {{"name": "f", "arguments": "{{}}"}}}}' for n in (1, 2)
        )
        + "]}]}"
    )
    calls = [e.call_id for e in events_of(path) if isinstance(e, ToolCallEvent)]
    assert len(set(calls)) == 2
    assert all(len(call_id) <= ID_CHARS_MAX for call_id in calls)


def test_people_with_names_of_their_own_have_seats_of_their_own(written: Callable[[str], Path]) -> None:
    path = written('[{"role": "user", "name": "ada", "content": "a"}, {"role": "user", "content": "b"}]')
    said = [e.participant_id for e in events_of(path) if isinstance(e, MessageEvent)]
    assert said == ["user:ada", "user"]


def test_a_person_can_be_named_from_outside(fixture: Fixture) -> None:
    [conversation] = read(fixture("openai_messages.json"), user_id="person-9")
    human = conversation.batches[0].events[1]
    assert isinstance(human, ParticipantEvent) and human.user_id == "person-9"


def test_a_tooltalk_turn_is_its_calls_one_by_one_and_then_its_words(fixture: Fixture) -> None:
    [conversation] = read(fixture("tooltalk.json"))
    events = conversation.batches[0].events
    call = ["model_run", "tool_call", "tool_result"]
    assert [e.kind for e in events[3:]] == ["message", *call, *call, "model_run", "message"]
    failed, done = [e for e in events if isinstance(e, ToolResultEvent)]
    assert (failed.call_status, failed.error) == (CallStatus.FAILED, "Time is taken")
    assert (done.call_status, done.result) == (CallStatus.EXECUTED, {"alarm_id": "5bff"})
    assert "NEVER-IMPORTED" not in body_of(conversation.batches[0])


def test_a_format_given_by_name_wins_over_the_content(fixture: Fixture) -> None:
    path = fixture("openai_rows.jsonl")
    assert read(path, Format.OPENAI) == read(path)
