"""Reading a branch costs what its own lineage holds: neither ancestors nor siblings make a page dearer.

Nothing is judged by a clock: the database's profile of every query tells what it touched.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import pytest
from agent_platform import OPENING, Json, Platform, asked, forked
from profiling import Effort, ProfiledGraph
from served import ADMIN_KEY, blobs, serve

from service.embedded import Database
from service.graph.driver import Graph
from service.model.events import EVENTS_PER_BATCH_MAX
from service.storage.blobs import Blobs

__all__ = ["blobs"]

SLOW = os.environ.get("RUNTIME_GRAPH_SLOW") == "1"
DEPTH = 1_000 if SLOW else 100
PAGE = DEPTH // 2
SIBLINGS = 10_000 if SLOW else 1_000


@dataclass(frozen=True)
class Reader:
    """A tenant of a service whose reads are profiled."""

    platform: Platform
    graph: ProfiledGraph

    async def read(self, path: str, **query: Any) -> tuple[Json, Effort]:
        """An answer, and what it took."""
        self.graph.effort = Effort()
        response = await self.platform.http.get(
            f"/v1/branches/{path}", params=query, headers={"Authorization": f"Bearer {self.platform.key}"}
        )
        assert response.status_code == 200, response.text
        return response.json(), self.graph.effort


@pytest.fixture(scope="module")
async def reader(graph: Graph, neo4j_server: Database, blobs: Blobs) -> AsyncIterator[Reader]:
    server = neo4j_server
    async with (
        ProfiledGraph(server.uri, server.user, server.password, server.name) as profiled,
        serve(profiled, blobs) as http,
    ):
        new = Platform(http, ADMIN_KEY, "")
        made = (await new.send("POST", "/v1/tenants", {"name": f"tenant-{secrets.token_hex(8)}"})).json()
        yield Reader(Platform(http, made["api_key"], made["tenant_id"]), profiled)


@pytest.fixture(scope="module")
async def deep(reader: Reader) -> str:
    """A conversation in which each branch says one thing and is forked; the name of the last branch."""
    platform, parent = reader.platform, "main"
    await platform.recorded(*OPENING, asked("root", "0"), at="deep")
    for level in range(1, DEPTH + 1):
        await platform.recorded(forked(f"b{level}", parent=parent), at="deep")
        parent = f"b{level}"
        await platform.recorded(asked(parent, str(level)), at="deep", branch=parent)
    return parent


async def test_the_transcript_of_the_last_fork_is_read_in_pages_that_cost_no_more_than_a_flat_one(
    reader: Reader, deep: str
) -> None:
    said = [asked(f"f{number}", str(number)) for number in range(1, DEPTH + 1)]
    await reader.platform.recorded(*OPENING, asked("flat", "0"), at="flat")
    await reader.platform.recorded(*said, at="flat")
    efforts: dict[str, list[Effort]] = {"deep": [], "flat": []}
    for conversation, branch in (("deep", deep), ("flat", "main")):
        texts: list[str] = []
        cursor: dict[str, str] = {}
        while True:
            page, effort = await reader.read(
                f"{branch}/transcript", conversation_id=conversation, limit=PAGE, **cursor
            )
            texts += [entry["text"] for entry in page["entries"]]
            efforts[conversation].append(effort)
            if page["next_cursor"] is None:
                break
            cursor = {"cursor": page["next_cursor"]}
        assert texts == [str(number) for number in range(DEPTH + 1)]
    for at_depth, flat in zip(efforts["deep"], efforts["flat"], strict=True):
        assert at_depth.queries == flat.queries == 3
        assert at_depth.db_hits < 1.5 * flat.db_hits


async def test_comparing_at_depth_costs_what_lies_beyond_the_common_event_and_no_more(
    reader: Reader, deep: str
) -> None:
    """Of two branches that part near the end, and of two that part at the root."""
    await reader.platform.recorded(forked("late", parent=f"b{DEPTH - 1}"), forked("early"), at="deep")
    seq_of = {"late": DEPTH + 3, "early": 4}
    for other, seq in seq_of.items():
        told, effort = await reader.read(f"{deep}/compare/{other}", conversation_id="deep")
        parent = f"b{DEPTH - 1}" if other == "late" else "main"
        assert told["common"] == {"branch_id": parent, "seq": seq}
        beyond = DEPTH + 4 - seq
        assert told["first"]["events"] == {"message": beyond}
        assert [m["seq"] for m in told["first"]["entries"]] == list(range(seq + 1, DEPTH + 5))[:100]
        assert effort.queries <= 10
        assert effort.db_hits < 200 + 60 * beyond


async def test_thousands_of_siblings_make_no_read_dearer(reader: Reader) -> None:
    platform = reader.platform
    await platform.recorded(*OPENING, *(asked(f"w{n}", str(n)) for n in range(5)), at="wide")
    for name in ("one", "two"):
        await platform.recorded(forked(name), at="wide")
        await platform.recorded(asked(f"of-{name}", name), at="wide", branch=name)
    reads: dict[str, dict[str, int]] = {"one/transcript": {"limit": 3}, "one/compare/two": {}}
    alone = {path: await reader.read(path, conversation_id="wide", **more) for path, more in reads.items()}
    for start in range(0, SIBLINGS, EVENTS_PER_BATCH_MAX):
        numbers = range(start, start + EVENTS_PER_BATCH_MAX)
        await platform.recorded(*(forked(f"sibling-{n}", at_seq=8) for n in numbers), at="wide")
    for path, more in reads.items():
        assert await reader.read(path, conversation_id="wide", **more) == alone[path]
