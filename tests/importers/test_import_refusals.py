"""A bad file is refused with its place and the reason, and its content stays unsaid."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from service.importers import TranscriptError, conversations, files, read
from service.model.events import EVENTS_PER_BATCH_MAX, ToolCallEvent

Written = Callable[[str | bytes], Path]
Patch = pytest.MonkeyPatch

USER = {"role": "user", "content": "hello"}
CALL = {"id": "c1", "function": {"name": "f", "arguments": "{}"}}
ASKS = {"role": "assistant", "content": None, "tool_calls": [CALL]}
ANSWER = {"role": "tool", "tool_call_id": "c1", "content": "done"}


def refusal(path: Path) -> TranscriptError:
    with pytest.raises(TranscriptError) as caught:
        read(path)
    assert str(caught.value).startswith(f"{path}: ")
    return caught.value


def lines(*rows: object) -> str:
    return "\n".join(json.dumps(row) for row in rows)


def test_broken_json_on_line_seven_is_named_by_its_line(written: Written) -> None:
    good = lines(*[{"messages": [USER]}] * 6)
    error = refusal(written(f'{good}\n{{"messages": [}}'))
    assert (error.line, error.field) == (7, "")
    assert "is not JSON" in error.reason


def test_a_broken_first_line_is_named_too(written: Written) -> None:
    error = refusal(written('{"messages": [}\n' + lines({"messages": [USER]})))
    assert error.line == 1


def test_a_broken_document_names_the_line_of_the_fault(written: Written) -> None:
    error = refusal(written('[\n  {"role": "user",\n   "content": }\n]'))
    assert error.line == 3


@pytest.mark.parametrize(
    ("messages", "field", "reason"),
    [
        ([{"content": "hi"}], "messages[0].role", "is missing"),
        ([USER, {"role": "tool", "content": "x"}], "messages[1].tool_call_id", "is missing"),
        ([USER, ANSWER], "messages[1].tool_call_id", "answers a call that is not there"),
        ([ASKS, ANSWER, ANSWER], "messages[2].tool_call_id", "answers a call that has its result"),
        ([ASKS, ASKS], "messages[1].tool_calls[0].id", "repeats the id of a call that has no result yet"),
        ([{"role": "narrator", "content": "x"}], "messages[0].role", "is no role of a chat message"),
        ([{"role": "user", "content": 7}], "messages[0].content", "should be text"),
        ([{"role": "user", "content": [{"text": "x"}]}], "messages[0].content[0].type", "is missing"),
        (
            [{"role": "assistant", "tool_calls": [{"id": "c", "function": {"arguments": "{}"}}]}],
            "messages[0].tool_calls[0].function.name",
            "is missing",
        ),
        (
            [{"role": "assistant", "tool_calls": [{"id": "", "function": {}}]}],
            "messages[0].tool_calls[0].function.arguments",
            "is missing",
        ),
        (
            [{"role": "user", "content": "half an emoji \ud83d"}],
            "messages[0]",
            "gives no valid parts.0.content: holds a lone surrogate, which is not Unicode text",
        ),
        (
            [
                {
                    "role": "assistant",
                    "tool_calls": [{"id": "c", "function": {"name": "f" * 300, "arguments": ""}}],
                }
            ],
            "messages[0].tool_calls[0].id",
            "gives no valid tool_name: String should have at most 256 characters",
        ),
        ("hello", "messages", "should be a list"),
    ],
)
def test_a_fault_is_named_by_line_field_and_reason(
    written: Written, messages: object, field: str, reason: str
) -> None:
    error = refusal(written(lines({"messages": [USER]}, {"messages": messages})))
    assert (error.line, error.field, error.reason) == (2, field, reason)


def test_in_a_document_the_arrays_index_stands_first(written: Written) -> None:
    error = refusal(written(json.dumps([{"messages": [USER]}, {"messages": [{"content": "x"}]}])))
    assert (error.line, error.field) == (None, "[1].messages[0].role")


@pytest.mark.parametrize("value", ['"\\ud83d"', "1e999", "[" * 100 + "]" * 100])
def test_arguments_that_cannot_be_kept_as_an_object_stay_the_text_they_were(
    written: Written, value: str
) -> None:
    arguments = f'{{"a": {value}}}'
    call = {"id": "c1", "function": {"name": "f", "arguments": arguments}}
    [conversation] = read(written(json.dumps({"messages": [{"role": "assistant", "tool_calls": [call]}]})))
    [asked] = [event for event in conversation.batches[0].events if isinstance(event, ToolCallEvent)]
    assert asked.arguments == arguments


def test_a_lone_surrogate_deep_inside_a_result_is_refused(written: Written) -> None:
    answer = {"role": "tool", "tool_call_id": "c1", "content": {"a": ["\ud83d"]}}
    error = refusal(written(json.dumps({"messages": [ASKS, answer]})))
    assert error.field == "messages[1].tool_call_id"
    assert error.reason == "gives no valid result: holds a lone surrogate, which is not Unicode text"


def test_a_conversation_id_that_the_service_does_not_take_is_named_by_its_line(written: Written) -> None:
    error = refusal(written(lines({"id": "a", "messages": [USER]}, {"id": "b" * 129, "messages": [USER]})))
    assert error.line == 2 and "conversation id" in error.reason and "bbb" not in str(error)


def test_an_error_never_quotes_the_content(written: Written) -> None:
    secret = "TOP-SECRET"
    for rows in (
        [{"messages": [{"role": secret, "content": secret}]}],
        [{"messages": [{"role": "tool", "tool_call_id": secret, "content": secret}]}],
        [{"messages": [{"role": "user", "content": {secret: secret}}]}],
        [{"type": "user", "sessionId": "s", "timestamp": secret, "message": {"content": secret}}],
        [{"type": "user", "sessionId": "s", "message": secret}],
    ):
        assert secret not in str(refusal(written(lines(*rows))))
    assert secret not in str(refusal(written(f'{{"role": "user", "content": "{secret}" oops')))


def test_two_conversations_under_one_id_are_refused(written: Written) -> None:
    error = refusal(written(lines({"id": "a", "messages": [USER]}, {"id": "a", "messages": [USER, USER]})))
    assert (error.line, error.reason) == (2, "has the id of another conversation of this file")


def test_a_repeated_conversation_is_read_once_and_counted(written: Written) -> None:
    [conversation] = read(written(lines({"id": "a", "messages": [USER]}, {"id": "a", "messages": [USER]})))
    assert conversation.skipped == {"repeated conversations": 1}


@pytest.mark.parametrize(
    ("content", "line", "reason"),
    [
        ("", None, "is empty"),
        (" \n\n", None, "is empty"),
        ("[]", None, "holds an empty list"),
        ("42", 1, "should be an object"),
        ('{"rows": []}', 1, "is no known transcript: expected messages or the lines of a session"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", 1, "is not UTF-8 text (byte 0)"),
        (b'[{"role": "user",\n "content": "caf\xe9"}]', 2, "is not UTF-8 text (byte 34)"),
        ('{"role": "user"}'.encode("utf-16"), 1, "is not UTF-8 text (byte 0)"),
        ('{"role": "user"}'.encode("utf-16-le"), 1, "holds a NUL byte: this is not a text file"),
        (gzip.compress(b'[{"role": "user"}]', mtime=0)[:-6], None, "is a damaged gzip file"),
        ('{"messages": [{"role": "user", "content": NaN}]}', None, "holds NaN, which is not JSON"),
        ("[" * 100_000, None, "is nested too deeply"),
    ],
)
def test_what_is_no_transcript_is_said_plainly(
    written: Written, content: str | bytes, line: int | None, reason: str
) -> None:
    error = refusal(written(content))
    assert (error.line, error.reason) == (line, reason)


def test_a_missing_file_is_said_plainly(tmp_path: Path) -> None:
    assert "cannot be read" in refusal(tmp_path / "nowhere.json").reason


def test_a_file_of_bookkeeping_alone_has_nothing_to_import(written: Written) -> None:
    message = {"type": "user", "sessionId": "s", "message": {"role": "user", "content": "x"}}
    assert read(written(lines({"type": "progress"}, message)))
    error = refusal(
        written(lines({"type": "progress", "sessionId": "s"}, {"type": "summary", "summary": "x"}))
    )
    assert "known transcript" in error.reason


def test_a_result_in_a_session_without_its_call_is_named(written: Written) -> None:
    block = {"type": "tool_result", "tool_use_id": "t9", "content": "x"}
    line = {"type": "user", "uuid": "u", "sessionId": "s", "message": {"role": "user", "content": [block]}}
    error = refusal(written(lines(line)))
    assert (error.line, error.field) == (1, "message.content[0].tool_use_id")


def test_one_uuid_for_two_lines_of_a_session_is_refused(written: Written) -> None:
    said = [
        {"type": "user", "uuid": "u", "sessionId": "s", "message": {"role": "user", "content": text}}
        for text in ("one", "two")
    ]
    error = refusal(written(lines(*said)))
    assert (error.line, error.field) == (2, "uuid")


def test_a_time_without_an_offset_is_refused(written: Written) -> None:
    line = {
        "type": "user",
        "sessionId": "s",
        "timestamp": "2026-01-05T08:00:00",
        "message": {"role": "user", "content": "x"},
    }
    error = refusal(written(lines(line)))
    assert (error.line, error.field, error.reason) == (1, "timestamp", "should be a time with its offset")


def test_a_line_above_what_a_request_takes_is_refused(written: Written, monkeypatch: Patch) -> None:
    monkeypatch.setattr(conversations, "BATCH_BYTES_MAX", 1 << 20)
    huge = {"messages": [{"role": "user", "content": "x" * (1 << 20)}]}
    error = refusal(written(lines({"messages": [USER]}, huge)))
    assert (error.line, error.field, error.reason) == (2, "messages[0]", "is larger than 1 MiB")


def test_a_file_above_the_limit_is_refused_unpacked(written: Written, monkeypatch: Patch) -> None:
    monkeypatch.setattr(files, "FILE_BYTES_MAX", 1 << 20)
    error = refusal(written(gzip.compress(b"[" + b" " * (1 << 21) + b"]")))
    assert error.reason == "is larger than 1 MiB"


def test_a_long_conversation_is_cut_into_batches_that_a_request_takes(written: Written) -> None:
    [conversation] = read(written(json.dumps([USER] * (EVENTS_PER_BATCH_MAX + 7))))
    assert [len(batch.events) for batch in conversation.batches] == [EVENTS_PER_BATCH_MAX, 10]


def test_big_messages_are_cut_into_batches_by_size(written: Written, monkeypatch: Patch) -> None:
    monkeypatch.setattr(conversations, "BATCH_BYTES_MAX", 10_000)
    [conversation] = read(written(json.dumps([{"role": "user", "content": "x" * 6_000}] * 3)))
    assert [len(batch.events) for batch in conversation.batches] == [4, 1, 1]
