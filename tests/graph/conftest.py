"""A migrated database, a connection to it, and a tenant with a recorded conversation."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest
from connecting import connected

from service.api.app import create_app
from service.api.services import Services
from service.clock import FixedClock, SystemClock
from service.embedded import Database
from service.graph.driver import Graph
from service.graph.migrations import migrate
from service.ids import new_uid
from service.storage.blobs import Blobs
from service.storage.data_keys import DataKeys
from service.wiring import wire

BUDGET_TOKENS = 4000


@pytest.fixture(scope="session")
async def graph(neo4j_server: Database) -> AsyncIterator[Graph]:
    """One connection for the tests of a worker, on the migrated database."""
    async with connected(neo4j_server) as graph:
        await migrate(graph, SystemClock())
        yield graph


@pytest.fixture
def tenant_id() -> str:
    """A tenant that nobody else has."""
    return new_uid()


@pytest.fixture
def services(graph: Graph, tmp_path: Path) -> Services:
    """The use cases over this database and a blob folder of the test."""
    clock = FixedClock(datetime(2026, 3, 1, 12, tzinfo=UTC))
    blobs = Blobs.at((tmp_path / "blobs").as_uri(), DataKeys(tmp_path / "keys" / "data-keys"))
    return wire(graph, blobs, b"s" * 32, None, clock)


@pytest.fixture
async def recorded(services: Services) -> str:
    """The tenant of a small conversation with two calls, a fork, compacted, and one assembly."""

    @asynccontextmanager
    async def opened() -> AsyncIterator[Services]:
        yield services

    made = await services.keys.create_tenant(new_uid())
    app = create_app(opened)
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(
            transport=httpx.ASGITransport(app),
            base_url="http://service",
            headers={"Authorization": f"Bearer {made.api_key}"},
        ) as platform,
    ):
        for branch_id, events in (("main", MAIN), ("other", OTHER)):
            batch = {"conversation_id": "trip", "branch_id": branch_id, "events": events}
            answer = await platform.post("/v1/events", json=batch)
            assert answer.status_code == 201, answer.text
        compaction = {"conversation_id": "trip", "compaction_id": "k-1", "keep_tokens": 0}
        answer = await platform.post("/v1/branches/other/compact", json=compaction)
        assert answer.status_code == 201, answer.text
        asked = {"conversation_id": "trip", "branch_id": "other", "participant_id": "agent"}
        answer = await platform.post("/v1/assemble", json=asked | {"budget_tokens": BUDGET_TOKENS})
        assert answer.status_code == 201, answer.text
    return made.tenant_id


def _said(participant_id: str, message_id: str, role: str, text: str) -> dict[str, Any]:
    return {
        "kind": "message",
        "participant_id": participant_id,
        "message_id": message_id,
        "role": role,
        "parts": [{"type": "text", "content": text}],
    }


def _called(call_id: str, city: str) -> list[dict[str, Any]]:
    call = {"kind": "tool_call", "participant_id": "agent", "call_id": call_id, "tool_name": "find_flights"}
    result = {"flights": [{"number": "LH 40", "price_eur": 210}, {"number": "LH 42", "price_eur": 180}]}
    return [
        call | {"arguments": {"city": city}, "run_id": "run-1"},
        {"kind": "tool_result", "call_id": call_id, "result": result},
    ]


MAIN: list[dict[str, Any]] = [
    {"kind": "conversation", "title": "A trip", "user_id": "ada"},
    {"kind": "participant", "participant_id": "ada", "participant_kind": "human", "user_id": "ada"},
    {"kind": "participant", "participant_id": "agent", "participant_kind": "agent", "agent": "traveller"},
    _said("ada", "m-1", "user", "Which flight to Rome is cheapest?"),
    {"kind": "model_run", "participant_id": "agent", "run_id": "run-1", "provider": "openai", "model": "m"},
    *_called("call-1", "Rome"),
    _said("agent", "m-2", "assistant", "LH 42 for 180 euros."),
    {"kind": "fork", "branch_id": "other", "at_seq": 7},
    {
        "kind": "user_memory",
        "memory_id": "seat",
        "participant_id": "ada",
        "memory_kind": "preference",
        "subject": "seat",
        "predicate": "prefers",
        "value": "window",
        "message_ids": ["m-1"],
    },
    _said("ada", "m-3", "user", "Book it."),
]
OTHER: list[dict[str, Any]] = [
    *_called("call-2", "Oslo"),
    {"kind": "model_run", "participant_id": "agent", "run_id": "run-2"},
    _said("agent", "m-4", "assistant", "Oslo costs the same."),
    _said("ada", "m-5", "user", "And Paris?"),
]
