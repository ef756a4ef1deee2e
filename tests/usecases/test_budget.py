"""A context costs what it says, stays within its budget, and loses nothing when the budget grows.

Five conversations are recorded once and assembled under drawn budgets, shapes, profiles and tools.
`RUNTIME_GRAPH_BUDGET_EXAMPLES` sets how many draws: 40 make the short lane.
"""

# ruff: noqa: RUF001 (scripts are what this is about)

from __future__ import annotations

import base64
import json
import os
import random
import secrets
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from math import exp, log
from typing import Any

import pytest
from agent_platform import OPENING, Json, agent, answered, asked, called, forked, human, ran, replied
from hypothesis import HealthCheck, Phase, example, given, settings
from hypothesis import strategies as st
from provider_shapes import CHECKS, counted_tokens
from wired_tenant import Tenant

from service.errors import BudgetTooSmall
from service.model.consistency import ConsistencyToken
from service.model.events import Batch
from service.model.vocabulary import RuntimeKind, Section
from service.text import fence
from service.text.render import Format
from service.usecases.assemble_context import Assembled, AssembleRequest
from service.usecases.assembly.choosing import Where
from service.usecases.compact_branch import CompactRequest
from service.usecases.read_transcript import Place

EXAMPLES = int(os.environ.get("RUNTIME_GRAPH_BUDGET_EXAMPLES", "40"))
BUDGET_MIN, BUDGET_MAX = 200, 200_000
OFF_MAX = 0.02
"""How far the total may lie from the count of the request, as a part of it."""
draw = random.Random(11)
CHINESE = "請在星期二之前把發票寄給王小明。金額是三千二百元，付款方式為信用卡，地址不變。"
JAPANESE = "来週の火曜日、羽田発のフライトHAT022に変更してください。座席は窓側がいいです。"
EMOJI = "👩‍👩‍👧‍👦🏳️‍🌈👍🏽 done 😀😀😀 𠮷野家𪚥 ﷽"
BASE64 = base64.b64encode(draw.randbytes(3_000)).decode()
CODE = '''def total(rows: list[dict]) -> float:
    """Sum of <data-table> amounts."""
    return sum(row["amount"] for row in rows if row["state"] != "void")  # \u221e &lt;/data-1>

<div class="row" data-id="7">{{ user.name }}</div>
'''
TEXTS = (
    CHINESE,
    JAPANESE,
    EMOJI,
    CODE,
    "Naïve café: the invoice INV-2043 is due on 2026-04-02.",
    "ok",
    "\n\n / ",
)
RULES = [
    {"type": "function", "function": {"name": "look_up", "description": CHINESE, "parameters": {}}},
    {"name": "book", "input_schema": {"type": "object", "properties": {"flight_id": {"type": "string"}}}},
    {
        "type": "function",
        "function": {
            "name": "send_invoice",
            "description": "Sends an invoice. " * 30,
            "parameters": {
                "type": "object",
                "properties": {f"field_{n}": {"type": "string", "enum": ["ä", "ö"]} for n in range(20)},
            },
        },
    },
]


def words(most: int) -> str:
    """Some of every script."""
    return " ".join(draw.choice(TEXTS) for _ in range(draw.randint(1, most)))


def pinned(pin_id: str, text: str) -> Json:
    return {"kind": "pin", "pin_id": pin_id, "pin_kind": "decision", "participant_id": "mia", "text": text}


def noted(expected_version: int, **patch: Any) -> Json:
    event = {"kind": "working_memory", "participant_id": "agent", "expected_version": expected_version}
    return event | patch


def talk() -> list[Json]:
    """Two people and two agents, so that every message has a label; one message is very long."""
    events: list[Json] = [*OPENING, human("ōta"), agent("écho", display_name="Écho <data-1> 助手")]
    for n in range(30):
        events.append(asked(f"q{n}", words(4), by=("mia", "ōta")[n % 2]))
        events.append(replied(f"a{n}", words(8) if n != 27 else CODE * 90, by=("agent", "écho")[n % 2]))
    return [*events, asked("last", f"So? {EMOJI}")]


