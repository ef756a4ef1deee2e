"""What providers insist on, checked by rules of our own, and what a request really costs."""

from __future__ import annotations

import json
from typing import Any

from service.model.chain import canonical
from service.text.tokens import tokenizer

Json = dict[str, Any]
FRAMING_TOKENS = 4
"""What a provider adds around each message or call, as the product counts it."""


def check_openai(request: Json) -> set[str]:
    """Every call is answered right behind its message, each answer once; answers the ids of all calls."""
    seen: set[str] = set()
    waiting: list[str] = []
    for number, message in enumerate(request["messages"]):
        role, content = message["role"], message["content"]
        if role == "tool":
            assert message["tool_call_id"] == waiting.pop(0), "an answer without its call, or out of turn"
            assert isinstance(content, str)
            continue
        assert waiting == [], f"message {number} stands between a call and its answer"
        assert role in ("system", "user", "assistant")
        assert (role == "system") == (number == 0)
        calls = message.get("tool_calls", [])
        assert content or (role == "assistant" and calls), f"message {number} says nothing"
        for call in calls:
            assert role == "assistant" and call["type"] == "function" and call["function"]["name"]
            assert call["id"] not in seen
            seen.add(call["id"])
            waiting.append(call["id"])
    assert waiting == [], "a call without its answer at the end"
    return seen


def check_anthropic(request: Json) -> set[str]:
    """Roles alternate and start with the user; every use has its result in the very next message."""
    assert request["system"]
    messages = request["messages"]
    assert [m["role"] for m in messages] == [("user", "assistant")[n % 2] for n in range(len(messages))]
    seen: set[str] = set()
    uses: list[str] = []
    for message in messages:
        blocks = message["content"]
        assert blocks
        results = [b["tool_use_id"] for b in blocks if b["type"] == "tool_result"]
        assert results == uses
        assert [b["type"] for b in blocks[: len(results)]] == ["tool_result"] * len(results)
        assert all(b["text"].strip() for b in blocks if b["type"] == "text")
        uses = [b["id"] for b in blocks if b["type"] == "tool_use"]
        assert not uses or message["role"] == "assistant"
        assert all(isinstance(b["input"], dict) for b in blocks if b["type"] == "tool_use")
        assert seen.isdisjoint(uses)
        seen.update(uses)
    assert uses == []
    return seen


def check_canonical(request: Json) -> set[str]:
    """Parts of the OpenTelemetry shape; a message of calls is followed by the message of their responses."""
    seen: set[str] = set()
    calls: list[str] = []
    for message in request["messages"]:
        parts = message["parts"]
        assert parts
        responses = [p["id"] for p in parts if p["type"] == "tool_call_response"]
        assert responses == calls
        assert (message["role"] == "tool") == bool(responses)
        calls = [p["id"] for p in parts if p["type"] == "tool_call"]
        seen.update(calls)
    assert calls == []
    return seen


CHECKS = {"openai_chat": check_openai, "anthropic": check_anthropic, "canonical": check_canonical}


def real_tokens(request: Json) -> int:
    """What a request costs, counted again from its texts: no more than the product may have counted."""
    count = tokenizer().count
    total = count(canonical(request["tools"])) if request.get("tools") else 0
    total += count(request.get("system", ""))
    for message in request["messages"]:
        total += FRAMING_TOKENS
        content = message.get("content", message.get("parts"))
        if isinstance(content, str):
            total += count(content)
        for block in content if isinstance(content, list) else []:
            total += count(_text(block))
        for call in message.get("tool_calls", []):
            total += count(f"{call['function']['name']}({call['function']['arguments']})")
    return total


def _text(block: Json) -> str:
    match block["type"]:
        case "text":
            return str(block.get("text", block.get("content")))
        case "tool_use" | "tool_call":
            given = block.get("input", block.get("arguments"))
            return f"{block['name']}({given if isinstance(given, str) else json.dumps(given)})"
        case "tool_result":
            return str(block["content"])
        case "tool_call_response":
            return str(block["response"])
        case _:
            raise AssertionError(f"a block of type {block['type']}")
