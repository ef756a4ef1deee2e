"""A replay shows the service what came before a call, and nothing that comes after."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from live_service import rules_broken

from bench.harness import Running, fresh_tenant
from bench.replay import call_places, replay
from service.text.tokens import tokenizer

SAMPLE = Path(__file__).parents[2] / "samples" / "airline-upgrade.json"


@pytest.fixture
def messages() -> list[dict[str, Any]]:
    """A recorded run, with a mark of its own in every message that has text."""
    recorded: list[dict[str, Any]] = json.loads(SAMPLE.read_text())["messages"]
    return [
        message | ({"content": f"mark{at:02}end {message['content']}"} if message["content"] else {})
        for at, message in enumerate(recorded)
    ]


async def test_no_context_knows_what_came_after_its_call(
    running: Running, messages: list[dict[str, Any]]
) -> None:
    async with fresh_tenant(running) as tenant:
        contexts = await replay(tenant, 0, messages, [100_000], "default")
    assert [context.at for context in contexts] == call_places(messages)
    for context in contexts:
        whole = json.dumps(context.answer)
        known = {at for at in range(len(messages)) if f"mark{at:02}end" in whole}
        assert known and max(known) < context.at
        assert f"mark{context.at - 1:02}end" in context.text


async def test_every_context_is_within_its_budget_by_an_independent_count(
    running: Running, messages: list[dict[str, Any]]
) -> None:
    budgets = [400, 800, 1_600]
    async with fresh_tenant(running) as tenant:
        contexts = await replay(tenant, 0, messages, budgets, "economy")
    assert [context.asked_tokens for context in contexts] == budgets * len(call_places(messages))
    count = tokenizer().count
    for context in contexts:
        whole = "".join(section["text"] for section in context.answer["sections"])
        assert count(whole) <= context.answer["tokens"]["assembled"] <= context.granted_tokens


async def test_a_budget_that_cannot_hold_the_exchange_is_raised_to_the_least_and_told(
    running: Running, messages: list[dict[str, Any]]
) -> None:
    async with fresh_tenant(running) as tenant:
        contexts = await replay(tenant, 0, messages, [10], "default")
    assert all(context.granted_tokens > context.asked_tokens for context in contexts)


def test_the_rules_hold_for_what_a_replay_leaves(running: Running, messages: list[dict[str, Any]]) -> None:
    async def leave() -> str:
        async with fresh_tenant(running) as tenant:
            await replay(tenant, 0, messages, [800], "default")
            return tenant.tenant_id

    assert rules_broken(running, asyncio.run(leave())) == {}
