"""OpenAI chat transcripts: messages with `tool_calls` and `tool` answers (also tau-bench and BFCL rows)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from service.importers.content import plain_or_whole, without_bytes
from service.importers.conversations import (
    ASSISTANT,
    SYSTEM,
    USER,
    Asked,
    Draft,
    ImportedConversation,
    Seat,
    arguments_of,
    text_part,
)
from service.importers.cursor import Cursor
from service.importers.transcripts import Transcript, once, transcripts
from service.model.vocabulary import Role

TEXT_BLOCKS = {"text": "text", "input_text": "text", "output_text": "text", "refusal": "refusal"}


def read(rows: list[Cursor], user_id: str | None = None) -> list[ImportedConversation]:
    """The conversations of a file's rows. Raises `TranscriptError`."""
    return once((transcript, _conversation(transcript, user_id)) for transcript in transcripts(rows))


def _conversation(transcript: Transcript, user_id: str | None) -> ImportedConversation:
    draft = transcript.draft(user_id)
    draft.sit(transcript.at, USER)
    draft.sit(transcript.at, ASSISTANT)
    for at, message in enumerate(transcript.messages):
        _message(draft, at, message, transcript.text_of("model"))
    return draft.finish()


def _message(draft: Draft, at: int, message: Cursor, model: str | None) -> None:
    match message["role"].as_text():
        case "system" | "developer":
            draft.say(message, SYSTEM, Role.SYSTEM, f"m{at}", _parts(message))
        case "user":
            draft.say(message, _named(USER, message), Role.USER, f"m{at}", _parts(message))
        case "assistant":
            seat = _named(ASSISTANT, message)
            run_id = draft.run(message, seat, f"r{at}", model=message.text_of("model") or model)
            draft.answer(message, seat, f"m{at}", run_id, _parts(message), _calls(at, message))
        case "tool":
            given_id = message["tool_call_id"].as_filled()
            draft.result(message["tool_call_id"], given_id, _result(message))
        case "function":
            draft.result(message["name"], _legacy_id(message["name"].as_filled()), _result(message))
        case _:
            raise message["role"].refuse("is no role of a chat message")


def _named(seat: Seat, message: Cursor) -> Seat:
    name = message.text_of("name")
    return Seat(f"{seat.participant_id}:{name}", seat.kind, name=name) if name else seat


def _parts(message: Cursor) -> list[dict[str, Any]]:
    parts = []
    for name in ("reasoning_content", "reasoning"):
        if isinstance(thought := message.value.get(name), str) and thought:
            parts.append({"type": "reasoning", "content": thought})
            break
    content = message.get("content")
    if content and isinstance(content.value, list):
        parts += [_part(block) for block in content.as_list()]
    elif content and content.as_text():
        parts.append(text_part(content.as_text()))
    if refusal := message.text_of("refusal"):
        parts.append(text_part(refusal))
    return parts


def _part(block: Cursor) -> dict[str, Any]:
    kind = block["type"].as_filled()
    if kind in TEXT_BLOCKS:
        return text_part(block[TEXT_BLOCKS[kind]].as_text())
    content = without_bytes({name: value for name, value in block.value.items() if name != "type"})
    return {"type": "other", "name": kind, "content": content}


def _calls(at: int, message: Cursor) -> Iterator[Asked]:
    if calls := message.get("tool_calls"):
        for call in calls.as_list():
            body = call["custom"] if call.has("custom") else call["function"]
            given = body["input"] if call.has("custom") else body["arguments"]
            yield Asked(call["id"], call["id"].as_filled(), body["name"].as_filled(), _arguments(given))
    if legacy := message.get("function_call"):
        name = legacy["name"].as_filled()
        yield Asked(legacy, _legacy_id(name), name, _arguments(legacy["arguments"]))


def _arguments(given: Cursor) -> Any:
    return given.value if isinstance(given.value, dict) else arguments_of(given.as_text())


def _legacy_id(name: str) -> str:
    """Calls of the older `function_call` shape have no id; their answer names the function."""
    return f"function-{name}"


def _result(message: Cursor) -> Any:
    content = message["content"].value
    return plain_or_whole(content) if isinstance(content, list) else content
