"""Whatever a client writes into whatever field stays between a fence's opening and its true closing, or in a
message of its own, and never speaks with the system's voice."""

# ruff: noqa: RUF001 (look-alikes are what this is about)

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from agent_platform import OPENING, Json, agent, answered, asked, called, forked, ran, replied
from fence_alikes import fences
from provider_shapes import CHECKS, counted_tokens
from wired_tenant import Tenant

from service.model.configuration import PLATFORM_RULES
from service.model.consistency import ConsistencyToken
from service.model.events import Batch
from service.model.vocabulary import RuntimeKind
from service.text.render import Format
from service.usecases.assemble_context import Assembled, AssembleRequest
from service.usecases.assembly.choosing import Where

CORPUS: dict[str, list[str]] = yaml.safe_load(
    Path(__file__).with_name("injections.yaml").read_text(encoding="utf-8")
)
CASES_MIN = 60
CHUNK = 16
"""Cases of one conversation: few enough that all of it is among the candidates."""
SEEN = "123456789012345"
DAY = "Today is Monday, 2026-03-02 (UTC)."
OPENED = re.compile(r"<data-(\d{15})>\n")
CONTROL_TOKEN = re.compile(r"<[|｜][^<>\n]{1,40}[|｜]>|\[/?INST\]|<</?SYS>>|<(?:start|end)_of_turn>")
FENCED = ("working_memory", "tool_memories", "recalled_messages", "recovery")


def cases() -> list[str]:
    """Every text, between two words by which it is found again."""
    texts = [text.replace("{seen}", SEEN) for texts in CORPUS.values() for text in texts]
    return [f"CASE{number:03}A {text} CASE{number:03}Z" for number, text in enumerate(texts)]


def hostile(texts: list[str], name: str) -> Iterator[tuple[str, list[Json]]]:
    """A conversation in which every word that a client may choose is one of `texts`, by branch."""
    sub: Json = {"kind": "participant", "participant_id": "sub", "participant_kind": "subagent"}
    yield "main", [*OPENING, {**sub, "parent_participant_id": "agent", "display_name": texts[0]}]
    yield "main", [forked("aside", 1)]
    shared: Json = {"visibility": "conversation"}
    for n, text in enumerate(texts):
        short, at = text[:100], f"{name}-{n}"
        file = {"type": "file", "file_id": short, "mime_type": text, "tokens": 9, "name": text}
        yield (
            "aside",
            [
                {**replied(f"w{at}", ""), "parts": [{"type": "text", "content": text}, file], **shared},
                called(f"w{at}", {text: text}, tool=text, **shared),
                answered(f"w{at}", {text: [{"id": text, text: 1}], "plain": text}, **shared),
            ],
        )
        yield (
            "main",
            [
                agent(f"rival{n}", display_name=text),
                asked(f"m{at}", text),
                replied(f"r{at}", text, by=f"rival{n}"),
                called(f"a{at}", {text: text}, tool=text),
                answered(f"a{at}", {text: [text, {"id": text}], "plain": text}),
                called(f"b{at}", text, tool=text),
                answered(f"b{at}", [{"name": text, "size": n}, {"name": "other", "size": 0}]),
                called(f"c{at}", {"path": text}),
                answered(f"c{at}", text),
                called(f"d{at}"),
                answered(f"d{at}", call_status="failed", error=text, retry_critical=True),
                {"kind": "pin", "pin_id": at, "pin_kind": "decision", "participant_id": "mia", "text": text},
                {"kind": "release", "participant_id": "sub", "outcome": "failed", "summary": text},
            ],
        )
    lists = ("skills", "profiles", "direct_tools", "integrations")
    names = [f"{text[:100]}" for text in texts]
    open_call = called(f"{names[0]}-{name}", {"key": texts[0]}, tool=texts[0])
    yield (
        "main",
        [
            {"kind": "skill_state", "participant_id": "agent", **dict.fromkeys(lists, names)},
            {
                "kind": "working_memory",
                "participant_id": "agent",
                "expected_version": 0,
                "fields": {name: name for name in names[:2]},
            },
            open_call,
            ran(f"run-{name}"),
            {
                "kind": "checkpoint",
                "checkpoint_id": name,
                "participant_id": "agent",
                "pending_call_ids": [open_call["call_id"]],
                "budgets": dict.fromkeys(texts, 7),
            },
            asked(f"last-{name}", "Now what?"),
        ],
    )
    for n, text in enumerate(texts):
        fresh = [called(f"u{name}-{n}", {text: text}, tool=text), answered(f"u{name}-{n}", {text: text})]
        yield "main", [*fresh, called(f"o{name}-{n}", {text: text}, tool=text, call_status="deferred")]


