"""Anthropic's content blocks, which both its messages and Claude Code's sessions are made of."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from service.importers.content import plain_or_whole, without_bytes
from service.importers.conversations import Asked, text_part
from service.importers.cursor import Cursor


@dataclass(frozen=True, slots=True)
class Answered:
    """A tool result as its file has it."""

    at: Cursor
    given_id: str
    result: Any
    failed: bool


@dataclass(slots=True)
class Blocks:
    """A message's content, sorted: what was said, what was asked of tools, what tools answered."""

    parts: list[dict[str, Any]] = field(default_factory=list)
    calls: list[Asked] = field(default_factory=list)
    results: list[Answered] = field(default_factory=list)


def read_blocks(content: Cursor) -> Blocks:
    """Sort a content: a text, or a list of blocks. Raises `TranscriptError`."""
    if isinstance(content.value, str):
        return Blocks(parts=[text_part(content.value)] if content.value else [])
    blocks = Blocks()
    for block in content.as_list():
        _sort(blocks, block, block["type"].as_filled())
    return blocks


def _sort(blocks: Blocks, block: Cursor, kind: str) -> None:
    if kind == "text":
        if text := block["text"].as_text():
            blocks.parts.append(text_part(text))
    elif kind == "thinking":
        # Newer sessions keep only the signature of a thought.
        if thought := block["thinking"].as_text():
            blocks.parts.append({"type": "reasoning", "content": thought})
    elif kind.endswith("tool_use"):
        given_id, name = block["id"], block["name"].as_filled()
        blocks.calls.append(Asked(given_id, given_id.as_filled(), name, block["input"].value))
    elif kind.endswith("tool_result"):
        blocks.results.append(_answered(block))
    else:
        content = without_bytes({name: value for name, value in block.value.items() if name != "type"})
        blocks.parts.append({"type": "other", "name": kind, "content": content})


def _answered(block: Cursor) -> Answered:
    given_id = block["tool_use_id"]
    content = block.value.get("content", "")
    result = plain_or_whole(content) if isinstance(content, list) else content
    return Answered(given_id, given_id.as_filled(), result, block.value.get("is_error") is True)
