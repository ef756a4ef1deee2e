"""A context's turns in the words of a provider: OpenAI chat, Anthropic messages, or the canonical parts.

A turn is a role with text, or an assistant's calls with their results, which stay together in every format.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from service.model.portable import portable
from service.model.vocabulary import Role

JsonObject = dict[str, Any]
OPENING = "…"
"""What stands for the user where an assistant speaks first."""
MESSAGE_TOKENS = 4
"""What a provider adds around a message: three tokens, and one for its role."""
CALL_TOKENS = 3
"""What ties a call to its result."""
REPLY_TOKENS = 3
"""What opens the reply, once for each request."""
OPENING_TOKENS = 1 + MESSAGE_TOKENS
_OPENING = {"type": "text", "text": OPENING}
_CALLS = ("function", "tool_use", "tool_call")
_PLAIN_ID = re.compile(r"[A-Za-z0-9_-]{1,40}")


class Format(StrEnum):
    """Shapes in which a context is answered."""

    OPENAI_CHAT = "openai_chat"
    ANTHROPIC = "anthropic"
    CANONICAL = "canonical"


@dataclass(frozen=True, slots=True)
class Pair:
    """A call with its result: inseparable."""

    call_id: str
    tool_name: str
    arguments: str
    result: str
    failed: bool = False


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of the context; `pairs` follow the text of an assistant's turn."""

    role: Role
    text: str
    pairs: tuple[Pair, ...] = ()


def render(
    turns: Sequence[Turn], shape: Format, tools: Sequence[JsonObject] = (), cached: bool = False
) -> JsonObject:
    """The request's part that carries the context, in the given shape.

    `cached` marks the end of the static prefix where the provider wants that said.
    """
    body = _RENDERERS[shape](turns)
    if cached and shape is Format.ANTHROPIC and "system" in body:
        marked = {"type": "text", "text": body["system"], "cache_control": {"type": "ephemeral"}}
        body = {**body, "system": [marked]}
    return {**body, "tools": list(tools)} if tools else body


def framing_tokens(request: JsonObject) -> int:
    """What surrounds the texts of a rendered request, by the counting that OpenAI publishes for chats.

    Other providers publish none; their messages are counted alike.
    """
    messages, total = request["messages"], REPLY_TOKENS + ("system" in request) * MESSAGE_TOKENS
    for message in messages:
        inside = message.get("tool_calls") or message.get("parts") or message.get("content")
        calls = (
            [one for one in inside if not isinstance(one, str) and one["type"] in _CALLS] if inside else []
        )
        total += MESSAGE_TOKENS + len(calls) * CALL_TOKENS
    if messages and messages[0].get("content") == [_OPENING]:
        total += OPENING_TOKENS - MESSAGE_TOKENS
    return total


def arguments_text(arguments: str, shape: Format) -> str:
    """A call's arguments as a request in this shape has them."""
    if shape is Format.OPENAI_CHAT:
        return arguments
    value = _object(arguments) if shape is Format.ANTHROPIC else _value(arguments)
    return value if isinstance(value, str) else compact(value)


def compact(value: Any) -> str:
    """JSON as it goes over the wire: no spaces, plain Unicode, fields in their order."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def provider_call_id(call_id: str) -> str:
    """A call's id as providers take it: itself where it is plain and short, else one derived from it."""
    if _PLAIN_ID.fullmatch(call_id):
        return call_id
    return f"call_{hashlib.sha256(call_id.encode()).hexdigest()[:24]}"


def _openai_chat(turns: Sequence[Turn]) -> JsonObject:
    messages: list[JsonObject] = []
    for turn in turns:
        message: JsonObject = {"role": turn.role.value, "content": turn.text or None}
        if turn.pairs:
            message["tool_calls"] = [
                {
                    "id": provider_call_id(pair.call_id),
                    "type": "function",
                    "function": {"name": pair.tool_name, "arguments": pair.arguments},
                }
                for pair in turn.pairs
            ]
        messages.append(message)
        messages += [
            {"role": "tool", "tool_call_id": provider_call_id(pair.call_id), "content": pair.result}
            for pair in turn.pairs
        ]
    return {"messages": messages}


def _anthropic(turns: Sequence[Turn]) -> JsonObject:
    system = "\n\n".join(turn.text for turn in turns if turn.role is Role.SYSTEM)
    messages: list[JsonObject] = []

    def say(role: str, blocks: list[JsonObject]) -> None:
        if messages and messages[-1]["role"] == role:
            messages[-1]["content"] += blocks
        elif blocks:
            messages.append({"role": role, "content": blocks})

    if next((turn.role for turn in turns if turn.role is not Role.SYSTEM), None) is Role.ASSISTANT:
        say("user", [dict(_OPENING)])  # the first word has to be the user's
    for turn in turns:
        if turn.role is Role.SYSTEM:
            continue
        text = [{"type": "text", "text": turn.text}] if turn.text.strip() else []
        uses = [
            {
                "type": "tool_use",
                "id": provider_call_id(pair.call_id),
                "name": pair.tool_name,
                "input": _object(pair.arguments),
            }
            for pair in turn.pairs
        ]
        say(turn.role.value, text + uses)
        results = [
            {
                "type": "tool_result",
                "tool_use_id": provider_call_id(pair.call_id),
                "content": pair.result,
                **({"is_error": True} if pair.failed else {}),
            }
            for pair in turn.pairs
        ]
        say("user", results)
    return {"system": system, "messages": messages} if system else {"messages": messages}


def _canonical(turns: Sequence[Turn]) -> JsonObject:
    messages: list[JsonObject] = []
    for turn in turns:
        parts: list[JsonObject] = [{"type": "text", "content": turn.text}] if turn.text else []
        parts += [
            {"type": "tool_call", "id": p.call_id, "name": p.tool_name, "arguments": _value(p.arguments)}
            for p in turn.pairs
        ]
        messages.append({"role": turn.role.value, "parts": parts})
        if turn.pairs:
            responses = [
                {"type": "tool_call_response", "id": p.call_id, "response": p.result} for p in turn.pairs
            ]
            messages.append({"role": "tool", "parts": responses})
    return {"messages": messages}


_RENDERERS = {Format.OPENAI_CHAT: _openai_chat, Format.ANTHROPIC: _anthropic, Format.CANONICAL: _canonical}


def _value(text: str) -> Any:
    try:
        return portable(json.loads(text))
    except (ValueError, RecursionError):
        return text


def _object(text: str) -> JsonObject:
    """Anthropic wants an object; anything else is wrapped in one."""
    value = _value(text or "{}")
    return value if isinstance(value, dict) else {"value": value}
