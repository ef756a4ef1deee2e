"""Replay recorded runs through the service: record what comes before each tool call, then assemble for it.

Of a run, the service gets the messages before the call and nothing else, in a tenant of the run's own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.harness import RefusedError, Tenant
from service.importers import body_of, openai_chat
from service.importers.cursor import Cursor
from service.model.events import EVENTS_PER_BATCH_MAX, Batch, Event

CONVERSATION = "run"
ASKER = "assistant"
UNSCORED_SECTIONS = ("platform_rules",)

Message = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Context:
    """What the service assembled for the call in message `at` of run number `run`.

    `asked_tokens` is the budget asked for; `granted_tokens` is larger where the service named a least budget.
    """

    run: int
    at: int
    asked_tokens: int
    granted_tokens: int
    answer: dict[str, Any]

    @property
    def text(self) -> str:
        """All that is scored."""
        return text_of(self.answer)


def text_of(answer: dict[str, Any]) -> str:
    """All that is scored of an assembled context: every section but the platform's own rules."""
    return "\n".join(s["text"] for s in answer["sections"] if s["section"] not in UNSCORED_SECTIONS)


def call_places(messages: Sequence[Message]) -> list[int]:
    """The indexes of the assistant messages that call tools."""
    return [at for at, m in enumerate(messages) if m["role"] == "assistant" and m.get("tool_calls")]


async def replay(
    tenant: Tenant, number: int, messages: Sequence[Message], budgets: Sequence[int], profile: str
) -> list[Context]:
    """The contexts for every call of one run at every budget, in order of calls, then budgets.

    `tenant` must be the run's own.
    """
    contexts: list[Context] = []
    recorded: list[Event] = []
    token: str | None = None
    for at in call_places(messages):
        now = _events(messages[:at])
        if now[: len(recorded)] != recorded:
            raise AssertionError("what was recorded of a run changed with what came later")
        token = await _record(tenant, now[len(recorded) :], token)
        recorded = now
        for budget in budgets:
            contexts.append(await _assemble(tenant, number, at, budget, profile, token))
    return contexts


def _events(messages: Sequence[Message]) -> list[Event]:
    row = {"conversation_id": CONVERSATION, "messages": list(messages)}
    [conversation] = openai_chat.read([Cursor(row, Path(CONVERSATION))])
    return [event for batch in conversation.batches for event in batch.events]


async def _record(tenant: Tenant, events: list[Event], token: str | None) -> str | None:
    for start in range(0, len(events), EVENTS_PER_BATCH_MAX):
        batch = Batch(conversation_id=CONVERSATION, events=events[start : start + EVENTS_PER_BATCH_MAX])
        answer = await tenant.post("/v1/events", body_of(batch))
        token = str(answer["consistency_token"])
    return token


async def _assemble(
    tenant: Tenant, number: int, at: int, budget: int, profile: str, token: str | None
) -> Context:
    body = {
        "conversation_id": CONVERSATION,
        "participant_id": ASKER,
        "budget_tokens": budget,
        "profile": profile,
        "format": "canonical",
    }
    granted = budget
    try:
        answer = await tenant.post("/v1/assemble", body, token)
    except RefusedError as refused:
        if refused.code != "budget_too_small":
            raise
        granted = int(refused.problem["needed_tokens"])
        answer = await tenant.post("/v1/assemble", body | {"budget_tokens": granted}, token)
    return Context(number, at, budget, granted, answer)
