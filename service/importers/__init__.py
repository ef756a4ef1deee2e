"""From recorded agent runs to events: `read(path)` answers valid batches, or names line and field at fault.

Formats: OpenAI chat (with tau-bench and BFCL rows), ToolTalk-like conversations, Anthropic messages,
Claude Code sessions; `.json`, `.jsonl`, and either gzipped. How each is mapped: docs/importers.md.
"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path

from service.importers import anthropic_messages, claude_code, openai_chat, tooltalk
from service.importers.conversations import ImportedConversation, body_of, idempotency_key
from service.importers.cursor import Cursor
from service.importers.errors import TranscriptError
from service.importers.files import read_rows
from service.importers.transcripts import transcripts

__all__ = ["Format", "ImportedConversation", "TranscriptError", "body_of", "idempotency_key", "read"]

DETECTION_ROWS_MAX = 200


class Format(StrEnum):
    """What a file can be."""

    OPENAI = "openai"
    TOOLTALK = "tooltalk"
    ANTHROPIC = "anthropic"
    CLAUDE_CODE = "claude-code"


READERS = {
    Format.OPENAI: openai_chat.read,
    Format.TOOLTALK: tooltalk.read,
    Format.ANTHROPIC: anthropic_messages.read,
    Format.CLAUDE_CODE: claude_code.read,
}


def read(path: Path, format: Format | None = None, user_id: str | None = None) -> list[ImportedConversation]:
    """All conversations of a file, checked against the event contract.

    `format` overrides what the content looks like. `user_id` names the person behind all of the file's
    conversations; left out, each has a user of its own. Raises `TranscriptError`; nothing is half read.
    """
    rows = read_rows(path)
    return READERS[format or _detect(rows)](rows, user_id)


def _detect(rows: list[Cursor]) -> Format:
    """The format of a file, from what only that format has."""
    head = rows[:DETECTION_ROWS_MAX]
    if rows[0].has("loglines") or any(map(claude_code.is_own, head)):
        return Format.CLAUDE_CODE
    if rows[0].has("conversation"):
        return Format.TOOLTALK
    if not isinstance(rows[0].value, list) and not rows[0].has("role", "messages", "traj"):
        raise rows[0].refuse("is no known transcript: expected messages or the lines of a session")
    found = any(map(anthropic_messages.is_own, transcripts(head)))
    return Format.ANTHROPIC if found else Format.OPENAI
