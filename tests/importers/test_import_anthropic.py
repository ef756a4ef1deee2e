"""Anthropic messages and Claude Code sessions become events."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from service.importers import body_of, read
from service.model.events import (
    ConversationEvent,
    Event,
    MessageEvent,
    ModelRunEvent,
    OtherPart,
    ParticipantEvent,
    ReasoningPart,
    TextPart,
    ToolCallEvent,
    ToolResultEvent,
)
from service.model.vocabulary import CallStatus, ParticipantKind, Role, RunStatus, RuntimeKind, Visibility

Fixture = Callable[[str], Path]
Written = Callable[[str], Path]


def events_of(path: Path) -> list[Event]:
    [conversation] = read(path)
    [batch] = conversation.batches
    return list(batch.events)


def words(message: MessageEvent) -> str:
    return "".join(part.content for part in message.parts if isinstance(part, TextPart))


def messages_of(path: Path, role: Role) -> list[str]:
    return [words(e) for e in events_of(path) if isinstance(e, MessageEvent) and e.role is role]


def test_blocks_become_a_run_a_message_and_its_calls(fixture: Fixture) -> None:
    events = events_of(fixture("anthropic.json"))
    assert [event.kind for event in events] == [
        *("conversation", "participant", "participant", "participant", "message", "message"),
        *("model_run", "message", "tool_call", "tool_call", "tool_result", "tool_result", "message"),
        *("model_run", "message"),
    ]
    said = [e for e in events if isinstance(e, MessageEvent) and e.role is Role.ASSISTANT]
    assert [type(part) for part in said[0].parts] == [ReasoningPart, TextPart]


def test_anthropic_results_keep_every_byte_and_say_when_they_failed(fixture: Fixture) -> None:
    done, failed = [e for e in events_of(fixture("anthropic.json")) if isinstance(e, ToolResultEvent)]
    assert (done.call_status, done.result) == (CallStatus.EXECUTED, "rain,  8 °C\n")
    assert (failed.call_status, failed.result) == (CallStatus.FAILED, "no such station")


def test_anthropic_pictures_are_named_with_their_size_and_not_carried(fixture: Fixture) -> None:
    pictures = [
        part
        for e in events_of(fixture("anthropic.json"))
        if isinstance(e, MessageEvent)
        for part in e.parts
        if isinstance(part, OtherPart)
    ]
    assert [picture.content for picture in pictures] == [
        {"source": {"type": "base64", "media_type": "image/jpeg", "size_bytes": 10}}
    ]


def test_a_document_of_words_keeps_its_words(written: Written) -> None:
    source = '{"type": "text", "media_type": "text/plain", "data": "abcd"}'
    path = written(
        '{"messages": [{"role": "user", "content": [{"type": "document", "source": ' + source + "}]}]}"
    )
    [message] = [e for e in events_of(path) if isinstance(e, MessageEvent)]
    [part] = message.parts
    assert isinstance(part, OtherPart) and part.content["source"]["data"] == "abcd"


def test_a_session_is_a_conversation_under_its_id_with_its_own_title(fixture: Fixture) -> None:
    [conversation] = read(fixture("claude_code.jsonl"))
    assert conversation.conversation_id == "s-1"
    opened = conversation.batches[0].events[0]
    assert isinstance(opened, ConversationEvent) and opened.title == "Counting files"


def test_times_of_the_lines_are_kept(fixture: Fixture) -> None:
    first = next(
        e
        for e in events_of(fixture("claude_code.jsonl"))
        if isinstance(e, MessageEvent) and e.role is Role.USER
    )
    assert first.occurred_at == datetime(2026, 1, 5, 8, 0, 1, tzinfo=UTC)


def test_lines_of_one_answer_are_one_run_with_the_usage_of_its_last_line(fixture: Fixture) -> None:
    runs = [e for e in events_of(fixture("claude_code.jsonl")) if isinstance(e, ModelRunEvent)]
    first = runs[0]
    calls = [e for e in events_of(fixture("claude_code.jsonl")) if isinstance(e, ToolCallEvent)]
    assert [c.tool_name for c in calls if c.run_id == first.run_id] == ["Bash", "Task"]
    assert (first.input_tokens, first.output_tokens, first.model) == (103, 57, "some-claude")


def test_a_side_chain_is_a_subagents_own(fixture: Fixture) -> None:
    events = events_of(fixture("claude_code.jsonl"))
    [helper] = [
        e
        for e in events
        if isinstance(e, ParticipantEvent) and e.participant_kind is ParticipantKind.SUBAGENT
    ]
    assert (helper.participant_id, helper.parent_participant_id) == ("subagent:helper9", "assistant")
    owned = [
        e
        for e in events
        if isinstance(e, MessageEvent | ModelRunEvent | ToolCallEvent)
        and e.participant_id == "subagent:helper9"
    ]
    assert [e.kind for e in owned] == ["message", "model_run", "tool_call"]
    assert {e.visibility for e in owned} == {Visibility.PARTICIPANT}
    assert {e.runtime_kind for e in owned if not isinstance(e, MessageEvent)} == {RuntimeKind.SUBAGENT}
    results = [e for e in events if isinstance(e, ToolResultEvent)]
    assert [e.visibility for e in results] == [None, Visibility.PARTICIPANT, None]


def test_what_the_program_wrote_is_kept_apart_from_what_the_person_said(fixture: Fixture) -> None:
    path = fixture("claude_code.jsonl")
    assert messages_of(path, Role.USER) == [
        "Count the tests, and the doc files.",
        "Count the doc files.",
        "Now rename them all.",
        "Go on.",
    ]
    assert messages_of(path, Role.SYSTEM) == [
        "Caveat: what follows was made by local commands.",
        "Conversation compacted",
        "Summary: twelve tests, two doc files.",
    ]


def test_a_provider_error_is_a_failed_run_and_no_message(fixture: Fixture) -> None:
    [failed] = [
        e
        for e in events_of(fixture("claude_code.jsonl"))
        if isinstance(e, ModelRunEvent) and e.run_status is RunStatus.FAILED
    ]
    assert failed.error == "API Error: overloaded"
    assert messages_of(fixture("claude_code.jsonl"), Role.ASSISTANT) == ["I count both."]


def test_all_that_was_left_out_is_counted(fixture: Fixture) -> None:
    [conversation] = read(fixture("claude_code.jsonl"))
    assert conversation.skipped == {
        "file-history-snapshot lines": 1,
        "system lines": 1,
        "progress lines": 1,
        "lines left behind by a rewind": 2,
        "repeated lines": 1,
        "titles of other sessions": 1,
    }


def test_a_side_chain_without_an_agent_id_keeps_one_seat_from_its_root_on(
    fixture: Fixture, written: Written
) -> None:
    older = fixture("claude_code.jsonl").read_text().replace('"agentId":"helper9",', "")
    seats = [e.participant_id for e in events_of(written(older)) if isinstance(e, ParticipantEvent)]
    assert seats == ["user", "assistant", "claude-code", "subagent:x1"]


def test_a_subagents_own_file_is_a_conversation_of_its_own(
    fixture: Fixture, written: Callable[[str], Path]
) -> None:
    lines = fixture("claude_code.jsonl").read_text().splitlines()
    [conversation] = read(written("\n".join(line for line in lines if '"isSidechain":true' in line)))
    assert conversation.conversation_id == "s-1:helper9"
    opened = conversation.batches[0].events[0]
    assert isinstance(opened, ConversationEvent) and opened.runtime_kind is RuntimeKind.SUBAGENT


def test_two_sessions_of_one_file_are_two_conversations(fixture: Fixture, written: Written) -> None:
    lines = fixture("claude_code.jsonl").read_text()
    other = lines.replace('"sessionId":"s-1"', '"sessionId":"s-2"')
    first, second = read(written(lines + other))
    assert (first.conversation_id, second.conversation_id) == ("s-1", "s-2")
    assert first.counts() == second.counts()


def test_an_exported_session_reads_like_its_lines(fixture: Fixture, written: Written) -> None:
    lines = fixture("claude_code.jsonl").read_text().splitlines()
    exported = written('{"loglines": [' + ",".join(lines) + "]}")
    assert [body_of(c.batches[0]) for c in read(exported)] == [
        body_of(c.batches[0]) for c in read(fixture("claude_code.jsonl"))
    ]