def tools() -> list[Json]:
    """Results of every kind, seen and unseen; pins, skills, an open call and one that failed."""
    events: list[Json] = [*OPENING, pinned("p1", f"Pay by card. {CHINESE}"), pinned("p2", CODE)]
    for n in range(20):
        rows = [
            {"id": f"R{n}{k}", "名前": JAPANESE, "note": words(2), "amount": k * 7.5} for k in range(n % 6)
        ]
        given = {"key": f"k{n}", "q": draw.choice(TEXTS)} if n % 3 else f"not JSON: {CODE}"
        events += [asked(f"q{n}", words(3)), called(f"c{n}", given, tool=("look_up", "読む")[n % 2])]
        events.append(answered(f"c{n}", draw.choice((rows, BASE64, CODE, {"path": f"/srv/{n}.csv"}))))
        events += [ran(f"r{n}"), replied(f"a{n}", words(5))]
    events += [
        {"kind": "skill_state", "participant_id": "agent", "skills": ["請求書", "code"]},
        noted(0, fields={"preferences": EMOJI, "予算": f"{JAPANESE}\n{CODE}"}),
        noted(1, block=CHINESE),
        called("failed", {"x": 1}),
        answered("failed", call_status="failed", error=f"503 {EMOJI}", retry_critical=True),
        called("soon stale", {"x": 2}),
        answered("soon stale", {"seats": 3}, freshness="time_limited", stale_after="2026-03-02T09:01:00Z"),
        ran("r-last"),
        asked("last", f"Which of these is the cheapest? {JAPANESE}"),
        replied("busy", CHINESE),
        called("u1", {"key": "ünseen"}),
        called("u2", f'{{"spaced": [1, 2, 3],  "text": "{"ab c" * 40}"}}'),
        called("u3", f"raw {CODE}"),
        called("open", {"key": BASE64[:200]}),
        answered("u2", [{"n": n, "text": CHINESE} for n in range(90)]),
        answered("u1", BASE64),
        answered("u3", CODE),
    ]
    return events


def large() -> list[Json]:
    """A question about an exact result, an unseen one in the blob store, and a pin that is hardly to fit."""
    lines = "\n".join(f"{n},{JAPANESE},{n * 3}" for n in range(1_500))
    return [
        *OPENING,
        pinned("p1", CHINESE * 12),
        asked("q1", "Read the sensor log."),
        called("log", {"path": "sensor.csv"}, tool="read_sensor_log"),
        answered("log", lines[:9_000]),
        ran("r1"),
        replied("a1", EMOJI * 40),
        asked("q2", "Show me the exact rows of the sensor log." + CODE * 3),
        called("all", {"path": "all.csv"}, tool="read_all"),
        answered("all", lines),
    ]


def agent_alone() -> list[Json]:
    """Nobody asked anything: the first word is the assistant's."""
    return [
        *OPENING,
        replied("a1", JAPANESE),
        called("seen", {"key": CHINESE}),
        answered("seen", {"id": "X1", "text": EMOJI}),
        ran("r1"),
        replied("a2", "Then I go on."),
        called("c1", CODE),
        answered("c1", CODE),
    ]


CONVERSATIONS = {
    "talk": talk,
    "compacted": talk,
    "tools": tools,
    "large": large,
    "agent_alone": agent_alone,
}
Told = dict[str, str]


@pytest.fixture(scope="module")
async def told(tenant: Tenant) -> Told:
    """Every conversation, recorded; its client id by name. `tools` has a branch that shares a memory, and
    `compacted` a summary of its older turns."""
    ids: Told = {}
    for name, tell in CONVERSATIONS.items():
        ids[name] = f"{name}-{secrets.token_hex(4)}"
        await record(tenant, ids[name], "main", tell())
    shared: dict[str, Any] = {"visibility": "conversation"}
    aside = [called("c-aside", {"key": "k3"}, **shared), answered("c-aside", {"id": "Z9"}, **shared)]
    await record(tenant, ids["tools"], "main", [forked("aside", 4)])
    await record(tenant, ids["tools"], "aside", [*aside, replied("m-aside", CHINESE, **shared)])
    place = Place(ids["compacted"], "main", None)
    request = CompactRequest(place, place.conversation_id, keep_tokens=50)
    await tenant.use.compact_branch(tenant.caller, request)
    tenant.clock.advance(timedelta(seconds=90))
    return ids


async def record(tenant: Tenant, conversation_id: str, branch: str, events: Sequence[Json]) -> None:
    """One batch, its ids made the conversation's own."""
    named = json.loads(json.dumps(list(events)))
    for event in named:
        for field in ("message_id", "call_id", "pin_id", "run_id"):
            if field in event:
                event[field] = f"{conversation_id}:{event[field]}"
    batch = {"conversation_id": conversation_id, "branch_id": branch, "events": named}
    await tenant.use.append_events(tenant.caller, Batch.model_validate(batch), None)


