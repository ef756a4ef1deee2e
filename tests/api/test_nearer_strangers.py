"""Who asks for ten gets ten of their own, though a thousand of others are nearer to the question."""

from __future__ import annotations

from typing import Any

from agent_platform import (
    OPENING,
    Json,
    NewPlatform,
    Platform,
    agent,
    asked,
    human,
    opened,
    remembered,
    section,
)

from service.clock import SystemClock
from service.graph.driver import Graph, Transaction
from service.graph.knowledge import publish_version
from service.ids import new_uid

QUESTION = "How many bags may a passenger take on a domestic flight?"
OWN = "Passengers take bags on flights, rule {}."
NEARER = 1_000
BOS = (opened(user_id="u-bo"), human("bo"), agent())
"""Another person, in a conversation of their own."""


def said(whose: str, count: int, text: str, by: str = "mia") -> list[Json]:
    return [asked(f"{whose}-{number}", text.format(number), by=by) for number in range(count)]


def known(whose: str, count: int, value: str, by: str = "mia") -> list[Json]:
    return [
        remembered(f"{whose}-{number}", value.format(number), subject=f"bag {number}", by=by)
        for number in range(count)
    ]


async def publish(graph: Graph, platform: Platform, count: int, text: str) -> None:
    """Documents `d0`, `d1`, … by the query that publishes one: a thousand requests would take long."""

    async def work(tx: Transaction) -> None:
        for number in range(count):
            told = {"uid": new_uid(), "text": text.format(number)}
            await publish_version.none(
                tx,
                tenant_id=platform.tenant_id,
                document={
                    "uid": new_uid(),
                    "document_id": f"d{number}",
                    "version": 1,
                    "title": f"Rule {number}",
                    "privacy_class": "internal",
                    "subject_uids": [],
                    "content_hash": told["uid"],
                    "created_at": SystemClock()(),
                },
                passages=[{**told, "part": 0, "tokens": 10}],
                candidate_uid=None,
            )

    await graph.write(work)


async def found(platform: Platform, path: str) -> Json:
    response = await platform.http.get(
        path, params={"query": QUESTION, "limit": 10}, headers={"Authorization": f"Bearer {platform.key}"}
    )
    assert response.status_code == 200, response.text
    return dict[str, Any](response.json())


async def test_ten_messages_come_though_other_conversations_people_and_tenants_have_nearer_ones(
    platform: Platform, new_platform: NewPlatform
) -> None:
    talk = {"top_k": 10, "message_range": 0, "last_messages": 0}
    await platform.configured({"talk": talk})
    await platform.recorded(*OPENING, *said("own", 10, OWN), asked("question", QUESTION))
    for opening in (OPENING, BOS):
        whose = opening[1]["participant_id"]
        await platform.recorded(*opening, at=whose)
        await platform.recorded(*said(whose, NEARER, QUESTION, by=whose), at=whose)
    stranger = await new_platform()
    await stranger.recorded(*OPENING)
    await stranger.recorded(*said("own", NEARER, QUESTION))
    context = await platform.assembled(8_000)  # which has room for many more
    recalled = section(context, "recalled_messages")
    assert len(recalled["items"]) == 10
    assert all(OWN.format(number) in recalled["text"] for number in range(10))
    assert QUESTION not in recalled["text"]


async def test_ten_memories_come_though_other_people_and_tenants_have_nearer_ones(
    platform: Platform, new_platform: NewPlatform
) -> None:
    await platform.recorded(*OPENING, *known("own", 10, OWN))
    stranger = await new_platform()
    await platform.recorded(*BOS, at="bos")
    await platform.recorded(*known("bos", NEARER, QUESTION, by="bo"), at="bos")
    await stranger.recorded(*OPENING)
    await stranger.recorded(*known("own", NEARER, QUESTION))
    answer = await found(platform, "/v1/users/u-mia/memories")
    assert sorted(one["value"] for one in answer["memories"]) == [OWN.format(number) for number in range(10)]
    assert answer["omitted"] == {} and answer["next_cursor"] is None


async def test_ten_documents_come_though_another_tenant_has_nearer_ones(
    platform: Platform, new_platform: NewPlatform, graph: Graph
) -> None:
    await publish(graph, platform, 10, OWN)
    await publish(graph, await new_platform(), NEARER, QUESTION)
    answer = await found(platform, "/v1/knowledge-documents")
    assert sorted(one["document_id"] for one in answer["documents"]) == [f"d{number}" for number in range(10)]
