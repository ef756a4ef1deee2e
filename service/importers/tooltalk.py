"""ToolTalk-like conversations: turns of text, with the API calls behind an assistant's words beside them."""

from __future__ import annotations

from service.importers.conversations import (
    ASSISTANT,
    SYSTEM,
    USER,
    Asked,
    Draft,
    ImportedConversation,
    text_part,
)
from service.importers.cursor import Cursor
from service.importers.transcripts import Transcript, once, transcripts
from service.model.vocabulary import Role


def read(rows: list[Cursor], user_id: str | None = None) -> list[ImportedConversation]:
    """The conversations of a file's rows. Raises `TranscriptError`."""
    return once((transcript, _conversation(transcript, user_id)) for transcript in transcripts(rows))


def _conversation(transcript: Transcript, user_id: str | None) -> ImportedConversation:
    draft = transcript.draft(user_id)
    draft.sit(transcript.at, USER)
    draft.sit(transcript.at, ASSISTANT)
    for at, turn in enumerate(transcript.messages):
        _turn(draft, at, turn)
    return draft.finish()


def _turn(draft: Draft, at: int, turn: Cursor) -> None:
    text = turn.text_of("text")
    parts = [text_part(text)] if text else []
    match turn["role"].as_text():
        case "user":
            draft.say(turn, USER, Role.USER, f"m{at}", parts)
        case "system":
            draft.say(turn, SYSTEM, Role.SYSTEM, f"m{at}", parts)
        case "assistant":
            apis = turn.get("apis")
            for number, api in enumerate(apis.as_list() if apis else []):
                _api(draft, f"{at}-{number}", api)
            run_id = draft.run(turn, ASSISTANT, f"r{at}")
            draft.answer(turn, ASSISTANT, f"m{at}", run_id, parts, [])
        case _:
            raise turn["role"].refuse("is no role of a turn")


def _api(draft: Draft, name: str, api: Cursor) -> None:
    """One call: its own run, since each was asked for after the answer before it."""
    request = api["request"]
    parameters = request["parameters"].as_object().value
    asked = Asked(request, f"c{name}", request["api_name"].as_filled(), parameters)
    run_id = draft.run(api, ASSISTANT, f"r{name}")
    draft.answer(api, ASSISTANT, f"m{name}", run_id, [], [asked])
    exception = api.text_of("exception")
    answer = api.value.get("response")
    draft.result(api, asked.given_id, answer, failed=exception is not None, error=exception)
