"""What providers insist on, checked by rules of our own, and what a request really costs."""

from __future__ import annotations

import json
from typing import Any

import tiktoken

from service.text.tokens import DEFAULT_ENCODING, tokenizer

Json = dict[str, Any]


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


def counted_tokens(request: Json) -> int:
    """What a request costs, counted again from what it holds, by what OpenAI publishes for chat messages:
    three tokens and a role each, and three for the reply. A call is its name and its arguments, and three
    that tie it to its result; tools are their JSON."""
    total = 3
    if "tools" in request:
        total += _count(_wire(request["tools"]))
    if "system" in request:
        total += 3 + _count("system") + _count(request["system"])
    for message in request["messages"]:
        total += 3 + _count(message["role"])
        content = message.get("content", message.get("parts"))
        if isinstance(content, str):
            total += _count(content)
        for block in content if isinstance(content, list) else []:
            total += _block_tokens(block)
        for call in message.get("tool_calls", []):
            total += 3 + _count(call["function"]["name"]) + _count(call["function"]["arguments"])
    return total


def _block_tokens(block: Json) -> int:
    match block["type"]:
        case "text":
            return _count(block.get("text", block.get("content")))
        case "tool_use" | "tool_call":
            given = block.get("input", block.get("arguments"))
            return 3 + _count(block["name"]) + _count(given if isinstance(given, str) else _wire(given))
        case "tool_result":
            return _count(block["content"])
        case "tool_call_response":
            return _count(block["response"])
        case _:
            raise AssertionError(f"a block of type {block['type']}")


def _count(text: str) -> int:
    """By tiktoken itself, in one piece."""
    tokenizer()  # brings the vocabulary
    return len(tiktoken.get_encoding(DEFAULT_ENCODING).encode_ordinary(text))


def _wire(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