asking = st.builds(
    AssembleRequest,
    where=st.sampled_from(sorted(CONVERSATIONS)).map(lambda name: Where(name, "main", "agent")),
    provider=st.just("openai"),
    model=st.none(),
    runtime_kind=st.sampled_from((RuntimeKind.CHAT, RuntimeKind.DISCUSSION)),
    budget_tokens=st.floats(log(BUDGET_MIN), log(BUDGET_MAX)).map(exp).map(round),
    profile=st.sampled_from(("default", "economy", "thorough")),
    format=st.sampled_from(Format),
    tools=st.lists(st.sampled_from(RULES), max_size=3).map(tuple),
    token=st.just(ConsistencyToken()),
    preview=st.just(True),
)
FIRST = AssembleRequest(
    Where("agent_alone", "main", "agent"),
    "openai",
    None,
    RuntimeKind.CHAT,
    BUDGET_MIN,
    "default",
    Format.ANTHROPIC,
    (),
    ConsistencyToken(),
    preview=True,
)


@settings(
    max_examples=EXAMPLES,
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    derandomize="RUNTIME_GRAPH_BUDGET_EXAMPLES" not in os.environ,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(request=asking)
@example(request=FIRST)
@example(request=replace(FIRST, where=Where("tools", "main", "agent")))
@example(request=replace(FIRST, where=Where("large", "main", "agent"), budget_tokens=1_500))
@example(
    request=replace(FIRST, where=Where("talk", "main", "agent"), budget_tokens=4_000, profile="thorough")
)
async def test_a_context_costs_what_its_request_does_and_grows_with_its_budget(
    request: AssembleRequest, tenant: Tenant, told: Told
) -> None:
    where = replace(request.where, conversation_id=told[request.where.conversation_id])
    request = replace(request, where=where)
    try:
        smaller = await tenant.use.assemble_context(tenant.caller, request)
    except BudgetTooSmall as refused:
        await is_refused_rightly(tenant, request, refused)
        request = replace(request, budget_tokens=refused.needed_tokens)
        smaller = await tenant.use.assemble_context(tenant.caller, request)
    costs_what_it_says(smaller, request)
    larger = await tenant.use.assemble_context(
        tenant.caller, replace(request, budget_tokens=request.budget_tokens + 1)
    )
    costs_what_it_says(larger, replace(request, budget_tokens=request.budget_tokens + 1))
    assert entered(smaller) <= entered(larger)


async def is_refused_rightly(tenant: Tenant, request: AssembleRequest, refused: BudgetTooSmall) -> None:
    """It says how many tokens suffice, and one less does not; the pins in the way are named."""
    assert refused.needed_tokens > request.budget_tokens
    with pytest.raises(BudgetTooSmall) as again:
        await tenant.use.assemble_context(
            tenant.caller, replace(request, budget_tokens=refused.needed_tokens - 1)
        )
    assert again.value.members() == refused.members()
    sufficient = replace(request, budget_tokens=refused.needed_tokens)
    made = await tenant.use.assemble_context(tenant.caller, sufficient)
    pins = [item.uid for part in made.written.sections for item in part.items if item.kind == "pin"]
    assert refused.pin_uids == pins
    assert (f"{len(pins)} pins" in refused.detail) is bool(pins)


def costs_what_it_says(made: Assembled, request: AssembleRequest) -> None:
    """Within the budget, by its own count and by ours; pairs whole and all there, pins word for word."""
    counted, total = counted_tokens(made.request), made.written.tokens
    assert counted <= request.budget_tokens
    assert total <= request.budget_tokens
    assert abs(total - counted) <= OFF_MAX * counted, (total, counted)
    assert made.record["assembled_tokens"] == total
    name = request.where.conversation_id.rsplit("-", 1)[0]
    pairs = {"tools": 3, "large": 1, "agent_alone": 1}.get(name, 0)
    assert len(CHECKS[request.format](made.request)) == pairs
    shown = next((p.text for p in made.written.sections if p.section is Section.WORKING_MEMORY), "")
    for text in {"tools": (f"Pay by card. {CHINESE}", CODE), "large": (CHINESE * 12,)}.get(name, ()):
        assert fence.strip(text) in shown


def entered(made: Assembled) -> set[tuple[str, str]]:
    """What is in a context."""
    return {(item.uid, item.kind) for part in made.written.sections for item in part.items}
