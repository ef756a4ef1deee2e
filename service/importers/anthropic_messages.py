"""Anthropic messages: a system text and messages of content blocks."""

from __future__ import annotations

from service.importers.blocks import Answered, read_blocks
from service.importers.conversations import ASSISTANT, SYSTEM, USER, Draft, ImportedConversation
from service.importers.cursor import Cursor
from service.importers.transcripts import Transcript, once, transcripts
from service.model.vocabulary import Role

OWN_BLOCKS = ("tool_use", "tool_result", "thinking", "redacted_thinking", "server_tool_use")


def read(rows: list[Cursor], user_id: str | None = None) -> list[ImportedConversation]:
    """The conversations of a file's rows. Raises `TranscriptError`."""
    return once((transcript, _conversation(transcript, user_id)) for transcript in transcripts(rows))


def is_own(transcript: Transcript) -> bool:
    """Whether only Anthropic's format has what this transcript has."""
    if transcript.row and transcript.row.has("system"):
        return True
    for message in transcript.messages:
        if not message.has("content") or not isinstance(message.value["content"], list):
            continue
        for block in message.value["content"]:
            if isinstance(block, dict) and (block.get("type") in OWN_BLOCKS or "source" in block):
                return True
    return False


def _conversation(transcript: Transcript, user_id: str | None) -> ImportedConversation:
    draft = transcript.draft(user_id)
    draft.sit(transcript.at, USER)
    draft.sit(transcript.at, ASSISTANT)
    if transcript.row and (system := transcript.row.get("system")):
        draft.say(system, SYSTEM, Role.SYSTEM, "system", read_blocks(system).parts)
    for at, message in enumerate(transcript.messages):
        _message(draft, at, message, transcript.text_of("model"))
    return draft.finish()


def _message(draft: Draft, at: int, message: Cursor, model: str | None) -> None:
    role = message["role"].as_text()
    blocks = read_blocks(message["content"])
    match role:
        case "assistant":
            run_id = draft.run(message, ASSISTANT, f"r{at}", model=message.text_of("model") or model)
            draft.answer(message, ASSISTANT, f"m{at}", run_id, blocks.parts, blocks.calls)
            _results(draft, blocks.results)
        case "user":
            _results(draft, blocks.results)
            if blocks.parts or not blocks.results:
                draft.say(message, USER, Role.USER, f"m{at}", blocks.parts)
        case "system":
            draft.say(message, SYSTEM, Role.SYSTEM, f"m{at}", blocks.parts)
        case _:
            raise message["role"].refuse("is no role of a message")


def _results(draft: Draft, results: list[Answered]) -> None:
    for answered in results:
        draft.result(answered.at, answered.given_id, answered.result, failed=answered.failed)