async def recorded(tenant: Tenant, texts: list[str]) -> str:
    """The conversation's id."""
    name = secrets.token_hex(4)
    by_branch: dict[str, list[Json]] = {"main": [], "aside": []}
    for branch, events in hostile(texts, name):
        by_branch[branch] += events
    by_branch["main"][0] = {**by_branch["main"][0], "title": texts[0]}
    for branch, events in by_branch.items():
        body = {"conversation_id": name, "branch_id": branch, "events": events}
        await tenant.use.append_events(tenant.caller, Batch.model_validate(body), None)
    return name


def test_the_corpus_is_large_enough_to_mean_something() -> None:
    assert sum(map(len, CORPUS.values())) >= CASES_MIN
    assert len(set(cases())) == len(cases())


@pytest.mark.parametrize("start", range(0, len(cases()), CHUNK))
async def test_no_text_leaves_its_fence_or_reaches_the_system_role(start: int, tenant: Tenant) -> None:
    texts = cases()[start : start + CHUNK]
    conversation_id = await recorded(tenant, texts)
    for shape, kind in zip(
        Format, (RuntimeKind.CHAT, RuntimeKind.CHAT, RuntimeKind.CONTINUATION), strict=True
    ):
        request = AssembleRequest(
            where=Where(conversation_id, "main", "agent"),
            provider="openai",
            model=None,
            runtime_kind=kind,
            budget_tokens=1_000_000,
            profile="thorough",
            format=shape,
            tools=(),
            token=ConsistencyToken(),
            preview=True,
        )
        made = await tenant.use.assemble_context(tenant.caller, request)
        stays_where_it_belongs(made, shape, texts)


def stays_where_it_belongs(made: Assembled, shape: Format, texts: list[str]) -> None:
    """The system's text is the platform's own to the letter; fences hold their sections, no more, no less."""
    system, messages = voices(made.request, shape)
    assert system == f"{PLATFORM_RULES}\n\n{DAY}"
    marks = set(OPENED.findall(json.dumps([text for _, text in messages]).replace("\\n", "\n")))
    [mark] = {mark for mark in marks if mark != SEEN}
    opening, closing = f"<data-{mark}>\n", f"</data-{mark}>\n"
    fenced = [text for role, text in messages if text.startswith(opening)]
    held = [text.removeprefix(opening).removesuffix(closing) for text in fenced]
    assert all(text.endswith(closing) for text in fenced)
    assert json.dumps(made.request, ensure_ascii=False).count(mark) == 2 * len(fenced) == 4
    sections = {part.section.value: part.text for part in made.written.sections}
    assert held == ["".join(sections[name] for name in FENCED[:3]), sections["recovery"]]
    for text in held:
        assert fences(text) == 0
        assert CONTROL_TOKEN.search(text) is None
    for number in (text[:8] for text in texts):
        for name in FENCED:
            assert number in sections[name], (name, number)
    for role, text in messages:
        assert role in ("user", "assistant", "tool")
        if role == "tool":
            assert fences(text) == 0
    CHECKS[shape](made.request)
    assert counted_tokens(made.request) <= made.written.tokens * 1.02


def voices(request: Json, shape: Format) -> tuple[str, list[tuple[str, str]]]:
    """The system's text, and every other text with its role."""
    if shape is Format.ANTHROPIC:
        blocks = [(m["role"], block) for m in request["messages"] for block in m["content"]]
        return request["system"], [(_role(role, b), _text(b)) for role, b in blocks if _text(b)]
    parts: list[tuple[str, Any]] = []
    for message in request["messages"]:
        inside = message.get("parts") or [{"type": "text", "text": message["content"] or ""}]
        parts += [(message["role"], part) for part in inside]
    texts = [(role, _text(part)) for role, part in parts if _text(part)]
    system = [text for role, text in texts if role == "system"]
    assert len(system) == 1 and texts[0][0] == "system"
    return system[0], texts[1:]


def _role(role: str, block: Json) -> str:
    return "tool" if block["type"] == "tool_result" else role


def _text(block: Json) -> str:
    told = (block.get(name) for name in ("text", "content", "response"))
    return next((text for text in told if isinstance(text, str)), "")
